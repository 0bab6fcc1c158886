/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmu.S - counters for the boot loader's memory test, Cortex-A53, EL3
 *
 * Called from C: pmu_open(event), pmu_mark(struct mark *), pmu_close(). MDCR_EL3 is ours.
 */
#include "asm.h"

#define MDCR_SPME	(1 << 17)
#define PMCR_E		(1 << 0)
#define PMCR_P		(1 << 1)
#define PMCR_C		(1 << 2)
#define PMCR_LC		(1 << 6)

	.text
	.arch	armv8-a

/* x0 = value; clobbers nothing else */
	.macro	wr reg, val
	msr	\reg, \val
	.endm

	.macro	imm32 rd, value
	movz	\rd, #((\value) & 0xffff)
	movk	\rd, #(((\value) >> 16) & 0xffff), lsl #16
	.endm

/* the UART of the memory test, polled */
	.global	putc
putc:
	adrp	x9, uart_base
	ldr	x9, [x9, :lo12:uart_base]
1:	ldr	w10, [x9, #0x18]
	tbnz	w10, #5, 1b
	str	w0, [x9]
	ret

	.global	pmu_open
	.type	pmu_open, %function
pmu_open:
	mrs	x1, mdcr_el3
	imm32	x2, MDCR_SPME
	orr	x1, x1, x2
	msr	mdcr_el3, x1
	isb
	imm32	x2, 0x8000003f
	wr	pmcntenclr_el0, x2
	wr	pmintenclr_el1, x2
	and	x0, x0, #0x3ff
	wr	pmevtyper0_el0, x0
	wr	pmccfiltr_el0, xzr
	mrs	x1, pmcr_el0
	bic	x1, x1, #(1 << 3)
	bic	x1, x1, #(1 << 5)
	mov	x3, #(PMCR_E | PMCR_P | PMCR_C | PMCR_LC)
	orr	x1, x1, x3
	wr	pmcr_el0, x1
	isb
	wr	pmovsclr_el0, x2
	imm32	x2, 0x80000001
	wr	pmcntenset_el0, x2
	isb
	ret
	.size	pmu_open, . - pmu_open

	.global	pmu_mark
	.type	pmu_mark, %function
pmu_mark:
	isb
	mrs	x1, pmccntr_el0
	mrs	x2, pmevcntr0_el0
	mrs	x3, cntpct_el0
	stp	x1, x2, [x0]
	str	x3, [x0, #16]
	isb
	ret
	.size	pmu_mark, . - pmu_mark

	.global	pmu_close
	.type	pmu_close, %function
pmu_close:
	imm32	x2, 0x80000001
	wr	pmcntenclr_el0, x2
	mrs	x1, pmcr_el0
	bic	x1, x1, #PMCR_E
	wr	pmcr_el0, x1
	mrs	x1, mdcr_el3
	bic	x1, x1, #MDCR_SPME
	msr	mdcr_el3, x1
	isb
	ret
	.size	pmu_close, . - pmu_close

	.data
	.balign	8
uart_base:
	.quad	0x09000000
