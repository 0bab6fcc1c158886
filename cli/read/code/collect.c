/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the definitions of a text: functions, classes and what they contain, loose statements; and their index. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "internal.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The text.
 */

void code_take_enum(struct code_walk *w, size_t from, size_t to)
{
    uint64_t next = 0;

    for (size_t i = from; i < to;) {
        const struct code_token *name = &w->tokens[i];
        size_t end = i;

        while (end < to && !is_mark(&w->tokens[end], ",")) {
            end = is_mark(&w->tokens[end], "(") ? code_skip_bracket(w, end, to) : end + 1;
        }
        if (name->kind == TOKEN_NAME) {
            struct code_value value = code_known(next);
            struct code_variable *v;

            if (i + 2 < end && is_mark(&w->tokens[i + 1], "=")) {
                value = code_evaluate(w, (struct code_range){i + 2, end}).value;
            }
            v = code_make_variable(w, code_hash(CODE_HASH, name->text, name->length));
            v->value = value;
            next = value.bits + 1;
        }
        i = end + 1;
    }
}

static size_t find_open(const struct code_walk *w, size_t from, size_t to)
{
    for (size_t i = from; i < to && i < from + 16; i++) {
        if (is_mark(&w->tokens[i], "{")) {
            return i;
        }
        if (is_mark(&w->tokens[i], ";") || is_mark(&w->tokens[i], "=") || is_mark(&w->tokens[i], "(")) {
            return 0;
        }
    }
    return 0;
}

static size_t loose_end(struct code_walk *w, size_t from, size_t to)
{
    size_t i = from;

    while (i < to) {
        const struct code_token *t = &w->tokens[i];

        if (i > from && (t->kind == TOKEN_DEFINE || t->kind == TOKEN_ASSEMBLY || t->kind == TOKEN_LABEL)) {
            return i;
        }
        if (is_mark(t, ";")) {
            return i + 1;
        }
        if (is_mark(t, "{")) {
            i = code_skip_bracket(w, i, to);
            if (i < to && w->tokens[i].kind == TOKEN_MARK && !w->tokens[i].first &&
                strchr("<>|&+-*.^/", w->tokens[i].text[0]) != NULL) {
                continue; /* uint64_t{1} << 31 */
            }
            if (i >= to ||
                (!is_mark(&w->tokens[i], ";") && !is_mark(&w->tokens[i], "while") && !is_mark(&w->tokens[i], "else") &&
                 !is_mark(&w->tokens[i], ",") && !is_mark(&w->tokens[i], "="))) {
                return i;
            }
            continue;
        }
        i = is_mark(t, "(") || is_mark(t, "[") ? code_skip_bracket(w, i, to) : i + 1;
    }
    return to;
}

static bool is_constant(const struct code_walk *w, size_t from)
{
    static const char *const words[] = {"static", "const", "typedef", "struct",   "extern",
                                        "union",  "using", "use",     "constexpr", "register", "inline"};

    if (w->tokens[from].kind != TOKEN_NAME) {
        return false;
    }
    if (code_token_is(&w->tokens[from], "pub")) {
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (code_token_is(&w->tokens[from], words[i])) {
            return true;
        }
    }
    return false;
}

/* Returns true if the tokens from @from to @to declare a function with attributes: void f(void) __attribute__((x)); */
static bool is_attributed(const struct code_walk *w, size_t from, size_t to)
{
    size_t i = from;

    while (i < to && w->tokens[i].kind == TOKEN_NAME) {
        i++;
    }
    if (i < from + 2 || i >= to || !is_mark(&w->tokens[i], "(")) {
        return false;
    }
    i = code_skip_bracket(w, i, to);
    return i < to && w->tokens[i].kind == TOKEN_NAME && code_token_is(&w->tokens[i], "__attribute__");
}

/* Adds loose statements, which are joined to those before them. */
static void add_loose(struct code_walk *w, size_t from, size_t to)
{
    const bool constants = is_constant(w, from);
    struct code_definition *d = w->definition_count != 0 ? &w->definitions[w->definition_count - 1] : NULL;

    if (d != NULL && d->loose && d->body.to == from && d->constants == (constants || w->class != 0)) {
        d->body.to = to;
        return;
    }
    d = code_add_definition(w, NULL);
    d->loose = true;
    d->constants = constants || w->class != 0;
    d->class = w->class;
    d->body = (struct code_range){from, to};
    d->rank = 1;
}

static void collect(struct code_walk *w, size_t from, size_t to, unsigned depth);

/* Takes "template <unsigned N>", and returns the index after it. */
static size_t take_template(struct code_walk *w, size_t at, size_t to)
{
    unsigned depth = 0;

    for (size_t i = at + 1; i < to && i < at + 40; i++) {
        depth += is_mark(&w->tokens[i], "<");
        if (is_mark(&w->tokens[i], ">") && --depth == 0) {
            w->placeholders = (struct code_range){at + 2, i};
            return i + 1;
        }
        if (depth == 0) {
            return 0;
        }
    }
    return 0;
}

