/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timeline of `armpmu run --to perfetto`.  Each CPU is a group of tracks:
 *
 *     EL, SecurityState         slices with the name of the level or state
 *     PMUIRQ                    a slice while it is asserted; for ARM11 also User and Secure
 *     PMEVCNTR0_EL0: EVENT      the value of the counter
 *     PMEVCNTR0_EL0 stands still
 *         a reason              a slice while it holds: reasons overlap, so each has a track
 *
 * Nothing is merged: each change of the wave is in the timeline.
 */
#include "run_timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run_report.h"
#include "run_wave.h"
#include "timeline/timeline.h"

/* The numbers of names. */
enum {
    NAMES_LEVELS = 1, /* the four Exception levels */
    NAMES_STATES = 5, /* the four Security states */
    NAMES_CAUSES = 9,
    NAMES_SIGNALS = NAMES_CAUSES + (int)WAVE_CAUSES, /* signals by their number */
};

struct timed_variable {
    uint64_t track;               /* of the values; WAVE_WHY: of the group of causes; 0: none yet */
    uint64_t value;
    bool known;                   /* `value` holds */
    uint64_t causes[WAVE_CAUSES]; /* WAVE_WHY: the tracks of the causes; 0: none yet */
};

struct timed_run {
    struct wave wave;
    struct timeline timeline;
    struct timed_variable *signals; /* by the number of the signal */
};

/* Ends the slice of the present value of @signal, and begins that of @to, at the time @ns. */
static void change_slice(struct timed_run *run, size_t signal, uint64_t ns, uint64_t to)
{
    const struct wave_variable *s = &run->wave.signals[signal];
    const struct timed_variable *t = &run->signals[signal];
    const bool pulse = s->kind == WAVE_PULSE;

    if (t->known && (!pulse || t->value != 0)) {
        timeline_slice_end(&run->timeline, t->track, ns);
    }
    if (pulse && to != 0) {
        timeline_slice(&run->timeline, t->track, ns, NAMES_SIGNALS + signal);
    } else if (!pulse) {
        timeline_slice(&run->timeline, t->track, ns,
                       (strcmp(s->name, "EL") == 0 ? NAMES_LEVELS : NAMES_STATES) + (to & 3));
    }
}

/* Ends the slices of the causes that @to lacks, and begins those that it has more. */
static void change_causes(struct timed_run *run, struct timed_variable *t, uint64_t ns, uint64_t to)
{
    const uint64_t from = t->known ? t->value : 0;

    for (unsigned bit = 0; bit < WAVE_CAUSES; bit++) {
        const uint64_t one = UINT64_C(1) << bit;
        const char *text = run_report_reason(run->wave.arm11, bit);

        if ((from & ~to & one) != 0) {
            timeline_slice_end(&run->timeline, t->causes[bit], ns);
        }
        if ((to & ~from & one) != 0) {
            if (t->causes[bit] == 0) {
                t->causes[bit] = timeline_track(&run->timeline, t->track, text != NULL ? text : "unknown");
            }
            timeline_slice(&run->timeline, t->causes[bit], ns, NAMES_CAUSES + bit);
        }
    }
}

/* Takes a change of the wave: a callback of wave_read(). */
static void change(void *context, size_t signal, uint64_t time, uint64_t value)
{
    struct timed_run *run = context;
    struct timed_variable *t = &run->signals[signal];

    if (t->track == 0 || (t->known && t->value == value)) {
        return;
    }
    switch (run->wave.signals[signal].kind) {
    case WAVE_COUNTER: timeline_count(&run->timeline, t->track, time, (int64_t)value); break;
    case WAVE_WHY: change_causes(run, t, time, value); break;
    case WAVE_LEVEL:
    case WAVE_PULSE: change_slice(run, signal, time, value); break;
    default: break;
    }
    t->value = value;
    t->known = true;
}

