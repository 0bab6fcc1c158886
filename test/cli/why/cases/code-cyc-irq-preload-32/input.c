// Kinetis? no: AM64x A53, nortos SDK (EL1?). I want an interrupt after 50000 cycles. It never arrives; PMCCNTR counts up from 0xFFFF3CB0 without stopping
void arm(void)
{
    CSL_armv8WriteReg(PMCR_EL0, 0x41);              // E | LC
    CSL_armv8WriteReg(PMCCNTR_EL0, 0xFFFFFFFFu - 50000u);
    CSL_armv8WriteReg(PMINTENSET_EL1, 0x80000000u);
    CSL_armv8WriteReg(PMCNTENSET_EL0, 0x80000000u);
    __asm volatile("isb");
}
