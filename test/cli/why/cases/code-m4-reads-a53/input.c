/* i.MX8MM: the Cortex-M4 core shall read the cycle counter of the A53 (PMCCNTR). DWT->CYCCNT on the M4 itself works. */
#define A53_PMU 0x80430000u
uint32_t a53_cycles(void) { return *(volatile uint32_t *)(A53_PMU + 0x0F8); } /* always 0xFFFFFFFF or hangs */
