/* MCU island of an S32G3: counts the cycles of a Cortex-A53 through its PMU frame. Unlocked, the core is powered.
   Once in a few minutes one difference is too small by 4294967296, and the next one too large by the same. */
#define PMU(off)  (*(volatile unsigned int *)(PMU_BASE + (off)))

unsigned long long a53_cycles(void)
{
    const unsigned long long low = PMU(0x0F8);
    const unsigned long long high = PMU(0x0FC);

    return high << 32 | low;
}
