// Zynq-7000 standalone. Cycle counter never moves
void start(void)
{
    uint32_t v;
    asm volatile("mrc p15,0,%0,c9,c12,0" : "=r"(v));
    v |= 1;
    asm volatile("mcr p15,0,%0,c9,c12,0" :: "r"(v));
    v = 1 < 31;
    asm volatile("mcr p15,0,%0,c9,c12,1" :: "r"(v));
}
