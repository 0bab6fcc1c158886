/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates primary expressions: names, casts, members, subscripts and what follows them. */
#define _GNU_SOURCE
#include "internal.h"

/* Returns true if the tokens from @from to @to are a type, as in a cast.  *@width and *@element say which. */
static bool is_cast(const struct code_walk *w, size_t from, size_t to, uint8_t *width, uint8_t *element)
{
    bool known = false, star = false;
    uint8_t is = 0;

    *width = 0;
    for (size_t i = from; i < to; i++) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_MARK && (code_token_is(t, "*") || code_token_is(t, "&"))) {
            star = true;
        } else if (i + 2 < to && code_token_is(t, "std") && code_token_is(&w->tokens[i + 1], "::")) {
            i++;
        } else if (t->kind != TOKEN_NAME || star) {
            if (t->kind != TOKEN_NAME || !code_is_type(t, &is)) {
                return false;
            }
        } else if (code_is_type(t, &is)) {
            known = true;
            *width = is != 0 ? is : *width;
        } else if (to - from > 2 && i > from) {
            return false;
        }
    }
    *element = star ? (*width != 0 ? (uint8_t)(*width / 8) : 1) : 0;
    return to > from && (known || star);
}

static bool starts_operand(const struct code_token *t)
{
    return t->kind == TOKEN_NAME || t->kind == TOKEN_NUMBER || t->kind == TOKEN_STRING || t->kind == TOKEN_CHARACTER ||
           (t->kind == TOKEN_MARK && strchr("(~!-&*{", t->text[0]) != NULL);
}

static void cast(struct code_walk *w, struct code_term *term, uint8_t width, uint8_t element)
{
    if (term->place.where == WHERE_MEMORY || term->place.where == WHERE_REGISTER) {
        code_value_of(w, term);
    }
    if (element != 0) {
        term->value.element = element;
    } else if (width == 32) {
        if ((term->value.count || term->value.span) && w->at > 0) {
            code_note_width(w, &term->value, 32, &w->tokens[w->at - 1]);
        }
        term->value.changed |= term->value.count;
        term->value = code_cut(term->value, 32);
        term->value.count = term->value.span = false;
    } else if (width != 0) {
        term->value.width = width;
        term->value.element = 0;
    }
    term->place.where = term->place.where == WHERE_VARIABLE ? WHERE_NOWHERE : term->place.where;
}

/* Takes "(...)": a cast, a statement expression, or an expression. */
static struct code_term parenthesis(struct code_walk *w)
{
    const size_t open = w->at, after = code_skip_bracket(w, open, w->end), end = w->end;
    uint8_t width = 0, element = 0;
    struct code_term term;

    if (after < w->end && code_token_is(&w->tokens[after], "{")) { /* (pmcr_t){ .e = 1 } */
        for (size_t i = open + 1; i + 1 < after; i++) {
            const uint64_t type = code_hash(CODE_HASH, w->tokens[i].text, w->tokens[i].length);

            if (code_has_layout(w, type)) {
                w->at = after;
                term = code_plain(code_literal(w, type));
                term.place.type = type;
                return term;
            }
        }
    }
    if (after < w->end && is_cast(w, open + 1, after - 1, &width, &element) && starts_operand(&w->tokens[after])) {
        w->at = after;
        term = code_unary(w);
        cast(w, &term, width, element);
        return term;
    }
    w->at = open + 1;
    w->end = after > open + 1 ? after - 1 : after;
    if (code_at(w, "{")) {
        const size_t from = w->at + 1, to = code_skip_bracket(w, w->at, w->end);

        w->last = code_unknown();
        code_statements(w, from, to > from ? to - 1 : to);
        term = code_plain(w->last);
    } else {
        term = code_expression(w);
    }
    w->at = after;
    w->end = end;
    return term;
}

/* Takes a block as an expression: unsafe { ... }. */
static struct code_term block(struct code_walk *w)
{
    const size_t open = w->at, after = code_skip_bracket(w, open, w->end), end = w->end;

    w->last = code_unknown();
    code_statements(w, open + 1, after > open + 1 ? after - 1 : after);
    w->at = after;
    w->end = end;
    return code_plain(w->last);
}

