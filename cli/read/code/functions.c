/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the functions and macros of a text. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "internal.h"

struct code_definition *code_add_definition(struct code_walk *w, const struct code_token *name)
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
    d->placeholders = w->placeholders;
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
        if (is_mark(t, "comptime") || is_mark(t, "noalias")) {
            continue; /* of Zig */
        }
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

/*
 * Finds the register that a macro means whose name only says that it is a counter, or a counter's type, and whose body
 * is the encoding @is: REG_EVCNT0.  Returns false if the name and the encoding agree.
 */
static bool means_other_half(const struct code_token *name, const struct code_name *is, struct code_name *meant)
{
    static const struct {
        enum code_register type, counter;
    } pairs[] = {{CODE_PMEVTYPER, CODE_PMEVCNTR}, {CODE_PMXEVTYPER, CODE_PMXEVCNTR}, {CODE_PMCCFILTR, CODE_PMCCNTR}};
    char text[64];

    snprintf(text, sizeof text, "%.*s", (int)name->length, name->text);
    const bool type = strcasestr(text, "TYPE") != NULL || strcasestr(text, "FILT") != NULL;
    const bool counter = !type && strcasestr(text, "CNTEN") == NULL &&
                         (strcasestr(text, "EVCNT") != NULL || strcasestr(text, "CCNT") != NULL ||
                          strcasestr(text, "CYCCNT") != NULL || strcasestr(text, "COUNTER") != NULL);

    *meant = *is;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if ((counter && is->reg == pairs[i].type) || (type && is->reg == pairs[i].counter)) {
            meant->reg = counter ? pairs[i].counter : pairs[i].type;
            return true;
        }
    }
    return false;
}

/* Notes a macro with the name of one register of the PMU, whose body is the encoding of another. */
static void note_misnomer(struct code_walk *w, const struct code_definition *d)
{
    struct code *c = w->code;
    struct code_name meant, is;
    const struct code_token *body = d->body.to == d->body.from + 1 ? &w->tokens[d->body.from] : NULL;

    if (body == NULL || d->with_parameters || c->misnomer_count == sizeof c->misnomers / sizeof c->misnomers[0] ||
        !code_find_register(body->text, body->length, &is)) {
        return;
    }
    if (!code_find_register(d->name->text, d->name->length, &meant) && !means_other_half(d->name, &is, &meant)) {
        return;
    }
    if (!code_is_pmu(meant.reg) || meant.reg == is.reg || meant.reg >= CODE_DEMCR ||
        (!code_is_pmu(is.reg) && is.reg != CODE_UNKNOWN)) {
        return;
    }
    c->misnomers[c->misnomer_count++] = (struct code_misnomer){d->name->line, meant.reg, is.reg};
}

/* Collects the #define or .equ at @at, and returns the index after it. */
size_t code_take_define(struct code_walk *w, size_t at)
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
        d = code_add_definition(w, name);
        d->macro = true;
        d->with_parameters = with_parameters;
        if (with_parameters) {
            take_parameters(w, d, body + 1, close - 1, false);
        }
        d->body = (struct code_range){close, end};
        note_misnomer(w, d);
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
        if (code_name_has(name, others[i])) {
            return false;
        }
    }
    return code_name_has(name, "isr") || code_name_has(name, "handler") || code_name_has(name, "_irq") ||
           code_name_has(name, "interrupt") || code_name_has(name, "overflow_cb") ||
           code_name_has(name, "on_overflow") || code_name_has(name, "irqhandler") ||
           code_name_has(name, "fiq");
}

uint16_t code_add_function(struct code_walk *w, const struct code_token *name, bool is_function)
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

/* Returns true if the function of which the name is token @name returns a reference: "T& f()", "auto f() -> T&". */
static bool returns_reference(const struct code_walk *w, size_t name, size_t close, size_t body)
{
    bool arrow = false;

    for (size_t i = close; i < body && !arrow; i++) {
        arrow = is_mark(&w->tokens[i], "->");
    }
    return is_mark(&w->tokens[arrow ? body - 1 : name - (name != 0)], "&");
}

