/* Zephyr on A53 (EL1). events stay 0 */
void start(void)
{
    write_pmevtyper0_el0(0x80000008);
    write_pmcntenset_el0(BIT(0));
    write_pmcr_el0(read_pmcr_el0() | BIT(0));
    isb();
}
