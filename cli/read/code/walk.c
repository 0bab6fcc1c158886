/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes statements: blocks, conditions and loops. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "internal.h"

enum { UNROLL = 32 };

static const struct code_token *token_at(const struct code_walk *w, size_t i, size_t to)
{
    return i < to ? &w->tokens[i] : NULL;
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

/* Executes the branches of a condition that is not known, the first from @yes to @after, the other from @no to @end. */
static void do_branches(struct code_walk *w, size_t yes, size_t after, size_t no, size_t end)
{
    const size_t count = w->variable_count;
    struct code_value *others = code_save_values(w);
    const bool leaves_yes = code_leaves(w, yes, after), leaves_no = no < end && code_leaves(w, no, end);

    body(w, yes, after, CODE_MAYBE);
    code_exchange_values(w, others, count);
    if (no < end) {
        body(w, no, end, CODE_MAYBE);
    }
    if (leaves_no && !leaves_yes) {
        code_exchange_values(w, others, count);
    } else if (!leaves_yes) {
        code_join_values(w, others, count);
    }
    free(others);
}

static size_t do_if(struct code_walk *w, size_t at, size_t to)
{
    const struct code_range range = condition(w, &at, to);
    const struct code_value v = evaluate_condition(w, range, 0);
    const size_t yes = at, after = code_skip_statement(w, at, to);
    size_t end = after, no = to;

    if (after < to && is_mark(&w->tokens[after], "else")) {
        no = after + 1;
        end = code_skip_statement(w, no, to);
    }
    if (!code_is_known(&v)) {
        do_branches(w, yes, after, no, no < to ? end : no);
    } else if (v.bits != 0) {
        body(w, yes, after, 0);
    } else if (no < to) {
        body(w, no, end, 0);
    }
    return end;
}

/* Executes the body of a loop over the items of an array once for each, if their number is known; otherwise once. */
static void do_items(struct code_walk *w, const struct code_items *items, size_t from, size_t to)
{
    for (uint64_t i = 0; i < items->count && code_spend(w, 8); i++) {
        code_bind_item(w, items, i);
        body(w, from, to, 0);
    }
    if (items->count == 0) {
        code_bind_item(w, items, UINT64_MAX);
        body(w, from, to, CODE_IN_LOOP);
    }
}

/* Executes "for x in a..b { }" and "for (i, x) in list.iter().enumerate() { }" of Rust. */
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
            known = code_is_known(&first.value) && code_is_known(&last.value) &&
                    last.value.bits <= first.value.bits + UNROLL;
            break;
        }
    }
    if (!known) {
        struct code_items items;

        code_find_items(w, (struct code_range){at, range}, (struct code_range){range + 1, block}, &items);
        do_items(w, &items, block, end);
        return end;
    }
    for (uint64_t i = first.value.bits; i < last.value.bits && code_spend(w, 8); i++) {
        code_make_variable(w, hash)->value = code_known(i);
        body(w, block, end, 0);
    }
    return end;
}

/* Executes the statements from @from to @end as long as @condition holds, and @step behind them, which may be empty. */
static void do_turns(struct code_walk *w, struct code_range condition, struct code_range step, size_t from, size_t end)
{
    for (unsigned i = 0; i < UNROLL && code_spend(w, 8); i++) {
        const struct code_value v = evaluate_condition(w, condition, CODE_POLLED);

        if (code_is_known(&v) && v.bits == 0) {
            break;
        }
        body(w, from, end, code_is_known(&v) && v.read == 0 ? 0 : CODE_IN_LOOP);
        if (step.to > step.from) {
            struct code_term term = code_evaluate(w, step);

            code_value_of(w, &term);
        }
        if (!code_is_known(&v)) {
            break;
        }
    }
}

