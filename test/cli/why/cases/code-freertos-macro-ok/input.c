/* FreeRTOSConfig.h, Zynq-7000 (Cortex-A9) at 667 MHz, for review */
#define portCONFIGURE_TIMER_FOR_RUN_TIME_STATS() pmu_setup()
#define portGET_RUN_TIME_COUNTER_VALUE() (pmu_ticks() >> 4)
static void pmu_setup(void)
{
    __asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(5));
    __asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(1u << 31));
}
static uint32_t pmu_ticks(void)
{
    uint32_t v;
    __asm volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(v));
    return v;
}
