// STM32G031 (Cortex-M0+)
void t_init(void)
{
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
    DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk;
}
// compile error first, then with addresses by hand: hard fault / zero
