/* nRF5340 application core (Cortex-M33), SEGGER Embedded Studio */
void timing_on(void)
{
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
    DWT->CTRL |= DWT_CTRL_PCSAMPLENA_Msk;      /* start */
}

uint32_t now(void) { return DWT->CYCCNT; }     /* the same value each time */
