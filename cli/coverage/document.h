/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of `armpmu coverage`: as text, and as JSON, which --save, -j and the page have alike. */
#ifndef ARMPMU_CLI_COVERAGE_DOCUMENT_H
#define ARMPMU_CLI_COVERAGE_DOCUMENT_H

#include "change.h"
#include "rank.h"

#define DOCUMENT_FORMAT  "armpmu-coverage"
#define DOCUMENT_VERSION 1

struct coverage_results {
    const struct coverage_table *table;
    const struct coverage_rank *rank;
    const struct intents *intents; /**< judged; without --intents there are none */
    const struct coverage_changes *changes; /**< NULL: there is no baseline */
    const char *baseline;          /**< its file */
};

/**
 * Returns the results as JSON, which the caller releases:
 *
 *      {"format": "armpmu-coverage", "version": 1, "armpmu": "0.1.0", "reached": 1, "minus": null,
 *       "events": [{"event": "LD_RETIRED", "group": "instructions", "trust": "exact", "mark": "", "tests": 2,
 *                   "sum": 1200}, ...],
 *       "tests": [{"test": "sort", "cause": "", "adds": 12, "counts": [700, null, ...]}, ...],
 *       "order": ["sort", ...], "set": ["sort", ...], "set_at_least": 3,
 *       "intents": [{"test": "sort", "line": 2, "intent": "LD_RETIRED >= 500", "verdict": "met", "left": 700,
 *                    "right": 500, "cause": ""}, ...],
 *       "baseline": {"file": "old.json", "changes": [{"kind": "count fell", "loss": true, "test": "sort",
 *                    "event": "LD_RETIRED", "intent": "", "before": 900, "now": 700, "cause": ""}, ...]}}
 *
 * Minus is the name of the test whose counts were subtracted, if there is one.  Counts are in the order of events;
 * null, or beyond the end, stands for what was not counted.  A sum is null if no test counted the event.  The baseline
 * is null without one.
 */
json_t *coverage_document(const struct coverage_results *r);

/** How results are printed. */
struct coverage_look {
    unsigned width; /**< of a line, in characters */
    bool verbose;   /**< also intents that are met, and each count that fell */
    bool summary;   /**< without the list of events and the table of tests and events */
};

/** Prints the results. */
void coverage_print(FILE *out, const struct coverage_results *r, const struct coverage_look *look);

#endif
