/* Zephyr 3.6, Cortex-R52 (FVP_BaseR is fine, the real S32Z is what counts), one core.
 * cyc_get() gives 0 at every call, I never see it go up. */
#include <zephyr/kernel.h>

static inline void pmu_wr_pmcr(uint32_t v) { __asm__ volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(v)); }
static inline uint32_t pmu_rd_pmcr(void) { uint32_t v; __asm__ volatile("mrc p15, 0, %0, c9, c12, 0" : "=r"(v)); return v; }

void cyc_init(void)
{
	pmu_wr_pmcr(pmu_rd_pmcr() | BIT(0) | BIT(2));
}

uint32_t cyc_get(void)
{
	uint32_t v;

	__asm__ volatile("isb; mrc p15, 0, %0, c9, c13, 0" : "=r"(v));
	return v;
}
