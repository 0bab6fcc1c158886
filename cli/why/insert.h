/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds where in given code the lines of a remedy belong: where they take the cause away. */
#ifndef ARMPMU_CLI_WHY_INSERT_H
#define ARMPMU_CLI_WHY_INSERT_H

#include "rules.h"

#define INSERT_EDITS 4 /* the most places of one cure */

enum insert_how { INSERT_AFTER, INSERT_BEFORE, INSERT_INSTEAD };

/** Lines, and their place in the input. */
struct insert_edit {
    enum insert_how how;
    uint32_t line, last; /**< the line, and with INSERT_INSTEAD the last one of the statement */
    uint32_t column;     /**< 0: the whole line; else the lines belong within it, at this column, from 1 */
    char text[2000];     /**< "": with INSERT_INSTEAD, the statement goes */
};

struct insert_edits {
    size_t count;
    bool proved; /**< with them the input does not show the cause any more */
    struct insert_edit list[INSERT_EDITS];
};

/**
 * Finds the places for the remedy of @s, which @in shows first.  Reads the input again with each change,
 * and takes the first that helps.
 */
void insert_find(const struct rules_input *in, const struct cure_form *form, const struct suspect *s,
                 const struct remedy *remedy, struct insert_edits *edits);

#endif
