/* Cortex-A9, GICv1 of the Zynq, supervisor mode; the PMU of core 0 is SPI 5, ID 37. One interrupt per 2^20 cycles. */
#include <stdint.h>
#define ICCIAR (*(volatile uint32_t *)0xF8F0010C)
#define ICCEOIR (*(volatile uint32_t *)0xF8F00110)
#define ICDISER1 (*(volatile uint32_t *)0xF8F01104)
static volatile uint32_t n;
static inline void set_ccnt(uint32_t v) { __asm__ volatile("mcr p15, 0, %0, c9, c13, 0" :: "r"(v)); }
void c_irq(void)
{
    uint32_t id = ICCIAR, f;
    if ((id & 0x3ff) == 37) {
        __asm__ volatile("mrc p15, 0, %0, c9, c12, 3" : "=r"(f));
        set_ccnt(-(1 << 20));
        __asm__ volatile("mcr p15, 0, %0, c9, c12, 3" :: "r"(f));
        n++;
    }
    ICCEOIR = id;
}
void start(void)
{
    ICDISER1 = 1u << 5;
    set_ccnt(-(1 << 20));
    __asm__ volatile("mcr p15, 0, %0, c9, c14, 1" :: "r"(1u << 31));
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(1u << 31));
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(1u));
    __asm__ volatile("isb");
    __asm__ volatile("cpsie i");
}
