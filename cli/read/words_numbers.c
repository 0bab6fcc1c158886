/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds what the numbers of a text say: counts, times and clock rates, and what they are of each other. */
#include <string.h>

#include "words.h"

#define VALUES 40

/* A number with what it counts. */
struct value {
    double value;
    double half; /* of what the last digit stands for: 5e6 of "6.67e9"; 0: it is exact, or nothing tells */
    uint32_t line;
    bool wished; /* it is what the writer does not see: "and not 1500 million" */
    bool limit; /* a time: what is measured takes no longer */
    bool operand; /* it is part of a product or a power: it is computed, and not seen */
    bool other; /* a word beside it says that it counts neither cycles nor time */
};

/* The numbers of a text, by what they count. */
struct values {
    size_t counts, times, rates;
    struct value count[VALUES]; /* events or cycles */
    struct value time[VALUES];  /* seconds */
    struct value rate[VALUES];  /* Hz */
};

static void keep(struct value *list, size_t *count, double value, uint32_t line)
{
    if (*count < VALUES && value > 0) {
        list[(*count)++] = (struct value){.value = value, .line = line};
    }
}

/* Returns the whole number nearest to @value, 0 if it is negative or more than a few thousand. */
static double nearest(double value)
{
    return value > 0 && value < 4096 ? (double)(unsigned)(value + 0.5) : 0;
}

bool words_is_near(double a, double b, double tolerance)
{
    return (a > b ? a - b : b - a) <= tolerance * b;
}

double words_seconds(const struct prose *p, size_t i)
{
    return words_prose_is(p, i, "s/sec/secs/second/seconds/sek/secound/sekunde/sekunden/secondes/segundo/segundos") ? 1
           : words_prose_is(p, i, "ms/msec/millisecond/milliseconds")    ? 1e-3
           : words_prose_is(p, i, "us/usec/microsecond/microseconds")    ? 1e-6
           : words_prose_is(p, i, "ns/nanosecond/nanoseconds")           ? 1e-9
           : words_prose_is(p, i, "min/mins/minute/minutes")             ? 60
           : words_prose_is(p, i, "h/hour/hours")                        ? 3600
                                                                   : 0;
}

double words_hertz(const struct prose *p, size_t i)
{
    return words_prose_is(p, i, "ghz")   ? 1e9
           : words_prose_is(p, i, "mhz") ? 1e6
           : words_prose_is(p, i, "khz") ? 1e3
                                         : 0;
}

double words_spelled(const struct prose *p, size_t i)
{
    static const char *const words[] = {"a/one/per/each/every/1", "two", "three", "four", "five", "six", "seven",
                                        "eight", "nine", "ten"};

    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        if (words_prose_is(p, i, words[n])) {
            return (double)(n + 1);
        }
    }
    return 0;
}

/* Returns true if the number at token @i is denied or expected: "not 1500 million", "instead of the expected 800". */
static bool is_wished(const struct prose *p, size_t i)
{
    for (size_t k = i; k > 0 && i - k < 3 && p->tokens[k - 1].clause == p->tokens[i].clause; k--) {
        if (p->tokens[k - 1].number || words_prose_is(p, k - 1, "but/get/gives/is/see/have")) {
            return false;
        }
        if (words_prose_is(p, k - 1, "not/no/instead/expected/expect/should/want")) {
            return true;
        }
    }
    return false;
}

/* Returns true if a word beside number @i names events that are no cycles. */
static bool counts_others(const struct prose *p, size_t i)
{
    static const char words[] = "miss/misses/refill/refills/branch/branches/load/loads/store/stores/instruction/"
                                "instructions/insns/accesses/hits/l1d/l2d/l1/l2/l3/llc/tlb/cache/faults/stalls";

    for (size_t k = i + 1; k <= i + 3 && k < p->count && p->tokens[k].sentence == p->tokens[i].sentence &&
                           !p->tokens[k].number; k++) {
        if (words_prose_is(p, k, words)) {
            return true;
        }
    }
    return i != 0 && words_prose_is(p, i - 1, words);
}

/* Returns half of what the last digit of number @t stands for: 5e6 for "6.67e9" and "6.67 billion", 0 if no digit is
 * left out. */
