/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects intervals. */
#define _GNU_SOURCE
#include "collect_intervals.h"

#include <stdlib.h>
#include <time.h>

#define NS_PER_MS     UINT64_C(1000000)
#define NS_PER_SECOND UINT64_C(1000000000)

void collect_intervals_init(struct collect_intervals *s, size_t events)
{
    *s = (struct collect_intervals){.events = events, .step_ns = INTERVALS_FIRST_NS, .next_ns = INTERVALS_FIRST_NS};
    s->rows = cli_allocate(NULL, INTERVALS_MOST, sizeof *s->rows);
    s->counts = cli_allocate(NULL, INTERVALS_MOST * events, sizeof *s->counts);
    s->last = cli_allocate(NULL, events, sizeof *s->last);
}

/* Makes one interval of each two. */
static void join_pairs(struct collect_intervals *s)
{
    for (size_t i = 0; i < s->count / 2; i++) {
        s->rows[i] = (struct recording_interval){.start_ns = s->rows[2 * i].start_ns,
                                                 .end_ns = s->rows[2 * i + 1].end_ns};
        for (size_t k = 0; k < s->events; k++) {
            s->counts[i * s->events + k] = s->counts[2 * i * s->events + k] + s->counts[(2 * i + 1) * s->events + k];
        }
    }
    s->count /= 2;
    s->step_ns *= 2;
}

void collect_intervals_end(struct collect_intervals *s, uint64_t now_ns, const uint64_t *totals)
{
    if (s->count == INTERVALS_MOST) { /* an even number */
        join_pairs(s);
    }
    s->rows[s->count] = (struct recording_interval){.start_ns = s->last_ns, .end_ns = now_ns};
    for (size_t k = 0; k < s->events; k++) {
        const uint64_t more = totals[k] > s->last[k] ? totals[k] - s->last[k] : 0;

        s->counts[s->count * s->events + k] = more;
        s->last[k] += more;
    }
    s->count++;
    s->last_ns = now_ns;
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

/* Reads the counts of @run and ends the interval, @at_ns after the start. */
static void read_interval(struct collect_intervals *s, struct apmu_run *run, const struct collect_shares *shares,
                          uint64_t at_ns)
{
    const uint64_t begun = now_ns();
    uint64_t sources[APMU_SOURCE_COUNT], core[APMU_RUN_CORE_EVENTS];
    uint64_t *totals = cli_allocate(NULL, s->events, sizeof *totals);
    struct apmu_refusal ignored; /* the end of the run tells it */

    if (apmu_run_totals(run, sources, core, &ignored)) {
        for (size_t i = 0; i < shares->count; i++) {
            const struct event_share *share = &shares->shares[i];

            totals[share->event] += share->times * (share->source < APMU_SOURCE_COUNT
                                                        ? sources[share->source]
                                                        : core[share->source - APMU_SOURCE_COUNT]);
        }
        collect_intervals_end(s, at_ns, totals);
    }
    free(totals);
    const uint64_t least = (now_ns() - begun) * INTERVALS_SHARE;

    s->next_ns = at_ns + (least > s->step_ns ? least : s->step_ns);
}

void collect_intervals_wait(struct collect_intervals *s, struct apmu_run *run, const struct collect_shares *shares,
                            int timeout_ms, struct apmu_run_status *status)
{
    const uint64_t begun = now_ns();

    for (;;) {
        const uint64_t passed = (now_ns() - begun) / NS_PER_MS;
        int wait_ms = timeout_ms < 0 ? -1 : passed < (uint64_t)timeout_ms ? timeout_ms - (int)passed : 0;

        if (s->step_ns != 0 && wait_ms != 0) {
            const uint64_t at = status->elapsed_ns;
            const uint64_t next_ms = s->next_ns > at ? (s->next_ns - at) / NS_PER_MS + 1 : 1;

            wait_ms = wait_ms < 0 || next_ms < (uint64_t)wait_ms ? (int)next_ms : wait_ms;
        }
        apmu_run_wait(run, wait_ms, status);
        if (status->ended || s->step_ns == 0) {
            return;
        }
        if (status->elapsed_ns >= s->next_ns) {
            read_interval(s, run, shares, status->elapsed_ns);
        }
        if (timeout_ms >= 0 && (now_ns() - begun) / NS_PER_MS >= (uint64_t)timeout_ms) {
            return;
        }
    }
}

/* Takes @excess of event @event, which was read too early, from the last intervals of @r that have it. */
static void take_back(struct recording *r, size_t event, uint64_t excess)
{
    for (size_t i = r->interval_count; i-- > 0 && excess != 0;) {
        uint64_t *count = &r->interval_counts[i * r->event_count + event];
        const uint64_t less = *count < excess ? *count : excess;

        *count -= less;
        excess -= less;
    }
}

bool collect_intervals_add(const struct collect_intervals *s, struct recording *r, uint64_t now_ns)
{
    const struct recording_interval rest = {.start_ns = s->last_ns, .end_ns = now_ns};
    uint64_t *counts = cli_allocate(NULL, r->event_count, sizeof *counts);
    bool ok = true;

    for (size_t i = 0; i < s->count && ok; i++) {
        ok = recording_add_interval(r, &s->rows[i], &s->counts[i * s->events]) != RECORDING_NONE;
    }
    for (uint32_t event = 0; event < s->events && ok; event++) {
        const uint64_t sum = recording_sum(r, event);

        counts[event] = sum > s->last[event] ? sum - s->last[event] : 0;
        take_back(r, event, sum < s->last[event] ? s->last[event] - sum : 0);
    }
    ok = ok && (s->step_ns == 0 || recording_add_interval(r, &rest, counts) != RECORDING_NONE);
    free(counts);
    return ok;
}

void collect_intervals_free(struct collect_intervals *s)
{
    free(s->rows);
    free(s->counts);
    free(s->last);
    *s = (struct collect_intervals){.rows = NULL};
}
