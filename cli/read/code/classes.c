/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods, constructors, destructors, operators and templates of C++ and Rust. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "internal.h"

uint64_t code_qualified(uint64_t class, const char *name, size_t length)
{
    return class == 0 ? 0 : code_hash(code_hash(class, "::", 2), name, length);
}

uint64_t code_class(const struct code_walk *w, const struct code_token *name, struct code_range range)
{
    uint64_t hash = code_hash(CODE_HASH, name->text, name->length);

    for (size_t i = range.from; i < range.to; i++) {
        hash = code_hash(hash, w->tokens[i].text, w->tokens[i].length);
    }
    return hash;
}

uint64_t code_class_with(const struct code_walk *w, const struct code_token *name, struct code_range range)
{
    const uint64_t class = code_class(w, name, range);

    for (size_t i = 0; i < w->definition_count; i++) {
        if (w->definitions[i].class == class) {
            return class;
        }
    }
    return code_class(w, name, (struct code_range){0, 0});
}

struct code_definition *code_find_hash(struct code_walk *w, uint64_t hash)
{
    size_t slot;

    if (w->index == NULL || hash == 0) {
        return NULL;
    }
    slot = (size_t)hash & (w->index_size - 1);
    while (w->index[slot] != 0) {
        struct code_definition *d = &w->definitions[w->index[slot] - 1];

        if (d->hash == hash || d->qualified == hash) {
            return d;
        }
        slot = (slot + 1) & (w->index_size - 1);
    }
    return NULL;
}

/* Returns the hash of the class of variable @name; 0 if it has none. */
static uint64_t class_of(struct code_walk *w, const struct code_token *name)
{
    const struct code_variable *v = code_find_variable(w, code_hash(CODE_HASH, name->text, name->length));

    return v != NULL ? v->class : 0;
}

/* Finds the method that "Class::name", "Class<2>::name", "object.name" or, in a method, "name" means. */
static struct code_definition *find_method(struct code_walk *w, const struct code_one_call *call)
{
    const struct code_token *name = call->name;
    const size_t at = (size_t)(name - w->tokens);
    struct code_definition *d = NULL;

    if (at < 2 || at <= call->path.from) {
        return code_find_hash(w, code_qualified(w->class, name->text, name->length));
    }
    if (code_token_is(name - 1, "::")) {
        size_t owner = at - 2;

        if (code_token_is(&w->tokens[owner], ">")) {
            const size_t to = owner;

            while (owner > call->path.from && !code_token_is(&w->tokens[owner], "<")) {
                owner--;
            }
            d = owner == call->path.from
                    ? NULL
                    : code_find_hash(w, code_qualified(code_class(w, &w->tokens[owner - 1],
                                                                  (struct code_range){owner + 1, to}),
                                                       name->text, name->length));
            owner -= owner > call->path.from;
        }
        if (d == NULL && code_token_is(&w->tokens[owner], "Self")) {
            d = code_find_hash(w, code_qualified(w->class, name->text, name->length));
        }
        return d != NULL ? d
                         : code_find_hash(w, code_qualified(code_class(w, &w->tokens[owner], (struct code_range){0, 0}),
                                                            name->text, name->length));
    }
    if (code_token_is(name - 1, ".") || code_token_is(name - 1, "->")) {
        const struct code_token *object = name - 2;
        const bool self = code_token_is(object, "self") || code_token_is(object, "this");

        d = code_find_hash(w, code_qualified(self ? w->class : class_of(w, object), name->text, name->length));
        if (d != NULL && !self) {
            w->specials = code_find_variable(w, code_hash(CODE_HASH, object->text, object->length))->specials;
        }
    }
    return d;
}

struct code_definition *code_find_called(struct code_walk *w, const struct code_one_call *call)
{
    struct code_definition *d = NULL;

    if (w->tokens != w->lexed->tokens) {
        return code_find_definition(w, call->name);
    }
    if (w->specials.to > w->specials.from) { /* a template that is written for these arguments */
        d = code_find_hash(w, code_class(w, call->name, w->specials));
    }
    if (d == NULL && w->has_classes) {
        d = find_method(w, call);
    }
    if (d == NULL) {
        d = code_find_definition(w, call->name);
        d = d != NULL && d->ambiguous ? NULL : d;
    }
    return d;
}