void code_split_arguments(struct code_walk *w, size_t from, size_t to, struct code_arguments *arguments)
{
    size_t start = from;
    unsigned depth = 0;

    arguments->count = 0;
    for (size_t i = from; i <= to; i++) {
        const struct code_token *t = &w->tokens[i];
        const bool mark = i < to && t->kind == TOKEN_MARK && t->length == 1;

        if (i == to || (depth == 0 && mark && t->text[0] == ',')) {
            if (i > start && arguments->count < 16) {
                arguments->ranges[arguments->count++] = (struct code_range){start, i};
            }
            start = i + 1;
        } else if (mark && strchr("([{", t->text[0]) != NULL) {
            depth++;
        } else if (mark && strchr(")]}", t->text[0]) != NULL) {
            depth -= depth != 0;
        }
    }
}

/* Takes the postfix of a member.  @base is the token before it. */
static void member(struct code_walk *w, struct code_term *term, const struct code_token *base)
{
    const struct code_token *field = code_now(w);
    const bool scoped = w->at > 0 && code_token_is(&w->tokens[w->at - 1], "::");
    struct code_name name;

    if (field->kind != TOKEN_NAME && field->kind != TOKEN_NUMBER) {
        return;
    }
    w->at++;
    if (!scoped && code_narrow(w, term, field)) {
        return;
    }
    if (base != NULL && code_find_member(base, field, &name)) {
        term->place = (struct code_place){.where = WHERE_REGISTER, .reg = name, .token = base, .width = 32};
        return;
    }
    if (term->place.where == WHERE_VARIABLE) {
        const uint64_t whole = term->place.name;
        struct code_variable *v;
        uint64_t order;

        term->place.around[1] = term->place.around[0];
        term->place.around[0] = whole;
        term->place.name = code_hash(code_hash(term->place.name, ".", 1), field->text, field->length);
        v = code_find_variable(w, term->place.name);
        if (v == NULL && !scoped && code_find_device(w, field, &name)) {
            term->place = (struct code_place){.where = WHERE_REGISTER, .reg = name, .token = field, .width = 32};
            return;
        }
        if (v == NULL && code_find_order(w, field, &order)) { /* { "cr", w_pmcr, 0x41 }: no names of members */
            const uint64_t path = code_hash(code_hash(whole, "[", 1), (const char *)&order, sizeof order);

            v = code_find_variable(w, path);
            term->place.name = v != NULL ? path : term->place.name;
        }
        if (v == NULL && (scoped || (w->lexed->zig && code_find_variable(w, whole) == NULL))) {
            /* Filter::P, with the members of Filter among the constants of the text */
            term->place.name = code_hash(CODE_HASH, field->text, field->length);
            v = code_find_variable(w, term->place.name);
        }
        term->value = v != NULL ? v->value : code_unknown();
        if (v == NULL) { /* a member of a structure that is not shown: the same each time */
            term->value.whose = (uint16_t)(term->place.name | 0x8000);
        }
    } else if (code_find_device(w, field, &name)) { /* a call or a cast: regs()->PMCR */
        term->place = (struct code_place){.where = WHERE_REGISTER, .reg = name, .token = field, .width = 32};
    } else {
        term->place.where = WHERE_NOWHERE;
        term->value = code_unknown();
    }
}

/*
 * Makes a register of "p[0xE04 / 4]", where the text has offsets of a PMU's frame and nothing tells the address of p.
 * Indexes from 0x400 on are bytes.  A small index may be that of an array, unless @base is called after a PMU or it is
 * that of a half of PMCCNTR.  Returns false if the frame has no register there.
 */
static bool find_in_frame(const struct code_walk *w, struct code_term *term, uint64_t index,
                          const struct code_token *base, const struct code_token *token)
{
    const struct code_value offset = {.bits = index < 0x400 ? index * 4 : index, .known = 0xFFF};
    const bool open = (term->place.where == WHERE_VARIABLE || term->place.known_pmu) &&
                      (term->value.known | 0xFFF) == 0xFFF;
    const bool half = w->has_halves && (index | 1) == 0x3F;
    struct code_name name;

    if (base == NULL || !open || (!w->has_frame && !half) || index > 0xFFC ||
        (index < 0x100 && !half && !code_names_pmu(base)) ||
        !code_find_address(offset, true, &name)) {
        return false;
    }
    term->place = (struct code_place){.where = WHERE_REGISTER, .reg = name, .token = token, .width = 32};
    return true;
}

