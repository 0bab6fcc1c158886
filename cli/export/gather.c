/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the counts of an engine by CPU or cgroup, and judges whether counters move. */
#define _GNU_SOURCE
#include "gather.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <armpmu/event_numbers.h>

#include "host.h"

#define BUSY_ENOUGH_S 0.1 /* a CPU that was busy for so long has executed instructions, beyond the ticks of its clock */

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Returns @now - @then, which is an earlier reading. */
static struct tally difference(const struct tally *now, const struct tally *then)
{
    return (struct tally){.count = now->count - then->count, .enabled_ns = now->enabled_ns - then->enabled_ns,
                          .running_ns = now->running_ns - then->running_ns,
                          .missed_ns = now->missed_ns - then->missed_ns,
                          .counted = now->running_ns != then->running_ns};
}

/* ---------------------------------------------------------------------------------------------------------------
 * Parts.
 */

/* Adds a part without counts. */
static struct gather_part *add_part(struct gather *g)
{
    const size_t events = g->job->selection.count;
    struct gather_part *part = cli_allocate(NULL, 1, sizeof *part);
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    part->created_s = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
    part->total = cli_allocate(NULL, events, sizeof *part->total);
    part->opened = cli_allocate(NULL, events, sizeof *part->opened);
    part->window = cli_allocate(NULL, events, sizeof *part->window);
    part->health = cli_allocate(NULL, events, sizeof *part->health);
    g->parts = cli_allocate(g->parts, g->part_count + 1, sizeof *g->parts);
    g->parts[g->part_count++] = part;
    return part;
}

/* Ends the counting of part @i and removes it. */
static void remove_part(struct gather *g, size_t i)
{
    struct gather_part *part = g->parts[i];

    if (part->run != NULL) {
        g->job->engine->end(part->run);
    }
    free(part->of.path);
    free(part->total);
    free(part->opened);
    free(part->window);
    free(part->health);
    free(part);
    memmove(&g->parts[i], &g->parts[i + 1], (--g->part_count - i) * sizeof *g->parts);
}

/* Begins to count cgroup @c, whose path it takes.  One that is removed at that moment is left out. */
static int add_cgroup(struct gather *g, struct cgroup *c)
{
    struct gather_part *part = add_part(g);
    int status;

    part->of = *c;
    *c = (struct cgroup){0};
    part->job = *g->job;
    part->job.cgroup = part->of.path;
    part->run = g->job->engine->begin(&part->job, &status);
    if (part->run == NULL) {
        const bool there = access(part->of.path, F_OK) == 0;

        remove_part(g, g->part_count - 1);
        return there ? status : CLI_YES;
    }
    return CLI_YES;
}

/* Returns whether @c is one of @found. */
static bool is_among(const struct cgroup *c, const struct cgroups *found)
{
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].id == c->id && strcmp(found->items[i].name, c->name) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Drops the cgroups that are gone and begins to count those that are new.  Those beyond GATHER_CGROUPS are left out.
 * Once one cannot be opened, as for lack of file descriptors, so are all others until a cgroup is gone.
 */
