/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions on the model: what they count, and what they leave behind when an access fails. */
#include "driver.h"

static const struct apmu_wish three[] = {
    {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .filter = APMU_FILTER(P)},
    {.event = APMU_EV_CPU_CYCLES, .counter = APMU_COUNTER_ANY, .dedicated = true, .period = 3},
    {.event = APMU_EV_BR_RETIRED, .counter = APMU_COUNTER_ANY, .interrupt = true},
};
#define THREE (sizeof three / sizeof three[0])

/* Sets registers as firmware may leave them: any writable bit, any counter. */
static void disturb(struct driver_bench *b, uint64_t seed)
{
    for (unsigned reg = 0; reg < APMU_REG_COUNT; reg++) {
        for (unsigned n = 0; n < apmu_reg_info((enum apmu_reg)reg)->copies; n++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            apmu_poke(&b->model, &b->driver_pe, (enum apmu_reg)reg, n, seed ^ seed >> 29, NULL);
        }
    }
}

static bool all_count(const struct driver_bench *b, const struct apmu_session *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!apmu_counts(&b->model, &b->program_pe, s->slots[i].counter)) {
            return false;
        }
    }
    return true;
}

static bool none_counts(const struct driver_bench *b)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if (apmu_counts(&b->model, &b->program_pe, n) || apmu_counts(&b->model, &b->driver_pe, n)) {
            return false;
        }
    }
    return true;
}

/*
 * Checks that from any state of the registers a started session counts, a stopped one does not, and no other counter
 * counts.
 */
static bool starts_from_any_state(uint64_t features)
{
    struct driver_bench b;
    struct apmu_session s;
    struct apmu_reading out[THREE];

    for (uint64_t seed = 1; seed <= 2000; seed++) {
        if (!bench_init(&b, features, 6)) {
            return false;
        }
        disturb(&b, seed);
        if (apmu_session_open(&s, &b.dev, &b.pmu, three, THREE, NULL) != APMU_OK || !none_counts(&b) ||
            apmu_session_start(&s) != APMU_OK || !all_count(&b, &s)) {
            return false;
        }
        apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 7, 1, NULL);
        apmu_event(&b.model, &b.driver_pe, APMU_EV_INST_RETIRED, 7, 1, NULL); /* filtered: P */
        apmu_event(&b.model, &b.program_pe, APMU_EV_BR_RETIRED, 2, 1, NULL);
        apmu_cycles(&b.model, &b.program_pe, 10, NULL);
        if (apmu_session_stop(&s) != APMU_OK || !none_counts(&b) || apmu_session_read(&s, out) != APMU_OK) {
            return false;
        }
        for (size_t i = 0; i < THREE; i++) {
            if (!out[i].valid || out[i].overflowed != (i == 1) || out[i].count != (const uint64_t[]){7, 10, 2}[i]) {
                return false;
            }
        }
        if (apmu_session_close(&s) != APMU_OK || !none_counts(&b) || b.model.ovs != 0 || b.model.userenr != 0 ||
            b.model.inten != 0) {
            return false;
        }
    }
    return true;
}

/* Runs one whole session.  Stops at the first error. */
static enum apmu_error whole_session(struct driver_bench *b, const struct apmu_dev *dev, struct apmu_session *s,
                                     struct apmu_reading *out)
{
    struct apmu_pmu pmu;
    enum apmu_error error = apmu_pmu_discover(dev, NULL, &pmu);

    s->state = APMU_SESSION_CLOSED;
    if (error == APMU_OK) {
        error = apmu_session_open(s, dev, &pmu, three, THREE, NULL);
    }
    if (error == APMU_OK) {
        error = apmu_session_allow_user(s, APMU_USER_READ);
    }
    if (error == APMU_OK) {
        error = apmu_session_start(s);
        if (error != APMU_OK && !none_counts(b)) {
            check("session: a failed start leaves nothing counting", false);
        }
    }
    apmu_cycles(&b->model, &b->program_pe, 10, NULL);
    if (error == APMU_OK) {
        error = apmu_session_stop(s);
    }
    if (error == APMU_OK) {
        error = apmu_session_read(s, out);
    }
    if (error == APMU_OK) {
        error = apmu_session_reset(s);
    }
    return error;
}

