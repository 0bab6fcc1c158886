/* A15 kernel module. Sometimes counter 1 gets the event of counter 0 */
static void set(int n, u32 ev)
{
    asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(n));
    asm volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(ev));
}
static void go(void)
{
    set(0, 0x08); set(1, 0x03);
    asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(3));
    asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(1));
    isb();
}