/* Returns true if an attribute or a keyword from @from to @to says that the function handles an interrupt. */
static bool is_marked_handler(const struct code_walk *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_NAME && (code_token_is(t, "interrupt") || code_token_is(t, "__irq") ||
                                      code_token_is(t, "__interrupt") || code_token_is(t, "__fiq"))) {
            return true;
        }
    }
    return false;
}

/*
 * Returns true if the function whose body is @body takes an interrupt from the GIC: it reads ICC_IAR1_EL1, GICC_IAR or
 * ICC_IAR0_EL1, by a name or by the encoding.
 */
static bool takes_interrupt(const struct code_walk *w, struct code_range body)
{
    static const char *const words[] = {"icc_iar", "gicc_iar", "s3_0_c12_c12_0", "s3_0_c12_c8_0", "iccicr_iar",
                                        "icciar"};

    for (size_t i = body.from; i < body.to; i++) {
        const struct code_token *t = &w->tokens[i];

        for (size_t k = 0; k < sizeof words / sizeof words[0] && t->kind != TOKEN_MARK; k++) {
            if (code_name_has(t, words[k])) {
                return true;
            }
        }
    }
    return false;
}

/* Gives a method its names: the class's constructor is "()", its destructor "~". */
static void qualify(struct code_walk *w, struct code_definition *d, size_t at)
{
    const struct code_token *t = d->name;
    uint64_t class = w->class;

    if (at >= 2 && is_mark(&w->tokens[at - 1], "::") && w->tokens[at - 2].kind == TOKEN_NAME) {
        class = code_class(w, &w->tokens[at - 2], (struct code_range){0, 0}); /* void Pmu::start() { } */
    }
    if (class == 0) {
        return;
    }
    w->has_classes = true;
    if (at > 0 && is_mark(&w->tokens[at - 1], "~")) {
        d->qualified = code_qualified(class, "~", 1);
        d->hash = 0;
        d->called = true;
    } else if (code_class(w, t, (struct code_range){0, 0}) == w->owner) {
        d->qualified = code_qualified(class, "()", 2);
        d->rank = 0;
    } else {
        d->qualified = code_qualified(class, t->text, t->length);
    }
    d->class = class;
}

/* Adds the function of which the name is token @at, the parameters begin at @bracket, and the body at @body. */
static size_t add_body(struct code_walk *w, size_t from, size_t at, size_t bracket, size_t body, size_t to)
{
    const struct code_token *t = &w->tokens[at];
    const size_t close = code_skip_bracket(w, bracket, to);
    struct code_definition *d = code_add_definition(w, t);

    take_parameters(w, d, bracket + 1, close - 1, w->code->facts[CODE_HAS_RUST] != 0);
    if (close < body && is_mark(&w->tokens[close], ":")) {
        d->first = (struct code_range){close + 1, body};
    }
    d->body = (struct code_range){body + 1, code_skip_bracket(w, body, to)};
    d->body.to -= d->body.to > d->body.from;
    d->returns = returned_width(w, from, at, close, body);
    d->reference = returns_reference(w, at, close, body);
    d->rank = rank_of(t);
    d->function = code_add_function(w, t, true);
    w->code->functions[d->function].returns = d->returns;
    w->code->functions[d->function].handler |= is_marked_handler(w, from, at) || is_marked_handler(w, close, body);
    w->code->functions[d->function].takes_interrupt = takes_interrupt(w, d->body);
    qualify(w, d, at);
    if (code_token_is(t, "main")) {
        code_note(w, CODE_HAS_MAIN, t->line);
        d->rank = 1;
    }
    return d->body.to + 1;
}

