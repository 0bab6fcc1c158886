/* the counters of the other core read 0 all the time */
void pmu_remote_start(volatile unsigned int *regs)
{
    regs[0xFB0 / 4] = 0xC5ACCE55u;
    regs[0xE04 / 4] = 0x46;
    regs[0x47C / 4] = 0;
    regs[0xC00 / 4] = 0x80000000;
}
