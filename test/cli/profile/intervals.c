/* SPDX-License-Identifier: BSD-2-Clause */
/* Intervals of a run of any length are bounded in number, follow each other, and add up to what the code counted. */
#include <stdlib.h>

#include "../../../cli/profile/collect_intervals.h"
#include "../../lib/tap.h"

enum { EVENTS = 2 };

static uint64_t random_state = UINT64_C(88172645463325253);

static uint64_t next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Returns a recording whose code counted @totals. */
static struct recording *counted(const uint64_t totals[EVENTS])
{
    const struct recording_code code = {.map = RECORDING_NONE, .length = 4};
    struct recording *r = recording_new();

    (void)recording_add_event(r, "A", "", 0);
    (void)recording_add_event(r, "B", "", 0);
    (void)recording_add_code(r, &code, totals);
    return r;
}

/* Ends @number intervals, with a second event that seems to go back by a few now and then. */
static void check_run(unsigned number)
{
    uint64_t totals[EVENTS] = {0, 0}, read[EVENTS], now = 0, sums[EVENTS] = {0, 0};
    struct collect_intervals s;

    collect_intervals_init(&s, EVENTS);
    for (unsigned i = 0; i < number; i++) {
        now += s.step_ns + next() % 1000;
        totals[0] += next() % 1000000;
        totals[1] += next() % 5;
        read[0] = totals[0];
        read[1] = totals[1] + next() % 10;
        collect_intervals_end(&s, now, read);
    }
    struct recording *r = counted(totals);

    MUST(collect_intervals_add(&s, r, now + 7), "there is no memory");
    MUST(r->interval_count <= INTERVALS_MOST + 1, "%zu intervals", r->interval_count);
    MUST(number < INTERVALS_MOST || r->interval_count > INTERVALS_MOST / 2, "%zu intervals", r->interval_count);
    for (size_t i = 0; i < r->interval_count; i++) {
        MUST_EQ(r->intervals[i].start_ns, i == 0 ? 0 : r->intervals[i - 1].end_ns, "start of interval %zu", i);
        sums[0] += r->interval_counts[i * EVENTS];
        sums[1] += r->interval_counts[i * EVENTS + 1];
    }
    MUST_EQ(r->intervals[r->interval_count - 1].end_ns, now + 7, "end after %u", number);
    MUST_EQ(sums[0], totals[0], "sum after %u", number);
    MUST_EQ(sums[1], totals[1], "sum of what goes back after %u", number);
    recording_free(r);
    collect_intervals_free(&s);
}

static void follow_each_other(void)
{
    for (unsigned number = 0; number < 1000; number++) {
        check_run(number);
    }
}

/* Each interval has its own count, also when two became one. */
static void keep_their_place(void)
{
    const uint64_t none[EVENTS] = {0, 0}, some[EVENTS] = {5, 0};
    struct collect_intervals s;

    collect_intervals_init(&s, EVENTS);
    for (unsigned i = 0; i <= INTERVALS_MOST; i++) {
        collect_intervals_end(&s, (i + 1) * INTERVALS_FIRST_NS, i < 10 ? none : some);
    }
    MUST_EQ(s.count, INTERVALS_MOST / 2 + 1, "intervals");
    MUST_EQ(s.step_ns, 2 * INTERVALS_FIRST_NS, "length");
    MUST_EQ(s.counts[5 * EVENTS], 5, "the count of the tenth");
    MUST_EQ(s.rows[5].start_ns, 10 * INTERVALS_FIRST_NS, "its start");
    MUST_EQ(s.rows[5].end_ns, 12 * INTERVALS_FIRST_NS, "its end");
    collect_intervals_free(&s);
}

static void none_are_added(void)
{
    const struct collect_intervals s = {.events = 0};
    const uint64_t some[EVENTS] = {5, 6};
    struct recording *r = counted(some);

    MUST(collect_intervals_add(&s, r, 7) && r->interval_count == 0, "%zu intervals", r->interval_count);
    recording_free(r);
}

int main(void)
{
    tap_run("intervals follow each other and add up", follow_each_other);
    tap_run("each interval keeps its count", keep_their_place);
    tap_run("a recording without intervals has none", none_are_added);
    return tap_status;
}
