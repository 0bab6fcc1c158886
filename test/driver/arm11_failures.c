/* SPDX-License-Identifier: BSD-2-Clause */
/* The ARM11 driver when accesses fail, and when firmware left arbitrary values in the registers. */
#include "../lib/arm11_watch.h"

static const struct apmu_wish three[] = {
    {.event = BR, .counter = ANY, .interrupt = true, .period = 5},
    {.event = MISS, .counter = ANY},
    {.event = CYCLES, .counter = APMU_CYCLE, .period = 20},
};

/*
 * Runs a session of 12 branches, 3 mispredictions and 30 cycles, read while counting and afterwards.  Stops at the
 * first error.
 */
static enum apmu_error whole_session(void)
{
    enum apmu_error error;

    session.state = APMU_SESSION_CLOSED;
    error = apmu_arm11_session_open(&session, &driver, three, 3, NULL);
    if (error == APMU_OK) {
        error = apmu_session_start(&session);
        MUST(error == APMU_OK || stands_still(), "a start that failed left it counting");
    }
    event(BR, 6);
    if (error == APMU_OK) {
        error = apmu_session_read(&session, out);
    }
    event(BR, 6);
    event(MISS, 3);
    cycles(30);
    if (error == APMU_OK) {
        error = apmu_session_stop(&session);
    }
    return error == APMU_OK ? apmu_session_read(&session, out) : error;
}

static void judge(unsigned long at)
{
    MUST_EQ(out[0].count, 12, "access %lu: branches", at);
    MUST_EQ(out[1].count, 3, "access %lu: mispredictions", at);
    MUST_EQ(out[2].count, 30, "access %lu: cycles", at);
    MUST(out[0].valid && out[1].valid && out[2].valid, "access %lu: validity", at);
}

/*
 * Makes each access fail once.  Checks that the error is returned, that no count is invented or lost, and that later
 * calls work as if nothing had failed.
 */
static void every_access_fails(void)
{
    for (unsigned i = 0; i < IMPLEMENTATIONS; i++) {
        unsigned long at = 0;
        bool failed = true;

        while (failed) {
            implementation(i);
            watch.fail_at = ++at;
            memset(out, 0x5A, sizeof out);
            const enum apmu_error error = whole_session();

            failed = watch.calls >= at;
            MUST_GIVE(error, failed ? APMU_E_BACKEND : APMU_OK, "access %lu", at);
            watch.fail_at = 0;
            if (session.state == APMU_SESSION_CLOSED) {
                MUST(stands_still(), "access %lu: a failed open left it counting", at);
            } else if (session.state == APMU_SESSION_RUNNING) { /* the first reading or the stop failed */
                MUST_GIVE(apmu_session_stop(&session), APMU_OK, "access %lu: stop", at);
                MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "access %lu: the next reading", at);
                judge(at);
            } else {
                MUST(stands_still(), "access %lu: a stopped session counts", at);
                MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "access %lu: the next reading", at);
                if (out[1].count != 0) {
                    judge(at);
                } else { /* the session never started */
                    MUST_EQ(out[0].count + out[2].count, 0, "access %lu: not started", at);
                }
            }
            MUST_GIVE(apmu_session_close(&session), APMU_OK, "access %lu: close", at);
            MUST_GIVE(whole_session(), APMU_OK, "access %lu: the next session", at);
            judge(at);
            MUST(!watch.bad_clear, "access %lu: a flag was written as 1 while E was 0", at);
        }
        MUST(at > 30, "only %lu accesses", at);
    }
}

/* Checks that a failed access of reset or close leaves the unit stopped, and that the next call completes the work. */
static void resets_and_closes_fail(void)
{
    for (unsigned long at = 1; at <= 12; at++) {
        implementation((unsigned)at);
        MUST_GIVE(whole_session(), APMU_OK, "a session");
        watch.fail_at = watch.calls + at;
        const enum apmu_error error = apmu_session_reset(&session);

        MUST_GIVE(error, at <= 9 ? APMU_E_BACKEND : APMU_OK, "access %lu of a reset", at);
        MUST(stands_still(), "access %lu of a reset leaves it counting", at);
        watch.fail_at = 0;
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        MUST_EQ(out[0].count + out[1].count + out[2].count, 0, "access %lu of a reset: counts", at);
        watch.fail_at = watch.calls + at;
        MUST_GIVE(apmu_session_close(&session), at <= 10 ? APMU_E_BACKEND : APMU_OK, "access %lu of a close", at);
        MUST(stands_still() && !apmu_arm11_irq(&unit), "access %lu of a close leaves it counting", at);
    }
}

/* Checks that whatever firmware left in the registers, a session counts exactly and leaves nothing behind. */
static void from_any_state(void)
{
    uint32_t seed = 1;

    for (unsigned i = 0; i < 3000; i++) {
        implementation(i % IMPLEMENTATIONS);
        for (unsigned r = 0; r < APMU_ARM11_REG_COUNT; r++) {
            seed = seed * 1664525 + 1013904223;
            apmu_arm11_poke(&unit, (enum apmu_arm11_reg)r, seed ^ seed >> 15, NULL);
        }
        unit.pmnc |= seed & FLAGS;
        MUST_GIVE(whole_session(), APMU_OK, "state %u", i);
        judge(i);
        MUST_GIVE(apmu_session_close(&session), APMU_OK, "close");
        MUST((unit.pmnc & (FLAGS | ENABLE)) == 0 && !apmu_arm11_irq(&unit) && !apmu_arm11_fiq(&unit), "state %u", i);
    }
}

/*
 * Makes a reading of a stopped unit fail, perhaps with the counters at zero.  Checks that the counts are right if the
 * session is started before the next reading.
 */
static void a_start_completes_a_failed_reading(void)
{
    for (unsigned long at = 1; at <= 14; at++) {
        implementation((unsigned)at);
        MUST_GIVE(apmu_arm11_session_open(&session, &driver, three, 3, NULL), APMU_OK, "open");
        MUST_GIVE(apmu_session_start(&session), APMU_OK, "start");
        event(BR, 7);
        cycles(25);
        MUST_GIVE(apmu_session_stop(&session), APMU_OK, "stop");
        watch.fail_at = watch.calls + at;
        const enum apmu_error error = apmu_session_read(&session, out);

        MUST_GIVE(error, at <= 13 ? APMU_E_BACKEND : APMU_OK, "access %lu of a reading", at);
        watch.fail_at = 0;
        MUST_GIVE(apmu_session_start(&session), APMU_OK, "start");
        event(BR, 5);
        event(MISS, 3);
        cycles(5);
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
        judge(at);
        MUST(at == 14 || (out[0].overflowed && out[2].overflowed), "access %lu: an overflow was not reported", at);
    }
}

/* Checks a start whose write takes effect but returns an error: the driver disables the unit again. */
static void a_start_that_failed_is_undone(void)
{
    implementation(0);
    MUST_GIVE(apmu_arm11_session_open(&session, &driver, three, 3, NULL), APMU_OK, "open");
    watch.fail_at = watch.calls + 1;
    watch.acts = true;
    MUST_GIVE(apmu_session_start(&session), APMU_E_BACKEND, "start");
    MUST(stands_still() && session.state == APMU_SESSION_STOPPED, "it counts");
}

int main(void)
{
    RUN(every_access_fails);
    RUN(resets_and_closes_fail);
    RUN(a_start_completes_a_failed_reading);
    RUN(a_start_that_failed_is_undone);
    RUN(from_any_state);
    return tap_status;
}
