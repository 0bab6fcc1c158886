/* cycle counter overflow interrupt, A9, never comes */
void init(void)
{
    asm volatile("mcr p15, 0, %0, c9, c13, 0" :: "r"(0xFFFF0000));
    asm volatile("mcr p15, 0, %0, c9, c14, 1" :: "r"(1));      /* enable the interrupt */
    asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(1u << 31));
    asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(1));
    gic_enable(92);
    asm volatile("cpsie i");
}
