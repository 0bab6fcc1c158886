/* R52, EL2 hypervisor keeps PMEVCNTR2 and 3: nothing is counted in there */
void el2_pmu(void)
{
	WRITE_HDCR(2);
	WRITE_PMEVTYPER2(0x08000008);
	WRITE_PMCNTENSET(1 << 2);
	WRITE_PMCR(READ_PMCR() | 1);
	isb();
}
