/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a text, as similar.c and the program that makes similar.def (test/cli/why/similar.c) tell them apart. */
#ifndef ARMPMU_CLI_WHY_SIMILAR_H
#define ARMPMU_CLI_WHY_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>

#define SIMILAR_WORD 32     /* bytes of a word with its final 0; longer ones are left out */
#define SIMILAR_TEXT 100000 /* so many bytes of a text are looked at */

/* The numbers of similar.def that are no cause's. */
enum { SIMILAR_NONE = 0, SIMILAR_UNKNOWN = 999 };

/** A place in a text.  The caller sets .at and .end, and leaves the rest zero. */
struct similar_place {
    const char *at, *end;    /**< what is left */
    const char *part, *last; /**< what is left of a name whose parts are words too; NULL: nothing */
};

/**
 * Reads the next word and moves @place behind it.  Writes the word in small letters to @word, a name of an event
 * counter without its number and a plain word without its ending; *@from and *@length say where it stands.  The parts
 * of a name follow it: "pmu", "counters" behind "pmu_counters".  A number has at most three characters.  Returns false
 * at the end.
 */
bool similar_word(struct similar_place *place, char word[SIMILAR_WORD], const char **from, size_t *length);

#endif
