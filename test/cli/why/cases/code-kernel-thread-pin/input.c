/* perf counter page reads of a pool thread give jumps of 1e12 forwards and backwards. */
#include <pthread.h>
static uint64_t rd(void) { uint64_t v; asm volatile("isb; mrs %0, pmccntr_el0" : "=r"(v)); return v; }
/* PMUSERENR set by our module on every core */
void *job(void *p)
{
	uint64_t t = rd();
	do_work(p);
	hist_add(rd() - t);
	return NULL;
}
