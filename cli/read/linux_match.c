/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns, words and numbers in lines of Linux' texts. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "linux.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

uint64_t linux_number(const char *text, const char **end)
{
    const bool negative = text[0] == '-' && isdigit((unsigned char)text[1]);
    const char *at = text + negative;
    const bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && isxdigit((unsigned char)at[2]);
    uint64_t value = 0;

    for (at += hex ? 2 : 0; hex ? isxdigit((unsigned char)*at) : isdigit((unsigned char)*at); at++) {
        const int c = tolower((unsigned char)*at);

        value = value * (hex ? 16 : 10) + (uint64_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
    }
    *end = at;
    return negative ? 0 - value : value;
}

/* Stores the number or word that a capture of a pattern matched. */
static const char *capture(char kind, const char *at, struct linux_match *m)
{
    size_t used = 0;

    if (kind == '#') {
        const char *end;
        const uint64_t value = linux_number(at, &end);

        if (end != at && m->count < 3) {
            m->numbers[m->count++] = value;
        }
        return end;
    }
    for (; *at != '\0' && !is_blank(*at) && strchr(",;)'\"`", *at) == NULL; at++) {
        if (used + 1 < sizeof m->word) {
            m->word[used++] = *at;
        }
    }
    while (used > 0 && (m->word[used - 1] == ':' || m->word[used - 1] == '.')) {
        used--;
        at--;
    }
    m->word[used] = '\0';
    return at;
}

/* Matches one element of *@pattern at @at.  Returns the end of what it matched, or NULL. */
static const char *step(const char *pattern, const char *at, struct linux_match *m)
{
    const char *end;

    if (*pattern == '#' || *pattern == '@') {
        end = capture(*pattern, at, m);
        return end == at ? NULL : end;
    }
    if (*pattern == ' ') {
        if (!is_blank(*at)) {
            return NULL;
        }
        return at + text_blanks(at);
    }
    return *at == *pattern ? at + 1 : NULL;
}

/* Returns where at @at or behind it an element of a pattern that begins with @first may match, or NULL. */
static const char *skip_to(const char *at, char first)
{
    return first == ' ' || first == '#' || first == '@' || first == '*' || first == '\0' ? at : strchr(at, first);
}

bool linux_match(const char *pattern, const char *lower, struct linux_match *m)
{
    const bool anchored = *pattern == '^';
    const char *begin = anchored ? pattern + 1 : pattern, *p = begin;
    const char *at = anchored ? lower : skip_to(lower, *begin);
    const char *star = anchored ? NULL : begin, *retry = at; /* where to go on after the last "*" */
    unsigned kept_numbers = 0;                               /* what was captured before it */
    bool kept_word = false;

    m->count = 0;
    m->numbers[0] = m->numbers[1] = m->numbers[2] = 0;
    m->word[0] = '\0';
    while (at != NULL && *p != '\0') {
        if (*p == '*') {
            star = ++p;
            at = skip_to(at, *star);
            retry = at;
            kept_numbers = m->count;
            kept_word = m->word[0] != '\0';
            continue;
        }
        const char *next = step(p, at, m);

        if (next != NULL) {
            at = next;
            p++;
        } else if (star != NULL && *retry != '\0') {
            retry = skip_to(retry + 1, *star);
            at = retry;
            p = star;
            m->count = kept_numbers;
            m->word[0] = kept_word ? m->word[0] : '\0';
        } else {
            return false;
        }
    }
    return at != NULL;
}

/* Returns the bit of a set of pairs for the letters at @text; 0 if they are no pair of letters. */
static uint64_t pair_at(const char *text)
{
    if (text[0] < 'a' || text[0] > 'z' || text[1] < 'a' || text[1] > 'z') {
        return 0;
    }
    return UINT64_C(1) << (((unsigned)text[0] * 31 + (unsigned)text[1] * 7) & 63);
}

uint64_t linux_pairs(const char *text)
{
    uint64_t pairs = 0;

    for (; text[0] != '\0'; text++) {
        pairs |= pair_at(text);
    }
    return pairs;
}

const char *linux_find(const struct linux_input *in, const char *words)
{
    for (const char *at = words; at[0] != '\0'; at++) {
        if ((pair_at(at) & ~in->pairs) != 0) {
            return NULL;
        }
    }
    return strstr(in->lower, words);
}

const char *linux_after(const char *text, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(text, word, length) != 0 || text_is_word(text[length])) {
        return NULL;
    }
    return text + length + text_blanks(text + length);
}

bool linux_has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == text || !text_is_word(at[-1])) && !text_is_word(at[length])) {
            return true;
        }
    }
    return false;
}

size_t linux_word(const char *text, const char *ends, char *word, size_t size)
{
    size_t used = 0;

    for (; *text != '\0' && !is_blank(*text) && strchr(ends, *text) == NULL; text++) {
        if (used + 1 < size) {
            word[used++] = *text;
        }
    }
    word[used] = '\0';
    return used;
}
