/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text as people paste it, as lines.  UTF-16 becomes UTF-8; byte order marks, CR, terminal colours, the "> " of a
 * mail and the fences of Markdown are removed.  A line keeps its number in the input, so that messages can name it.
 */
#ifndef ARMPMU_CLI_READ_TEXT_H
#define ARMPMU_CLI_READ_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The readers, which claim lines.  Every reader looks at the whole text, in this order. */
enum text_reader {
    TEXT_LINUX,     /**< logs, perf's output, device trees, listings of /sys and /proc, command lines */
    TEXT_EXCEPTION, /**< what a debugger or an exception handler prints: ESR, opcodes, backtraces */
    TEXT_CODE,      /**< source code and disassembly */
    TEXT_REGISTERS, /**< values of registers */
    TEXT_WORDS,     /**< sentences: prose, and the comments around the rest */
    TEXT_READERS
};

/** A line, without its end.  Byte .text[.length] is 0, and no other byte is. */
struct text_line {
    const char *text;
    size_t length;
    uint32_t number; /**< in the input, from 1 */
    uint8_t claimed; /**< a set of 1 << TEXT_..., the readers that understood it */
};

struct text {
    struct text_line *lines;
    size_t count;
    char *joined;     /**< the lines, each with "\n"; line i begins at joined + (lines[i].text - lines[0].text) */
    size_t length;    /**< bytes in .joined */
    char *bytes;      /**< what .lines points into */
};

/** Makes lines of the @length bytes at @input, which stay the caller's.  Release @t with text_free(). */
void text_init(struct text *t, const char *input, size_t length);
void text_free(struct text *t);

/** Returns the number of blanks and tabs at the beginning of @text.  Lines are short, so this beats strspn(). */
static inline size_t text_blanks(const char *text)
{
    size_t count = 0;

    while (text[count] == ' ' || text[count] == '\t') {
        count++;
    }
    return count;
}

/** Returns true if @c may be part of a word or a name: a letter, a digit or an underscore. */
bool text_is_word(char c);

/**
 * Words that are searched for together, in any case of letters: up to 64 of them, each of two characters or more.  The
 * caller sets .words and .count and leaves the rest zero; the first search fills it.
 */
struct text_words {
    const char *const *words;
    size_t count;
    bool made;
    uint64_t first[256], second[256]; /**< by character: the words that have it there, a set of 1 << index */
};

/** Returns the next place from @text on where one of @w is, or NULL.  *@found is its index. */
const char *text_search(struct text_words *w, const char *text, size_t *found);

/** Returns the words of @w that are in @text, a set of 1 << index.  @whole: only where they are whole names. */
uint64_t text_search_all(struct text_words *w, const char *text, bool whole);

/**
 * Returns a hash of the shape of a line: of its characters, with one mark for each number, in decimal or hexadecimal.
 * Lines of a large text that have one shape mostly say one thing.
 */
uint32_t text_shape(const char *text, size_t length);

/** Claims line @i, an index of @t->lines, for @reader. */
void text_claim(struct text *t, size_t i, enum text_reader reader);
/** Returns true if @reader claimed line @i. */
bool text_is_claimed(const struct text *t, size_t i, enum text_reader reader);
/** Counts the lines that each reader claimed. */
void text_claims(const struct text *t, size_t claims[TEXT_READERS]);
/** Returns the index of the line with @number, or of the next one; @t->count if there is none. */
size_t text_find(const struct text *t, uint32_t number);

/** Returns true if a negation stands shortly before offset @at of @text, in the same clause: "not halted". */
bool text_denies(const char *text, size_t at);

#endif
