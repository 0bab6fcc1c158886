// Cortex-M85: ARM_PMU_Get_CCNTR() stays 0
void init(void)
{
    ARM_PMU_CYCCNT_Reset();
    ARM_PMU_CNTR_Enable(PMU_CNTENSET_CCNTR_ENABLE_Msk);
    ARM_PMU_Enable();
}