/* Ends what has not ended at the end of the run. */
static void end_signal(struct timed_run *run, size_t signal)
{
    const enum wave_kind kind = run->wave.signals[signal].kind;
    struct timed_variable *t = &run->signals[signal];

    if (!t->known) {
        return;
    }
    if (kind == WAVE_COUNTER) {
        timeline_count(&run->timeline, t->track, run->wave.end, (int64_t)t->value);
    } else if (kind == WAVE_WHY) {
        change_causes(run, t, run->wave.end, 0);
    } else if (kind == WAVE_LEVEL || t->value != 0) {
        timeline_slice_end(&run->timeline, t->track, run->wave.end);
    }
}

/* Adds the tracks of the counter @i to the group @cpu.  Counters that the run did not use have none. */
static void add_counter(struct timed_run *run, uint64_t cpu, size_t i)
{
    const struct wave_variable *s = &run->wave.signals[i];
    char events[256], name[320];

    if (!s->used) {
        return;
    }
    wave_events(&run->wave, i, events);
    snprintf(name, sizeof name, "%s%s%s", s->name, events[0] != '\0' ? ": " : "", events);
    run->signals[i].track = timeline_counter(&run->timeline, cpu, name);
    snprintf(name, sizeof name, "%s stands still", s->name);
    run->signals[s->why].track = timeline_track(&run->timeline, cpu, name);
}

/* Writes the names of slices, and the tracks. */
static void add_tracks(struct timed_run *run)
{
    static const struct wave_variable level = {.name = "EL"}, state = {.name = "SecurityState"};

    for (unsigned i = 0; i < 4; i++) {
        timeline_name(&run->timeline, NAMES_LEVELS + i, wave_levels(&level)[i]);
        timeline_name(&run->timeline, NAMES_STATES + i, wave_levels(&state)[i]);
    }
    for (unsigned bit = 0; run_report_reason(run->wave.arm11, bit) != NULL; bit++) {
        timeline_name(&run->timeline, NAMES_CAUSES + bit, run_report_reason(run->wave.arm11, bit));
    }
    for (unsigned cpu = 0; cpu < run->wave.cpus; cpu++) {
        char name[24];

        snprintf(name, sizeof name, "CPU %u", cpu);
        const uint64_t group = timeline_track(&run->timeline, 0, name);

        for (size_t i = 0; i < run->wave.count; i++) {
            const struct wave_variable *s = &run->wave.signals[i];

            if (s->cpu == cpu && (s->kind == WAVE_LEVEL || s->kind == WAVE_PULSE)) {
                timeline_name(&run->timeline, NAMES_SIGNALS + i, s->name);
                run->signals[i].track = timeline_track(&run->timeline, group, s->name);
            } else if (s->cpu == cpu && s->kind == WAVE_COUNTER) {
                add_counter(run, group, i);
            }
        }
    }
}

/* Writes the timeline to @file.  Returns whether that succeeded. */
static bool write_timeline(struct timed_run *run, FILE *file)
{
    timeline_to_file(&run->timeline, file);
    add_tracks(run);
    wave_read(&run->wave, change, run);
    for (size_t i = 0; i < run->wave.count; i++) {
        end_signal(run, i);
    }
    return !ferror(file);
}

int run_timeline_write(const struct cli_verb *verb, const char *wave, const char *path)
{
    struct timed_run run = {.signals = NULL};
    int status = wave_open(&run.wave, verb, wave);
    FILE *file = NULL;

    if (status == CLI_YES) {
        file = fopen(path, "we");
        run.signals = cli_allocate(NULL, run.wave.count, sizeof *run.signals);
        errno = file == NULL ? errno : 0;
        bool good = file != NULL && write_timeline(&run, file);

        good = file != NULL && fclose(file) == 0 && good;
        if (!good) {
            cli_complain(verb, "%s: cannot be written: %s; choose another file for -o", path,
                         strerror(errno != 0 ? errno : EIO));
            status = CLI_CANNOT;
        }
    }
    free(run.signals);
    wave_close(&run.wave);
    return status;
}
