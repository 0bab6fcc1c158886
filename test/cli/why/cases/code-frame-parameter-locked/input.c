/* nothing I write sticks: all registers stay 0 */
void pmu_remote_start(volatile unsigned int *pmu_regs)
{
    pmu_regs[0xE04 / 4] = 0x47;
    pmu_regs[0x47C / 4] = 0;
    pmu_regs[0xC00 / 4] = 0x80000000;
}
unsigned pmu_remote_read(volatile unsigned int *pmu_regs)
{
    return pmu_regs[0xF8 / 4]; /* always 0 */
}
