/* Cortex-A35, EL1. ctr_open(3, 0x08) counts nothing. */
static inline void sel(unsigned long v) { asm volatile("msr pmselr_el0, %0; isb" :: "r"(v)); }
static inline void en(unsigned long v) { asm volatile("msr pmcntenset_el0, %0" :: "r"(v)); }
static inline void ty(unsigned long v) { asm volatile("msr pmxevtyper_el0, %0" :: "r"(v)); }
static inline void cr(unsigned long v) { asm volatile("msr pmcr_el0, %0; isb" :: "r"(v)); }

int ctr_open(unsigned slot, unsigned event)
{
    sel(slot & 0x1f);
    ty(event);
    en(slot & 0x1f);
    cr(1);
    return 0;
}
