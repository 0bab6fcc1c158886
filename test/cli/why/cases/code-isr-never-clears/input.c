/* Cortex-A5 bare metal. After 100000 branches we do get the interrupt, but from then on the foreground never resumes. */
static volatile unsigned hits;

void irq_pmu(void)
{
	hits++;
	asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(1));
	asm volatile("isb");
	asm volatile("mcr p15, 0, %0, c9, c13, 2" :: "r"(0u - 100000u));
}

void start(void)
{
	unsigned v;

	gic_register(pmu_irq_number, irq_pmu);
	asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(1));
	asm volatile("isb");
	asm volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(0x0c));
	asm volatile("mcr p15, 0, %0, c9, c13, 2" :: "r"(0u - 100000u));
	asm volatile("mcr p15, 0, %0, c9, c14, 1" :: "r"(2));
	asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(2));
	asm volatile("mrc p15, 0, %0, c9, c12, 0" : "=r"(v));
	asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(v | 1));
	asm volatile("isb");
}
