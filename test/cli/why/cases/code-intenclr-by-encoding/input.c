/* Cortex-A9 module; works with taskset -c 0, SIGILL with taskset -c 3 */
static int __init m_init(void)
{
	asm volatile("mcr p15, 0, %0, c9, c14, 2" :: "r"(~0u));   /* no interrupts from the PMU */
	asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x80000000));
	asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(1));
	asm volatile("mcr p15, 0, %0, c9, c14, 0" :: "r"(1));
	return 0;
}
module_init(m_init);
