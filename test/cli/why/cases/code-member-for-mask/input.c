/* a module for a 32-bit kernel, Cortex-A15: the interrupt of counter e->idx never comes, whatever idx is but 1 */
static void evt_arm(struct evt *e)
{
    asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(e->idx)); /* PMSELR */
    isb();
    asm volatile("mcr p15, 0, %0, c9, c13, 1" :: "r"(e->event));
    asm volatile("mcr p15, 0, %0, c9, c13, 2" :: "r"(-e->period));
    asm volatile("mcr p15, 0, %0, c9, c14, 1" :: "r"(e->idx)); /* PMINTENSET */
    asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(1u << e->idx));
    asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(1));
    isb();
}
