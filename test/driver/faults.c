/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes every access of every call fail, one at a time.  The error is returned, and the register that refused is named.
 * The PMU is then stopped or unchanged, or the session that was running still counts.
 */
#include "driver.h"

static struct driver_bench b;
static struct apmu_fault fault;
static struct apmu_refused_access refused, failed; /* the access that the driver names, and the one that failed */
static struct apmu_reg_ops ops;
static const struct apmu_dev dev = {.ops = &ops, .ctx = &fault, .refused = &refused};
static struct apmu_session s;
static struct apmu_pmu_saved saved;
static struct apmu_pmu pmu;
static struct apmu_slot slots[4];
static struct apmu_reading out[4];
static uint64_t now;

/* Stores the access in `failed` if it is the one that fails.  Returns @error. */
static enum apmu_error note(enum apmu_error error, enum apmu_reg reg, unsigned n, bool write)
{
    if (fault.calls == fault.fail_at) {
        failed = (struct apmu_refused_access){.error = error, .reg = reg, .n = (uint8_t)n, .write = write};
    }
    return error;
}

static enum apmu_error noting_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    return note(apmu_fault_ops.read(ctx, reg, n, value), reg, n, false);
}

static enum apmu_error noting_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    const enum apmu_error error = apmu_fault_ops.write(ctx, reg, n, value);

    return note(error, reg, n, true);
}

static uint64_t ticks(void *ctx)
{
    (void)ctx;
    return now += 10;
}

static const struct apmu_sharing sharing = {.slots = slots, .clock = ticks};

static const struct apmu_wish wishes[] = {
    {.event = APMU_EV_LD_RETIRED, .counter = 0, .interrupt = true, .period = 5},
    {.event = APMU_EV_INST_RETIRED, .counter = 1},
    {.event = APMU_EV_BR_RETIRED, .counter = 0},
};

/* The calls under test. */
static enum apmu_error call_discover(void)
{
    return apmu_pmu_discover(&dev, NULL, &pmu);
}

static enum apmu_error call_reset(void)
{
    return apmu_pmu_reset(&dev, &b.pmu);
}

static enum apmu_error call_open(void)
{
    return apmu_session_open(&s, &dev, &b.pmu, wishes, 2, NULL);
}

static enum apmu_error call_user(void)
{
    return apmu_session_allow_user(&s, APMU_USER_READ);
}

static enum apmu_error call_start(void)
{
    return apmu_session_start(&s);
}

static enum apmu_error call_stop(void)
{
    return apmu_session_stop(&s);
}

static enum apmu_error call_read(void)
{
    return apmu_session_read(&s, out);
}

static enum apmu_error call_snapshot(void)
{
    return apmu_session_snapshot(&s, out);
}

static enum apmu_error call_interrupt(void)
{
    return apmu_session_interrupt(&s, 0, NULL);
}

static enum apmu_error call_rotate(void)
{
    return apmu_session_rotate(&s, 0);
}

static enum apmu_error call_session_reset(void)
{
    return apmu_session_reset(&s);
}

static enum apmu_error call_close(void)
{
    return apmu_session_close(&s);
}

static enum apmu_error call_save(void)
{
    return apmu_pmu_save(&dev, &b.pmu, &saved);
}

static enum apmu_error call_restore(void)
{
    return apmu_pmu_restore(&dev, &b.pmu, &saved);
}

/* What there is before the call: no session; one that is stopped or runs; or saved registers. */
enum before { NOTHING, STOPPED, RUNNING, SAVED };

/* The state after a failure: unchanged; stopped; or either. */
enum after { AS_IT_WAS, STANDS_STILL, EITHER };

static const struct {
    const char *name;
    enum before before;
    enum after after;
    enum apmu_error (*call)(void);
    unsigned accesses; /* the call makes at least this many */
} calls[] = {
    {"apmu_pmu_discover", NOTHING, AS_IT_WAS, call_discover, 6},
    {"apmu_pmu_reset", NOTHING, EITHER, call_reset, 7},
    {"apmu_session_open", NOTHING, STANDS_STILL, call_open, 12},
    {"apmu_session_allow_user", STOPPED, STANDS_STILL, call_user, 2},
    {"apmu_session_start", STOPPED, STANDS_STILL, call_start, 2},
    {"apmu_session_stop", RUNNING, EITHER, call_stop, 1},
    {"apmu_session_read", RUNNING, EITHER, call_read, 4},
    {"apmu_session_snapshot", RUNNING, EITHER, call_snapshot, 4},
    {"apmu_session_interrupt", RUNNING, EITHER, call_interrupt, 6},
    {"apmu_session_rotate", RUNNING, STANDS_STILL, call_rotate, 10},
    {"apmu_session_reset", STOPPED, STANDS_STILL, call_session_reset, 2},
    {"apmu_session_close", RUNNING, EITHER, call_close, 5},
    {"apmu_pmu_save", RUNNING, EITHER, call_save, 15},
    {"apmu_pmu_restore", SAVED, STANDS_STILL, call_restore, 15},
};

