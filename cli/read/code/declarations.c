/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes simple statements: declarations and expressions. */
#define _GNU_SOURCE
#include <stdio.h>

#include "internal.h"

/* Returns the hash of element @n of the array @name. */
static uint64_t element_of(uint64_t name, uint64_t n)
{
    return code_hash(code_hash(name, "[", 1), (const char *)&n, sizeof n);
}

/*
 * Takes "[2] =", in front of the item that ends at @end.  Returns the index after it, @from if there is none, and the
 * number in *@n; it is UINT64_MAX if the text does not tell it.
 */
static size_t take_designator(struct code_walk *w, size_t from, size_t end, uint64_t *n)
{
    const size_t after = is_mark(&w->tokens[from], "[") ? code_skip_bracket(w, from, end) : end;
    struct code_term term;

    if (after >= end || !is_mark(&w->tokens[after], "=")) {
        return from;
    }
    term = code_evaluate(w, (struct code_range){from + 1, after - 1});
    *n = code_is_known(&term.value) ? term.value.bits : UINT64_MAX;
    return after + 1;
}

/* Stores the items of "{1, 2, .x = 3, [4] = 5}" in the elements of @name.  Returns how many that makes. */
static uint64_t store_items(struct code_walk *w, uint64_t name, size_t from, size_t to, unsigned depth)
{
    uint64_t n = 0, count = 0;
    struct code_place place = {.where = WHERE_VARIABLE};

    while (from < to && depth < 8 && code_spend(w, 1)) {
        size_t end = from;
        struct code_term term;

        while (end < to && !is_mark(&w->tokens[end], ",")) {
            const bool bracket = w->tokens[end].kind == TOKEN_MARK && strchr("([{", w->tokens[end].text[0]) != NULL;

            end = bracket ? code_skip_bracket(w, end, to) : end + 1;
        }
        if (is_mark(&w->tokens[from], ".") && from + 2 < end) {
            place.name = code_hash(code_hash(name, ".", 1), w->tokens[from + 1].text, w->tokens[from + 1].length);
            from += 3;
        } else if (from < end) {
            from = take_designator(w, from, end, &n);
            place.name = element_of(name, n);
        }
        if (from < end) {
            place.token = &w->tokens[from];
            if (is_mark(&w->tokens[from], "{")) {
                code_make_variable(w, place.name); /* a structure is an element, too: see code_count_items() */
                store_items(w, place.name, from + 1, code_skip_bracket(w, from, end) - 1, depth + 1);
            } else if (!code_note_function(w, code_make_variable(w, place.name), from, end)) {
                term = code_evaluate(w, (struct code_range){from, end});
                code_store(w, &place, code_value_of(w, &term));
            }
        }
        n += n != UINT64_MAX && from < end;
        count = n > count ? n : count; /* UINT64_MAX from an element on that is not known */
        from = end + 1;
    }
    return count;
}

/*
 * Makes the elements of array @name that its list leaves out, up to @size: what other code puts there is not known.  A
 * size that is not known has more elements than code_count_items() counts.
 */
static void fill_items(struct code_walk *w, uint64_t name, const struct code_value *size)
{
    const uint64_t whole = code_is_known(size) && size->bits <= CODE_ITEMS ? size->bits : CODE_ITEMS + 1;

    for (uint64_t n = 0; n < whole && code_spend(w, 1); n++) {
        code_make_variable(w, element_of(name, n));
    }
}