/* Declares the objects after the "}" of a class: struct A { } a, b; */
static void declare_objects(struct code_walk *w, size_t at, size_t to, uint64_t class)
{
    while (at < to && (w->tokens[at].kind == TOKEN_NAME || is_mark(&w->tokens[at], ","))) {
        if (w->tokens[at].kind == TOKEN_NAME) {
            code_make_variable(w, code_hash(CODE_HASH, w->tokens[at].text, w->tokens[at].length))->class = class;
        }
        at++;
    }
}

/* Returns true if a structure or a class is declared from @at to @open, where its "{" is. */
static bool is_structure(const struct code_walk *w, size_t at, size_t open)
{
    for (size_t i = at; i < open; i++) {
        if (is_mark(&w->tokens[i], "struct") || is_mark(&w->tokens[i], "class") || is_mark(&w->tokens[i], "union")) {
            return true;
        }
    }
    return false;
}

/* Returns true if the tokens from @from to @to have a function, or constants: more than plain members. */
static bool has_brace(const struct code_walk *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (is_mark(&w->tokens[i], "{") || is_mark(&w->tokens[i], "=") || is_mark(&w->tokens[i], "fn")) {
            return true;
        }
    }
    return false;
}

/* Collects the members of a class, a module or the like at @at, of which the "{" is at @open. */
static size_t collect_members(struct code_walk *w, size_t at, size_t open, size_t to, unsigned depth)
{
    const size_t close = code_skip_bracket(w, open, to);
    const uint64_t class = w->class, owner = w->owner;
    const struct code_token *name = NULL;
    struct code_range special = {0, 0};
    bool has_body = true;

    for (size_t i = at + 1; i < open; i++) { /* struct Reg<0> : Base {, impl Trait for Reg { */
        const struct code_token *t = &w->tokens[i];

        if (is_mark(t, ":")) {
            break;
        }
        if (is_mark(t, "for")) {
            name = NULL;
            special = (struct code_range){0, 0};
        } else if (is_mark(t, "<")) {
            size_t end = i;

            while (end < open && !is_mark(&w->tokens[end], ">")) {
                end++;
            }
            if (name != NULL) {
                special = (struct code_range){i + 1, end};
            }
            i = end;
        } else if (t->kind == TOKEN_NAME && (name == NULL || code_token_is(name, "final") || is_mark(t, "struct"))) {
            name = is_mark(t, "struct") || is_mark(t, "final") || is_mark(t, "unsafe") ? name : t;
        }
    }
    if (name != NULL && !is_mark(&w->tokens[at], "extern") && !is_mark(&w->tokens[at], "bitflags") &&
        !is_mark(&w->tokens[at], "namespace")) {
        w->class = code_class(w, name, is_mark(&w->tokens[at], "impl") ? (struct code_range){0, 0} : special);
        w->owner = code_class(w, name, (struct code_range){0, 0});
    }
    if (is_structure(w, at, open)) {
        code_take_structure(w, open + 1, close > open + 1 ? close - 1 : close);
        has_body = has_brace(w, open + 1, close > open + 1 ? close - 1 : close);
    }
    if (has_body) {
        collect(w, open + 1, close > open + 1 ? close - 1 : close, depth + 1);
    }
    if (is_mark(&w->tokens[at], "struct") || is_mark(&w->tokens[at], "class")) {
        declare_objects(w, close, to, w->class);
    }
    w->class = class;
    w->owner = owner;
    return close;
}

/* Returns the index after marks, attributes and "public:" at @at, which begin nothing; @at if there are none. */
static size_t skip_marks(const struct code_walk *w, size_t at, size_t to)
{
    const struct code_token *t = &w->tokens[at];

    if (is_mark(t, ";") || is_mark(t, "}") || is_mark(t, "{") || t->kind == TOKEN_END || is_mark(t, "#") ||
        is_mark(t, "!")) {
        return at + 1;
    }
    if (is_mark(t, "[")) {
        return code_skip_bracket(w, at, to);
    }
    if ((is_mark(t, "public") || is_mark(t, "private") || is_mark(t, "protected")) && at + 1 < to &&
        is_mark(&w->tokens[at + 1], ":")) {
        return at + 2;
    }
    return at;
}

