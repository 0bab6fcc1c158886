// CHAIN in the even counter, high stays zero; N1 EL1
write_sysreg(0x1E, pmevtyper0_el0);
write_sysreg(0x11, pmevtyper1_el0);
write_sysreg(3, pmcntenset_el0);
write_sysreg(1, pmcr_el0);
isb();
