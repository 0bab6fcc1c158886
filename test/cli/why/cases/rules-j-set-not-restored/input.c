// the counter must be off again when this returns, if it was off before; it stays on for ever
u64 measure_bus(void (*job)(void))
{
    const u64 bit = 1ul << 1;
    u64 was_on = read_sysreg(pmcntenset_el0) & bit;
    u64 first, last;

    write_sysreg(0x19, pmevtyper1_el0);     // BUS_ACCESS
    write_sysreg(read_sysreg(pmcr_el0) | 1, pmcr_el0);
    write_sysreg(bit, pmcntenset_el0);
    isb();
    first = read_sysreg(pmevcntr1_el0);
    job();
    isb();
    last = read_sysreg(pmevcntr1_el0);
    write_sysreg(was_on, pmcntenset_el0);
    return last - first;
}