/*
 * Makes every access fail once.  Checks that its error is returned, that no reading is invented, and that the next
 * attempt works as if nothing had failed.
 */
static void every_access_fails(void)
{
    struct driver_bench b;
    struct apmu_session s;
    struct apmu_reading out[THREE];
    struct apmu_fault fault = {.error = APMU_E_BACKEND};
    const struct apmu_dev dev = {.ops = &apmu_fault_ops, .ctx = &fault};
    bool reported = true, honest = true, quiet = true, again = true;
    unsigned long accesses = 0;

    for (unsigned long at = 1;; at++) {
        memset(out, 0x5A, sizeof out);
        if (!bench_init(&b, P9_FEATURES | APMU_FEAT(PMUv3_ICNTR), 6)) {
            check("session: a PMU", false);
            return;
        }
        disturb(&b, at);
        fault = (struct apmu_fault){.inner = b.dev, .fail_at = at, .error = APMU_E_ACCESS};
        const enum apmu_error error = whole_session(&b, &dev, &s, out);

        if (fault.calls < at) { /* nothing failed: there are no more accesses */
            accesses = at - 1;
            reported &= error == APMU_OK;
            break;
        }
        reported &= error == APMU_E_ACCESS;
        if (s.state == APMU_SESSION_CLOSED) {
            quiet &= at <= 6 || none_counts(&b); /* 1..6 are the reads of discovery, which changes nothing */
        }
        if (s.state == APMU_SESSION_STOPPED) {
            struct apmu_reading now[THREE];
            const bool read = apmu_session_read(&s, now) == APMU_OK;

            honest &= read && now[1].valid && (now[1].count == 10 || now[1].count == 0) && now[0].count == 0;
        }
        (void)apmu_session_close(&s);
        quiet &= at <= 6 || none_counts(&b);
        fault.fail_at = 0;
        again &= whole_session(&b, &dev, &s, out) == APMU_OK && out[1].count == 10 && out[1].overflowed;
    }
    printf("# %lu accesses in a session\n", accesses);
    check("session: each failing access is reported", reported && accesses > 20);
    check("session: after a failure nothing counts", quiet);
    check("session: after a failure readings are right or invalid", honest);
    check("session: after a failure the next session works", again);
}

/* Checks that a read that fails after the flags were read does not lose the overflow. */
static void failed_read_loses_nothing(void)
{
    struct driver_bench b;
    struct apmu_session s;
    struct apmu_reading out[THREE];
    struct apmu_fault fault;
    const struct apmu_dev dev = {.ops = &apmu_fault_ops, .ctx = &fault};
    bool ok = true;

    for (unsigned long at = 1; at <= 5; at++) {
        bench_init(&b, P9_FEATURES, 6);
        fault = (struct apmu_fault){.inner = b.dev, .error = APMU_E_BACKEND};
        ok &= apmu_session_open(&s, &dev, &b.pmu, three, THREE, NULL) == APMU_OK;
        ok &= apmu_session_start(&s) == APMU_OK;
        apmu_cycles(&b.model, &b.program_pe, 5, NULL);
        ok &= apmu_session_stop(&s) == APMU_OK;
        fault.fail_at = fault.calls + at;
        ok &= apmu_session_read(&s, out) == APMU_E_BACKEND && !out[0].valid && !out[1].valid && out[1].count == 0;
        ok &= apmu_session_read(&s, out) == APMU_OK && out[1].overflowed && out[1].count == 5;
    }
    check("session: a failed read loses no overflow", ok);
}

