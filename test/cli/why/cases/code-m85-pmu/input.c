/* Ensemble E7, Cortex-M55. ARM_PMU_Get_CCNTR() = 0 */
#include "pmu_armv8.h"
void f(void)
{
    ARM_PMU_Enable();
    ARM_PMU_CYCCNT_Reset();
    ARM_PMU_CNTR_Enable(PMU_CNTENSET_CCNTR_ENABLE_Msk);
    work();
    printf("%u\n", ARM_PMU_Get_CCNTR());
}
