// STM32H743, Cortex-M7: CYCCNT stays 0 without ST-LINK
// DEMCR = 0x01000000, DWT_CTRL = 0x40000000, DWT_LSR = 0x00000003
void cyc_on(void) { CoreDebug->DEMCR |= 1 << 24; DWT->CYCCNT = 0; DWT->CTRL |= 1; }
