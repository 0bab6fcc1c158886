/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads what Zig has and C lacks: containers with functions and enumerations, builtin functions such as @bitCast(),
 * loops with captures and deferred statements.  All else is read as C and Rust are.
 */
#define _GNU_SOURCE
#include <string.h>

#include "internal.h"

bool code_is_zig(const struct text *t)
{
    static const char *const signs[] = {"@import(\"", "@bitCast(", "@intFromEnum(", "@as(u", ": []const u8",
                                        "callconv(", "(comptime ", "@truncate(", "packed struct(", "(-> u"};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (t->joined != NULL && strstr(t->joined, signs[i]) != NULL) {
            return strstr(t->joined, "fn ") != NULL;
        }
    }
    return false;
}

/* Collects the functions between @from and @to, which are members of a container. */
static void take_functions(struct code_walk *w, size_t from, size_t to)
{
    for (size_t i = from; i < to && code_spend(w, 1);) {
        const size_t next = is_mark(&w->tokens[i], "fn") ? code_take_function(w, i, to) : 0;
        const bool bracket = w->tokens[i].kind == TOKEN_MARK && strchr("([{", w->tokens[i].text[0]) != NULL;

        i = next > i ? next : bracket ? code_skip_bracket(w, i, to) : i + 1;
    }
}

size_t code_take_container(struct code_walk *w, size_t at, size_t to)
{
    size_t i = at + is_mark(&w->tokens[at], "pub"), close;
    bool is_enum;

    if (!w->lexed->zig || i + 5 > to || !is_mark(&w->tokens[i], "const") || !is_mark(&w->tokens[i + 2], "=")) {
        return 0;
    }
    i += 3;
    i += is_mark(&w->tokens[i], "packed") || is_mark(&w->tokens[i], "extern");
    is_enum = is_mark(&w->tokens[i], "enum");
    if (!is_enum && !is_mark(&w->tokens[i], "struct") && !is_mark(&w->tokens[i], "union")) {
        return 0;
    }
    i++;
    i = i < to && is_mark(&w->tokens[i], "(") ? code_skip_bracket(w, i, to) : i;
    if (i >= to || !is_mark(&w->tokens[i], "{")) {
        return 0;
    }
    close = code_skip_bracket(w, i, to);
    if (is_enum) {
        code_take_enum(w, i + 1, close - 1);
    }
    take_functions(w, i + 1, close - 1);
    return close;
}

/* Returns the size in bytes of what the type between @from and @to points to, 0 if it is no pointer. */
static uint8_t pointed_size(const struct code_walk *w, size_t from, size_t to)
{
    uint8_t width = 0;

    if (from >= to || !code_token_is(&w->tokens[from], "*")) {
        return 0;
    }
    for (size_t i = from + 1; i < to; i++) {
        uint8_t is;

        width = code_is_type(&w->tokens[i], &is) && is != 0 ? is : width;
    }
    return width != 0 ? width / 8 : 4;
}

struct code_term code_builtin(struct code_walk *w)
{
    static const char *const values[] = {"bitCast",     "intCast",    "truncate",    "as",        "intFromEnum",
                                         "enumToInt",   "intFromBool", "boolToInt",  "enumFromInt", "ptrFromInt",
                                         "intToPtr",    "intFromPtr", "ptrCast",     "alignCast", "volatileCast"};
    const struct code_token *name = w->at + 1 < w->end ? &w->tokens[w->at + 1] : NULL;
    struct code_arguments arguments = {0};
    struct code_term term = code_plain(code_unknown());
    size_t after;