static double half_digit(const struct prose_token *t)
{
    double digits = 0;
    unsigned count = 0;

    for (const char *c = t->text; !t->hex && ((*c >= '0' && *c <= '9') || *c == '.'); c++) {
        count += *c != '.';
        digits = *c == '.' ? digits : digits * 10 + (*c - '0');
    }
    return count == 0 || count > 6 || digits == 0 || t->value == digits ? 0 : t->value / digits / 2;
}

/* Sorts the number or spelled number at token @i. */
static void sort_number(const struct prose *p, size_t i, struct values *v)
{
    const struct prose_token *t = &p->tokens[i];
    const bool half =
        words_prose_is(p, i + 1, "and") && words_prose_is(p, i + 2, "a") && words_prose_is(p, i + 3, "half");
    const double n = (t->number ? t->value : words_spelled(p, i)) + (half ? 0.5 : 0);
    const size_t unit = i + 1 + (half ? 3 : 0) + words_prose_is(p, i + 1, "full/whole/single/busy/wall");
    const double seconds = words_seconds(p, unit), hertz = words_hertz(p, i + 1);

    if (n != 0 && seconds != 0) {
        const size_t before = v->times;

        keep(v->time, &v->times, n * seconds, t->line);
        if (v->times > before) {
            v->time[before].limit = words_is_limit(p, i);
        }
    } else if (t->number && hertz != 0) {
        keep(v->rate, &v->rates, n * hertz, t->line);
    } else if (t->number && !t->hex && !words_prose_is(p, i + 1, "%/percent/bit/bits/cores/cpus/khz/events/counters")) {
        const size_t before = v->counts;

        keep(v->count, &v->counts, n, t->line);
        if (v->counts > before) {
            v->count[before].operand = t->operand;
            v->count[before].wished = is_wished(p, i);
            v->count[before].other = counts_others(p, i);
            v->count[before].half = half_digit(t);
        }
    }
}

static void sort_numbers(const struct prose *p, struct values *v)
{
    for (size_t i = 0; i < p->count; i++) {
        sort_number(p, i, v);
    }
}

void words_add_pair(struct reading *r, enum clue_kind kind, uint32_t line, double a, double b)
{
    struct clue *c;

    if (reading_find(r, kind) == NULL && a < 1.8e19 && b < 1.8e19) {
        c = reading_clue(r, kind, line, NULL);
        c->values[0] = (uint64_t)(a + 0.5);
        c->values[1] = (uint64_t)(b + 0.5);
    }
}

/* Compares @count with @expected, which the clock gives in the time.  @right: another clock gives as much. */
static void compare(struct reading *r, const struct value *count, double expected, bool right)
{
    const double ratio = expected / count->value;

    if (words_is_near(ratio, 64, 0.04)) {
        words_add_pair(r, CLUE_words_ratio_64, count->line, count->value, expected);
    } else if (words_is_near(ratio, 1, 0.03) && count->wished) {
        return;
    } else if (words_is_near(ratio, 1, 0.03)) {
        words_add_pair(r, CLUE_words_ratio_1, count->line, count->value, expected);
    } else if (ratio > 1.5 && ratio < 1e5 && !right) {
        words_add_pair(r, CLUE_words_ratio_low, count->line, count->value, expected);
    }
}

/* Returns true if @count is what @rate gives in one of the times: it is right, whichever clock ran then. */
static bool fits(const struct values *v, const struct value *count, const struct value *rate)
{
    for (size_t t = 0; t < v->times && !count->wished; t++) {
        if (words_is_near(rate->value * v->time[t].value, count->value, 0.03)) {
            return true;
        }
    }
    return false;
}

/* Returns true if one of the rates gives @count in one of the times. */
static bool fits_a_rate(const struct values *v, const struct value *count)
{
    for (size_t i = 0; i < v->rates; i++) {
        if (fits(v, count, &v->rate[i])) {
            return true;
        }
    }
    return false;
}

/* Returns true if @rate gives one of the counts in one of the times: it is a clock, and not what is measured. */
static bool is_a_clock(const struct values *v, const struct value *rate)
{
    for (size_t c = 0; c < v->counts; c++) {
        if (v->count[c].value >= 1000 && fits(v, &v->count[c], rate)) {
            return true;
        }
    }
    return false;
}

