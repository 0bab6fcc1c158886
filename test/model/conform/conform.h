/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replays vector files: CSV files with one self-contained state per row, and the answer of Arm's own pseudocode.
 *
 * The header line of a file selects the check.  The check builds the state of a row, calls the model, and compares each
 * output column with expect().  conform stops at the first number that it cannot read, because a misread vector proves
 * nothing.
 */
#ifndef ARMPMU_TEST_CONFORM_H
#define ARMPMU_TEST_CONFORM_H

#include <stdio.h>

#include "../../../lib/model/internal.h"

enum { MAX_COLUMNS = 64 };

struct vector_row {
    struct vector_file *file;
    unsigned long line;         /* line 1 is the header */
    char *field[MAX_COLUMNS];
    const char *text;           /* the whole row, for messages */
    bool mismatch;
};

enum verdict { CHECKED, SKIPPED };

struct check {
    const char *header; /* the whole header line */
    enum verdict (*run)(struct vector_row *row);
};

/*
 * conform.c: return the content of a column of the row, as a hexadecimal or decimal number or as it is.  A column that
 * the file lacks, or that is no such number, makes the file unreadable.
 */
uint64_t hex(struct vector_row *row, const char *column);
unsigned dec(struct vector_row *row, const char *column);
const char *text(struct vector_row *row, const char *column);
/* Compare a hexadecimal or decimal column, the answer of the pseudocode, with @got, that of the model. */
void expect(struct vector_row *row, const char *column, uint64_t got);
void expect_dec(struct vector_row *row, const char *column, uint64_t got);

/* state.c: loads feat, st, n, epm, mdcr2, mdcr3, scr and hcr, which all files have. */
void load_access(struct vector_row *row, struct apmu *p, struct apmu_pe *pe);
/* Loads the same and the other common columns.  @n is the counter whose PMEVTYPER is in the row, or APMU_COUNTERS. */
void load_state(struct vector_row *row, struct apmu *p, struct apmu_pe *pe, unsigned n);
/* Loads inten, userenr, uacr, pmecr, fgt and mi. */
void load_more(struct vector_row *row, struct apmu *p, struct apmu_pe *pe);

/* A NULL header ends each array. */
extern const struct check count_checks[], increment_checks[], signal_checks[], mask_checks[], access_checks[];

#endif
