/* Cortex-R5. get(n) returns the count of the n of the previous get(). */
#include <stdint.h>
uint32_t get(uint32_t n)
{
    uint32_t v;
    __asm volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(v));
    __asm volatile("mcr p15, 0, %0, c9, c12, 5" : : "r"(n));
    __asm volatile("isb");
    return v;
}
