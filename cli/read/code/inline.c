/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads inline assembly: asm volatile("..." : outputs : inputs), asm!("...", in(reg) x), __asm { ... }. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>

#include "internal.h"

/* The instructions of an asm statement, and where each piece of them is. */
struct template
{
    char text[4096];
    size_t length;
    struct {
        size_t at;
        const struct code_token *token;
    } pieces[64];
    unsigned piece_count;
};

static void append(struct template *t, const char *text, size_t length, const struct code_token *token)
{
    if (t->piece_count < 64) {
        t->pieces[t->piece_count].at = t->length;
        t->pieces[t->piece_count++].token = token;
    }
    for (size_t i = 0; i < length && t->length + 2 < sizeof t->text; i++) {
        char c = text[i];

        if (c == '\\' && i + 1 < length) {
            c = text[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        t->text[t->length++] = c;
    }
}

/* Appends the string of macro @d to the template, or the name that it stands for. */
static void append_name(struct code_walk *w, struct template *t, const struct code_token *token, unsigned depth)
{
    const struct code_token *name = code_resolve(w, token);
    struct code_definition *d = depth < 4 ? code_find_definition(w, name) : NULL;

    if (d != NULL && d->macro && !d->with_parameters) {
        for (size_t i = d->body.from; i < d->body.to; i++) {
            const struct code_token *body = &w->lexed->tokens[i];

            if (body->kind == TOKEN_STRING) {
                append(t, body->text + 1, body->length >= 2 ? body->length - 2 : 0, token);
            } else if (body->kind == TOKEN_NAME) {
                append_name(w, t, body, depth + 1);
            } else {
                append(t, body->text, body->length, token);
            }
        }
        return;
    }
    if (name->kind == TOKEN_STRING) {
        append(t, name->text + 1, name->length >= 2 ? name->length - 2 : 0, token);
    } else {
        append(t, name->text, name->length, token);
    }
}

/* Returns true if the token is a macro that makes a string of its argument. */
static bool is_stringify(const struct code_token *t)
{
    static const char *const names[] = {"__stringify", "STRINGIFY", "XSTR",  "STR",   "xstr", "str",
                                        "stringify",   "_STR",      "__STR", "XSTRING", "STRINGIZE", "_XSTR",
                                        "__STRING",    "_STRINGIFY", "xstringify", "TOSTRING", "STRING"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (code_token_is(t, names[i])) {
            return true;
        }
    }
    return false;
}

/* Takes the strings of the template up to ":" or ")" or, in Rust, all strings that arguments are. */
static void take_template(struct code_walk *w, struct template *t, bool rust)
{
    while (w->at < w->end && !code_at(w, ":") && !code_at(w, "::") && !code_at(w, ")") && code_spend(w, 1)) {
        const struct code_token *token = &w->tokens[w->at];

        if (rust && token->kind == TOKEN_NAME) {
            break;
        }
        if (token->kind == TOKEN_STRING) {
            append(t, token->text + 1, token->length >= 2 ? token->length - 2 : 0, token);
            if (token->text[0] == '\\') { /* of Zig: a line */
                append(t, "\n", 1, token);
            }
        } else if (token->kind == TOKEN_NAME) {
            if (is_stringify(token) && w->at + 1 < w->end && code_token_is(token + 1, "(")) {
                const size_t after = code_skip_bracket(w, w->at + 1, w->end);

                for (size_t i = w->at + 2; i + 1 < after; i++) {
                    append_name(w, t, &w->tokens[i], 0);
                }
                w->at = after;
                continue;
            }
            append_name(w, t, token, 0);
        } else if (code_at(w, ",")) {
            append(t, "\n", 1, token);
        }
        w->at++;
    }
}

static struct code_operand *add_operand(struct code_operands_list *list)
{
    static struct code_operand spare;
    struct code_operand *o = list->count < 16 ? &list->list[list->count++] : &spare;

    memset(o, 0, sizeof *o);
    return o;
}

static void name_operand(struct code_operand *o, const struct code_token *t)
{
    const size_t length = t->length < sizeof o->name ? t->length : sizeof o->name - 1;

    memcpy(o->name, t->text, length);
    o->name[length] = '\0';
}

/* Takes GCC's operands: [name] "=r" (x), ... up to ":" or the end. */
static void take_operands(struct code_walk *w, struct code_operands_list *list, bool output)
{
    while (w->at < w->end && !code_at(w, ":") && !code_at(w, "::") && !code_at(w, ")") && code_spend(w, 1)) {
        const struct code_token *constraint;
        struct code_operand *o;
        struct code_term term;
        size_t after;
        const struct code_token *name = NULL;

        if (code_take(w, "[")) {
            name = &w->tokens[w->at++];
            code_take(w, "]");
        }
        constraint = &w->tokens[w->at];
        if (w->at >= w->end || constraint->kind != TOKEN_STRING) {
            w->at++;
            continue;
        }
        w->at++;
        if (!code_at(w, "(")) {
            continue;
        }
        after = code_skip_bracket(w, w->at, w->end);
        term = code_evaluate(w, (struct code_range){w->at + 1, after > w->at + 1 ? after - 1 : after});
        o = add_operand(list);
        if (name != NULL) {
            name_operand(o, name);
        }
        o->output = output;
        o->constant = constraint->length == 3 && strchr("in", constraint->text[1]) != NULL;
        o->result = output && is_mark(&w->tokens[w->at + 1], "->");
        o->place = term.place;
        o->value = output && memchr(constraint->text, '+', constraint->length) == NULL ? code_unknown()
                                                                                       : code_value_of(w, &term);
        if (!output && constraint->length >= 3 && isdigit((unsigned char)constraint->text[1]) &&
            (unsigned)(constraint->text[1] - '0') < list->count) {
            list->list[constraint->text[1] - '0'].value = o->value; /* "0": the register of operand 0 */
        }
        w->at = after;
        code_take(w, ",");
    }
}

/* Moves the cursor to the "," , "=>" or ")" after an expression. */
static void skip_expression(struct code_walk *w)
{
    size_t depth = 0;

    while (w->at < w->end && !(depth == 0 && (code_at(w, ",") || code_at(w, "=>") || code_at(w, ")")))) {
        const struct code_token *t = &w->tokens[w->at];

        if (t->kind == TOKEN_MARK && t->length == 1) {
            depth += strchr("([{", t->text[0]) != NULL;
            depth -= depth != 0 && strchr(")]}", t->text[0]) != NULL;
        }
        w->at++;
    }
}

/* Takes one argument of asm!: in(reg) x, out("x0") y, name = in(reg) x, options(...). */
static void take_rust_operand(struct code_walk *w, struct code_operands_list *list)
{
    const struct code_token *name = NULL, *direction;
    struct code_operand *o;
    struct code_term term = {0};
    size_t from;
    const struct code_token *fixed = NULL;

    if (w->at + 1 < w->end && code_token_is(&w->tokens[w->at + 1], "=")) {
        name = &w->tokens[w->at];
        w->at += 2;
    }
    if (w->at + 1 >= w->end) {
        w->at = w->end;
        return;
    }
    direction = &w->tokens[w->at];
    w->at++;
    if (code_at(w, "(")) {
        const size_t after = code_skip_bracket(w, w->at, w->end);

        fixed = w->at + 1 < w->end ? &w->tokens[w->at + 1] : NULL;
        for (size_t i = w->at; i < after && code_token_is(direction, "options"); i++) {
            list->not_volatile |= code_token_is(&w->tokens[i], "pure");
        }
        w->at = after;
    }
    from = w->at;
    skip_expression(w);
    if (direction->kind != TOKEN_NAME || code_token_is(direction, "options") ||
        code_token_is(direction, "clobber_abi") || w->at == from) {
        return;
    }
    term = code_evaluate(w, (struct code_range){from, w->at});
    if (code_take(w, "=>")) {
        from = w->at;
        while (w->at < w->end && !code_at(w, ",") && !code_at(w, ")")) {
            w->at++;
        }
        code_value_of(w, &term);
        term.place = code_evaluate(w, (struct code_range){from, w->at}).place;
    }
    o = add_operand(list);
    if (name != NULL) {
        name_operand(o, name);
    } else if (fixed != NULL && fixed->kind == TOKEN_STRING && fixed->length > 2) {
        memcpy(o->name, fixed->text + 1, fixed->length - 2 < 31 ? fixed->length - 2 : 31);
    }
    o->output = memmem(direction->text, direction->length, "out", 3) != NULL;
    o->constant = code_token_is(direction, "const");
    o->place = term.place;
    o->value = memmem(direction->text, direction->length, "in", 2) != NULL || code_token_is(direction, "const") ||
                       code_token_is(direction, "sym")
                   ? code_value_of(w, &term)
                   : code_unknown();
}

/*
 * Finds the operand that "%c1", "%1", "%[crm]" or, in Rust, "{crm}" at @p means, if it is a constant that is known.
 * Returns the characters that it has, 0 if there is none.
 */
static size_t find_constant(const char *p, const char *end, const struct code_operands_list *list, uint64_t *value)
{
    const char open = list->rust ? '{' : '[', close = list->rust ? '}' : ']';
    const char *q = p + !list->rust;
    const char *name;

    q += !list->rust && q < end && *q == 'c';
    name = q < end && *q == open ? q + 1 : q;
    for (q = name; q < end && code_is_word(*q);) {
        q++;
    }
    if (q == name || (name[-1] == open && (q == end || *q != close)) || (list->rust && name[-1] != open)) {
        return 0;
    }
    for (unsigned i = 0; i < list->count; i++) {
        const struct code_operand *o = &list->list[i];
        const bool numbered = q == name + 1 && isdigit((unsigned char)*name) && (unsigned)(*name - '0') == i;
        const bool named = strlen(o->name) == (size_t)(q - name) && memcmp(o->name, name, (size_t)(q - name)) == 0;

        if (o->constant && code_is_known(&o->value) && (numbered || named)) {
            *value = o->value.bits;
            return (size_t)(q + (name[-1] == open) - p);
        }
    }
    return 0;
}

/* Executes the instruction at @text with the numbers of constant operands in their places: "c%c1" is c12. */
static void execute_piece(struct code_walk *w, const char *text, size_t length, const struct code_token *token,
                          struct code_operands_list *list)
{
    char made[256];
    const char *const end = text + length;
    const char mark = list->rust ? '{' : '%';
    size_t n = 0;
    bool any = false;

    for (const char *p = text; p < end && n + 24 < sizeof made;) {
        uint64_t value = 0;
        const size_t used = *p == mark ? find_constant(p, end, list, &value) : 0;

        if (used != 0) {
            n += (size_t)snprintf(made + n, sizeof made - n, "%llu", (unsigned long long)value);
            any = true;
        } else {
            made[n++] = *p;
        }
        p += used != 0 ? used : 1;
    }
    code_execute(w, any ? made : text, any ? n : length, token, list);
}

/* Executes the template piece by piece, so that each step has its line. */
static void execute(struct code_walk *w, struct template *t, struct code_operands_list *list)
{
    size_t from = 0;

    while (from < t->length) {
        size_t to = from;
        unsigned piece = 0;

        while (to < t->length && t->text[to] != '\n' && t->text[to] != ';') {
            to++;
        }
        while (from < to && isspace((unsigned char)t->text[from])) {
            from++;
        }
        while (piece + 1 < t->piece_count && t->pieces[piece + 1].at <= from) {
            piece++;
        }
        if (to > from && t->piece_count != 0) {
            execute_piece(w, t->text + from, to - from, t->pieces[piece].token, list);
        }
        from = to + 1;
    }
}

/* Takes the operands after the template, to the end of the statement. */
static void take_all_operands(struct code_walk *w, struct code_operands_list *list, bool is_volatile)
{
    if (list->rust) {
        while (w->at < w->end && !code_at(w, ")") && code_spend(w, 1)) {
            if (!code_take(w, ",")) {
                take_rust_operand(w, list);
            }
        }
    } else {
        bool outputs = true;

        if (code_take(w, "::")) {
            outputs = false;
        } else {
            code_take(w, ":");
        }
        take_operands(w, list, outputs);
        if (outputs && (code_take(w, ":") || code_take(w, "::"))) {
            take_operands(w, list, false);
        }
        list->not_volatile = !is_volatile && list->count != 0 && list->list[0].output;
    }
}

/* Stores the outputs in their places. */
static void store_outputs(struct code_walk *w, struct code_operands_list *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        if (list->list[i].output && list->list[i].written) {
            code_store(w, &list->list[i].place, list->list[i].value);
        } else if (list->list[i].output) {
            code_store(w, &list->list[i].place, code_unknown());
        }
    }
}

struct code_value code_inline(struct code_walk *w)
{
    struct template t = {.length = 0};
    struct code_operands_list list = {.count = 0};
    const uint16_t flags = w->flags;
    bool is_volatile = false;
    size_t close, end = w->end;
    const size_t steps = w->code->step_count;
    struct code_value result = code_unknown();

    if (w->tokens != w->lexed->tokens) {
        return code_unknown();
    }
    list.rust = w->at + 1 < w->end && code_token_is(&w->tokens[w->at + 1], "!");
    w->at++;
    while (w->at < w->end && (w->tokens[w->at].kind == TOKEN_NAME || code_at(w, "!"))) {
        is_volatile |= memmem(w->tokens[w->at].text, w->tokens[w->at].length, "volatile", 8) != NULL;
        w->at++;
    }
    if (code_at(w, "{")) { /* __asm { MRS x0, ... } */
        close = code_skip_bracket(w, w->at, w->end);
        code_statements(w, w->at + 1, close > w->at + 1 ? close - 1 : close);
        w->at = close;
        return code_unknown();
    }
    if (!code_at(w, "(") && !code_at(w, "[")) {
        return code_unknown();
    }
    close = code_skip_bracket(w, w->at, w->end);
    w->end = close;
    w->at++;
    take_template(w, &t, list.rust);
    take_all_operands(w, &list, is_volatile);
    w->at = close;
    w->end = end;
    w->flags |= CODE_INLINE | (list.not_volatile ? CODE_NOT_VOLATILE : 0);
    execute(w, &t, &list);
    w->flags = flags;
    store_outputs(w, &list);
    for (unsigned i = 0; i < list.count; i++) {
        result = list.list[i].result && list.list[i].written ? list.list[i].value : result;
    }
    if (w->code->step_count == steps) {
        code_step_add(w, CODE_WORK, &w->tokens[close - 1])->flags |= CODE_STATEMENT;
    }
    return result;
}
