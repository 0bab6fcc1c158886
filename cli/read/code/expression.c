/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates expressions of C, C++, Rust and Ada.  What it does not understand is an unknown value. */
#define _GNU_SOURCE
#include "internal.h"

const struct code_token *code_now(const struct code_walk *w)
{
    static const struct code_token none = {"", 0, 0, 0, TOKEN_END, false};

    return w->at < w->end ? &w->tokens[w->at] : &none;
}

bool code_at(struct code_walk *w, const char *mark)
{
    const struct code_token *t = code_now(w);

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
        {"uint64_t", 64},  {"u64", 64},      {"int64_t", 64},       {"s64", 64},
        {"i64", 64},       {"size_t", 64},   {"usize", 64},         {"uintptr_t", 64},
        {"UINT64", 64},    {"__u64", 64},    {"uint64", 64},        {"cycles_t", 64},
        {"ulong", 64},     {"uint32_t", 32}, {"u32", 32},           {"int32_t", 32},
        {"s32", 32},       {"i32", 32},      {"UINT32", 32},        {"__u32", 32},
        {"uint32", 32},    {"unsigned", 32}, {"int", 32},           {"uint", 32},
        {"uint16_t", 16},  {"u16", 16},      {"uint8_t", 8},        {"u8", 8},
        {"char", 8},       {"void", 0},      {"long", 64},          {"vu32", 32},
        {"vuint32_t", 32}, {"auto", 0},      {"bool", 8},           {"const", 0},
        {"volatile", 0},   {"static", 0},    {"register", 0},       {"signed", 32},
        {"short", 16},     {"struct", 0},    {"inline", 0},         {"constexpr", 0},
        {"mut", 0},        {"__iomem", 0},   {"__IO", 0},           {"__IOM", 0},
        {"double", 64},    {"float", 32},    {"u_register_t", 64},  {"register_t", 64},
        {"ssize_t", 64},   {"extern", 0},    {"u_int32_t", 32},     {"u_int64_t", 64},
        {"u_int", 32},     {"ULONG", 64},    {"vu64", 64},          {"u128", 0},
        {"jint", 32},      {"jlong", 64},    {"uint_fast32_t", 32},
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

struct code_term code_plain(struct code_value value)
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
    case WHERE_VARIABLE:
        if (w->has_operators) { /* a conversion: operator uint64_t() */
            struct code_definition *d = code_find_operator(w, place->name, "", 0);

            if (d != NULL) {
                static const struct code_arguments none = {0};

                term->value = code_follow(w, d, &none);
            }
        }
        break;
    default:
        break;
    }
    place->where = place->where == WHERE_VARIABLE ? WHERE_VARIABLE : WHERE_NOWHERE;
    return term->value;
}