/* Takes "[...]" after a term. */
static void subscript(struct code_walk *w, struct code_term *term, const struct code_token *base)
{
    const size_t open = w->at, after = code_skip_bracket(w, open, w->end);
    struct code_term index = code_evaluate(w, (struct code_range){open + 1, after > open ? after - 1 : after});
    const struct code_value i = code_value_of(w, &index);

    w->at = after;
    if ((w->has_frame || w->has_halves) && code_is_known(&i) &&
        find_in_frame(w, term, i.bits, base, &w->tokens[open])) {
        return;
    }
    if (term->place.where == WHERE_REGISTER && code_is_known(&i)) {
        term->place.reg.n = (unsigned)(i.bits & 31);
        term->place.reg.n_known = true;
        return;
    }
    if (term->value.element != 0 && (term->value.known & 0xFFF) == 0xFFF) {
        const struct code_value scaled = code_operate('*', i, code_known(term->value.element));

        term->place = (struct code_place){.where = WHERE_MEMORY,
                                          .token = &w->tokens[open],
                                          .width = (uint8_t)(term->value.element * 8),
                                          .known_pmu = code_names_pmu(base)};
        term->place.address = code_operate('+', term->value, scaled);
        return;
    }
    if (term->place.where == WHERE_VARIABLE && code_is_known(&i)) {
        struct code_variable *v;

        term->place.name = code_hash(code_hash(term->place.name, "[", 1), (const char *)&i.bits, sizeof i.bits);
        v = code_find_variable(w, term->place.name);
        term->value = v != NULL ? v->value : code_unknown();
    } else {
        term->value = code_unknown();
        term->place.where = WHERE_NOWHERE;
    }
}

/* Skips "<std::uint64_t>" before the arguments of a call.  Returns false if "<" is an operator. */
static bool skip_template(struct code_walk *w)
{
    for (size_t i = w->at + 1; i + 1 < w->end && i < w->at + 8; i++) {
        if (code_token_is(&w->tokens[i], ">")) {
            const bool call = i > w->at + 1 && (code_token_is(&w->tokens[i + 1], "(") ||
                                                code_token_is(&w->tokens[i + 1], "::"));

            w->specials = call ? (struct code_range){w->at + 1, i} : w->specials;
            w->at = call ? i + 1 : w->at;
            return call;
        }
        if (w->tokens[i].kind != TOKEN_NAME && w->tokens[i].kind != TOKEN_NUMBER &&
            !code_token_is(&w->tokens[i], "::") && !code_token_is(&w->tokens[i], ",")) {
            return false;
        }
    }
    return false;
}

/* Takes the type after "as". */
static void take_as(struct code_walk *w, struct code_term *term)
{
    const size_t start = ++w->at;
    uint8_t is = 0, element = 0, width;

    while (w->at < w->end && (code_at(w, "*") || code_is_type(code_now(w), &width))) {
        element |= code_at(w, "*");
        is = code_now(w)->kind == TOKEN_NAME && code_is_type(code_now(w), &width) && width != 0 ? width : is;
        w->at++;
    }
    w->at += w->at == start && w->at < w->end;
    cast(w, term, is, element != 0 ? (uint8_t)(is != 0 ? is / 8 : 1) : 0);
}

/* Calls the function @name, or the one to which @term, a variable, points. */
static struct code_term call(struct code_walk *w, const struct code_term *term, const struct code_token *name,
                             struct code_range path, const struct code_arguments *arguments)
{
    struct code_definition *pointed =
        term->place.where == WHERE_VARIABLE ? code_find_pointed(w, term->place.name) : NULL;

    return pointed != NULL ? code_plain(code_follow(w, pointed, arguments)) : code_call(w, name, path, arguments);
}

/* Takes what follows a primary expression that began at token @from. */
static struct code_term postfix(struct code_walk *w, struct code_term term, size_t from)
{
    const struct code_token *callee = NULL; /* the name before the arguments of a template */
    const struct code_token *base = code_now(w) != &w->tokens[from] ? &w->tokens[from] : NULL;

