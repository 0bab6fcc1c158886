/* run with qemu-system-arm -M vexpress-a15 -cpu cortex-a15 -kernel x.elf; icache misses = 0, cycles = 190221 */
void on(void)
{
	asm volatile("mcr p15,0,%0,c9,c12,5\n isb" :: "r"(0));
	asm volatile("mcr p15,0,%0,c9,c13,1" :: "r"(0x01));
	asm volatile("mcr p15,0,%0,c9,c12,1" :: "r"(0x80000001));
	asm volatile("mcr p15,0,%0,c9,c12,0\n isb" :: "r"(0x7));
}
