/* external view of core 0's PMU over the debug APB. Everything reads as 0 */
#define PMU0 0x80430000u
#define R(o) (*(volatile unsigned *)(PMU0 + (o)))
void go(void)
{
    R(0xC00) = 1;        /* PMCNTENSET */
    R(0x400) = 0x08;     /* PMEVTYPER0 */
    R(0xE04) = 6;        /* PMCR: reset */
}
