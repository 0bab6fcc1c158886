/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds times that 32 bits of cycles decide about: what wraps, what is longer, and what is always shorter. */
#include "words.h"

static const double whole = 4294967296.0;

/* Looks for what happens again after the time of 2^32 cycles: "every 6.4 seconds" at 667 MHz. */
static void find_period(struct reading *r, const struct prose *p)
{
    const double clock = (double)reading_value(&r->machine.clock, 0);

    for (size_t i = 1; i + 1 < p->count && clock != 0; i++) {
        const bool about = i > 1 && words_prose_is(p, i - 1, "~/about/around/roughly/some/the");

        if (p->tokens[i].number && words_prose_is(p, i - (about ? 2 : 1), "every/all/each/after") &&
            words_is_near(p->tokens[i].value * words_seconds(p, i + 1) * clock, whole, 0.03)) {
            words_add_pair(r, CLUE_words_2_32, p->tokens[i].line, p->tokens[i].value * clock, 0);
            reading_symptom(r, READING_wraps, p->tokens[i].line);
        }
    }
}

/* Returns true if the sentence of token @i says up to where something works. */
static bool judges(const struct prose *p, size_t i)
{
    for (size_t k = 0; k < p->count; k++) {
        if (p->tokens[k].sentence == p->tokens[i].sentence &&
            words_prose_is(p, k, "work/works/fine/ok/right/correct/good/wrong/nonsense/garbage/fails/why")) {
            return true;
        }
    }
    return false;
}

/* Returns true if the sentence of token @i says what is always so. */
static bool tells_of_limit(const struct prose *p, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (p->tokens[k].sentence == p->tokens[i].sentence &&
            words_prose_is(p, k, "never/no/not/nothing/only/always/all/most/just/max/maximum/every/each")) {
            return true;
        }
    }
    return false;
}

/* Returns true if the number at token @i is the longest one: "the longest job that we time is 40 ms". */
static bool is_of_longest(const struct prose *p, size_t i)
{
    const bool about = words_prose_is(p, i - 1, "~/about/around/some/only/just");
    bool longest = false;

    if (i < 2 + (size_t)about || !words_prose_is(p, i - 1 - about, "is/are/takes/take/took/lasts/needs/was/of/at")) {
        return false;
    }
    for (size_t k = i; k > 0 && i - k < 10 && p->tokens[k - 1].sentence == p->tokens[i].sentence; k--) {
        longest = longest || words_prose_is(p, k - 1, "longest/slowest/worst/maximum/max");
    }
    return longest;
}

/* Returns true if a limit stands behind the number and its unit at token @i: "2 ms at the very most", "40 ms max". */
static bool is_limited_behind(const struct prose *p, size_t i)
{
    size_t at = i + 2;

    if (words_prose_is(p, at, "or") && words_prose_is(p, at + 1, "less/shorter/under/below")) {
        return true;
    }
    if (words_prose_is(p, at, "at/as/in")) {
        at += 1 + (size_t)words_prose_is(p, at + 1, "the/a/its");
        at += words_prose_is(p, at, "very/absolute");
        return words_prose_is(p, at, "most/longest/worst/maximum/max/slowest/limit");
    }
    return words_prose_is(p, at, "max/maximum/tops") ||
           (words_prose_is(p, at, "worst") && words_prose_is(p, at + 1, "case"));
}

/* Returns the index of the token before the number at token @i and its "about". */
static size_t word_before(const struct prose *p, size_t i)
{
    return i < 2 ? i : i - 1 - words_prose_is(p, i - 1, "~/about/around/some");
}

bool words_is_limit(const struct prose *p, size_t i)
{
    const size_t at = word_before(p, i);

    if (i < 2 || i + 1 >= p->count || judges(p, i)) {
        return false;
    }
    return is_limited_behind(p, i) || is_of_longest(p, i) ||
           (tells_of_limit(p, i) && (words_prose_is(p, at, "most/max/maximum") ||
                                     (words_prose_is(p, at, "than") && at != 0 &&
                                      words_prose_is(p, at - 1, "longer/more/shorter/less/exceeding/beyond"))));
}

