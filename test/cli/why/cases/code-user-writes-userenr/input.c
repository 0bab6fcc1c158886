// Ubuntu on a Raspberry Pi 4: Illegal instruction (core dumped)
#include <stdio.h>
int main(void)
{
    unsigned long v;
    asm volatile("msr pmuserenr_el0, %0" :: "r"(1ul));
    asm volatile("mrs %0, pmccntr_el0" : "=r"(v));
    printf("%lu\n", v);
    return 0;
}
