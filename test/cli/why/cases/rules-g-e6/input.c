#define EVT_INST_RETIRED  0x1B
#define EVT_CPU_CYCLES    0x11
/* IPC comes out as 3.4 on an A53 (dual issue), impossible */
void init(void)
{
    write_sysreg(EVT_INST_RETIRED, pmevtyper0_el0);
    write_sysreg(EVT_CPU_CYCLES, pmevtyper1_el0);
    write_sysreg(3, pmcntenset_el0);
    write_sysreg(1, pmcr_el0);
    isb();
}