bool words_is_below_wrap(const struct prose *p, size_t i)
{
    static const char runs[] = "run*/region*/interval*/section*/job*/test*/measure*/loop*/window*/benchmark*/span*/"
                               "task*/experiment*/phase*/session*/nothing/distance*/period*/slice*/request*/"
                               "transaction*";
    const bool a = i > 1 && words_prose_is(p, i - 1, "a/the/about/~");
    const size_t at = i - 1 - a;
    bool names = false;

    if (i < 2 || !words_prose_is(p, i, "2^32/2**32/4294967296/4.29e9/4.2e9") || judges(p, i) ||
        !(words_prose_is(p, at, "below/under/within") ||
          (at > 0 && words_prose_is(p, at, "than") && words_prose_is(p, at - 1, "less/shorter/fewer/smaller")))) {
        return false;
    }
    for (size_t k = 0; k < i && !names; k++) {
        names = p->tokens[k].sentence == p->tokens[i].sentence && words_prose_is(p, k, runs);
    }
    return names;
}

/*
 * Looks for regions that are shorter than 2^32 cycles: "never longer than 1 s", "we measure at most 2 s", "the longest
 * one is 40 ms".
 */
static void find_shorter(struct reading *r, const struct prose *p)
{
    const double clock = (double)reading_value(&r->machine.clock, 0);

    for (size_t i = 2; i + 1 < p->count && clock != 0; i++) {
        const double cycles = p->tokens[i].number ? p->tokens[i].value * words_seconds(p, i + 1) * clock : 0;

        const bool below = words_prose_is(p, word_before(p, i), "below/under/within") && tells_of_limit(p, i);

        if (cycles > 0 && cycles < whole && (words_is_limit(p, i) || (below && !judges(p, i)))) {
            words_add_pair(r, CLUE_words_shorter_than_wrap, p->tokens[i].line, cycles, 0);
        }
    }
}

/* Returns the seconds of "a third of a second" or "half a second" at token @i, 0 if it is something else. */
static double part_of_second(const struct prose *p, size_t i)
{
    static const char *const parts[] = {"half", "third", "quarter", "fifth"};
    const size_t unit = i + 1 + words_prose_is(p, i + 1, "of");

    for (size_t n = 0; n < sizeof parts / sizeof parts[0]; n++) {
        if (words_prose_is(p, i, parts[n]) && words_prose_is(p, unit, "a/the") &&
            words_prose_is(p, unit + 1, "second/sec")) {
            return 1.0 / (double)(n + 2);
        }
    }
    return 0;
}

/*
 * Looks for a region that takes longer than 2^32 cycles and is reported to take less: "the 20 s section reports 0.3 s".
 */
static void find_short_time(struct reading *r, const struct prose *p)
{
    const double clock = (double)reading_value(&r->machine.clock, 0);

    for (size_t i = 0; i + 1 < p->count && clock != 0; i++) {
        const struct prose_token *t = &p->tokens[i];
        const double taken = t->number ? t->value * words_seconds(p, i + 1) : 0;
        bool told = false;

        for (size_t k = i + 2; taken * clock > whole && k + 1 < p->count && k < i + 14 &&
                               p->tokens[k].sentence == t->sentence; k++) {
            const double seen =
                p->tokens[k].number ? p->tokens[k].value * words_seconds(p, k + 1) : part_of_second(p, k);

            told = told || words_prose_is(p, k, "report/reports/reported/show/shows/showed/print/prints/printed/give/"
                                                "gives/gave/becomes/as/read/reads/measures/measured/comes");
            if (told && seen != 0 && seen * clock < whole && seen < taken * 0.8) {
                words_add_pair(r, CLUE_words_wrapped, t->line, seen, taken);
                reading_symptom(r, READING_wraps, t->line);
                return;
            }
        }
    }
}

