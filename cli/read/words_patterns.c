/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares the patterns of phrases.def. */
#include <string.h>

#include "words_patterns.h"

/* Classes of words. */
static const struct {
    const char *name;
    const char *words; /* alternatives separated by / */
} classes[] = {
#define WORDS(name, words) {#name, words},
#include "phrases.def"
};

/* The patterns of each phrase, separated by |. */
static const char *const phrases[] = {
#define SEES(symptom, patterns) patterns,
#define SAYS(clue, patterns) patterns,
#define TELLS(clue, patterns) patterns,
#include "phrases.def"
};

enum { CLASSES = sizeof classes / sizeof classes[0], PHRASES = sizeof phrases / sizeof phrases[0], BUCKETS = 1024 };

_Static_assert(CLASSES <= 64, "a set of classes has 64 bits");

/* The patterns, and the words by what finds them.  They are constant: words_patterns_get() makes them once. */
static struct {
    bool made;
    struct patterns p;
    uint32_t phrases[PHRASES + 1];
    uint32_t hashes[BUCKETS]; /* the first word with a hash */
    uint32_t pairs[BUCKETS];  /* the first word that begins with two letters */
    uint32_t letters[128];    /* the first word of the form "x*" */
    uint32_t number;          /* the word "#" */
} table;

/* Returns @list with room for one more element of @size bytes behind its @count. */
static void *with_room(void *list, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0) {
        return list;
    }
    return cli_allocate(list, count == 0 ? 1 : 2 * count, size);
}

/* Returns the bucket of words that begin with the two letters at @text; one letter counts as followed by '\0'. */
static size_t pair_of(const char *text, size_t length)
{
    return ((size_t)(unsigned char)text[0] * 31 + (length > 1 ? (unsigned char)text[1] : 0)) % BUCKETS;
}

/* Puts word @term where words_patterns_word() and the like find it. */
static void list_word(uint32_t term)
{
    struct pattern_term *t = &table.p.terms[term];
    uint32_t *head;

    if (t->length == 1 && t->text[0] == '#') {
        table.number = term;
        return;
    }
    if (t->length <= 2 && t->text[t->length - 1] == '*') {
        head = &table.letters[t->text[0] & 127];
    } else {
        head = &table.pairs[pair_of(t->text, t->length)];
    }
    t->next = *head;
    *head = term;
}

/* Returns the term of the word @text, which is added if it is new. */
static uint32_t intern(const char *text, size_t length)
{
    struct patterns *p = &table.p;
    uint32_t hash = UINT32_C(2166136261), term;

    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT32_C(16777619);
    }
    hash = (hash ^ hash >> 15) % BUCKETS;
    for (term = table.hashes[hash]; term != 0; term = p->terms[term].same) {
        if (p->terms[term].length == length && memcmp(p->terms[term].text, text, length) == 0) {
            return term;
        }
    }
    p->terms = with_room(p->terms, p->term_count, sizeof *p->terms);
    term = (uint32_t)p->term_count++;
    p->terms[term] = (struct pattern_term){.text = text, .length = length, .same = table.hashes[hash]};
    table.hashes[hash] = term;
    list_word(term);
    return term;
}

/* Returns the term of the alternative @text: a word, or {class}.  Returns 0 for none. */
static uint32_t find_term(const char *text, size_t length, bool *found)
{
    *found = length != 0;
    if (length > 2 && text[0] == '{') {
        for (uint32_t i = 0; i < CLASSES; i++) {
            if (strlen(classes[i].name) == length - 2 && memcmp(classes[i].name, text + 1, length - 2) == 0) {
                return i;
            }
        }
        *found = false;
        return 0;
    }
    return *found ? intern(text, length) : 0;
}

static void add_choice(uint32_t term)
{
    struct patterns *p = &table.p;

    p->choices = with_room(p->choices, p->choice_count, sizeof *p->choices);
    p->choices[p->choice_count++] = term;
}

/* Adds the element @text of a pattern. */
static void add_element(const char *text, size_t length)
{
    struct patterns *p = &table.p;
    const bool maybe = length != 0 && text[0] == '?';
    struct pattern_element e = {maybe ? PATTERN_MAYBE : PATTERN_ONE, (uint32_t)p->choice_count, 0};

    if (length == 2 && memcmp(text, "..", 2) == 0) {
        e.kind = PATTERN_NEAR;
    } else if (length == 3 && memcmp(text, "...", 3) == 0) {
        e.kind = PATTERN_FAR;
    }
    for (const char *at = text + maybe, *end = text + length; at < end && e.kind <= PATTERN_MAYBE;) {
        const char *slash = memchr(at, '/', (size_t)(end - at));
        const size_t part = slash == NULL ? (size_t)(end - at) : (size_t)(slash - at);
        bool found;
        const uint32_t term = find_term(at, part, &found);

        if (found) {
            add_choice(term);
        }
        at += part + (slash != NULL);
    }
    e.end = (uint32_t)p->choice_count;
    p->elements = with_room(p->elements, p->element_count, sizeof *p->elements);
    p->elements[p->element_count++] = e;
}