    while (w->at < w->end && code_spend(w, 1)) {
        const struct code_token *last = callee != NULL ? callee : w->at > from ? &w->tokens[w->at - 1] : NULL;

        callee = NULL;
        if (code_take_pointer(w, &term)) {
            continue;
        }
        if (code_at(w, "<") && last != NULL && last->kind == TOKEN_NAME && skip_template(w)) {
            callee = last;
            continue;
        }
        if (code_at(w, ".") || code_at(w, "->") || code_at(w, "::")) {
            w->at++;
            if (code_at(w, "<")) { /* a turbofish */
                for (; w->at < w->end && !code_take(w, ">"); w->at++) {
                }
                continue;
            }
            member(w, &term, last);
        } else if (code_at(w, "[")) {
            subscript(w, &term, base);
        } else if ((code_at(w, "(") ||
                    (code_at(w, "!") && w->at + 1 < w->end && strchr("([{", w->tokens[w->at + 1].text[0]) != NULL &&
                     w->tokens[w->at + 1].kind == TOKEN_MARK)) &&
                   last != NULL && last->kind == TOKEN_NAME) {
            struct code_arguments arguments;
            size_t after;

            w->at += code_at(w, "!");
            after = code_skip_bracket(w, w->at, w->end);
            code_split_arguments(w, w->at + 1, after > w->at + 1 ? after - 1 : w->at + 1, &arguments);
            w->at = after;
            term = call(w, &term, last, (struct code_range){from, after}, &arguments);
        } else if (code_at(w, "(") && last != NULL && is_mark(last, "]")) {
            term = code_call_item(w, &term, last);
        } else if (code_at(w, "++") || code_at(w, "--")) {
            w->at++;
            if (term.place.where == WHERE_VARIABLE) {
                code_store(w, &term.place,
                           code_operate(w->tokens[w->at - 1].text[0] == '+' ? '+' : '-', term.value, code_known(1)));
            }
            term.place.where = WHERE_NOWHERE;
        } else if (code_at(w, "as")) {
            take_as(w, &term);
        } else if (code_at(w, "?")) {
            if (w->at + 1 < w->end && starts_operand(&w->tokens[w->at + 1])) {
                break;
            }
            w->at++;
        } else {
            break;
        }
    }
    return term;
}

/* Returns true if the token is the name of a pointer to the frame of a PMU. */
static bool is_base(const struct code_token *t)
{
    static const char *const names[] = {"pmu",       "pmu_base", "PMU_BASE",  "pmubase",  "pmu_regs",
                                        "pmu_addr",  "pmu_va",   "PMU0_BASE", "pmu_mmio", "cpu_pmu_base",
                                        "pmu_frame", "pmu_io",   "pmu_ptr"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (code_token_is(t, names[i])) {
            return true;
        }
    }
    return false;
}

/* Returns the term of such a pointer: a page, whose address is not known. */
static struct code_term base_term(const struct code_token *t)
{
    struct code_term term = {.value = {.known = 0xFFF, .element = 1}};

    term.place.token = t;
    term.place.known_pmu = true;
    return term;
}

/* Returns the term of macro @d, which has no parameters and is called @t. */
static struct code_term macro_term(struct code_walk *w, struct code_definition *d, const struct code_token *t)
{
    struct code_term term;

    d->busy = true;
    w->depth++;
    term = code_evaluate_text(w, d->body);
    w->depth--;
    d->busy = false;
    term.place.token = t;
    return term;
}

/* Returns the term of the argument that @v, the parameter of a macro, stands for. */
static struct code_term alias_term(struct code_walk *w, const struct code_variable *v)
{
    const uint32_t frame = w->frame;
    struct code_term term;

    w->frame = v->alias_frame;
    w->depth++;
    term = code_evaluate_text(w, v->alias);
    w->depth--;
    w->frame = frame;
    return term;
}

/* Takes a name: a macro's argument, a variable, a macro, a register or a constant. */
static struct code_term name_term(struct code_walk *w)
{
    const struct code_token *t = code_now(w);
    const uint64_t hash = code_hash(CODE_HASH, t->text, t->length);
    struct code_term term = {.value = code_unknown()};
    struct code_variable *v = code_find_variable(w, hash);
    struct code_definition *d;
    struct code_name name;
    uint64_t constant;

    if (code_take_count(w, &constant)) {
        return code_plain(code_known(constant));
    }
    if (code_skip_size(w)) {
        return term;
    }
    w->at++;
    if (v != NULL && v->alias.to == v->alias.from + 1 && code_find_pointed(w, hash) != NULL) {
        term.place = (struct code_place){.where = WHERE_VARIABLE, .name = hash, .token = t};
        return term;
    }
    if (v != NULL && v->alias.to > v->alias.from && w->depth < CODE_DEPTH) {
        return alias_term(w, v);
    }
    if (v != NULL && v->value.known == 0 && v->value.read == 0 && is_base(t)) {
        return base_term(t);
    }
    if (v != NULL) {
        term.value = v->value;
        term.place = v->place.where != WHERE_NOWHERE
                         ? v->place
                         : (struct code_place){.where = WHERE_VARIABLE, .name = hash, .width = v->width};
        term.place.token = t;
        return term;
    }
    d = code_find_definition(w, t);
    if (d != NULL && d->macro && !d->with_parameters && !d->busy && w->depth < CODE_DEPTH) {
        return macro_term(w, d, t);
    }
    if (!(w->at < w->end && code_at(w, "(")) && code_find_register(t->text, t->length, &name) &&
        name.reg >= CODE_DEMCR && name.reg <= CODE_ITM_LAR) {
        term.place = (struct code_place){.where = WHERE_REGISTER, .reg = name, .token = t, .width = 32};
        return term;
    }
    code_spend(w, 8);
    if (code_constant(t->text, t->length, &constant)) {
        return code_plain(code_known(constant));
    }
    if (is_base(t) && !code_at(w, "::")) {
        return base_term(t);
    }
    term.value.offset = d == NULL ? (uint16_t)code_half_by_name(t->text, t->length) : 0;
    term.place = (struct code_place){.where = WHERE_VARIABLE, .name = hash, .token = t};
    return term;
}

