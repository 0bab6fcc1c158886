/* runs at EL0, Illegal instruction */
uint64_t n;
int main(void) {
	asm volatile("mrs %0, pmevcntr0_el0" : "=r"(n));
	printf("%lu\n", n);
}
