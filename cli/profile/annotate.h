/* SPDX-License-Identifier: BSD-2-Clause */
/* A function with its instructions, their text and their costs, for `armpmu annotate`. */
#ifndef ARMPMU_CLI_PROFILE_ANNOTATE_H
#define ARMPMU_CLI_PROFILE_ANNOTATE_H

#include "view.h"

struct annotate_instruction {
    uint64_t address; /**< as the symbol table counts; of generated code, in the program */
    uint32_t word;
    uint8_t length;   /**< 0: the word is not known */
    uint32_t source, line; /**< PROFILE_NONE and 0: not known */
    uint32_t inlined; /**< the function from which it was inlined; PROFILE_NONE: it was not executed */
    char *text;       /**< its assembly; NULL: no disassembler */
};

struct annotate_listing {
    uint32_t function;
    struct annotate_instruction *data;
    uint64_t *counts; /**< row i has its counts at counts[i * event_count] */
    uint64_t *sums;   /**< of each event */
    size_t count, room, count_room;
    bool a32;
};

/**
 * Lists the instructions of function @function in order of addresses: those that were executed and, where the file can
 * be read, the others.  Returns false without memory.
 */
bool annotate_list(const struct profile *p, uint32_t function, struct annotate_listing *listing);
void annotate_free(struct annotate_listing *listing);

/**
 * Disassembles @number listings, all of one kind at once.  Returns false if it lacks a disassembler, or one fails: then
 * texts are NULL, and *@why says so.  Otherwise *@why is NULL.
 */
bool annotate_disassemble(const struct profile *p, struct annotate_listing *listings, size_t number, const char **why);

/** The lines of source files. */
struct annotate_sources;

/**
 * Opens no file yet.  @prefixes are FROM=TO, NULL-terminated; NULL: none.  Returns NULL without memory; the caller
 * frees it.
 */
struct annotate_sources *annotate_sources_new(const struct profile *p, const char *const *prefixes);
void annotate_sources_free(struct annotate_sources *s);
/** Returns line @line of source @source, or NULL if there is none. */
const char *annotate_source_line(struct annotate_sources *s, uint32_t source, uint32_t line);

/** How a function is printed. */
struct annotate_view {
    struct view_options view;
    const struct cli_verb *verb;
    struct terminal terminal;
    struct profile *profile;
    struct annotate_sources *sources;
    uint32_t *events;
    size_t event_count;
    uint64_t *sums; /**< over the recording */
};

/** Prints a listing as text, or for programs. */
void annotate_print(const struct annotate_view *v, const struct annotate_listing *listing);

#endif
