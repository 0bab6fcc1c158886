// A57 EL1. pm_stop() has no effect, counter 0 goes on
void pm_start(void) { SYSREG_WRITE(pmcntenset_el0, 1); isb(); }
void pm_stop(void)  { SYSREG_WRITE(pmcntenset_el0, SYSREG_READ(pmcntenset_el0) & ~1UL); isb(); }
