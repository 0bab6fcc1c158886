u64 v = read_sysreg(pmcr_el0);
v |= MY_FLAGS;
write_sysreg(v, pmcr_el0);
write_sysreg(BIT(31), pmcntenset_el0);
isb();
run();
isb();
n = read_sysreg(pmccntr_el0); // always 0
