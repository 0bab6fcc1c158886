/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The result of a run of `armpmu stat` as a file of JSON, which --save writes and --baseline reads:
 *
 *      {"format": "armpmu-counts", "version": 1, "armpmu": "0.1.0",
 *       "program": "./sort", "arguments": ["numbers.txt"], "content": "1b4e28ba2fa1d3e7", "status": 0, "runs": 5,
 *       "engine": "qemu-user", "emulator": "qemu-aarch64 version 7.2.22", "core": "cortex-a72 5f0c...",
 *       "deterministic": true, "remarks": ["..."],
 *       "events": [{"event": "INST_RETIRED", "trust": "exact", "mark": "", "mean": 1020.5, "min": 1020, "max": 1021,
 *                   "spread": 0.05}, ...],
 *       "metrics": [{"metric": "per cycle  ipc", "trust": "modelled", "value": 1.25}, ...]}
 *
 * Readers leave out members that they do not know.  An event that was not counted has null for its numbers.
 */
#ifndef ARMPMU_CLI_RESULT_H
#define ARMPMU_CLI_RESULT_H

#include <jansson.h>

#include "metrics.h"
#include "series.h"

#define RESULT_EVENTS 4096u /* the most events of a file that are read */

struct result_event {
    const char *name, *trust, *mark; /* as struct event_choice has them */
    bool counted;
    double mean, spread; /* spread: in per cent, as series_spread() gives it */
    uint64_t min, max;
};

/** A result.  Its strings belong to @json. */
struct result {
    json_t *json;
    const char *version;   /**< of armpmu */
    const char *program, *content; /**< as it was named; the digest of its file, "" if it is not known */
    const char *engine, *emulator; /**< emulator: "" if the engine has none */
    const char *core;      /**< the modelled core and a digest of its row; "" without one */
    bool deterministic;
    unsigned runs;
    int status;            /**< the program's exit status, or 128 + a signal */
    struct result_event *events;
    size_t count;
};

/** What a result is made of. */
struct result_parts {
    const struct count_job *job;
    const struct metrics *metrics;
    const struct series *series;
    const struct count_status *status; /* of the last run */
    int exit_status;
};

/** Makes the result of @parts, which result_free() frees. */
void result_make(struct result *r, const struct result_parts *parts);

/** Reads the file @path.  Returns CLI_YES, or CLI_CANNOT after a complaint. */
int result_read(struct result *r, const struct cli_verb *verb, const char *path);

/** Reads @size bytes of @text; @name is what a complaint calls them.  Returns as result_read() does. */
int result_parse(struct result *r, const struct cli_verb *verb, const char *name, const char *text, size_t size);

/**
 * Fills @r from @json, which --save wrote, and holds it.  Returns false, with *@cause, if it is no such result; @r is
 * empty then.
 */
bool result_take(struct result *r, json_t *json, const char **cause);

/** Writes @r to @path, whole or not at all.  Returns CLI_YES, or CLI_CANNOT after a complaint. */
int result_write(const struct result *r, const struct cli_verb *verb, const char *path);

/** Returns the event called @name, in upper or lower case, or NULL. */
const struct result_event *result_find(const struct result *r, const char *name);

/** Frees what @r holds. */
void result_free(struct result *r);

#endif
