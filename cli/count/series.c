/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of the runs of one program. */
#include "series.h"

#include <stdlib.h>
#include <string.h>

void series_init(struct series *s, size_t events)
{
    memset(s, 0, sizeof *s);
    s->events = events;
    s->counts = cli_allocate(NULL, events, sizeof *s->counts);
    s->sums = cli_allocate(NULL, events, sizeof *s->sums);
}

/* Adds a value by Welford's recurrence, which loses no digits where values are large and nearly equal. */
static void add(struct sample *s, uint64_t value)
{
    const double distance = (double)value - s->mean;

    s->number++;
    s->mean += distance / s->number;
    s->squares += distance * ((double)value - s->mean);
    s->least = s->number == 1 || value < s->least ? value : s->least;
    s->greatest = value > s->greatest ? value : s->greatest;
}

void series_add(struct series *s, const struct tally *tallies, const struct count_status *status)
{
    for (size_t i = 0; i < s->events; i++) {
        const struct tally *t = &tallies[i];
        struct tally *sum = &s->sums[i];

        sum->count += t->count;
        sum->enabled_ns += t->enabled_ns;
        sum->running_ns += t->running_ns;
        sum->missed_ns += t->missed_ns;
        sum->counted = t->counted && (s->runs == 0 || sum->counted);
        if (t->counted) {
            add(&s->counts[i], engine_estimate(t));
        }
    }
    add(&s->elapsed, status->elapsed_ns);
    add(&s->user, status->user_ns);
    add(&s->system, status->system_ns);
    s->runs++;
}

void series_means(const struct series *s, struct tally *tallies)
{
    const uint64_t half = s->runs / 2;

    for (size_t i = 0; i < s->events; i++) {
        const struct tally *sum = &s->sums[i];

        tallies[i] = (struct tally){.count = (sum->count + half) / s->runs, .enabled_ns = sum->enabled_ns / s->runs,
                                    .running_ns = sum->running_ns / s->runs, .missed_ns = sum->missed_ns / s->runs,
                                    .counted = sum->counted};
    }
}

/* Returns the square root of @x, which is not negative, by Newton's iteration: the tool needs no other of libm. */
static double square_root(double x)
{
    double root = x > 1 ? x : 1;

    for (double next = (root + x / root) / 2; next < root; next = (root + x / root) / 2) {
        root = next;
    }
    return root;
}

double series_spread(const struct sample *s)
{
    if (s->number < 2 || s->least == s->greatest || s->mean <= 0) {
        return 0;
    }
    return 100 * square_root(s->squares / (s->number - 1) / s->number) / s->mean;
}

void series_free(struct series *s)
{
    free(s->counts);
    free(s->sums);
    memset(s, 0, sizeof *s);
}
