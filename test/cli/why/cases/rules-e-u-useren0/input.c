// kernel: write_sysreg(0xc, pmuserenr_el0) on all cpus. Reads are fine at EL0, this line kills the program (SIGILL):
static inline void reset(void) { asm volatile("msr pmccntr_el0, xzr"); }
