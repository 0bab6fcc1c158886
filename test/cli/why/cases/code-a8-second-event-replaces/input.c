/* AM3358 (Cortex-A8), StarterWare, privileged. Counters 2 and 3 should count branches and mispredicted ones. */
static inline void pmselr(unsigned n) { asm volatile("mcr p15, 0, %0, c9, c12, 5\n\tisb" :: "r"(n)); }
static inline void evt(unsigned e)    { asm volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(e)); }

void branches_start(void)
{
    pmselr(2);
    evt(0x0C);
    evt(0x10);
    asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0xCu));
    asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(0x3u));
    asm volatile("isb");
}
