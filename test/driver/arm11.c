/* SPDX-License-Identifier: BSD-2-Clause */
/* The ARM11 driver on the model, on each part and with each reading of what the Application Note leaves open. */
#include "../lib/arm11_watch.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Application Note 195, section 1: count to 1000 and interrupt.
 */

static void a_preset_count_interrupts(void)
{
    static const struct apmu_wish wishes[] = {
        {.event = BR, .counter = ANY, .interrupt = true, .period = 1000},
        {.event = MISS, .counter = ANY},
        {.event = CYCLES, .counter = ANY, .dedicated = true},
    };

    for (unsigned i = 0; i < IMPLEMENTATIONS; i++) {
        implementation(i);
        open_and_start(wishes, 3);
        MUST_EQ(unit.count[APMU_ARM11_PMN0], UINT32_MAX - 999, "PMN0 is preset to 2^32 - 1000");
        event(BR, 999);
        MUST(!apmu_arm11_irq(&unit), "an interrupt after 999 of 1000");
        event(MISS, 7);
        cycles(12345);
        event(BR, 1);
        MUST(apmu_arm11_irq(&unit) && !apmu_arm11_fiq(&unit), "no interrupt after 1000");
        event(BR, 5);
        /* The interrupt handler, while the unit counts. */
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST(!apmu_arm11_irq(&unit), "implementation %u: the interrupt is still asserted", i);
        MUST_EQ(out[0].count, 1005, "branches");
        MUST_EQ(out[0].raw, 5, "PMN0 continued from zero");
        MUST_EQ(out[1].count, 7, "mispredictions");
        MUST_EQ(out[2].count, 12345, "cycles");
        MUST(out[0].overflowed && !out[1].overflowed && !out[2].overflowed, "which counters overflowed");
        event(BR, 1);
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST_EQ(out[0].count, 1006, "branches");
        MUST(!out[0].overflowed, "it did not overflow again");
        MUST_GIVE(apmu_session_close(&session), APMU_OK, "close");
        MUST(!watch.bad_clear, "a flag was written as 1 while E was 0");
    }
}

/*
 * In a stopped unit E is 0, so a flag cannot be cleared directly.  Checks that the driver clears it nevertheless, and
 * that the counters keep their values.
 */
static void flags_are_cleared_of_a_stopped_unit(void)
{
    static const struct apmu_wish wishes[] = {
        {.event = BR, .counter = 1, .interrupt = true, .period = 10},
        {.event = CYCLES, .counter = APMU_CYCLE, .interrupt = true, .period = 100},
    };

    for (unsigned i = 0; i < IMPLEMENTATIONS; i++) {
        implementation(i);
        open_and_start(wishes, 2);
        event(BR, 12);
        cycles(130);
        MUST_GIVE(apmu_session_stop(&session), APMU_OK, "stop");
        MUST_EQ(unit.pmnc & FLAGS, APMU_MASK(PMNC, OCC) | APMU_MASK(PMNC, OC1), "flags after stop");
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST_EQ(unit.pmnc & FLAGS, 0, "implementation %u: flags after read", i);
        MUST(stands_still() && !apmu_arm11_irq(&unit), "it is stopped, without an interrupt");
        MUST_EQ(unit.count[APMU_ARM11_PMN1], 2, "PMN1");
        MUST_EQ(unit.count[APMU_ARM11_CCNT], 30, "CCNT");
        MUST_EQ(out[0].count, 12, "branches");
        MUST_EQ(out[1].count, 130, "cycles");
        MUST(out[0].overflowed && out[1].overflowed, "both overflowed");
        MUST_GIVE(apmu_session_start(&session), APMU_OK, "start");
        event(BR, 3);
        MUST_GIVE(apmu_session_stop(&session), APMU_OK, "stop");
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST_EQ(out[0].count, 15, "branches of both runs");
        MUST(!out[0].overflowed, "no new overflow");
        MUST_GIVE(apmu_session_reset(&session), APMU_OK, "reset");
        MUST_EQ(unit.count[APMU_ARM11_PMN1], UINT32_MAX - 9, "PMN1 after reset");
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST_EQ(out[0].count + out[1].count, 0, "after reset");
        MUST_GIVE(apmu_session_close(&session), APMU_OK, "close");
        MUST(stands_still() && (unit.pmnc & FLAGS) == 0 && !watch.bad_clear, "close");
    }
}

/*
 * Lets events continue while the driver enables the unit to clear a flag.  Checks that no counter overflows then, and
 * that no such event is counted.
 */
