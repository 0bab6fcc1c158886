/* Pi 3, EL1, clang -O2: elapsed always 0; with a printf between the two calls it's not 0 */
#define CYC() ({ unsigned long _c; asm("mrs %0, pmccntr_el0" : "=r"(_c)); _c; })

void probe(void)
{
    unsigned long a = CYC();
    fir(taps, 64);
    elapsed = CYC() - a;
}
