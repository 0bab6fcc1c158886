/* QNX 7.1, i.MX8QM A53, plain process (no ThreadCtl). Terminated SIGILL code=ILL_ILLOPC at cc() */
#include <stdio.h>
#include <stdint.h>
static inline uint64_t cc(void) { uint64_t v; __asm__ __volatile__("mrs %0, pmccntr_el0" : "=r"(v)); return v; }
int main(void)
{
    uint64_t a = cc();
    work();
    printf("%lu\n", cc() - a);
    return 0;
}
