/* SAME70 */
void t_init(void)
{
    CoreDebug->DEMCR |= 1 << 24;
    *(volatile uint32_t *)0xE0001FB0 = 0xC5ACCE55;
    *(volatile uint32_t *)0xE0001004 = 0;
}
uint32_t t(void) { return *(volatile uint32_t *)0xE0001004; } // always 0
