// three counters by a loop of the assembler, Cortex-A72, EL1
.macro	cfg	idx:req, evt=0x11, tmp=x5
	ldr	\tmp, =\evt
	msr	pmevtyper\idx\()_el0, \tmp
	msr	pmevcntr\idx\()_el0, xzr
	.ifnb	\idx
	mov	\tmp, #1 << \idx
	msr	pmcntenset_el0, \tmp
	.endif
.endm
E = 1
P = E << 1
	.global start_counters
start_counters:
	cfg	0
	cfg	1, 0x08
	
	mov	x0, #(E | P)
	msr	pmcr_el0, x0
	isb
	ret
	.global read3
read3:
	isb
	.irp	n, 0, 1, 2
	mrs	x1\n, pmevcntr\n\()_el0
	.endr
	stp	x10, x11, [x0]
	str	x12, [x0, #16]
	ret
