/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds in words at which Exception level the code runs, and at which one it only began. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "words.h"

static bool is_alnum(char c)
{
    return isalnum((unsigned char)c) != 0;
}

/* Returns true if one of @separators, or nothing, stands at @at behind blanks; with @back, before it. */
static bool ends_item(const char *text, size_t length, size_t at, bool back, const char *separators)
{
    while (back ? at > 0 && text[at - 1] == ' ' : at < length && text[at] == ' ') {
        at = back ? at - 1 : at + 1;
    }
    return back ? at == 0 || strchr(separators, text[at - 1]) != NULL
                : at == length || strchr(separators, text[at]) != NULL;
}

/* Returns true if the name of an Exception level stands at @at. */
static bool is_level(const char *text, size_t length, size_t at)
{
    return at + 2 < length && strncasecmp(text + at, "el", 2) == 0 && isdigit((unsigned char)text[at + 2]);
}

/* Two levels side by side are a list, and not where the code runs. */
void words_level_item(struct reading *r, const char *text, size_t length, size_t at, size_t word, uint32_t line)
{
    size_t before = at, behind = at + word;

    if (word != 3 || !is_level(text, length, at) || text[at + 2] > '3' ||
        !ends_item(text, length, at, true, ",;.(:0123456789") || !ends_item(text, length, behind, false, ",;.):")) {
        return;
    }
    while (before > 0 && !is_alnum(text[before - 1])) {
        before--;
    }
    while (behind < length && !is_alnum(text[behind])) {
        behind++;
    }
    if ((before < 3 || !is_level(text, length, before - 3)) && !is_level(text, length, behind)) {
        reading_learn(&r->machine.el, (uint64_t)(text[at + 2] - '0'), line);
    }
}

/* Returns true if the word before @at, with blanks between, is one of @words, alternatives between blanks. */
static bool is_behind(const char *text, size_t at, const char *words)
{
    char key[16] = " ";
    size_t end, from;

    while (at > 0 && !is_alnum(text[at - 1])) {
        at--;
    }
    end = from = at;
    while (from > 0 && is_alnum(text[from - 1])) {
        from--;
    }
    if (end == from || end - from + 3 > sizeof key) {
        return false;
    }
    for (size_t i = from; i < end; i++) {
        key[1 + i - from] = (char)tolower((unsigned char)text[i]);
    }
    strcpy(key + 1 + (end - from), " ");
    return strstr(words, key) != NULL;
}

/* Returns true if "EL2" at @at stands behind "from", and "to" a lower level behind it: "from EL2 to Non-secure EL1". */
static bool is_left_for_lower(const char *text, size_t length, size_t at)
{
    size_t to = at + 3;

    if (!is_behind(text, at, " from ") || to + 4 > length || strncasecmp(text + to, " to ", 4) != 0) {
        return false;
    }
    for (to += 4; to < length && to < at + 30 && strchr(".,;", text[to]) == NULL; to++) {
        if (is_level(text, length, to) && !is_alnum(text[to - 1])) {
            return text[to + 2] < text[at + 2];
        }
    }
    return false;
}

bool words_level_begins(struct reading *r, const char *text, size_t length, size_t at, size_t used, uint32_t line)
{
    static const char began[] = " boot boots booted booting start starts started starting enter enters entered "
                                "stay stays stayed ";
    size_t level = at, verb;

    while (level < at + used && !(is_level(text, length, level) && (level == 0 || !is_alnum(text[level - 1])))) {
        level++;
    }
    if (level == at + used) {
        return false;
    }
    verb = level;
    while (verb > 0 && !is_alnum(text[verb - 1])) {
        verb--;
    }
    while (verb > 0 && is_alnum(text[verb - 1])) {
        verb--;
    }
    if (!is_left_for_lower(text, length, level) && !is_behind(text, verb, began)) {
        return false;
    }
    reading_learn(&r->machine.began, (uint64_t)(text[level + 2] - '0'), line);
    return true;
}

void words_level_descends(struct prose *p)
{
    for (size_t i = 0; i + 2 < p->count; i++) {
        struct prose_token *const t = &p->tokens[i];
        size_t to = i + 1;

        if (!words_prose_is(p, i, "drop/drops/dropped")) {
            continue;
        }
        while (to < p->count && to < i + 4 && !words_prose_is(p, to, "to/into")) {
            to++;
        }
        while (to + 1 < p->count && words_prose_is(p, to, "to/into/the/ns/non/secure")) {
            to++;
        }
        if (to < p->count && p->tokens[to].sentence == t->sentence && words_prose_is(p, to, "el0/el1/el2")) {
            t->text = "descends";
            t->length = sizeof "descends" - 1;
        }
    }
}

void words_level_settle(struct reading *r)
{
    static const enum clue_kind falls[] = {CLUE_words_falls_to_el1, CLUE_words_falls_to_el2};
    struct reading_machine *const m = &r->machine;

    for (size_t i = 0; i < sizeof falls / sizeof falls[0]; i++) {
        const struct clue *c = reading_find(r, falls[i]);

        if (c != NULL && reading_find(r, CLUE_words_before_fall) == NULL &&
            reading_value(&m->place, READING_PLACE_UNKNOWN) != READING_PLACE_HYPERVISOR) { /* it may count itself */
            reading_learn(&m->el, 1 + i, c->line);
            break; /* "drops us to EL2, we eret to EL1": the lowest one is where it ends */
        }
    }
    if (m->began.known && !m->el.known) {
        static const enum reading_place places[] = {READING_PLACE_USER, READING_PLACE_UNKNOWN,
                                                    READING_PLACE_HYPERVISOR, READING_PLACE_UNKNOWN};

        reading_learn(&m->el, m->began.value, m->began.line);
        if (places[m->began.value & 3] != READING_PLACE_UNKNOWN) {
            reading_learn(&m->place, places[m->began.value & 3], m->began.line);
        }
    }
}
