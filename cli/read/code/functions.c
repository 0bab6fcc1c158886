/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the functions, macros and constants of a text. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "internal.h"

static struct code_definition *add_definition(struct code_walk *w, const struct code_token *name)
{
    struct code_definition *d;

    if (w->definition_count == w->definition_room) {
        w->definition_room = w->definition_room == 0 ? 64 : 2 * w->definition_room;
        w->definitions = cli_allocate(w->definitions, w->definition_room, sizeof *w->definitions);
    }
    d = &w->definitions[w->definition_count++];
    memset(d, 0, sizeof *d);
    d->name = name;
    d->hash = name != NULL ? code_hash(CODE_HASH, name->text, name->length) : 0;
    return d;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Macros.
 */

static void take_parameters(struct code_walk *w, struct code_definition *d, size_t from, size_t to, bool rust)
{
    const struct code_token *name = NULL;
    uint8_t width = 0, is;
    unsigned depth = 0;

    for (size_t i = from; i <= to && i < w->count; i++) {
        const struct code_token *t = &w->tokens[i];

        if (i == to || (depth == 0 && is_mark(t, ","))) {
            if (name != NULL && d->parameter_count < CODE_PARAMETERS && !(code_token_is(name, "void"))) {
                d->widths[d->parameter_count] = width;
                d->parameters[d->parameter_count++] = name;
            }
            name = NULL;
            width = 0;
            continue;
        }
        depth += is_mark(t, "(") || is_mark(t, "[");
        depth -= depth != 0 && (is_mark(t, ")") || is_mark(t, "]"));
        if (t->kind == TOKEN_NAME && !(rust && name != NULL)) {
            if (code_is_type(t, &is)) {
                width = is != 0 ? is : width;
            }
            name = t;
        } else if (t->kind == TOKEN_NAME && rust && code_is_type(t, &is) && is != 0) {
            width = is;
        } else if (is_mark(t, "*")) {
            width = 0;
        }
    }
}

/* Collects the #define or .equ at @at, and returns the index after it. */
static size_t take_define(struct code_walk *w, size_t at)
{
    size_t end = at, body = at + 2;
    struct code_definition *d;

    while (end < w->count && w->tokens[end].kind != TOKEN_END) {
        end++;
    }
    if (body <= end && w->tokens[at + 1].kind == TOKEN_NAME) {
        const struct code_token *name = &w->tokens[at + 1];
        bool with_parameters = false;
        size_t close = body;

        if (body < end && is_mark(&w->tokens[body], "(") && w->tokens[body].text == name->text + name->length) {
            with_parameters = true;
            close = code_skip_bracket(w, body, end);
        }
        d = add_definition(w, name);
        d->macro = true;
        d->with_parameters = with_parameters;
        if (with_parameters) {
            take_parameters(w, d, body + 1, close - 1, false);
        }
        d->body = (struct code_range){close, end};
    }
    return end + 1;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Functions of C, C++ and Rust.
 */

static bool contains(const struct code_token *t, const char *word)
{
    return memmem(t->text, t->length, word, strlen(word)) != NULL;
}

/* Orders functions that nobody calls: set-up first, then the rest, then what reads, stops or handles. */
static uint32_t rank_of(const struct code_token *name)
{
    static const char *const early[] = {"init",  "setup",  "set_up", "start",   "enable", "config",
                                        "begin", "grant",  "boot",   "prepare", "probe",  "Init",
                                        "Start", "Enable", "Config", "Setup",   "arm_"};
    static const char *const late[] = {"stop",   "read",     "end",   "disable", "exit", "handler", "isr",
                                       "irq",    "report",   "get",   "Stop",    "Read", "Disable", "Handler",
                                       "finish", "teardown", "close", "remove",  "dump", "show",    "print"};

    for (size_t i = 0; i < sizeof late / sizeof late[0]; i++) {
        if (contains(name, late[i])) {
            return 2;
        }
    }
    for (size_t i = 0; i < sizeof early / sizeof early[0]; i++) {
        if (contains(name, early[i])) {
            return 0;
        }
    }
    return 1;
}

static bool is_handler(const struct code_token *name)
{
    static const char *const others[] = {"test", "enable", "init", "setup", "request", "start", "install", "register"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (contains(name, others[i])) {
            return false;
        }
    }
    return contains(name, "isr") || contains(name, "handler") || contains(name, "_irq") || contains(name, "Handler") ||
           contains(name, "ISR") || contains(name, "interrupt") || contains(name, "overflow_cb");
}

static uint16_t add_function(struct code_walk *w, const struct code_token *name, bool is_function)
{
    struct code *c = w->code;
    struct code_function *f;

    if ((c->function_count & (c->function_count - 1)) == 0) {
        c->functions =
            cli_allocate(c->functions, c->function_count == 0 ? 1 : 2 * c->function_count, sizeof *c->functions);
    }
    if (c->function_count >= UINT16_MAX) {
        return 0;
    }
    f = &c->functions[c->function_count++];
    *f = (struct code_function){.name = "", .line = name != NULL ? name->line : 0};
    if (name != NULL && is_function) {
        f->name = name->text;
        f->length = name->length;
        f->handler = is_handler(name);
    }
    return (uint16_t)(c->function_count - 1);
}

/* Returns the index of the "{" of a function whose parameters end before @at; 0 if it is no function. */
static size_t find_body(const struct code_walk *w, size_t at, size_t to)
{
    for (size_t i = at; i < to && i < at + 24; i++) {
        const struct code_token *t = &w->tokens[i];

        if (is_mark(t, "{")) {
            return i;
        }
        if (is_mark(t, "(") || is_mark(t, "<")) {
            i = is_mark(t, "(") ? code_skip_bracket(w, i, to) - 1 : i;
        } else if (t->kind != TOKEN_NAME && !is_mark(t, "->") && !is_mark(t, "&") && !is_mark(t, "*") &&
                   !is_mark(t, "::") && !is_mark(t, ">") && !is_mark(t, ",") && !is_mark(t, "!") && !is_mark(t, ")") &&
                   t->kind != TOKEN_NUMBER && !is_mark(t, ":") && !is_mark(t, "[") && !is_mark(t, "]")) {
            return 0;
        }
    }
    return 0;
}

static bool is_control(const struct code_token *t)
{
    static const char *const words[] = {"if",   "for", "while",  "switch", "return",  "match",
                                        "else", "do",  "sizeof", "asm",    "__asm__", "__asm"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (code_token_is(t, words[i])) {
            return true;
        }
    }
    return false;
}

/* Stores the width of what a function returns: the tokens before its name, or after "->". */
static uint8_t returned_width(const struct code_walk *w, size_t from, size_t name, size_t close, size_t body)
{
    uint8_t width = 0, is;

    for (size_t i = close; i < body; i++) {
        if (code_is_type(&w->tokens[i], &is) && is != 0) {
            width = is;
        }
    }
    for (size_t i = from; i < name && width != 64; i++) {
        if (is_mark(&w->tokens[i], "*")) {
            return 0;
        }
        if (code_is_type(&w->tokens[i], &is) && is != 0) {
            width = is > width || width == 0 ? is : width;
        }
    }
    return width;
}

/* Collects the function at @from.  Returns the index after it, 0 if there is none. */
static size_t take_function(struct code_walk *w, size_t from, size_t to)
{
    size_t open = 0; /* the bracket of the parameters, where generic ones come before */

    for (size_t i = from; i + 1 < to && i < from + 24; i++) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_MARK && !is_mark(t, "*") && !is_mark(t, "::") && !is_mark(t, "&") && !is_mark(t, "<") &&
            !is_mark(t, ">") && !is_mark(t, "#") && !is_mark(t, "[") && !is_mark(t, "]") && !is_mark(t, "(") &&
            !is_mark(t, ")") && !is_mark(t, "~") && !is_mark(t, "!") && !is_mark(t, ",")) {
            return 0;
        }
        if (t->kind == TOKEN_ASSEMBLY || t->kind == TOKEN_DEFINE || t->kind == TOKEN_LABEL) {
            return 0;
        }
        if (t->kind == TOKEN_NAME && is_control(t)) {
            return 0;
        }
        if (t->kind == TOKEN_NAME && i > from && is_mark(&w->tokens[i - 1], "fn") && is_mark(&w->tokens[i + 1], "<")) {
            size_t end = i + 1;

            while (end < to && end < i + 60 &&
                   !(is_mark(&w->tokens[end], ">") && end + 1 < to && is_mark(&w->tokens[end + 1], "("))) {
                end++;
            }
            if (end + 1 < to && is_mark(&w->tokens[end], ">")) {
                open = end + 1;
            }
        }
        if (t->kind == TOKEN_NAME && is_mark(&w->tokens[open == 0 ? i + 1 : open], "(") &&
            !code_token_is(t, "__attribute__") && !code_token_is(t, "cfg") && !code_token_is(t, "inline") &&
            !code_token_is(t, "link_section")) {
            const size_t bracket = open == 0 ? i + 1 : open;
            const size_t close = code_skip_bracket(w, bracket, to), body = find_body(w, close, to);
            struct code_definition *d;

            if (body == 0 || (i == from && !code_token_is(t, "main") && !t->first)) {
                return 0;
            }
            if (i == from && (contains(t, "for_each") || contains(t, "FOREACH") || contains(t, "asm"))) {
                return 0;
            }
            d = add_definition(w, t);
            take_parameters(w, d, bracket + 1, close - 1, w->code->facts[CODE_HAS_RUST] != 0);
            d->body = (struct code_range){body + 1, code_skip_bracket(w, body, to)};
            d->body.to -= d->body.to > d->body.from;
            d->returns = returned_width(w, from, i, close, body);
            d->rank = rank_of(t);
            d->function = add_function(w, t, true);
            w->code->functions[d->function].returns = d->returns;
            if (code_token_is(t, "main")) {
                code_note(w, CODE_HAS_MAIN, t->line);
                d->rank = 1;
            }
            return d->body.to + 1;
        }
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Assembly.
 */

static bool ends_function(const struct code_token *t)
{
    return (t->length >= 3 && strncasecmp(t->text, "ret", 3) == 0) ||
           (t->length >= 4 && strncasecmp(t->text, "eret", 4) == 0) ||
           (t->length >= 5 && strncasecmp(t->text, "bx", 2) == 0 && memmem(t->text, t->length, "lr", 2) != NULL) ||
           (t->length >= 3 && strncasecmp(t->text, "pop", 3) == 0 && memmem(t->text, t->length, "pc", 2) != NULL) ||
           (t->length >= 4 && strncasecmp(t->text, "endp", 4) == 0) ||
           (t->length == 3 && strncasecmp(t->text, "b .", 3) == 0) ||
           (strncasecmp(t->text, "mov", 3) == 0 && memmem(t->text, t->length, "pc, lr", 6) != NULL);
}

/* Collects .equ and .set. */
static bool take_equ(struct code_walk *w, size_t at)
{
    const struct code_token *t = &w->tokens[at];
    const char *p, *end = t->text + t->length, *name;
    uint64_t value;
    uint8_t width;
    struct code_variable *v;

    if (t->length < 6 || (strncmp(t->text, ".equ", 4) != 0 && strncmp(t->text, ".set", 4) != 0)) {
        return false;
    }
    for (p = t->text + 4; p < end && (*p == ' ' || *p == '\t'); p++) {
    }
    for (name = p; p < end && *p != ',' && *p != ' '; p++) {
    }
    v = code_make_variable(w, code_hash(CODE_HASH, name, (size_t)(p - name)));
    while (p < end && (*p == ',' || *p == ' ' || *p == '\t')) {
        p++;
    }
    v->value =
        code_number(p, (size_t)(end - p), &value, &width) == (size_t)(end - p) ? code_known(value) : code_unknown();
    return true;
}

/* Collects a function of assembly that begins at @at, and returns the index after it. */
static size_t take_assembly(struct code_walk *w, size_t at, size_t to)
{
    size_t end = at;
    const bool label = w->tokens[at].kind == TOKEN_LABEL;
    struct code_definition *d;

    while (end < to && (w->tokens[end].kind == TOKEN_ASSEMBLY || w->tokens[end].kind == TOKEN_LABEL)) {
        const bool last = w->tokens[end].kind == TOKEN_ASSEMBLY && ends_function(&w->tokens[end]);

        if (w->tokens[end].kind == TOKEN_ASSEMBLY) {
            take_equ(w, end);
        }
        end++;
        if (last && end < to && w->tokens[end].kind == TOKEN_LABEL) {
            break;
        }
    }
    d = add_definition(w, &w->tokens[at]);
    d->body = (struct code_range){label ? at + 1 : at, end};
    d->assembly = true;
    d->hash = label ? d->hash : 0;
    d->rank = label && !contains(d->name, "start") ? rank_of(d->name) : 1;
    d->rank = contains(d->name, "_start") ? 0 : d->rank;
    d->function = add_function(w, d->name, label);
    return end;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The text.
 */

/* Makes constants of the members of an enumeration. */
static void take_enum(struct code_walk *w, size_t from, size_t to)
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
                                        "union",  "using", "use",     "constexpr"};

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

/* Adds loose statements, which are joined to those before them. */
static void add_loose(struct code_walk *w, size_t from, size_t to)
{
    const bool constants = is_constant(w, from);
    struct code_definition *d = w->definition_count != 0 ? &w->definitions[w->definition_count - 1] : NULL;

    if (d != NULL && d->loose && d->body.to == from && d->constants == constants) {
        d->body.to = to;
        return;
    }
    d = add_definition(w, NULL);
    d->loose = true;
    d->constants = constants;
    d->body = (struct code_range){from, to};
    d->rank = 1;
}

static void collect(struct code_walk *w, size_t from, size_t to, unsigned depth)
{
    for (size_t i = from; i < to && code_spend(w, 1);) {
        const struct code_token *t = &w->tokens[i];
        size_t next;

        if (t->kind == TOKEN_DEFINE) {
            i = take_define(w, i);
            continue;
        }
        if (t->kind == TOKEN_ASSEMBLY || t->kind == TOKEN_LABEL) {
            i = take_assembly(w, i, to);
            continue;
        }
        if (is_mark(t, ";") || is_mark(t, "}") || is_mark(t, "{") || t->kind == TOKEN_END || is_mark(t, "#") ||
            is_mark(t, "!")) {
            i++;
            continue;
        }
        if (is_mark(t, "[")) {
            i = code_skip_bracket(w, i, to);
            continue;
        }
        if ((is_mark(t, "enum") || (is_mark(t, "typedef") && i + 1 < to && is_mark(&w->tokens[i + 1], "enum"))) &&
            (next = find_open(w, i, to)) != 0) {
            take_enum(w, next + 1, code_skip_bracket(w, next, to) - 1);
            i = code_skip_bracket(w, next, to);
            continue;
        }
        next = take_function(w, i, to);
        if (next > i) {
            i = next;
            continue;
        }
        if ((is_mark(t, "class") || is_mark(t, "impl") || is_mark(t, "mod") || is_mark(t, "namespace") ||
             is_mark(t, "extern") || is_mark(t, "trait") || is_mark(t, "struct") || is_mark(t, "pub")) &&
            depth < 8 && (next = find_open(w, i, to)) != 0) {
            const size_t close = code_skip_bracket(w, next, to);

            collect(w, next + 1, close > next + 1 ? close - 1 : close, depth + 1);
            i = close;
            continue;
        }
        next = loose_end(w, i, to);
        add_loose(w, i, next > i ? next : i + 1);
        i = next > i ? next : i + 1;
    }
}

/* Makes the index of definitions by name. */
static void make_index(struct code_walk *w)
{
    w->index_size = 16;
    while (w->index_size < 2 * w->definition_count + 1) {
        w->index_size *= 2;
    }
    w->index = cli_allocate(NULL, w->index_size, sizeof *w->index);
    memset(w->index, 0, w->index_size * sizeof *w->index);
    for (size_t i = 0; i < w->definition_count; i++) {
        size_t slot = (size_t)w->definitions[i].hash & (w->index_size - 1);

        if (w->definitions[i].hash == 0) {
            continue;
        }
        while (w->index[slot] != 0 && w->definitions[w->index[slot] - 1].hash != w->definitions[i].hash) {
            slot = (slot + 1) & (w->index_size - 1);
        }
        w->index[slot] = (uint32_t)i + 1;
    }
}

struct code_definition *code_find_definition(struct code_walk *w, const struct code_token *token)
{
    uint64_t hash;
    size_t slot;

    if (w->index == NULL || (token->kind != TOKEN_NAME && token->kind != TOKEN_LABEL)) {
        return NULL;
    }
    hash = code_hash(CODE_HASH, token->text, token->length);
    slot = (size_t)hash & (w->index_size - 1);
    while (w->index[slot] != 0) {
        if (w->definitions[w->index[slot] - 1].hash == hash) {
            return &w->definitions[w->index[slot] - 1];
        }
        slot = (slot + 1) & (w->index_size - 1);
    }
    return NULL;
}

void code_collect(struct code_walk *w)
{
    add_function(w, NULL, false);
    collect(w, 0, w->count, 0);
    make_index(w);
}
