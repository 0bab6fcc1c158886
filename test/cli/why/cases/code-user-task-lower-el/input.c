/* toy OS on an i.MX8M. In the kernel the counter works. A user task that reads PMCCNTR_EL0 directly ends in my
 * "sync exception from lower EL" handler, ESR 0x62073f41 */
void perfmon_start(void)  /* on each core */
{
    write_sysreg(0, pmccfiltr_el0);
    write_sysreg(1ul << 31, pmcntenset_el0);
    write_sysreg(read_sysreg(pmcr_el0) | 0x41, pmcr_el0);
    isb();
}
