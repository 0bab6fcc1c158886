/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses a saved state. */
static int take(struct pmu *p, const char *name, uint64_t value)
{
    if (strcmp(name, "pmcr") == 0) {
        p->pmcr = value;
    } else if (!strcmp(name, "pmceid0")) {
        p->events = value;
    } else {
        print_hex("PMCEID1", value);
        return -1;
    }
    return 0;
}

uint64_t cycles(void)
{
    uint64_t n;

    asm volatile("isb\n mrs %0, pmccntr_el0" : "=r"(n));
    return n;
}
