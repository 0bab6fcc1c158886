/* BL31 on a Neoverse N2: end - begin is 0. */
static void pmu_prepare(void)
{
	write_mdcr_el3((read_mdcr_el3() & ~MDCR_TPM_BIT) | MDCR_SPME_BIT | MDCR_SCCD_BIT);
	write_pmccfiltr_el0(0);
	write_pmcntenset_el0(1UL << 31);
	write_pmcr_el0(PMCR_EL0_LC_BIT | PMCR_EL0_E_BIT);
	isb();
}
uintptr_t handler(uint32_t fid)
{
	u_register_t begin, end;

	pmu_prepare();
	begin = read_pmccntr_el0();
	zx9_do_service(fid, x1);
	end = read_pmccntr_el0();
	INFO("%lu cycles\n", end - begin);
}
