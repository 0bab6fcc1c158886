#include "M55.h"
/* chained 64 bit? EVCNTR(1) stays 0 even after hours; EVCNTR(0) wraps at 65536 */
void perf_on(void)
{
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
    ARM_PMU_Set_EVTYPER(0, ARM_PMU_INST_RETIRED);
    ARM_PMU_CNTR_Enable(1);
    ARM_PMU_Enable();
}
void show(void) { printf("%u\n", ARM_PMU_Get_EVCNTR(0) | ARM_PMU_Get_EVCNTR(1) << 16); }
