#define PMU_BASE 0xF7830000UL
#define R(o) (*(volatile uint32_t *)(PMU_BASE + (o)))
enum { EVCNTR0 = 0x000, EVTYPER0 = 0x400, CNTENSET = 0xC00, CNTENCLR = 0xC20, PMCR = 0xE04, LAR = 0xFB0 };

/* L1D refills of core 0 of the A57 cluster, read by the service processor */
void begin(void)
{
    R(LAR) = 0xC5ACCE55;
    R(CNTENCLR) = 1;
    R(EVTYPER0) = 0x03;
    R(EVCNTR0) = 0;
    R(CNTENSET) = 1;
    R(PMCR) = R(PMCR) | 1;
}
uint32_t end(void) { R(CNTENCLR) = 1; return R(EVCNTR0); }
