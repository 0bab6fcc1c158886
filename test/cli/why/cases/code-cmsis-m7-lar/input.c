/* STM32H743. Free running from flash: CYCCNT stays 0. As soon as ST-LINK has been connected once since power on it is fine. */
void dwt_start(void)
{
  CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
  DWT->CYCCNT = 0;
  DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk;
}
