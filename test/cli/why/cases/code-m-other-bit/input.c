// Cortex-M4, Teensy names; CYCCNT is always 0
ARM_DEMCR |= 1 << 25;
ARM_DWT_CTRL |= ARM_DWT_CTRL_CYCCNTENA;
uint32_t a = ARM_DWT_CYCCNT;
