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

/* Returns true if the word that ends before offset @at of the comment is @word; @part: if it begins so. */
static bool ends_in(const struct code_comment *c, size_t at, const char *word, bool part)
{
    const size_t n = strlen(word);
    size_t from = at;

    while (from > 0 && !isspace((unsigned char)c->text[from - 1]) && strchr("(,;:=\"", c->text[from - 1]) == NULL) {
        from--;
    }
    return at - from >= n && (part ? has(c->text + from, at - from, word)
                                   : at - from == n && strncasecmp(c->text + from, word, n) == 0);
}

/*
 * Returns the symptom of a result of 0 that the comment shows: "-> 0", "cycles=0", "delta: 0", "n_samples == 0".
 * READING_SYMPTOMS: it shows none.  What sets a counter to 0 is no result.
 */
static enum reading_symptom shows_result(const struct code_comment *c)
{
    static const char *const results[] = {"result", "results", "output", "prints", "printed", "cycles", "cyc", "cycle",
                                          "instructions", "instr", "insns", "insn", "delta", "diff", "dt", "elapsed",
                                          "->", "=>", "-->", "==>", "got", "gives", "shows", "reads", "says", "misses",
                                          "refills", "branches", "enabled/running"};
    static const char *const interrupts[] = {"samples", "irq", "isr", "hits", "interrupts", "fired"};
    static const char *const sets[] = {"reset", "clear",    "start at", "start from", "set to",
                                       "init",  "zero the", "begin",    "preload",    "write"};

    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (has(c->text, c->length, sets[i])) {
            return READING_SYMPTOMS;
        }
    }
    for (size_t i = 1; i < c->length; i++) {
        const char next = i + 1 < c->length ? c->text[i + 1] : '\0';
        size_t at = i;

        if (c->text[i] != '0' || isalnum((unsigned char)next) || next == '.' || next == '_' ||
            strchr(" =:\"", c->text[i - 1]) == NULL) {
            continue;
        }
        while (at > 0 && strchr(" =:\"", c->text[at - 1]) != NULL) {
            at--;
        }
        for (size_t k = 0; k < sizeof interrupts / sizeof interrupts[0]; k++) {
            if (memchr(c->text + at, '=', i - at) != NULL && ends_in(c, at, interrupts[k], true)) {
                return READING_no_interrupt;
            }
        }
        for (size_t k = 0; k < sizeof results / sizeof results[0]; k++) {
            if (ends_in(c, at, results[k], false)) {
                return READING_zero;
            }
        }
    }
    return READING_SYMPTOMS;
}

/* Returns true if a count only passes the zero at @at of comment @n: "goes through zero", "starts from zero". */
static bool is_passed(const struct code *code, size_t n, size_t at)
{
    static const char *const ways[] = {"through", "past", "across", "beyond", "around", "over", "from"};
    const struct code_comment *c = &code->comments[n];

    while (at > 0 && strchr(" \t*", c->text[at - 1]) != NULL) {
        at--;
    }
    if (at == 0 && n > 0) { /* each line is a comment of its own */
        c--;
        at = c->length;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (ends_in(c, at, ways[i], false)) {
            return true;
        }
    }
    return false;
}

/* Returns true if comment @n has @word at the beginning of a word, and does not deny it. */
static bool has_word(const struct code *code, size_t n, const char *word)
{
    const struct code_comment *c = &code->comments[n];
    const size_t length = strlen(word);

    for (size_t i = 0; i + length <= c->length; i++) {
        if (strncasecmp(c->text + i, word, length) == 0 && (i == 0 || !isalnum((unsigned char)c->text[i - 1])) &&
            !text_denies(c->text, i) && !(strncmp(word, "zero", 4) == 0 && is_passed(code, n, i))) {
            return true;
        }
    }
    return false;
}

bool code_hints(const struct code *code)
{
    static const char *const words[] = {
        "no progress", "does nothing", "do nothing", "not counting", "not work", "cannot get", "can't get", "zero.",
        "zero!", "all the same", "the same value", "the same number", "times out", "time out", "timed out",
        "until reboot", "no idea", "broken", "? why", "bug:", "equals start", "equals begin", "== 0", "0 on ",
        "0 until", "0 times", "0?", "0 0", "00000000", "it's 0", "its 0", "all 0", "only 0", "still 0", "but 0",
        "stays", "stuck", "never returns", "no effect", "fails", "crash", "hang", "freezes", "look funny",
        "looks funny", "bogus", "make no sense", "makes no sense", "doesn't seem", "does not seem", "don't seem",
        "do not seem", "all over the place", "no matter what", "way off", "far off", "off by", "different numbers",
        "different number each", "different value", "doing wrong", "is wrong", "are wrong", "goes wrong",
        "went wrong", "wrong value", "wrong number", "wrong count", "wrong result", "refuses to", "up as 0",
        "up at 0", "up with 0", "printed as 0", "shown as 0", "gives 0", "get 0", "suspicious", "too good to",
        "not increasing", "not advancing", "not moving", "not increment", "not advance", "not increase", "not tick",
        "garbage", "nonsense", "useless", "crazy", "weird", "strange", "ridiculous", "insane", "implausib",
        "impossible", "unexpected", "inconsistent", "puzzl", "confus", "any idea", "any hint", "any clue",
        "please help", "help me", "no clue", "what is up", "what's up", "why?", "why is", "why are", "why do",
        "why can", "how come", "returns zero", "returns 0", "reads zero", "reads 0", "reads as 0", "reads as zero",
        "is zero", "are zero", "always zero", "always 0", "is always", "are always", "is dead", "does not move",
        "doesn't move", "does not count", "doesn't count", "does not work", "doesn't work", "not counted", "too low",
        "too high", "too small", "too large", "too big", "too few", "too many",
    };

    if (code->facts[CODE_HAS_LICENCE] != 0) {
        return false;
    }
    for (size_t i = 0; i < code->comment_count && i < COMMENTS; i++) {
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            if (has_word(code, i, words[k])) {
                return true;
            }
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
        {"interrupts", READING_no_interrupt}, {"called", READING_no_interrupt}, {"isr runs", READING_no_interrupt},
    };
    unsigned symptoms = 0;

    for (size_t i = 0; i < code->comment_count && i < COMMENTS; i++) {
        const struct code_comment *c = &code->comments[i];

        const enum reading_symptom result = shows_result(c);

        symptoms |= shows_equal(c) ? 1u << READING_stuck : 0;
        symptoms |= result != READING_SYMPTOMS ? 1u << result : 0;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            symptoms |= shows_zero(c, names[k].name) ? 1u << names[k].symptom : 0;
        }
    }
    return symptoms;
}
