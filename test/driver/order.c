/* SPDX-License-Identifier: BSD-2-Clause */
/* The accesses of the driver and their order, as the recorder reports them. */
#include "driver.h"

struct order_log {
    char text[8192];
};

static void record(void *ctx, const char *line)
{
    struct order_log *r = ctx;
    const size_t length = strlen(r->text);

    snprintf(r->text + length, sizeof r->text - length, "%s\n", line);
}

static struct driver_bench bench;
static struct order_log order_log;
static struct apmu_trace trace;
static struct apmu_dev traced;

static bool begin(uint64_t features, unsigned counters)
{
    const bool ok = bench_init(&bench, features, counters);

    trace = (struct apmu_trace){.inner = bench.dev, .sink = record, .sink_ctx = &order_log};
    traced = (struct apmu_dev){.ops = &apmu_trace_ops, .ctx = &trace};
    order_log.text[0] = '\0';
    return ok;
}

/* Checks that @error is APMU_OK and that @lines is what was recorded since the last call. */
static void expect(const char *name, enum apmu_error error, const char *lines)
{
    const bool same = strcmp(order_log.text, lines) == 0;

    if (!same || error != APMU_OK) {
        printf("# %s: got\n%s# wanted\n%s", apmu_error_text(error), order_log.text, lines);
    }
    check(name, same && error == APMU_OK);
    order_log.text[0] = '\0';
}

/* The session of the following functions, on a PMUv3p9. */
static struct apmu_session s;
static struct apmu_pmu pmu;
static struct apmu_reading out[3];

static void version_9_opens(void)
{
    const struct apmu_wish wishes[] = {
        {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .filter = APMU_FILTER(P)},
        {.event = APMU_EV_CPU_CYCLES, .counter = APMU_COUNTER_ANY, .dedicated = true, .interrupt = true, .period = 2},
        {.event = APMU_EV_BR_RETIRED, .counter = 5, .interrupt = true, .period = 0x1000},
    };
    size_t refused;

    check("order: a PMUv3p9 for the model", begin(P9_FEATURES, 8));
    expect("order: discover", apmu_pmu_discover(&traced, NULL, &pmu),
           "read ID_AA64DFR0_EL1 0xf000000000906\n"
           "read ID_AA64DFR1_EL1 0x0\n"
           "read ID_AA64PFR0_EL1 0x11\n"
           "read PMMIR_EL1 0x0\n"
           "read PMCR_EL0 0x40e0\n"
           "read PMCEID0_EL0 0x4040120141\n"
           "read PMCEID1_EL0 0x1200001a\n");
    expect("order: open writes all of PMCR_EL0, disables, then configures",
           apmu_session_open(&s, &traced, &pmu, wishes, 3, &refused),
           "write PMCR_EL0 0xc6\n"
           "write PMCNTENCLR_EL0 0x800000ff\n"
           "write PMINTENCLR_EL1 0x800000ff\n"
           "write PMUSERENR_EL0 0x0\n"
           "write PMUACR_EL1 0x0\n"
           "sync\n"
           "write PMOVSCLR_EL0 0x800000ff\n"
           "sync\n"
           "write PMEVTYPER0_EL0 0x80000008\n"
           "write PMEVCNTR0_EL0 0x0\n"
           "write PMCCFILTR_EL0 0x0\n"
           "write PMCCNTR_EL0 0xfffffffffffffffe\n"
           "write PMEVTYPER5_EL0 0x21\n"
           "write PMEVCNTR5_EL0 0xfffffffffffff000\n"
           "write PMINTENSET_EL1 0x80000020\n");
    expect("order: EL0 may read the session's counters", apmu_session_allow_user(&s, APMU_USER_READ),
           "write PMUACR_EL1 0x80000021\n"
           "sync\n"
           "write PMUSERENR_EL0 0x1c\n"
           "sync\n");
    expect("order: EL0 may use the PMU", apmu_session_allow_user(&s, APMU_USER_FULL),
           "write PMUACR_EL1 0x0\n"
           "sync\n"
           "write PMUSERENR_EL0 0xf\n"
           "sync\n");
}

