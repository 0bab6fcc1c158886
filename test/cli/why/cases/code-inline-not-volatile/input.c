// gcc 12 -O2, the delta is always 0. With -O0 I see about 4000. PMU is open to user space on all cores by a module.
static inline unsigned long long tick(void)
{
    unsigned long long t;
    __asm__("mrs %x[t], pmccntr_el0" : [t] "=r"(t));
    return t;
}
int main(void)
{
    unsigned long long a = tick();
    work();
    unsigned long long b = tick();
    printf("%llu\n", b - a);
}