/* Takes the register of "register u32 x __asm("cp15:0:c9:c12:0")", of armcc, if there is one. */
static void take_register(struct code_walk *w, struct code_variable *v, const struct code_token *t)
{
    if ((code_at(w, "__asm") || code_at(w, "asm") || code_at(w, "__asm__")) && w->at + 2 < w->end &&
        w->tokens[w->at + 2].kind == TOKEN_STRING) { /* register u32 x __asm("cp15:0:c9:c12:0") */
        struct code_operands o = {.given = true};
        const struct code_token *string = &w->tokens[w->at + 2];
        unsigned n[5];
        char text[40];

        snprintf(text, sizeof text, "%.*s", (int)(string->length < 39 ? string->length : 39), string->text);
        if (sscanf(text, "\"cp%u:%u:c%u:c%u:%u", &n[0], &n[1], &n[2], &n[3], &n[4]) == 5) {
            o.coproc = (uint8_t)n[0];
            o.opc1 = (uint8_t)n[1];
            o.crn = (uint8_t)(n[2] & 15);
            o.crm = (uint8_t)(n[3] & 15);
            o.opc2 = (uint8_t)(n[4] & 7);
            v->place = (struct code_place){.where = WHERE_REGISTER, .token = t, .width = 32};
            code_find_operands(&o, false, &v->place.reg);
        }
        w->at = code_skip_bracket(w, w->at + 1, w->end);
    }
}

/* Creates "w", "w(args)" or "w{args}", of which the name was taken, if the text has the constructor of its class. */
static bool construct(struct code_walk *w, struct code_variable *v, uint64_t class)
{
    struct code_arguments arguments = {0};

    if (class == 0 || !w->has_classes) {
        return false;
    }
    v->class = class;
    v->specials = w->specials;
    if (code_at(w, "(") || code_at(w, "{")) {
        const size_t after = code_skip_bracket(w, w->at, w->end);

        if (after > w->at + 2) {
            code_split_arguments(w, w->at + 1, after - 1, &arguments);
        }
        if (!code_construct(w, class, &arguments)) {
            return false;
        }
        w->at = after;
        return true;
    }
    return !code_at(w, "=") && code_construct(w, class, &arguments);
}

/* Takes the type behind the name of a variable, as in Rust and Zig. */
static void take_type_behind(struct code_walk *w, uint64_t hash)
{
    for (w->at++; w->at < w->end && !code_at(w, "=") && !code_at(w, ","); w->at++) {
        const uint64_t type = code_hash(CODE_HASH, w->tokens[w->at].text, w->tokens[w->at].length);
        uint8_t is;

        if (code_has_layout(w, type)) {
            code_make_variable(w, hash)->class = type;
        }
        if (code_is_type(&w->tokens[w->at], &is) && is != 0) {
            code_make_variable(w, hash)->width = is;
        }
    }
}

/* Takes "= { .e = 1 }", "= .{ .e = 1 }" or "{...}" behind the name of @v, an object that is one value. */
static bool take_object(struct code_walk *w, struct code_variable *v)
{
    const size_t at = w->at;
    struct code_value value;

    if (code_take(w, "=")) {
        code_take(w, ".");
    }
    if (!code_at(w, "{")) {
        w->at = at;
        return false;
    }
    const uint64_t name = v->name;

    value = code_literal(w, v->class);
    code_find_variable(w, name)->value = value;
    return true;
}

/* Takes "[4][2]" behind a name, and stores the first size in *@size.  Returns false if it is not given. */
static bool take_sizes(struct code_walk *w, struct code_value *size)
{
    bool sized = false;

    while (code_at(w, "[")) {
        const size_t after = code_skip_bracket(w, w->at, w->end);

        if (!sized && after > w->at + 2) {
            *size = code_evaluate(w, (struct code_range){w->at + 1, after - 1}).value;
            sized = true;
        }
        w->at = after;
    }
    return sized;
}

