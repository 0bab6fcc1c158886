/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the Exception level of which the comments speak, and answers code that asks for the current one. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "../words.h"
#include "internal.h"

enum { COMMENTS = 200, LONGEST = 400 }; /* comments in which the level is looked for, and bytes of one */

/* Returns the set of the levels, 1 << n, that the comment names, and not only in the name of a register. */
static unsigned named_levels(const char *text, size_t length)
{
    unsigned levels = 0;

    for (size_t i = 0; i + 2 < length; i++) {
        const bool begins = i == 0 || (!isalnum((unsigned char)text[i - 1]) && text[i - 1] != '_');

        if (begins && strncasecmp(text + i, "EL", 2) == 0 && text[i + 2] >= '0' && text[i + 2] <= '3' &&
            (i + 3 == length || !isdigit((unsigned char)text[i + 3]))) {
            levels |= 1u << (text[i + 2] - '0');
        }
    }
    return levels;
}

void code_find_level(struct code_walk *w)
{
    const struct code_lexed *lexed = w->lexed;
    struct reading *r = cli_allocate(NULL, 1, sizeof *r); /* what the comments alone tell */
    unsigned levels = 0;

    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < lexed->comment_count && i < COMMENTS; i++) {
        const struct code_comment *c = &lexed->comments[i];
        const size_t length = c->length < LONGEST ? c->length : LONGEST;
        const unsigned named = named_levels(c->text, length);
        char text[LONGEST + 1];

        levels |= named;
        if (named != 0) {
            snprintf(text, sizeof text, "%.*s", (int)length, c->text);
            read_machine_words(r, text, length, c->line);
        }
    }
    if (r->machine.el.known && r->machine.el.value != 0 && levels == 1u << r->machine.el.value) {
        w->level = (unsigned)r->machine.el.value; /* no other level is spoken of */
    }
    reading_free(r);
    free(r);
}

bool code_do_level(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    static const char *const names[] = {"current_el", "get_current_el", "currentel", "arch_current_el",
                                        "read_current_el", "arm64_current_el", "GetCurrentEl", "getCurrentEL",
                                        "current_exception_level", "ArmReadCurrentEL"};
    static const char *const tests[] = {"IS_IN_EL", "IS_IN_EL%", "is_in_el%", "in_el%", "is_el%", "running_at_el%"};
    const struct code_token *t = call->name;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && w->level != 0; i++) {
        if (code_token_is(t, names[i])) {
            *result = code_known(w->level);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof tests / sizeof tests[0] && w->level != 0; i++) {
        const size_t length = strcspn(tests[i], "%");
        struct code_value asked;

        if (t->length != strlen(tests[i]) || strncmp(t->text, tests[i], length) != 0) {
            continue;
        }
        asked = length < t->length ? code_known((uint64_t)(t->text[length] - '0')) : code_argument(w, call, 0);
        *result = code_is_known(&asked) ? code_known(asked.bits == w->level) : *result;
        return code_is_known(&asked);
    }
    return false;
}
