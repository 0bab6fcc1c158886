/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds patterns in prose.  phrases.def has their form. */
#include <string.h>

#include "words.h"

/* Classes of words. */
static const struct {
    const char *name;
    const char *words; /* alternatives separated by / */
} classes[] = {
#define WORDS(name, words) {#name, words},
#include "phrases.def"
};

/* How far gaps reach. */
#define NEAR 3
#define FAR 8

/* ---------------------------------------------------------------------------------------------------------------
 * Words.
 */

/* Returns true if @a and @b, which are long and letters only, differ by one letter more or less, another one,
    or two swapped. */
static bool is_typo(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t front = 0, back = 0;
    const size_t shorter = a_length < b_length ? a_length : b_length;

    for (size_t i = 0; i < b_length; i++) {
        if (b[i] < 'a' || b[i] > 'z') {
            return false; /* a name: another name differs as little */
        }
    }
    if (shorter < 6 || a_length > b_length + 1 || b_length > a_length + 1 || a[0] != b[0] || a[1] != b[1]) {
        return false;
    }
    while (front < shorter && a[front] == b[front]) {
        front++;
    }
    while (back < shorter - front && a[a_length - 1 - back] == b[b_length - 1 - back]) {
        back++;
    }
    if (a_length != b_length) {
        return front + back >= shorter;
    }
    return front + back + 1 >= shorter ||
           (front + back + 2 == shorter && a[front] == b[front + 1] && a[front + 1] == b[front]);
}

/* Returns true if @word, which may end in *, stands for @t. */
static bool is_word(const struct prose_token *t, const char *word, size_t length)
{
    if (length == 1 && word[0] == '#') {
        static const char *const numbers[] = {"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};

        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && !t->number; i++) {
            if (strcmp(t->text, numbers[i]) == 0) {
                return true;
            }
        }
        return t->number;
    }
    if (word[length - 1] == '*') {
        return t->length >= length - 1 && memcmp(t->text, word, length - 1) == 0;
    }
    if (t->length == length && memcmp(t->text, word, length) == 0) {
        return true;
    }
    return t->text[0] == word[0] && !t->number && is_typo(t->text, t->length, word, length);
}

/* Returns the words of class @name, which ends at } or NULL. */
static const char *find_class(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (strlen(classes[i].name) == length && memcmp(classes[i].name, name, length) == 0) {
            return classes[i].words;
        }
    }
    return NULL;
}

/* Returns true if @t is one of @words, @length bytes of alternatives separated by /. */
static bool is_one_of(const struct prose_token *t, const char *words, size_t length)
{
    const char *end = words + length;

    while (words < end) {
        const char *slash = memchr(words, '/', (size_t)(end - words));
        const size_t part = slash == NULL ? (size_t)(end - words) : (size_t)(slash - words);

        if (part > 2 && words[0] == '{') {
            const char *class = find_class(words + 1, part - 2);

            if (class != NULL && (!t->index || strncmp(words, "{zero", 5) != 0) &&
                is_one_of(t, class, strlen(class))) {
                return true;
            }
        } else if (part != 0 && is_word(t, words, part)) {
            return true;
        }
        words += part + (slash != NULL);
    }
    return false;
}

bool words_prose_is(const struct prose *p, size_t i, const char *words)
{
    return i < p->count && is_one_of(&p->tokens[i], words, strlen(words));
}

/* ---------------------------------------------------------------------------------------------------------------
 * Patterns.
 */

static bool is_negation(const struct prose *p, size_t i)
{
    return words_prose_is(p, i, "{not}");
}

/* Returns true if a word of negation stands before token @i in its clause. */
static bool is_negated(const struct prose *p, size_t i)
{
    for (size_t back = 1; back <= 4 && back <= i; back++) {
        if (p->tokens[i - back].clause != p->tokens[i].clause) {
            return false;
        }
        if (is_negation(p, i - back)) {
            return true;
        }
    }
    return false;
}