bool code_note_function(struct code_walk *w, struct code_variable *v, size_t from, size_t to)
{
    const struct code_definition *d;

    from += from < to && is_mark(&w->tokens[from], "&");
    if (to != from + 1 || w->tokens != w->lexed->tokens || w->tokens[from].kind != TOKEN_NAME) {
        return false;
    }
    d = code_find_definition(w, &w->tokens[from]);
    if (d == NULL || d->macro || d->loose) {
        return false;
    }
    v->alias = (struct code_range){from, to};
    v->alias_frame = w->frame;
    return true;
}

struct code_definition *code_find_pointed(struct code_walk *w, uint64_t name)
{
    const struct code_variable *v = name != 0 ? code_find_variable(w, name) : NULL;
    struct code_definition *d;

    if (v == NULL || v->alias.to != v->alias.from + 1 || w->tokens != w->lexed->tokens) {
        return NULL;
    }
    d = code_find_definition(w, &w->tokens[v->alias.from]);
    return d != NULL && !d->macro && !d->loose ? d : NULL;
}

struct code_term code_call_item(struct code_walk *w, const struct code_term *term, const struct code_token *last)
{
    struct code_definition *pointed =
        term->place.where == WHERE_VARIABLE ? code_find_pointed(w, term->place.name) : NULL;
    const size_t after = code_skip_bracket(w, w->at, w->end);
    struct code_arguments arguments;

    code_split_arguments(w, w->at + 1, after > w->at + 1 ? after - 1 : w->at + 1, &arguments);
    w->at = after;
    if (pointed != NULL) {
        return code_plain(code_follow(w, pointed, &arguments));
    }
    code_step_add(w, CODE_WORK, last);
    return code_plain(code_unknown());
}

/* ---------------------------------------------------------------------------------------------------------------
 * Objects.
 */

bool code_construct(struct code_walk *w, uint64_t class, const struct code_arguments *arguments)
{
    struct code_definition *begin, *end;

    if (class == 0 || !w->has_classes) {
        return false;
    }
    const struct code_range specials = w->specials;

    begin = code_find_hash(w, code_qualified(class, "()", 2));
    end = code_find_hash(w, code_qualified(class, "~", 1));
    if (begin != NULL) {
        code_follow(w, begin, arguments);
    }
    if (end != NULL && w->ending_count < sizeof w->endings / sizeof w->endings[0]) {
        w->ending_specials[w->ending_count] = specials;
        w->endings[w->ending_count++] = end;
    }
    return begin != NULL || end != NULL;
}

void code_end_block(struct code_walk *w, unsigned count)
{
    static const struct code_arguments none = {0};

    while (w->ending_count > count) {
        w->ending_count--;
        w->specials = w->ending_specials[w->ending_count];
        code_follow(w, w->endings[w->ending_count], &none);
    }
}

struct code_definition *code_find_operator(struct code_walk *w, uint64_t name, const char *text, size_t length)
{
    const struct code_variable *v = w->has_operators ? code_find_variable(w, name) : NULL;
    char method[16] = "operator";

    if (v == NULL || v->class == 0 || length > 4) {
        return NULL;
    }
    memcpy(method + 8, text, length);
    return code_find_hash(w, code_qualified(v->class, method, 8 + length));
}

void code_do_first(struct code_walk *w, struct code_range list)
{
    for (size_t i = list.from; i + 1 < list.to && code_spend(w, 2); i++) {
        const struct code_token *t = &w->tokens[i];
        const size_t open = i + 1;

        if (t->kind == TOKEN_NAME && (code_token_is(&w->tokens[open], "(") || code_token_is(&w->tokens[open], "{"))) {
            const size_t after = code_skip_bracket(w, open, list.to);
            struct code_place place = {
                .where = WHERE_VARIABLE, .name = code_hash(CODE_HASH, t->text, t->length), .token = t};

            if (after > open + 2) {
                struct code_term term = code_evaluate(w, (struct code_range){open + 1, after - 1});

                code_store(w, &place, code_value_of(w, &term));
            }
            i = after > i ? after - 1 : i;
        }
    }
}
