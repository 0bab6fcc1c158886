// 2 GHz core, but a second has only 25 million "cycles"
static inline uint64_t rdtsc(void) { uint64_t t; asm volatile("mrs %0, cntvct_el0" : "=r"(t)); return t; }
int main(void) { uint64_t a = rdtsc(); sleep(1); printf("%lu cycles\n", rdtsc() - a); }
