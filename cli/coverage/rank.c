/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ranks tests.  The greedy order takes each time the test that reaches most events that are not yet reached.  The
 * search for the smallest set, set cover, is exact by branch and bound, and has to beat that order:
 *
 *   reduce  A test that reaches no more than another one is left out, and so is an event that each test of another
 *           event reaches, too.
 *   branch  Of the events that are not reached the one with the fewest tests is taken: one of these must be in the set.
 *   bound   Events of which no two have a test in common need a test each.
 */
#include "rank.h"

#include <stdlib.h>
#include <string.h>

#define WORK_MAX   ((uint64_t)1 << 27) /* words that the search looks at before it gives up: a fraction of a second */
#define REDUCE_MAX ((uint64_t)1 << 28) /* words that the comparison of all pairs of tests or events may look at */

/* A table of bits, a row of words for each test or event. */
struct rank_bits {
    uint64_t *bits;
    size_t rows, words;
};

/* The search. */
struct rank_search {
    struct rank_bits events; /* by test: the events that it reaches */
    struct rank_bits tests;  /* by event: the tests that reach it */
    size_t *test_of;         /* the index in the table of each test */
    size_t *by_rarity;       /* events, those with the fewest tests first */
    size_t *chosen, *best;   /* tests */
    size_t best_count;
    uint64_t work;
};

static struct rank_bits make_bits(size_t rows, size_t columns)
{
    struct rank_bits b = {.rows = rows, .words = (columns + 63) / 64};

    b.bits = cli_allocate(NULL, rows * b.words + 1, sizeof *b.bits);
    return b;
}

static uint64_t *row_of(const struct rank_bits *b, size_t row)
{
    return b->bits + row * b->words;
}

static void set_bit(const struct rank_bits *b, size_t row, size_t column)
{
    row_of(b, row)[column / 64] |= UINT64_C(1) << (column % 64);
}

static bool has_bit(const uint64_t *row, size_t column)
{
    return (row[column / 64] >> (column % 64) & 1) != 0;
}

static size_t count_bits(const uint64_t *row, const uint64_t *without, size_t words)
{
    size_t count = 0;

    for (size_t i = 0; i < words; i++) {
        for (uint64_t word = row[i] & (without == NULL ? ~UINT64_C(0) : ~without[i]); word != 0; word &= word - 1) {
            count++;
        }
    }
    return count;
}

