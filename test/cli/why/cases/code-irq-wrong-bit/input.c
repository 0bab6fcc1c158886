// A55, EL1, bare metal. Overflow of counter 2 never interrupts; I can see bit 2 in PMOVSSET. GIC side tested with ISPENDR, handler runs.
void arm_sampler(void)
{
    WR(pmevtyper2_el0, 0x08);
    WR(pmevcntr2_el0, 0xffff0000u);
    WR(pmovsclr_el0, 0xffffffffu);
    WR(pmintenset_el1, 2);
    WR(pmcntenset_el0, 1u << 2);
    WR(pmcr_el0, 1);
    isb();
}
#define WR(r, v) asm volatile("msr " #r ", %0" :: "r"((uint64_t)(v)))