static void collect(struct code_walk *w, size_t from, size_t to, unsigned depth)
{
    const struct code_range placeholders = depth != 0 ? w->placeholders : (struct code_range){0, 0};

    for (size_t i = from; i < to && code_spend(w, 1);) {
        const struct code_token *t = &w->tokens[i];
        size_t next;

        if (t->kind == TOKEN_DEFINE) {
            i = code_take_define(w, i);
            continue;
        }
        if (t->kind == TOKEN_ASSEMBLY || t->kind == TOKEN_LABEL) {
            i = code_take_assembly(w, i, to);
            continue;
        }
        next = skip_marks(w, i, to);
        if (next > i) {
            i = next;
            continue;
        }
        if ((is_mark(t, "enum") || (is_mark(t, "typedef") && i + 1 < to && is_mark(&w->tokens[i + 1], "enum"))) &&
            (next = find_open(w, i, to)) != 0) {
            code_take_enum(w, next + 1, code_skip_bracket(w, next, to) - 1);
            i = code_skip_bracket(w, next, to);
            continue;
        }
        next = code_take_container(w, i, to);
        if (next > i) {
            i = next;
            continue;
        }
        next = is_mark(t, "template") ? take_template(w, i, to) : 0;
        if (next > i) {
            i = next;
            continue;
        }
        next = code_take_function(w, i, to);
        if (next > i) {
            w->placeholders = placeholders;
            i = next;
            continue;
        }
        if ((is_mark(t, "class") || is_mark(t, "impl") || is_mark(t, "mod") || is_mark(t, "namespace") ||
             is_mark(t, "extern") || is_mark(t, "trait") || is_mark(t, "struct") || is_mark(t, "pub") ||
             is_mark(t, "bitflags") || is_mark(t, "typedef")) &&
            depth < 8 && (next = find_open(w, i, to)) != 0) {
            i = collect_members(w, i, next, to, depth);
            w->placeholders = placeholders;
            continue;
        }
        w->placeholders = placeholders;
        next = loose_end(w, i, to);
        if (!is_attributed(w, i, next)) {
            add_loose(w, i, next > i ? next : i + 1);
        }
        i = next > i ? next : i + 1;
    }
}

static void index_one(struct code_walk *w, size_t i, uint64_t hash)
{
    size_t slot = (size_t)hash & (w->index_size - 1);

    if (hash == 0) {
        return;
    }
    while (w->index[slot] != 0) {
        struct code_definition *d = &w->definitions[w->index[slot] - 1];

        if (d->hash == hash || d->qualified == hash) {
            d->again |= d->macro && w->definitions[i].macro;
            d->ambiguous |= d->hash == hash && d->qualified != w->definitions[i].qualified && !d->macro &&
                            w->definitions[i].qualified != 0;
            return;
        }
        slot = (slot + 1) & (w->index_size - 1);
    }
    w->index[slot] = (uint32_t)i + 1;
}

/* Makes the index of definitions by name. */
static void make_index(struct code_walk *w)
{
    w->index_size = 16;
    while (w->index_size < 4 * w->definition_count + 1) {
        w->index_size *= 2;
    }
    w->index = cli_allocate(NULL, w->index_size, sizeof *w->index);
    memset(w->index, 0, w->index_size * sizeof *w->index);
    for (size_t i = 0; i < w->definition_count; i++) {
        index_one(w, i, w->definitions[i].hash);
        index_one(w, i, w->definitions[i].qualified);
    }
}

/* Returns the last macro with the name of @first that is defined before the use at @site: X may be defined again. */
static struct code_definition *last_defined(struct code_walk *w, struct code_definition *first,
                                            const struct code_token *site)
{
    struct code_definition *last = first;

    for (size_t i = 0; i < w->definition_count && code_spend(w, 1); i++) {
        struct code_definition *d = &w->definitions[i];

        if (d->macro && d->hash == first->hash && d->name > last->name && d->name < site) {
            last = d;
        }
    }
    return last;
}

struct code_definition *code_find_definition(struct code_walk *w, const struct code_token *token)
{
    struct code_definition *d;

    if (token->kind != TOKEN_NAME && token->kind != TOKEN_LABEL) {
        return NULL;
    }
    d = code_find_hash(w, code_hash(CODE_HASH, token->text, token->length));
    return d != NULL && d->again && w->tokens == w->lexed->tokens
               ? last_defined(w, d, w->site != NULL ? w->site : token)
               : d;
}

/* Collects the macros that are defined within functions. */
static void take_inner_macros(struct code_walk *w)
{
    const size_t count = w->definition_count;

    for (size_t d = 0; d < count; d++) {
        const struct code_range body = w->definitions[d].body;

        for (size_t i = body.from; i < body.to && !w->definitions[d].macro; i++) {
            if (w->tokens[i].kind == TOKEN_DEFINE) {
                code_take_define(w, i);
            }
        }
    }
}

void code_collect(struct code_walk *w)
{
    code_add_function(w, NULL, false);
    collect(w, 0, w->count, 0);
    take_inner_macros(w);
    make_index(w);
    code_take_layouts(w);
    for (size_t i = 0; i < w->count; i++) {
        if (w->tokens[i].kind == TOKEN_ASSEMBLY) {
            code_take_symbol(w, &w->tokens[i]);
        }
    }
}