/* Compares counts with what the clock gives in each time. */
static void compare_with_clock(struct reading *r, const struct values *v)
{
    const double clock = (double)reading_value(&r->machine.clock, 0);

    for (size_t t = 0; t < v->times && clock != 0; t++) {
        for (size_t c = 0; c < v->counts; c++) {
            if (v->count[c].value >= 1000 && !v->count[c].operand) {
                compare(r, &v->count[c], clock * v->time[t].value,
                        v->time[t].limit || fits_a_rate(v, &v->count[c]));
                words_add_pair(r, CLUE_words_cycles_per_second, v->count[c].line, v->count[c].value,
                               v->time[t].value * 1e9);
            }
        }
    }
    for (size_t i = 0; i < v->rates && clock != 0; i++) {
        if (!words_is_near(v->rate[i].value, clock, 0.001)) {
            compare(r, &v->rate[i], clock, is_a_clock(v, &v->rate[i]));
        }
    }
}

/* Looks for two times that differ by what some wraps of 32 bits take: that of a stopwatch and that of a counter. */
static void compare_times(struct reading *r, const struct values *v)
{
    const double clock = (double)reading_value(&r->machine.clock, 0), wrap = clock == 0 ? 0 : 4294967296.0 / clock;

    for (size_t a = 0; a < v->times && wrap != 0; a++) {
        for (size_t b = 0; b < v->times; b++) {
            const double wraps = (v->time[a].value - v->time[b].value) / wrap;

            if (wraps > 0.9 && wraps < 20 && v->time[b].value > 0.1 && v->time[b].value < wrap &&
                words_is_near(wraps, nearest(wraps), 0.005)) {
                words_add_pair(r, CLUE_words_time_wraps, v->time[b].line, v->time[a].value * 1e9,
                               v->time[b].value * 1e9);
            }
        }
    }
}

/* Returns true if a count of cycles took as long as a count of the generic timer's ticks: 1.8e9 and 24e6 ticks. */
static bool agrees_with_timer(struct reading *r, const struct values *v)
{
    const double clock = (double)reading_value(&r->machine.clock, 0);

    for (size_t i = 0; i < v->rates && clock != 0; i++) {
        for (size_t a = 0; a < v->counts && v->rate[i].value < 2e8 && v->rate[i].value * 2 < clock; a++) {
            for (size_t b = 0; b < v->counts; b++) {
                if (v->count[a].value >= 1e5 && !v->count[a].wished && !v->count[b].wished &&
                    words_is_near(v->count[b].value / clock, v->count[a].value / v->rate[i].value, 0.003)) {
                    words_add_pair(r, CLUE_words_ratio_1, v->count[b].line, v->count[b].value,
                                   clock * v->count[a].value / v->rate[i].value);
                    return true;
                }
            }
        }
    }
    return false;
}

/* Looks for a ratio of two counts that the writer gives himself: "2.9 instructions a cycle". */
static void find_quotient(struct reading *r, const struct values *v)
{
    for (size_t c = 0; c < v->counts; c++) {
        const struct value *ratio = &v->count[c];

        const double half = ratio->half != 0 ? ratio->half : 0.002 * ratio->value; /* "an IPC of 2" */

        for (size_t a = 0; a < v->counts && ratio->value < 100; a++) {
            for (size_t b = 0; b < v->counts; b++) {
                const double exact = v->count[b].value < 1e5 ? 0 : v->count[a].value / v->count[b].value;

                if (a != b && v->count[a].value >= 1e5 && exact - ratio->value <= 2 * half &&
                    ratio->value - exact <= 2 * half) {
                    words_add_pair(r, CLUE_words_quotient, ratio->line, v->count[a].value, v->count[b].value);
                }
            }
        }
    }
}

/* Looks for numbers that are 64 times another. */
static void compare_with_each_other(struct reading *r, const struct values *v)
{
    for (size_t a = 0; a < v->counts; a++) {
        for (size_t b = 0; b < v->counts; b++) {
            if (v->count[b].value >= 200 && !(v->count[a].other && v->count[b].other) &&
                words_is_near(v->count[a].value / v->count[b].value, 64, 0.03)) {
                words_add_pair(r, CLUE_words_ratio_64, v->count[b].line, v->count[b].value, v->count[a].value);
            }
        }
    }
    for (size_t a = 0; a < v->rates; a++) {
        for (size_t b = 0; b < v->rates + v->counts; b++) {
            const double megahertz = b < v->rates ? 0 : v->count[b - v->rates].value * 1e6;

            if (megahertz >= 1e8 && megahertz <= 4e9 && words_is_near(megahertz / v->rate[a].value, 64, 0.01)) {
                words_add_pair(r, CLUE_words_ratio_64, v->rate[a].line, v->rate[a].value, megahertz);
            }
            const struct value *small = b < v->rates ? &v->rate[b] : &v->count[b - v->rates];

            if (small->value >= 1e5 && words_is_near(v->rate[a].value / small->value, 64, 0.03)) {
                words_add_pair(r, CLUE_words_ratio_64, small->line, small->value, v->rate[a].value);
            }
        }
    }
}

