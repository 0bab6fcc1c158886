/* SPDX-License-Identifier: BSD-2-Clause */
/* Verdicts of armpmu doctor on counts that the tests choose: every kind of row, and every verdict. */
#include <string.h>

#include "../../../cli/doctor/doctor.h"
#include "../../lib/tap.h"

/* Costs of a core with caches and prediction, and of an emulator without them. */
static const struct doctor_costs core = {.known = true, .misses_cost = true, .guesses_cost = true,
                                         .cycles = {[DOCTOR_RUN_FAR] = 2000000}};
static const struct doctor_costs emulator = {.known = true, .one_each = true, .emulated = true,
                                             .cycles = {[DOCTOR_RUN_FAR] = 25000}};
static const struct doctor_costs nothing_known = {.known = false};

/* Returns counts whose differences are @value, besides @odd of them, which are @other. */
static struct doctor_counts counts_of(int64_t value, unsigned odd, int64_t other)
{
    struct doctor_counts c = {.tries = DOCTOR_TRIES, .ns = 50000};

    for (unsigned i = 0; i < DOCTOR_TRIES; i++) { /* ascending if @other is not less */
        c.differences[i] = i + odd >= DOCTOR_TRIES ? other : value;
    }
    c.first = value > 0 ? (uint64_t)value : 0;
    c.highest = 2 * (uint64_t)(value > other ? value : other);
    return c;
}

static const struct doctor_row *row_of(uint16_t event, enum doctor_loop loop)
{
    for (size_t i = 0; i < doctor_row_count; i++) {
        if (doctor_rows[i].event == event && doctor_rows[i].loop == loop) {
            return &doctor_rows[i];
        }
    }
    return NULL;
}

/* Judges the row of @event in @loop, and checks the verdict. */
static struct doctor_finding must_be(uint16_t event, enum doctor_loop loop, const struct doctor_counts *counts,
                                     const struct doctor_costs *costs, enum doctor_verdict want)
{
    const struct doctor_row *row = row_of(event, loop);
    struct doctor_finding f = {.event = event};

    MUST(row != NULL, "event 0x%04x has no row in %s", event, doctor_loops[loop].name);
    if (row != NULL) {
        doctor_judge(row, counts, costs, &f);
        MUST(f.verdict == want, "event 0x%04x in %s, %lld: %s, want %s", event, doctor_loops[loop].name,
             (long long)doctor_median(counts), doctor_verdict_word(f.verdict), doctor_verdict_word(want));
        MUST(f.fault == (want == DOCTOR_WRONG || want == DOCTOR_STILL), "event 0x%04x: fault is %d", event, f.fault);
    }
    return f;
}

/* Checks by how many percent a finding says that the count is off. */
static void must_be_off(struct doctor_finding f, int percent)
{
    MUST(f.percent == percent, "event 0x%04x: off by %d %%, want %d %%", (unsigned)f.event, f.percent, percent);
}

static void defined_counts(void)
{
    struct doctor_counts c = counts_of(90000, 0, 0);

    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_EXACT);
    c = counts_of(90000, 3, 90001); /* two of five are enough */
    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_EXACT);
    c = counts_of(90000, 4, 90007); /* each return from an interrupt counts */
    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_PLAUSIBLE);
    c = counts_of(90244, 0, 0); /* 64 and 0.2 % */
    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_PLAUSIBLE);
    c = counts_of(90245, 0, 0);
    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_WRONG);
    c = counts_of(89755, 0, 0);
    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_WRONG);
    c = counts_of(45000, 0, 0);
    must_be_off(must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_WRONG), -50);
    c = counts_of(180000, 0, 0);
    must_be_off(must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_WRONG), 100);
}

static void counts_of_what_does_not_occur(void)
{
    struct doctor_counts c = counts_of(0, 0, 0);

    must_be(APMU_EV_LD_RETIRED, DOCTOR_RUN_STORE, &c, &core, DOCTOR_EXACT);
    c = counts_of(0, 4, 3);
    must_be(APMU_EV_LD_RETIRED, DOCTOR_RUN_STORE, &c, &core, DOCTOR_PLAUSIBLE);
    c = counts_of(50000, 0, 0); /* it counts instructions */
    must_be_off(must_be(APMU_EV_LD_RETIRED, DOCTOR_RUN_STORE, &c, &core, DOCTOR_WRONG), 100);
}

