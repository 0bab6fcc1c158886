/* LPC55S69, Cortex-M33 at 150 MHz. 1 ms gives 150011. On the STM32H743 I had to write a key to DWT->LAR: not here? */
void cycles_on(void)
{
	CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
	DWT->CYCCNT = 0;
	DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk;
}
