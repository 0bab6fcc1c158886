// A53 EL1, counts L1 misses of one load; gets 40 and more each time, printf in between
void one(volatile int *p)
{
    write_sysreg(0x3, pmevtyper0_el0);
    write_sysreg(1, pmcntenset_el0);
    write_sysreg(1, pmcr_el0);
    isb();
    uint64_t a = read_sysreg(pmevcntr0_el0);
    printf("start %lu\n", a);
    (void)*p;
    printf("end %lu\n", read_sysreg(pmevcntr0_el0) - a);
}
