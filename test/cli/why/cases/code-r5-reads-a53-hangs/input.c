// from the R5 of a ZynqMP: PMCCNTR of the A53 core 1 over APB (debug base 0xFED30000 is its PMU). Reads hang until the watchdog bites.
#define PMU 0xFED30000UL
#define PMCCNTR (*(volatile unsigned int *)(PMU + 0x0F8))
#define PMCR (*(volatile unsigned int *)(PMU + 0xE04))
unsigned get(void) { return PMCCNTR; }
