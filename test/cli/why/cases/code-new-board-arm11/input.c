/* Written for a Cortex-A9 board, now on a Raspberry Pi Zero (ARM1176JZF-S), bare metal. Undefined instruction at the
   first line. */
static void start(void)
{
	unsigned int v = 1;

	asm volatile("mcr p15, 0, %0, c9, c12, 0" : : "r"(v));
	asm volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(v));
}
