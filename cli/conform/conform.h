/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conformance images on the command line, for `armpmu generate` and `armpmu conform`: options.c reads what describes an
 * image, build.c compiles and runs it, report.c reads what it printed.
 */
#ifndef ARMPMU_CLI_CONFORM_H
#define ARMPMU_CLI_CONFORM_H

#include "../../bind/image/image.h"
#include "../cli.h"

/* What the command line says. */
struct conform_options {
    struct image_options image; /* .features and .counters are 0, and .el is 0, where nothing says them */
    const char *features, *counters, *el, *cpu; /* as they were given; NULL: not given */
    const char *output, *keep, *compiler;
    unsigned timeout; /* seconds */
    bool json, verbose;
};

/* options.c: reads the options.  Returns CLI_YES or CLI_USAGE. */
int conform_parse(const struct cli_args *args, struct conform_options *o);
/* options.c: adds what the features require, and leaves out what needs an Exception level above that of @image. */
void conform_complete(struct image_options *image);

/* build.c: a folder for an image that is removed at the end, and the text that a run printed. */
struct conform_run {
    char folder[64], source[96], image[96];
    char *text; /* what it printed, with a '\0' */
    size_t length;
};

/* build.c: makes the folder.  Returns CLI_YES or CLI_CANNOT. */
int conform_open(const struct cli_verb *verb, struct conform_run *run);
/*
 * build.c: writes the source of @image, compiles it, and runs it by @command, or by armpmu run if that has no words.
 * Returns CLI_YES when run->text is there, or CLI_CANNOT.
 */
int conform_execute(const struct cli_verb *verb, const struct conform_options *o, const struct image_options *image,
                    char *const *command, struct conform_run *run, struct image_summary *summary);
/* build.c: removes the folder, and frees the text. */
void conform_close(struct conform_run *run);

/* report.c: what an image said of the machine. */
struct conform_machine {
    uint64_t features; /* those that its ID registers show, without what they require */
    unsigned el;       /* at which it started; 0: it did not say */
    unsigned counters;
};

/* report.c: reads the lines "NAME = VALUE" of @text. */
void conform_identify(const char *text, struct conform_machine *machine);
/*
 * report.c: prints the deviations of @text in groups, as text or JSON.  Returns CLI_YES if there are none, CLI_NO, or
 * CLI_CANNOT after a complaint if the image did not end.
 */
int conform_report(const struct cli_verb *verb, const struct conform_options *o, const struct image_options *image,
                   const struct image_summary *summary, const char *text);

#endif