/* Returns true if token @i is a number of overflows: "was called 13 times", "13 overflows", and not "3 times 2^32". */
static bool counts_overflows(const struct prose *p, size_t i)
{
    const double n = p->tokens[i].number && !p->tokens[i].index ? p->tokens[i].value : 0;

    return n >= 1 && n < 100000 && words_prose_is(p, i + 1, "times/overflows/overflow/interrupts/wraps/calls") &&
           !(i + 2 < p->count && p->tokens[i + 2].number);
}

/*
 * Looks for a total that is the overflows' share and the rest: "the handler was called 13 times, and 13 * 2^32 +
 * 4 165 537 182 = 60 000 112 030".  Where the writer expects the total, he does not see it.
 */
static void find_wraps_added(struct reading *r, const struct prose *p)
{
    const bool doubts = reading_find(r, CLUE_words_wonders) != NULL || r->sees[READING_small];

    for (size_t i = 0; i + 1 < p->count && !doubts; i++) {
        const double share = counts_overflows(p, i) ? p->tokens[i].value * whole : 0;

        for (size_t a = 0; a < p->count && share != 0; a++) {
            for (size_t b = 0; b < p->count; b++) {
                const struct prose_token *total = &p->tokens[a], *rest = &p->tokens[b];

                if (total->number && rest->number && rest->value >= 1e4 && rest->value < whole &&
                    words_is_near(total->value - rest->value, share, 1e-8)) {
                    words_add_pair(r, CLUE_words_wraps_added, total->line, total->value, p->tokens[i].value);
                    return;
                }
            }
        }
    }
}

/* Returns the cycles of a time with a clock beside it at token @i: "4 s at 600 MHz", "600 MHz for 4 s"; 0: none. */
static double cycles_of_phase(const struct prose *p, size_t i)
{
    const size_t at = i + 2, second = i + 3;
    double rate[2] = {0, 0}, time[2] = {0, 0};

    if (second + 1 >= p->count || !p->tokens[i].number || !p->tokens[second].number ||
        !words_prose_is(p, at, "at/for/with/during/@")) {
        return 0;
    }
    for (size_t k = 0; k < 2; k++) {
        const size_t n = k == 0 ? i : second;

        time[k] = p->tokens[n].value * words_seconds(p, n + 1);
        rate[k] = p->tokens[n].value *
                  (words_prose_is(p, n + 1, "ghz") ? 1e9 : words_prose_is(p, n + 1, "mhz") ? 1e6 : 0);
    }
    return time[0] * rate[1] + rate[0] * time[1];
}

/*
 * Looks for a count that is what several clocks give, each in its time: "4 s at 600 MHz, then 6 s at 1.5 GHz", and
 * 11 400 803 112.  The sum itself is what the writer has computed.
 */
static void find_phases(struct reading *r, const struct prose *p)
{
    double sum = 0;
    unsigned phases = 0;

    for (size_t i = 0; i < p->count; i++) {
        const double cycles = cycles_of_phase(p, i);

        sum += cycles;
        phases += cycles > 0;
    }
    for (size_t i = 0; i < p->count && phases > 1; i++) {
        const struct prose_token *t = &p->tokens[i];

        if (t->number && !t->hex && !words_is_near(t->value, sum, 1e-7) && words_is_near(t->value, sum, 0.01)) {
            words_add_pair(r, CLUE_words_clocks_fit, t->line, t->value, sum);
        }
    }
}

/* Returns the seconds between two reads that token @i tells: "every ten seconds", "divided by ten", "a 10 s window". */
static double interval_at(const struct prose *p, size_t i)
{
    const double n = words_amount(p, i);
    const double unit = words_seconds(p, i + 1), one = words_seconds(p, i);

    if (one != 0 && i > 0 && (words_prose_is(p, i - 1, "every/each/once") ||
                              (i > 1 && words_prose_is(p, i - 1, "per/a") && words_prose_is(p, i - 2, "once")))) {
        return one;
    }
    if (n <= 0) {
        return 0;
    }
    if (unit != 0) {
        return i > 0 && words_prose_is(p, i - 1, "every/each/over/within/after/for/in/a/per/the/of/by") ? n * unit : 0;
    }
    return i > 1 && words_prose_is(p, i - 1, "by") && words_prose_is(p, i - 2, "divided/divides/divide") ? n : 0;
}

