/* SPDX-License-Identifier: BSD-2-Clause */
/* Where statements end, and what is known behind branches of a variable that one of them may have written. */
#define _GNU_SOURCE
#include "internal.h"

size_t code_statement_end(const struct code_walk *w, size_t from, size_t to)
{
    for (size_t i = from; i < to;) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_DEFINE || (i > from && (t->kind == TOKEN_ASSEMBLY || t->kind == TOKEN_LABEL))) {
            return i;
        }
        if (t->kind == TOKEN_MARK && t->length == 1) {
            if (t->text[0] == ';' || t->text[0] == '}') {
                return i;
            }
            if (strchr("([{", t->text[0]) != NULL) {
                const size_t after = code_skip_bracket(w, i, to);

                if (t->text[0] == '{' && after < to && w->tokens[after].first && !is_mark(&w->tokens[after], ";") &&
                    !is_mark(&w->tokens[after], ")") && !is_mark(&w->tokens[after], ",") &&
                    !is_mark(&w->tokens[after], ".") && w->tokens[after].kind != TOKEN_MARK) {
                    return after;
                }
                i = after;
                continue;
            }
        }
        i++;
    }
    return to;
}

/* Returns the index after the statement at @from, which may be a block or have one.  @depth bounds the recursion. */
static size_t skip_nested(const struct code_walk *w, size_t from, size_t to, unsigned depth)
{
    size_t end;

    if (depth > 64 || from >= to) {
        return to;
    }
    if (is_mark(&w->tokens[from], "{")) {
        return code_skip_bracket(w, from, to);
    }
    if (is_mark(&w->tokens[from], "if") || is_mark(&w->tokens[from], "for") || is_mark(&w->tokens[from], "while")) {
        size_t i = from + 1;

        if (i < to && is_mark(&w->tokens[i], "(")) {
            i = code_skip_bracket(w, i, to);
        } else {
            while (i < to && !is_mark(&w->tokens[i], "{")) {
                i++;
            }
        }
        i = skip_nested(w, i, to, depth + 1);
        if (i < to && is_mark(&w->tokens[i], "else")) {
            i = skip_nested(w, i + 1, to, depth + 1);
        }
        return i;
    }
    end = code_statement_end(w, from, to);
    return end < to && is_mark(&w->tokens[end], ";") ? end + 1 : end > from ? end : from + 1;
}

size_t code_skip_statement(const struct code_walk *w, size_t from, size_t to)
{
    return skip_nested(w, from, to, 0);
}

bool code_leaves(const struct code_walk *w, size_t from, size_t to)
{
    static const char *const words[] = {"return", "goto", "break", "continue"};
    size_t last = from;

    from += from < to && is_mark(&w->tokens[from], "{");
    for (size_t i = last = from; i < to;) {
        if (is_mark(&w->tokens[i], ";") && i + 1 < to && !is_mark(&w->tokens[i + 1], "}")) {
            last = i + 1;
        }
        i = w->tokens[i].kind == TOKEN_MARK && strchr("([{", w->tokens[i].text[0]) != NULL && i != from
                ? code_skip_bracket(w, i, to)
                : i + 1;
    }
    for (size_t k = 0; k < sizeof words / sizeof words[0] && last < to; k++) {
        if (is_mark(&w->tokens[last], words[k])) {
            return true;
        }
    }
    return false;
}

/* Returns what is known of a value that is @a or @b. */
static struct code_value either(const struct code_value *a, const struct code_value *b)
{
    struct code_value v = *a;

    if (a->known == b->known && a->bits == b->bits && a->read == b->read && a->whose == b->whose) {
        return v;
    }
    v.known = a->known & b->known & ~(a->bits ^ b->bits);
    v.bits &= v.known;
    v.kept &= a->read == b->read ? b->kept : 0;
    v.read = a->read != 0 ? a->read : b->read;
    v.changed |= b->changed || a->read != b->read;
    v.vague |= b->vague || a->read != b->read;
    v.whose = 0;
    v.offset = a->offset == b->offset ? a->offset : 0;
    v.element = a->element == b->element ? a->element : 0;
    return v;
}

void code_join_values(struct code_walk *w, const struct code_value *others, size_t count)
{
    for (size_t i = 0; i < count && i < w->variable_count; i++) {
        w->variables[i].value = either(&w->variables[i].value, &others[i]);
    }
}

void code_exchange_values(struct code_walk *w, struct code_value *others, size_t count)
{
    for (size_t i = 0; i < count && i < w->variable_count; i++) {
        const struct code_value v = w->variables[i].value;

        w->variables[i].value = others[i];
        others[i] = v;
    }
}

struct code_value *code_save_values(const struct code_walk *w)
{
    struct code_value *values = cli_allocate(NULL, w->variable_count + 1, sizeof *values);

    for (size_t i = 0; i < w->variable_count; i++) {
        values[i] = w->variables[i].value;
    }
    return values;
}
