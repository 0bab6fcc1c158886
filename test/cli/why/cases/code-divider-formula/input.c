/* RM57 (Cortex-R5F at 330 MHz), endurance log. A resolution of 64 cycles is fine. Anything missing here? */
static unsigned int since;

void endurance_start(void)
{
    unsigned int v;

    __asm volatile ("mrc p15, 0, %0, c9, c12, 0" : "=r"(v));
    __asm volatile ("mcr p15, 0, %0, c9, c12, 0" :: "r"(v | 0x0Du));            /* E C D */
    __asm volatile ("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x80000000u));
    __asm volatile ("isb");
    __asm volatile ("mrc p15, 0, %0, c9, c13, 0" : "=r"(since));
}
/* wraps after 2^32 * 64 / 330e6 = 833 s; the longest test takes 95 s */
unsigned long long endurance_cycles(void)
{
    unsigned int v;

    __asm volatile ("isb; mrc p15, 0, %0, c9, c13, 0" : "=r"(v) :: "memory");
    return (unsigned long long)(v - since) * 64u;
}
