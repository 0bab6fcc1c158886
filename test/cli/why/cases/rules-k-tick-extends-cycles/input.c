/* Bare metal, Cortex-A53, EL1, GICv2: extends PMCCNTR (LC = 0) to 64 bits in the 1 s tick. */
#include <stdint.h>
static volatile uint32_t high;
void irq_entry(void)
{
    uint32_t id = mmio_read32(GICC_IAR) & 0x3ff;
    if (id == 30) {
        uint64_t f;
        __asm__ volatile("mrs %0, pmovsclr_el0" : "=r"(f));
        if (f >> 31 & 1) {
            high++;
            __asm__ volatile("msr pmovsclr_el0, %0" :: "r"(1ull << 31));
        }
        timer_rearm();
    }
    mmio_write32(GICC_EOIR, id);
}
void cyc_init(void)
{
    mmio_write32(GICD_ISENABLER0, 1u << 30);
    __asm__ volatile("msr pmovsclr_el0, %0" :: "r"(1ull << 31));
    __asm__ volatile("msr pmccfiltr_el0, xzr");
    __asm__ volatile("msr pmcntenset_el0, %0" :: "r"(1ull << 31));
    __asm__ volatile("msr pmcr_el0, %0" :: "r"(5ull));
    __asm__ volatile("isb");
    __asm__ volatile("msr daifclr, #2");
}
