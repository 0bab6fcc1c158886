// Instruction counter of the EL1 monitor, Cortex-A57.
// Run by the primary core and each secondary before the scheduler starts.
// What the tasks do must not be in it.
	.text
	.global	ticks_setup
ticks_setup:
	mov	x1, #0x8			// INST_RETIRED
	orr	x1, x1, #(1 << 30)		// U: monitor only
	msr	pmevtyper0_el0, x1
	mov	x1, #1
	msr	pmcntenset_el0, x1
	mrs	x0, pmcr_el0
	orr	x0, x0, #3			// P | E
	msr	pmcr_el0, x0
	isb
	ret

	.global	ticks_now
	.type	ticks_now, %function
ticks_now:
	isb
	mrs	x0, pmevcntr0_el0
	ret
