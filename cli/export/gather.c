/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the counts of an engine by CPU, adds up runs of the engine, and judges whether counters move. */
#define _GNU_SOURCE
#include "gather.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <armpmu/event_numbers.h>

#define BUSY_ENOUGH_S 0.1 /* a CPU that was busy for so long has executed instructions, beyond the ticks of its clock */

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Returns @a + @b. */
static struct tally sum(const struct tally *a, const struct tally *b)
{
    return (struct tally){.count = a->count + b->count, .enabled_ns = a->enabled_ns + b->enabled_ns,
                          .running_ns = a->running_ns + b->running_ns, .missed_ns = a->missed_ns + b->missed_ns,
                          .counted = a->counted || b->counted};
}

/* Returns @now - @then, which is an earlier reading. */
static struct tally difference(const struct tally *now, const struct tally *then)
{
    return (struct tally){.count = now->count - then->count, .enabled_ns = now->enabled_ns - then->enabled_ns,
                          .running_ns = now->running_ns - then->running_ns,
                          .missed_ns = now->missed_ns - then->missed_ns,
                          .counted = now->running_ns != then->running_ns};
}

/*
 * Makes @total of @now, which this run of the engine counted, and of @base.  A value below that of the last reading is
 * left out: it would look like a restart.
 */
static void add_up(struct tally *total, const struct tally *base, const struct tally *now)
{
    const struct tally next = sum(base, now);

    total->count = next.count > total->count ? next.count : total->count;
    total->enabled_ns = next.enabled_ns > total->enabled_ns ? next.enabled_ns : total->enabled_ns;
    total->running_ns = next.running_ns > total->running_ns ? next.running_ns : total->running_ns;
    total->missed_ns = next.missed_ns > total->missed_ns ? next.missed_ns : total->missed_ns;
    total->counted = next.counted;
}

int gather_read(struct gather *g)
{
    const struct engine *engine = g->job->engine;
    const size_t events = g->job->selection.count;
    struct count_status st = {0};
    int status;

    engine->wait(g->run, 0, &st);
    g->ended = st.ended;
    if (g->job->all_cpus) {
        status = engine->read_cpus(g->run, st.elapsed_ns, g->states, g->tallies);
    } else {
        g->states[0] = (struct count_cpu){.online = true, .counting = !st.ended};
        status = engine->read(g->run, st.elapsed_ns, g->tallies);
    }
    for (size_t i = 0; i < g->part_count && status == CLI_YES; i++) {
        struct gather_part *part = &g->parts[i];

        part->state = g->states[i];
        for (size_t n = 0; n < events; n++) {
            add_up(&part->total[n], &part->base[n], &g->tallies[i * events + n]);
        }
    }
    return status;
}

/*
 * Judges the counter of event @n of @part, whose CPU was busy for @busy_s in the last window.  A counter that was
 * shared may have been away while the CPU was busy, and one that leaves out levels may rightly stand still.
 */
static void judge_counter(const struct gather *g, struct gather_part *part, size_t n, double busy_s)
{
    const struct event_choice *e = &g->job->selection.events[n];
    const struct tally *t = &part->window[n];
    const bool must_move = (e->number == APMU_EV_CPU_CYCLES || e->number == APMU_EV_INST_RETIRED) && e->filter == 0;

    if (!must_move || !part->state.counting || t->running_ns == 0) {
        return;
    }
    if (t->count != 0) {
        part->health[n] = GATHER_MOVES;
    } else if (busy_s >= BUSY_ENOUGH_S && t->running_ns == t->enabled_ns) {
        part->health[n] = GATHER_STANDS;
    }
}

/* Opens a window: what is counted from now on belongs to it. */
static void open_window(struct gather *g, const double *busy_s)
{
    const size_t events = g->job->selection.count;

    for (size_t i = 0; i < g->part_count; i++) {
        struct gather_part *part = &g->parts[i];

        memcpy(part->opened, part->total, events * sizeof *part->opened);
        part->before = part->state;
        part->busy_s = busy_s[i];
    }
    g->opened_ns = now_ns();
}

