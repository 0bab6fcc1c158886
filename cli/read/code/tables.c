/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds numbers that a text gives names: enumerations, macros, constants, dictionaries and tables of events. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

enum { NUMBERS = 128, HIGHEST = 0xFFFF };

static void add(struct code_walk *w, const struct code_token *name, const struct code_token *number)
{
    struct code *c = w->code;
    const bool quoted = name->kind == TOKEN_STRING;
    uint64_t value;
    uint8_t width;

    if (c->number_count == NUMBERS || code_number(number->text, number->length, &value, &width) != number->length ||
        value == 0 || value > HIGHEST || name->length < (quoted ? 5u : 3u)) {
        return;
    }
    if ((c->number_count & (c->number_count - 1)) == 0) {
        c->numbers = cli_allocate(c->numbers, c->number_count == 0 ? 1 : 2 * c->number_count, sizeof *c->numbers);
    }
    c->numbers[c->number_count++] = (struct code_number_name){
        .line = name->line,
        .column = name->column,
        .name = name->text + quoted,
        .length = name->length - (quoted ? 2u : 0u),
        .value = value,
        .decimal = !(number->length > 1 && number->text[0] == '0' && (number->text[1] | 0x20) == 'x') &&
                   memchr(number->text, '#', number->length) == NULL,
    };
}

static bool is_number(const struct code_token *t)
{
    return t->kind == TOKEN_NUMBER;
}

static bool is_name(const struct code_token *t)
{
    return t->kind == TOKEN_NAME || t->kind == TOKEN_STRING;
}

/* Returns true if a pair of a name and a number may end before @t. */
static bool ends(const struct code_token *t)
{
    return t->kind == TOKEN_END || is_mark(t, ",") || is_mark(t, ";") || is_mark(t, "}") || is_mark(t, ")") ||
           is_mark(t, "]") || t->first;
}

enum { NAMES = 8 };

/*
 * Takes the events that a comment lists, and nothing else: "CPU_CYCLES, L2D_CACHE_REFILL".  Returns how many there are,
 * 0 if it says something else.
 */
static unsigned take_events(const struct code_comment *c, struct code_token names[NAMES])
{
    const char *p = c->text, *end = c->text + c->length;
    unsigned count = 0;

    while (p < end) {
        const char *from = p, *to;
        char name[32];

        while (p < end && *p != ',' && *p != '/' && *p != '+') {
            p++;
        }
        for (to = p; to > from && (to[-1] == ' ' || to[-1] == '\t'); to--) {
        }
        while (from < to && (*from == ' ' || *from == '\t')) {
            from++;
        }
        p++;
        snprintf(name, sizeof name, "%.*s", (int)(to - from < 31 ? to - from : 31), from);
        if (count == NAMES || apmu_event_by_name(name) == NULL) {
            return 0;
        }
        names[count++] = (struct code_token){.text = from, .length = (uint32_t)(to - from), .kind = TOKEN_NAME};
    }
    return count;
}

/*
 * Takes the numbers of the last bracket that ends before comment @c, on its line, which begins at token @from or behind
 * it.  Returns how many there are.
 */
static unsigned take_arguments(const struct code_walk *w, size_t from, const struct code_comment *c,
                               const struct code_token *numbers[NAMES])
{
    unsigned count = 0;
    bool all = false;

    for (size_t i = from; i < w->count && w->tokens[i].line == c->line && w->tokens[i].column < c->column; i++) {
        const struct code_token *t = &w->tokens[i];

        if (is_mark(t, "(") || is_mark(t, "{") || is_mark(t, "[")) {
            count = 0;
            all = true;
        } else if (is_number(t) && all && count < NAMES) {
            numbers[count++] = t;
        } else if (is_mark(t, ")") || is_mark(t, "}") || is_mark(t, "]")) {
            all = false; /* what follows is none of them */
        } else if (all && !is_mark(t, ",")) {
            return 0;
        }
    }
    return count;
}

