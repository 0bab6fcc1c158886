/* R5F, VIM. Interrupt storm as soon as counter 2 wraps */
void pmu_fiq(void) __attribute__((interrupt("FIQ")));
void pmu_fiq(void)
{
	hits++;
	__asm volatile("mcr p15, 0, %0, c9, c12, 3" :: "r"(2));   /* clear the flag of counter 2 */
}
void init(void)
{
	__asm volatile("mcr p15, 0, %0, c9, c14, 1" :: "r"(1 << 2));
	__asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(1 << 2));
	__asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(1));
}
