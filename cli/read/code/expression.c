/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates expressions of C, C++ and Rust.  What it does not understand is an unknown value. */
#define _GNU_SOURCE
#include "internal.h"

static struct code_term unary(struct code_walk *w);

static const struct code_token *now(const struct code_walk *w)
{
    static const struct code_token none = {"", 0, 0, 0, TOKEN_END, false};

    return w->at < w->end ? &w->tokens[w->at] : &none;
}

bool code_at(struct code_walk *w, const char *mark)
{
    const struct code_token *t = now(w);

    return (t->kind == TOKEN_MARK || t->kind == TOKEN_NAME) && code_token_is(t, mark);
}

bool code_take(struct code_walk *w, const char *mark)
{
    const bool is = code_at(w, mark);

    w->at += is;
    return is;
}

size_t code_skip_bracket(const struct code_walk *w, size_t open, size_t end)
{
    unsigned depth = 0;

    if (open < end && w->tokens == w->lexed->tokens) {
        const size_t after = w->lexed->after[open];

        return after == 0 ? open + 1 : after < end ? after : end;
    }
    for (size_t i = open; i < end; i++) { /* the operand of an instruction */
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_MARK && t->length == 1) {
            if (strchr("([{", t->text[0]) != NULL) {
                depth++;
            } else if (strchr(")]}", t->text[0]) != NULL && --depth == 0) {
                return i + 1;
            }
        }
    }
    return end;
}

bool code_is_type(const struct code_token *t, uint8_t *width)
{
    static const struct {
        const char *text;
        uint8_t width;
    } types[] = {
        {"uint64_t", 64}, {"u64", 64}, {"int64_t", 64}, {"s64", 64}, {"i64", 64}, {"size_t", 64}, {"usize", 64},
        {"uintptr_t", 64}, {"UINT64", 64}, {"__u64", 64}, {"uint64", 64}, {"cycles_t", 64}, {"ulong", 64},
        {"uint32_t", 32}, {"u32", 32}, {"int32_t", 32}, {"s32", 32}, {"i32", 32}, {"UINT32", 32}, {"__u32", 32},
        {"uint32", 32}, {"unsigned", 32}, {"int", 32}, {"uint", 32}, {"uint16_t", 16}, {"u16", 16}, {"uint8_t", 8},
        {"u8", 8}, {"char", 8}, {"void", 0}, {"long", 64}, {"vu32", 32}, {"vuint32_t", 32}, {"auto", 0}, {"bool", 8},
        {"const", 0}, {"volatile", 0}, {"static", 0}, {"register", 0}, {"signed", 32}, {"short", 16}, {"struct", 0},
        {"inline", 0}, {"constexpr", 0}, {"mut", 0}, {"__iomem", 0}, {"__IO", 0}, {"__IOM", 0}, {"double", 64},
        {"float", 32}, {"u_register_t", 64}, {"register_t", 64}, {"ssize_t", 64}, {"extern", 0}, {"u_int32_t", 32},
        {"u_int64_t", 64}, {"u_int", 32}, {"ULONG", 64}, {"vu64", 64}, {"u128", 0}, {"uint_fast32_t", 32},
    };

    if (t->kind != TOKEN_NAME) {
        return false;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].text[0] == t->text[0] && code_token_is(t, types[i].text)) {
            *width = types[i].width;
            return true;
        }
    }
    *width = 0;
    return t->length > 2 && memcmp(t->text + t->length - 2, "_t", 2) == 0;
}

struct code_term code_evaluate(struct code_walk *w, struct code_range range)
{
    const size_t at = w->at, end = w->end;
    struct code_term term;

    w->at = range.from;
    w->end = range.to;
    term = code_expression(w);
    w->at = at;
    w->end = end;
    return term;
}

struct code_term code_evaluate_text(struct code_walk *w, struct code_range range)
{
    const struct code_token *tokens = w->tokens;
    struct code_term term;

    w->tokens = w->lexed->tokens;
    term = code_evaluate(w, range);
    w->tokens = tokens;
    return term;
}

static struct code_term plain(struct code_value value)
{
    return (struct code_term){.value = value};
}

/* ---------------------------------------------------------------------------------------------------------------
 * Places.
 */