    w->at++;
    if (name == NULL || name->kind != TOKEN_NAME || w->at + 1 >= w->end || !is_mark(name + 1, "(")) {
        w->at += w->at < w->end;
        return term;
    }
    after = code_skip_bracket(w, w->at + 1, w->end);
    code_split_arguments(w, w->at + 2, after > w->at + 2 ? after - 1 : w->at + 2, &arguments);
    w->at = after;
    for (unsigned i = 0; i < arguments.count; i++) {
        term = code_evaluate(w, arguments.ranges[i]);
        code_value_of(w, &term);
    }
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (code_token_is(name, values[i])) {
            const bool pointer = code_token_is(name, "ptrFromInt") || code_token_is(name, "intToPtr");
            uint8_t size =
                arguments.count == 2 ? pointed_size(w, arguments.ranges[0].from, arguments.ranges[0].to) : 0;

            size = size == 0 && pointer ? 4 : size; /* its type stands elsewhere; a register has 32 bits */
            term.value.element = size != 0 ? size : term.value.element;
            return code_plain(term.value);
        }
    }
    if (code_token_is(name, "call")) {
        code_step_add(w, CODE_WORK, name);
    }
    return code_plain(code_unknown());
}

bool code_find_captures(const struct code_walk *w, size_t close, size_t to, struct code_range *names)
{
    size_t end = close + 1;

    if (close >= to || !is_mark(&w->tokens[close], "|")) {
        return false;
    }
    while (end < to && !is_mark(&w->tokens[end], "|")) {
        end++;
    }
    *names = (struct code_range){close + 1, end};
    return end < to;
}

/* Returns the index of the ".." between @from and @to, @to if there is none: it is one mark, or two. */
static size_t find_dots(const struct code_walk *w, size_t from, size_t to)
{
    for (size_t i = from; i + 1 < to; i++) {
        if (is_mark(&w->tokens[i], ".") && is_mark(&w->tokens[i + 1], ".")) {
            return i;
        }
    }
    return to;
}

void code_find_captured(struct code_walk *w, struct code_range names, struct code_range list, struct code_items *items)
{
    struct code_arguments lists = {0};
    size_t name = names.from;

    *items = (struct code_items){0};
    code_split_arguments(w, list.from, list.to, &lists);
    for (unsigned k = 0; k < lists.count && name < names.to; k++) {
        const struct code_range range = lists.ranges[k];
        const size_t dots = find_dots(w, range.from, range.to);
        const size_t from = range.from + is_mark(&w->tokens[range.from], "&");
        uint64_t hash;

        name += is_mark(&w->tokens[name], "*");
        hash = code_hash(CODE_HASH, w->tokens[name].text, w->tokens[name].length);
        name += 2;
        if (dots < range.to) {
            const struct code_value first = code_evaluate(w, (struct code_range){range.from, dots}).value;
            const struct code_value last = dots + 2 < range.to
                                               ? code_evaluate(w, (struct code_range){dots + 2, range.to}).value
                                               : code_unknown();

            items->index = code_is_known(&first) && first.bits == 0 ? hash : items->index;
            if (items->index == hash && code_is_known(&last) && last.bits <= CODE_ITEMS && items->array == 0) {
                items->count = last.bits;
            }
        } else if (range.to == from + 1 && items->array == 0) {
            items->item = hash;
            items->array = code_hash(CODE_HASH, w->tokens[from].text, w->tokens[from].length);
            items->count = code_count_items(w, items->array);
        }
    }
}

bool code_take_pointer(struct code_walk *w, struct code_term *term)
{
    const struct code_token *next = w->at + 2 < w->end ? &w->tokens[w->at + 2] : NULL;

    if (w->at + 1 >= w->end || !code_at(w, ".") || !code_token_is(&w->tokens[w->at + 1], "*") ||
        (next != NULL && (next->kind != TOKEN_MARK || code_token_is(next, "(")))) { /* C++: object.*member */
        return false;
    }
    *term = code_dereference(w, *term, code_now(w));
    w->at += 2;
    return true;
}

size_t code_take_deferred(struct code_walk *w, size_t at, size_t to, struct code_range list[CODE_DEFERRED],
                            unsigned *count)
{
    const bool always = is_mark(&w->tokens[at], "defer");
    size_t next;

    if (!w->lexed->zig || (!always && !is_mark(&w->tokens[at], "errdefer"))) {
        return 0;
    }
    next = code_skip_statement(w, at + 1, to);
    if (always && *count < CODE_DEFERRED) {
        list[(*count)++] = (struct code_range){at + 1, next};
    }
    return next;
}
