// boot.S of my kernel, QEMU -> no, real Pi 4. EL2 -> EL1, then in EL1
// "mrs x0, pmcr_el0" ends in the EL2 vector with ESR 0x62390720... 
el2_entry:
	mov	x0, #(1 << 31)
	msr	hcr_el2, x0
	mov	x0, #0x60
	msr	mdcr_el2, x0
	mov	x0, #0x3c5
	msr	spsr_el2, x0
	adr	x0, el1_entry
	msr	elr_el2, x0
	eret
