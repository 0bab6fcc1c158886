/* armcc 5.06, Cortex-A8 (AM335x), starterware. Fault: undefined instruction in the first line of start(). */
register unsigned int _pmcr __asm("cp15:0:c15:c12:0");
register unsigned int _cnten __asm("cp15:0:c9:c12:1");
register unsigned int _ccnt __asm("cp15:0:c9:c13:0");

void start(void)
{
    _pmcr = _pmcr | 5;
    _cnten = 0x80000000;
}
