/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares what a text says to be expected with what it says to be seen: "I expect 200 cycles and see 3". */
#include "words.h"

/* Returns the index of a number at @i or up to @reach tokens behind it in the sentence; the count of tokens: none. */
static size_t number_near(const struct prose *p, size_t i, size_t reach)
{
    for (size_t k = i; k < p->count && k <= i + reach && p->tokens[k].sentence == p->tokens[i].sentence; k++) {
        if (p->tokens[k].number) {
            const bool other = p->tokens[k].hex || p->tokens[k].index ||
                               words_prose_is(p, k + 1, "%/percent/bit/bits/cores/cpus/times/x/counters/events/mhz/"
                                                      "ghz");

            return other ? p->count : k;
        }
    }
    return p->count;
}

/* Notes that the count @seen is near the expected one, @wanted.  Returns false if it is not. */
static bool is_as_expected(struct reading *r, const struct prose *p, size_t wanted, size_t seen)
{
    const struct prose_token *a = &p->tokens[seen], *b = &p->tokens[wanted];

    if (b->value < 100 || !words_is_near(a->value, b->value, 0.02)) {
        return false;
    }
    words_add_pair(r, CLUE_words_as_expected, a->line, a->value, b->value);
    return true;
}

/* Looks for a count before what is expected: "prints 30.1 million for a loop that should have 30 million". */
static bool find_before(struct reading *r, const struct prose *p, size_t wanted)
{
    for (size_t k = wanted; k > 0 && wanted - k < 16 && p->tokens[k - 1].sentence == p->tokens[wanted].sentence; k--) {
        const struct prose_token *t = &p->tokens[k - 1];

        if (t->number && !t->hex && !t->index && words_seconds(p, k) == words_seconds(p, wanted + 1) &&
            is_as_expected(r, p, wanted, k - 1)) {
            return true;
        }
    }
    return false;
}

double words_amount(const struct prose *p, size_t i)
{
    static const char *const teens[] = {"eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
                                        "eighteen", "nineteen", "twenty"};
    const double scale = words_prose_is(p, i, "hundred") ? 100 : words_prose_is(p, i, "thousand") ? 1000 : 0;
    const struct prose_token *t = &p->tokens[i];

    if (t->number) {
        return t->hex || t->index ? 0 : t->value;
    }
    if (scale != 0) {
        const double before = i > 0 ? words_spelled(p, i - 1) : 0;

        return before == 0 ? scale : before * scale;
    }
    if (words_prose_is(p, i, "a/per/each/every") || words_prose_is(p, i + 1, "hundred/thousand")) {
        return 0;
    }
    for (size_t n = 0; n < sizeof teens / sizeof teens[0]; n++) {
        if (words_prose_is(p, i, teens[n])) {
            return (double)(n + 11);
        }
    }
    return words_spelled(p, i);
}

/* Returns true if @n is what people give as the length of a region: a multiple of ten, or a power of two. */
static bool is_chosen(double n)
{
    const uint64_t whole = (uint64_t)n;

    return whole % 10 == 0 || (whole & (whole - 1)) == 0;
}

enum { AMOUNTS = 24, MOST_EXCESS = 2000 };

/* A number of a text that may be a count, or the length of what is counted. */
struct amount {
    double value;
    uint32_t line, sentence;
};

/* Stores the numbers of @p that may be counts in @list.  Returns how many there are. */
static size_t list_amounts(const struct prose *p, struct amount list[AMOUNTS])
{
    size_t count = 0;

    for (size_t i = 0; i < p->count && count < AMOUNTS; i++) {
        const double n = words_amount(p, i);

        if (n >= 1 && n < 1e9 && words_seconds(p, i + 1) == 0 &&
            !words_prose_is(p, i + 1, "%/percent/bit/bits/mhz/ghz/khz/kb/mb/x/reads/readings/values")) {
            list[count++] = (struct amount){n, p->tokens[i].line, p->tokens[i].sentence};
        }
    }
    return count;
}

/* Returns what amount @seen of the list has more than @length beside it; 0: these two are no such pair. */
static double excess_of(const struct amount *list, size_t length, size_t seen)
{
    const size_t apart = seen > length ? seen - length : length - seen;
    const double excess = list[seen].value - list[length].value;
    const bool behind = seen > length || (is_chosen(list[length].value) && !is_chosen(list[seen].value));

    return apart <= 2 && list[seen].sentence == list[length].sentence && behind && excess >= 1 && excess <= MOST_EXCESS
               ? excess
               : 0;
}