/*
 * Returns the only item of a list on the line of comment @c, before it: "0 => 11,", "[CYC] = 17,", "11,".  Returns NULL
 * if there is none, or several.
 */
static const struct code_token *take_item(const struct code_walk *w, size_t from, const struct code_comment *c)
{
    const struct code_token *item = NULL;

    for (size_t i = from; i + 1 < w->count && w->tokens[i].line == c->line && w->tokens[i].column < c->column; i++) {
        const struct code_token *t = &w->tokens[i], *before = i > 0 ? t - 1 : NULL;
        const bool first = t->first || is_mark(before, "(") || is_mark(before, "{") || is_mark(before, "=>") ||
                           (i > 1 && is_mark(before, "=") && is_mark(before - 1, "]"));

        if (is_number(t) && first && (is_mark(t + 1, ",") || is_mark(t + 1, ")") || is_mark(t + 1, "}"))) {
            if (item != NULL) {
                return NULL;
            }
            item = t;
        }
    }
    return item;
}

/* Finds the numbers to which a comment behind them gives names, one for each: "f(0x11, 0x17); // CPU_CYCLES, ..." */
static void read_comments(struct code_walk *w)
{
    size_t from = 0;

    for (size_t i = 0; i < w->lexed->comment_count; i++) {
        const struct code_comment *c = &w->lexed->comments[i];
        const struct code_token *numbers[NAMES];
        struct code_token names[NAMES];
        const unsigned count = take_events(c, names);

        while (from < w->count && w->tokens[from].line < c->line) {
            from++;
        }
        if (count == 0) {
            continue;
        }
        if (take_arguments(w, from, c, numbers) != count) {
            numbers[0] = count == 1 ? take_item(w, from, c) : NULL;
            if (numbers[0] == NULL) {
                continue;
            }
        }
        for (unsigned n = 0; n < count; n++) {
            names[n].line = numbers[n]->line;
            names[n].column = numbers[n]->column;
            add(w, &names[n], numbers[n]);
        }
    }
}

/* Returns true if token @i is a member that is assigned, "cr.cycles = 1", and no designator of a list. */
static bool is_member(const struct code_walk *w, size_t i)
{
    const struct code_token *t = &w->tokens[i];

    if (i < 2 || t->kind != TOKEN_NAME || t->first) {
        return false;
    }
    return is_mark(t - 1, "->") || (is_mark(t - 1, ".") && !(t - 1)->first &&
                                    ((t - 2)->kind == TOKEN_NAME || is_mark(t - 2, "]") || is_mark(t - 2, ")")));
}

void code_read_numbers(struct code_walk *w)
{
    read_comments(w);
    for (size_t i = 0; i + 2 < w->count; i++) {
        const struct code_token *t = &w->tokens[i], *next = t + 1, *third = t + 2;
        const struct code_token *last = i + 3 < w->count ? t + 3 : next;
        const bool ended = i + 3 >= w->count || ends(last);

        if ((!is_name(t) && !is_number(t)) || is_member(w, i)) {
            continue;
        }
        if (t->kind == TOKEN_NAME && i > 0 && w->tokens[i - 1].kind == TOKEN_DEFINE && is_number(next) &&
            third->kind == TOKEN_END) {
            add(w, t, next);
        } else if (is_name(t) && is_number(third) && ended &&
                   (is_mark(next, "=") || (t->kind == TOKEN_STRING && (is_mark(next, ":") || is_mark(next, ","))))) {
            add(w, t, third);
        } else if (is_number(t) && is_mark(next, ",") && third->kind == TOKEN_STRING && ended && i > 0 &&
                   (is_mark(t - 1, "{") || is_mark(t - 1, "("))) {
            add(w, third, t);
        } else if (t->kind == TOKEN_NAME && is_mark(next, ":") && third->kind == TOKEN_NAME && i + 4 < w->count &&
                   is_mark(last, "=") && is_number(t + 4)) { /* const L1D_REFILL: u16 = 0x03 */
            add(w, t, t + 4);
        }
    }
}
