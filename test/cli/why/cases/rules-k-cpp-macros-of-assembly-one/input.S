#define PMU_ON(n) \
	mov	x1, #(1 << (n)); \
	msr	pmcntenset_el0, x1
#define PMU_EV(n, ev) \
	mov	x1, #(ev); \
	msr	pmevtyper##n##_el0, x1
	.globl go
go:
	PMU_EV(0, 0x08)
	PMU_EV(3, 0x03)
	PMU_ON(0)

	mov	x1, #7
	msr	pmcr_el0, x1
	isb
	ret
	.globl get
get:
	isb
	mrs	x0, pmevcntr0_el0
	mrs	x1, pmevcntr3_el0
	ret
