/* Cortex-M33 (STM32U585, 160 MHz). Shows about 160 000 for one tick of the HAL. */
void init(void)
{
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
    DWT->CYCCNT = 0;
    DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk;
}

void test(void)
{
    uint32_t from = DWT->CYCCNT;
    HAL_Delay(1);
    uint32_t to = DWT->CYCCNT;
    printf("%lu\r\n", to - from); // both unsigned: correct even if it wrapped, an overflow in between does no harm
}
