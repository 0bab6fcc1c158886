/*
 * ThreadX on a Cortex-A7 (STM32MP135). Measures the FFT with PMN0 = L1D refills and PMN1 = L2D refills.
 * PMN0 looks sane, PMN1 always equals PMN0. Every time, to the last digit.
 */
#define PMSELR(v)     __asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(v))
#define PMXEVTYPER(v) __asm volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(v))

static unsigned pmn(unsigned n)
{
    unsigned v;
    PMSELR(n);
    __asm volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(v));
    return v;
}

void report(void)
{
    tx_printf("%u %u\n", pmn(0), pmn(1));
}
