/* STM32L476, Cortex-M4: exception trace for the SWO viewer, and the cycle counter */
void trace_on(void)
{
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
    DWT->CYCCNT = 0;
    DWT->CTRL |= DWT_CTRL_EXCTRCENA_Msk | DWT_CTRL_CYCCNTENA_Msk;
}

uint32_t now(void) { return DWT->CYCCNT; }
