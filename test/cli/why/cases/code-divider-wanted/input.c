/* Cortex-A9, bare metal. The divider is wanted: 64 cycles a tick, so that it wraps after minutes and not seconds. */
void coarse_init(void)
{
    unsigned int v;

    asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x80000000u));
    asm volatile("mrc p15, 0, %0, c9, c12, 0" : "=r"(v));
    asm volatile("mcr p15, 0, %0, c9, c12, 0\n\tisb" :: "r"(v | 0xdu));
}

unsigned long long coarse_cycles(void)
{
    unsigned int t;

    asm volatile("isb\n\tmrc p15, 0, %0, c9, c13, 0" : "=r"(t));
    return (unsigned long long)t << 6;
}
