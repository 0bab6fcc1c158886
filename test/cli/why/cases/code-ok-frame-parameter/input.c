/* monitor core programs the PMU of a neighbour A53 over the debug APB. Numbers look plausible; have I forgotten a step? */
void pmu_remote_start(volatile unsigned int *regs)
{
    regs[0xFB0 >> 2] = 0xC5ACCE55u;  /* open the software lock */
    regs[0xE04 >> 2] = 0x46;         /* reset, LC */
    regs[0x47C >> 2] = 0;
    regs[0x400 >> 2] = 0x08;
    regs[0xC00 >> 2] = 0x80000001;
    regs[0xE04 >> 2] |= 1;
    __asm volatile("dsb sy");
}