/* Collects "T& operator=(T v) { }" and "operator T() const { }" with "operator" at @at. */
static size_t take_operator(struct code_walk *w, size_t from, size_t at, size_t to)
{
    size_t open = at + 1, body;
    char name[16] = "operator";
    struct code_definition *d;
    size_t after, length = 8;

    while (open < to && open < at + 6 && !is_mark(&w->tokens[open], "(")) {
        const struct code_token *t = &w->tokens[open++];

        if (t->kind == TOKEN_MARK && t->length + length < sizeof name) {
            memcpy(name + length, t->text, t->length);
            length += t->length;
        }
    }
    if (open + 1 < to && is_mark(&w->tokens[open + 1], ")") && open + 2 < to && is_mark(&w->tokens[open + 2], "(")) {
        open += 2; /* operator()(...) */
        memcpy(name + length, "()", 2);
        length += 2;
    }
    body = open < to ? find_body(w, code_skip_bracket(w, open, to), to) : 0;
    if (body == 0) {
        return 0;
    }
    after = add_body(w, from, at, open, body, to);
    d = &w->definitions[w->definition_count - 1];
    d->hash = 0;
    d->called = true;
    if (w->class != 0) {
        d->qualified = code_qualified(w->class, name, length);
        w->has_operators = true;
    }
    return after;
}

/* Returns the index of the bracket of the parameters in "set<0>(...)", with @at the name; 0 if there is none. */
static size_t skip_special(const struct code_walk *w, size_t at, size_t to)
{
    if (!is_mark(&w->tokens[at + 1], "<")) {
        return 0;
    }
    for (size_t i = at + 2; i + 1 < to && i < at + 10; i++) {
        if (is_mark(&w->tokens[i], ">")) {
            return i > at + 2 && is_mark(&w->tokens[i + 1], "(") ? i + 1 : 0;
        }
        if (w->tokens[i].kind == TOKEN_MARK && !is_mark(&w->tokens[i], "::") && !is_mark(&w->tokens[i], ",")) {
            return 0;
        }
    }
    return 0;
}

/* Collects "void set<0>(int v) { }" with the name at @at: a template that is written for these arguments. */
static size_t take_special(struct code_walk *w, size_t from, size_t at, size_t to)
{
    const size_t bracket = skip_special(w, at, to);
    const size_t body = find_body(w, code_skip_bracket(w, bracket, to), to);
    size_t after;

    if (body == 0) {
        return 0;
    }
    after = add_body(w, from, at, bracket, body, to);
    w->definitions[w->definition_count - 1].hash =
        code_class(w, &w->tokens[at], (struct code_range){at + 2, bracket - 1});
    w->definitions[w->definition_count - 1].called = true;
    return after;
}

/* Returns the bracket after the generic parameters of "fn name<T>(", with @at the name; 0 if there is none. */
static size_t skip_generics(const struct code_walk *w, size_t at, size_t to)
{
    size_t end = at + 1;

    while (end < to && end < at + 60 &&
           !(is_mark(&w->tokens[end], ">") && end + 1 < to && is_mark(&w->tokens[end + 1], "("))) {
        end++;
    }
    return end + 1 < to && is_mark(&w->tokens[end], ">") ? end + 1 : 0;
}

/* Collects the function at @from.  Returns the index after it, 0 if there is none. */
size_t code_take_function(struct code_walk *w, size_t from, size_t to)
{
    size_t open = 0; /* the bracket of the parameters, where generic ones come before */

    if (is_mark(&w->tokens[from], "__asm") && from + 2 < to && w->tokens[from + 1].kind == TOKEN_NAME &&
        w->tokens[from + 2].kind != TOKEN_STRING) {
        from++; /* __asm int f(void) { ... }, of armcc */
    }

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
            open = skip_generics(w, i, to);
        }
        if (t->kind == TOKEN_NAME && is_mark(&w->tokens[open == 0 ? i + 1 : open], "(") &&
            !code_token_is(t, "__attribute__") && !code_token_is(t, "inline") &&
            !(code_token_is(t, "cfg") && i > 0 && is_mark(&w->tokens[i - 1], "[")) &&
            !code_token_is(t, "link_section")) {
            const size_t bracket = open == 0 ? i + 1 : open;
            const size_t close = code_skip_bracket(w, bracket, to), body = find_body(w, close, to);

            if (body == 0 || (i == from && !code_token_is(t, "main") && !t->first &&
                              code_class(w, t, (struct code_range){0, 0}) != w->owner)) {
                return 0;
            }
            if (i == from && (contains(t, "for_each") || contains(t, "FOREACH") || contains(t, "asm"))) {
                return 0;
            }
            return add_body(w, from, i, bracket, body, to);
        }
        if (t->kind == TOKEN_NAME && code_token_is(t, "operator")) {
            return take_operator(w, from, i, to);
        }
        if (t->kind == TOKEN_NAME && i > from && skip_special(w, i, to) != 0) {
            return take_special(w, from, i, to);
        }
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Assembly.
 */

