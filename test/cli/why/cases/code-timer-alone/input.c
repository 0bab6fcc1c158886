/* user space; elapsed time in microseconds for the trace file, wall time is what we want */
static inline unsigned long long now(void)
{
    unsigned long long t;
    asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(t) :: "memory");
    return t;
}

unsigned long long elapsed_us(unsigned long long start)
{
    unsigned long long hz;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return (now() - start) * 1000000u / hz;
}
