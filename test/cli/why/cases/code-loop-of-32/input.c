/* runs fine on N1, aborts (undefined instr.) on the A55 at i = 6, both EL1 */
for (i = 0; i < 31; i++) {
	write_sysreg(i, pmselr_el0);
	isb();
	write_sysreg(0, pmxevcntr_el0);
}
