/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads registers in lines that people wrote: sentences, comments, logs and what debuggers print.
 *
 *     control register 0x41072009, enable set 1 << 31         PMCR_EL0.E = 1, MDCR_EL2.HPMN=6
 *     PMEVTYPER<0>_EL0: 0x8      CNT[1] evtsel=0x11           PMCNTENSET_EL0[31] = 0
 *     PMNC  =0x41072001          PMCCNTR_EL0 is 1000004       PMRC_EL0 = 0x41023001
 *
 * parse.c reads the formats of tools, and does not guess.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "loose.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Values.
 */

/* Skips what stands between a name and its value.  Returns true if it says that the value follows. */
static bool skip_joint(struct loose_scan *c)
{
    static const char *const joints[] = {"is",     "was",     "reads",    "read",    "as",      "contains", "holds",
                                         "has",    "equals",  "now",      "still",   "value",   "returns",  "gives",
                                         "shows",  "set",     "to",       "of",      "remains", "stays",    "at",
                                         "the",    "always",  "returned", "back",    "wrote",   "written",  "reset",
                                         "became", "becomes", "were",     "register", "write",  "writes"};
    bool joint = false, more = true;

    if (loose_ahead(c, 0) == '+') {
        loose_skip_offset(c);
    }
    while (more) {
        const char next = loose_ahead(c, 0);

        more = false;
        if ((next == '.' || next == '-' || next == '_' || next == '~') && loose_ahead(c, 1) == next) { /* leaders */
            while (loose_ahead(c, 0) == next) {
                c->at++;
            }
            joint = more = true;
            continue;
        }
        if (next == '=' || next == ':' || next == '|' || next == ',' || next == '"' || next == '\'' || next == '`' ||
            next == '>' || next == '\t' || next == ' ' || (next == '-' && loose_ahead(c, 1) == '>') ||
            (next == '<' && loose_ahead(c, 1) == '-')) {
            joint |= next == '=' || next == ':' || next == '|' || next == '>';
            if (next == '\'' && (loose_ahead(c, 1) | 0x20) == 'h') {
                return joint;
            }
            c->at += next == '<' ? 2 : 1;
            more = true;
            continue;
        }
        for (size_t i = 0; next > '9' && !more && i < sizeof joints / sizeof joints[0]; i++) { /* a letter */
            if (joints[i][0] == (next | 0x20) && loose_word_at(c, 0, joints[i])) {
                c->written |= strncmp(joints[i], "writ", 4) == 0 || strcmp(joints[i], "wrote") == 0;
                c->at += strlen(joints[i]);
                if (strcmp(joints[i], "at") == 0) {
                    loose_skip_offset(c);
                }
                joint = more = true;
            }
        }
    }
    return joint;
}

/* Returns true if the register holds a count. */
static bool is_count(const struct names_place *place)
{
    return place->view != NAMES_ARM11 && (place->reg == APMU_REG_PMEVCNTR_EL0 || place->reg == APMU_REG_PMCCNTR_EL0 ||
                                          place->reg == APMU_REG_PMICNTR_EL0 || place->reg == APMU_REG_PMXEVCNTR_EL0);
}

/* Returns true if a bare number of eight digits and the like is hexadecimal here. */
static bool is_hex(const struct loose_scan *c, const struct names_place *place)
{
    size_t digits = 0, decimals = 0;

    while (state_hex(loose_ahead(c, digits)) >= 0) {
        digits++;
    }
    while (loose_ahead(c, decimals) >= '0' && loose_ahead(c, decimals) <= '9') {
        decimals++;
    }
    if (is_count(place)) { /* a count in decimal has any number of digits, and no zero before them */
        const bool decimal = digits > 8 && digits != 16 && loose_ahead(c, 0) != '0' && decimals >= digits;

        return c->context->hex && digits >= 8 && !decimal;
    }
    return digits == 8 || c->context->hex;
}

