/* sometimes off by 2^32 */
u64 sample(void __iomem *base)
{
	u32 lo = readl_relaxed(base + PMCCNTR_EL0_LO);
	u32 hi = readl_relaxed(base + PMCCNTR_EL0_HI);
	return ((u64)hi << 32) + lo;
}
