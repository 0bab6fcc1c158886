/* SPDX-License-Identifier: BSD-2-Clause */
/* Symptoms that comments of code show as values: two reads that are equal, results of 0, interrupts that were 0. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "code.h"

#define COMMENTS 200 /* comments that are looked at */

/* Returns true if @text, of @length bytes, has @word, in any case. */
static bool has(const char *text, size_t length, const char *word)
{
    const size_t n = strlen(word);

    for (size_t i = 0; i + n <= length; i++) {
        if (strncasecmp(text + i, word, n) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the comment says that two names are equal, and always: "begin == end, always". */
static bool shows_equal(const struct code_comment *c)
{
    static const char *const words[] = {"always", "every", "both", "never", "still"};

    for (size_t i = 2; i + 3 < c->length; i++) {
        const char *p = c->text + i;

        if (p[0] != '=' || p[1] != '=' || !isalpha((unsigned char)p[p[2] == ' ' ? 3 : 2]) ||
            !isalnum((unsigned char)p[p[-1] == ' ' ? -2 : -1])) {
            continue;
        }
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            if (has(c->text, c->length, words[w])) {
                return true;
            }
        }
    }
    return false;
}

/* Returns true if the comment gives 0 for @name: "time_enabled=0", "isr hits: 0". */
static bool shows_zero(const struct code_comment *c, const char *name)
{
    const size_t n = strlen(name);

    for (size_t i = 0; i + n + 1 < c->length; i++) {
        size_t at = i + n;

        if (strncasecmp(c->text + i, name, n) != 0) {
            continue;
        }
        at += strspn(c->text + at, " =:");
        if (at > i + n && at < c->length && c->text[at] == '0' &&
            (at + 1 >= c->length || (!isalnum((unsigned char)c->text[at + 1]) && c->text[at + 1] != '.'))) {
            return true;
        }
    }
    return false;
}

unsigned code_shown(const struct code *code)
{
    static const struct {
        const char *name;
        enum reading_symptom symptom;
    } names[] = {
        {"time_enabled", READING_zero}, {"time_running", READING_zero},      {"hits", READING_no_interrupt},
        {"irqs", READING_no_interrupt}, {"isr count", READING_no_interrupt}, {"isr calls", READING_no_interrupt},
        {"interrupts", READING_no_interrupt},
    };
    unsigned symptoms = 0;

    for (size_t i = 0; i < code->comment_count && i < COMMENTS; i++) {
        const struct code_comment *c = &code->comments[i];

        symptoms |= shows_equal(c) ? 1u << READING_stuck : 0;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            symptoms |= shows_zero(c, names[k].name) ? 1u << names[k].symptom : 0;
        }
    }
    return symptoms;
}