static int follow_cgroups(struct gather *g)
{
    struct cgroups found = cgroups_find(g->patterns, g->pattern_count);
    int status = CLI_YES;

    for (size_t i = g->part_count; i-- > 0;) {
        if (!is_among(&g->parts[i]->of, &found)) {
            remove_part(g, i);
            g->full = false;
        }
    }
    g->left_out = 0;
    for (size_t i = 0; i < found.count && status == CLI_YES; i++) {
        bool counted = false;

        for (size_t k = 0; k < g->part_count && !counted; k++) {
            counted = g->parts[k]->of.id == found.items[i].id;
        }
        if (!counted && !g->full && g->part_count < GATHER_CGROUPS) {
            status = add_cgroup(g, &found.items[i]);
            counted = status == CLI_YES;
        }
        if (!counted && g->part_count != 0) {
            g->full = true;
            g->left_out++;
            status = CLI_YES;
        }
    }
    cgroups_free(&found);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Reading.
 */

/* Takes a reading.  What is below the last one is left out: it would look like a restart. */
static void take(struct tally *total, const struct tally *now)
{
    total->count = now->count > total->count ? now->count : total->count;
    total->enabled_ns = now->enabled_ns > total->enabled_ns ? now->enabled_ns : total->enabled_ns;
    total->running_ns = now->running_ns > total->running_ns ? now->running_ns : total->running_ns;
    total->missed_ns = now->missed_ns > total->missed_ns ? now->missed_ns : total->missed_ns;
    total->counted = now->counted;
}

/* Reads every CPU. */
static int read_cpus(struct gather *g)
{
    const size_t events = g->job->selection.count;
    struct count_status st = {0};
    int status;

    g->job->engine->wait(g->run, 0, &st);
    status = g->job->engine->read_cpus(g->run, st.elapsed_ns, g->states, g->tallies);
    for (size_t i = 0; i < g->part_count && status == CLI_YES; i++) {
        g->parts[i]->state = g->states[i];
        for (size_t n = 0; n < events; n++) {
            take(&g->parts[i]->total[n], &g->tallies[i * events + n]);
        }
    }
    return status;
}

/* Reads a cgroup or processes. */
static int read_part(struct gather *g, struct gather_part *part)
{
    struct count_status st = {0};
    int status;

    g->job->engine->wait(part->run, 0, &st);
    g->ended |= st.ended;
    part->state = (struct count_cpu){.online = true, .counting = !st.ended};
    status = g->job->engine->read(part->run, st.elapsed_ns, g->tallies);
    for (size_t n = 0; n < g->job->selection.count && status == CLI_YES; n++) {
        take(&part->total[n], &g->tallies[n]);
    }
    return status;
}

int gather_read(struct gather *g)
{
    int status = CLI_YES;

    if (g->job->all_cpus) {
        return read_cpus(g);
    }
    for (size_t i = 0; i < g->part_count && status == CLI_YES; i++) {
        status = read_part(g, g->parts[i]);
    }
    return status;
}

int gather_look(struct gather *g)
{
    char online[sizeof g->online];

    if (g->job->pids != NULL) {
        struct count_status st = {0};

        g->job->engine->wait(g->parts[0]->run, 0, &st);
        g->ended = st.ended;
        return CLI_YES;
    }
    host_read_online(online, sizeof online);
    if (strcmp(online, g->online) == 0) {
        return CLI_YES;
    }
    strcpy(g->online, online);
    return gather_read(g);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Windows.
 */

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
    for (size_t i = 0; i < g->part_count; i++) {
        struct gather_part *part = g->parts[i];

        memcpy(part->opened, part->total, g->job->selection.count * sizeof *part->opened);
        part->busy_s = g->job->all_cpus ? busy_s[i] : 0;
    }
    g->opened_ns = now_ns();
}

/* Makes @part->window of the window that ends.  @busy_s: for how long its CPU was busy in it. */
static void close_part(const struct gather *g, struct gather_part *part, double busy_s)
{
    for (size_t n = 0; n < g->job->selection.count; n++) {
        part->window[n] = difference(&part->total[n], &part->opened[n]);
        judge_counter(g, part, n, busy_s);
    }
    part->has_window = true;
}

int gather_close(struct gather *g)
{
    double *busy_s = cli_allocate(NULL, g->part_count + 1, sizeof *busy_s);
    int status = gather_read(g);

    if (g->job->all_cpus) {
        host_read_busy(busy_s, g->part_count);
    }
    for (size_t i = 0; i < g->part_count && status == CLI_YES; i++) {
        close_part(g, g->parts[i], g->job->all_cpus ? busy_s[i] - g->parts[i]->busy_s : 0);
    }
    g->window_ns = now_ns() - g->opened_ns;
    if (status == CLI_YES && g->pattern_count != 0) {
        status = follow_cgroups(g);
    }
    if (status == CLI_YES) {
        open_window(g, busy_s);
    }
    free(busy_s);
    return status;
}

/* Begins to count what the job names.  Makes the parts, and room for readings. */
static int begin_parts(struct gather *g)
{
    const size_t events = g->job->selection.count;
    size_t rows = 1;
    int status = CLI_YES;

    if (g->pattern_count != 0) {
        status = follow_cgroups(g);
    } else if (g->job->all_cpus) {
        g->run = g->job->engine->begin(g->job, &status);
        rows = g->run == NULL ? 0 : g->job->engine->cpus(g->run);
        for (size_t i = 0; i < rows; i++) {
            add_part(g);
        }
    } else {
        struct gather_part *part = add_part(g);

        part->run = g->job->engine->begin(g->job, &status);
    }
    g->states = cli_allocate(NULL, rows + 1, sizeof *g->states);
    g->tallies = cli_allocate(NULL, rows * events + 1, sizeof *g->tallies);
    return status;
}

int gather_begin(struct gather *g, struct count_job *job, const char *const *patterns, size_t pattern_count)
{
    double *busy_s;
    int status;

    *g = (struct gather){.job = job, .patterns = patterns, .pattern_count = pattern_count};
    job->lasting = true;
    host_read_online(g->online, sizeof g->online);
    status = begin_parts(g);
    if (status == CLI_YES) {
        status = gather_read(g);
    }
    busy_s = cli_allocate(NULL, g->part_count + 1, sizeof *busy_s);
    if (job->all_cpus) {
        host_read_busy(busy_s, g->part_count);
    }
    open_window(g, busy_s);
    free(busy_s);
    return status;
}

void gather_end(struct gather *g)
{
    while (g->part_count > 0) {
        remove_part(g, g->part_count - 1);
    }
    if (g->run != NULL) {
        g->job->engine->end(g->run);
    }
    free(g->parts);
    free(g->states);
    free(g->tallies);
    *g = (struct gather){0};
}
