/* Our hypervisor gives its guests no counters: MDCR_EL2.TPM is set, and each access is trapped and emulated below. */
int handle_pmu_access(struct vcpu *vcpu, uint32_t iss)
{
	unsigned reg = iss >> 5 & 31;

	if (iss & 1)
		vcpu->x[reg] = pmu_shadow_read(vcpu, iss);
	else
		pmu_shadow_write(vcpu, iss, vcpu->x[reg]);
	vcpu->pc += 4;
	return 0;
}
