#include "M55.h"
/* why does counter 1 never move? */
void perf_on(void)
{
    DCB->DEMCR |= DCB_DEMCR_TRCENA_Msk;
    PMU->EVTYPER[0] = ARM_PMU_INST_RETIRED;
    PMU->EVTYPER[1] = ARM_PMU_L1D_CACHE_REFILL;
    PMU->CNTENSET = PMU_CNTENSET_CNT0_ENABLE_Msk | PMU_CNTENSET_CCNTR_ENABLE_Msk;
    PMU->CTRL |= PMU_CTRL_ENABLE_Msk | PMU_CTRL_EVENTCNT_RESET_Msk | PMU_CTRL_CYCCNT_RESET_Msk;
}
uint32_t refills(void) { return PMU->EVCNTR[1]; }
