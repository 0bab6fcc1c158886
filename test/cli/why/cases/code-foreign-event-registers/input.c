/* Cortex-A53, EL1; the list of events is that of our Xeon profiler */
void mispredicts_start(void)
{
    write_sysreg(0x00c5, pmevtyper2_el0);   /* BR_MISP_RETIRED.ALL_BRANCHES */
    write_sysreg(0, pmevcntr2_el0);
    write_sysreg(1 << 2, pmcntenset_el0);
    write_sysreg(0x41, pmcr_el0);
    isb();
}

u64 mispredicts(void)
{
    isb();
    return read_sysreg(pmevcntr2_el0);      /* reads 0 every time */
}