/* Sets registers as firmware may leave them: any writable bit, any counter. */
static void disturb(uint64_t seed)
{
    for (unsigned reg = 0; reg < APMU_REG_COUNT; reg++) {
        for (unsigned n = 0; n < apmu_reg_info((enum apmu_reg)reg)->copies; n++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            apmu_poke(&b.model, &b.driver_pe, (enum apmu_reg)reg, n, seed ^ seed >> 29, NULL);
        }
    }
}

/* Returns the set of counters that count, for the driver or the program. */
static uint64_t counting(void)
{
    uint64_t set = 0;

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        set |= (uint64_t)(apmu_counts(&b.model, &b.program_pe, n) || apmu_counts(&b.model, &b.driver_pe, n)) << n;
    }
    return set;
}

/* Makes a PMU in an arbitrary state, and what there is before the call. */
static bool prepare(enum before before, unsigned long seed)
{
    bool ok = bench_init(&b, P9_FEATURES | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_SS) | APMU_FEAT(EBEP), 4);

    now = 0;
    disturb(seed);
    fault = (struct apmu_fault){.inner = b.dev, .error = APMU_E_ACCESS};
    fault.inner.refused = NULL;
    if (before != NOTHING) {
        ok &= apmu_session_open_shared(&s, &dev, &b.pmu, wishes, 3, &sharing, NULL) == APMU_OK;
    }
    if (before == RUNNING || before == SAVED) {
        ok &= apmu_session_start(&s) == APMU_OK;
        apmu_event(&b.model, &b.program_pe, APMU_EV_LD_RETIRED, 7, 1, NULL);
        apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 9, 1, NULL);
    }
    if (before == SAVED) {
        ok &= apmu_pmu_save(&dev, &b.pmu, &saved) == APMU_OK;
        disturb(seed + 1);
    }
    refused = (struct apmu_refused_access){0};
    return ok;
}

/* Makes each access of call @i fail, one after the other, until the call makes no more. */
static void every_access(size_t i)
{
    char name[64];
    bool ok = true;
    unsigned long at;

    for (at = 1; ok; at++) {
        ok = prepare(calls[i].before, at);
        const struct apmu before = b.model;
        const uint64_t counted = counting();

        fault.fail_at = fault.calls + at;
        const enum apmu_error error = calls[i].call();

        if (fault.calls < fault.fail_at) {
            ok &= error == APMU_OK && refused.error == APMU_OK;
            break;
        }
        ok &= error == APMU_E_ACCESS && refused.error == APMU_E_ACCESS && refused.reg == failed.reg &&
              refused.n == failed.n && refused.write == failed.write;
        ok &= (calls[i].after == EITHER && (counting() == 0 || counting() == counted)) ||
              (calls[i].after == STANDS_STILL && counting() == 0) ||
              (calls[i].after == AS_IT_WAS && memcmp(&before, &b.model, sizeof before) == 0);
        /* A session that still runs, or was stopped, has lost nothing. */
        if (calls[i].before == RUNNING && s.state != APMU_SESSION_CLOSED) {
            const enum apmu_error again = apmu_session_read(&s, out);

            ok &= again == APMU_OK && out[0].valid && (s.state == APMU_SESSION_RUNNING) == (counting() != 0);
            if (calls[i].call != call_rotate) { /* a rotation adds time without a turn; shared.c checks its counts */
                ok &= out[0].raw == b.model.cntr[0] && out[1].count == 9 && out[0].count == 7;
            }
        }
        if (!ok) {
            char reg[24];

            printf("# %lu of %s: %s, named %s %s, failed %s, counting 0x%llx\n", at, calls[i].name,
                   apmu_error_text(error), refused.write ? "write" : "read", apmu_reg_name(refused.reg, refused.n, reg),
                   apmu_reg_info(failed.reg)->name, (unsigned long long)counting());
        }
    }
    snprintf(name, sizeof name, "faults: each access of %s", calls[i].name);
    check(name, ok && at > calls[i].accesses);
}

int main(void)
{
    ops = apmu_fault_ops;
    ops.read = noting_read;
    ops.write = noting_write;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        every_access(i);
    }
    return failures != 0;
}
