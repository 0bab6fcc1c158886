/* our hypervisor, A53, 32-bit guest (Linux 4.9 armv7). guest oopses: "undefined instruction", PC armv7pmu_init, mrc p15,0,r0,c9,c12,0 */
	write_sysreg(1 << 9, hstr_el2);       /* trap CP15 c9 ... cache lockdown */
	write_sysreg(6, mdcr_el2);
	write_sysreg(0x33ff, cptr_el2);
