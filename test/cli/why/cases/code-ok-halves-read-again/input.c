#define PMCCNTR_LO 0xF8
#define PMCCNTR_HI 0xFC
/* is this right? */
u64 now(void __iomem *b) { u32 h, l; do { h = readl(b + PMCCNTR_HI); l = readl(b + PMCCNTR_LO); } while (h != readl(b + PMCCNTR_HI)); return (u64)h << 32 | l; }
