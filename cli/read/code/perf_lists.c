/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the lists of events that a program opens. */
#define _GNU_SOURCE
#include "internal.h"

static bool is_sign(const struct code_token *t, const char *mark)
{
    return t->kind == TOKEN_MARK && code_token_is(t, mark);
}

static bool has(const struct code_token *t, const char *word)
{
    return memmem(t->text, t->length, word, strlen(word)) != NULL;
}

/* Returns true if the colon at @i is that of "for (auto e : {...})". */
static bool is_range_for(const struct code_walk *w, size_t i)
{
    for (size_t k = i; k-- > 0 && k + 8 > i;) {
        if (is_sign(&w->tokens[k], "(")) {
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
            (is_sign(&w->tokens[i], "=") && (is_sign(&w->tokens[i + 1], "{") || is_sign(&w->tokens[i + 1], "["))) ||
            (i > 0 && w->tokens[i].kind == TOKEN_NAME && is_sign(&w->tokens[i + 1], "{") &&
             /* std::array<int, 8> list{...} */
             (is_sign(&w->tokens[i - 1], ">") || is_sign(&w->tokens[i - 1], ">>"))) ||
            (is_sign(&w->tokens[i], ":") && is_sign(&w->tokens[i + 1], "{") && is_range_for(w, i));
        size_t end;
        unsigned n = 1;
        bool events = false;

        if (!list) {
            continue;
        }
        end = code_skip_bracket(w, i + 1, w->count);
        for (size_t k = i + 2; k + 1 < end && k < i + 400; k++) {
            const struct code_token *t = &w->tokens[k];

            if (is_sign(t, "(") || is_sign(t, "{") || is_sign(t, "[")) {
                k = code_skip_bracket(w, k, end) - 1;
                events |= !is_sign(t, "(");
                continue;
            }
            n += is_sign(t, ",") && !is_sign(&w->tokens[k + 1], "}") && !is_sign(&w->tokens[k + 1], "]");
            events |= (t->kind == TOKEN_NUMBER && t->length > 2) || (t->kind == TOKEN_NAME && has(t, "PERF_COUNT")) ||
                      t->kind == TOKEN_STRING;
            if (is_sign(t, "=") || is_sign(t, ":")) { /* a structure, not a list */
                events = false;
                break;
            }
        }
        longest = events && n > longest ? n : longest;
        i = end > i ? end - 1 : i;
    }
    return longest;
}
