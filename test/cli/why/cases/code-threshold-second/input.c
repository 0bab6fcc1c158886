/* Neoverse V2 payload at EL1 */
void begin(void)
{
    uint64_t wide = 7ull << 61 | 2ull << 32;

    write_sysreg(0x11, pmevtyper0_el0);
    write_sysreg(wide | 0x24, pmevtyper1_el0);
    write_sysreg(3, pmcntenset_el0);
    write_sysreg(0x41, pmcr_el0);
    isb();
}

void end(void)
{
    isb();
    printf("%lu of %lu stalled\n", read_sysreg(pmevcntr1_el0), read_sysreg(pmevcntr0_el0));
    /* far too few: the profiler says 40 percent */
}
