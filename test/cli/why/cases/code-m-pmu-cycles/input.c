#include "M55.h"
/* cycles reads 0, event counter 2 works */
void perf_on(void)
{
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
    ARM_PMU_Set_EVTYPER(2, ARM_PMU_INST_RETIRED);
    ARM_PMU_CNTR_Enable(PMU_CNTENSET_CNT2_ENABLE_Msk);
    ARM_PMU_Enable();
}
void show(void) { printf("%u %u\n", ARM_PMU_Get_CCNTR(), ARM_PMU_Get_EVCNTR(2)); }
