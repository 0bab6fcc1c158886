/* external PMU registers of a Cortex-A9, writes are ignored and PMCR stays 0 */
#define PMU_BASE 0xF8891000
#define REG(x) (*(volatile uint32_t *)(PMU_BASE + x))
void pmu_on(void)
{
    REG(0xC00) = 0x80000000;
    REG(0xE04) = 0x7;
    printf("%08x\n", REG(0xE04));  // 41093000, E is still 0
}
