// i.MX8MM A53 @ 1.8 GHz: one second should be 1.8e9 cycles, I get 31 million
uint64_t one_second(void)
{
    uint64_t a = read_sysreg(pmccntr_el0);
    uint64_t end = read_sysreg(cntpct_el0) + read_sysreg(cntfrq_el0);
    while (read_sysreg(cntpct_el0) < end)
        wfi();
    return read_sysreg(pmccntr_el0) - a;
}
void init(void)
{
    write_sysreg(0, pmccfiltr_el0);
    write_sysreg(1UL << 31, pmcntenset_el0);
    write_sysreg(0x41, pmcr_el0);
    isb();
}
