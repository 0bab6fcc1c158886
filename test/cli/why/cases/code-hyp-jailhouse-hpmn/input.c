/* our patch for Jailhouse (NXP LX2160, A72): keep 2 counters for the hypervisor. In the root cell perf dies:
 * "perf stat -e r03,r04,r10,r12,r14" in Linux -> undefined instruction oops at armv8pmu_write_evtype (counter 4). */
static void pmu_partition(void)
{
	u64 mdcr;

	arm_read_sysreg(MDCR_EL2, mdcr);
	mdcr &= ~0x1fUL;
	mdcr |= 4;
	mdcr |= 1 << 7;
	arm_write_sysreg(MDCR_EL2, mdcr);
}
