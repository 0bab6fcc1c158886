/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a timeline: a trace of Perfetto's, which ui.perfetto.dev and trace_processor open.
 *
 * A timeline has tracks, numbered from 1.  A track is a group of other tracks, a counter, or holds slices, which lie
 * within each other.  Times are nanoseconds; each track's values may be written in any order of time, but a slice's end
 * after its beginning.  What slices are called is written once, by timeline_name(), and has a number of the caller's.
 *
 *     armpmu stat -I --to perfetto  -->  cli/count/print_timeline.c  --+
 *     armpmu run --to perfetto      -->  cli/run_timeline.c          --+-->  timeline.h  -->  a file
 *     armpmu report --to perfetto   -->  cli/profile/to_perfetto.c   --+
 */
#ifndef ARMPMU_CLI_TIMELINE_H
#define ARMPMU_CLI_TIMELINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../cli.h"

/** The tools that open a timeline, for --to=help. */
#define TIMELINE_OPENS "ui.perfetto.dev: open the trace file; trace_processor FILE"

struct timeline {
    void (*put)(void *to, const void *bytes, size_t size);
    void *to;
    uint64_t tracks; /**< the number of the newest track */
    bool begun;      /**< something was written */
};

/** Makes @t a timeline whose bytes @put gets, with @to; it notes by itself what fails. */
void timeline_init(struct timeline *t, void (*put)(void *to, const void *bytes, size_t size), void *to);

/** Makes @t a timeline that is written to @file, whose error indicator tells whether that failed. */
void timeline_to_file(struct timeline *t, FILE *file);

/** Calls slices whose number is @name, from 1 on, @text.  In all texts here, bytes that are not UTF-8 become '?'. */
void timeline_name(struct timeline *t, uint64_t name, const char *text);

/** Adds a group of tracks, which belong to the process @pid.  Returns its number. */
uint64_t timeline_process(struct timeline *t, int32_t pid, const char *name, const char *command);

/** Adds a track for slices, or a group, to the group @parent; 0: to none.  Returns its number. */
uint64_t timeline_track(struct timeline *t, uint64_t parent, const char *name);

/** Adds a counter to the group @parent; 0: to none.  Returns its number. */
uint64_t timeline_counter(struct timeline *t, uint64_t parent, const char *name);

/** Gives the counter @track the value @count from the time @ns on. */
void timeline_count(struct timeline *t, uint64_t track, uint64_t ns, int64_t count);
void timeline_value(struct timeline *t, uint64_t track, uint64_t ns, double value);

/** Begins a slice of @track at the time @ns, and ends the one that began last. */
void timeline_slice(struct timeline *t, uint64_t track, uint64_t ns, uint64_t name);
void timeline_slice_end(struct timeline *t, uint64_t track, uint64_t ns);

/**
 * Checks the argument of --to of a verb whose only format is a timeline.  Returns CLI_YES; or CLI_USAGE after a
 * complaint.  With "help", prints the format and sets *@help.
 */
int timeline_format(const struct cli_verb *verb, const char *format, bool *help);

#endif