/* Returns true if a token begins as one of @words, @length bytes of alternatives, does. */
static bool may_be_one_of(const struct prose *p, const char *words, size_t length)
{
    const char *end = words + length;

    while (words < end) {
        const char *slash = memchr(words, '/', (size_t)(end - words));
        const size_t part = slash == NULL ? (size_t)(end - words) : (size_t)(slash - words);
        const char second = part < 2 || words[1] == '*' ? '\0' : words[1];

        if (part > 2 && words[0] == '{') {
            const char *class = find_class(words + 1, part - 2);

            if (class != NULL && may_be_one_of(p, class, strlen(class))) {
                return true;
            }
        } else if (part != 0 && (words[0] == '#' || (part == 2 && words[1] == '*') ||
                                 (p->pairs[words[0] & 127][(second & 127) / 8] >> (second & 7) & 1) != 0)) {
            return true;
        }
        words += part + (slash != NULL);
    }
    return false;
}

/* Returns true if each word that the pattern needs may be there. */
static bool may_match(const struct prose *p, const char *pattern, const char *end)
{
    while (pattern < end) {
        const char *blank = memchr(pattern, ' ', (size_t)(end - pattern));
        const size_t length = blank == NULL ? (size_t)(end - pattern) : (size_t)(blank - pattern);

        if (pattern[0] != '?' && pattern[0] != '.' && !may_be_one_of(p, pattern, length)) {
            return false;
        }
        pattern += length + (blank != NULL);
    }
    return true;
}

/* A pattern that is being matched from a token. */
struct match {
    const struct prose *p;
    const char *end;
};

static bool match_from(const struct match *m, const char *pattern, size_t at, size_t *stop);

/* Matches the rest of a pattern after a gap of up to @reach words; a gap leaves out no negation. */
static bool match_gap(const struct match *m, const char *pattern, size_t at, size_t reach, size_t *stop)
{
    const struct prose *p = m->p;

    for (size_t skipped = 0; skipped <= reach && at + skipped < p->count; skipped++) {
        if (at != 0 && p->tokens[at + skipped].sentence != p->tokens[at - 1].sentence) {
            return false;
        }
        if (match_from(m, pattern, at + skipped, stop)) {
            return true;
        }
        if (is_negation(p, at + skipped)) {
            return false;
        }
    }
    return false;
}

/* Matches @pattern with the tokens from @at on.  Stores the index behind them in *@stop. */
static bool match_from(const struct match *m, const char *pattern, size_t at, size_t *stop)
{
    while (pattern < m->end) {
        const char *blank = memchr(pattern, ' ', (size_t)(m->end - pattern));
        const size_t length = blank == NULL ? (size_t)(m->end - pattern) : (size_t)(blank - pattern);
        const char *rest = pattern + length + (blank != NULL);

        if (length == 2 && memcmp(pattern, "..", 2) == 0) {
            return match_gap(m, rest, at, NEAR, stop);
        }
        if (length == 3 && memcmp(pattern, "...", 3) == 0) {
            return match_gap(m, rest, at, FAR, stop);
        }
        if (pattern[0] == '?') {
            if (at < m->p->count && is_one_of(&m->p->tokens[at], pattern + 1, length - 1) &&
                match_from(m, rest, at + 1, stop)) {
                return true;
            }
        } else {
            if (at >= m->p->count || !is_one_of(&m->p->tokens[at], pattern, length)) {
                return false;
            }
            at++;
            if (rest < m->end && rest[0] != '.' && at < m->p->count &&
                m->p->tokens[at].sentence != m->p->tokens[at - 1].sentence) {
                return false;
            }
        }
        pattern = rest;
    }
    *stop = at;
    return true;
}

size_t words_prose_find(const struct prose *p, const char *pattern, size_t length, size_t from, size_t *end)
{
    const bool plain = length != 0 && pattern[0] == '!';
    const struct match m = {p, pattern + length};

    if (length == 0 || !may_match(p, pattern + plain, pattern + length)) {
        return p->count;
    }
    for (size_t i = from; i < p->count; i++) {
        if (match_from(&m, pattern + plain, i, end) && (plain || is_negation(p, i) || !is_negated(p, i))) {
            return i;
        }
    }
    return p->count;
}
