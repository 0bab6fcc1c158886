/* Own kernel on two Cortex-A35, EL1; the boot hart calls board_init(), then releases the other one. */
static void board_init(void)
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

void idle_loop(void)
{
    unsigned long from = ticks();

    run_queue();
    log_ticks(core_id(), ticks() - from);
}

void start(void)
{
    board_init();
    release_core(1, idle_loop);
    idle_loop();
}
/* log, each core:
 *   [0] 4,711,204
 *   [1] 0
 */
