/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates what Zig spells in its own way: built-in functions that convert, and pointers that are followed. */
#include "internal.h"

/* Returns true if the built-in function @t of Zig gives its last argument, as another type. */
static bool is_conversion(const struct code_token *t)
{
    static const char *const names[] = {"as",       "ptrFromInt",   "intToPtr", "intFromPtr",  "ptrToInt",
                                        "intCast",  "truncate",     "bitCast",  "ptrCast",     "alignCast",
                                        "volatileCast", "intFromEnum", "enumFromInt", "intFromBool", "boolToInt"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (code_token_is(t, names[i])) {
            return true;
        }
    }
    return false;
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

bool code_take_zig(struct code_walk *w, struct code_term *term)
{
    const struct code_token *name = w->at + 1 < w->end ? &w->tokens[w->at + 1] : NULL;
    struct code_arguments arguments = {0};
    size_t open, after;
    uint8_t size;

    if (!code_at(w, "@") || name == NULL || name->kind != TOKEN_NAME || w->at + 2 >= w->end ||
        !code_token_is(&w->tokens[w->at + 2], "(")) {
        return false;
    }
    open = w->at + 2;
    after = code_skip_bracket(w, open, w->end);
    code_split_arguments(w, open + 1, after > open + 1 ? after - 1 : open + 1, &arguments);
    *term = code_plain(code_unknown());
    if (is_conversion(name) && arguments.count != 0 && arguments.count <= 2) {
        struct code_term last = code_evaluate(w, arguments.ranges[arguments.count - 1]);

        *term = code_plain(code_value_of(w, &last));
        size = arguments.count == 2 ? pointed_size(w, arguments.ranges[0].from, arguments.ranges[0].to) : 0;
        if (size == 0 && (code_token_is(name, "ptrFromInt") || code_token_is(name, "intToPtr"))) {
            size = 4; /* the type is that of what it is assigned to; a register has 32 bits */
        }
        term->value.element = size != 0 ? size : term->value.element;
    }
    w->at = after;
    return true;
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