struct code_value code_value_of(struct code_walk *w, struct code_term *term)
{
    struct code_place *place = &term->place;
    struct code_name name;

    switch (place->where) {
    case WHERE_REGISTER:
        term->value = code_read_register(w, &place->reg, place->token, place->width == 64 ? 64 : 32, CODE_MEMORY);
        break;
    case WHERE_MEMORY:
        if (code_find_address(place->address, place->known_pmu, &name)) {
            term->value = code_read_register(w, &name, place->token, place->width == 64 ? 64 : 32, CODE_MEMORY);
        } else {
            term->value = code_unknown();
        }
        break;
    default:
        break;
    }
    place->where = place->where == WHERE_VARIABLE ? WHERE_VARIABLE : WHERE_NOWHERE;
    return term->value;
}

/* Notes a count of 64 bits that loses its upper half, and one of 32 bits that pretends to have one. */
static void note_width(struct code_walk *w, const struct code_value *value, unsigned width,
                       const struct code_token *token)
{
    if (value->read == 0 || value->changed || value->read > w->code->step_count) {
        return;
    }
    if (width == 32 && value->count) {
        code_step_add(w, CODE_NARROWED, token)->value = *value;
    } else if (width == 64 && w->code->steps[value->read - 1].width == 32 &&
               w->code->steps[value->read - 1].reg == CODE_PMCCNTR) {
        code_step_add(w, CODE_WIDENED, token)->value = *value;
    }
}

void code_note_difference(struct code_walk *w, const struct code_value *a, const struct code_value *b,
                          const struct code_token *token)
{
    if (a->read != 0 && b->read != 0 && a->read != b->read) {
        struct code_step *s = code_step_add(w, CODE_DIFFERENCE, token);

        s->value.read = a->read;
        s->used = b->read;
    }
}

