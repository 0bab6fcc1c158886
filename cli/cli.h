/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that all verbs of the tool share.  One table of verbs and their options (verbs.c) drives parsing
 * (options.c), --help (help.c), the man pages (man.c) and the completion (complete.c).  main.c finds the verb and
 * calls its run().
 *
 * A new verb is a row in verbs.c, its declaration below, and a file with its function.
 */
#ifndef ARMPMU_CLI_H
#define ARMPMU_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * The tool's own exit statuses.  A function that returns CLI_USAGE or CLI_CANNOT has complained, unless its comment
 * says that it does not.
 */
enum cli_exit {
    CLI_YES = 0,
    CLI_NO = 1,          /**< the answer is no: no such event, no cure, a leak */
    CLI_USAGE = 2,       /**< the command line is wrong */
    CLI_CANNOT = 3,      /**< something that is needed is missing here, or the results cannot be written */
    CLI_SIGNALLED = 128, /**< plus the number of the signal that killed the program */
};

/** Every option of every verb. */
enum cli_option_id {
    CLI_ALL_CPUS = 256, /* getopt_long() returns these ids, and letters as characters: ids lie above them */
    CLI_APPEND,
    CLI_AT,
    CLI_BASE,
    CLI_BASELINE,
    CLI_BY,
    CLI_C,
    CLI_CALL_GRAPH,
    CLI_CGROUP,
    CLI_CHILDREN,
    CLI_COLOUR,
    CLI_COMPILER,
    CLI_CONSOLE,
    CLI_CORE,
    CLI_CORES,
    CLI_CORE_FILE,
    CLI_COUNTER,
    CLI_COUNTERS,
    CLI_CPU,
    CLI_CSV,
    CLI_CURE,
    CLI_DEBUG,
    CLI_DETERMINISTIC,
    CLI_DUMPER,
    CLI_EL,
    CLI_EL0,
    CLI_ENGINE,
    CLI_ENV,
    CLI_EVENT,
    CLI_FAIL_ABOVE,
    CLI_FEATURES,
    CLI_FILE,
    CLI_FORM,
    CLI_FUNCTION,
    CLI_GDB,
    CLI_HELP,
    CLI_HTML,
    CLI_IMAGE,
    CLI_IMAGES,
    CLI_INPUT,
    CLI_INTENTS,
    CLI_INTERVAL,
    CLI_ISA,
    CLI_JOBS,
    CLI_JOB_PART,
    CLI_JSON,
    CLI_LENGTH,
    CLI_LEVEL,
    CLI_LIMIT,
    CLI_LISTEN,
    CLI_LIVE,
    CLI_LOGS,
    CLI_MANGLED,
    CLI_MARKDOWN,
    CLI_METRICS,
    CLI_MIN,
    CLI_MINUS,
    CLI_MSR,
    CLI_NO_PAGER,
    CLI_OUTPUT,
    CLI_PARALLEL,
    CLI_PID,
    CLI_PROFILE,
    CLI_REGISTERS,
    CLI_PERIOD,
    CLI_FREQUENCY,
    CLI_CLOCK,
    CLI_REACHED,
    CLI_REPEAT,
    CLI_RESUME,
    CLI_ROWS,
    CLI_SAVE,
    CLI_SEED,
    CLI_SEPARATOR,
    CLI_SORT,
    CLI_SOURCE_PREFIX,
    CLI_SUMMARY,
    CLI_SYMPTOM,
    CLI_SYSROOT,
    CLI_TEXTFILE,
    CLI_TID,
    CLI_TIMEOUT,
    CLI_TO,
    CLI_TOLERANCE,
    CLI_TRACE,
    CLI_VERBOSE,
    CLI_WAVE,
};

struct cli_option {
    enum cli_option_id id;
    char letter;          /**< its short form, without "-"; '\0': it has none */
    const char *name;     /**< its long form, without "--" */
    const char *argument; /**< its argument, as help prints it; "": it takes none */
    const char *text;     /**< its help, a paragraph */
};

struct cli_verb;

/** A parsed command line. */
struct cli_args {
    const struct cli_verb *verb;
    struct {
        enum cli_option_id id;
        const char *value; /**< NULL if the option takes none */
    } *given; /**< the options, in the order of the command line */
    size_t given_count;
    char **operands; /**< NULL ends them */
};

/** A paragraph of the documentation. */
struct cli_text {
    const char *title; /**< the title of the section that the paragraph begins; NULL: it continues a section */
    const char *text;
};

struct cli_verb {
    const char *name;
    const char *operands;             /**< its operands, as the synopsis prints them */
    const char *summary;              /**< a few words, without a full stop */
    const struct cli_option *options; /**< .name == NULL ends them */
    const struct cli_text *sections;  /**< .text == NULL ends them; those before the first title are the description */
    int (*run)(const struct cli_args *args); /**< returns the exit status of the tool */
};