/* Takes static_cast<T>(x) and the like.  Returns false if there is none. */
static bool named_cast(struct code_walk *w, struct code_term *term)
{
    const struct code_token *t = code_now(w);
    uint8_t width = 0, element = 0;
    size_t from, to;

    if (t->kind != TOKEN_NAME || t->length < 10 || memcmp(t->text + t->length - 5, "_cast", 5) != 0 ||
        w->at + 1 >= w->end || !code_token_is(&w->tokens[w->at + 1], "<")) {
        return false;
    }
    from = to = w->at + 2;
    while (to < w->end && !code_token_is(&w->tokens[to], ">")) {
        to++;
    }
    w->at = to + 1 < w->end ? to + 1 : w->end;
    is_cast(w, from, to, &width, &element);
    *term = code_unary(w);
    cast(w, term, width, element);
    return true;
}

/* Takes what begins with "[": a list, or a lambda, which is called at once. */
static struct code_term lambda(struct code_walk *w)
{
    struct code_term term = code_plain(code_unknown());
    const bool returned = w->returned;

    w->at = code_skip_bracket(w, w->at, w->end);
    if (!code_at(w, "{")) {
        return term;
    }
    w->returned = false;
    term = block(w);
    term.value = w->returned ? w->result : term.value;
    w->returned = returned;
    if (code_at(w, "(")) {
        w->at = code_skip_bracket(w, w->at, w->end);
    }
    return term;
}

/* Takes a member of an enumeration of Zig, ".member", or a builtin function.  Returns false if there is none. */
static bool take_zig(struct code_walk *w, struct code_term *term)
{
    if (!w->lexed->zig) {
        return false;
    }
    if (code_at(w, "@")) {
        *term = code_builtin(w);
        return true;
    }
    if (code_at(w, ".") && w->at + 1 < w->end && w->tokens[w->at + 1].kind == TOKEN_NAME) {
        w->at++;
        *term = name_term(w);
        return true;
    }
    return false;
}

struct code_term code_primary(struct code_walk *w)
{
    const struct code_token *t = code_now(w);
    const size_t from = w->at;
    struct code_term term = code_plain(code_unknown());
    uint64_t value;
    uint8_t width;

    if (t->kind == TOKEN_NUMBER) {
        if (code_number(t->text, t->length, &value, &width) == t->length) {
            term.value = code_known(value);
            term.value.width = width;
        }
        w->at++;
    } else if (t->kind == TOKEN_NAME) {
        const uint64_t type = code_type_before_brace(w, w->at);

        if (type != 0) { /* Pmcr{ .e = 1 } */
            w->at++;
            term = code_plain(code_literal(w, type));
            term.place.type = type;
            return postfix(w, term, from);
        }
        if (named_cast(w, &term)) {
            return term;
        }
        if (code_token_is(t, "asm") || code_token_is(t, "__asm") || code_token_is(t, "__asm__")) {
            return code_plain(code_inline(w));
        }
        if ((code_token_is(t, "unsafe") || code_token_is(t, "loop")) && w->at + 1 < w->end &&
            code_token_is(&w->tokens[w->at + 1], "{")) {
            w->at++;
            return block(w);
        }
        if (code_token_is(t, "new") || code_token_is(t, "await") || code_token_is(t, "move")) {
            w->at++;
            return code_unary(w);
        }
        if (code_take_braced(w, &term)) {
            return term;
        }
        term = name_term(w);
    } else if (take_zig(w, &term)) {
        return postfix(w, term, from);
    } else if (code_at(w, "(")) {
        term = parenthesis(w);
    } else if (code_at(w, "{")) {
        w->at = code_skip_bracket(w, w->at, w->end);
        return term;
    } else if (code_at(w, "[")) {
        term = lambda(w);
    } else {
        w->at += w->at < w->end;
        return term;
    }
    return postfix(w, term, from);
}