/* Takes one declarator, "name[4] = value", and returns what follows. */
static void declarator(struct code_walk *w, uint8_t width, bool pointer, uint64_t class)
{
    const struct code_token *t = &w->tokens[w->at];
    const uint64_t hash = code_hash(CODE_HASH, t->text, t->length);
    struct code_variable *v = code_make_local(w, hash);
    struct code_place place = {.where = WHERE_VARIABLE, .name = hash, .token = t, .width = width};
    struct code_value size = code_unknown();
    struct code_term term;
    bool sized = false;

    v->value = code_unknown();
    v->alias = (struct code_range){0, 0};
    v->place.where = WHERE_NOWHERE;
    v->width = pointer ? 0 : width;
    v->class = code_has_layout(w, class) ? class : v->class;
    w->at++;
    take_register(w, v, t);
    sized = take_sizes(w, &size);
    if (!pointer && construct(w, v, class)) {
        return;
    }
    if (code_at(w, ":")) {
        take_type_behind(w, hash);
    }
    v = code_find_variable(w, hash);
    if (code_has_layout(w, v->class) && take_object(w, v)) {
        return;
    }
    if (code_at(w, "{")) { /* C++: a{} */
        store_items(w, hash, w->at + 1, code_skip_bracket(w, w->at, w->end) - 1, 0);
        w->at = code_skip_bracket(w, w->at, w->end);
        return;
    }
    if (!code_take(w, "=")) {
        return;
    }
    if (code_at(w, "{") || code_at(w, "[")) {
        const size_t after = code_skip_bracket(w, w->at, w->end);
        const uint64_t count = store_items(w, hash, w->at + 1, after > w->at + 1 ? after - 1 : after, 0);

        size = sized ? size : code_known(count);
        fill_items(w, hash, &size);
        w->at = after;
        return;
    }
    if (code_note_function(w, v, w->at, w->end)) {
        w->at = w->end;
        return;
    }
    term = code_assignment(w);
    if (pointer && term.value.element == 0 && width != 0) {
        term.value.element = (uint8_t)(width / 8);
    }
    code_value_of(w, &term);
    code_store(w, &place, term.value);
}

/* Returns the index after "Counter<2>" at @at, if it is a type before a name; 0 if it is none. */
static size_t skip_special_type(const struct code_walk *w, size_t at)
{
    if (at + 3 >= w->end || !is_mark(&w->tokens[at + 1], "<")) {
        return 0;
    }
    for (size_t i = at + 2; i + 1 < w->end && i < at + 10; i++) {
        if (is_mark(&w->tokens[i], ">")) {
            return w->tokens[i + 1].kind == TOKEN_NAME ? i + 1 : 0;
        }
        if (w->tokens[i].kind == TOKEN_MARK && !is_mark(&w->tokens[i], "::") && !is_mark(&w->tokens[i], ",")) {
            return 0;
        }
    }
    return 0;
}

/* Returns the index after "union { ... }" at @at, whose type is stored in *@class; @at if there is none. */
static size_t skip_unnamed(const struct code_walk *w, size_t at, uint64_t *class)
{
    const size_t open = at + 1;

    if (open >= w->end || !is_mark(&w->tokens[open], "{") ||
        !(is_mark(&w->tokens[at], "union") || is_mark(&w->tokens[at], "struct"))) {
        return at;
    }
    *class = code_hash(code_hash(CODE_HASH, "\004", 1), (const char *)&open, sizeof open);
    return code_skip_bracket(w, open, w->end);
}

