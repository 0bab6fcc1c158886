/* BCM2835, ARM1176JZF-S, bare metal. */
unsigned instructions(void (*work)(void))
{
    unsigned count;
    unsigned control = 7 << 20 | 1;

    __asm__ volatile("mcr p15, 0, %0, c15, c12, 0" :: "r"(control)); /* PMN0 counts event 7, enable */
    work();
    __asm__ volatile("mrc p15, 0, %0, c15, c12, 2" : "=r"(count));
    return count;
}
