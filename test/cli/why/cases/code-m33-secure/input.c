/* LPC55S69, Cortex-M33 */
void cyc_on(void) {
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
    DWT->CTRL |= (1 << 1);      /* start CYCCNT. but it stays at 0?? */
}
