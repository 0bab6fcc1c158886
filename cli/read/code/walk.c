/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes statements: blocks, conditions, loops and declarations. */
#define _GNU_SOURCE
#include "internal.h"

enum { UNROLL = 32 };

static const struct code_token *token_at(const struct code_walk *w, size_t i, size_t to)
{
    return i < to ? &w->tokens[i] : NULL;
}

static bool is_mark(const struct code_token *t, const char *mark)
{
    return t != NULL && (t->kind == TOKEN_MARK || t->kind == TOKEN_NAME) && code_token_is(t, mark);
}

/* Returns the end of the simple statement at @from: the index of its ";", or of what ends it otherwise. */
static size_t statement_end(const struct code_walk *w, size_t from, size_t to)
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

    if (from < to && is_mark(&w->tokens[from], "{")) {
        return code_skip_bracket(w, from, to);
    }
    if (from < to && (is_mark(&w->tokens[from], "if") || is_mark(&w->tokens[from], "for") ||
                      is_mark(&w->tokens[from], "while"))) {
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
    end = statement_end(w, from, to);
    return end < to && is_mark(&w->tokens[end], ";") ? end + 1 : end > from ? end : from + 1;
}

static size_t skip_statement(const struct code_walk *w, size_t from, size_t to)
{
    return skip_nested(w, from, to, 0);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Declarations.
 */

/* Stores the items of "{1, 2, .x = 3}" in the elements of @name. */
static void store_items(struct code_walk *w, uint64_t name, size_t from, size_t to, unsigned depth)
{
    uint64_t n = 0;
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
        } else {
            place.name = code_hash(code_hash(name, "[", 1), (const char *)&n, sizeof n);
        }
        if (from < end) {
            place.token = &w->tokens[from];
            if (is_mark(&w->tokens[from], "{")) {
                store_items(w, place.name, from + 1, code_skip_bracket(w, from, end) - 1, depth + 1);
            } else {
                term = code_evaluate(w, (struct code_range){from, end});
                code_store(w, &place, code_value_of(w, &term));
            }
        }
        n++;
        from = end + 1;
    }
}

/* Takes one declarator, "name[4] = value", and returns what follows. */
static void declarator(struct code_walk *w, uint8_t width, bool pointer)
{
    const struct code_token *t = &w->tokens[w->at];
    const uint64_t hash = code_hash(CODE_HASH, t->text, t->length);
    struct code_variable *v = code_make_variable(w, hash);
    struct code_place place = {.where = WHERE_VARIABLE, .name = hash, .token = t, .width = width};
    struct code_term term;

    v->value = code_unknown();
    v->alias = (struct code_range){0, 0};
    v->place.where = WHERE_NOWHERE;
    v->width = pointer ? 0 : width;
    w->at++;
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
    while (code_at(w, "[")) {
        w->at = code_skip_bracket(w, w->at, w->end);
    }
    if (code_at(w, ":")) { /* Rust: the type */
        for (w->at++; w->at < w->end && !code_at(w, "=") && !code_at(w, ","); w->at++) {
            uint8_t is;

            if (code_is_type(&w->tokens[w->at], &is) && is != 0) {
                code_make_variable(w, hash)->width = is;
            }
        }
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

        store_items(w, hash, w->at + 1, after > w->at + 1 ? after - 1 : after, 0);
        w->at = after;
        return;
    }
    term = code_assignment(w);
    if (pointer && term.value.element == 0 && width != 0) {
        term.value.element = (uint8_t)(width / 8);
    }
    code_value_of(w, &term);
    code_store(w, &place, term.value);
}

