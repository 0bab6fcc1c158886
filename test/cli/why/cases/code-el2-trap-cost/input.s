/* bare-metal hypervisor at EL2, without VHE: cycle counter, to measure our trap path */
pmu_setup:
	mrs	x0, pmcr_el0
	ubfx	x0, x0, #11, #5
	msr	mdcr_el2, x0			/* HPMN = N */
	mov	x1, #(1 << 27)			/* NSH */
	msr	pmccfiltr_el0, x1
	mov	x2, #(1 << 31)
	msr	pmcntenset_el0, x2
	mov	x0, #((1 << 6) | (1 << 2) | 1)	/* LC, C, E */
	msr	pmcr_el0, x0
	isb
	ret

pmu_read:
	isb
	mrs	x0, pmccntr_el0
	isb
	ret