static void add_use(uint32_t term, uint32_t pattern)
{
    struct patterns *p = &table.p;

    p->uses = with_room(p->uses, p->use_count, sizeof *p->uses);
    p->uses[p->use_count] = (struct pattern_use){pattern, p->terms[term].uses};
    p->terms[term].uses = (uint32_t)p->use_count++;
}

/* Lists pattern @i with the terms of the element that it needs and that has the fewest, a class being many. */
static void list_pattern(uint32_t i)
{
    struct patterns *p = &table.p;
    const struct pattern_element *best = NULL;
    uint32_t fewest = 0;

    for (uint32_t k = p->list[i].first; k < p->list[i].end; k++) {
        const struct pattern_element *e = &p->elements[k];
        uint32_t cost = e->end - e->first;

        for (uint32_t c = e->first; c < e->end; c++) {
            cost += p->choices[c] < CLASSES ? 20 : 0;
        }
        if (e->kind == PATTERN_ONE && (best == NULL || cost < fewest)) {
            best = e;
            fewest = cost;
        }
    }
    if (i % 64 == 0) {
        p->always = with_room(p->always, i / 64, sizeof *p->always);
        p->always[i / 64] = 0;
    }
    p->always[i / 64] |= best == NULL ? UINT64_C(1) << i % 64 : 0;
    for (uint32_t c = best == NULL ? 0 : best->first; best != NULL && c < best->end; c++) {
        add_use(p->choices[c], i);
    }
}

/* Adds the pattern @text, which is not empty. */
static void add_pattern(const char *text, size_t length)
{
    struct patterns *p = &table.p;
    const bool plain = text[0] == '!';
    struct pattern_row pattern = {.first = (uint32_t)p->element_count, .plain = plain};

    for (const char *at = text + plain, *end = text + length; at < end;) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        const size_t part = blank == NULL ? (size_t)(end - at) : (size_t)(blank - at);

        add_element(at, part);
        at += part + (blank != NULL);
    }
    pattern.end = (uint32_t)p->element_count;
    p->list = with_room(p->list, p->count, sizeof *p->list);
    p->list[p->count] = pattern;
    list_pattern((uint32_t)p->count++);
}

/* Makes class @i, whose term is @i, and its words. */
static void add_class(uint32_t i)
{
    const char *at = classes[i].words;

    while (*at != '\0') {
        const size_t length = strcspn(at, "/");

        if (length != 0) {
            const uint32_t word = intern(at, length);

            table.p.terms[word].classes |= UINT64_C(1) << i;
        }
        at += length + (at[length] == '/');
    }
    table.p.negation |= strcmp(classes[i].name, "not") == 0 ? UINT64_C(1) << i : 0;
    table.p.zeros |= strncmp(classes[i].name, "zero", 4) == 0 ? UINT64_C(1) << i : 0;
}

static void make(void)
{
    struct patterns *p = &table.p;

    for (uint32_t i = 0; i < CLASSES; i++) {
        p->terms = with_room(p->terms, p->term_count, sizeof *p->terms);
        p->terms[p->term_count++] = (struct pattern_term){.text = "", .length = 0};
    }
    p->uses = with_room(p->uses, p->use_count, sizeof *p->uses);
    p->uses[p->use_count++] = (struct pattern_use){0, 0}; /* index 0 ends a list */
    for (uint32_t i = 0; i < CLASSES; i++) {
        add_class(i);
    }
    for (uint32_t i = 0; i < PHRASES; i++) {
        table.phrases[i] = (uint32_t)p->count;
        for (const char *at = phrases[i]; *at != '\0';) {
            const size_t length = strcspn(at, "|");

            if (length != 0) {
                add_pattern(at, length);
            }
            at += length + (at[length] == '|');
        }
    }
    table.phrases[PHRASES] = (uint32_t)p->count;
    p->class_count = CLASSES;
    p->phrases = table.phrases;
    table.made = true;
}

const struct patterns *words_patterns_get(void)
{
    if (!table.made) {
        make();
    }
    return &table.p;
}

uint32_t words_patterns_word(const char *text, size_t length)
{
    return table.pairs[pair_of(text, length)];
}

uint32_t words_patterns_letter(const char *text)
{
    return table.letters[text[0] & 127];
}

uint32_t words_patterns_number(void)
{
    return table.number;
}
