uint64_t start, stop;
static inline uint64_t rd(void) { uint64_t r; asm volatile("mrs %0, pmccntr_el0" : "=r"(r)); return r; }
void f(void)
{
	start = rd();
	work();
	stop = rd();
	int cycles = (int)(stop - start);
	printf("%d\n", cycles); // prints -1294967296
}
