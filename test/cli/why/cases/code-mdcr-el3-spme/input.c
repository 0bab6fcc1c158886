/* our own EL3 monitor (no TF-A), Cortex-A76. S-EL1 RTOS: INST_RETIRED stays at zero, PMCCNTR is fine. */
void el3_setup(void)
{
	uint64_t v = 0;

	v |= 1ULL << 9;		/* TDOSA */
	v |= 1ULL << 10;	/* TDA */
	write_mdcr_el3(v);
	write_cptr_el3(0);
	isb();
}