/* Executes "for (a; b; c) body", unrolled if its bounds are known. */
static size_t do_for(struct code_walk *w, size_t at, size_t to)
{
    const size_t open = at, close = code_skip_bracket(w, open, to), from = close;
    const size_t end = code_skip_statement(w, close, to);
    size_t first, second;
    struct code_range names;
    struct code_items items;

    if (w->lexed->zig && code_find_captures(w, close, to, &names)) { /* for (list, 0..) |item, i| */
        const size_t after = code_skip_statement(w, names.to + 1, to);

        code_find_captured(w, names, (struct code_range){open + 1, close - 1}, &items);
        do_items(w, &items, names.to + 1, after);
        return after;
    }
    first = code_statement_end(w, open + 1, close - 1);
    second = first < close - 1 ? code_statement_end(w, first + 1, close - 1) : close - 1;
    code_statements(w, open + 1, first);
    if (first >= close - 1) { /* for (auto x : list) */
        size_t colon = open + 1;

        while (colon < close - 1 && !is_mark(&w->tokens[colon], ":")) {
            colon++;
        }
        code_find_items(w, (struct code_range){open + 1, colon}, (struct code_range){colon + 1, close - 1}, &items);
        do_items(w, &items, from, end);
        return end;
    }
    do_turns(w, (struct code_range){first + 1, second}, (struct code_range){second + 1, close - 1}, from, end);
    return end;
}

static size_t do_while(struct code_walk *w, size_t at, size_t to)
{
    const struct code_range range = condition(w, &at, to);
    const bool steps = w->lexed->zig && is_mark(token_at(w, at, to), ":") && is_mark(token_at(w, at + 1, to), "(");
    struct code_value v;
    size_t end;

    if (steps) { /* while (i < n) : (i += 1) */
        const size_t open = at + 1, from = code_skip_bracket(w, open, to);

        end = code_skip_statement(w, from, to);
        do_turns(w, range, (struct code_range){open + 1, from - 1}, from, end);
        return end;
    }
    end = code_skip_statement(w, at, to);
    v = evaluate_condition(w, range, CODE_POLLED);
    if (!code_is_known(&v) || v.bits != 0) {
        body(w, at, end, CODE_IN_LOOP);
    }
    return end;
}

