/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the wave of a run, a Value Change Dump that qemu/system/wave.c wrote.  It is read twice: wave_open() learns
 * which signals there are, what becomes of them, and when the run ended; wave_read() tells their changes.
 *
 *     the wave  -->  run_wave.c  --+-->  run_page.c      the page of armpmu run --html
 *                                  +-->  run_timeline.c  the timeline of armpmu run --to perfetto
 */
#ifndef ARMPMU_CLI_RUN_WAVE_H
#define ARMPMU_CLI_RUN_WAVE_H

#include "cli.h"

#define WAVE_CAUSES 64u      /* the most reasons for which a counter stands still */
#define WAVE_NONE   SIZE_MAX /* no such signal */

enum wave_kind {
    WAVE_OTHER,   /**< nothing is made of it */
    WAVE_LEVEL,   /**< the Exception level or Security state; its values have names */
    WAVE_PULSE,   /**< a signal of one bit */
    WAVE_COUNTER, /**< a counter */
    WAVE_WHY,     /**< the set of reasons for which a counter stands still */
    WAVE_TYPE,    /**< the register that chooses a counter's event */
};

struct wave_variable {
    enum wave_kind kind;
    unsigned cpu;
    char name[40];
    bool inverted;       /**< active low; wave_read() gives the opposite value */
    bool used;           /**< WAVE_COUNTER: it had a value, or counted at some time; WAVE_WHY: the counter counted */
    size_t why, type;    /**< WAVE_COUNTER: the signals that belong to it, or WAVE_NONE */
    uint16_t events[4];  /**< WAVE_TYPE: the events that it chose */
    unsigned event_count;
};

struct wave {
    FILE *in;
    long changes; /**< where in the file the changes begin */
    struct wave_variable *signals;
    size_t count;
    unsigned cpus;
    bool arm11;
    uint64_t end; /**< the last time, in nanoseconds */
};

/** Opens the wave in the file @path.  Returns CLI_YES, or CLI_CANNOT after a complaint.  wave_close() frees it. */
int wave_open(struct wave *w, const struct cli_verb *verb, const char *path);

/** Calls @change for each change of a signal that is not WAVE_OTHER, in the order of time. */
void wave_read(struct wave *w, void (*change)(void *context, size_t signal, uint64_t time, uint64_t value),
               void *context);

/** Closes the wave and frees what @w holds. */
void wave_close(struct wave *w);

/** Returns the names of the values of @signal, a WAVE_LEVEL: four. */
const char *const *wave_levels(const struct wave_variable *signal);

/** Writes the names of the events of the counter @counter to @text, "A, B". */
void wave_events(const struct wave *w, size_t counter, char text[256]);

#endif
