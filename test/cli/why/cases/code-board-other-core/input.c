/* Zynq UltraScale+ MPSoC, Cortex-R5, lockstep, no MMU */
void counters_on(void)
{
    unsigned i;

    for (i = 0; i < 5; i++) {
        asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(i));
        asm volatile("isb");
        asm volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(0x08 + i));
        asm volatile("isb");
    }
    asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x1Fu));
    asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(7u));
}

unsigned counter(unsigned i)
{
    unsigned v;

    asm volatile("mcr p15, 0, %0, c9, c12, 5\n isb" :: "r"(i));
    asm volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(v));
    return v;
}
/* counter(3) and counter(4) are always 0 */
