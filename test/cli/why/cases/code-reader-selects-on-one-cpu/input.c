/* Cortex-A7, SVC mode, both functions run on the same core. Is this all right? */
#define SEL(n) __asm__ volatile("mcr p15, 0, %0, c9, c12, 5\n isb" :: "r"(n))

void counters_init(void)
{
    SEL(0);
    __asm__ volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(0x08));
    SEL(1);
    __asm__ volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(0x03));
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x3));
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(1));
    __asm__ volatile("isb");
}

unsigned int counters_get(unsigned int n)
{
    unsigned int v;

    SEL(n);
    __asm__ volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(v));
    return v;
}
