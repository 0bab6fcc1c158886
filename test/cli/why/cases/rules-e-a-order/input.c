static uint64_t t0(void) { uint64_t v; asm volatile("mrs %0, pmccntr_el0" : "=r"(v)); return v; }
// A78AE EL1, times of 5 instructions vary 2..90, no ISB is needed around MRS, right?