static void counters_that_stand_still(void)
{
    struct doctor_counts c = counts_of(0, 0, 0);

    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_STILL);
    must_be(APMU_EV_CPU_CYCLES, DOCTOR_RUN_ADD, &c, &core, DOCTOR_STILL);
    must_be(APMU_EV_LD_SPEC, DOCTOR_RUN_LOAD, &c, &core, DOCTOR_STILL);
    must_be(APMU_EV_EXC_TAKEN, DOCTOR_RUN_SYSCALL, &c, &core, DOCTOR_STILL);
    c.first = c.highest = UINT64_C(0x80000000); /* what the kernel preloads, as if it were a count */
    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_STILL);
    must_be(APMU_EV_CPU_CYCLES, DOCTOR_RUN_ADD, &c, &core, DOCTOR_STILL);
    c = counts_of(0, 2, 5); /* an interrupt or two */
    must_be(APMU_EV_EXC_TAKEN, DOCTOR_RUN_SYSCALL, &c, &core, DOCTOR_STILL);
}

static void counts_with_bounds(void)
{
    struct doctor_counts c = counts_of(40000, 0, 0);

    must_be(APMU_EV_LD_SPEC, DOCTOR_RUN_LOAD, &c, &core, DOCTOR_EXACT);
    c = counts_of(41234, 0, 0);
    must_be(APMU_EV_LD_SPEC, DOCTOR_RUN_LOAD, &c, &core, DOCTOR_PLAUSIBLE);
    c = counts_of(20000, 0, 0); /* pairs of loads may be fused */
    must_be(APMU_EV_LD_SPEC, DOCTOR_RUN_LOAD, &c, &core, DOCTOR_PLAUSIBLE);
    c = counts_of(15000, 0, 0);
    must_be_off(must_be(APMU_EV_LD_SPEC, DOCTOR_RUN_LOAD, &c, &core, DOCTOR_WRONG), -25);
    c = counts_of(200000, 0, 0);
    must_be_off(must_be(APMU_EV_LD_SPEC, DOCTOR_RUN_LOAD, &c, &core, DOCTOR_WRONG), 25);
}

static void misses(void)
{
    struct doctor_counts c = counts_of(0, 0, 0);

    must_be(APMU_EV_L1D_CACHE_REFILL, DOCTOR_RUN_FAR, &c, &core, DOCTOR_STILL);
    must_be(APMU_EV_L1D_CACHE_REFILL, DOCTOR_RUN_FAR, &c, &emulator, DOCTOR_PLAUSIBLE);
    must_be(APMU_EV_L1D_CACHE_REFILL, DOCTOR_RUN_FAR, &c, &nothing_known, DOCTOR_NO_LOOP);
    must_be(APMU_EV_BR_MIS_PRED, DOCTOR_RUN_RANDOM, &c, &core, DOCTOR_STILL);
    must_be(APMU_EV_BR_MIS_PRED, DOCTOR_RUN_RANDOM, &c, &emulator, DOCTOR_PLAUSIBLE);
    must_be(APMU_EV_STALL_BACKEND, DOCTOR_RUN_FAR, &c, &core, DOCTOR_STILL);
    must_be(APMU_EV_STALL_BACKEND, DOCTOR_RUN_FAR, &c, &emulator, DOCTOR_PLAUSIBLE);
    c = counts_of(17, 0, 0); /* a prefetcher that is very good */
    must_be(APMU_EV_L1D_CACHE_REFILL, DOCTOR_RUN_FAR, &c, &core, DOCTOR_PLAUSIBLE);
    c = counts_of(1900000, 0, 0);
    must_be(APMU_EV_STALL_BACKEND, DOCTOR_RUN_FAR, &c, &core, DOCTOR_PLAUSIBLE);
    c = counts_of(7000000, 0, 0); /* more stalls than cycles */
    must_be_off(must_be(APMU_EV_STALL_BACKEND, DOCTOR_RUN_FAR, &c, &core, DOCTOR_WRONG), 16);
}