/* Notes a count of 64 bits that loses its upper half, and one of 32 bits that pretends to have one. */
void code_note_width(struct code_walk *w, const struct code_value *value, unsigned width,
                     const struct code_token *token)
{
    if (value->read == 0 || value->read > w->code->step_count || (value->changed && !(value->span && width == 32))) {
        return;
    }
    if (value->span) {
        code_step_add(w, CODE_NARROWED, token)->value = *value;
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

/* Returns the variable of @place.  What a pointer points to is the same for all functions. */
static struct code_variable *make_stored(struct code_walk *w, const struct code_place *place)
{
    const uint32_t frame = w->frame;
    struct code_variable *v;

    w->frame = place->pointed ? 0 : frame;
    v = code_make_variable(w, place->name);
    w->frame = frame;
    return v;
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
        v = make_stored(w, place);
        if (v->place.where == WHERE_REGISTER) {
            code_write_register(w, &v->place.reg, place->token, value, 32, CODE_INLINE);
            break;
        }
        if (place->bits != 0) {
            v->value = code_insert(v->value, place, value);
            break;
        }
        code_forget_whole(w, place);
        code_note_width(w, &value, v->width, place->token);
        v->value = v->width == 32 && value.element == 0 ? code_cut(value, 32) : value;
        v->value.width = v->width != 0 ? v->width : value.width;
        code_number_stranger(w, &v->value);
        break;
    default:
        break;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Operators.
 */

struct code_term code_dereference(struct code_walk *w, struct code_term term, const struct code_token *token)
{
    const bool named = w->has_frame || code_names_pmu(term.place.token) || term.place.known_pmu;
    const struct code_value address = code_value_of(w, &term);
    const bool pmu = named || (w->has_halves && code_is_half(&address));
    const bool half = pmu && code_is_half(&address);
    struct code_place place = {.where = WHERE_NOWHERE, .token = token};

    if (!half && address.known == 0 && address.read == 0 && term.place.where == WHERE_VARIABLE &&
        term.place.name != 0) {
        struct code_variable *v; /* *start, where a parameter points to a variable of the caller */

        place.where = WHERE_VARIABLE;
        place.pointed = true;
        place.name = code_hash(term.place.name, "*", 1);
        v = code_find_variable(w, place.name);
        return (struct code_term){.value = v != NULL ? v->value : code_unknown(), .place = place};
    }
    if (w->code->facts[CODE_HAS_RUST] != 0 && term.place.where == WHERE_VARIABLE && address.element == 0 &&
        code_is_known(&address)) {
        return code_plain(address); /* a reference to a number: Rust's pointers have casts */
    }
    if (half || (address.known & 0xFFF) == 0xFFF) {
        place.where = WHERE_MEMORY;
        place.address = address;
        place.width = address.element >= 8 ? 64 : 32;
        place.known_pmu = pmu;
    }
    return (struct code_term){.value = code_unknown(), .place = place};
}

/* Returns true if the tokens are those of a text in Ada, and not of an assembler's operand in it. */
static bool is_ada(const struct code_walk *w)
{
    return w->lexed->ada && w->tokens == w->lexed->tokens;
}

struct code_term code_unary(struct code_walk *w)
{
    const struct code_token *t = code_now(w);
    struct code_term term;

    if (!code_spend(w, 1) || w->depth > 200) {
        w->at = w->end;
        return code_plain(code_unknown());
    }
    if (is_ada(w) && is_mark(t, "not")) {
        w->at++;
        w->depth++;
        term = code_unary(w);
        w->depth--;
        return code_plain(code_not(code_value_of(w, &term)));
    }
    if (t->kind != TOKEN_MARK) {
        return code_primary(w);
    }
    if (code_token_is(t, "*")) {
        w->at++;
        w->depth++;
        term = code_unary(w);
        term = code_dereference(w, term, t);
        w->depth--;
        return term;
    }
    if (code_token_is(t, "&") || code_token_is(t, "&&")) {
        w->at++;
        code_take(w, "mut");
        w->depth++;
        term = code_unary(w);
        w->depth--;
        if (term.place.where == WHERE_MEMORY) {
            return code_plain(term.place.address);
        }
        return term;
    }
    if (code_token_is(t, "~") || code_token_is(t, "!") || code_token_is(t, "-") || code_token_is(t, "+") ||
        code_token_is(t, "++") || code_token_is(t, "--")) {
        struct code_value v;

        w->at++;
        w->depth++;
        term = code_unary(w);
        w->depth--;
        v = code_value_of(w, &term);
        if (t->text[0] == '!' && w->code->facts[CODE_HAS_RUST] == 0) {
            return code_plain(code_operate(CODE_MARK2('=', '='), v, code_known(0)));
        }
        return code_plain(t->text[0] == '~' || t->text[0] == '!' ? code_not(v)
                          : t->length == 1 && t->text[0] == '-'  ? code_operate('-', code_known(0), v)
                                                                 : v);
    }
    w->depth++;
    term = code_primary(w);
    w->depth--;
    return term;
}

/* Stores the operator of C that @t, a token of Ada, is.  Returns its precedence, 0 if it is no binary operator. */
static unsigned ada_precedence(const struct code_token *t, unsigned *operator)
{
    static const struct {
        const char *text;
        unsigned operator, level;
    } operators[] = {
        {"**", CODE_MARK2('*', '*'), 5}, {"*", '*', 4},   {"/", '/', 4},   {"mod", '%', 4},
        {"rem", '%', 4},                 {"+", '+', 3},   {"-", '-', 3},   {"=", CODE_MARK2('=', '='), 2},
        {"/=", CODE_MARK2('!', '='), 2}, {"<", '<', 2},   {">", '>', 2},   {"<=", CODE_MARK2('<', '='), 2},
        {">=", CODE_MARK2('>', '='), 2}, {"and", '&', 1}, {"or", '|', 1},  {"xor", '^', 1},
    };

    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (is_mark(t, operators[i].text)) {
            *operator= operators[i].operator;
            return operators[i].level;
        }
    }
    return 0;
}

/* Stores the binary operator that @t is.  Returns its precedence, 0 if it is none. */
static unsigned precedence(const struct code_walk *w, const struct code_token *t, unsigned *operator)
{
    static const struct {
        const char *text;
        unsigned level;
    } operators[] = {
        {"*", 10}, {"/", 10}, {"%", 10}, {"//", 10}, {"+", 9},  {"-", 9}, {"<<", 8}, {">>", 8}, {"<", 7},  {">", 7},
        {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6}, {"&", 5}, {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1},
    };

    if (is_ada(w)) {
        return ada_precedence(t, operator);
    }
    for (size_t i = 0; t->kind == TOKEN_MARK && i < sizeof operators / sizeof operators[0]; i++) {
        if (code_token_is(t, operators[i].text)) {
            *operator= t->length == 1 ? (unsigned char)t->text[0] : CODE_MARK2(t->text[0], t->text[1]);
            return operators[i].level;
        }
    }
    return 0;
}

static struct code_term binary(struct code_walk *w, unsigned lowest)
{
    struct code_term left = code_unary(w);
    unsigned operator= 0, level;

    while ((level = precedence(w, code_now(w), &operator)) >= lowest && level != 0 && code_spend(w, 1)) {
        struct code_value a = code_value_of(w, &left), b;
        struct code_term right;
        const bool pmu = code_names_pmu(left.place.token) || left.place.known_pmu;

        w->at++;
        w->depth++;
        right = w->depth < 200 ? binary(w, level + 1) : code_plain(code_unknown());
        w->depth--;
        b = code_value_of(w, &right);
        if ((operator== '+' || operator== '-') && a.element > 1) {
            b = code_operate('*', b, code_known(a.element));
        }
        if (operator== '-') {
            code_note_difference(w, &a, &b, &w->tokens[w->at - 1]);
        }
        left = code_plain(code_operate(operator, a, b));
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
        return code_plain(condition.bits != 0 ? yes.value : no.value);
    }
    yes.value.known &= no.value.known & ~(yes.value.bits ^ no.value.bits);
    yes.value.bits &= yes.value.known;
    yes.value.kept &= yes.value.read == no.value.read ? no.value.kept : 0;
    return code_plain(yes.value);
}

/* Calls the operator of an object's class for "object = value".  Returns false if the text has none. */
static bool assign_object(struct code_walk *w, const struct code_place *place, const struct code_token *operator)
{
    struct code_definition *d = code_find_operator(w, place->name, operator->text, operator->length);
    struct code_arguments arguments = {.count = 1};
    size_t end = w->at + 1;

    if (d == NULL || w->tokens != w->lexed->tokens) {
        return false;
    }
    while (end < w->end && !is_mark(&w->tokens[end], ";") && !is_mark(&w->tokens[end], ",") &&
           !is_mark(&w->tokens[end], ")")) {
        end = is_mark(&w->tokens[end], "(") ? code_skip_bracket(w, end, w->end) : end + 1;
    }
    arguments.ranges[0] = (struct code_range){w->at + 1, end};
    code_follow(w, d, &arguments);
    w->at = end;
    return true;
}

struct code_term code_assignment(struct code_walk *w)
{
    struct code_term left, right;
    const struct code_token *t;
    struct code_value v;
    bool known;

    if (w->depth > 150) {
        w->at = w->end;
        return code_plain(code_unknown());
    }
    w->depth++;
    left = conditional(w);
    t = code_now(w);
    if (t->kind == TOKEN_MARK && t->text[t->length - 1] == '=' && !code_token_is(t, "==") && !code_token_is(t, "!=") &&
        !code_token_is(t, "<=") && !code_token_is(t, ">=")) {
        struct code_place place = left.place;

        if (place.where == WHERE_VARIABLE && assign_object(w, &place, t)) {
            w->depth--;
            return code_plain(code_unknown());
        }
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
        left = code_plain(right.value);
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
