/* SPDX-License-Identifier: BSD-2-Clause */
/* Words: what people write about their machine, what they see and what they did before. */
#ifndef ARMPMU_CLI_READ_WORDS_H
#define ARMPMU_CLI_READ_WORDS_H

#include "reading.h"

/**
 * Finds cores, boards, SoCs, hypervisors, emulators, clouds, operating systems, Exception levels and clock rates in
 * @text, @length bytes of line @line (0: of no line), and learns them: r->machine, and CLUE_words_m_core for an
 * M-profile core, which is no core of the tables.  The rows are in boards.def.  Any reader may call it, for a comment,
 * a prompt or the model string of a board.  What is known already is kept.
 */
void read_machine_words(struct reading *r, const char *text, size_t length, uint32_t line);

/** Does the same, but learns only cores and boards: for lines of logs, whose other words may be about anything. */
void read_board_words(struct reading *r, const char *text, size_t length, uint32_t line);

/**
 * Learns "EL3", a word of @word characters at @at that is an item of its own: "Cortex-A57, EL3, bare metal", or behind
 * a number that ends a core's name: words_level.c.
 */
void words_level_item(struct reading *r, const char *text, size_t length, size_t at, size_t word, uint32_t line);
/**
 * Returns true if the @used characters at @at name a level at which something only began, or which it left: "booted at
 * EL2", "from EL2 to EL1".  Keeps that level for words_level_settle().
 */
bool words_level_begins(struct reading *r, const char *text, size_t length, size_t at, size_t used, uint32_t line);
struct prose;
/** Puts "descends" for "drops" where it is to an Exception level, and so no count that drops. */
void words_level_descends(struct prose *p);
/** Learns the level from what was dropped to, or else from where the code began, unless words say where it runs. */
void words_level_settle(struct reading *r);

/* ---------------------------------------------------------------------------------------------------------------
 * Prose as words.
 */

#define PROSE_TOKENS 2500 /* the rest of a longer text is not read */

/** A word or a number, in lower case. */
struct prose_token {
    const char *text;
    uint16_t length;
    bool number;
    bool hex;
    bool index;        /**< a number that says which one: of "core 0" */
    bool operand;      /**< a number of a product or a power, which nobody sees as a count: of "2^32 * 64 / 300e6" */
    double value;      /**< of a number, with its scale: "4.29 billion" is one token */
    uint32_t line;     /**< 0: of r->said */
    uint32_t sentence; /**< from 0 */
    uint32_t clause;   /**< from 0, through all sentences */
    bool asked;        /**< of a question that yes or no answers, and that denies nothing */
};

struct prose {
    size_t count;
    uint32_t sentence, clause; /* of the next token */
    size_t used;               /* bytes of .bytes */
    char bytes[PROSE_TOKENS * 12];
    struct prose_token tokens[PROSE_TOKENS];
};

/** Adds the words of @text, which is @length bytes of line @line.  words_prose_end() ends a sentence. */
void words_prose_add(struct prose *p, const char *text, size_t length, uint32_t line);
/** Ends the sentence, if one has begun. */
void words_prose_end(struct prose *p);

/** Puts the words of @p into English, if they are in another language of foreign.def.  All words have been added. */
void words_prose_translate(struct prose *p);

/** Returns true if token @i is one of @words, alternatives separated by /. */
bool words_prose_is(const struct prose *p, size_t i, const char *words);

struct prose_marks;
/** Finds out which words of the patterns of phrases.def each token is.  The caller releases the result. */
struct prose_marks *words_prose_mark(const struct prose *p);
void words_prose_release(struct prose_marks *m);
/**
 * Finds the first place where a pattern of row @phrase of phrases.def matches; WORDS rows are not counted.  @told: not
 * in a question that yes or no answers.  Returns the index of its first token and stores that of the token behind it in
 * *@end; the count of tokens if there is none.
 */
size_t words_prose_find(const struct prose_marks *m, size_t phrase, bool told, size_t *end);

/** Returns true if @a differs from @b by at most @tolerance of @b. */
bool words_is_near(double a, double b, double tolerance);

/** Adds a clue of @kind on @line with two numbers, rounded, unless there is one of the kind. */
void words_add_pair(struct reading *r, enum clue_kind kind, uint32_t line, double a, double b);

/** Finds times, rates, ratios and percentages in @p, and adds their clues: words_numbers.c. */
void words_prose_numbers(struct reading *r, const struct prose *p);

/**
 * Finds the numbers of counters in @p, counts that are 0, and cycles that hardly vary, and adds their clues:
 * words_counters.c.
 */
void words_prose_counters(struct reading *r, const struct prose *p);
/** Finds what is expected in @p and what is seen instead, and adds clues and symptoms: words_expected.c. */
void words_prose_expected(struct reading *r, const struct prose *p);
/** Finds times in @p that 2^32 cycles decide about, and adds their clues: words_wraps.c. */
void words_prose_wraps(struct reading *r, const struct prose *p);
/** Returns true if the time at token @i is the longest of all: "never longer than 1 s", "2 ms at most". */
bool words_is_limit(const struct prose *p, size_t i);
/** Returns true if token @i is 2^32, and the sentence says that regions are shorter: "a run is far below 2^32". */
bool words_is_below_wrap(const struct prose *p, size_t i);
/** Finds values of PMCR and numbers of events in @p, and adds their clues: words_values.c. */
void words_prose_values(struct reading *r, const struct prose *p);
/** Finds values in @p that decide by their bits, and adds their clues: words_fields.c. */
void words_prose_fields(struct reading *r, const struct prose *p);
/** Finds fields and masks in @p, and counts that are right, and adds their clues: words_masks.c. */
void words_prose_masks(struct reading *r, const struct prose *p);
/** Returns the core of the A or R profile that is named at @text, a word of @word letters and digits; or NULL. */
const struct apmu_core_info *words_core_at(const char *text, size_t word);
/** Returns the core that token @i of @p names, "a53" or "cortex-a53"; NULL: none. */
const struct apmu_core_info *words_core_of_token(const struct prose *p, size_t i);
/**
 * Forgets the core that the name of a board told, if another one is named right behind it at @at, with @word letters
 * and digits: "AM64x, Cortex-R5F".  The board's name ends at @board of @text, which is in line @line.
 */
void words_core_replace(struct reading *r, const char *text, size_t at, size_t word, size_t board, uint32_t line);
/** Returns a number that token @i of @p is as a word, such as "three", or 0. */
double words_spelled(const struct prose *p, size_t i);
/** Returns the number that token @i of @p is in digits or words, "a hundred" at its last word; 0: it is none. */
double words_amount(const struct prose *p, size_t i);
/** Returns the seconds that unit token @i of @p stands for, 0 if it is none. */
double words_seconds(const struct prose *p, size_t i);
/** Returns the Hz that unit token @i of @p stands for, 0 if it is none. */
double words_hertz(const struct prose *p, size_t i);

#endif