/* Looks for 2^32 as a number, and as the time in which the clock counts so far. */
static void find_2_32(struct reading *r, const struct values *v)
{
    static const double whole = 4294967296.0;
    const double clock = (double)reading_value(&r->machine.clock, 0);

    for (size_t i = 0; i < v->counts; i++) {
        if (words_is_near(v->count[i].value, whole, 0.025)) {
            words_add_pair(r, CLUE_words_2_32, v->count[i].line, v->count[i].value, 0);
        }
    }
    for (size_t i = 0; i < v->times && clock != 0; i++) {
        if (words_is_near(v->time[i].value * clock, whole, 0.12)) {
            words_add_pair(r, CLUE_words_2_32, v->time[i].line, v->time[i].value * clock, 0);
        }
    }
}

/* Returns the next count behind @i that is no number of a counter or an event; v->counts if there is none. */
static size_t next_large(const struct values *v, size_t i)
{
    do {
        i++;
    } while (i < v->counts && v->count[i].value < 1000);
    return i;
}

/*
 * Looks for a count that is less than what is expected beside it by 2^32, or by a few times 2^32, as a 32-bit counter
 * gives it: "2.14e9, should be 6.4e9".
 */
static void find_wrapped(struct reading *r, const struct values *v)
{
    static const double whole = 4294967296.0;

    const double tolerance = reading_find(r, CLUE_words_wonders) != NULL ? 0.015 : 0.0005;

    for (size_t i = 0, next; (next = next_large(v, i)) < v->counts; i++) {
        const double a = v->count[i].value, b = v->count[next].value, more = a > b ? a : b, less = a > b ? b : a;
        const double times = nearest((more - less) / whole);
        const double digits = v->count[i].half + v->count[next].half, most = 0.01 * whole;
        const double rounded = digits < most ? digits / (times * whole) : 0;

        if (times >= 1 && times <= 8 && less < whole && more < 9 * whole && less > 1e6 &&
            words_is_near(more - less, times * whole, rounded > tolerance ? rounded : tolerance) &&
            v->count[next].line - v->count[i].line <= 1) {
            words_add_pair(r, CLUE_words_wrapped, v->count[i].line, less, more);
            reading_symptom(r, READING_wraps, v->count[i].line);
        }
    }
}

/* Looks for a count that is less by some times 2^32 than the clock gives in the time: "10 s at 1.43 GHz, 1.4e9". */
static void find_wrapped_time(struct reading *r, const struct values *v)
{
    static const double whole = 4294967296.0;
    const double clock = (double)reading_value(&r->machine.clock, 0);

    for (size_t t = 0; t < v->times && clock != 0; t++) {
        for (size_t c = 0; c < v->counts; c++) {
            const double wanted = clock * v->time[t].value, seen = v->count[c].value;
            const double times = nearest((wanted - seen) / whole);

            if (wanted > whole && wanted < 9 * whole && times >= 1 && seen < whole && seen > 1e6 &&
                !v->count[c].wished && !v->count[c].other && words_is_near(seen + times * whole, wanted, 0.01)) {
                words_add_pair(r, CLUE_words_wrapped, v->count[c].line, seen, wanted);
                reading_symptom(r, READING_wraps, v->count[c].line);
            }
        }
    }
}

/*
 * Looks for a count that is another one divided by the number of threads: "40 billion with one thread, 5 billion with 8
 * threads".
 */