static void clearing_disturbs_no_counter(void)
{
    static const struct apmu_wish wishes[] = {
        {.event = BR, .counter = 0, .period = 10},
        {.event = MISS, .counter = 1, .interrupt = true, .period = 2},
    };

    for (unsigned i = 0; i < IMPLEMENTATIONS; i++) {
        implementation(i);
        open_and_start(wishes, 2);
        event(BR, 10);
        event(MISS, 1);
        MUST_GIVE(apmu_session_stop(&session), APMU_OK, "stop");
        watch.busy = true;
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        watch.busy = false;
        MUST_EQ(unit.pmnc & FLAGS, 0, "flags");
        MUST_EQ(unit.count[APMU_ARM11_PMN1], UINT32_MAX, "PMN1");
        MUST_EQ(out[1].count, 1, "mispredictions");
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST(out[0].count == 10 && out[1].count == 1 && !out[0].overflowed && !out[1].overflowed, "the next reading");
    }
}

/* Checks that flags from before the session assert no interrupt when the session enables the interrupts. */
static void opening_asserts_nothing(void)
{
    static const struct apmu_wish wishes[] = {{.event = BR, .counter = 0, .interrupt = true}};

    for (unsigned i = 0; i < IMPLEMENTATIONS; i++) {
        implementation(i);
        unit.pmnc |= FLAGS;
        watch.asserted = false;
        driver.fiq = driver.part == APMU_ARM1156;
        MUST_GIVE(apmu_arm11_session_open(&session, &driver, wishes, 1, NULL), APMU_OK, "open");
        MUST(!watch.asserted, "implementation %u: an interrupt while opening", i);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * A driver that reads PMNC and writes it back clears the flags of overflows that it has not counted (defects.h).
 */

static const struct apmu_wish two[] = {
    {.event = BR, .counter = 0, .interrupt = true, .period = 4},
    {.event = MISS, .counter = 1, .interrupt = true, .period = 4},
};

static void our_stop_and_start(void)
{
    MUST_GIVE(apmu_session_stop(&session), APMU_OK, "stop");
    MUST_GIVE(apmu_session_start(&session), APMU_OK, "start");
}

static void peer_stop_and_start(uint32_t kept)
{
    uint32_t pmnc = 0;

    MUST_GIVE(watch_ops.read(&watch, APMU_ARM11_REG_PMNC, &pmnc), APMU_OK, "read");
    MUST_GIVE(watch_ops.write(&watch, APMU_ARM11_REG_PMNC, pmnc & kept & ~ENABLE), APMU_OK, "stop");
    MUST_GIVE(watch_ops.read(&watch, APMU_ARM11_REG_PMNC, &pmnc), APMU_OK, "read");
    MUST_GIVE(watch_ops.write(&watch, APMU_ARM11_REG_PMNC, (pmnc & kept) | ENABLE), APMU_OK, "start");
}

static void peer_that_masks_flags(void)
{
    peer_stop_and_start(~(FLAGS | (uint32_t)APMU_MASK(PMNC, C) | (uint32_t)APMU_MASK(PMNC, P)));
}

static void peer_with_the_defect(void)
{
    peer_stop_and_start(~((uint32_t)APMU_MASK(PMNC, C) | (uint32_t)APMU_MASK(PMNC, P)));
}

/* Returns whether overflows before and after a stop and a start are all reported, in each implementation. */
static bool overflows_survive(void (*stop_and_start)(void))
{
    bool survive = true;

    for (unsigned i = 0; i < IMPLEMENTATIONS; i++) {
        implementation(i);
        open_and_start(two, 2);
        event(BR, 4);
        stop_and_start();
        event(MISS, 4);
        stop_and_start();
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        survive &= out[0].overflowed && out[1].overflowed && out[0].count == 4 && out[1].count == 4;
    }
    return survive;
}

static void defect_14(void)
{
    MUST(overflows_survive(our_stop_and_start), "our driver has the defect");
    MUST(overflows_survive(peer_that_masks_flags), "a driver without it fails");
    MUST(!overflows_survive(peer_with_the_defect), "the defect is not found");
}

static void start_and_stop_write_no_flag(void)
{
    implementation(0);
    open_and_start(two, 2);
    watch.cleared = false;
    event(BR, 4);
    our_stop_and_start();
    MUST(!watch.cleared, "a flag was written as 1");
}

static unsigned rises_before_read; /* PMN0 overflows before the read with this number */

static void overflow_now(enum apmu_arm11_reg reg)
{
    (void)reg;
    if (rises_before_read-- == 0) {
        event(BR, 1);
    }
}

/* Checks that an overflow at any moment of a reading is in that reading, with its count, or in the next one. */
static void an_overflow_during_a_reading_is_counted_once(void)
{
    static const struct apmu_wish wishes[] = {{.event = BR, .counter = 0, .period = 2}};

    for (unsigned when = 0; when < 8; when++) {
        implementation(when);
        open_and_start(wishes, 1);
        event(BR, 1);
        rises_before_read = when;
        watch.before = overflow_now;
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        watch.before = NULL;
        MUST(out[0].count == 1 || out[0].count == 2, "before read %u: %llu", when, (unsigned long long)out[0].count);
        MUST(out[0].overflowed == (out[0].count == 2), "before read %u: flag and count do not agree", when);
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST_EQ(out[0].count, when < 5 ? 2 : 1, "before read %u, the next reading", when);
    }
}

static void counts_are_extended_to_64_bits(void)
{
    static const struct apmu_wish wishes[] = {
        {.event = BR, .counter = ANY, .period = 3},
        {.event = MISS, .counter = ANY},
    };

    implementation(2);
    open_and_start(wishes, 2);
    for (unsigned i = 0; i < 9; i++) {
        event(BR, UINT32_MAX);
        event(MISS, UINT64_C(0x80000000));
        if (i % 2 == 0) {
            MUST_GIVE(apmu_session_stop(&session), APMU_OK, "stop");
        }
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST_EQ(out[0].count, (uint64_t)(i + 1) * UINT32_MAX, "branches, round %u", i);
        MUST_EQ(out[1].count, (uint64_t)(i + 1) << 31, "mispredictions, round %u", i);
        if (i % 2 == 0) {
            MUST_GIVE(apmu_session_start(&session), APMU_OK, "start");
        }
    }
}

static void the_divider(void)
{
    static const struct apmu_wish ccnt[] = {{.event = CYCLES, .counter = APMU_CYCLE, .interrupt = true, .period = 640}};
    static const struct apmu_wish pmn[] = {{.event = CYCLES, .counter = 0, .period = 5}};
    struct apmu_wish bad = ccnt[0];
    size_t refused;

    for (unsigned i = 0; i < 3; i++) {
        implementation(i);
        driver.divide = true;
        open_and_start(ccnt, 1);
        unit.divider = 0; /* software cannot set its phase */
        cycles(639);
        MUST(!apmu_arm11_irq(&unit), "an interrupt after 639 of 640 cycles");
        cycles(1);
        MUST(apmu_arm11_irq(&unit), "no interrupt after 640");
        cycles(130);
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST_EQ(out[0].count, 640 + 128, "cycles");
        MUST_EQ(out[0].raw, 2, "CCNT");
        MUST_GIVE(apmu_session_close(&session), APMU_OK, "close");
        open_and_start(pmn, 1);
        cycles(7);
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST_EQ(out[0].count, 7, "the divider affects CCNT only");
        MUST_GIVE(apmu_session_close(&session), APMU_OK, "close");
        bad.period = 641;
        MUST_GIVE(apmu_arm11_session_open(&session, &driver, &bad, 1, &refused), APMU_E_ARM11_PERIOD, "641");
        bad.period = (UINT64_C(1) << 38) + 64;
        MUST_GIVE(apmu_arm11_session_open(&session, &driver, &bad, 1, &refused), APMU_E_PERIOD, "more than 2^38");
        bad.period = UINT64_C(1) << 38;
        MUST_GIVE(apmu_arm11_session_open(&session, &driver, &bad, 1, &refused), APMU_OK, "2^38");
    }
}

static void fiq_is_of_the_1156(void)
{
    static const struct apmu_wish wishes[] = {{.event = BR, .counter = 1, .interrupt = true, .period = 2}};
    size_t refused;

    for (unsigned i = 0; i < IMPLEMENTATIONS; i++) {
        implementation(i);
        driver.fiq = driver.exports = true;
        if (driver.part != APMU_ARM1156) {
            MUST_GIVE(apmu_arm11_session_open(&session, &driver, wishes, 1, &refused), APMU_E_UNSUPPORTED,
                      "FIQ elsewhere");
            MUST_EQ(refused, 1, "no single wish is refused");
            continue;
        }
        open_and_start(wishes, 1);
        event(BR, 2);
        MUST(apmu_arm11_fiq(&unit) && !apmu_arm11_irq(&unit), "nPMUFIQ alone");
        MUST(APMU_GET(PMNC, X, unit.pmnc) != 0, "PMNC.X");
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST(!apmu_arm11_fiq(&unit), "nPMUFIQ is still asserted");
        MUST_GIVE(apmu_session_close(&session), APMU_OK, "close");
        MUST(APMU_GET(PMNC, X, unit.pmnc) == 0, "PMNC.X after close");
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The plan, and refusals.
 */

static void wishes_get_counters_or_a_reason(void)
{
    static const struct {
        struct apmu_wish wishes[4];
        size_t count, refused;
        enum apmu_error error;
        uint8_t counters[3];
    } cases[] = {
        {{{.event = BR, .counter = ANY}, {.event = MISS, .counter = 0}}, 2, 2, APMU_OK, {1, 0}},
        {{{.event = CYCLES, .counter = ANY}, {.event = CYCLES, .counter = ANY, .dedicated = true}}, 2, 2, APMU_OK,
         {0, APMU_CYCLE}},
        {{{.event = CYCLES, .counter = ANY, .dedicated = true}, {.event = CYCLES, .counter = APMU_CYCLE}}, 2, 2,
         APMU_OK, {0, APMU_CYCLE}},
        {{{.event = BR, .counter = ANY}, {.event = BR, .counter = ANY}, {.event = BR, .counter = ANY}}, 3, 2,
         APMU_E_NO_COUNTER, {0}},
        {{{.event = CYCLES, .counter = ANY}, {.event = BR, .counter = ANY}, {.event = MISS, .counter = ANY},
          {.event = CYCLES, .counter = ANY}}, 4, 3, APMU_E_NO_COUNTER, {0}},
        {{{.event = BR, .counter = 1}, {.event = MISS, .counter = 1}}, 2, 1, APMU_E_COUNTER_TAKEN, {0}},
        {{{.event = BR, .counter = APMU_CYCLE}}, 1, 0, APMU_E_COUNTER_EVENT, {0}},
        {{{.event = BR, .counter = 2}}, 1, 0, APMU_E_NO_SUCH_COUNTER, {0}},
        {{{.event = BR, .counter = APMU_INSTR}}, 1, 0, APMU_E_NO_SUCH_COUNTER, {0}},
        {{{.event = BR, .counter = ANY}, {.event = 0x08, .counter = ANY}}, 2, 1, APMU_E_ARM11_EVENT, {0}},
        {{{.event = 0x08, .counter = ANY, .unlisted = true}}, 1, 1, APMU_OK, {0}},
        {{{.event = 0x105, .counter = ANY, .unlisted = true}}, 1, 0, APMU_E_ARM11_EVENT, {0}},
        {{{.event = APMU_ARM11_EV_ITCM_ERROR, .counter = ANY}}, 1, 0, APMU_E_ARM11_EVENT, {0}}, /* ARM1156 only */
        {{{.event = APMU_ARM11_EV_PROC_CALL_EXEC, .counter = ANY}}, 1, 1, APMU_OK, {0}},        /* ARM1176 only */
        {{{.event = BR, .counter = ANY, .filter = APMU_FILTER(P)}}, 1, 0, APMU_E_UNSUPPORTED, {0}},
        {{{.event = BR, .counter = ANY, .wide = true}}, 1, 0, APMU_E_UNSUPPORTED, {0}},
        {{{.event = BR, .counter = ANY, .threshold = 1}}, 1, 0, APMU_E_THRESHOLD, {0}},
        {{{.event = BR, .counter = ANY, .period = (UINT64_C(1) << 32) + 1}}, 1, 0, APMU_E_PERIOD, {0}},
        {{{.event = BR, .counter = ANY, .period = UINT64_C(1) << 32}}, 1, 1, APMU_OK, {0}},
        {{{0}}, 0, 0, APMU_OK, {0}},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t refused = 99;

        implementation(2);
        MUST_GIVE(apmu_arm11_session_open(&session, &driver, cases[i].wishes, cases[i].count, &refused), cases[i].error,
                  "case %u", i);
        MUST_EQ(refused, cases[i].refused, "case %u: refused", i);
        for (size_t w = 0; w < cases[i].count && cases[i].error == APMU_OK; w++) {
            MUST_EQ(session.slots[w].counter, cases[i].counters[w], "case %u, wish %u", i, (unsigned)w);
        }
        MUST_EQ(session.state, cases[i].error == APMU_OK ? APMU_SESSION_STOPPED : APMU_SESSION_CLOSED, "case %u", i);
    }
    MUST_GIVE(apmu_session_allow_user(&session, APMU_USER_READ), APMU_E_UNSUPPORTED, "User mode");
    implementation(2);
    pe.user = true;
    MUST_GIVE(apmu_arm11_session_open(&session, &driver, cases[0].wishes, 2, NULL), APMU_E_ACCESS,
              "User mode without V");
    pe.user_v = true;
    MUST_GIVE(apmu_arm11_session_open(&session, &driver, cases[0].wishes, 2, NULL), APMU_OK, "User mode with V");
}

int main(void)
{
    RUN(a_preset_count_interrupts);
    RUN(flags_are_cleared_of_a_stopped_unit);
    RUN(clearing_disturbs_no_counter);
    RUN(opening_asserts_nothing);
    tap_run("defect 14: Linux, ARM11: overflow flags lost by read-modify-write", defect_14);
    RUN(start_and_stop_write_no_flag);
    RUN(an_overflow_during_a_reading_is_counted_once);
    RUN(counts_are_extended_to_64_bits);
    RUN(the_divider);
    RUN(fiq_is_of_the_1156);
    RUN(wishes_get_counters_or_a_reason);
    return tap_status;
}
