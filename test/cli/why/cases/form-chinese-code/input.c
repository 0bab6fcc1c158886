/* 树莓派3 裸机, EL1, 周期计数器一直是 0, 请帮忙看看 */
static inline void 启动计数(void)
{
    unsigned long v;
    asm volatile("mrs %0, pmcr_el0" : "=r"(v));
    v |= 0x5;                       /* 使能, 清零 */
    asm volatile("msr pmcr_el0, %0" :: "r"(v));
    asm volatile("msr pmcntenset_el0, %0" :: "r"(0x08000000UL));   /* 使能周期计数器 */
    asm volatile("isb");
}
