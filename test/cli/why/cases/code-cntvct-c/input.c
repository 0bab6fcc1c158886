// "cycles" of my memcpy are way too low. Graviton 4
static inline uint64_t rdtsc(void)
{
	uint64_t val;
	asm volatile("mrs %0, cntvct_el0" : "=r" (val));
	return val;
}
