// TF-A BL31 experiment, always small numbers
void stat_begin(void)
{
	write_pmcntenset_el0(1u << 31);
	write_pmcr_el0(read_pmcr_el0() | PMCR_EL0_E_BIT);
	isb();
}

uint64_t stat_end(void)
{
	uint64_t v;

	write_pmcr_el0(read_pmcr_el0() | PMCR_EL0_C_BIT);
	isb();
	v = read_pmccntr_el0();
	return v;
}
