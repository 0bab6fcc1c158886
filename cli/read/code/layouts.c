/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layouts: which bits of a register its fields are, in structures and unions of bit-fields of C and C++, and in packed
 * structures of Zig.  An object of such a type is one value, and its members are bits of it.
 *
 *     union { uint64_t raw; struct { uint64_t e : 1, p : 1; } f; }         raw: bits 63:0, f.e: bit 0, f.p: bit 1
 *     const Pmcr = packed struct(u64) { e: bool = false, p: bool = false };
 */
#define _GNU_SOURCE
#include "internal.h"

enum { NESTED = 6 };

/* What is known of a type while its members are taken. */
struct taking {
    bool fields;     /* it has bit-fields */
    bool fails;      /* it is larger than a register, or has what this file does not read */
};

/* Returns the hash of the type without a name whose "{" is at @open. */
static uint64_t unnamed_type(size_t open)
{
    return code_hash(code_hash(CODE_HASH, "\004", 1), (const char *)&open, sizeof open);
}

/* Adds a member of @type; @member 0 stands for all of it. */
static struct code_field *add_field(struct code_walk *w, uint64_t type, uint64_t member, unsigned shift, unsigned bits)
{
    struct code_field *f;

    if ((w->field_count & (w->field_count - 1)) == 0) {
        w->fields = cli_allocate(w->fields, w->field_count == 0 ? 1 : 2 * w->field_count, sizeof *w->fields);
    }
    f = &w->fields[w->field_count++];
    *f = (struct code_field){.type = type, .member = member, .shift = (uint8_t)shift, .bits = (uint8_t)bits};
    return f;
}

static const struct code_field *find_field(const struct code_walk *w, uint64_t type, uint64_t member)
{
    for (size_t i = 0; i < w->field_count && type != 0; i++) {
        if (w->fields[i].type == type && w->fields[i].member == member) {
            return &w->fields[i];
        }
    }
    return NULL;
}

/* Returns the type that @type is another name of, or itself. */
static uint64_t real_type(const struct code_walk *w, uint64_t type)
{
    const struct code_field *f = find_field(w, type, 0);

    return f != NULL && f->sub != 0 ? f->sub : type;
}