/* Returns true if a declaration begins at w->at; skips its type. */
static bool take_type(struct code_walk *w, uint8_t *width, bool *pointer)
{
    size_t i = w->at;
    unsigned names = 0;
    uint8_t is;

    *width = 0;
    *pointer = false;
    while (i < w->end) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_NAME && (code_is_type(t, &is) || code_token_is(t, "let") || code_token_is(t, "const") ||
                                      code_token_is(t, "mut"))) {
            *width = is > *width || is == 0 ? (is != 0 ? is : *width) : *width;
            names++;
        } else if (t->kind == TOKEN_NAME && i + 1 < w->end &&
                   (w->tokens[i + 1].kind == TOKEN_NAME ||
                    (is_mark(&w->tokens[i + 1], "*") && i + 2 < w->end && w->tokens[i + 2].kind == TOKEN_NAME && names == 0 &&
                     (i + 3 >= w->end || is_mark(&w->tokens[i + 3], "=") || is_mark(&w->tokens[i + 3], ","))) ||
                    (is_mark(&w->tokens[i + 1], "::") && names == 0 && i + 3 < w->end &&
                     w->tokens[i + 3].kind == TOKEN_NAME)) &&
                   !code_token_is(t, "asm") && !code_token_is(t, "__asm__") && !code_token_is(t, "__asm") &&
                   !is_mark(&w->tokens[i + 1], "as") && !is_mark(&w->tokens[i + 1], "asm") &&
                   !is_mark(&w->tokens[i + 1], "__asm__") && !is_mark(&w->tokens[i + 1], "__asm")) {
            names++;
            i += is_mark(&w->tokens[i + 1], "::");
        } else if (t->kind == TOKEN_MARK && t->text[0] == '*' && t->length == 1 && names != 0) {
            *pointer = true;
        } else if (t->kind == TOKEN_MARK && t->text[0] == '&' && names != 0) {
            *pointer = true;
        } else {
            break;
        }
        i++;
    }
    if (names == 0 || i >= w->end || (w->tokens[i].kind != TOKEN_NAME && !is_mark(&w->tokens[i], "("))) {
        return false;
    }
    if (is_mark(&w->tokens[i], "(") && !is_mark(&w->tokens[w->at], "let")) {
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
static void simple_statement(struct code_walk *w)
{
    const size_t steps = w->code->step_count;
    const struct code_token *first = &w->tokens[w->at];
    uint8_t width;
    bool pointer;
    const size_t from = w->at;

    if (take_type(w, &width, &pointer)) {
        if (code_at(w, "(")) {
            take_tuple(w);
        } else if (w->at + 1 < w->end && is_mark(&w->tokens[w->at + 1], "(") && w->end - w->at > 2 &&
                   code_skip_bracket(w, w->at + 1, w->end) == w->end && w->at > from &&
                   !is_mark(&w->tokens[w->at - 1], "=")) {
            return; /* the declaration of a function */
        } else {
            do {
                while (code_take(w, "*")) {
                    pointer = true;
                }
                if (w->at < w->end && w->tokens[w->at].kind == TOKEN_NAME) {
                    declarator(w, width, pointer);
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

/* ---------------------------------------------------------------------------------------------------------------
 * Control.
 */

/* Finds the condition of "if (x)" or "if x {" at w->at, and moves behind it. */
static struct code_range condition(struct code_walk *w, size_t *at, size_t to)
{
    struct code_range range;

    if (*at < to && is_mark(&w->tokens[*at], "(")) {
        const size_t after = code_skip_bracket(w, *at, to);

        if (after >= to || is_mark(&w->tokens[after], "{") || w->tokens[after].kind != TOKEN_MARK ||
            is_mark(&w->tokens[after], "*") || is_mark(&w->tokens[after], ";")) {
            range = (struct code_range){*at + 1, after > *at + 1 ? after - 1 : after};
            *at = after;
            return range;
        }
    }
    range.from = *at;
    while (*at < to && !is_mark(&w->tokens[*at], "{") && !is_mark(&w->tokens[*at], ":") &&
           !is_mark(&w->tokens[*at], ";")) {
        *at = is_mark(&w->tokens[*at], "(") ? code_skip_bracket(w, *at, to) : *at + 1;
    }
    range.to = *at;
    return range;
}

static struct code_value evaluate_condition(struct code_walk *w, struct code_range range, uint16_t flags)
{
    const uint16_t before = w->flags;
    struct code_term term;
    struct code_value v;

    if (range.to <= range.from) {
        return code_unknown();
    }
    w->flags |= flags;
    term = code_evaluate(w, range);
    v = code_value_of(w, &term);
    w->flags = before;
    return v;
}

/* Executes the statement from @from to @to with more flags. */
static void body(struct code_walk *w, size_t from, size_t to, uint16_t flags)
{
    const uint16_t before = w->flags;
    const bool returned = w->returned;

    w->flags |= flags;
    code_statements(w, from, to);
    w->flags = before;
    if ((flags & CODE_MAYBE) != 0) {
        w->returned = returned || w->returned;
    }
}

static size_t do_if(struct code_walk *w, size_t at, size_t to)
{
    const struct code_range range = condition(w, &at, to);
    const struct code_value v = evaluate_condition(w, range, 0);
    const size_t yes = at, after = skip_statement(w, at, to);
    size_t end = after, no = to;

    if (after < to && is_mark(&w->tokens[after], "else")) {
        no = after + 1;
        end = skip_statement(w, no, to);
    }
    if (!code_is_known(&v) || v.bits != 0) {
        body(w, yes, after, code_is_known(&v) ? 0 : CODE_MAYBE);
    }
    if (no < to && (!code_is_known(&v) || v.bits == 0)) {
        body(w, no, end, code_is_known(&v) ? 0 : CODE_MAYBE);
    }
    return end;
}

/* Executes "for (a; b; c) body", unrolled if its bounds are known. */
static size_t do_for(struct code_walk *w, size_t at, size_t to)
{
    const size_t open = at, close = code_skip_bracket(w, open, to), from = close, end = skip_statement(w, close, to);
    size_t first, second;
    struct code_value v;

    first = statement_end(w, open + 1, close - 1);
    second = first < close - 1 ? statement_end(w, first + 1, close - 1) : close - 1;
    code_statements(w, open + 1, first);
    if (first >= close - 1) { /* for (auto x : list) */
        body(w, from, end, CODE_IN_LOOP);
        return end;
    }
    for (unsigned i = 0; i < UNROLL && code_spend(w, 8); i++) {
        v = evaluate_condition(w, (struct code_range){first + 1, second}, CODE_POLLED);
        if (code_is_known(&v) && v.bits == 0) {
            break;
        }
        body(w, from, end, code_is_known(&v) && v.read == 0 ? 0 : CODE_IN_LOOP);
        if (second + 1 < close) {
            struct code_term term = code_evaluate(w, (struct code_range){second + 1, close - 1});

            code_value_of(w, &term);
        }
        if (!code_is_known(&v)) {
            break;
        }
    }
    return end;
}

/* Executes "for x in a..b { }" of Rust. */
static size_t do_for_in(struct code_walk *w, size_t at, size_t to)
{
    const struct code_token *name = &w->tokens[at];
    const uint64_t hash = code_hash(CODE_HASH, name->text, name->length);
    size_t range = at, block, end;
    struct code_term first = {0}, last = {0};
    bool known = false;

    while (range < to && !is_mark(&w->tokens[range], "in") && !is_mark(&w->tokens[range], "{")) {
        range++;
    }
    block = range;
    while (block < to && !is_mark(&w->tokens[block], "{")) {
        block++;
    }
    end = code_skip_bracket(w, block, to);
    for (size_t i = range + 1; i + 1 < block; i++) {
        if ((is_mark(&w->tokens[i], ".") && is_mark(&w->tokens[i + 1], ".")) || is_mark(&w->tokens[i], "..=")) {
            first = code_evaluate(w, (struct code_range){range + 1, i});
            last = code_evaluate(w, (struct code_range){i + 1 + is_mark(&w->tokens[i], "."), block});
            last.value.bits += is_mark(&w->tokens[i], "..=");
            known = code_is_known(&first.value) && code_is_known(&last.value) && last.value.bits <= first.value.bits + UNROLL;
            break;
        }
    }
    if (!known) {
        code_make_variable(w, hash)->value = code_unknown();
        body(w, block, end, CODE_IN_LOOP);
        return end;
    }
    for (uint64_t i = first.value.bits; i < last.value.bits && code_spend(w, 8); i++) {
        code_make_variable(w, hash)->value = code_known(i);
        body(w, block, end, 0);
    }
    return end;
}

static size_t do_while(struct code_walk *w, size_t at, size_t to)
{
    const struct code_range range = condition(w, &at, to);
    const size_t end = skip_statement(w, at, to);
    const struct code_value v = evaluate_condition(w, range, CODE_POLLED);

    if (!code_is_known(&v) || v.bits != 0) {
        body(w, at, end, CODE_IN_LOOP);
    }
    return end;
}

static size_t do_do(struct code_walk *w, size_t at, size_t to)
{
    const size_t end = skip_statement(w, at, to);
    size_t next = end;
    bool once = false;

    if (end + 2 < to && is_mark(&w->tokens[end], "while") && is_mark(&w->tokens[end + 1], "(")) {
        struct code_range range;

        once = code_token_is(&w->tokens[end + 2], "0");
        next = end + 1;
        body(w, at, end, once ? 0 : CODE_IN_LOOP);
        range = (struct code_range){next + 1, code_skip_bracket(w, next, to) - 1};
        next = range.to + 1;
        if (!once && range.to > range.from) {
            evaluate_condition(w, range, CODE_POLLED);
        }
        return next < to ? next : to;
    }
    body(w, at, end, CODE_IN_LOOP);
    return next;
}

/* Executes "switch (x) { ... }" and "match x { ... }": all branches, one after the other. */
static size_t do_switch(struct code_walk *w, size_t at, size_t to)
{
    const struct code_range range = condition(w, &at, to);
    const size_t end = skip_statement(w, at, to);

    evaluate_condition(w, range, 0);
    body(w, at, end, CODE_MAYBE);
    return end;
}

static size_t do_return(struct code_walk *w, size_t at, size_t to)
{
    const size_t end = statement_end(w, at, to);
    struct code_place place = {.where = WHERE_VARIABLE, .token = &w->tokens[at < to ? at : to - 1]};

    if (end > at) {
        struct code_term term = code_evaluate(w, (struct code_range){at, end});
        struct code_value v = code_value_of(w, &term);

        place.name = code_hash(CODE_HASH, "\001return", 7);
        if (w->function_returns == 32 || w->function_returns == 64) {
            code_make_variable(w, place.name)->width = w->function_returns;
            code_store(w, &place, v);
            v = code_find_variable(w, place.name)->value;
        }
        w->last = v;
        if (!w->returned) {
            w->result = v;
        }
    }
    w->returned = true;
    return end < to && is_mark(&w->tokens[end], ";") ? end + 1 : end;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Any statement.
 */

/* Skips a #define or an #include. */
static size_t skip_define(const struct code_walk *w, size_t at, size_t to)
{
    while (at < to && w->tokens[at].kind != TOKEN_END) {
        at++;
    }
    return at + 1;
}

/* Executes a statement that begins with a keyword.  Returns the index after it, 0 if it is none. */
static size_t do_keyword(struct code_walk *w, size_t at, size_t to)
{
    const struct code_token *t = &w->tokens[at];

    if (t->kind != TOKEN_NAME) {
        return 0;
    }
    if (code_token_is(t, "if")) {
        return do_if(w, at + 1 + is_mark(token_at(w, at + 1, to), "constexpr"), to);
    }
    if (code_token_is(t, "for") && at + 1 < to) {
        return is_mark(&w->tokens[at + 1], "(") ? do_for(w, at + 1, to) : do_for_in(w, at + 1, to);
    }
    if (code_token_is(t, "while")) {
        return do_while(w, at + 1, to);
    }
    if (code_token_is(t, "do")) {
        return do_do(w, at + 1, to);
    }
    if (code_token_is(t, "loop") && is_mark(token_at(w, at + 1, to), "{")) {
        const size_t end = code_skip_bracket(w, at + 1, to);

        body(w, at + 1, end, CODE_IN_LOOP);
        return end;
    }
    if (code_token_is(t, "switch") || code_token_is(t, "match")) {
        return do_switch(w, at + 1, to);
    }
    if (code_token_is(t, "return")) {
        return do_return(w, at + 1, to);
    }
    if (code_token_is(t, "case") || code_token_is(t, "default")) {
        while (at < to && !is_mark(&w->tokens[at], ":") && !is_mark(&w->tokens[at], ";")) {
            at++;
        }
        return at + 1;
    }
    if (code_token_is(t, "else") || code_token_is(t, "unsafe") || code_token_is(t, "try") || code_token_is(t, "pub")) {
        return at + 1;
    }
    if (code_token_is(t, "break") || code_token_is(t, "continue") || code_token_is(t, "goto") ||
        code_token_is(t, "use") || code_token_is(t, "using") || code_token_is(t, "typedef") ||
        code_token_is(t, "extern") || code_token_is(t, "struct") || code_token_is(t, "enum")) {
        if ((code_token_is(t, "struct") || code_token_is(t, "enum")) && at + 2 < to &&
            w->tokens[at + 2].kind != TOKEN_MARK) {
            return 0;
        }
        return skip_statement(w, at, to);
    }
    return 0;
}

void code_statements(struct code_walk *w, size_t from, size_t to)
{
    const size_t at = w->at, end = w->end;

    if (w->depth > 60) {
        return;
    }
    w->depth++;
    for (size_t i = from; i < to && code_spend(w, 2);) {
        const struct code_token *t = &w->tokens[i];
        size_t next;

        if (t->kind == TOKEN_DEFINE) {
            i = skip_define(w, i, to);
            continue;
        }
        if (t->kind == TOKEN_ASSEMBLY) {
            const char *semicolon = memchr(t->text, ';', t->length);
            const size_t length = semicolon != NULL ? (size_t)(semicolon - t->text) : t->length;

            code_execute(w, t->text, length, t, NULL);
            if (semicolon != NULL) {
                code_execute(w, semicolon + 1, t->length - length - 1, t, NULL);
            }
            i++;
            continue;
        }
        if (t->kind == TOKEN_LABEL || t->kind == TOKEN_END || is_mark(t, ";") || is_mark(t, "}")) {
            i++;
            continue;
        }
        if (is_mark(t, "{")) {
            next = code_skip_bracket(w, i, to);
            code_statements(w, i + 1, next > i + 1 ? next - 1 : next);
            i = next;
            continue;
        }
        if (is_mark(t, "#") || is_mark(t, "[")) {
            i = is_mark(t, "[") ? code_skip_bracket(w, i, to) : i + 1;
            continue;
        }
        next = do_keyword(w, i, to);
        if (next > i) {
            i = next;
            continue;
        }
        next = statement_end(w, i, to);
        w->at = i;
        w->end = next;
        simple_statement(w);
        i = next > i ? next : i + 1;
    }
    w->depth--;
    w->at = at;
    w->end = end;
}
