/* DEMCR and DWT are set as the manual says, and it reads 0. */
void ticks_init(void)
{
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
    DWT->CYCCNT = 0;
    DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk;
}

uint32_t ticks(void) { return DWT->CYCCNT; }
