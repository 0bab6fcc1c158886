/* Cortex-R5, IAR. Time of a task in cycles; the result is 0 each time. */
#include <intrinsics.h>

void prof_init(void)
{
    __MCR(15, 0, 0x80000000u, 9, 12, 1);
    __MCR(15, 0, 1u, 9, 12, 0);
    __ISB();
}

void prof_begin(void)
{
    __MCR(15, 0, 4u, 9, 12, 0);    /* from zero */
    __ISB();
}

unsigned int prof_end(void)
{
    __ISB();
    return __MRC(15, 0, 9, 13, 0);
}
