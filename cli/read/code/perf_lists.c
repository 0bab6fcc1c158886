/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the lists of events that a program opens, and where it reads a counter itself. */
#include "internal.h"

/* Returns true if the colon at @i is that of "for (auto e : {...})". */
static bool is_range_for(const struct code_walk *w, size_t i)
{
    for (size_t k = i; k-- > 0 && k + 8 > i;) {
        if (is_mark(&w->tokens[k], "(")) {
            return k > 0 && code_token_is(&w->tokens[k - 1], "for");
        }
    }
    return false;
}

unsigned code_perf_longest_list(const struct code_walk *w)
{
    unsigned longest = 0;

    for (size_t i = 0; i + 1 < w->count; i++) {
        const bool list =
            (is_mark(&w->tokens[i], "=") && (is_mark(&w->tokens[i + 1], "{") || is_mark(&w->tokens[i + 1], "["))) ||
            (i > 0 && w->tokens[i].kind == TOKEN_NAME && is_mark(&w->tokens[i + 1], "{") &&
             /* std::array<int, 8> list{...} */
             (is_mark(&w->tokens[i - 1], ">") || is_mark(&w->tokens[i - 1], ">>"))) ||
            (is_mark(&w->tokens[i], ":") && is_mark(&w->tokens[i + 1], "{") && is_range_for(w, i));
        size_t end;
        unsigned n = 1;
        bool events = false;

        if (!list) {
            continue;
        }
        end = code_skip_bracket(w, i + 1, w->count);
        for (size_t k = i + 2; k + 1 < end && k < i + 400; k++) {
            const struct code_token *t = &w->tokens[k];

            if (is_mark(t, "(") || is_mark(t, "{") || is_mark(t, "[")) {
                k = code_skip_bracket(w, k, end) - 1;
                events |= !is_mark(t, "(");
                continue;
            }
            n += is_mark(t, ",") && !is_mark(&w->tokens[k + 1], "}") && !is_mark(&w->tokens[k + 1], "]");
            events |= (t->kind == TOKEN_NUMBER && t->length > 2) || (t->kind == TOKEN_NAME && has(t, "PERF_COUNT")) ||
                      t->kind == TOKEN_STRING;
            if (is_mark(t, "=") || (is_mark(t, ":") && !(w->lexed->python && w->tokens[k - 1].kind == TOKEN_STRING))) {
                /* a structure, not a list; "name": 0x11 is an item of a dictionary */
                events = false;
                break;
            }
        }
        longest = events && n > longest ? n : longest;
        i = end > i ? end - 1 : i;
    }
    return longest;
}

uint32_t code_perf_direct_read(const struct code *c)
{
    for (size_t i = 0; i < c->step_count; i++) {
        if (c->steps[i].act == CODE_READ && (c->steps[i].reg == CODE_PMCCNTR || c->steps[i].reg == CODE_PMEVCNTR ||
                                             c->steps[i].reg == CODE_PMXEVCNTR)) {
            return c->steps[i].line;
        }
    }
    return 0;
}
