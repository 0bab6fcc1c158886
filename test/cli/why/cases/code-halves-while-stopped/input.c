#define PMCCNTR_LO 0xF8
#define PMCCNTR_HI 0xFC
#define PMCNTENCLR 0xC20
u64 now(void __iomem *pmu) { u32 h, l; writel(1u << 31, pmu + PMCNTENCLR); h = readl(pmu + PMCCNTR_HI); l = readl(pmu + PMCCNTR_LO); return (u64)h << 32 | l; }