/* verbs.c */
extern const struct cli_verb cli_verbs[]; /**< .name == NULL ends them */
extern const struct cli_text cli_common[]; /**< the description of the tool; .text == NULL ends it */
/** Returns the verb of that name, or NULL. */
const struct cli_verb *cli_find_verb(const char *name);

/*
 * stat.c, export.c, record.c, report.c, annotate.c, diff.c, run.c, coverage.c, list.c, decode.c, encode.c, why.c,
 * audit.c, doctor.c, generate.c, conform.c
 */
int cli_stat(const struct cli_args *args);
int cli_export(const struct cli_args *args);
int cli_record(const struct cli_args *args);
int cli_run(const struct cli_args *args);
int cli_coverage(const struct cli_args *args);
int cli_list(const struct cli_args *args);
int cli_decode(const struct cli_args *args);
int cli_encode(const struct cli_args *args);
int cli_why(const struct cli_args *args);
int cli_audit(const struct cli_args *args);
int cli_doctor(const struct cli_args *args);
int cli_report(const struct cli_args *args);
int cli_annotate(const struct cli_args *args);
int cli_diff(const struct cli_args *args);
int cli_generate(const struct cli_args *args);
int cli_conform(const struct cli_args *args);

struct apmu_core_info; /* <armpmu/cores.h> */

/* list_metrics.c */
/**
 * Lists the metrics of @core, or of common events if it is NULL, that have all operands of @args: as text, or with
 * @json as JSON.  @midr tells revisions of the core apart; 0: the newest.  Returns the exit status.
 */
int cli_list_metrics(const struct cli_args *args, const struct apmu_core_info *core, uint32_t midr, bool json);

/* options.c */
/**
 * Parses the @argc words of @argv, of which the first is the verb.  Returns true if @verb is to run with @args.
 * Otherwise *@status is the exit status, after a complaint or after --help was printed.  In both cases the caller frees
 * args->given.
 */
bool cli_parse(const struct cli_verb *verb, int argc, char **argv, struct cli_args *args, int *status);
/** Returns the long form of the option @id of @verb, without "--".  @verb has this option. */
const char *cli_option_name(const struct cli_verb *verb, enum cli_option_id id);
/**
 * Reads the decimal number @text into *@value.  Returns false, and leaves *@value as it is, unless it is one from
 * @least to @most with nothing else around it.
 */
bool cli_decimal(const char *text, uint64_t least, uint64_t most, uint64_t *value);
/** Reads @text, a number of C, into *@value.  Returns false, and leaves *@value, if it is anything else. */
bool cli_word(const char *text, uint64_t *value);

/* help.c */
/** Prints the help of @verb, or of the tool if @verb is NULL. */
void cli_help(FILE *out, const struct cli_verb *verb);

/* man.c */
/** Prints the man page of @verb, or of the tool if @verb is NULL, in mdoc. */
void cli_man(FILE *out, const struct cli_verb *verb);

/* complete.c */
/** Prints what can stand in place of the last of @count words of a command line, the words after "armpmu". */
void cli_complete(int count, char *const *words);

/* complain.c */
/**
 * Flushes stdout and prints a line to stderr: "armpmu VERB: " and a message of the form "object: cause; cure".  @format
 * ends without a full stop or newline.  What is not printable is escaped, as by cli_print().  @verb may be NULL.
 */
void cli_complain(const struct cli_verb *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/**
 * Returns the length in bytes of the UTF-8 character at @text, of which @length bytes, one or more, may be read.
 * Returns 0 if there is none.
 */
size_t cli_character(const char *text, size_t length);
/** Makes @text UTF-8: each byte that is no part of a character becomes '?'. */
void cli_make_utf8(char *text);
/** Prints @length bytes of @text.  Escapes all but printable characters of UTF-8: a file name may have any byte. */
void cli_print(FILE *out, const char *text, size_t length);
/**
 * Flushes @out, which a complaint calls @name.  Returns @status, or CLI_CANNOT after a complaint if this write or an
 * earlier one failed.
 */
int cli_flush(const struct cli_verb *verb, FILE *out, const char *name, int status);
/**
 * Allocates memory for @count objects of @size bytes, which the caller frees.  If @old is NULL, they are zeros.
 * Otherwise @old is resized and keeps its contents; what is added is not initialized.  If there is no memory, complains
 * and ends the tool with CLI_CANNOT.
 */
void *cli_allocate(void *old, size_t count, size_t size);
/** Returns @words, of which the last is followed by NULL, with blanks between.  The caller frees it. */
char *cli_join(char *const *words);
/** Room for cli_grouped(). */
struct cli_number {
    char text[32];
};
/** Writes @value with groups of thousands, 1,234,567.  Returns where in @number it begins. */
const char *cli_grouped(uint64_t value, struct cli_number *number);
/**
 * Occupies those of the descriptors 0 to 2 that are closed, so that no other file gets them.  Every use of such a
 * descriptor fails.
 */
void cli_reserve_descriptors(void);

#endif
