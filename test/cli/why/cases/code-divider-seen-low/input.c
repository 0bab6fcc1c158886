/* RM57 (Cortex-R5F at 330 MHz). 10 s of busy work give only 51562500 cycles. */
static unsigned int since;

void endurance_start(void)
{
    unsigned int v;

    __asm volatile ("mrc p15, 0, %0, c9, c12, 0" : "=r"(v));
    __asm volatile ("mcr p15, 0, %0, c9, c12, 0" :: "r"(v | 0x0Du));
    __asm volatile ("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x80000000u));
    __asm volatile ("isb");
    __asm volatile ("mrc p15, 0, %0, c9, c13, 0" : "=r"(since));
}
unsigned int endurance_cycles(void)
{
    unsigned int v;

    __asm volatile ("isb; mrc p15, 0, %0, c9, c13, 0" : "=r"(v) :: "memory");
    return v - since;
}
