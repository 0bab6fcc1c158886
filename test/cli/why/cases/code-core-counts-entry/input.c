/* Own kernel on two Cortex-A35, EL1 */
static void pmu_on(void)
{
    __asm__ volatile("msr pmccfiltr_el0, xzr");
    __asm__ volatile("msr pmcntenset_el0, %0" : : "r"(1UL << 31));
    __asm__ volatile("msr pmcr_el0, %0" : : "r"(0x41UL));
    __asm__ volatile("isb");
}

static unsigned long ticks(void)
{
    unsigned long t;

    __asm__ volatile("isb\n mrs %0, pmccntr_el0" : "=r"(t) : : "memory");
    return t;
}

void core_loop(void)
{
    unsigned long from;

    pmu_on();
    from = ticks();
    run_queue();
    log_ticks(core_id(), ticks() - from);
}

void start(void)
{
    release_core(1, core_loop);
    core_loop();
}
/* core 0: 4711204   core 1: 0 */