/* Checks that overflows extend the count of a 32-bit counter, and that a chained pair counts 64 bits by itself. */
static void narrow_counters(void)
{
    const struct apmu_wish wishes[] = {
        {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY},
        {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .wide = true, .interrupt = true},
        {.event = APMU_EV_CPU_CYCLES, .counter = APMU_COUNTER_ANY, .wide = true, .dedicated = true},
        {.event = APMU_EV_BR_RETIRED, .counter = APMU_COUNTER_ANY, .period = 100},
    };
    const uint64_t many = UINT64_C(0x3FFFFFFFF);
    struct driver_bench b;
    struct apmu_session s;
    struct apmu_reading out[4];
    uint64_t loads = 0;
    bool ok = bench_init(&b, P1_FEATURES, 4);

    ok &= apmu_session_open(&s, &b.dev, &b.pmu, wishes, 4, NULL) == APMU_OK;
    check("session: 32-bit counters, one pair, and the cycle counter",
          ok && s.slots[0].bits == 32 && s.slots[1].pair && s.slots[1].bits == 64 && s.slots[2].counter == APMU_CYCLE &&
              s.slots[3].initial == UINT32_MAX - 99);
    ok &= apmu_session_start(&s) == APMU_OK;
    for (unsigned i = 0; i < 5; i++) { /* read while it runs, at least once in 2^32 events */
        apmu_event(&b.model, &b.program_pe, APMU_EV_LD_RETIRED, UINT64_C(0xF0000000), 1, NULL);
        loads += UINT64_C(0xF0000000);
        ok &= apmu_session_read(&s, out) == APMU_OK && out[0].count == loads;
    }
    check("session: overflows extend a 32-bit counter", ok && loads > UINT64_C(4) << 32);
    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, many, 1, NULL);
    apmu_event(&b.model, &b.program_pe, APMU_EV_BR_RETIRED, 101, 1, NULL);
    apmu_cycles(&b.model, &b.program_pe, many, NULL);
    ok = apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK;
    check("session: a pair and the cycle counter count 64 bits",
          ok && out[1].count == many && !out[1].overflowed && out[2].count == many);
    check("session: a period of 100 overflows once in 101 events", out[3].overflowed && out[3].count == 101);
    ok = apmu_session_reset(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK;
    check("session: reset", ok && out[0].count == 0 && out[1].count == 0 && out[3].count == 0 && out[3].raw != 0);
}

/* A back end in which an event, which makes a counter overflow, occurs before the read with number overflow_at. */
static struct {
    struct driver_bench bench;
    unsigned long reads, overflow_at;
} racing;

static enum apmu_error racing_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    if (++racing.reads == racing.overflow_at) {
        apmu_event(&racing.bench.model, &racing.bench.program_pe, APMU_EV_LD_RETIRED, 1, 1, NULL);
    }
    return apmu_model_ops.read(ctx, reg, n, value);
}

/* Reads from a back end whose 32-bit counters have UNKNOWN upper bits. */
static enum apmu_error dirty_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    const enum apmu_error error = apmu_model_ops.read(ctx, reg, n, value);

    *value |= reg == APMU_REG_PMEVCNTR_EL0 ? UINT64_C(0xDEADBEEF) << 32 : 0;
    return error;
}

static void overflow_during_a_read(void)
{
    const struct apmu_wish wish = {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY};
    bool ok = true;

    for (unsigned pass = 0; pass < 2; pass++) {
        const struct apmu_wish pair = {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .wide = true};

        for (unsigned long at = 1; at <= 6; at++) {
            struct driver_bench *b = &racing.bench;
            struct apmu_reg_ops ops = apmu_model_ops;
            struct apmu_session s;
            struct apmu_reading out;

            ok &= bench_init(b, P1_FEATURES, 4);
            ops.read = racing_read;
            b->dev.ops = &ops;
            ok &= apmu_session_open(&s, &b->dev, &b->pmu, pass == 0 ? &wish : &pair, 1, NULL) == APMU_OK;
            ok &= apmu_session_start(&s) == APMU_OK;
            apmu_event(&b->model, &b->program_pe, APMU_EV_LD_RETIRED, UINT32_MAX, 1, NULL);
            racing.reads = 0;
            racing.overflow_at = at;
            ok &= apmu_session_read(&s, &out) == APMU_OK;
            ok &= out.count == UINT32_MAX || out.count == UINT64_C(1) << 32;
            racing.overflow_at = 0;
            const bool late = racing.reads < at;
            ok &= apmu_session_read(&s, &out) == APMU_OK && out.count == UINT32_MAX + (late ? 0 : UINT64_C(1));
        }
    }
    check("session: an overflow during a read is counted once", ok);
}

