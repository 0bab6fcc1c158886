// pmu_user.c, kernel 5.15 on an RK3399. After insmod ./bench runs on some starts and ends in SIGILL on most.
#include <linux/module.h>
static int __init pmu_user_start(void)
{
    write_sysreg(0xf, pmuserenr_el0);
    write_sysreg(BIT(31), pmcntenset_el0);
    write_sysreg(0, pmccfiltr_el0);
    write_sysreg(read_sysreg(pmcr_el0) | 0x41, pmcr_el0);
    isb();
    return 0;
}
module_init(pmu_user_start);
MODULE_LICENSE("GPL");