static void find_thread_share(struct reading *r, const struct prose *p, const struct values *v)
{
    for (size_t i = 0; i + 1 < p->count && reading_find(r, CLUE_words_cpu_time) == NULL; i++) {
        const double threads = p->tokens[i].number ? p->tokens[i].value : words_spelled(p, i);

        if (threads < 2 || threads > 1024 || !words_prose_is(p, i + 1, "thread/threads/workers/pthreads/goroutines")) {
            continue;
        }
        for (size_t a = 0; a < v->counts; a++) {
            for (size_t b = 0; b < v->counts; b++) {
                if (v->count[b].value >= 1e5 && words_is_near(v->count[a].value / v->count[b].value, threads, 0.1)) {
                    words_add_pair(r, CLUE_words_threads_left_out, v->count[b].line, v->count[b].value,
                                   v->count[a].value);
                    reading_symptom(r, READING_small, v->count[b].line);
                    return;
                }
            }
        }
    }
}

/*
 * Looks for cycles that are those of several CPUs: the clock gives the count in a time that is the elapsed one times
 * the number of CPUs, "99.7e9 cycles, 49.87 s task-clock, 3.99 CPUs utilized, 12.5 s elapsed" at 2 GHz.
 */
static void find_cpu_time(struct reading *r, const struct prose *p, const struct values *v)
{
    const double clock = (double)reading_value(&r->machine.clock, 0);

    for (size_t i = 0; i + 1 < p->count && clock != 0; i++) {
        const double cpus = p->tokens[i].number ? p->tokens[i].value : words_spelled(p, i);

        if (cpus < 1.5 || cpus > 1024 || !words_prose_is(p, i + 1, "cpus/cores/cpu/core/threads/workers/processes")) {
            continue;
        }
        for (size_t a = 0; a < v->times; a++) {
            for (size_t b = 0; b < v->times; b++) {
                for (size_t c = 0; c < v->counts; c++) {
                    if (words_is_near(v->time[a].value, v->time[b].value * cpus, 0.03) && v->count[c].value >= 1e6 &&
                        !v->count[c].wished && words_is_near(v->count[c].value, clock * v->time[a].value, 0.03)) {
                        words_add_pair(r, CLUE_words_cpu_time, v->count[c].line, v->count[c].value, cpus);
                    }
                }
            }
        }
    }
}

/* Looks for a count that is what a loop executes: "4 instructions, 100 million times: 400,121,874", in any order. */
static void find_product(struct reading *r, const struct values *v)
{
    for (size_t a = 0; a < v->counts; a++) {
        for (size_t b = a + 1; b < v->counts; b++) {
            const double x = v->count[a].value, y = v->count[b].value, product = x * y;

            for (size_t c = 0; c < v->counts; c++) {
                if (c != a && c != b && x >= 2 && y >= 2 && product >= 2000 && v->count[c].value >= product &&
                    words_is_near(v->count[c].value, product, 0.005)) {
                    words_add_pair(r, CLUE_words_product, v->count[c].line, v->count[c].value, product);
                }
            }
        }
    }
}

/* Looks for the rate of a generic timer. */
static void find_timer_rate(struct reading *r, const struct values *v)
{
    static const double usual[] = {19.2e6, 24e6, 25e6, 26e6, 50e6, 52e6, 54e6, 62.5e6, 31.25e6, 38.4e6, 33.333e6,
                                   100e6, 99.999e6, 125e6, 8.333e6, 12e6, 13e6, 19.66e6, 32e6, 48e6};

    for (size_t i = 0; i < v->rates + v->counts; i++) {
        const struct value *rate = i < v->rates ? &v->rate[i] : &v->count[i - v->rates];

        for (size_t k = 0; k < sizeof usual / sizeof usual[0]; k++) {
            if ((i < v->rates || v->times != 0) && words_is_near(rate->value, usual[k], 0.002)) {
                words_add_pair(r, CLUE_words_ratio_timer, rate->line, rate->value, 0);
            }
        }
    }
}

/* Finds single numbers that say something beside a word. */
static void find_numbers_beside_words(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct prose_token *t = &p->tokens[i];

        if (words_prose_is(p, i, "paranoid/perf_event_paranoid/kernel.perf_event_paranoid")) {
            for (size_t k = i + 1; k < i + 6 && k < p->count &&
                reading_find(r, CLUE_words_paranoid_level) == NULL; k++) {
                if (p->tokens[k].number && p->tokens[k].value <= 4 && p->tokens[k].value >= -1) {
                    words_add_pair(r, CLUE_words_paranoid_level, t->line, p->tokens[k].value + 1, 0);
                }
            }
        }
        if (t->number && !t->hex && t->value >= 4 && t->value <= 400 &&
            (words_prose_is(p, i + 1, "cycle/cycles/ticks/clocks/counts/instructions") ||
             words_prose_is(p, i + 1, "to") ||
             (words_prose_is(p, i + 1, "cpu/clock") && words_prose_is(p, i + 2, "cycles")))) {
            words_add_pair(r, CLUE_words_tens_of_cycles, t->line, t->value, 0);
        }
    }
}