static size_t do_do(struct code_walk *w, size_t at, size_t to)
{
    const size_t end = code_skip_statement(w, at, to);
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

/* Returns true if token @i begins a statement, and is not behind the condition of "if". */
static bool begins_statement(const struct code_walk *w, size_t i)
{
    const struct code_token *before = &w->tokens[i - 1];

    return is_mark(before, ";") || is_mark(before, ":") || is_mark(before, "}") || is_mark(before, "{");
}

/*
 * Finds the branch of "switch" for @value: the statements after "case value:", or after "default:", up to "break" or
 * "return".
 */
static struct code_range find_branch(struct code_walk *w, size_t open, size_t end, uint64_t value)
{
    struct code_range branch = {0, 0};
    bool matched = false;

    for (size_t i = open + 1; i + 1 < end && code_spend(w, 1);) {
        const struct code_token *t = &w->tokens[i];
        size_t colon = i + 1;

        if (branch.from != 0 && branch.to == 0 && begins_statement(w, i)) {
            branch.to = is_mark(t, "break") ? i : is_mark(t, "return") ? code_skip_statement(w, i, end) : 0;
        }
        if (!is_mark(t, "case") && !is_mark(t, "default")) {
            i = t->kind == TOKEN_MARK && strchr("([{", t->text[0]) != NULL ? code_skip_bracket(w, i, end) : i + 1;
            continue;
        }
        while (colon < end && !is_mark(&w->tokens[colon], ":")) {
            colon++;
        }
        if (is_mark(t, "case") && !matched) {
            const struct code_term term = code_evaluate(w, (struct code_range){i + 1, colon});

            matched = code_is_known(&term.value) && term.value.bits == value;
            branch = matched ? (struct code_range){colon + 1, 0} : branch;
        } else if (is_mark(t, "default") && !matched) {
            branch = (struct code_range){colon + 1, 0};
        }
        i = colon + 1;
    }
    branch.to = branch.to == 0 ? end - (end > open + 1) : branch.to;
    return branch;
}

/*
 * Executes "switch (x) { ... }" and "match x { ... }": the branch of a known value, otherwise all branches, one after
 * the other.
 */
static size_t do_switch(struct code_walk *w, size_t at, size_t to)
{
    const bool c = is_mark(&w->tokens[at - 1], "switch") && !w->lexed->zig;
    const struct code_range range = condition(w, &at, to);
    const size_t end = code_skip_statement(w, at, to);
    const struct code_value v = evaluate_condition(w, range, 0);
    struct code_value *before;
    size_t count;

    if (c && code_is_known(&v) && is_mark(token_at(w, at, to), "{")) {
        const struct code_range branch = find_branch(w, at, end, v.bits);

        if (branch.from != 0 && branch.to > branch.from) {
            body(w, branch.from, branch.to, 0);
        }
        return end;
    }
    count = w->variable_count;
    before = code_save_values(w);
    body(w, at, end, CODE_MAYBE);
    code_join_values(w, before, count);
    free(before);
    return end;
}

static size_t do_return(struct code_walk *w, size_t at, size_t to)
{
    const size_t end = code_statement_end(w, at, to);
    struct code_place place = {.where = WHERE_VARIABLE, .token = &w->tokens[at < to ? at : to - 1]};

    if (end > at) {
        struct code_term term = code_evaluate(w, (struct code_range){at, end});
        const bool refers = w->function_reference && !w->returned &&
                            (term.place.where == WHERE_MEMORY || term.place.where == WHERE_REGISTER);
        struct code_value v = refers ? code_unknown() : code_value_of(w, &term);

        w->place = refers ? term.place : w->place;
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
        const size_t after = is_mark(&w->tokens[at + 1], "(") ? code_skip_bracket(w, at + 1, to) : at + 1;

        return after > at + 1 && !is_mark(token_at(w, after, to), "in") ? do_for(w, at + 1, to)
                                                                        : do_for_in(w, at + 1, to);
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
        return code_skip_statement(w, at, to);
    }
    return 0;
}

/* Executes the loop of a macro, "for_each_online_cpu(cpu) { ... }".  Returns the index after it, 0: it is none. */
static size_t do_macro_loop(struct code_walk *w, size_t at, size_t to)
{
    const bool call = w->tokens[at].kind == TOKEN_NAME && at + 1 < to && is_mark(&w->tokens[at + 1], "(");
    const size_t open = call ? code_skip_bracket(w, at + 1, to) : to;
    size_t end;

    if (open >= to || !is_mark(&w->tokens[open], "{") ||
        (memmem(w->tokens[at].text, w->tokens[at].length, "for", 3) == NULL &&
         memmem(w->tokens[at].text, w->tokens[at].length, "FOR", 3) == NULL)) {
        return 0;
    }
    w->at = at;
    w->end = open;
    code_simple_statement(w);
    end = code_skip_bracket(w, open, to);
    body(w, open, end, CODE_IN_LOOP);
    return end;
}

/* Executes a line of assembly, which may have two instructions. */
static void do_assembly(struct code_walk *w, const struct code_token *t)
{
    const char *semicolon = memchr(t->text, ';', t->length);
    const size_t length = semicolon != NULL ? (size_t)(semicolon - t->text) : t->length;

    code_execute(w, t->text, length, t, NULL);
    if (semicolon != NULL) {
        code_execute(w, semicolon + 1, t->length - length - 1, t, NULL);
    }
}

void code_statements(struct code_walk *w, size_t from, size_t to)
{
    const size_t at = w->at, end = w->end;
    struct code_range deferred[CODE_DEFERRED];
    unsigned deferred_count = 0;

    if (w->depth > CODE_DEPTH + 40) {
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
            do_assembly(w, t);
        }
        if (t->kind == TOKEN_ASSEMBLY || t->kind == TOKEN_LABEL || t->kind == TOKEN_END ||
            is_mark(t, ";") || is_mark(t, "}")) {
            i++;
            continue;
        }
        if (is_mark(t, "{")) {
            const unsigned endings = w->ending_count;

            next = code_skip_bracket(w, i, to);
            code_statements(w, i + 1, next > i + 1 ? next - 1 : next);
            code_end_block(w, endings);
            i = next;
            continue;
        }
        if (is_mark(t, "#") || is_mark(t, "[")) {
            i = is_mark(t, "[") ? code_skip_bracket(w, i, to) : i + 1;
            continue;
        }
        next = code_take_deferred(w, i, to, deferred, &deferred_count);
        next = next > i ? next : do_keyword(w, i, to);
        next = next > i ? next : do_macro_loop(w, i, to);
        if (next > i) {
            i = next;
            continue;
        }
        next = code_statement_end(w, i, to);
        w->at = i;
        w->end = next;
        code_simple_statement(w);
        i = next > i ? next : i + 1;
    }
    while (deferred_count > 0) {
        deferred_count--;
        code_statements(w, deferred[deferred_count].from, deferred[deferred_count].to);
    }
    w->depth--;
    w->at = at;
    w->end = end;
}
