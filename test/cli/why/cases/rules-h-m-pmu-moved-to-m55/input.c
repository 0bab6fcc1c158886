/* Was written for a Cortex-M7 with DWT, now moved to the Cortex-M55: the cycle counter stays zero. */
#define PMU_CTRL     (*(volatile unsigned *)0xE0003E04)
#define PMU_CNTENSET (*(volatile unsigned *)0xE0003C00)
#define PMU_CCNTR    (*(volatile unsigned *)0xE000307C)

unsigned cycles(void)
{
    CoreDebug->DEMCR |= 1 << 24;
    PMU_CNTENSET = 1u << 30;
    PMU_CTRL |= 1;
    return PMU_CCNTR;
}