/* Returns true if a declaration begins at w->at; skips its type, of which *@class is the hash of the name. */
static bool take_type(struct code_walk *w, uint8_t *width, bool *pointer, uint64_t *class)
{
    size_t i = w->at;
    unsigned names = 0;
    uint8_t is;

    *width = 0;
    *pointer = false;
    *class = 0;
    i = skip_unnamed(w, i, class);
    names += i > w->at;
    while (i < w->end) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_NAME &&
            (code_is_type(t, &is) || code_token_is(t, "let") || code_token_is(t, "const") || code_token_is(t, "mut"))) {
            *width = is > *width || is == 0 ? (is != 0 ? is : *width) : *width;
            if (code_has_layout(w, code_hash(CODE_HASH, t->text, t->length))) {
                *class = code_hash(CODE_HASH, t->text, t->length);
            }
            names++;
        } else if (t->kind == TOKEN_NAME && i + 1 < w->end &&
                   (w->tokens[i + 1].kind == TOKEN_NAME ||
                    (is_mark(&w->tokens[i + 1], "*") && i + 2 < w->end && w->tokens[i + 2].kind == TOKEN_NAME &&
                     names == 0 &&
                     (i + 3 >= w->end || is_mark(&w->tokens[i + 3], "=") || is_mark(&w->tokens[i + 3], ","))) ||
                    (is_mark(&w->tokens[i + 1], "::") && *width == 0 && *class == 0 && i + 3 < w->end &&
                     (w->tokens[i + 3].kind == TOKEN_NAME || skip_special_type(w, i + 2) != 0))) &&
                   !code_token_is(t, "asm") && !code_token_is(t, "__asm__") && !code_token_is(t, "__asm") &&
                   !is_mark(&w->tokens[i + 1], "as") && !is_mark(&w->tokens[i + 1], "asm") &&
                   !is_mark(&w->tokens[i + 1], "__asm__") && !is_mark(&w->tokens[i + 1], "__asm")) {
            names++;
            if (is_mark(&w->tokens[i + 1], "::")) {
                i++; /* std::uint64_t */
            } else {
                *class = code_hash(CODE_HASH, t->text, t->length);
            }
        } else if (w->has_classes && t->kind == TOKEN_NAME && skip_special_type(w, i) != 0) {
            const size_t after = skip_special_type(w, i);

            names++;
            *class = code_class_with(w, t, (struct code_range){i + 2, after - 1});
            w->specials = (struct code_range){i + 2, after - 1};
            i = after - 1;
        } else if (t->kind == TOKEN_MARK && t->text[0] == '*' && t->length == 1 && names != 0) {
            *pointer = true;
        } else if (t->kind == TOKEN_MARK && t->text[0] == '&' && names != 0) {
            *pointer = true;
        } else {
            break;
        }
        i++;
    }
    if (names == 0 || i >= w->end ||
        (w->tokens[i].kind != TOKEN_NAME && !(is_mark(&w->tokens[i], "(") && is_mark(&w->tokens[w->at], "let")))) {
        return false;
    }
    w->at = i;
    return true;
}

/* Takes "let (a, b) = ...": the names become unknown. */
static void take_tuple(struct code_walk *w)
{
    const size_t after = code_skip_bracket(w, w->at, w->end);

    w->at = after;
    while (w->at < w->end && !code_at(w, "=")) {
        w->at++;
    }
    if (code_take(w, "=")) {
        code_expression(w);
    }
}

/* Executes the simple statement of the tokens w->at to w->end. */
void code_simple_statement(struct code_walk *w)
{
    const size_t steps = w->code->step_count;
    const struct code_token *first = &w->tokens[w->at];
    uint8_t width;
    bool pointer;
    uint64_t class;
    const size_t from = w->at;

    if (take_type(w, &width, &pointer, &class)) {
        if (code_at(w, "(")) {
            take_tuple(w);
        } else if (w->at + 1 < w->end && is_mark(&w->tokens[w->at + 1], "(") && w->end - w->at > 2 &&
                   code_skip_bracket(w, w->at + 1, w->end) == w->end && w->at > from &&
                   !is_mark(&w->tokens[w->at - 1], "=") &&
                   (!w->has_classes || code_find_hash(w, code_qualified(class, "()", 2)) == NULL)) {
            return; /* the declaration of a function */
        } else {
            do {
                while (code_take(w, "*")) {
                    pointer = true;
                }
                if (w->at < w->end && w->tokens[w->at].kind == TOKEN_NAME) {
                    declarator(w, width, pointer, class);
                } else {
                    break;
                }
            } while (code_take(w, ",") && code_spend(w, 1));
        }
        return;
    }
    while (w->at < w->end && code_spend(w, 1)) {
        const size_t before = w->at;
        struct code_term term = code_expression(w);

        w->last = code_value_of(w, &term);
        w->at += w->at == before;
        code_take(w, ",");
    }
    if (w->code->step_count == steps && w->depth < 8) {
        code_step_add(w, CODE_WORK, first)->flags |= CODE_STATEMENT;
    }
}
