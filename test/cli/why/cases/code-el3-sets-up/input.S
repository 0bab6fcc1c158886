/* BL31: counts SMCs' instructions, EL1 and EL0 are left out. Reads 0 */
func begin
	mrs	x0, mdcr_el3
	orr	x0, x0, #(1 << 17)
	msr	mdcr_el3, x0
	mov	x1, #0x08
	orr	x1, x1, #(3 << 30)
	msr	pmevtyper0_el0, x1
	mov	x1, #1
	msr	pmcntenset_el0, x1
	mrs	x1, pmcr_el0
	orr	x1, x1, #1
	msr	pmcr_el0, x1
	isb
	ret
endfunc begin
