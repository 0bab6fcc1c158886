/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges the counts of one event in one loop by the row of events.def.  Pure: it counts nothing. */
#include "doctor.h"

const struct doctor_row doctor_rows[] = {
#define DOCTOR_EVENT(event, levels, loop, relation, content, low, high) \
    {APMU_EV_##event, DOCTOR_AT_##levels, DOCTOR_RUN_##loop, DOCTOR_##relation, DOCTOR_HAS_##content, low, high},
#include "events.def"
#undef DOCTOR_EVENT
};

const size_t doctor_row_count = sizeof doctor_rows / sizeof doctor_rows[0];

#define SLOWEST_HZ 1000000LL
#define FASTEST_HZ 10000000000LL

const char *doctor_verdict_word(enum doctor_verdict verdict)
{
    static const char *const words[DOCTOR_VERDICTS] = {
        [DOCTOR_EXACT] = "exact", [DOCTOR_PLAUSIBLE] = "plausible", [DOCTOR_NO_LOOP] = "no loop",
        [DOCTOR_ABSENT] = "absent", [DOCTOR_REFUSED] = "refused", [DOCTOR_WRONG] = "wrong",
        [DOCTOR_STILL] = "stands still",
    };

    return words[verdict];
}

int64_t doctor_median(const struct doctor_counts *counts)
{
    return counts->tries == 0 ? 0 : counts->differences[counts->tries / 2];
}

/* Returns how many of the differences are @value. */
static unsigned matches(const struct doctor_counts *counts, int64_t value)
{
    unsigned n = 0;

    for (unsigned i = 0; i < counts->tries; i++) {
        n += counts->differences[i] == value;
    }
    return n;
}

/* Returns how far a count at EL0 may be off because the run of @row was interrupted. */
static int64_t noise_of(const struct doctor_row *row, int64_t expected)
{
    const struct doctor_loop_info *loop = &doctor_loops[row->loop];
    const int64_t instructions = (int64_t)loop->contents[DOCTOR_HAS_INSTRUCTIONS] * loop->iterations;
    const int64_t base = expected > instructions ? expected : instructions;

    return DOCTOR_NOISE + base / 500;
}

/* Returns by how many percent @counted differs from @expected, or from @base if nothing is expected. */
static int percent_off(int64_t counted, int64_t expected, int64_t base)
{
    const int64_t of = expected != 0 ? expected : base;
    const double percent = of == 0 ? 100 : 100.0 * (double)(counted - expected) / (double)of;

    return percent > 1e6 ? 1000000 : percent < -1e6 ? -1000000 : (int)percent;
}

static void say(struct doctor_finding *f, enum doctor_verdict verdict, const char *text)
{
    f->verdict = verdict;
    f->fault = verdict == DOCTOR_WRONG || verdict == DOCTOR_STILL;
    snprintf(f->text, sizeof f->text, "%s", text);
}

/*
 * Returns whether the counter stands still, where at least @least are expected: every count is 0, or the difference of
 * two runs is next to nothing, as when the counter gives the same value whatever happens.
 */
static bool stands_still(const struct doctor_counts *counts, struct doctor_finding *f, int64_t least)
{
    const int64_t size = f->counted < 0 ? -f->counted : f->counted;

    if (least <= 0 || (counts->highest != 0 && 100 * size > least)) {
        return false;
    }
    say(f, DOCTOR_STILL, counts->highest == 0 ? "it is 0 after every run" : "it counts next to nothing");
    return true;
}

/* Judges a count that the architecture defines. */
static void judge_equal(const struct doctor_row *row, const struct doctor_counts *counts, struct doctor_finding *f)
{
    const int64_t off = f->counted > f->expected ? f->counted - f->expected : f->expected - f->counted;
    const int64_t noise = noise_of(row, f->expected);

    if (stands_still(counts, f, f->expected)) {
        return;
    }
    if (matches(counts, f->expected) >= 2) {
        say(f, DOCTOR_EXACT, "");
    } else if (off <= noise) {
        say(f, DOCTOR_PLAUSIBLE, "it differs by no more than interruptions explain");
    } else if (counts->unfiltered && f->counted >= f->expected && f->counted <= 2 * f->expected + noise) {
        say(f, DOCTOR_PLAUSIBLE, "this PMU cannot leave out the kernel, whose interrupts are in the count");
    } else {
        say(f, DOCTOR_WRONG, "the architecture defines this count");
    }
}

/* Judges a count that has bounds. */
static void judge_bounds(const struct doctor_row *row, const struct doctor_counts *counts, struct doctor_finding *f)
{
    const int64_t noise = noise_of(row, f->expected);
    const int64_t low = f->expected * row->low / 100, high = f->expected * row->high / 100;
    char text[160];

    if (stands_still(counts, f, low)) {
        return;
    }
    if (row->relation == DOCTOR_ABOUT && f->expected > 0 && matches(counts, f->expected) >= 2) {
        say(f, DOCTOR_EXACT, "");
    } else if (f->counted >= low - noise && f->counted <= high + noise) {
        say(f, DOCTOR_PLAUSIBLE, "");
    } else {
        snprintf(text, sizeof text, "an implementation may count %lld to %lld", (long long)low, (long long)high);
        say(f, DOCTOR_WRONG, text);
        f->percent = percent_off(f->counted, f->counted < low ? low : high, 1);
    }
}

/* Judges misses and stalls, which the machine shows or does not show (@shown) in its cycles. */
static void judge_misses(const struct doctor_row *row, const struct doctor_counts *counts, bool known, bool shown,
                         struct doctor_finding *f)
{
    const struct doctor_row bounds = {.loop = row->loop, .low = 0, .high = row->high};

    if (counts->highest != 0) {
        judge_bounds(&bounds, counts, f);
    } else if (!known) {
        say(f, DOCTOR_NO_LOOP, "it is 0, and without processor cycles nothing shows whether that is true");
    } else if (shown) {
        say(f, DOCTOR_STILL, "it is 0 after every run, while the cycles show what it should count");
    } else {
        say(f, DOCTOR_PLAUSIBLE, "it is 0, as the cycles are that show nothing of the kind either");
    }
}

/* Judges processor cycles by the additions that each need one, and by the time. */
static void judge_clock(const struct doctor_row *row, const struct doctor_counts *counts, struct doctor_finding *f)
{
    const int64_t least = f->expected * row->low / 100;
    const struct doctor_loop_info *loop = &doctor_loops[row->loop];
    const double hertz = counts->ns > 0 ? (double)f->counted * 1e9 / (double)counts->ns : 0;
    char text[160];

    snprintf(text, sizeof text, "%.2f for each addition that needs the one before, %.0f MHz",
             f->expected != 0 ? (double)f->counted / (double)f->expected : 0, hertz / 1e6);
    if (stands_still(counts, f, f->expected / 16)) { /* one that counts every 64th cycle does not */
        return;
    }
    if (f->counted < least) {
        say(f, DOCTOR_WRONG, text);
    } else if (counts->ns > 0 && (hertz < (double)SLOWEST_HZ || hertz > (double)FASTEST_HZ)) {
        say(f, DOCTOR_WRONG, text);
    } else {
        say(f, DOCTOR_PLAUSIBLE, text);
    }
    if (f->verdict == DOCTOR_PLAUSIBLE &&
        f->counted == (int64_t)loop->contents[DOCTOR_HAS_INSTRUCTIONS] * loop->iterations) {
        say(f, DOCTOR_PLAUSIBLE, "one for each instruction, as an emulator counts them");
    }
}

/* Judges counts that there are. */
static void judge_counts(const struct doctor_row *row, const struct doctor_counts *counts,
                         const struct doctor_costs *costs, struct doctor_finding *f)
{
    struct doctor_row whole = *row;

    switch (row->relation) {
    case DOCTOR_EQUAL: judge_equal(row, counts, f); return;
    case DOCTOR_ABOUT:
    case DOCTOR_WITHIN: judge_bounds(row, counts, f); return;
    case DOCTOR_MISSES: judge_misses(row, counts, costs->known, costs->misses_cost, f); return;
    case DOCTOR_GUESSES: judge_misses(row, counts, costs->known, costs->guesses_cost, f); return;
    case DOCTOR_STALLS:
        if (costs->cycles[row->loop] > 0) { /* the bound is of the cycles of this loop */
            f->expected = costs->cycles[row->loop];
        } else {
            whole.high = 1000000;
        }
        judge_misses(&whole, counts, costs->known, costs->misses_cost, f);
        return;
    case DOCTOR_CLOCK: judge_clock(row, counts, f); return;
    case DOCTOR_ANY: say(f, DOCTOR_NO_LOOP, "no loop says what it must count"); return;
    }
}

void doctor_judge(const struct doctor_row *row, const struct doctor_counts *counts, const struct doctor_costs *costs,
                  struct doctor_finding *f)
{
    const struct doctor_loop_info *loop = &doctor_loops[row->loop];

    f->loop = loop;
    f->counted = doctor_median(counts);
    f->expected = (int64_t)loop->contents[row->content] * loop->iterations;
    f->percent = 0;
    f->error = counts->error;
    if (counts->error != APMU_OK) {
        f->loop = NULL;
        say(f, DOCTOR_REFUSED, counts->why);
        return;
    }
    if (counts->shared) {
        f->loop = NULL;
        say(f, DOCTOR_REFUSED, "somebody else had the counter for some of the time, so the count is no count");
        return;
    }
    judge_counts(row, counts, costs, f);
    if (f->verdict == DOCTOR_WRONG && f->percent == 0) {
        f->percent = percent_off(f->counted, f->expected,
                                 (int64_t)loop->contents[DOCTOR_HAS_INSTRUCTIONS] * loop->iterations);
    }
}
