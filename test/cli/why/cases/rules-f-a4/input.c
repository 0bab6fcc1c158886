/* A8: select counter 2, but event goes to 0 */
void set_event(unsigned n, unsigned ev)
{
    asm("mcr p15, 0, %0, c9, c13, 1" :: "r"(ev));
    asm("mcr p15, 0, %0, c9, c12, 5" :: "r"(n));
}
int main(void) { set_event(2, 0x03); }