static bool is_subset(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        if ((a[i] & ~b[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* Returns, by event, the tests that reach it, from @events, by test. */
static struct rank_bits transpose(const struct rank_bits *events, size_t columns)
{
    struct rank_bits tests = make_bits(columns, events->rows);

    for (size_t i = 0; i < events->rows; i++) {
        for (size_t e = 0; e < columns; e++) {
            if (has_bit(row_of(events, i), e)) {
                set_bit(&tests, e, i);
            }
        }
    }
    return tests;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The greedy order.
 */

static void order_greedily(struct coverage_rank *r, const struct rank_bits *events)
{
    uint64_t *seen = cli_allocate(NULL, events->words + 1, sizeof *seen);

    r->order = cli_allocate(NULL, r->reached + 1, sizeof *r->order);
    r->adds = cli_allocate(NULL, r->reached + 1, sizeof *r->adds);
    for (;;) {
        size_t best = 0, most = 0;

        for (size_t i = 0; i < events->rows; i++) {
            const size_t adds = count_bits(row_of(events, i), seen, events->words);

            if (adds > most) {
                most = adds;
                best = i;
            }
        }
        if (most == 0) {
            break;
        }
        for (size_t i = 0; i < events->words; i++) {
            seen[i] |= row_of(events, best)[i];
        }
        r->order[r->count] = best;
        r->adds[r->count++] = most;
    }
    free(seen);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The smallest set.
 */

/* Marks the rows of @b that another row that remains contains; with @contained false, those that contain another. */
static void mark_needless(const struct rank_bits *b, bool contained, bool *needless)
{
    if ((uint64_t)b->rows * b->rows * b->words > REDUCE_MAX) {
        return;
    }
    for (size_t i = 0; i < b->rows; i++) {
        for (size_t k = 0; k < b->rows && !needless[i]; k++) {
            const uint64_t *inner = row_of(b, contained ? i : k), *outer = row_of(b, contained ? k : i);

            needless[i] = k != i && !needless[k] && is_subset(inner, outer, b->words);
        }
    }
}

/* Returns @b without the rows that are @needless, and stores in @left, which has room for all, those that remain. */
static struct rank_bits keep_rows(const struct rank_bits *b, size_t columns, const bool *needless, size_t *left)
{
    struct rank_bits kept = make_bits(b->rows, columns);

    kept.rows = 0;
    for (size_t i = 0; i < b->rows; i++) {
        if (!needless[i]) {
            left[kept.rows] = i;
            memcpy(row_of(&kept, kept.rows++), row_of(b, i), b->words * sizeof *b->bits);
        }
    }
    return kept;
}

struct rank_weight {
    size_t event, tests;
};

static int compare_weights(const void *a, const void *b)
{
    const struct rank_weight *x = a, *y = b;

    return x->tests != y->tests ? (x->tests < y->tests ? -1 : 1) : x->event < y->event ? -1 : 1;
}

static void sort_by_rarity(struct rank_search *s)
{
    struct rank_weight *weights = cli_allocate(NULL, s->tests.rows + 1, sizeof *weights);

    s->by_rarity = cli_allocate(NULL, s->tests.rows + 1, sizeof *s->by_rarity);
    for (size_t e = 0; e < s->tests.rows; e++) {
        weights[e] = (struct rank_weight){e, count_bits(row_of(&s->tests, e), NULL, s->tests.words)};
    }
    qsort(weights, s->tests.rows, sizeof *weights, compare_weights);
    for (size_t e = 0; e < s->tests.rows; e++) {
        s->by_rarity[e] = weights[e].event;
    }
    free(weights);
}

/* Prepares the search in @events, of which the rows are tests. */
static void prepare(struct rank_search *s, const struct rank_bits *events, size_t columns)
{
    const size_t most = events->rows + columns + 1;
    bool *needless = cli_allocate(NULL, most, sizeof *needless);
    size_t *kept = cli_allocate(NULL, most, sizeof *kept);
    struct rank_bits all = transpose(events, columns), tests;

    mark_needless(&all, false, needless);
    tests = keep_rows(&all, events->rows, needless, kept);
    s->events = transpose(&tests, events->rows);
    memset(needless, 0, most * sizeof *needless);
    mark_needless(&s->events, true, needless);
    s->test_of = kept;
    free(all.bits);
    all = s->events;
    s->events = keep_rows(&all, tests.rows, needless, s->test_of);
    s->tests = transpose(&s->events, tests.rows);
    sort_by_rarity(s);
    free(all.bits);
    free(tests.bits);
    free(needless);
}

/* Returns how many tests are needed at least to reach all events that are not in @seen. */
static size_t bound_of(struct rank_search *s, const uint64_t *seen)
{
    uint64_t *used = cli_allocate(NULL, s->tests.words + 1, sizeof *used);
    size_t bound = 0;

    for (size_t i = 0; i < s->tests.rows; i++) {
        const uint64_t *tests = row_of(&s->tests, s->by_rarity[i]);
        bool apart = !has_bit(seen, s->by_rarity[i]);

        for (size_t k = 0; k < s->tests.words && apart; k++) {
            apart = (tests[k] & used[k]) == 0;
        }
        for (size_t k = 0; k < s->tests.words && apart; k++) {
            used[k] |= tests[k];
        }
        bound += apart;
    }
    s->work += s->tests.rows * s->tests.words + s->events.rows + 1;
    free(used);
    return bound;
}

/* Looks for a set smaller than the best one that begins with the @count tests chosen, which reach the events @seen. */
static void search(struct rank_search *s, const uint64_t *seen, size_t count)
{
    size_t event = s->tests.rows;
    uint64_t *next;

    for (size_t i = 0; i < s->tests.rows && event == s->tests.rows; i++) {
        event = has_bit(seen, s->by_rarity[i]) ? event : s->by_rarity[i];
    }
    if (event == s->tests.rows) {
        memcpy(s->best, s->chosen, count * sizeof *s->best);
        s->best_count = count;
        return;
    }
    if (count + bound_of(s, seen) >= s->best_count) {
        return;
    }
    next = cli_allocate(NULL, s->events.words + 1, sizeof *next);
    for (size_t i = 0; i < s->events.rows && s->work < WORK_MAX && count + 1 < s->best_count; i++) {
        if (has_bit(row_of(&s->tests, event), i)) {
            for (size_t k = 0; k < s->events.words; k++) {
                next[k] = seen[k] | row_of(&s->events, i)[k];
            }
            s->chosen[count] = i;
            search(s, next, count + 1);
        }
    }
    free(next);
}

static int compare_indices(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return x < y ? -1 : x > y;
}

/* Finds the smallest set; the greedy order is one that is to be beaten. */
static void find_set(struct coverage_rank *r, const struct rank_bits *events)
{
    struct rank_search s = {.best_count = r->count};
    uint64_t *seen;

    prepare(&s, events, r->reached);
    s.chosen = cli_allocate(NULL, r->count + 1, sizeof *s.chosen);
    s.best = cli_allocate(NULL, r->count + 1, sizeof *s.best);
    seen = cli_allocate(NULL, s.events.words + 1, sizeof *seen);
    r->bound = bound_of(&s, seen);
    search(&s, seen, 0);
    r->set = cli_allocate(NULL, r->count + 1, sizeof *r->set);
    r->set_count = s.best_count;
    for (size_t i = 0; i < r->set_count; i++) {
        r->set[i] = s.best_count < r->count ? s.test_of[s.best[i]] : r->order[i];
    }
    qsort(r->set, r->set_count, sizeof *r->set, compare_indices);
    r->bound = s.work < WORK_MAX ? r->set_count : r->bound;
    free(seen);
    free(s.chosen);
    free(s.best);
    free(s.by_rarity);
    free(s.test_of);
    free(s.events.bits);
    free(s.tests.bits);
}

void coverage_rank(struct coverage_rank *r, const struct coverage_table *t)
{
    struct rank_bits events;

    *r = (struct coverage_rank){.reached = 0};
    for (size_t e = 0; e < t->event_count; e++) {
        r->reached += t->events[e].tests > 0;
    }
    events = make_bits(t->test_count, r->reached);
    for (size_t e = 0, column = 0; e < t->event_count; e++) {
        for (size_t i = 0; i < t->test_count && t->events[e].tests > 0; i++) {
            if (coverage_reaches(t, i, e)) {
                set_bit(&events, i, column);
            }
        }
        column += t->events[e].tests > 0;
    }
    order_greedily(r, &events);
    find_set(r, &events);
    free(events.bits);
}

void coverage_rank_free(struct coverage_rank *r)
{
    free(r->order);
    free(r->adds);
    free(r->set);
    *r = (struct coverage_rank){.reached = 0};
}
