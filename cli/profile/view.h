/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the verbs that show recordings share: their common options, how a recording is opened, and what rows are called.
 */
#ifndef ARMPMU_CLI_VIEW_H
#define ARMPMU_CLI_VIEW_H

#include <jansson.h>

#include "profile.h"
#include "terminal.h"

/** The file that is read without an operand, which `armpmu record` writes without -o. */
#define VIEW_FILE "armpmu.data"

enum view_format {
    VIEW_TEXT,
    VIEW_FIELDS, /**< -x */
    VIEW_JSON,   /**< -j: an object on each line */
};

/** The options that the verbs share. */
struct view_options {
    struct profile_options profile;
    const char **debug; /**< what profile.debug has; view_free() frees it */
    size_t debug_count;
    struct terminal_choice terminal;
    enum view_format format;
    const char *separator; /**< of fields */
    const char *function, *file, *thread; /**< patterns; NULL: all */
    size_t rows;           /**< the most rows that are printed; 0: all */
};

/**
 * Takes an option that the verbs share.  Returns 1 if it is one; 0 if it is none; -1 after a complaint if its value is
 * wrong.
 */
int view_option(struct view_options *v, const struct cli_verb *verb, enum cli_option_id id, const char *value);
void view_free(struct view_options *v);

/**
 * Reads the recording @path, and leaves out the threads that -t does not choose.  Returns NULL after a complaint if
 * that fails.
 */
struct recording *view_read(const struct view_options *v, const struct cli_verb *verb, const char *path);
/** Makes the profile of @r.  Returns NULL after a complaint if that fails. */
struct profile *view_profile(const struct view_options *v, const struct cli_verb *verb, const struct recording *r);
/** Prints the remarks of the recording and the profile to stderr. */
void view_remarks(const struct profile *p);

/** Returns the event of @r called @name, in upper or lower case; PROFILE_NONE after a complaint if there is none. */
uint32_t view_event(const struct cli_verb *verb, const struct recording *r, const char *name);
/** Returns the key called @name for --by, or -1. */
int view_key(const char *name);
const char *view_key_name(enum profile_key key);
/** Returns whether @name, which is a function, file or thread, is what @pattern chooses: a part of it, or a glob. */
bool view_matches(const char *name, const char *pattern);

/** What a row is called. */
struct view_names {
    const char *function; /**< "" where it does not apply; so for the members below */
    const char *symbol;   /**< the function as the symbol table has it */
    const char *file;     /**< the path of its file */
    const char *source;
    uint32_t line;        /**< 0 where it does not apply */
    bool has_offset;
    uint64_t offset;
    const char *thread;
    int32_t tid;
    const char *process;
    int32_t pid;
};

struct view_names view_names(const struct profile *p, const struct profile_row *row, enum profile_key key);
/** Prints @text as a field: printable, and without the separator. */
void view_print_name(const struct view_options *v, FILE *out, const char *text);
/** Returns @text as a JSON string, escaped where it is no UTF-8. */
json_t *view_json_text(const char *text);
json_t *view_json_count(uint64_t count);
/** Adds to @object the marks of those of the @count @events of @r that have one, as "marks". */
void view_json_marks(json_t *object, const struct recording *r, const uint32_t *events, size_t count);
/** Returns the last part of @path. */
const char *view_base(const char *path);
/** Returns how many per cent @part is of @whole; 0 of nothing is 0. */
double view_percent(uint64_t part, uint64_t whole);
/** Returns the colour for a cost of so many per cent. */
enum terminal_colour view_colour(double percent);
/** Prints @percent with two digits, "12.34%", in the colour that it has. */
void view_print_percent(const struct terminal *t, double percent);

#endif
