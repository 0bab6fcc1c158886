#include "boardperf.h"    /* bp_start(), bp_stop(): binary only */

unsigned measure(void (*f)(void))
{
    bp_start();
    f();
    unsigned n = bp_stop();
    printf("%u\n", n);     /* about half of what the data sheet has */
    return n;
}
