/* nRF5340 app core, secure: works under the debugger only */
void c_init(void) { DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk; }
uint32_t c_get(void) { return DWT->CYCCNT; }
