/* nRF5340, Cortex-M33. Taken from an Ethos-U example for the M55, where it is fine; here BusFault, address 0xE0003C00. */
#define PMU_CTRL     (*(volatile unsigned *)0xE0003E04)
#define PMU_CNTENSET (*(volatile unsigned *)0xE0003C00)

void profile_on(void)
{
    CoreDebug->DEMCR |= 1 << 24;
    PMU_CNTENSET = 1u << 31;
    PMU_CTRL |= 1;
}