/* Returns true if regions of lengths @a and @c differ so much that an @excess of both is no step of a list. */
static bool are_apart(double a, double c, double excess)
{
    return c >= 10 && c > excess && (c >= 2 * (a + excess) || (c >= 2 * a && excess <= a / 4));
}

/* Returns true if a pair with a longer region has the @excess that count @b has over length @a. */
static bool is_repeated(const struct amount *list, size_t count, size_t a, size_t b, double excess)
{
    for (size_t c = 0; c < count; c++) {
        for (size_t d = 0; d < count; d++) {
            const bool other = c != d && (c > b) == (c > a) && (d > c) == (b > a);

            if (other && are_apart(list[a].value, list[c].value, excess) &&
                words_is_near(excess_of(list, c, d), excess, 0)) {
                return true;
            }
        }
    }
    return false;
}

/* Looks for counts of regions of several lengths that are all as much too large: "10 ADDs give 22, 100 give 112". */
static void find_constant_excess(struct reading *r, const struct prose *p)
{
    struct amount list[AMOUNTS];
    const size_t count = list_amounts(p, list);

    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++) {
            const double excess = a == b ? 0 : excess_of(list, a, b);

            if (excess != 0 && is_repeated(list, count, a, b, excess)) {
                words_add_pair(r, CLUE_words_constant_excess, list[b].line, list[b].value, list[a].value);
                return;
            }
        }
    }
}

/* Returns true if three counts, each @next_count apart, lie on a line over three lengths that does not begin at 0. */
static bool is_line_with_offset(const struct amount *length, size_t next_length, const struct amount *count,
                                size_t next_count)
{
    const double a = length[0].value, b = length[next_length].value, c = length[2 * next_length].value;
    const double x = count[0].value, y = count[next_count].value, z = count[2 * next_count].value;
    const double slope = b > a ? (y - x) / (b - a) : 0, offset = x - slope * a;

    return b >= 2 * a && c >= 2 * b && slope > 0 && offset >= 2 && offset <= MOST_EXCESS &&
           words_is_near(z - y, slope * (c - b), 0.01);
}

/*
 * Looks for counts of three lengths that lie on a line which does not begin at 0: "one pass 47, ten passes 137, a
 * hundred 1037" are 37 and 10 a pass.
 */
static void find_line_with_offset(struct reading *r, const struct prose *p)
{
    struct amount list[AMOUNTS];
    const size_t count = list_amounts(p, list);

    for (size_t i = 0; i + 5 < count; i++) {
        if (is_line_with_offset(list + i, 2, list + i + 1, 2) || is_line_with_offset(list + i, 1, list + i + 3, 1)) {
            words_add_pair(r, CLUE_words_constant_excess, list[i + 1].line, list[i + 5].value, list[i + 4].value);
            return;
        }
    }
}

/* Looks for a number of events that no core can count at once: "fourteen raw events". */
static void find_many_events(struct reading *r, const struct prose *p)
{
    const struct apmu_core_info *core = r->machine.core;
    const double counters = core != NULL && core->counters <= 31 && core->counters > 6 ? core->counters : 6;

    for (size_t i = 0; i + 1 < p->count; i++) {
        const double n = words_amount(p, i);
        const size_t noun = i + 1 + words_prose_is(p, i + 1, "of/raw/hardware/pmu/perf/different/hw/such");

        if (n > counters + 1 && n < 100 &&
            (words_prose_is(p, noun, "events") ||
             (words_prose_is(p, noun, "the/these/our/my/hardware/raw/pmu") && words_prose_is(p, noun + 1, "events")))) {
            words_add_pair(r, CLUE_words_many_events, p->tokens[i].line, n, 0);
            return;
        }
    }
}

/* Returns the index of a count of at least a thousand at @i or up to @reach tokens behind it in the sentence. */
static size_t count_behind(const struct prose *p, size_t i, size_t reach)
{
    for (size_t k = i; k < p->count && k <= i + reach && p->tokens[k].sentence == p->tokens[i].sentence; k++) {
        const struct prose_token *t = &p->tokens[k];

        if (t->number && !t->hex && !t->index && t->value >= 1000 && words_seconds(p, k + 1) == 0) {
            return k;
        }
    }
    return p->count;
}

