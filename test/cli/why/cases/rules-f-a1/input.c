// STM32MP157 A7, my counter function returns 0 all the time
void pmu_enable(void)
{
	uint32_t r;
	__asm__ __volatile__ ("mrc p15, 0, %0, c9, c12, 0" : "=r"(r));
	r |= (1 << 2) | (1 << 1);
	__asm__ __volatile__ ("mcr p15, 0, %0, c9, c12, 0" :: "r"(r));
	__asm__ __volatile__ ("mcr p15, 0, %0, c9, c12, 1" :: "r"(1 << 31));
}
