@ imx6, linux module init. insmod: Oops - undefined instruction at the 2nd line
	mov	r1, #1
	mcr	p15, 0, r1, c9, c15, 0		@ user enable
	mov	r1, #0x80000000
	mcr	p15, 0, r1, c9, c12, 1
