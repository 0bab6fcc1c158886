/* SPDX-License-Identifier: BSD-2-Clause */
/* The patterns of phrases.def in a form that is fast to match.  words_match.c matches them. */
#ifndef ARMPMU_CLI_READ_WORDS_PATTERNS_H
#define ARMPMU_CLI_READ_WORDS_PATTERNS_H

#include "words.h"

/** The elements of a pattern, as phrases.def names them. */
enum pattern_kind {
    PATTERN_ONE,   /**< one of the terms */
    PATTERN_MAYBE, /**< perhaps one of them */
    PATTERN_NEAR,  /**< .. */
    PATTERN_FAR,   /**< ... */
};

/** A word or a class of words. */
struct pattern_term {
    const char *text; /**< of a word; may end in *; "#" is a number */
    size_t length;
    uint64_t classes; /**< to which a word belongs, a set of 1 << term */
    uint32_t next;    /**< the next word that begins with the same two letters; 0: none */
    uint32_t same;    /**< the next word with the same hash; 0: none */
    uint32_t uses;    /**< an index of .uses; 0: none */
};

/** A part of a pattern. */
struct pattern_element {
    enum pattern_kind kind;
    uint32_t first, end; /**< its terms, indexes of .choices */
};

struct pattern_row {
    uint32_t first, end; /**< its elements */
    bool plain;          /**< also after a negation */
};

/** A pattern that needs a term or one of its alternatives. */
struct pattern_use {
    uint32_t pattern, next; /**< .next: an index of .uses; 0: none */
};

struct patterns {
    struct pattern_term *terms;
    struct pattern_element *elements;
    struct pattern_row *list;
    struct pattern_use *uses;
    uint32_t *choices;
    size_t class_count; /**< terms from 0 on that are classes; the others are words */
    size_t term_count, element_count, count, use_count, choice_count;
    uint64_t *always;        /**< patterns that need no word, a bit for each */
    const uint32_t *phrases; /**< phrase i has patterns .phrases[i] to .phrases[i + 1] - 1 */
    uint64_t negation;       /**< the class {not} */
    uint64_t zeros;          /**< classes to which a number that says which one does not belong */
};

/** Returns the patterns of all phrases, in the order of phrases.def.  They are made at the first call. */
const struct patterns *words_patterns_get(void);
/** Returns the first word that may be @text, @length bytes, 0 for none.  .next leads to the others. */
uint32_t words_patterns_word(const char *text, size_t length);
/** Returns the first word of the form "x*" that may be @text, 0 for none.  .next leads to the others. */
uint32_t words_patterns_letter(const char *text);
/** Returns the term of numbers, 0 for none. */
uint32_t words_patterns_number(void);

#endif