static void cycles(void)
{
    struct doctor_counts c = counts_of(82000, 0, 0);

    must_be(APMU_EV_CPU_CYCLES, DOCTOR_RUN_ADD, &c, &core, DOCTOR_PLAUSIBLE);
    c = counts_of(1280, 0, 0); /* every 64th */
    must_be(APMU_EV_CPU_CYCLES, DOCTOR_RUN_ADD, &c, &core, DOCTOR_WRONG);
    c = counts_of(30000, 0, 0); /* nanoseconds */
    must_be(APMU_EV_CPU_CYCLES, DOCTOR_RUN_ADD, &c, &core, DOCTOR_WRONG);
    c = counts_of(82000, 0, 0);
    c.ns = 1000; /* 82 GHz */
    must_be(APMU_EV_CPU_CYCLES, DOCTOR_RUN_ADD, &c, &core, DOCTOR_WRONG);
    c.ns = 0; /* no clock: nothing is wrong with it */
    must_be(APMU_EV_CPU_CYCLES, DOCTOR_RUN_ADD, &c, &core, DOCTOR_PLAUSIBLE);
    c = counts_of(90000, 0, 0);
    const struct doctor_finding f = must_be(APMU_EV_CPU_CYCLES, DOCTOR_RUN_ADD, &c, &core, DOCTOR_PLAUSIBLE);

    MUST(strstr(f.text, "emulator") != NULL, "one cycle for each instruction: %.100s", f.text);
}

static void refusals(void)
{
    struct doctor_counts c = {.error = APMU_E_PERF_PERMISSION, .why = "the reason"};
    struct doctor_finding f = must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_REFUSED);

    MUST(strcmp(f.text, "the reason") == 0 && f.error == APMU_E_PERF_PERMISSION && f.loop == NULL, "%.100s", f.text);
    c = counts_of(45000, 0, 0);
    c.shared = true; /* half of the time: no count, and so not wrong */
    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_REFUSED);
    c = counts_of(95000, 0, 0);
    c.unfiltered = true; /* PMUv1: with the kernel's interrupts */
    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_PLAUSIBLE);
    c = counts_of(40000, 0, 0);
    c.unfiltered = true;
    must_be(APMU_EV_INST_RETIRED, DOCTOR_RUN_ADD, &c, &core, DOCTOR_WRONG);
}

/* Whatever is expected of any row, that count is no fault on a core or on an emulator. */
static void no_row_blames_a_right_count(void)
{
    const struct doctor_costs *const costs[] = {&core, &emulator, &nothing_known};

    for (size_t i = 0; i < doctor_row_count; i++) {
        const struct doctor_row *row = &doctor_rows[i];
        const int64_t content = (int64_t)doctor_loops[row->loop].contents[row->content] *
                                doctor_loops[row->loop].iterations;
        const int64_t expected = row->relation == DOCTOR_WITHIN ? content * row->high / 100 : content;

        for (size_t k = 0; k < sizeof costs / sizeof costs[0] && row->levels == DOCTOR_AT_USER; k++) {
            struct doctor_counts c = counts_of(expected, 0, 0);
            struct doctor_finding f = {.event = row->event};

            doctor_judge(row, &c, costs[k], &f);
            MUST(!f.fault, "event 0x%04x in %s: %s by %d %%", row->event, doctor_loops[row->loop].name,
                 doctor_verdict_word(f.verdict), f.percent);
            MUST(row->relation != DOCTOR_EQUAL || f.verdict == DOCTOR_EXACT, "event 0x%04x: %s", row->event,
                 doctor_verdict_word(f.verdict));
        }
    }
}

/* Each row says something of its loop: its content is there, or a count of 0 is what it asks for. */
static void rows_have_content(void)
{
    for (size_t i = 0; i < doctor_row_count; i++) {
        const struct doctor_row *row = &doctor_rows[i];
        const bool there = doctor_loops[row->loop].contents[row->content] != 0;

        MUST(there || row->relation == DOCTOR_EQUAL, "event 0x%04x: %s has no %s", row->event,
             doctor_loops[row->loop].name, doctor_content_texts[row->content]);
        MUST(row->relation == DOCTOR_EQUAL || row->relation == DOCTOR_CLOCK || row->high > row->low,
             "event 0x%04x in %s: bounds %u to %u", row->event, doctor_loops[row->loop].name, row->low, row->high);
        for (size_t k = 0; k < i; k++) {
            MUST(row->event != doctor_rows[k].event || row->levels != doctor_rows[k].levels ||
                 doctor_rows[i - 1].event == row->event, "event 0x%04x: its rows do not follow each other", row->event);
        }
    }
}

int main(void)
{
    RUN(defined_counts);
    RUN(counts_of_what_does_not_occur);
    RUN(counters_that_stand_still);
    RUN(counts_with_bounds);
    RUN(misses);
    RUN(cycles);
    RUN(refusals);
    RUN(no_row_blames_a_right_count);
    RUN(rows_have_content);
    return tap_status;
}
