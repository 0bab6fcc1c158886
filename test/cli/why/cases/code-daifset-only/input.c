/* Cortex-A53, EL1, no OS: the handler never runs, "hits" stays 0 although the GIC shows INTID 23 pending */
volatile unsigned hits;
void el1_irq_entry(void) { write_sysreg(1UL << 31, pmovsclr_el0); hits++; }
void start(void)
{
    asm volatile("msr daifset, #2");
    gic_enable(23);
    write_sysreg(0xFFFFFFFFFFFF0000UL, pmccntr_el0);
    write_sysreg(1UL << 31, pmintenset_el1);
    write_sysreg(1UL << 31, pmcntenset_el0);
    write_sysreg(0x41, pmcr_el0);
    isb();
    while (hits == 0)
        ;
}
