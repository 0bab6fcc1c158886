/* MCU island: cycles of a Cortex-A53 through its PMU frame. The result wraps every few seconds at 4294967296. */
#define PMU(off)  (*(volatile unsigned int *)(PMU_BASE + (off)))

unsigned long long a53_cycles(void)
{
    const unsigned long long now = PMU(0x0F8);

    return now;
}
