/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds patterns in prose.  phrases.def has their form. */
#include <stdlib.h>
#include <string.h>

#include "words_patterns.h"

/* The words of patterns that the tokens of a prose are. */
struct prose_marks {
    const struct prose *p;
    const struct patterns *patterns;
    uint32_t *terms;   /* words, token by token */
    size_t term_count;
    uint32_t *from;    /* token i is .terms[.from[i]] to .terms[.from[i + 1] - 1] */
    uint64_t *classes; /* of each token, a set of 1 << term */
    bool *found;       /* the terms that tokens are */
    uint64_t *candidates; /* the patterns that may match, a bit for each */
};

/* How far gaps reach. */
#define NEAR 3
#define FAR 8

/* ---------------------------------------------------------------------------------------------------------------
 * Words.
 */

/*
 * Returns true if @a and @b, which are letters only, differ by two letters swapped or, if they are long, by one letter
 * more or less, or another one.
 */
static bool is_typo(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t front = 0, back = 0;
    const size_t shorter = a_length < b_length ? a_length : b_length;

    for (size_t i = 0; i < b_length; i++) {
        if (b[i] < 'a' || b[i] > 'z') {
            return false; /* a name: another name differs as little */
        }
    }
    if (shorter < 5 || a_length > b_length + 1 || b_length > a_length + 1 || a[0] != b[0] || a[1] != b[1]) {
        return false;
    }
    if (memcmp(a, b, shorter - 1) == 0 && (a_length >= b_length ? a : b)[shorter - (a_length == b_length)] == 'd') {
        return false; /* another form of the word: "privileged" is no "privileges" */
    }
    if (b_length == a_length + 1 && b[a_length] == 's' && memcmp(a, b, a_length) == 0 &&
        ((a_length == 7 && memcmp(a, "counter", 7) == 0) || (a_length == 8 && memcmp(a, "overflow", 8) == 0))) {
        return false; /* nor is "1, counter 0" a number of counters, or "at first overflow" that it overflows */
    }
    if (memcmp(a, "th", 2) == 0 && memcmp(a + a_length - 4, "ough", 4) == 0) {
        return false; /* "through" is no "though" */
    }
    while (front < shorter && a[front] == b[front]) {
        front++;
    }
    while (back < shorter - front && a[a_length - 1 - back] == b[b_length - 1 - back]) {
        back++;
    }
    if (a_length != b_length) {
        return front + back >= shorter && shorter >= 6;
    }
    return (front + back + 1 >= shorter && shorter >= 6) ||
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

bool words_prose_is(const struct prose *p, size_t i, const char *words)
{
    while (i < p->count && *words != '\0') {
        const size_t part = strcspn(words, "/");

        if (part != 0 && is_word(&p->tokens[i], words, part)) {
            return true;
        }
        words += part + (words[part] == '/');
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Marks.
 */

/* Notes that a token is @term, and makes candidates of the patterns that need it. */
static void find_term(struct prose_marks *m, uint32_t term)
{
    for (uint32_t use = m->found[term] ? 0 : m->patterns->terms[term].uses; use != 0;
         use = m->patterns->uses[use].next) {
        const uint32_t i = m->patterns->uses[use].pattern;

        m->candidates[i / 64] |= UINT64_C(1) << i % 64;
    }
    m->found[term] = true;
}

/* Adds the words from @term on that token @i is. */
static void add_terms(struct prose_marks *m, size_t i, uint32_t term)
{
    for (; term != 0; term = m->patterns->terms[term].next) {
        const struct pattern_term *t = &m->patterns->terms[term];

        if (!is_word(&m->p->tokens[i], t->text, t->length)) {
            continue;
        }
        if ((m->term_count & (m->term_count - 1)) == 0) {
            m->terms = cli_allocate(m->terms, m->term_count == 0 ? 1 : 2 * m->term_count, sizeof *m->terms);
        }
        m->terms[m->term_count++] = term;
        m->classes[i] |= t->classes;
        find_term(m, term);
    }
}

static void mark_token(struct prose_marks *m, size_t i)
{
    const struct prose_token *t = &m->p->tokens[i];

    add_terms(m, i, words_patterns_number());
    if (t->length != 0) {
        add_terms(m, i, words_patterns_letter(t->text));
        add_terms(m, i, words_patterns_word(t->text, t->length));
    }
    m->classes[i] &= t->index ? ~m->patterns->zeros : ~UINT64_C(0);
    for (uint64_t left = m->classes[i]; left != 0; left &= left - 1) {
        find_term(m, (uint32_t)__builtin_ctzll(left));
    }
}

struct prose_marks *words_prose_mark(const struct prose *p)
{
    struct prose_marks *m = cli_allocate(NULL, 1, sizeof *m);

    m->p = p;
    m->patterns = words_patterns_get();
    m->from = cli_allocate(NULL, p->count + 1, sizeof *m->from);
    m->classes = cli_allocate(NULL, p->count + 1, sizeof *m->classes);
    m->found = cli_allocate(NULL, m->patterns->term_count, sizeof *m->found);
    m->candidates = cli_allocate(NULL, m->patterns->count / 64 + 1, sizeof *m->candidates);
    memcpy(m->candidates, m->patterns->always, (m->patterns->count + 63) / 64 * sizeof *m->candidates);
    for (size_t i = 0; i < p->count; i++) {
        m->from[i] = (uint32_t)m->term_count;
        mark_token(m, i);
    }
    m->from[p->count] = (uint32_t)m->term_count;
    return m;
}

void words_prose_release(struct prose_marks *m)
{
    free(m->terms);
    free(m->from);
    free(m->classes);
    free(m->found);
    free(m->candidates);
    free(m);
}

/* Returns true if token @i is one of the terms of @e. */
static bool is_element(const struct prose_marks *m, size_t i, const struct pattern_element *e)
{
    for (uint32_t c = e->first; c < e->end; c++) {
        const uint32_t term = m->patterns->choices[c];

        if (term < m->patterns->class_count) {
            if ((m->classes[i] >> term & 1) != 0) {
                return true;
            }
            continue;
        }
        for (uint32_t k = m->from[i]; k < m->from[i + 1]; k++) {
            if (m->terms[k] == term) {
                return true;
            }
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Patterns.
 */

static bool is_negation(const struct prose_marks *m, size_t i)
{
    return (m->classes[i] & m->patterns->negation) != 0;
}

/* Returns true if a word of negation stands before token @i in its clause. */
static bool is_negated(const struct prose_marks *m, size_t i)
{
    for (size_t back = 1; back <= 4 && back <= i; back++) {
        if (m->p->tokens[i - back].clause != m->p->tokens[i].clause) {
            return false;
        }
        if (is_negation(m, i - back)) {
            return true;
        }
    }
    return false;
}

/* Returns true if token @i begins another sentence than the token before. */
static bool begins_sentence(const struct prose_marks *m, size_t i)
{
    return m->p->tokens[i].sentence != m->p->tokens[i - 1].sentence;
}

static bool match_from(const struct prose_marks *m, uint32_t element, uint32_t last, size_t at, size_t *stop);

/* Matches the rest of a pattern after a gap of up to @reach words; a gap leaves out no negation. */
static bool match_gap(const struct prose_marks *m, uint32_t element, uint32_t last, size_t at, size_t *stop)
{
    const size_t reach = m->patterns->elements[element].kind == PATTERN_NEAR ? NEAR : FAR;

    for (size_t skipped = 0; skipped <= reach && at + skipped < m->p->count; skipped++) {
        if (at != 0 && m->p->tokens[at + skipped].sentence != m->p->tokens[at - 1].sentence) {
            return false;
        }
        if (at != 0 && is_negation(m, at - 1) && m->p->tokens[at + skipped].clause != m->p->tokens[at - 1].clause) {
            return false; /* "no trap, PMCR is 1" denies the trap alone */
        }
        if (match_from(m, element + 1, last, at + skipped, stop)) {
            return true;
        }
        if (is_negation(m, at + skipped)) {
            return false;
        }
    }
    return false;
}

/* Matches the elements from @element to @last - 1 with the tokens from @at on.  *@stop is the index behind them. */
static bool match_from(const struct prose_marks *m, uint32_t element, uint32_t last, size_t at, size_t *stop)
{
    for (; element < last; element++) {
        const struct pattern_element *e = &m->patterns->elements[element];
        const bool here = e->kind <= PATTERN_MAYBE && at < m->p->count && is_element(m, at, e);

        if (e->kind == PATTERN_NEAR || e->kind == PATTERN_FAR) {
            return match_gap(m, element, last, at, stop);
        }
        if (e->kind == PATTERN_MAYBE) {
            if (here && match_from(m, element + 1, last, at + 1, stop)) {
                return true;
            }
            continue;
        }
        if (!here) {
            return false;
        }
        at++;
        if (at < m->p->count && begins_sentence(m, at)) {
            while (element + 1 < last && m->patterns->elements[element + 1].kind == PATTERN_MAYBE) {
                element++; /* it stands in no other sentence */
            }
            if (element + 1 < last && m->patterns->elements[element + 1].kind == PATTERN_ONE) {
                return false;
            }
        }
    }
    *stop = at;
    return true;
}

/* Returns true if there are tokens for each element that @pattern needs. */
static bool may_match(const struct prose_marks *m, const struct pattern_row *pattern)
{
    for (uint32_t k = pattern->first; k < pattern->end; k++) {
        const struct pattern_element *e = &m->patterns->elements[k];
        bool found = e->kind != PATTERN_ONE;

        for (uint32_t c = e->first; c < e->end && !found; c++) {
            found = m->found[m->patterns->choices[c]];
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

/* Finds @pattern, as words_prose_find() does, before token @before.  Returns @before if there is none. */
static size_t find_before(const struct prose_marks *m, const struct pattern_row *pattern, bool told, size_t before,
                          size_t *end)
{
    size_t stop = 0;

    if (!may_match(m, pattern)) {
        return before;
    }
    for (size_t at = 0; at < before; at++) {
        if (!(told && m->p->tokens[at].asked) && match_from(m, pattern->first, pattern->end, at, &stop) &&
            (pattern->plain || is_negation(m, at) || !is_negated(m, at))) {
            *end = stop;
            return at;
        }
    }
    return before;
}

size_t words_prose_find(const struct prose_marks *m, size_t phrase, bool told, size_t *end)
{
    const uint32_t last = m->patterns->phrases[phrase + 1];
    size_t first = m->p->count;

    for (uint32_t i = m->patterns->phrases[phrase]; i < last; i++) {
        const uint64_t left = m->candidates[i / 64] >> i % 64;

        if (left == 0) {
            i |= 63; /* the rest of these 64 */
            continue;
        }
        i += (uint32_t)__builtin_ctzll(left);
        if (i < last) {
            first = find_before(m, &m->patterns->list[i], told, first, end);
        }
    }
    return first;
}
