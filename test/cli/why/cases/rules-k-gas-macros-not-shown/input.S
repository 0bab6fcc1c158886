/* EL1, Cortex-A53; macros are in "pmu_macros.inc" */
	.include "pmu_macros.inc"
	.globl run
run:
	stp	x29, x30, [sp, #-16]!
	mov	x9, #0
	pmu_config 0, 0x08
	ldr_const x9, 0x80000001
	msr	pmcntenset_el0, x9
	mov_imm	x9, 0x47
	msr	pmcr_el0, x9
	isb
	bl	work
	isb
	mrs	x0, pmevcntr0_el0
	mrs	x1, pmccntr_el0
	ldp	x29, x30, [sp], #16
	ret