/* Checks that close continues when an access fails, and that the upper half of a 32-bit counter is ignored. */
static void close_and_width(void)
{
    const struct apmu_wish wish = {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY};
    struct driver_bench *b = &racing.bench;
    struct apmu_fault fault;
    const struct apmu_dev dev = {.ops = &apmu_fault_ops, .ctx = &fault};
    struct apmu_reg_ops ops = apmu_model_ops;
    struct apmu_session s;
    struct apmu_reading out;
    bool ok = true;

    for (unsigned long at = 1; at <= 2; at++) {
        ok &= bench_init(b, P9_FEATURES, 6);
        fault = (struct apmu_fault){.inner = b->dev, .error = APMU_E_BACKEND};
        ok &= apmu_session_open(&s, &dev, &b->pmu, three, THREE, NULL) == APMU_OK;
        ok &= apmu_session_start(&s) == APMU_OK;
        fault.fail_at = fault.calls + at;
        ok &= apmu_session_close(&s) == APMU_E_BACKEND && none_counts(b) && b->model.inten == 0;
    }
    check("session: close continues after a failure", ok);

    ok = bench_init(b, P1_FEATURES, 4);
    ops.read = dirty_read;
    b->dev.ops = &ops;
    ok &= apmu_session_open(&s, &b->dev, &b->pmu, &wish, 1, NULL) == APMU_OK && apmu_session_start(&s) == APMU_OK;
    apmu_event(&b->model, &b->program_pe, APMU_EV_LD_RETIRED, 5, 1, NULL);
    ok &= apmu_session_read(&s, &out) == APMU_OK && out.count == 5 && out.raw == 5;
    check("session: the upper half of a 32-bit counter is ignored", ok);
}

static void states(void)
{
    struct driver_bench b;
    struct apmu_session s = {0};
    struct apmu_reading out[THREE];
    bool ok = bench_init(&b, P9_FEATURES, 6);

    ok &= apmu_session_start(&s) == APMU_E_STATE && apmu_session_stop(&s) == APMU_E_STATE;
    ok &= apmu_session_read(&s, out) == APMU_E_STATE && apmu_session_reset(&s) == APMU_E_STATE;
    ok &= apmu_session_allow_user(&s, APMU_USER_FULL) == APMU_E_STATE && apmu_session_close(&s) == APMU_OK;
    ok &= apmu_session_open(&s, &b.dev, &b.pmu, three, THREE, NULL) == APMU_OK;
    ok &= apmu_session_stop(&s) == APMU_E_STATE && apmu_session_start(&s) == APMU_OK;
    ok &= apmu_session_start(&s) == APMU_E_STATE && apmu_session_reset(&s) == APMU_E_STATE;
    ok &= apmu_session_close(&s) == APMU_OK && none_counts(&b);
    check("session: calls out of order are refused", ok);
    bench_init(&b, P9_FEATURES, 6);
    const struct apmu_ids none = {0}, other = {.id_aa64dfr0_el1 = 0xF00}, given = {.id_aa64dfr0_el1 = 0x600};
    ok = apmu_pmu_discover(&b.dev, &none, &b.pmu) == APMU_E_NO_PMU;
    ok &= apmu_pmu_discover(&b.dev, &other, &b.pmu) == APMU_E_NO_PMU;
    ok &= apmu_pmu_discover(&b.dev, &given, &b.pmu) == APMU_OK && b.pmu.version == 6 && b.pmu.counters == 6;
    check("session: no PMU, another PMU, and ID registers that the caller gives", ok);
}

