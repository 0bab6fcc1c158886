/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the items of arrays over which loops run: for (auto e : list), for (i, e) in LIST.iter().enumerate(). */
#define _GNU_SOURCE
#include "internal.h"

static struct code_variable *item_of(struct code_walk *w, uint64_t array, uint64_t n)
{
    return code_find_variable(w, code_hash(code_hash(array, "[", 1), (const char *)&n, sizeof n));
}

uint64_t code_count_items(struct code_walk *w, uint64_t array)
{
    uint64_t n = 0;

    while (n <= CODE_ITEMS && item_of(w, array, n) != NULL) {
        n++;
    }
    return n <= CODE_ITEMS ? n : 0;
}

/* Returns true if the methods of an iterator at @list, from its third token on, keep the items and their order. */
static bool keeps_order(const struct code_walk *w, struct code_range list, bool *enumerates)
{
    static const char *const methods[] = {"iter", "into_iter", "copied", "cloned", "as_slice", "iter_mut"};

    for (size_t i = list.from; i < list.to; i += 4) {
        bool known = false;

        if (list.to - i < 4 || !is_mark(&w->tokens[i], ".") || !is_mark(&w->tokens[i + 2], "(") ||
            !is_mark(&w->tokens[i + 3], ")")) {
            return false;
        }
        for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
            known |= code_token_is(&w->tokens[i + 1], methods[k]);
        }
        if (code_token_is(&w->tokens[i + 1], "enumerate")) {
            *enumerates = known = true;
        }
        if (!known) {
            return false;
        }
    }
    return true;
}

/* Returns the hash of the last name from @from to @to, 0 if there is none: "const auto& e", "&e", "mut e". */
static uint64_t last_name(const struct code_walk *w, size_t from, size_t to)
{
    uint64_t hash = 0;

    for (size_t i = from; i < to; i++) {
        hash = w->tokens[i].kind == TOKEN_NAME ? code_hash_of(&w->tokens[i]) : hash;
    }
    return hash;
}

void code_find_items(struct code_walk *w, struct code_range names, struct code_range list, struct code_items *items)
{
    bool enumerates = false;
    size_t comma = names.from;

    *items = (struct code_items){0};
    while (comma < names.to && !is_mark(&w->tokens[comma], ",")) {
        comma++;
    }
    if (comma < names.to) {
        items->index = last_name(w, names.from, comma);
        items->item = last_name(w, comma, names.to);
    } else {
        items->item = last_name(w, names.from, names.to);
    }
    while (list.from < list.to && is_mark(&w->tokens[list.from], "&")) {
        list.from++;
    }
    if (list.from >= list.to || w->tokens[list.from].kind != TOKEN_NAME ||
        !keeps_order(w, (struct code_range){list.from + 1, list.to}, &enumerates) ||
        enumerates != (items->index != 0)) {
        return;
    }
    items->array = code_hash_of(&w->tokens[list.from]);
    items->count = code_count_items(w, items->array);
}

void code_bind_item(struct code_walk *w, const struct code_items *items, uint64_t n)
{
    if (items->index != 0) {
        code_make_variable(w, items->index)->value = n == UINT64_MAX ? code_unknown() : code_known(n);
    }
    if (items->item != 0) {
        const struct code_variable *item = n == UINT64_MAX ? NULL : item_of(w, items->array, n);
        const struct code_value value = item == NULL ? code_unknown() : item->value;

        code_make_variable(w, items->item)->value = value;
    }
}

/*
 * Takes "a", "(a)", "a[0]", "((a)[0])", "*a", "(*a)" and "(struct a)" at the cursor, where "a" may be the parameter of
 * a macro.  Returns the hash of the name, 0 if it is none.
 */
static uint64_t take_operand(struct code_walk *w, bool *first)
{
    const bool bracket = code_take(w, "(");
    uint64_t hash = 0;
    bool inner;

    *first = code_take(w, "*") || code_take(w, "struct");
    inner = code_take(w, "(");
    if (w->at < w->end && w->tokens[w->at].kind == TOKEN_NAME) {
        const struct code_token *t = code_resolve(w, &w->tokens[w->at++]);

        hash = t->kind == TOKEN_NAME ? code_hash_of(t) : 0;
    }
    if (inner && !code_take(w, ")")) {
        return 0;
    }
    if (code_at(w, "[")) {
        *first = true;
        w->at = code_skip_bracket(w, w->at, w->end);
    }
    return bracket && !code_take(w, ")") ? 0 : hash;
}

bool code_take_count(struct code_walk *w, uint64_t *count)
{
    const size_t at = w->at;
    uint64_t whole, item;
    bool first = false;

    if (!code_take(w, "sizeof")) {
        return false;
    }
    whole = take_operand(w, &first);
    *count = whole != 0 && !first && code_take(w, "/") && code_take(w, "sizeof") ? code_count_items(w, whole) : 0;
    item = *count != 0 ? take_operand(w, &first) : 0;
    if (*count == 0 || item == 0 || !(first || item != whole)) {
        w->at = at;
        return false;
    }
    return true;
}

bool code_skip_size(struct code_walk *w)
{
    if (!code_take(w, "sizeof") && !code_take(w, "alignof") && !code_take(w, "_Alignof")) {
        return false;
    }
    while (code_take(w, "*") || code_take(w, "&")) {
    }
    if (!code_at(w, "(")) {
        w->at += w->at < w->end;
    }
    while (code_at(w, "(") || code_at(w, "[") || code_at(w, ".") || code_at(w, "->")) {
        w->at = code_at(w, "(") || code_at(w, "[") ? code_skip_bracket(w, w->at, w->end) : w->at + 2;
    }
    w->at = w->at < w->end ? w->at : w->end;
    return true;
}

bool code_do_count(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    static const char *const functions[] = {"ARRAY_SIZE", "size", "countof", "_countof", "NELEMS", "nitems",
                                            "ARRAY_LEN", "ARRAYSIZE", "COUNT_OF", "NUM_ELEMENTS"};
    const struct code_arguments *a = call->arguments;
    const struct code_token *name = NULL;
    uint64_t count;

    if (a->count == 0 && (code_token_is(call->name, "len") || code_token_is(call->name, "size")) &&
        call->path.from + 2 < call->path.to && is_mark(&w->tokens[call->path.from + 1], ".")) {
        name = &w->tokens[call->path.from];
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && a->count == 1; i++) {
        if (code_token_is(call->name, functions[i]) && a->ranges[0].to == a->ranges[0].from + 1) {
            name = &w->tokens[a->ranges[0].from];
        }
    }
    name = name != NULL ? code_resolve(w, name) : NULL;
    count = name != NULL && name->kind == TOKEN_NAME ? code_count_items(w, code_hash_of(name)) : 0;
    *result = count != 0 ? code_known(count) : *result;
    return count != 0;
}