/*
 * Looks for two cycle counts that differ by next to nothing, "80,114,203 and 80,114,201", and for two counts of which
 * one may be instructions and the other cycles.
 */
static void find_agreement(struct reading *r, const struct values *v)
{
    const bool compared = reading_find(r, CLUE_words_compare_cycles) != NULL;

    for (size_t i = 0; i + 1 < v->counts; i++) {
        const struct value *a = &v->count[i], *b = &v->count[i + 1];

        if (compared && b->value >= 1e5 && words_is_near(a->value, b->value, 1e-4) && !a->wished && !b->wished) {
            words_add_pair(r, CLUE_words_as_expected, a->line, a->value, b->value);
        }
        if (a->value >= 1000 && b->value >= 1000 && a->value <= 8 * b->value && b->value <= 8 * a->value) {
            words_add_pair(r, CLUE_words_plausible_ratio, a->line, a->value, b->value);
        }
    }
}

/* Returns true if @value is what people give as the length of a loop. */
static bool is_round(double value)
{
    return value >= 10000 && value <= 1e15 && words_is_near(nearest(value / 1000) * 1000, value, 1e-12);
}

/* Looks for a count that is a little more than a round one: "1000043 for 1000000", "2 too many of 1000000". */
static void find_small_excess(struct reading *r, const struct prose *p, const struct values *v)
{
    for (size_t b = 0; b < v->counts; b++) {
        const double whole = v->count[b].value, most = whole / 100 < 2000 ? whole / 100 : 2000;

        for (size_t a = 0; a < v->counts && is_round(whole); a++) {
            if (v->count[a].value > whole && v->count[a].value - whole <= most) {
                words_add_pair(r, CLUE_words_small_excess, v->count[a].line, v->count[a].value, whole);
            }
        }
        for (size_t i = 0; i + 2 < p->count && is_round(whole); i++) {
            if (p->tokens[i].number && p->tokens[i].value >= 1 && p->tokens[i].value <= most &&
                words_prose_is(p, i + 1, "too") && words_prose_is(p, i + 2, "much/many/high")) {
                words_add_pair(r, CLUE_words_small_excess, p->tokens[i].line, whole + p->tokens[i].value, whole);
            }
        }
    }
}

void words_prose_numbers(struct reading *r, const struct prose *p)
{
    struct values v;

    memset(&v, 0, sizeof v);
    sort_numbers(p, &v);
    if (!agrees_with_timer(r, &v)) {
        compare_with_clock(r, &v);
        compare_with_each_other(r, &v);
    }
    compare_times(r, &v);
    find_quotient(r, &v);
    find_2_32(r, &v);
    words_prose_wraps(r, p);
    if (reading_find(r, CLUE_words_wraps_added) == NULL) {
        find_wrapped(r, &v);
        find_wrapped_time(r, &v);
    }
    find_timer_rate(r, &v);
    find_cpu_time(r, p, &v);
    find_thread_share(r, p, &v);
    find_product(r, &v);
    find_numbers_beside_words(r, p);
    words_prose_counters(r, p);
    words_prose_values(r, p);
    words_prose_fields(r, p);
    words_prose_masks(r, p);
    words_prose_expected(r, p);
    find_agreement(r, &v);
    find_small_excess(r, p, &v);
    for (size_t i = 0; i < p->count; i++) {
        if (p->tokens[i].number &&
            (p->tokens[i].value < -100000 || words_is_near(p->tokens[i].value, 18446744073709551616.0, 0.001)) &&
            reading_find(r, CLUE_words_negative) == NULL) {
            reading_clue(r, CLUE_words_negative, p->tokens[i].line, p->tokens[i].text)->values[0] =
                p->tokens[i].value < 0 && p->tokens[i].value >= -2147483648.0;
        }
    }
}
