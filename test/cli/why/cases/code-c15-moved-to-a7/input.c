/* clock.h: used in the ARM1136 phones, now ported to the i.MX6UL (Cortex-A7): undefined instruction at the first call, SVC mode */
static inline unsigned clk(void)
{
	unsigned c;
	asm volatile("mrc p15, 0, %0, c15, c12, 1" : "=r"(c));
	return c;
}
