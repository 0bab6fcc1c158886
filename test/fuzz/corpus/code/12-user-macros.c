#define wr(reg, v) __asm__ volatile("msr " #reg ", %0" :: "r"((unsigned long)(v)))
#define rd(reg) ({ unsigned long _v; __asm__ volatile("mrs %0, " #reg : "=r"(_v)); _v; })
#define sync() __asm__ volatile("isb" ::: "memory")
enum { BR_MIS = 0x10, N = 2 };
void probe_on(void)
{
    wr(pmevtyper2_el0, BR_MIS);
    wr(pmevcntr2_el0, 0);
    wr(pmcntenset_el0, 1 << N);
    wr(pmcr_el0, rd(pmcr_el0) | 1);
    sync();
}
unsigned long probe(void)
{
    sync();
    return rd(pmevcntr2_el0);
}
