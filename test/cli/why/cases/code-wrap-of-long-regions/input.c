/* Zynq-7000 (Cortex-A9, 667 MHz), FreeRTOS, all in privileged modes. Sections take up to 20 seconds, and the long ones
   come out much too small: the difference of two u32 wraps. What can we do? */
static inline unsigned int cyc(void)
{
    unsigned int c;
    asm volatile("isb\n\tmrc p15, 0, %0, c9, c13, 0" : "=r"(c) :: "memory");
    return c;
}
void cyc_start(void)
{
    asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x80000000u));
    asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(0x5u));
    asm volatile("isb");
}
unsigned int section(void (*f)(void))
{
    unsigned int begin = cyc();
    f();
    return cyc() - begin;
}
