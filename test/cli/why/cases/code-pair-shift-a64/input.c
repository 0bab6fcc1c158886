// EL1, counters 4 and 5 are a pair: 5 has CHAIN. Now and then two readings differ by minus 4294967296.
#define read_sysreg(r) ({ unsigned long __v; asm volatile("mrs %0, " #r : "=r"(__v)); __v; })
unsigned long sample(void)
{
    unsigned long value = read_sysreg(pmevcntr5_el0) * 0x100000000;

    value += read_sysreg(pmevcntr4_el0);
    return value;
}
