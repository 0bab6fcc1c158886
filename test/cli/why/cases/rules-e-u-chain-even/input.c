// A53 EL1: 64-bit instruction count in counters 2/3, high half stays 0 after minutes
void init(void)
{
    write_sysreg(0x08, pmevtyper2_el0);
    write_sysreg(0x08, pmevtyper3_el0);
    write_sysreg(0, pmevcntr2_el0);
    write_sysreg(0, pmevcntr3_el0);
    write_sysreg(0xc, pmcntenset_el0);
    write_sysreg(1, pmcr_el0);
    isb();
}
uint64_t get(void) { return (uint64_t)read_sysreg(pmevcntr3_el0) << 32 | read_sysreg(pmevcntr2_el0); }
