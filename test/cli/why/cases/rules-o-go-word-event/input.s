// Graviton 2, PMUSERENR_EL0.EN set by a module on each CPU. hot() takes "9" whatever it does.
#include "textflag.h"

DATA	scale<>+0(SB)/8, $1000
GLOBL	scale<>(SB), RODATA, $8

// func Start() uint64
TEXT ·Start(SB), NOSPLIT|NOFRAME, $0-8
	ISB	$15
	WORD	$0xd53b9d00		// mrs x0, pmccntr_el0
	MOVD	R0, ret+0(FP)
	RET

// func Stop(from uint64) uint64
TEXT ·Stop(SB), NOSPLIT|NOFRAME, $0-16
	MOVD	from+0(FP), R1
	ISB	$15
	WORD	$0xd53b9ca0		// mrs x0, pmccntr_el0
	SUB	R1, R0, R0
	MOVD	R0, ret+8(FP)
	RET
