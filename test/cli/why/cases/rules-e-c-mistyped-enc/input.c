// want the cycle counter. Undefined instruction on A7 in SVC mode
uint32_t ccnt(void) { uint32_t v; __asm__ volatile("mrc p15, 0, %0, c9, c14, 0x3" : "=r"(v)); return v; }
void init(void)
{
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(5));
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x80000000));
}
