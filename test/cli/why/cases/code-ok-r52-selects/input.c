/* Cortex-R52: misses and accesses of one job */
void sample(uint32_t *misses, uint32_t *accesses)
{
    __asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(2u));
    __asm volatile("isb");
    __asm volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(0x03u));
    __asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(3u));
    __asm volatile("isb");
    __asm volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(0x04u));
    __asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0xCu));
    __asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(3u));
    __asm volatile("isb");
    job();
    __asm volatile("isb");
    __asm volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(*accesses));
    __asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(2u));
    __asm volatile("isb");
    __asm volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(*misses));
}