/* Refuses every read of a register that discovery does without if the caller gives what the ID registers hold. */
static enum apmu_error read_sparse(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    return reg == APMU_REG_PMCR_EL0 ? apmu_model_ops.read(ctx, reg, n, value) : APMU_E_NO_REGISTER;
}

/* Checks that discovery reads no register of which the caller gives the value. */
static void given_registers(void)
{
    struct apmu_reg_ops sparse = apmu_model_ops;
    struct apmu_ids ids = {.id_aa64dfr0_el1 = 0x600, .pmceid = {UINT64_C(0x100), UINT64_C(2)}};
    struct driver_bench b;
    bool ok = bench_init(&b, P9_FEATURES, 6);

    sparse.read = read_sparse;
    b.dev.ops = &sparse;
    ok &= apmu_pmu_discover(&b.dev, &ids, &b.pmu) == APMU_E_NO_REGISTER && b.refused.reg == APMU_REG_PMCEID0_EL0;
    ids.pmceid_source = APMU_PMCEID_GIVEN;
    ok &= apmu_pmu_discover(&b.dev, &ids, &b.pmu) == APMU_OK && b.pmu.counters == 6;
    check("session: PMCEID<n> that the caller gives", ok && b.pmu.pmceid[0] == 0x100 && b.pmu.pmceid[1] == 2);
    ids.pmceid_source = APMU_PMCEID_UNKNOWN;
    ok = apmu_pmu_discover(&b.dev, &ids, &b.pmu) == APMU_OK;
    ok &= apmu_event_announced(b.pmu.pmceid, APMU_EV_BR_RETIRED) && apmu_event_announced(b.pmu.pmceid, APMU_EV_CHAIN);
    check("session: PMCEID<n> unknown: every event may be there", ok);
}

/* Checks that the model's back end refuses the accesses that a PE would not perform by MRS and MSR. */
static void backend(void)
{
    struct driver_bench b;
    uint64_t value;
    bool ok = bench_init(&b, P1_FEATURES, 4);

    ok &= b.dev.ops->read(b.dev.ctx, APMU_REG_PMUACR_EL1, 0, &value) == APMU_E_NO_REGISTER;
    ok &= b.dev.ops->write(b.dev.ctx, APMU_REG_PMZR_EL0, 0, 1) == APMU_E_NO_REGISTER;
    ok &= b.dev.ops->read(b.dev.ctx, APMU_REG_PMEVCNTR_EL0, 4, &value) == APMU_E_NO_REGISTER;
    ok &= b.dev.ops->read(b.dev.ctx, APMU_REG_PMSWINC_EL0, 0, &value) == APMU_E_NO_REGISTER;
    ok &= b.dev.ops->write(b.dev.ctx, APMU_REG_PMCEID0_EL0, 0, 1) == APMU_E_NO_REGISTER;
    ok &= b.dev.ops->read(b.dev.ctx, APMU_REG_MDCR_EL2, 0, &value) == APMU_E_NO_REGISTER;
    b.driver_pe.el = 0;
    b.model.userenr = 0;
    ok &= b.dev.ops->read(b.dev.ctx, APMU_REG_PMCR_EL0, 0, &value) == APMU_E_ACCESS;
    ok &= b.dev.ops->write(b.dev.ctx, APMU_REG_PMCCNTR_EL0, 0, 1) == APMU_E_ACCESS;
    check("session: the model refuses registers it lacks and accesses it traps", ok);
}

int main(void)
{
    check("session: from any state, PMUv3p1", starts_from_any_state(P1_FEATURES));
    check("session: from any state, PMUv3p9", starts_from_any_state(P9_FEATURES));
    check("session: from any state, with an instruction counter",
          starts_from_any_state(P9_FEATURES | APMU_FEAT(PMUv3_ICNTR)));
    every_access_fails();
    failed_read_loses_nothing();
    narrow_counters();
    overflow_during_a_read();
    close_and_width();
    states();
    given_registers();
    backend();
    return failures != 0;
}
