/* Cortex-R5, IAR. Time of a task in cycles. */
#include <intrinsics.h>

void prof_init(void)
{
    __MCR(15, 0, 0x80000000u, 9, 12, 1);
    __MCR(15, 0, 5u, 9, 12, 0);
    __ISB();
}

unsigned int prof_now(void)
{
    __ISB();
    return __MRC(15, 0, 9, 13, 0);
}
