/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the intervals of a run as a timeline. */
#include "intervals.h"

#include <stdlib.h>
#include <string.h>

void intervals_subtract(const struct tally *now, struct tally *before, struct tally *since)
{
    const bool ran = before->running_ns == 0 || now->running_ns != before->running_ns;

    *since = (struct tally){.count = now->count - before->count, .enabled_ns = now->enabled_ns - before->enabled_ns,
                            .running_ns = now->running_ns - before->running_ns,
                            .missed_ns = now->missed_ns - before->missed_ns, .counted = now->counted && ran};
    *before = *now;
}

/* Adds the group of what is counted: the program, or what runs already.  Returns its number. */
static uint64_t add_target(struct intervals *s, void *run)
{
    const struct count_job *job = s->job;
    uint64_t track;
    char *name;

    if (job->all_cpus) {
        return timeline_track(&s->timeline, 0, "all CPUs");
    }
    if (job->pids != NULL || job->tids != NULL) {
        char *const words[] = {(char *)(job->pids != NULL ? "processes" : "threads"),
                               (char *)(job->pids != NULL ? job->pids : job->tids), NULL};

        name = cli_join(words);
        track = timeline_track(&s->timeline, 0, name);
    } else {
        name = cli_join(job->argv);
        track = timeline_process(&s->timeline, job->engine->pid(run), job->argv[0], name);
    }
    free(name);
    return track;
}

/* Adds the counter of @event to the group @parent. */
static uint64_t add_counter(struct intervals *s, uint64_t parent, const struct event_choice *event)
{
    char name[256];

    snprintf(name, sizeof name, event->mark[0] != '\0' ? "%s (%s)" : "%s", event->name, event->mark);
    return timeline_counter(&s->timeline, parent, name);
}

void intervals_begin(struct intervals *s, const struct count_job *job, const struct metrics *metrics, void *run,
                     FILE *file)
{
    const size_t events = job->selection.count;

    *s = (struct intervals){.job = job, .metrics = metrics};
    timeline_to_file(&s->timeline, file);
    s->tracks = cli_allocate(NULL, events + metrics->count, sizeof *s->tracks);
    if (job->all_cpus && job->engine->cpus != NULL) {
        s->cpus = job->engine->cpus(run);
        s->states = cli_allocate(NULL, s->cpus, sizeof *s->states);
        s->cpu_tracks = cli_allocate(NULL, s->cpus * events, sizeof *s->cpu_tracks);
        s->now = cli_allocate(NULL, s->cpus * events, sizeof *s->now);
        s->before = cli_allocate(NULL, s->cpus * events, sizeof *s->before);
    }
    s->target = add_target(s, run);
    for (size_t i = 0; i < events; i++) {
        s->tracks[i] = add_counter(s, s->target, &job->selection.events[i]);
    }
}

int intervals_read(struct intervals *s, void *run, uint64_t at_ns, struct tally *tallies)
{
    const size_t events = s->job->selection.count;

    if (s->cpus == 0) {
        return s->job->engine->read(run, at_ns, tallies);
    }
    const int status = s->job->engine->read_cpus(run, at_ns, s->states, s->now);

    memset(tallies, 0, events * sizeof *tallies);
    for (size_t i = 0; i < s->cpus * events; i++) {
        struct tally *sum = &tallies[i % events];

        sum->count += s->now[i].count;
        sum->enabled_ns += s->now[i].enabled_ns;
        sum->running_ns += s->now[i].running_ns;
        sum->missed_ns += s->now[i].missed_ns;
        sum->counted |= s->now[i].counted;
    }
    return status;
}

/* Gives @track the count of @t from @ns on.  Where there is none it is 0, and @s notes a gap. */
static void write_count(struct intervals *s, uint64_t track, uint64_t ns, const struct tally *t)
{
    const uint64_t count = t->counted ? engine_estimate(t) : 0;

    s->gaps += !t->counted;
    timeline_count(&s->timeline, track, ns, (int64_t)(count < INT64_MAX ? count : INT64_MAX));
}

/* Writes the counts of the CPUs, of which those that were not counted yet have no counters. */
static void write_cpus(struct intervals *s, uint64_t from_ns)
{
    const struct selection *events = &s->job->selection;

    for (unsigned cpu = 0; cpu < s->cpus; cpu++) {
        const size_t row = cpu * events->count;
        uint64_t *tracks = &s->cpu_tracks[row];
        char name[32];

        if (tracks[0] == 0 && s->states[cpu].counting) {
            snprintf(name, sizeof name, "CPU %u", cpu);
            const uint64_t group = timeline_track(&s->timeline, 0, name);

            for (size_t i = 0; i < events->count; i++) {
                tracks[i] = add_counter(s, group, &events->events[i]);
            }
        }
        for (size_t i = 0; i < events->count && tracks[0] != 0; i++) {
            struct tally since;

            intervals_subtract(&s->now[row + i], &s->before[row + i], &since);
            write_count(s, tracks[i], from_ns, &since);
        }
    }
}

/* Gives the metrics that the user chose their values from @from_ns on.  Their marks are known with the first value. */
static void write_metrics(struct intervals *s, const struct tally *tallies, uint64_t from_ns, uint64_t since_ns)
{
    for (size_t i = 0; i < s->metrics->count; i++) {
        const struct metric_use *use = &s->metrics->uses[i];
        uint64_t *track = &s->tracks[s->job->selection.count + i];
        struct metric_reading reading;
        char name[256];

        if (use->name[0] == '\0') { /* a comment */
            continue;
        }
        metrics_value(s->metrics, s->job, use, tallies, since_ns, &reading);
        if (*track == 0) {
            snprintf(name, sizeof name, "%s%s%s%s%s%s", use->name, use->unit[0] != '\0' ? ", " : "", use->unit,
                     reading.mark[0] != '\0' ? " (" : "", reading.mark, reading.mark[0] != '\0' ? ")" : "");
            *track = timeline_counter(&s->timeline, s->target, name);
        }
        s->gaps += !reading.defined;
        timeline_value(&s->timeline, *track, from_ns, reading.defined ? reading.value : 0);
    }
}

void intervals_write(struct intervals *s, const struct tally *tallies, uint64_t at_ns, uint64_t since_ns)
{
    const uint64_t from_ns = at_ns - since_ns;

    for (size_t i = 0; i < s->job->selection.count; i++) {
        write_count(s, s->tracks[i], from_ns, &tallies[i]);
    }
    write_metrics(s, tallies, from_ns, since_ns);
    write_cpus(s, from_ns);
    s->end_ns = at_ns;
}

void intervals_end(struct intervals *s)
{
    const size_t events = s->job->selection.count;

    for (size_t i = 0; i < events + s->metrics->count; i++) {
        if (s->tracks[i] != 0) {
            timeline_count(&s->timeline, s->tracks[i], s->end_ns, 0);
        }
    }
    for (size_t i = 0; i < s->cpus * events; i++) {
        if (s->cpu_tracks[i] != 0) {
            timeline_count(&s->timeline, s->cpu_tracks[i], s->end_ns, 0);
        }
    }
    if (s->gaps != 0) {
        fprintf(stderr, "armpmu: remark: the timeline has 0 for %llu value%s of intervals in which an event had no "
                        "counter or a metric no value\n", (unsigned long long)s->gaps, s->gaps == 1 ? "" : "s");
    }
    free(s->tracks);
    free(s->states);
    free(s->cpu_tracks);
    free(s->now);
    free(s->before);
    memset(s, 0, sizeof *s);
}
