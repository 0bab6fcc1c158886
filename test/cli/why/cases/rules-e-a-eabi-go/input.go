// Go on a Jetson Orin, "SIGILL: illegal instruction" in readPMCCNTR
// cycles_arm64.s:
// TEXT ·readPMCCNTR(SB), NOSPLIT, $0-8
//     WORD $0xd53b9d00   // mrs x0, pmccntr_el0
//     MOVD R0, ret+0(FP)
//     RET
package main
func main() { println(readPMCCNTR()) }
