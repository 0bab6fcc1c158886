#include <sched.h>
#include <stdio.h>
/* The module of the kernel sets PMUSERENR_EL0 = 1 and the counters up with on_each_cpu(). */
static inline unsigned long ticks(void) { unsigned long v; asm volatile("isb\n mrs %0, pmccntr_el0" : "=r"(v)); return v; }
int main(void)
{
    for (;;) {
        unsigned from = sched_getcpu();
        unsigned long t = ticks();
        work();
        t = ticks() - t;
        printf("%u -> %u: %ld\n", from, (unsigned)sched_getcpu(), (long)t);
    }
}
// 2 -> 2: 918277
// 2 -> 0: -4418200371
// 0 -> 0: 918301