/* Reads the value at the current place.  A bare number in a sentence is none, unless a joint precedes it. */
static bool read_value(struct loose_scan *c, const struct names_place *place, bool joint, uint64_t *value)
{
    bool marked;
    size_t used, after;

    if (!state_value(c->text + c->at, c->length - c->at, is_hex(c, place), value, &used, &marked)) {
        return false;
    }
    after = used;
    while (loose_ahead(c, after) == ' ') {
        after++;
    }
    if (!marked && !joint && used < 7 && state_is_word(loose_ahead(c, after)) && state_hex(loose_ahead(c, after)) < 0) {
        return false; /* "PMCR 5 times" */
    }
    if (!marked && loose_ahead(c, used) == '.' && loose_ahead(c, used + 1) >= '0' && loose_ahead(c, used + 1) <= '9') {
        return false; /* 1.5 */
    }
    c->at += used;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Facts.
 */

/* Returns true for the registers in which a 1 clears a bit. */
static bool clears(const struct names_place *place)
{
    return place->view != NAMES_ARM11 && (place->reg == APMU_REG_PMCNTENCLR_EL0 ||
                                          place->reg == APMU_REG_PMINTENCLR_EL1 || place->reg == APMU_REG_PMOVSCLR_EL0);
}

/* Takes a whole value. */
static void take(struct loose_scan *c, const struct names_place *place, uint64_t value, const char *name, size_t length)
{
    struct names_place wide = *place;
    struct state *s = c->written && c->context->written != NULL ? c->context->written : c->s;

    if (s == c->context->written && value != 0 && clears(place)) {
        return; /* the bits are 0 afterwards, and so are others perhaps */
    }
    if (place->view != NAMES_ARM11 && place->reg == APMU_REG_PMSELR_EL0) {
        c->selects = true;
        c->selected = (unsigned)(value & 31);
    }
    if (c->selects && c->selected < APMU_EVENT_COUNTERS && place->view != NAMES_ARM11 &&
        (place->reg == APMU_REG_PMXEVTYPER_EL0 || place->reg == APMU_REG_PMXEVCNTR_EL0)) { /* of this line's counter */
        wide.reg = place->reg == APMU_REG_PMXEVTYPER_EL0 ? APMU_REG_PMEVTYPER_EL0 : APMU_REG_PMEVCNTR_EL0;
        wide.n = c->selected;
    }
    if (place->view == NAMES_A32 && value >> 32 != 0 && place->shift == 0) { /* a 64-bit print of a 32-bit name */
        wide.mask = UINT64_MAX;
    }
    c->taken += state_take(s, &wide, value, c->line, name, length);
}

/* Takes the bits @msb to @lsb. */
static void take_bits(struct loose_scan *c, const struct names_place *place, unsigned msb, unsigned lsb, uint64_t value,
                      const char *name)
{
    struct state *s = c->written && c->context->written != NULL ? c->context->written : c->s;

    if (place->view == NAMES_ARM11 || place->reg == APMU_REG_PMXEVTYPER_EL0 || msb > 63 || msb < lsb ||
        (msb - lsb < 63 && value >> (msb - lsb + 1) != 0)) {
        return;
    }
    s->facts++;
    c->taken++;
    state_put(s, place->reg, place->n, APMU_BITS(msb, lsb), value << lsb, c->line, name);
}

/* Takes a field of @place that is named here, with its value: "E = 1".  Returns false if it is none. */
static bool take_field(struct loose_scan *c, const struct names_place *place)
{
    const struct apmu_reg_info *info = place->view == NAMES_ARM11 ? NULL : apmu_reg_info(place->reg);
    const size_t start = c->at;
    size_t length = 0;
    uint64_t value;

    while (state_is_word(loose_ahead(c, length))) {
        length++;
    }
    for (unsigned i = 0; info != NULL && length != 0 && i < info->field_count; i++) {
        const struct apmu_field *field = &info->fields[i];

        if ((field->name[0] | 0x20) != (c->text[c->at] | 0x20) || strlen(field->name) != length ||
            strncasecmp(field->name, c->text + c->at, length) != 0) {
            continue;
        }
        c->at += length;
        if (loose_ahead(c, 0) == '[' || loose_ahead(c, 0) == '(') {
            loose_skip_groups(c);
        }
        if (skip_joint(c) && read_value(c, place, true, &value)) {
            take_bits(c, place, field->msb, field->lsb, value, field->name);
            return true;
        }
        c->at = start;
    }
    return false;
}

/* Takes "[31] = 0" or ".31 = 0" or "bit 31 = 0" of @place.  Returns false if it is none. */
static bool take_bit(struct loose_scan *c, const struct names_place *place)
{
    const size_t start = c->at;
    unsigned number;
    uint64_t value;
    const size_t group = loose_ahead(c, 0) == '[' ? loose_bracketed(c, 0, &number) : 0;

    if (group == 0) {
        return false;
    }
    c->at += group;
    if (skip_joint(c) && read_value(c, place, true, &value) && value <= 1 && number < 64) {
        take_bits(c, place, number, number, value, "bit");
        return true;
    }
    c->at = start;
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lines.
 */

/* Returns true if a word of eight hexadecimal digits is here. */
static bool eight_digits(const struct loose_scan *c)
{
    size_t digits = 0;

    while (state_hex(loose_ahead(c, digits)) >= 0) {
        digits++;
    }
    return digits == 8 && !state_is_word(loose_ahead(c, 8));
}

/* Returns how many characters the number here has, and whether it has 0x in *@prefixed; 0: none. */
static size_t number_here(const struct loose_scan *c, bool *prefixed)
{
    size_t length = 0;

    *prefixed = loose_ahead(c, 0) == '0' && (loose_ahead(c, 1) | 0x20) == 'x';
    if (*prefixed) {
        length = 2;
    }
    while (state_hex(loose_ahead(c, length)) >= 0) {
        length++;
    }
    return state_is_word(loose_ahead(c, length)) ? 0 : length;
}

/*
 * Takes the values of later moments that stand behind the first one, which begins after @start: "0x1 / 0x2",
 * "05F5E2A0   0D18C70C".  They are written like the first.
 */
static void take_later(struct loose_scan *c, const struct names_place *place, size_t start, const char *name,
                       size_t length)
{
    const size_t end = c->at;
    bool prefixed, other;
    size_t first = 0;

    for (size_t i = end; i > start && first == 0; i--) { /* the length of the first number */
        if (!state_is_word(c->text[i - 1])) {
            c->at = i;
            first = number_here(c, &prefixed);
        }
    }
    c->at = end;
    for (unsigned k = 0; k < 8 && first != 0; k++) {
        const size_t here = c->at;
        uint64_t next;

        while (memchr(" \t/,.->|;", loose_ahead(c, 0), 10) != NULL && c->at < c->length) {
            c->at++;
        }
        const size_t digits = number_here(c, &other);

        if (c->at == here || digits == 0 || other != prefixed || (!prefixed && (digits != first || digits < 8)) ||
            !read_value(c, place, true, &next)) {
            c->at = here;
            return;
        }
        take(c, place, next, name, length);
    }
}

/* Skips the bracket that closes the one before @name: "[PMCR_EL0   ] = 0x41023001". */
static void skip_closing(struct loose_scan *c, const char *name)
{
    const char open = name > c->text ? name[-1] : '\0', next = loose_ahead(c, 0);

    if ((open == '[' && next == ']') || (open == '(' && next == ')') || (open == '{' && next == '}') ||
        (open == '<' && next == '>')) {
        c->at++;
        loose_skip_blanks(c);
    }
}

/* Returns true if the number that was read is a part of the value: "= 0x41 | N".  The name ends at @start. */
static bool is_part(const struct loose_scan *c, size_t start)
{
    size_t next = 0;

    if (memchr(c->text + start, '=', c->at - start) == NULL) {
        return false; /* a table may have bars */
    }
    while (loose_ahead(c, next) == ' ') {
        next++;
    }
    if (loose_ahead(c, next) != '|') {
        return false;
    }
    do {
        next++;
    } while (loose_ahead(c, next) == ' ');
    return (loose_ahead(c, next) | 0x20) >= 'a' && (loose_ahead(c, next) | 0x20) <= 'z';
}

/* Returns true if @name is an operand: of "pmcr |= 1", or a variable of a script as in "[expr {$pmcr | 0x5}]". */
static bool is_operand(const struct loose_scan *c, const char *name)
{
    size_t next = 0;

    while (loose_ahead(c, next) == ' ') {
        next++;
    }
    if ((loose_ahead(c, next) == '>' || loose_ahead(c, next) == '<') &&
        loose_ahead(c, next + 1) == loose_ahead(c, next)) {
        return true; /* "(pmcr >> 11) & 31" */
    }
    return loose_ahead(c, next) != '\0' && strchr("|&^~+", loose_ahead(c, next)) != NULL &&
           (loose_ahead(c, next + 1) == '=' || (name > c->text && name[-1] == '$'));
}

/* Takes what stands after the name of a register. */
static void take_register(struct loose_scan *c, const struct names_place *place, bool strict, const char *name,
                          size_t length)
{
    uint64_t value;
    struct loose_part part;
    const size_t start = c->at;

    c->current = *place;
    c->current_known = true;
    if (is_operand(c, name)) {
        return;
    }
    if (loose_ahead(c, 0) == '.' && state_is_word(loose_ahead(c, 1))) {
        c->at++;
        (void)take_field(c, place);
        return;
    }
    if (take_bit(c, place)) {
        return;
    }
    loose_skip_blanks(c);
    skip_closing(c, name);
    loose_skip_groups(c);
    const bool joint = skip_joint(c);
    const bool prefixed = (loose_ahead(c, 0) == '0' && (loose_ahead(c, 1) | 0x20) == 'x') || eight_digits(c);

    loose_skip_groups(c);
    if ((strict && !joint && !prefixed) || !read_value(c, place, joint, &value)) {
        c->at = c->at > start ? c->at : start;
        const size_t question = loose_ahead(c, 0) == '?';

        if (!strict && c->at + question >= c->length && !c->written) { /* the value may be alone on the next line */
            c->context->pending = *place;
            c->context->is_pending = c->context->next_line_only = true;
        }
        return;
    }
    if (is_part(c, start) || loose_is_elsewhere(c)) {
        return;
    }
    c->wrote = c->written;
    if (loose_part_of(c, place, name, value, &part)) {
        take_bits(c, place, part.msb, part.lsb, value, part.name);
        return;
    }
    if (!loose_is_before(c, place, value)) {
        take(c, place, value, name, length);
    }
    take_later(c, place, start, name, length);
}

/* Returns true for the 0 or 1 that something "is": "TPM and TPMCR are 0 in MDCR_EL2" gives bits of the register. */
static bool is_bit_value(const struct loose_scan *c)
{
    const char *p = c->text + c->number_end - 1;

    while (c->number <= 1 && p > c->text && *--p == ' ') {
    }
    return c->number <= 1 && p - c->text > 4 &&
           (*p == '=' || strncasecmp(p - 2, " is", 3) == 0 || strncasecmp(p - 3, " are", 4) == 0);
}

/* Takes "writes 0x27 to NAME": the number stands before the name at @start. */
static void take_earlier(struct loose_scan *c, const struct names_place *place, size_t start)
{
    const size_t at = c->at;
    size_t gap = c->number_end;

    while (gap < start && c->text[gap] == ' ') {
        gap++;
    }
    c->at = gap;
    if (c->number_end != 0 && start > gap && start - gap <= 10 &&
        (loose_word_at(c, 0, "to") || loose_word_at(c, 0, "into") || (loose_word_at(c, 0, "in") && !is_bit_value(c)))) {
        c->written = c->wrote = true;
        take(c, place, c->number, "the value written", strlen("the value written"));
        c->written = false;
    }
    c->at = at;
    c->number_end = 0;
}

/* Takes the value that is read back from the register that was written: "reads back 0x0".  The word is @word long. */
static bool take_back(struct loose_scan *c, size_t word)
{
    const size_t start = c->at;
    uint64_t value;

    c->at += word;
    (void)skip_joint(c);
    if (c->current_known && read_value(c, &c->current, true, &value)) {
        c->written = c->wrote = false;
        take(c, &c->current, value, "the value read back", strlen("the value read back"));
        return true;
    }
    c->at = start;
    return false;
}

/* Takes the value of a line that has nothing but a number, for the register that the line before asked for. */
static bool take_pending(struct loose_scan *c)
{
    const struct names_place place = c->context->pending;
    uint64_t value;
    size_t used;
    bool marked;

    loose_skip_blanks(c);
    if ((loose_ahead(c, 0) | 0x20) == 'a' && (loose_ahead(c, 1) == ':' || loose_ahead(c, 1) == '>')) {
        c->at += 2; /* an answer */
        loose_skip_blanks(c);
    }
    if (loose_ahead(c, 0) == '$' && loose_ahead(c, 1) >= '0' && loose_ahead(c, 1) <= '9') { /* "$1 = " of GDB */
        c->at++;
        while (state_is_word(loose_ahead(c, 0)) || loose_ahead(c, 0) == ' ' || loose_ahead(c, 0) == '=') {
            if (loose_ahead(c, 0) == '=') {
                c->at++;
                loose_skip_blanks(c);
                break;
            }
            c->at++;
        }
    }
    if (!c->context->is_pending ||
        !state_value(c->text + c->at, c->length - c->at, is_hex(c, &place), &value, &used, &marked)) {
        return false;
    }
    used += c->at;
    while (used < c->length && (c->text[used] == ' ' || c->text[used] == '\r')) {
        used++;
    }
    if (used < c->length) {
        return false;
    }
    take(c, &place, value, "the register asked for", strlen("the register asked for"));
    c->context->is_pending = false;
    return true;
}

/* Takes the value that follows a debugger's request on the same line. */
static void take_answer(struct loose_scan *c)
{
    const struct names_place place = c->context->pending;
    uint64_t value;

    const bool joint = skip_joint(c);
    const bool prefixed = loose_ahead(c, 0) == '0' && (loose_ahead(c, 1) | 0x20) == 'x';

    if ((joint || prefixed || eight_digits(c)) && read_value(c, &place, true, &value)) {
        take(c, &place, value, "the register asked for", strlen("the register asked for"));
        c->context->is_pending = false;
    }
}

/*
 * Takes "pmevtyper{0,1,2}_el0 = 0x8, 0x11" and "PMEVCNTR[4..5]   00000000 00000000".  The first word of the name has
 * @length characters.  Returns false if it is no list.
 */
static bool take_list(struct loose_scan *c, size_t length)
{
    const size_t start = c->at;
    struct loose_list list;
    struct names_place place;

    if (!loose_list_name(c, length, &list) || !loose_list_register(c->text + start, &list, list.numbers[0], &place)) {
        return false;
    }
    c->at += list.used;
    for (unsigned i = 0; i < list.count; i++) {
        uint64_t value;

        (void)skip_joint(c);
        while (memchr("[({;", loose_ahead(c, 0), 4) != NULL && c->at < c->length) {
            c->at++;
            loose_skip_blanks(c);
        }
        if (!loose_list_register(c->text + start, &list, list.numbers[i], &place) ||
            !read_value(c, &place, true, &value)) {
            break;
        }
        take(c, &place, value, c->text + start, length);
    }
    return true;
}

/* Notes the number here, which may be a value that stands before the name of its register. */
static void note_number(struct loose_scan *c)
{
    size_t used;
    bool marked;

    c->number_end = 0;
    if (loose_is_bit_number(c)) {
        return;
    }
    if (state_value(c->text + c->at, c->length - c->at, c->context->hex, &c->number, &used, &marked) &&
        !loose_is_field_value(c)) {
        c->number_end = c->at + used;
    }
}

unsigned state_line(struct state *s, struct state_loose *context, const char *text, size_t length, uint32_t line)
{
    struct loose_scan c = {
        .s = s, .context = context, .text = text, .length = length < 4000 ? length : 4000, .line = line};

    state_moment(s, text, length);
    if (take_pending(&c)) {
        return c.taken;
    }
    if (context->next_line_only) {
        context->is_pending = context->next_line_only = false;
    }
    c.at = 0;
    while (c.at < c.length) {
        const char next = loose_ahead(&c, 0);
        struct names_place place;
        size_t used = 0, word = 0;
        bool strict;

        if (!state_is_word(next)) {
            c.at++;
            continue;
        }
        while (state_is_word(loose_ahead(&c, word))) {
            word++;
        }
        if (next >= '0' && next <= '9') {
            note_number(&c);
            c.at += word;
            continue;
        }
        const struct loose_word *known = loose_word(c.text + c.at, word);

        c.written = (c.written || known->writes) && !known->reads;
        if (known->reads && c.wrote && take_back(&c, word)) {
            continue;
        }
        if (state_command(context, c.text + c.at, c.length - c.at, &used)) {
            c.at += used;
            take_answer(&c);
            continue;
        }
        const size_t start = c.at;

        if (take_list(&c, word)) {
            continue;
        }
        used = loose_find_name(&c, known, word, &place, &strict);
        if (used != 0) {
            take_earlier(&c, &place, start);
            c.at += used;
            take_register(&c, &place, strict, text + start, used);
        } else if (!c.current_known || !take_field(&c, &c.current)) {
            c.at += word;
        }
    }
    return c.taken;
}
