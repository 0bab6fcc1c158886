/* Cortex-A53 (RK3399 little), EL1: INST_SPEC reads 0, the others count */
void setup(void)
{
    write_sysreg(0x1b, pmevtyper2_el0);
    write_sysreg(0, pmevcntr2_el0);
    write_sysreg(1 << 2, pmcntenset_el0);
    write_sysreg(read_sysreg(pmcr_el0) | 1, pmcr_el0);
    isb();
}
