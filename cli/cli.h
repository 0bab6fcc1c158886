/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tool: one table of verbs and options (verbs.c) drives parsing, --help, the man page and the completion.
 */
#ifndef ARMPMU_CLI_H
#define ARMPMU_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Exit statuses of the tool itself. */
enum cli_exit {
    CLI_YES = 0,
    CLI_NO = 1,
    CLI_USAGE = 2,       /**< the command line is wrong */
    CLI_CANNOT = 3,      /**< cannot here: something that is needed is missing, or the results cannot be written */
    CLI_SIGNALLED = 128, /**< plus the signal that killed the program */
};

/** Every option of every verb. */
enum cli_option_id {
    CLI_ALL_CPUS = 256, /* above every character: getopt_long() gives these back */
    CLI_APPEND,
    CLI_AT,
    CLI_BASE,
    CLI_C,
    CLI_CORE,
    CLI_CORES,
    CLI_COUNTER,
    CLI_COUNTERS,
    CLI_CPU,
    CLI_CURE,
    CLI_EL,
    CLI_EL0,
    CLI_ENGINE,
    CLI_EVENT,
    CLI_FEATURES,
    CLI_FILE,
    CLI_GDB,
    CLI_HELP,
    CLI_INTERVAL,
    CLI_JSON,
    CLI_LEVEL,
    CLI_LIMIT,
    CLI_LIVE,
    CLI_MSR,
    CLI_OUTPUT,
    CLI_PID,
    CLI_PROFILE,
    CLI_REGISTERS,
    CLI_SEPARATOR,
    CLI_SYMPTOM,
    CLI_SYSROOT,
    CLI_TID,
    CLI_TRACE,
    CLI_VERBOSE,
    CLI_WAVE,
};

struct cli_option {
    enum cli_option_id id;
    char letter;          /**< '\0': none */
    const char *name;     /**< without "--" */
    const char *argument; /**< "" if it takes none */
    const char *text;
};

struct cli_verb;

/** A command line that was understood. */
struct cli_args {
    const struct cli_verb *verb;
    struct {
        enum cli_option_id id;
        const char *value;
    } *given; /**< in their order */
    size_t given_count;
    char **operands; /**< NULL-terminated */
};

/** A paragraph or, with @title, the beginning of a section of the documentation. */
struct cli_text {
    const char *title;
    const char *text;
};

struct cli_verb {
    const char *name;
    const char *operands; /**< as in the synopsis */
    const char *summary;
    const struct cli_option *options; /**< ends with .name == NULL */
    const struct cli_text *sections;  /**< ends with .text == NULL */
    int (*run)(const struct cli_args *args);
};

/* verbs.c */
extern const struct cli_verb cli_verbs[]; /**< ends with .name == NULL */
extern const struct cli_text cli_common[]; /**< what concerns all verbs; ends with .text == NULL */
const struct cli_verb *cli_find_verb(const char *name);

/* stat.c, run.c, list.c, decode.c, encode.c, why.c, audit.c */
int cli_stat(const struct cli_args *args);
int cli_run(const struct cli_args *args);
int cli_list(const struct cli_args *args);
int cli_decode(const struct cli_args *args);
int cli_encode(const struct cli_args *args);
int cli_why(const struct cli_args *args);
int cli_audit(const struct cli_args *args);

/* options.c */
/** Parses what follows the verb.  0, or the exit status after it complained; --help prints, and *status says so. */
bool cli_parse(const struct cli_verb *verb, int argc, char **argv, struct cli_args *args, int *status);

/* help.c */
void cli_help(FILE *out, const struct cli_verb *verb); /**< of one verb, or with NULL of the tool */
void cli_man(FILE *out);
void cli_completion(FILE *out);

/* complain.c */
/** One line to stderr: "armpmu VERB: " and the object, the cause, the cure. */
void cli_complain(const struct cli_verb *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Prints @text with what is no printable character of UTF-8 escaped: names of files may have any byte. */
void cli_print(FILE *out, const char *text, size_t length);
/** Gives what was printed to @out to the system.  Complains and returns CLI_CANNOT if that fails, else @status. */
int cli_flush(const struct cli_verb *verb, FILE *out, const char *name, int status);
/** Memory for @count things of @size bytes, at least one: zeros, or what @old had.  Without memory it ends the tool. */
void *cli_allocate(void *old, size_t count, size_t size);
/** Keeps the descriptors 0 to 2 that are closed from being given to other files; a use of them then fails. */
void cli_reserve_descriptors(void);

#endif
