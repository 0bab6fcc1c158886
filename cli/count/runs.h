/* SPDX-License-Identifier: BSD-2-Clause */
/* The runs of `armpmu stat`: starts the engine, watches, prints, and judges, as the options ask for. */
#ifndef ARMPMU_CLI_RUNS_H
#define ARMPMU_CLI_RUNS_H

#include "compare.h"
#include "print.h"
#include "variables.h"

/** The command line of `armpmu stat`. */
struct stat_options {
    struct count_job job;
    struct printer printer;
    struct metrics metrics;
    const char *output;   /* NULL: stderr */
    unsigned interval_ms; /* 0: print once, at the end */
    bool append;          /* append to the output */
    bool timeline;        /* write intervals as a timeline */
    bool list_formats;    /* --to=help has listed the formats: exit */
    bool list_engines;    /* list the engines and exit */
    struct apmu_core_row core;
    unsigned runs;            /* how often the program runs */
    const char *save;         /* the file that gets the result; NULL: none */
    const char *baseline;     /* the file with the result to compare with; NULL: none */
    const char *markdown;     /* the file that gets the comparison in Markdown; NULL: none */
    struct limits limits;
    struct result before;     /* what the file baseline has */
    struct variables variables;
};

/** Has the program counted as @o asks for, and prints the results.  Returns the exit status. */
int runs_conduct(struct stat_options *o);

#endif
