#define EV_CPU_CYCLES 0x11
#define ENABLE_ALL    0x80000000
	.if EV_CPU_CYCLES == 0x11
	.macro on; mov w1, #ENABLE_ALL ; msr pmcntenset_el0, x1; .endm
	.endif
/* helper: cycle counter on, EL1 */
	.macro cycles_start
	mov	x1, #0
	msr	pmccfiltr_el0, x1
	mov	x1, #1
	msr	pmcntenset_el0, x1
	mov	x1, #0x45
	msr	pmcr_el0, x1
	isb
	.endm
	.macro cycles_read, reg
	isb
	mrs	\reg, pmccntr_el0
	.endm
	.globl measure
measure:
	stp	x29, x30, [sp, #-16]!
	cycles_start
	cycles_read x19
	bl	work
	cycles_read x20
	sub	x0, x20, x19
	ldp	x29, x30, [sp], #16
	ret