static void version_9_counts(void)
{
    expect("order: start synchronizes between configure and enable", apmu_session_start(&s),
           "sync\n"
           "write PMCNTENSET_EL0 0x80000021\n"
           "write PMCR_EL0 0xc1\n"
           "sync\n");
    expect("order: while running, flags are read before and after the counts", apmu_session_read(&s, out),
           "sync\n"
           "read PMOVSCLR_EL0 0x0\n"
           "sync\n"
           "read PMEVCNTR0_EL0 0x0\n"
           "read PMCCNTR_EL0 0xfffffffffffffffe\n"
           "read PMEVCNTR5_EL0 0xfffffffffffff000\n"
           "sync\n"
           "read PMOVSCLR_EL0 0x0\n");
    apmu_cycles(&bench.model, &bench.program_pe, 3, NULL);
    bench.model.ovs |= 1u << 7; /* another counter's flag, which the session must not clear */
    expect("order: stop synchronizes between disable and read", apmu_session_stop(&s),
           "sync\n"
           "write PMCR_EL0 0xc0\n"
           "sync\n");
    expect("order: flags before counts, and those of interrupts stay", apmu_session_read(&s, out),
           "sync\n"
           "read PMOVSCLR_EL0 0x80000080\n"
           "read PMEVCNTR0_EL0 0x0\n"
           "read PMCCNTR_EL0 0x1\n"
           "read PMEVCNTR5_EL0 0xfffffffffffff000\n");
    check("order: the overflow is in the reading",
          out[1].valid && out[1].overflowed && out[1].count == 3 && out[1].raw == 1 && !out[0].overflowed);
}

static void version_9_overflows_and_closes(void)
{
    expect("order: an interrupt clears the flags that are its own, and the next period begins",
           apmu_session_interrupt(&s, 0, NULL),
           "sync\n"
           "read PMOVSCLR_EL0 0x80000080\n"
           "sync\n"
           "write PMCR_EL0 0xc0\n"
           "sync\n"
           "read PMCCNTR_EL0 0x1\n"
           "write PMOVSCLR_EL0 0x80000000\n"
           "sync\n"
           "write PMCCNTR_EL0 0xffffffffffffffff\n");
    expect("order: close", apmu_session_close(&s),
           "write PMCR_EL0 0xc0\n"
           "write PMCNTENCLR_EL0 0x80000021\n"
           "write PMINTENCLR_EL1 0x80000021\n"
           "write PMUSERENR_EL0 0x0\n"
           "sync\n"
           "write PMOVSCLR_EL0 0x80000021\n"
           "sync\n");
    expect("order: a second close does nothing", apmu_session_close(&s), "");
}

static void version_1(void)
{
    const struct apmu_wish wishes[] = {
        {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .filter = APMU_FILTER(U), .wide = true,
         .interrupt = true},
        {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .period = 1},
    };

    check("order: a PMUv3p1 for the model", begin(P1_FEATURES, 4));
    expect("order: a pair is chained, and its upper half counts everywhere",
           apmu_session_open(&s, &traced, &bench.pmu, wishes, 2, NULL),
           "write PMCR_EL0 0x46\n"
           "write PMCNTENCLR_EL0 0x8000000f\n"
           "write PMINTENCLR_EL1 0x8000000f\n"
           "write PMUSERENR_EL0 0x0\n"
           "sync\n"
           "write PMOVSCLR_EL0 0x8000000f\n"
           "sync\n"
           "write PMEVTYPER0_EL0 0x40000008\n"
           "write PMEVTYPER1_EL0 0x800001e\n"
           "write PMEVCNTR1_EL0 0x0\n"
           "write PMEVCNTR0_EL0 0x0\n"
           "write PMEVTYPER2_EL0 0x6\n"
           "write PMEVCNTR2_EL0 0xffffffff\n"
           "write PMINTENSET_EL1 0x2\n");
    expect("order: before PMUv3p9 EL0 reads through ER and CR", apmu_session_allow_user(&s, APMU_USER_READ),
           "sync\n"
           "write PMUSERENR_EL0 0xc\n"
           "sync\n");
    expect("order: start of a pair enables both halves", apmu_session_start(&s),
           "sync\n"
           "write PMCNTENSET_EL0 0x7\n"
           "write PMCR_EL0 0x41\n"
           "sync\n");
    expect("order: a pair that counts is read high, low, high", apmu_session_read(&s, out),
           "sync\n"
           "read PMOVSCLR_EL0 0x0\n"
           "sync\n"
           "read PMEVCNTR1_EL0 0x0\n"
           "sync\n"
           "read PMEVCNTR0_EL0 0x0\n"
           "sync\n"
           "read PMEVCNTR1_EL0 0x0\n"
           "read PMEVCNTR2_EL0 0xffffffff\n"
           "sync\n"
           "read PMOVSCLR_EL0 0x0\n");
    apmu_session_stop(&s);
    order_log.text[0] = '\0';
    bench.model.ovs = 1u << 7 | 1u << 2; /* counter 7 does not belong to the session, and does not exist */
    expect("order: a reading clears only the flags of its own", apmu_session_read(&s, out),
           "sync\n"
           "read PMOVSCLR_EL0 0x4\n"
           "read PMEVCNTR1_EL0 0x0\n"
           "read PMEVCNTR0_EL0 0x0\n"
           "read PMEVCNTR2_EL0 0xffffffff\n"
           "write PMOVSCLR_EL0 0x4\n");
}

int main(void)
{
    version_9_opens();
    version_9_counts();
    version_9_overflows_and_closes();
    version_1();
    return failures != 0;
}
