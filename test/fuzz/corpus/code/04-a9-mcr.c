/* Cortex-A9, SVC mode: cycles and branch misses */
static void counters_start(void)
{
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(0));
    __asm__ volatile("isb");
    __asm__ volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(0x10));
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x80000001));
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(0x7));
    __asm__ volatile("isb");
}
static unsigned misses(void)
{
    unsigned n;
    __asm__ volatile("isb\n\tmrc p15, 0, %0, c9, c13, 2" : "=r"(n));
    return n;
}
static unsigned cycles(void)
{
    unsigned n;
    __asm__ volatile("isb\n\tmrc p15, 0, %0, c9, c13, 0" : "=r"(n));
    return n;
}