void code_store(struct code_walk *w, struct code_place *place, struct code_value value)
{
    struct code_name name;
    struct code_variable *v;

    switch (place->where) {
    case WHERE_REGISTER:
        code_write_register(w, &place->reg, place->token, value, place->width == 64 ? 64 : 32, CODE_MEMORY);
        break;
    case WHERE_MEMORY:
        if (code_find_address(place->address, place->known_pmu, &name)) {
            code_write_register(w, &name, place->token, value, place->width == 64 ? 64 : 32, CODE_MEMORY);
        }
        break;
    case WHERE_VARIABLE:
        v = code_make_variable(w, place->name);
        if (v->place.where == WHERE_REGISTER) {
            code_write_register(w, &v->place.reg, place->token, value, 32, CODE_INLINE);
            break;
        }
        note_width(w, &value, v->width, place->token);
        v->value = v->width == 32 && value.element == 0 ? code_cut(value, 32) : value;
        v->value.width = v->width != 0 ? v->width : value.width;
        break;
    default:
        break;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Primary expressions.
 */

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
        if (term->value.count && w->at > 0) {
            note_width(w, &term->value, 32, &w->tokens[w->at - 1]);
        }
        term->value.changed |= term->value.count;
        term->value = code_cut(term->value, 32);
        term->value.count = false;
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

    if (after < w->end && is_cast(w, open + 1, after - 1, &width, &element) && starts_operand(&w->tokens[after])) {
        w->at = after;
        term = unary(w);
        cast(w, &term, width, element);
        return term;
    }
    w->at = open + 1;
    w->end = after > open + 1 ? after - 1 : after;
    if (code_at(w, "{")) {
        const size_t from = w->at + 1, to = code_skip_bracket(w, w->at, w->end);

        w->last = code_unknown();
        code_statements(w, from, to > from ? to - 1 : to);
        term = plain(w->last);
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
    return plain(w->last);
}

static void split_arguments(struct code_walk *w, size_t from, size_t to, struct code_arguments *arguments)
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

/* Finds the register that "DWT->CTRL" and the like name. */
static bool find_member(const struct code_token *base, const struct code_token *member, struct code_name *name)
{
    char text[64];

    if (base->length + member->length + 2 > sizeof text) {
        return false;
    }
    if (code_token_is(base, "DWT") || code_token_is(base, "dwt") || code_token_is(base, "ITM") ||
        code_token_is(base, "dwt_regs")) {
        snprintf(text, sizeof text, "%s_%.*s", (base->text[0] | 0x20) == 'i' ? "ITM" : "DWT", (int)member->length,
                 member->text);
        if (code_find_register(text, strlen(text), name)) {
            return true;
        }
        *name = (struct code_name){.reg = CODE_DWT_OTHER, .n_known = true};
        return (base->text[0] | 0x20) == 'd' && base->text[0] == 'D';
    }
    if (code_token_is(base, "CoreDebug") || code_token_is(base, "DCB") || code_token_is(base, "CORE_DEBUG")) {
        *name = (struct code_name){.reg = CODE_DEMCR, .n_known = true};
        return code_token_is(member, "DEMCR") || code_token_is(member, "demcr");
    }
    if (code_token_is(base, "PMU") || code_token_is(base, "pmu")) {
        static const char *const members[][2] = {
            {"CTRL", "PMCR"}, {"CNTENSET", "PMCNTENSET"}, {"CNTENCLR", "PMCNTENCLR"}, {"CCNTR", "PMCCNTR"},
            {"OVSCLR", "PMOVSCLR"}, {"OVSSET", "PMOVSSET"}, {"INTENSET", "PMINTENSET"}, {"INTENCLR", "PMINTENCLR"},
            {"SWINC", "PMSWINC"}, {"CCFILTR", "PMCCFILTR"}, {"EVCNTR", "PMEVCNTR"}, {"EVTYPER", "PMEVTYPER"},
        };

        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
            if (code_token_is(member, members[i][0])) {
                return code_find_register(members[i][1], strlen(members[i][1]), name);
            }
        }
    }
    return false;
}

/* Takes the postfix of a member.  @base is the token before it. */
static void member(struct code_walk *w, struct code_term *term, const struct code_token *base)
{
    const struct code_token *field = now(w);
    struct code_name name;

    if (field->kind != TOKEN_NAME && field->kind != TOKEN_NUMBER) {
        return;
    }
    w->at++;
    if (base != NULL && find_member(base, field, &name)) {
        term->place = (struct code_place){.where = WHERE_REGISTER, .reg = name, .token = base, .width = 32};
        return;
    }
    if (term->place.where == WHERE_VARIABLE) {
        struct code_variable *v;

        term->place.name = code_hash(code_hash(term->place.name, ".", 1), field->text, field->length);
        v = code_find_variable(w, term->place.name);
        term->value = v != NULL ? v->value : code_unknown();
    } else {
        term->place.where = WHERE_NOWHERE;
        term->value = code_unknown();
    }
}

static bool names_pmu(const struct code_token *t)
{
    return t != NULL && (memmem(t->text, t->length, "pmu", 3) != NULL || memmem(t->text, t->length, "PMU", 3) != NULL ||
                         memmem(t->text, t->length, "perfmon", 7) != NULL);
}

/* Takes "[...]" after a term. */
static void subscript(struct code_walk *w, struct code_term *term, const struct code_token *base)
{
    const size_t open = w->at, after = code_skip_bracket(w, open, w->end);
    struct code_term index = code_evaluate(w, (struct code_range){open + 1, after > open ? after - 1 : after});
    const struct code_value i = code_value_of(w, &index);

    w->at = after;
    if (term->place.where == WHERE_REGISTER && code_is_known(&i)) {
        term->place.reg.n = (unsigned)(i.bits & 31);
        term->place.reg.n_known = true;
        return;
    }
    if (term->value.element != 0 && (term->value.known & 0xFFF) == 0xFFF) {
        const struct code_value scaled = code_operate('*', i, code_known(term->value.element));

        term->place = (struct code_place){.where = WHERE_MEMORY, .token = &w->tokens[open],
                                          .width = (uint8_t)(term->value.element * 8), .known_pmu = names_pmu(base)};
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

/* Takes what follows a primary expression that began at token @from. */
static struct code_term postfix(struct code_walk *w, struct code_term term, size_t from)
{
    const struct code_token *base = now(w) != &w->tokens[from] ? &w->tokens[from] : NULL;
    uint8_t width;

    while (w->at < w->end && code_spend(w, 1)) {
        const struct code_token *last = w->at > from ? &w->tokens[w->at - 1] : NULL;

        if (code_at(w, ".") || code_at(w, "->") || code_at(w, "::")) {
            w->at++;
            if (code_at(w, "<")) { /* a turbofish */
                while (w->at < w->end && !code_take(w, ">")) {
                    w->at++;
                }
                continue;
            }
            member(w, &term, last);
        } else if (code_at(w, "[")) {
            subscript(w, &term, base);
        } else if ((code_at(w, "(") || (code_at(w, "!") && w->at + 1 < w->end &&
                                        strchr("([{", w->tokens[w->at + 1].text[0]) != NULL &&
                                        w->tokens[w->at + 1].kind == TOKEN_MARK)) &&
                   last != NULL && last->kind == TOKEN_NAME) {
            struct code_arguments arguments;
            size_t after;

            w->at += code_at(w, "!");
            after = code_skip_bracket(w, w->at, w->end);
            split_arguments(w, w->at + 1, after > w->at + 1 ? after - 1 : w->at + 1, &arguments);
            w->at = after;
            term = code_call(w, last, (struct code_range){from, after}, &arguments);
        } else if (code_at(w, "++") || code_at(w, "--")) {
            w->at++;
            if (term.place.where == WHERE_VARIABLE) {
                code_store(w, &term.place, code_operate(w->tokens[w->at - 1].text[0] == '+' ? '+' : '-', term.value,
                                                        code_known(1)));
            }
            term.place.where = WHERE_NOWHERE;
        } else if (code_at(w, "as")) {
            const size_t start = ++w->at;
            uint8_t is = 0, element = 0;

            while (w->at < w->end && (code_at(w, "*") || code_is_type(now(w), &width))) {
                element |= code_at(w, "*");
                is = now(w)->kind == TOKEN_NAME && code_is_type(now(w), &width) && width != 0 ? width : is;
                w->at++;
            }
            w->at += w->at == start && w->at < w->end;
            cast(w, &term, is, element != 0 ? (uint8_t)(is != 0 ? is / 8 : 1) : 0);
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
    static const char *const names[] = {"pmu", "pmu_base", "PMU_BASE", "pmubase", "pmu_regs", "pmu_addr", "pmu_va", "PMU0_BASE",
                                        "pmu_mmio", "cpu_pmu_base", "pmu_frame", "pmu_io", "pmu_ptr"};

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

/* Takes a name: a macro's argument, a variable, a macro, a register or a constant. */
static struct code_term name_term(struct code_walk *w)
{
    const struct code_token *t = now(w);
    const uint64_t hash = code_hash(CODE_HASH, t->text, t->length);
    struct code_term term = {.value = code_unknown()};
    struct code_variable *v = code_find_variable(w, hash);
    struct code_definition *d;
    struct code_name name;
    uint64_t constant;

    w->at++;
    if (v != NULL && v->alias.to > v->alias.from && w->depth < 24) {
        const uint32_t frame = w->frame;

        w->frame = v->alias_frame;
        w->depth++;
        term = code_evaluate_text(w, v->alias);
        w->depth--;
        w->frame = frame;
        return term;
    }
    if (v != NULL && v->value.known == 0 && v->value.read == 0 && is_base(t)) {
        return base_term(t);
    }
    if (v != NULL) {
        term.value = v->value;
        term.place = v->place.where != WHERE_NOWHERE ? v->place
                     : (struct code_place){.where = WHERE_VARIABLE, .name = hash, .width = v->width};
        term.place.token = t;
        return term;
    }
    d = code_find_definition(w, t);
    if (d != NULL && d->macro && !d->with_parameters && !d->busy && w->depth < 24) {
        d->busy = true;
        w->depth++;
        term = code_evaluate_text(w, d->body);
        w->depth--;
        d->busy = false;
        term.place.token = t;
        return term;
    }
    if (!(w->at < w->end && code_at(w, "(")) && code_find_register(t->text, t->length, &name) &&
        name.reg >= CODE_DEMCR && name.reg <= CODE_ITM_LAR) {
        term.place = (struct code_place){.where = WHERE_REGISTER, .reg = name, .token = t, .width = 32};
        return term;
    }
    code_spend(w, 8);
    if (code_constant(t->text, t->length, &constant)) {
        return plain(code_known(constant));
    }
    if (is_base(t)) {
        return base_term(t);
    }
    term.place = (struct code_place){.where = WHERE_VARIABLE, .name = hash, .token = t};
    return term;
}

/* Takes static_cast<T>(x) and the like.  Returns false if there is none. */
static bool named_cast(struct code_walk *w, struct code_term *term)
{
    const struct code_token *t = now(w);
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
    *term = unary(w);
    cast(w, term, width, element);
    return true;
}

static struct code_term primary(struct code_walk *w)
{
    const struct code_token *t = now(w);
    const size_t from = w->at;
    struct code_term term = plain(code_unknown());
    uint64_t value;
    uint8_t width;

    if (t->kind == TOKEN_NUMBER) {
        if (code_number(t->text, t->length, &value, &width) == t->length) {
            term.value = code_known(value);
            term.value.width = width;
        }
        w->at++;
    } else if (t->kind == TOKEN_NAME) {
        if (named_cast(w, &term)) {
            return term;
        }
        if (code_token_is(t, "asm") || code_token_is(t, "__asm") || code_token_is(t, "__asm__")) {
            return plain(code_inline(w));
        }
        if ((code_token_is(t, "unsafe") || code_token_is(t, "loop")) && w->at + 1 < w->end &&
            code_token_is(&w->tokens[w->at + 1], "{")) {
            w->at++;
            return block(w);
        }
        if (code_token_is(t, "new") || code_token_is(t, "await") || code_token_is(t, "move")) {
            w->at++;
            return unary(w);
        }
        if (w->at + 1 < w->end && code_token_is(&w->tokens[w->at + 1], "{") && code_is_type(t, &width)) {
            const size_t open = w->at + 1, after = code_skip_bracket(w, open, w->end); /* uint64_t{3} */

            term = code_evaluate(w, (struct code_range){open + 1, after > open + 1 ? after - 1 : after});
            code_value_of(w, &term);
            w->at = after;
            return plain(term.value);
        }
        term = name_term(w);
    } else if (code_at(w, "(")) {
        term = parenthesis(w);
    } else if (code_at(w, "{")) {
        w->at = code_skip_bracket(w, w->at, w->end);
        return term;
    } else if (code_at(w, "[")) {
        w->at = code_skip_bracket(w, w->at, w->end);
    } else {
        w->at += w->at < w->end;
        return term;
    }
    return postfix(w, term, from);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Operators.
 */

static struct code_term dereference(struct code_walk *w, const struct code_token *token)
{
    struct code_term term = unary(w);
    const bool pmu = names_pmu(term.place.token) || term.place.known_pmu;
    const struct code_value address = code_value_of(w, &term);
    struct code_place place = {.where = WHERE_NOWHERE, .token = token};

    if ((address.known & 0xFFF) == 0xFFF) {
        place.where = WHERE_MEMORY;
        place.address = address;
        place.width = address.element >= 8 ? 64 : 32;
        place.known_pmu = pmu;
    }
    return (struct code_term){.value = code_unknown(), .place = place};
}

static struct code_term unary(struct code_walk *w)
{
    const struct code_token *t = now(w);
    struct code_term term;

    if (!code_spend(w, 1) || w->depth > 200) {
        w->at = w->end;
        return plain(code_unknown());
    }
    if (t->kind != TOKEN_MARK) {
        return primary(w);
    }
    if (code_token_is(t, "*")) {
        w->at++;
        w->depth++;
        term = dereference(w, t);
        w->depth--;
        return term;
    }
    if (code_token_is(t, "&") || code_token_is(t, "&&")) {
        w->at++;
        code_take(w, "mut");
        w->depth++;
        term = unary(w);
        w->depth--;
        if (term.place.where == WHERE_MEMORY) {
            return plain(term.place.address);
        }
        return term;
    }
    if (code_token_is(t, "~") || code_token_is(t, "!") || code_token_is(t, "-") || code_token_is(t, "+") ||
        code_token_is(t, "++") || code_token_is(t, "--")) {
        struct code_value v;

        w->at++;
        w->depth++;
        term = unary(w);
        w->depth--;
        v = code_value_of(w, &term);
        if (t->text[0] == '!' && w->code->facts[CODE_HAS_RUST] == 0) {
            return plain(code_operate(CODE_MARK2('=', '='), v, code_known(0)));
        }
        return plain(t->text[0] == '~' || t->text[0] == '!' ? code_not(v)
                     : t->length == 1 && t->text[0] == '-' ? code_operate('-', code_known(0), v) : v);
    }
    w->depth++;
    term = primary(w);
    w->depth--;
    return term;
}

/* Returns the precedence of the binary operator at the cursor, 0 if there is none. */
static unsigned precedence(const struct code_token *t, unsigned *operator)
{
    static const struct {
        const char *text;
        unsigned level;
    } operators[] = {
        {"*", 10}, {"/", 10}, {"%", 10}, {"+", 9}, {"-", 9}, {"<<", 8}, {">>", 8}, {"<", 7}, {">", 7}, {"<=", 7},
        {">=", 7}, {"==", 6}, {"!=", 6}, {"&", 5}, {"^", 4}, {"|", 3}, {"&&", 2}, {"||", 1},
    };

    for (size_t i = 0; t->kind == TOKEN_MARK && i < sizeof operators / sizeof operators[0]; i++) {
        if (code_token_is(t, operators[i].text)) {
            *operator = t->length == 1 ? (unsigned char)t->text[0] : CODE_MARK2(t->text[0], t->text[1]);
            return operators[i].level;
        }
    }
    return 0;
}

static struct code_term binary(struct code_walk *w, unsigned lowest)
{
    struct code_term left = unary(w);
    unsigned operator = 0, level;

    while ((level = precedence(now(w), &operator)) >= lowest && level != 0 && code_spend(w, 1)) {
        struct code_value a = code_value_of(w, &left), b;
        struct code_term right;
        const bool pmu = names_pmu(left.place.token) || left.place.known_pmu;

        w->at++;
        w->depth++;
        right = w->depth < 200 ? binary(w, level + 1) : plain(code_unknown());
        w->depth--;
        b = code_value_of(w, &right);
        if ((operator == '+' || operator == '-') && a.element > 1) {
            b = code_operate('*', b, code_known(a.element));
        }
        if (operator == '-') {
            code_note_difference(w, &a, &b, &w->tokens[w->at - 1]);
        }
        left = plain(code_operate(operator, a, b));
        left.place.known_pmu = pmu; /* the name of the base goes with the address */
    }
    return left;
}

static struct code_term conditional(struct code_walk *w)
{
    struct code_term term = binary(w, 1), yes, no;
    struct code_value condition;

    if (!code_at(w, "?")) {
        return term;
    }
    condition = code_value_of(w, &term);
    w->at++;
    yes = code_assignment(w);
    code_value_of(w, &yes);
    if (!code_take(w, ":")) {
        return yes;
    }
    no = code_assignment(w);
    code_value_of(w, &no);
    if (code_is_known(&condition)) {
        return plain(condition.bits != 0 ? yes.value : no.value);
    }
    yes.value.known &= no.value.known & ~(yes.value.bits ^ no.value.bits);
    yes.value.bits &= yes.value.known;
    return plain(yes.value);
}

struct code_term code_assignment(struct code_walk *w)
{
    struct code_term left, right;
    const struct code_token *t;
    struct code_value v;
    bool known;

    if (w->depth > 150) {
        w->at = w->end;
        return plain(code_unknown());
    }
    w->depth++;
    left = conditional(w);
    t = now(w);
    if (t->kind == TOKEN_MARK && t->text[t->length - 1] == '=' && !code_token_is(t, "==") && !code_token_is(t, "!=") &&
        !code_token_is(t, "<=") && !code_token_is(t, ">=")) {
        struct code_place place = left.place;

        known = t->length > 1;
        v = known ? code_value_of(w, &left) : left.value;
        w->at++;
        right = code_assignment(w);
        code_value_of(w, &right);
        if (known) {
            if (t->text[0] == '-') {
                code_note_difference(w, &v, &right.value, t);
            }
            right.value = code_operate(t->length == 2 ? (unsigned char)t->text[0] : CODE_MARK2(t->text[0], t->text[1]),
                                       v, right.value);
        }
        code_store(w, &place, right.value);
        left = plain(right.value);
    }
    w->depth--;
    return left;
}

struct code_term code_expression(struct code_walk *w)
{
    struct code_term term = code_assignment(w);

    while (code_take(w, ",")) {
        code_value_of(w, &term);
        term = code_assignment(w);
    }
    return term;
}
