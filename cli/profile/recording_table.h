/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of a recording as data: which members a row has, which of them are texts, and which name rows of other
 * tables.  Adding, freeing, writing, reading and checking go by this description, so that a new member is one row here
 * and one in doc/profile.md.
 */
#ifndef ARMPMU_CLI_RECORDING_TABLE_H
#define ARMPMU_CLI_RECORDING_TABLE_H

#include "recording.h"

#define RECORDING_EVENTS_MOST 1024 /* more events than any core has */

enum recording_member_kind {
    RECORDING_MEMBER_U8,
    RECORDING_MEMBER_FLAG, /**< 0 or 1 */
    RECORDING_MEMBER_ENUM, /**< an enum or uint8_t, a byte in the file */
    RECORDING_MEMBER_U32,
    RECORDING_MEMBER_I32,
    RECORDING_MEMBER_U64,
    RECORDING_MEMBER_INDEX, /**< the row of a table */
    RECORDING_MEMBER_TEXT,
    RECORDING_MEMBER_BUILD_ID, /**< the length, which the array follows */
};

enum recording_table_id {
    RECORDING_EVENTS,
    RECORDING_FILES,
    RECORDING_IMAGES,
    RECORDING_THREADS,
    RECORDING_MAPS,
    RECORDING_SYMBOLS,
    RECORDING_CODE,
    RECORDING_NODES,
    RECORDING_SAMPLES,
    RECORDING_INTERVALS,
    RECORDING_TABLES,
};

/** A member of a row, in the order of the file. */
struct recording_member {
    const char *name;
    enum recording_member_kind kind;
    size_t offset;              /**< in the row */
    size_t width;               /**< of an enum in memory */
    uint32_t most;              /**< the highest value of an enum */
    enum recording_table_id to; /**< the table of an index */
    bool optional;              /**< an index may be RECORDING_NONE */
};

struct recording_table {
    const char *tag;  /**< the four letters of its chunk in the file */
    const char *name; /**< what its rows are called */
    size_t row_size;
    size_t rows, count, counts; /**< the offsets of its members in struct recording; counts 0: it has none */
    const struct recording_member *members;
    size_t member_count;
};

/** The tables, by enum recording_table_id. */
extern const struct recording_table recording_tables[RECORDING_TABLES];
/** The members of struct recording that are no tables. */
extern const struct recording_table recording_head;

size_t recording_table_count(const struct recording *r, const struct recording_table *t);
/** Returns row @row of table @t of @r. */
void *recording_table_row(const struct recording *r, const struct recording_table *t, size_t row);
/** Returns the counts of row @row, or NULL if @t has none. */
uint64_t *recording_table_counts(const struct recording *r, const struct recording_table *t, size_t row);

/** Returns where the text @m of @row is kept. */
char **recording_member_text(const struct recording_member *m, void *row);
/** Returns the number @m of @row. */
uint64_t recording_member_number(const struct recording_member *m, const void *row);
void recording_member_set(const struct recording_member *m, void *row, uint64_t value);

/**
 * Adds a copy of @row, whose texts become the table's, and of @counts, if the table has any.  Returns its index, or
 * RECORDING_NONE if there is no memory; then the texts stay the caller's.
 */
uint32_t recording_table_add(struct recording *r, const struct recording_table *t, const void *row,
                             const uint64_t *counts);
/** Frees the texts of @row. */
void recording_row_free(const struct recording_table *t, void *row);

/** Checks what rows say of each other.  Returns true, or fills @why, of @size bytes, with the row and its fault. */
bool recording_check(const struct recording *r, char *why, size_t size);

#endif