/* Returns true if the number at token @i is one that is never passed: "nothing above 429 million", "at most 429e6". */
static bool is_ceiling(const struct prose *p, size_t i)
{
    bool beyond = false, denied = false, most = false;

    for (size_t k = 0; k < p->count; k++) {
        const bool before = k < i && i - k <= 8, near = before || (k > i && k - i <= 8);

        if (p->tokens[k].sentence != p->tokens[i].sentence || !near) {
            continue;
        }
        beyond = beyond || (before && words_prose_is(p, k, "above/over/beyond/exceed/exceeds/exceeded/exceeding/than/"
                                                           "pass/passes/passed/past/reach/reaches/reached"));
        denied = denied || words_prose_is(p, k, "nothing/never/no/not/none/nowhere/cannot");
        most = most || words_prose_is(p, k, "most/max/maximum/limit/ceiling/cap/capped/saturates/saturate/peak/peaks/"
                                            "tops/highest/largest/plateau");
    }
    return most || (beyond && denied);
}

/* Looks for a rate that is never passed, and is that of 2^32 counts in the time between two reads. */
static void find_ceiling(struct reading *r, const struct prose *p)
{
    const double clock = (double)reading_value(&r->machine.clock, 0);

    for (size_t i = 0; i < p->count; i++) {
        const struct prose_token *t = &p->tokens[i];
        const bool rate = t->number && !t->hex && t->value >= 1e6 && !words_is_near(t->value, clock, 0.02) &&
                          is_ceiling(p, i);

        for (size_t k = 0; k < p->count && rate; k++) {
            const double total = t->value * interval_at(p, k);

            if (k != i && total > 0.985 * whole && total < 1.003 * whole) {
                words_add_pair(r, CLUE_words_2_32, t->line, total, 0);
                reading_symptom(r, READING_wraps, t->line);
                return;
            }
        }
    }
}

/* Returns true if token @i names a clock that runs on whatever the core does. */
static bool is_timer(const struct prose *p, size_t i)
{
    return words_prose_is(p, i, "timer/timers/cntvct*/cntpct*/clock_gettime/stopwatch/wall/oscilloscope/scope/ktime*/"
                                "ktime_get/gettimeofday/analyser/analyzer");
}

/* Looks for cycles that are far fewer than a timer's time has, more than a divider by 64 explains. */
static void find_missing_cycles(struct reading *r, const struct prose *p)
{
    bool timer = false;

    for (size_t i = 0; i < p->count; i++) {
        timer = timer || is_timer(p, i);
    }
    for (size_t i = 0; i + 1 < p->count && timer; i++) {
        const struct prose_token *t = &p->tokens[i];
        const bool cycles = t->number && !t->hex && (words_prose_is(p, i + 1, "cycles/ticks/clocks") ||
                                                     words_prose_is(p, i + 2, "cycles"));

        for (size_t k = 0; k + 1 < p->count && cycles; k++) {
            const double seconds = p->tokens[k].number ? p->tokens[k].value * words_seconds(p, k + 1) : 0;

            if (p->tokens[k].sentence == t->sentence && t->value > 0 && seconds > 1e-5 && t->value < seconds * 1e7) {
                words_add_pair(r, CLUE_words_cycles_missing, t->line, t->value, seconds * 1e9);
                return;
            }
        }
    }
}

void words_prose_wraps(struct reading *r, const struct prose *p)
{
    find_wraps_added(r, p);
    find_phases(r, p);
    find_period(r, p);
    find_shorter(r, p);
    find_short_time(r, p);
    find_ceiling(r, p);
    find_missing_cycles(r, p);
}