/* Returns true if @i is a number that the writer's own program gives: "we see 40 million", "my code prints 40e6". */
static bool is_own(const struct prose *p, size_t i)
{
    static const char own[] = "we/i/my/our/mine/ours/own/it/library/tool/program/profiler/read/reads/fd/counter";

    for (size_t k = i; k > 0 && i - k < 8 && p->tokens[k - 1].sentence == p->tokens[i].sentence &&
                       !p->tokens[k - 1].number; k--) {
        if (words_prose_is(p, k - 1, own)) {
            return true;
        }
    }
    return false;
}

/*
 * Returns the index of the last count of one's own in the sentence before that of token @i; the count of tokens: none.
 */
static size_t own_before(const struct prose *p, size_t i)
{
    size_t k = i;

    while (k > 0 && p->tokens[k - 1].sentence == p->tokens[i].sentence) {
        k--;
    }
    for (const size_t end = k; k > 0 && p->tokens[k - 1].sentence == p->tokens[end - 1].sentence; k--) {
        if (count_behind(p, k - 1, 0) < p->count) {
            return is_own(p, k - 1) ? k - 1 : p->count;
        }
    }
    return p->count;
}

/*
 * Looks for a count of one's own that is less than perf's: "we see 40 million, while perf stat shows 3.1 billion".  Own
 * ones may be in the sentence before.
 */
static void find_less_than_perf(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i + 3 < p->count; i++) {
        if (!words_prose_is(p, i, "perf") || !words_prose_is(p, i + 1, "stat")) {
            continue;
        }
        const size_t theirs = count_behind(p, i + 2, 12);
        size_t own = theirs < p->count ? count_behind(p, theirs + 1, 12) : p->count;

        for (size_t k = i; k > 0 && i - k < 16 && p->tokens[k - 1].sentence == p->tokens[i].sentence; k--) {
            own = count_behind(p, k - 1, 0) < p->count && is_own(p, k - 1) ? k - 1 : own;
        }
        own = own < p->count ? own : own_before(p, i);
        if (theirs < p->count && own < p->count && is_own(p, own) &&
            p->tokens[own].value * 1.6 < p->tokens[theirs].value) {
            words_add_pair(r, CLUE_words_less_than_perf, p->tokens[own].line, p->tokens[own].value,
                           p->tokens[theirs].value);
            return;
        }
    }
}

void words_prose_expected(struct reading *r, const struct prose *p)
{
    static const char expects[] = "expect/expected/expecting/should/want/wanted/supposed/anticipated/ought";
    static const char sees[] = "see/sees/saw/get/gets/got/gives/shows/reads/prints/instead/have/reports/is/it/but/"
                               "measure/measured/only/not";

    find_constant_excess(r, p);
    find_line_with_offset(r, p);
    find_many_events(r, p);
    find_less_than_perf(r, p);
    for (size_t i = 0; i + 2 < p->count; i++) {
        const size_t wanted = words_prose_is(p, i, expects) ? number_near(p, i + 1, 4) : p->count;

        if (wanted < p->count && find_before(r, p, wanted)) {
            return;
        }
        for (size_t k = wanted + 1; k < p->count && k < wanted + 14 &&
                                    p->tokens[k].sentence == p->tokens[i].sentence; k++) {
            const size_t seen = words_prose_is(p, k, sees) ? number_near(p, k + 1, 2) : p->count;

            if (seen >= p->count || (words_seconds(p, wanted + 1) != 0) != (words_seconds(p, seen + 1) != 0) ||
                words_seconds(p, wanted + 1) != words_seconds(p, seen + 1) || p->tokens[wanted].value < 3) {
                continue;
            }
            if (is_as_expected(r, p, wanted, seen)) {
                return;
            }
            if (p->tokens[seen].value == 0) {
                reading_symptom(r, READING_zero, p->tokens[seen].line);
            } else if (p->tokens[seen].value * 1.6 < p->tokens[wanted].value) {
                reading_symptom(r, READING_small, p->tokens[seen].line);
            } else if (p->tokens[seen].value > p->tokens[wanted].value * 1.6) {
                reading_symptom(r, READING_large, p->tokens[seen].line);
            }
            return;
        }
    }
}
