// reads are granted by our module on each core. Now and then the difference is negative, else it looks right
static inline uint64_t rd(void) { uint64_t v; asm volatile("isb; mrs %0, pmccntr_el0" : "=r"(v)); return v; }
uint64_t a = rd();
work();
uint64_t b = rd();
printf("%ld\n", (long)(b - a));