bool code_has_layout(const struct code_walk *w, uint64_t type)
{
    return find_field(w, type, 0) != NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Declarations.
 */

static void take_members(struct code_walk *w, struct code_range body, bool is_union, uint64_t type, unsigned base,
                         unsigned *size, struct taking *t, unsigned depth);

/* Returns the offset at which a member of @bits bits begins, in units of @unit bits, behind @at. */
static unsigned align(unsigned at, unsigned bits, unsigned unit)
{
    return at % unit + bits > unit ? (at / unit + 1) * unit : at;
}

/* Takes "struct { ... } name;" with "{" at @open: a member of @type from bit @at on. */
static unsigned take_inner(struct code_walk *w, size_t open, size_t to, uint64_t type, unsigned at, struct taking *t,
                           unsigned depth)
{
    const size_t close = code_skip_bracket(w, open, to);
    const struct code_token *name = close < to && w->tokens[close].kind == TOKEN_NAME ? &w->tokens[close] : NULL;
    const uint64_t inner = unnamed_type(open);
    bool is_union = false;
    unsigned size = 0;

    for (size_t i = open; i-- > 0 && i + 8 > open && !is_union && !is_mark(&w->tokens[i], "struct");) {
        is_union = is_mark(&w->tokens[i], "union");
    }
    take_members(w, (struct code_range){open + 1, close - 1}, is_union, name != NULL ? inner : type,
                 name != NULL ? 0 : at, &size, t, depth + 1);
    if (name != NULL) {
        add_field(w, type, code_hash_of(name), at, size)->sub = inner;
        add_field(w, inner, 0, 0, size);
    }
    t->fails |= name != NULL && close + 1 < to && is_mark(&w->tokens[close + 1], "[");
    return size;
}

/* Takes one declarator, "e : 1" or "raw", of a member whose type has @width bits.  Returns the bit behind it. */
static unsigned take_declarator(struct code_walk *w, struct code_range d, uint64_t type, uint64_t sub, unsigned width,
                                unsigned at, struct taking *t)
{
    const struct code_token *name = NULL;
    struct code_value bits = code_known(width);
    struct code_field *f;
    size_t colon = d.from;
    uint8_t ignored;

    while (colon < d.to && !is_mark(&w->tokens[colon], ":") && !is_mark(&w->tokens[colon], "=")) {
        t->fails |= is_mark(&w->tokens[colon], "[") || is_mark(&w->tokens[colon], "*") ||
                    is_mark(&w->tokens[colon], "(");
        name = w->tokens[colon].kind == TOKEN_NAME && !code_is_type(&w->tokens[colon], &ignored) ? &w->tokens[colon]
                                                                                                 : name;
        colon++;
    }
    if (colon < d.to && is_mark(&w->tokens[colon], ":")) {
        bits = code_evaluate(w, (struct code_range){colon + 1, d.to}).value;
        t->fields = true;
        if (code_is_known(&bits) && bits.bits == 0) {
            return (at + width - 1) / width * width;
        }
    }
    if (!code_is_known(&bits) || bits.bits == 0 || bits.bits > 64) {
        t->fails = true;
        return at;
    }
    at = align(at, (unsigned)bits.bits, width);
    if (name != NULL && at + bits.bits <= 64) {
        f = add_field(w, type, code_hash_of(name), at, (unsigned)bits.bits);
        f->sub = sub;
    }
    return at + (unsigned)bits.bits;
}

/* Takes "uint64_t e : 1, p : 1" of a member from bit @at on, up to @to.  Returns the bit behind it. */
static unsigned take_plain(struct code_walk *w, size_t from, size_t to, uint64_t type, unsigned at, struct taking *t)
{
    unsigned width = 0;
    uint64_t sub = 0;
    size_t start = from;
    uint8_t is;

    for (size_t i = from; i < to && !is_mark(&w->tokens[i], ":") && !is_mark(&w->tokens[i], ","); i++) {
        const struct code_field *f = w->tokens[i].kind == TOKEN_NAME
                                         ? find_field(w, real_type(w, code_hash_of(&w->tokens[i])), 0)
                                         : NULL;

        if (f != NULL && i + 1 < to) {
            width = f->bits;
            sub = f->type;
            start = i + 1;
        } else if (code_is_type(&w->tokens[i], &is) && is > width) {
            width = is;
        }
    }
    width = width == 0 ? 64 : width; /* a type of another file */
    for (size_t i = start; i <= to && i < w->count; i++) {
        if (i == to || is_mark(&w->tokens[i], ",")) {
            at = take_declarator(w, (struct code_range){start, i}, type, sub, width, at, t);
            start = i + 1;
        }
    }
    return at;
}

/* Takes the members in @body, which begin at bit @base of @type.  Adds to *@size how many bits they have. */
static void take_members(struct code_walk *w, struct code_range body, bool is_union, uint64_t type, unsigned base,
                         unsigned *size, struct taking *t, unsigned depth)
{
    unsigned at = base, most = base;

    for (size_t i = body.from; i < body.to && depth < NESTED && !t->fails && code_spend(w, 1);) {
        size_t open = i, end;

        while (open < body.to && !is_mark(&w->tokens[open], ";") && !is_mark(&w->tokens[open], "{")) {
            open = is_mark(&w->tokens[open], "(") ? code_skip_bracket(w, open, body.to) : open + 1;
        }
        end = open;
        if (open < body.to && is_mark(&w->tokens[open], "{")) {
            at += take_inner(w, open, body.to, type, at, t, depth);
            end = code_skip_bracket(w, open, body.to);
            while (end < body.to && !is_mark(&w->tokens[end], ";")) {
                end++;
            }
        } else if (end > i) {
            at = take_plain(w, i, end, type, at, t);
        }
        most = at > most ? at : most;
        at = is_union ? base : at;
        i = end + 1;
    }
    t->fails |= depth >= NESTED || most > 64;
    *size = most - base;
}

/* Takes "e: bool = false, n: u5 = 0" of Zig: the members of @type. */
static void take_packed(struct code_walk *w, struct code_range body, uint64_t type, unsigned *size, struct taking *t)
{
    t->fields = true;
    for (size_t i = body.from; i < body.to && !t->fails && code_spend(w, 1);) {
        const struct code_token *name;
        struct code_field *f;
        size_t end = i, is;
        uint64_t bits = 0;
        uint8_t ignored;

        i += is_mark(&w->tokens[i], "@"); /* @"export" */
        name = &w->tokens[i];
        if (is_mark(name, "pub") || is_mark(name, "fn") || is_mark(name, "const")) {
            break; /* declarations follow the members */
        }
        while (end < body.to && !is_mark(&w->tokens[end], ",")) {
            end = is_mark(&w->tokens[end], "(") ? code_skip_bracket(w, end, body.to) : end + 1;
        }
        is = i + 2;
        if (is >= end || !is_mark(&w->tokens[i + 1], ":") || w->tokens[is].kind != TOKEN_NAME) {
            t->fails = true;
        } else if (code_token_is(&w->tokens[is], "bool")) {
            bits = 1;
        } else if (strchr("ui", w->tokens[is].text[0]) == NULL ||
                   code_number(w->tokens[is].text + 1, w->tokens[is].length - 1, &bits, &ignored) == 0) {
            const struct code_field *other = find_field(w, real_type(w, code_hash_of(&w->tokens[is])), 0);

            bits = other != NULL ? other->bits : 0;
        }
        t->fails |= bits == 0 || *size + bits > 64;
        if (!t->fails) {
            f = name->kind == TOKEN_STRING
                    ? add_field(w, type, code_hash(CODE_HASH, name->text + 1, name->length - 2), *size, (unsigned)bits)
                    : add_field(w, type, code_hash_of(name), *size, (unsigned)bits);
            f->first = is + 2 < end ? (struct code_range){is + 2, end} : f->first;
            *size += (unsigned)bits;
        }
        i = end + 1;
    }
}

/* Gives the type whose "{" is at @open its names: that between "union" and "{", and those behind "}" of a typedef. */
static void name_type(struct code_walk *w, size_t keyword, size_t open, uint64_t type)
{
    const size_t close = code_skip_bracket(w, open, w->count);
    size_t before = keyword;

    if (open > keyword + 1 && w->tokens[open - 1].kind == TOKEN_NAME) {
        add_field(w, code_hash_of(&w->tokens[open - 1]), 0, 0, 0)->sub = type;
    }
    while (before > 0 && (is_mark(&w->tokens[before - 1], "volatile") || is_mark(&w->tokens[before - 1], "const"))) {
        before--;
    }
    for (size_t i = close; i < w->count && i < close + 8 && !is_mark(&w->tokens[i], ";"); i++) {
        if (w->tokens[i].kind == TOKEN_NAME && before > 0 && is_mark(&w->tokens[before - 1], "typedef")) {
            add_field(w, code_hash_of(&w->tokens[i]), 0, 0, 0)->sub = type;
        } else if (w->tokens[i].kind == TOKEN_NAME) {
            code_make_variable(w, code_hash_of(&w->tokens[i]))->class = type;
        }
    }
    if (before > 2 && is_mark(&w->tokens[before - 1], "packed") && is_mark(&w->tokens[before - 2], "=")) {
        add_field(w, code_hash_of(&w->tokens[before - 3]), 0, 0, 0)->sub = type; /* const Pmcr = packed struct(u64) { */
    }
}

/* Takes the type whose keyword is token @keyword.  Returns the index after it, or after the keyword. */
static size_t take_type(struct code_walk *w, size_t keyword)
{
    const size_t fields = w->field_count;
    const bool zig = keyword > 0 && is_mark(&w->tokens[keyword - 1], "packed");
    struct taking t = {false, false};
    size_t open = keyword + 1, close;
    unsigned size = 0;

    while (open < w->count && open < keyword + 12 && !is_mark(&w->tokens[open], "{")) {
        if (w->tokens[open].kind == TOKEN_MARK && !is_mark(&w->tokens[open], "(") && !is_mark(&w->tokens[open], ":")) {
            return keyword + 1;
        }
        open = is_mark(&w->tokens[open], "(") ? code_skip_bracket(w, open, w->count) : open + 1;
    }
    if (open >= w->count || !is_mark(&w->tokens[open], "{")) {
        return keyword + 1;
    }
    close = code_skip_bracket(w, open, w->count);
    if (zig) {
        take_packed(w, (struct code_range){open + 1, close - 1}, unnamed_type(open), &size, &t);
    } else {
        take_members(w, (struct code_range){open + 1, close - 1}, is_mark(&w->tokens[keyword], "union"),
                     unnamed_type(open), 0, &size, &t, 0);
    }
    if (t.fails || !t.fields) {
        w->field_count = fields;
        return keyword + 1;
    }
    add_field(w, unnamed_type(open), 0, 0, size);
    name_type(w, keyword, open, unnamed_type(open));
    return close;
}

void code_take_layouts(struct code_walk *w)
{
    for (size_t i = 0; i + 1 < w->count && code_spend(w, 1);) {
        const bool is = is_mark(&w->tokens[i], "struct") || is_mark(&w->tokens[i], "union");

        i = is ? take_type(w, i) : i + 1;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Objects.
 */

static uint64_t mask_of(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Returns bits @shift on of @whole. */
static struct code_value extract(struct code_value whole, unsigned shift, unsigned bits)
{
    if (bits >= 64) {
        return whole;
    }
    whole = shift != 0 ? code_operate(CODE_MARK2('>', '>'), whole, code_known(shift)) : whole;
    return code_operate('&', whole, code_known(mask_of(bits)));
}

struct code_value code_insert(struct code_value whole, const struct code_place *place, struct code_value value)
{
    const uint64_t mask = mask_of(place->bits);

    if (place->bits >= 64) {
        return value;
    }
    value = code_operate('&', value, code_known(mask));
    value = place->shift != 0 ? code_operate(CODE_MARK2('<', '<'), value, code_known(place->shift)) : value;
    return code_operate('|', code_operate('&', whole, code_known(~(mask << place->shift))), value);
}

bool code_narrow(struct code_walk *w, struct code_term *term, const struct code_token *field)
{
    struct code_place *place = &term->place;
    const struct code_variable *v = NULL;
    const struct code_field *f;
    const bool quoted = field->kind == TOKEN_STRING && field->length > 2;
    uint64_t type = place->type;

    if (w->field_count == 0) {
        return false;
    }
    if (place->where == WHERE_VARIABLE) {
        v = code_find_variable(w, place->name);
        type = type == 0 && v != NULL ? v->class : type;
    }
    type = real_type(w, type);
    if (!code_has_layout(w, type)) {
        return false;
    }
    f = find_field(w, type, quoted ? code_hash(CODE_HASH, field->text + 1, field->length - 2) : code_hash_of(field));
    if (f == NULL) {
        *term = code_plain(code_unknown());
        return true;
    }
    term->value = v != NULL && place->bits == 0 ? v->value : term->value;
    term->value = extract(term->value, f->shift, f->bits);
    place->shift = (uint8_t)(place->shift + f->shift);
    place->bits = f->bits;
    place->type = f->sub;
    place->token = field;
    return true;
}

/* Returns the first value of an object of @type: what its declaration gives the members, otherwise 0. */
static struct code_value first_value(struct code_walk *w, uint64_t type)
{
    struct code_value value = code_known(0);

    for (size_t i = 0; i < w->field_count; i++) {
        const struct code_field f = w->fields[i];

        if (f.type == type && f.member != 0 && f.first.to > f.first.from) {
            const struct code_place place = {.shift = f.shift, .bits = f.bits};
            struct code_term term = code_evaluate(w, f.first);

            value = code_insert(value, &place, code_value_of(w, &term));
        }
    }
    return value;
}

/* Stores the item from @from to @to, ".e = 1" or "{...}" or "x", in *@value.  @n is its number. */
static void take_item(struct code_walk *w, uint64_t type, size_t from, size_t to, unsigned n, struct code_value *value)
{
    struct code_term term = {.value = *value, .place = {.type = type}};
    struct code_place place;
    struct code_value item;

    while (from + 1 < to && is_mark(&w->tokens[from], ".") && !is_mark(&w->tokens[from + 1], "{")) {
        from += 1 + is_mark(&w->tokens[from + 1], "@");
        if (!code_narrow(w, &term, &w->tokens[from++]) || term.place.bits == 0) {
            *value = code_unknown();
            return;
        }
    }
    for (size_t i = 0; i < w->field_count && term.place.bits == 0 && n == 0; i++) { /* the first member */
        if (w->fields[i].type == type && w->fields[i].member != 0) {
            term.place = (struct code_place){.shift = 0, .bits = w->fields[i].bits, .type = w->fields[i].sub};
            break;
        }
    }
    if (term.place.bits == 0) {
        *value = code_unknown();
        return;
    }
    place = term.place;
    from += from < to && is_mark(&w->tokens[from], "=");
    from += from < to && is_mark(&w->tokens[from], ".");
    if (from < to && is_mark(&w->tokens[from], "{")) {
        const size_t at = w->at;

        w->at = from;
        item = code_literal(w, place.type);
        w->at = at;
    } else {
        term = code_evaluate(w, (struct code_range){from, to});
        item = code_value_of(w, &term);
    }
    *value = code_insert(*value, &place, item);
}

struct code_value code_literal(struct code_walk *w, uint64_t type)
{
    const size_t open = w->at, after = code_skip_bracket(w, open, w->end);
    struct code_arguments items = {0};
    struct code_value value;

    type = real_type(w, type);
    value = first_value(w, type);
    if (after > open + 2) {
        code_split_arguments(w, open + 1, after - 1, &items);
    }
    for (unsigned i = 0; i < items.count; i++) {
        take_item(w, type, items.ranges[i].from, items.ranges[i].to, i, &value);
    }
    w->at = after;
    return items.count < sizeof items.ranges / sizeof items.ranges[0] ? value : code_unknown();
}

uint64_t code_type_before_brace(struct code_walk *w, size_t at)
{
    const bool brace = at + 1 < w->end && is_mark(&w->tokens[at + 1], "{");
    const uint64_t type = brace && w->tokens[at].kind == TOKEN_NAME ? code_hash_of(&w->tokens[at]) : 0;

    return w->field_count != 0 && code_has_layout(w, type) ? type : 0;
}

uint64_t code_type_of_parameter(const struct code_walk *w, const struct code_token *name)
{
    const size_t at = (size_t)(name - w->lexed->tokens);

    for (size_t i = at; i-- > 0 && i + 5 > at && w->field_count != 0;) { /* const pmcr_t *r */
        const struct code_token *t = &w->lexed->tokens[i];

        if (is_mark(t, ",") || is_mark(t, "(") || is_mark(t, ")")) {
            break;
        }
        if (t->kind == TOKEN_NAME && code_has_layout(w, code_hash_of(t))) {
            return code_hash_of(t);
        }
    }
    for (size_t i = at + 1; i < w->count && i < at + 5 && w->field_count != 0; i++) { /* r: *const Pmcr */
        const struct code_token *t = &w->lexed->tokens[i];

        if (!is_mark(&w->lexed->tokens[at + 1], ":") || is_mark(t, ",") || is_mark(t, ")")) {
            break;
        }
        if (t->kind == TOKEN_NAME && code_has_layout(w, code_hash_of(t))) {
            return code_hash_of(t);
        }
    }
    return 0;
}

void code_return_objects(struct code_walk *w, const struct code_definition *d, const struct code_arguments *arguments,
                         uint32_t caller)
{
    const uint32_t frame = w->frame;

    for (unsigned i = 0; i < d->parameter_count && i < arguments->count && w->field_count != 0 && !d->macro; i++) {
        const struct code_range range = arguments->ranges[i];
        const struct code_variable *v = code_find_variable(w, code_hash_of(d->parameters[i]));
        struct code_variable *object;

        if (v == NULL || v->class == 0 || range.to != range.from + 2 || !is_mark(&w->tokens[range.from], "&")) {
            continue;
        }
        const struct code_value value = v->value;

        w->frame = caller;
        object = code_find_variable(w, code_hash_of(&w->tokens[range.from + 1]));
        if (object != NULL) {
            object->value = value;
        }
        w->frame = frame;
    }
}

void code_forget_whole(struct code_walk *w, const struct code_place *place)
{
    static const char *const names[] = {"raw", "reg", "val", "value", "word", "all", "u32", "u64", "bits", "as_u64",
                                        "as_u32", "full", "whole"};
    struct code_variable *v;

    for (unsigned k = 0; k < 2 && place->around[k] != 0; k++) {
        const uint64_t within = code_hash(place->around[k], ".", 1);

        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const uint64_t name = code_hash(within, names[i], strlen(names[i]));

            v = name != place->name ? code_find_variable(w, name) : NULL;
            if (v != NULL) {
                v->value = (struct code_value){.vague = true, .read = v->value.read};
            }
        }
    }
}
