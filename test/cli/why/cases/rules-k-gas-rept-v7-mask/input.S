@ Cortex-A7, SVC mode, bare metal
	.syntax unified
	.cpu cortex-a7
	.set	N, 4
	.macro pmu_write crm, op, val
	ldr	r12, =\val
	mcr	p15, 0, r12, c9, \crm, \op
	.endm
	.macro count_event n ev
	pmu_write c12, 5, \n
	isb
	pmu_write c13, 1, \ev
	pmu_write c13, 2, 0
	.endm
	.global pmu_on
pmu_on:
	pmu_write c12, 2, 0x8000000f
	.set i, 0
	.rept N
	count_event i, 0x10 + i
	.set i, i + 1
	.endr
	pmu_write c12, 1, (1 << N) - 2
	pmu_write c12, 0, 0x3
	isb
	bx	lr
	.global pmu_get
pmu_get:
	and	r0, r0, #31
	isb
	mcr	p15, 0, r0, c9, c12, 5
	isb
	mrc	p15, 0, r0, c9, c13, 2
	bx	lr