/* Returns whether a CPU came back since the window was opened, so that the engine must begin again to count it. */
static bool has_come_back(const struct gather *g)
{
    for (size_t i = 0; i < g->part_count && g->job->all_cpus; i++) {
        const struct gather_part *part = &g->parts[i];

        if (part->state.online && !part->state.counting && (!part->before.online || part->before.counting)) {
            return true;
        }
    }
    return false;
}

/* Ends the run of the engine and begins another one, which continues its counts. */
static int begin_again(struct gather *g)
{
    const size_t events = g->job->selection.count;
    int status = CLI_YES;

    for (size_t i = 0; i < g->part_count; i++) {
        memcpy(g->parts[i].base, g->parts[i].total, events * sizeof *g->parts[i].base);
    }
    g->job->engine->end(g->run);
    g->run = g->job->engine->begin(g->job, &status);
    return status == CLI_YES ? gather_read(g) : status;
}

int gather_close(struct gather *g)
{
    double *busy_s = cli_allocate(NULL, g->part_count, sizeof *busy_s);
    int status = gather_read(g);

    if (g->job->all_cpus) {
        busy_read(busy_s, g->part_count);
    }
    for (size_t i = 0; i < g->part_count && status == CLI_YES; i++) {
        struct gather_part *part = &g->parts[i];

        for (size_t n = 0; n < g->job->selection.count; n++) {
            part->window[n] = difference(&part->total[n], &part->opened[n]);
            judge_counter(g, part, n, g->job->all_cpus ? busy_s[i] - part->busy_s : 0);
        }
    }
    g->window_ns = now_ns() - g->opened_ns;
    if (status == CLI_YES && has_come_back(g)) {
        status = begin_again(g);
    }
    if (status == CLI_YES) {
        open_window(g, busy_s);
    }
    free(busy_s);
    return status;
}

int gather_begin(struct gather *g, struct count_job *job)
{
    const size_t events = job->selection.count;
    struct timespec t;
    double *busy_s;
    int status = CLI_YES;

    *g = (struct gather){.job = job, .part_count = 1};
    clock_gettime(CLOCK_REALTIME, &t);
    g->created_s = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
    g->run = job->engine->begin(job, &status);
    if (g->run == NULL) {
        return status;
    }
    g->part_count = job->all_cpus ? job->engine->cpus(g->run) : 1;
    g->parts = cli_allocate(NULL, g->part_count, sizeof *g->parts);
    g->states = cli_allocate(NULL, g->part_count, sizeof *g->states);
    g->tallies = cli_allocate(NULL, g->part_count * events, sizeof *g->tallies);
    for (size_t i = 0; i < g->part_count; i++) {
        struct gather_part *part = &g->parts[i];

        part->base = cli_allocate(NULL, events, sizeof *part->base);
        part->total = cli_allocate(NULL, events, sizeof *part->total);
        part->opened = cli_allocate(NULL, events, sizeof *part->opened);
        part->window = cli_allocate(NULL, events, sizeof *part->window);
        part->health = cli_allocate(NULL, events, sizeof *part->health);
    }
    status = gather_read(g);
    busy_s = cli_allocate(NULL, g->part_count, sizeof *busy_s);
    if (job->all_cpus) {
        busy_read(busy_s, g->part_count);
    }
    open_window(g, busy_s);
    free(busy_s);
    return status;
}

void gather_end(struct gather *g)
{
    for (size_t i = 0; i < g->part_count && g->parts != NULL; i++) {
        free(g->parts[i].base);
        free(g->parts[i].total);
        free(g->parts[i].opened);
        free(g->parts[i].window);
        free(g->parts[i].health);
    }
    if (g->run != NULL) {
        g->job->engine->end(g->run);
    }
    free(g->parts);
    free(g->states);
    free(g->tallies);
    *g = (struct gather){0};
}