/* Returns true for LDM without a condition: "ldmfd sp!, {r4, pc}". */
static bool is_loaded_list(const struct code_token *t)
{
    size_t n = 0;

    while (n < t->length && t->text[n] != ' ' && t->text[n] != '\t') {
        n++;
    }
    return n >= 3 && strncasecmp(t->text, "ldm", 3) == 0 && code_unconditional(t->text, n) == 0;
}

static bool ends_function(const struct code_token *t)
{
    return (t->length >= 3 && strncasecmp(t->text, "ret", 3) == 0) ||
           (t->length >= 4 && strncasecmp(t->text, "eret", 4) == 0) ||
           (t->length >= 5 && strncasecmp(t->text, "bx ", 3) == 0 && memmem(t->text, t->length, "lr", 2) != NULL) ||
           (t->length >= 3 && (strncasecmp(t->text, "pop ", 4) == 0 || is_loaded_list(t)) &&
            memmem(t->text, t->length, "pc", 2) != NULL) ||
           (t->length >= 4 && strncasecmp(t->text, "endp", 4) == 0) ||
           (t->length == 3 && strncasecmp(t->text, "b .", 3) == 0) ||
           (strncasecmp(t->text, "mov", 3) == 0 && memmem(t->text, t->length, "pc, lr", 6) != NULL);
}

/* Returns true if a BL calls what begins at @label. */
static bool is_called(const struct code_walk *w, const struct code_token *label)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct code_token *t = &w->tokens[i];
        const size_t name = t->length - label->length;

        if (t->kind == TOKEN_ASSEMBLY && t->length > label->length + 2 && strncasecmp(t->text, "bl", 2) == 0 &&
            isspace((unsigned char)t->text[name - 1]) && memcmp(t->text + name, label->text, label->length) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the code does not go on from the instruction at @at to the one behind it. */
static bool is_end(const struct code_walk *w, size_t at, size_t to)
{
    const struct code_token *t = &w->tokens[at];

    return t->kind == TOKEN_ASSEMBLY &&
           (ends_function(t) || (t->length > 2 && (t->text[0] | 0x20) == 'b' && isspace((unsigned char)t->text[1]) &&
                                 at + 1 < to && t[1].kind == TOKEN_LABEL && is_called(w, &t[1])));
}

/* Collects the directives before a label, ".global name", and returns the index of the label; @at if none follows. */
static size_t take_directives(struct code_walk *w, size_t at, size_t to)
{
    size_t label = at;

    while (label < to && w->tokens[label].kind == TOKEN_ASSEMBLY && w->tokens[label].text[0] == '.') {
        label++;
    }
    if (label >= to || w->tokens[label].kind != TOKEN_LABEL) {
        return at;
    }
    return label;
}

/* Collects a function of assembly that begins at @begin, and returns the index after it. */
size_t code_take_assembly(struct code_walk *w, size_t begin, size_t to)
{
    const size_t at = take_directives(w, begin, to);
    size_t end = at;
    const bool label = w->tokens[at].kind == TOKEN_LABEL;
    struct code_definition *d;

    while (end < to && (w->tokens[end].kind == TOKEN_ASSEMBLY || w->tokens[end].kind == TOKEN_LABEL)) {
        const bool last = is_end(w, end, to);

        end++;
        end = last ? take_directives(w, end, to) : end;
        if (last && end < to && w->tokens[end].kind == TOKEN_LABEL) {
            break;
        }
    }
    d = code_add_definition(w, &w->tokens[at]);
    d->body = (struct code_range){label ? at + 1 : at, end};
    d->assembly = true;
    d->hash = label ? d->hash : 0;
    d->rank = label && !contains(d->name, "start") ? rank_of(d->name) : 1;
    d->rank = contains(d->name, "_start") ? 0 : d->rank;
    d->function = code_add_function(w, d->name, label);
    w->code->functions[d->function].takes_interrupt = label && takes_interrupt(w, d->body);
    return end;
}
