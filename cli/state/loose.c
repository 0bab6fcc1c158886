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
#include <string.h>
#include <strings.h>

#include "internal.h"

/* A scan of one line. */
struct loose_scan {
    struct state *s;
    struct state_loose *context;
    const char *text;
    size_t length, at;
    uint32_t line;
    unsigned taken;
    bool written;       /* a word says that the values are written or wanted */
    bool current_known; /* .current is the register of the fields that follow */
    struct names_place current;
};

static char ahead(const struct loose_scan *c, size_t offset)
{
    return c->at + offset < c->length ? c->text[c->at + offset] : '\0';
}

static void skip_blanks(struct loose_scan *c)
{
    while (ahead(c, 0) == ' ' || ahead(c, 0) == '\t') {
        c->at++;
    }
}

/* Returns true if @word, in lower case, is at @offset as a whole word. */
static bool word_at(const struct loose_scan *c, size_t offset, const char *word)
{
    const size_t length = strlen(word);

    return c->at + offset + length <= c->length && strncasecmp(c->text + c->at + offset, word, length) == 0 &&
           !state_is_word(ahead(c, offset + length));
}

/* ---------------------------------------------------------------------------------------------------------------
 * Names.
 */

/* The rows of aliases.def. */
static const struct alias {
    const char *words, *name;
    bool strict, v7;
} aliases[] = {
#define ALIAS(words, name, strict)    {words, name, strict, false},
#define ALIAS_V7(words, name, strict) {words, name, strict, true},
#include "aliases.def"
};

/* Returns how many characters match the alias, whose blanks match blanks, - and _; 0: it is another. */
static size_t match_alias(const struct loose_scan *c, const char *words)
{
    size_t i = 0;

    for (; *words != '\0'; words++) {
        const char next = ahead(c, i);

        if (*words == ' ') {
            if (next != ' ' && next != '-' && next != '_') {
                return 0;
            }
            i++;
            while (ahead(c, i) == ' ') {
                i++;
            }
        } else if ((next >= 'A' && next <= 'Z' ? next | 0x20 : next) != *words) {
            return 0;
        } else {
            i++;
        }
    }
    return state_is_word(ahead(c, i)) ? 0 : i;
}

/* Finds the longest alias here.  Returns its length; 0: none. */
static size_t find_alias(const struct loose_scan *c, const struct alias **found)
{
    size_t best = 0;

    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if ((ahead(c, 0) | 0x20) == aliases[i].words[0] && (!aliases[i].v7 || c->context->armv7)) {
            const size_t length = match_alias(c, aliases[i].words);

            if (length > best) {
                best = length;
                *found = &aliases[i];
            }
        }
    }
    return best;
}

/* Reads a bracketed number at @offset: "<0>", "[0]", "(0)".  Returns its length, 0 if there is none. */
static size_t bracketed(const struct loose_scan *c, size_t offset, unsigned *number)
{
    const char open = ahead(c, offset);
    const char close = open == '<' ? '>' : open == '[' ? ']' : open == '(' ? ')' : '\0';
    size_t i = offset + 1;

    *number = 0;
    while (close != '\0' && ahead(c, i) >= '0' && ahead(c, i) <= '9' && i < offset + 3) {
        *number = *number * 10 + (unsigned)(ahead(c, i++) - '0');
    }
    return close != '\0' && i > offset + 1 && ahead(c, i) == close ? i + 1 - offset : 0;
}

/* Finds a bank's register whose number is in brackets: "PMEVTYPER<0>_EL0", "pmevcntr[2]".  Returns its length. */
static size_t bank_name(const struct loose_scan *c, size_t length, struct names_place *place)
{
    char name[32];
    unsigned number;
    size_t used, tail = 0;
    const size_t group = bracketed(c, length, &number);

    if (group == 0 || length > 12) {
        return 0;
    }
    used = length + group;
    while (state_is_word(ahead(c, used + tail)) && tail < 8) {
        tail++;
    }
    memcpy(name, c->text + c->at, length);
    for (unsigned i = 0; i < 2; i++) { /* with the suffix, and with _EL0 where there is none */
        size_t n = length;

        if (number >= 10) {
            name[n++] = (char)('0' + number / 10 % 10);
        }
        name[n++] = (char)('0' + number % 10);
        memcpy(name + n, tail != 0 ? c->text + c->at + used : "_EL0", tail != 0 ? tail : i == 0 ? 0 : 4);
        n += tail != 0 ? tail : i == 0 ? 0 : 4;
        if (names_by_name(name, n, place)) {
            return used + tail;
        }
    }
    return 0;
}

/* Finds the kernel's "CNT[1] evtsel" and "CNT[1] count" of ARMv7.  Returns its length. */
static size_t kernel_counter(const struct loose_scan *c, struct names_place *place)
{
    unsigned number;
    char name[24];
    size_t used;
    const size_t group = word_at(c, 0, "cnt") ? bracketed(c, 3, &number) : 0;

    if (group == 0) {
        return 0;
    }
    used = 3 + group;
    while (ahead(c, used) == ' ') {
        used++;
    }
    const bool type = word_at(c, used, "evtsel"), count = word_at(c, used, "count");
    const int length = snprintf(name, sizeof name, type ? "PMEVTYPER%u" : "PMEVCNTR%u", number);

    return (type || count) && names_by_name(name, (size_t)length, place) ? used + (type ? 6 : 5) : 0;
}

/* Returns the number of edits that make @a, of @length characters, the name @b; at most 3. */
static unsigned distance(const char *a, size_t length, const char *b)
{
    const size_t other = strlen(b);
    unsigned same = 0, first = 0;

    if (length > other + 1 || other > length + 1) {
        return 3;
    }
    while (first < length && first < other && (a[first] & ~0x20) == (b[first] & ~0x20)) {
        first++;
    }
    while (same < length - first && same < other - first &&
           (a[length - 1 - same] & ~0x20) == (b[other - 1 - same] & ~0x20)) {
        same++;
    }
    const size_t left = length - first - same, right = other - first - same;

    if (left == 2 && right == 2 && (a[first] & ~0x20) == (b[first + 1] & ~0x20) &&
        (a[first + 1] & ~0x20) == (b[first] & ~0x20)) {
        return 1; /* two letters swapped */
    }
    return (unsigned)(left > right ? left : right);
}

/* Finds the register that a mistyped name means: PMRC_EL0.  Returns false if none or several are as near. */
static bool mistyped(const char *name, size_t length, struct names_place *place, const char **meant)
{
    static const char *const names[] = {
        "PMCR_EL0",      "PMCNTENSET_EL0", "PMCNTENCLR_EL0", "PMOVSCLR_EL0",   "PMOVSSET_EL0",   "PMSELR_EL0",
        "PMCEID0_EL0",   "PMCEID1_EL0",    "PMCCNTR_EL0",    "PMXEVTYPER_EL0", "PMXEVCNTR_EL0",  "PMCCFILTR_EL0",
        "PMUSERENR_EL0", "PMINTENSET_EL1", "PMINTENCLR_EL1", "PMEVTYPER0_EL0", "PMEVTYPER1_EL0", "PMEVCNTR0_EL0",
        "PMEVCNTR1_EL0", "MDCR_EL2",       "MDCR_EL3",       "PMCNTENSET",     "PMUSERENR",      "PMCCNTR",
        "PMINTENSET",    "PMXEVTYPER",
    };
    unsigned hits = 0;

    if (length < 6 || (name[0] | 0x20) == 'x' || names_by_name(name, length, place)) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (distance(name, length, names[i]) == 1) {
            *meant = names[i];
            hits++;
        }
    }
    return hits == 1 && names_by_name(*meant, strlen(*meant), place);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Values.
 */

/* Skips "(...)" and "[...]" of at most 24 characters that are not part of a value. */
static void skip_groups(struct loose_scan *c)
{
    for (unsigned k = 0; k < 3; k++) {
        const char open = ahead(c, 0), close = open == '(' ? ')' : open == '[' ? ']' : '\0';
        size_t i = 1;

        if (close == '\0' ||
            (ahead(c, 1) >= '0' && ahead(c, 1) <= '9' && memchr(c->text + c->at, '<', c->length - c->at) != NULL &&
             open == '(' && ahead(c, 2) != ')')) {
            return;
        }
        while (i < 28 && ahead(c, i) != close && ahead(c, i) != '\0') {
            i++;
        }
        if (ahead(c, i) != close) {
            return;
        }
        c->at += i + 1;
        skip_blanks(c);
    }
}

/* Skips what stands between a name and its value.  Returns true if it says that the value follows. */
static bool skip_joint(struct loose_scan *c)
{
    static const char *const joints[] = {"is",     "was",     "reads",    "read",    "as",      "contains", "holds",
                                         "has",    "equals",  "now",      "still",   "value",   "returns",  "gives",
                                         "shows",  "set",     "to",       "of",      "remains", "stays",    "at",
                                         "the",    "always",  "returned", "back",    "wrote",   "written",  "reset",
                                         "became", "becomes", "were",     "register"};
    bool joint = false, more = true;

    while (more) {
        const char next = ahead(c, 0);

        more = false;
        if (next == '=' || next == ':' || next == '|' || next == ',' || next == '"' || next == '\'' || next == '>' ||
            next == '\t' || next == ' ' || (next == '-' && ahead(c, 1) == '>') || (next == '<' && ahead(c, 1) == '-')) {
            joint |= next == '=' || next == ':' || next == '|' || next == '>';
            if (next == '\'' && (ahead(c, 1) | 0x20) == 'h') {
                return joint;
            }
            c->at += next == '<' ? 2 : 1;
            more = true;
            continue;
        }
        for (size_t i = 0; !more && i < sizeof joints / sizeof joints[0]; i++) {
            if (word_at(c, 0, joints[i])) {
                c->written |= strcmp(joints[i], "wrote") == 0 || strcmp(joints[i], "written") == 0;
                c->at += strlen(joints[i]);
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
    size_t digits = 0;

    while (state_hex(ahead(c, digits)) >= 0) {
        digits++;
    }
    if (is_count(place)) {
        return c->context->hex && digits >= 8;
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
    while (ahead(c, after) == ' ') {
        after++;
    }
    if (!marked && !joint && used < 7 && state_is_word(ahead(c, after)) && state_hex(ahead(c, after)) < 0) {
        return false; /* "PMCR 5 times" */
    }
    if (!marked && ahead(c, used) == '.' && ahead(c, used + 1) >= '0' && ahead(c, used + 1) <= '9') {
        return false; /* 1.5 */
    }
    c->at += used;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Facts.
 */

/* Takes a whole value. */
static void take(struct loose_scan *c, const struct names_place *place, uint64_t value, const char *name, size_t length)
{
    struct names_place wide = *place;
    struct state *s = c->written && c->context->written != NULL ? c->context->written : c->s;

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

    while (state_is_word(ahead(c, length))) {
        length++;
    }
    for (unsigned i = 0; info != NULL && length != 0 && i < info->field_count; i++) {
        const struct apmu_field *field = &info->fields[i];

        if (strlen(field->name) != length || strncasecmp(field->name, c->text + c->at, length) != 0) {
            continue;
        }
        c->at += length;
        if (ahead(c, 0) == '[' || ahead(c, 0) == '(') {
            skip_groups(c);
        }
        if (skip_joint(c) && read_value(c, place, true, &value)) {
            take_bits(c, place, field->msb, field->lsb, value, field->name);
            return true;
        }
    }
    c->at = start;
    return false;
}

/* Takes "[31] = 0" or ".31 = 0" or "bit 31 = 0" of @place.  Returns false if it is none. */
static bool take_bit(struct loose_scan *c, const struct names_place *place)
{
    const size_t start = c->at;
    unsigned number;
    uint64_t value;
    const size_t group = ahead(c, 0) == '[' ? bracketed(c, 0, &number) : 0;

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

/* Finds the register that is named here.  Returns the length of the name, 0 if there is none. */
static size_t find_name(struct loose_scan *c, struct names_place *place, bool *strict)
{
    const char *name = c->text + c->at, *meant;
    const size_t left = c->length - c->at;
    const struct alias *alias = NULL;
    size_t length = 0, used;

    *strict = false;
    while (state_is_word(ahead(c, length))) {
        length++;
    }
    used = names_by_operands(name, left, place);
    used = used != 0 ? used : kernel_counter(c, place);
    used = used != 0 ? used : bank_name(c, length, place);
    if (used != 0) {
        return used;
    }
    used = find_alias(c, &alias);
    if (used != 0 && used >= length && names_by_name(alias->name, strlen(alias->name), place)) {
        *strict = alias->strict;
        return used;
    }
    if (names_by_name(name, length, place) || names_by_generic(name, length, place)) {
        return length;
    }
    if (mistyped(name, length, place, &meant)) {
        *strict = true;
        state_remark(c->s, STATE_MISTYPED, c->line, name, length, meant);
        return length;
    }
    return 0;
}

/* Returns true if a word of eight hexadecimal digits is here. */
static bool eight_digits(const struct loose_scan *c)
{
    size_t digits = 0;

    while (state_hex(ahead(c, digits)) >= 0) {
        digits++;
    }
    return digits == 8 && !state_is_word(ahead(c, 8));
}

/* Takes what stands after the name of a register. */
static void take_register(struct loose_scan *c, const struct names_place *place, bool strict, const char *name,
                          size_t length)
{
    uint64_t value;
    const size_t start = c->at;

    c->current = *place;
    c->current_known = true;
    if (ahead(c, 0) == '.' && state_is_word(ahead(c, 1))) {
        c->at++;
        (void)take_field(c, place);
        return;
    }
    if (take_bit(c, place)) {
        return;
    }
    skip_blanks(c);
    skip_groups(c);
    const bool joint = skip_joint(c);
    const bool prefixed = (ahead(c, 0) == '0' && (ahead(c, 1) | 0x20) == 'x') || eight_digits(c);

    skip_groups(c);
    if ((strict && !joint && !prefixed) || !read_value(c, place, joint, &value)) {
        c->at = c->at > start ? c->at : start;
        return;
    }
    take(c, place, value, name, length);
}

/* Notes that a word says that values are written or wanted. */
static void note_word(struct loose_scan *c, size_t length)
{
    static const char *const written[] = {"wrote",        "write",  "writes", "writing", "written",
                                          "expected",     "expect", "should", "wanted",  "want",
                                          "write_sysreg", "msr",    "mcr",    "setting"};
    static const char *const seen[] = {"read", "reads", "readback", "got", "back", "actual", "is", "now", "shows"};

    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        if (strlen(written[i]) == length && word_at(c, 0, written[i])) {
            c->written = true;
        }
    }
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        if (strlen(seen[i]) == length && word_at(c, 0, seen[i])) {
            c->written = false;
        }
    }
}

/* Takes the value of a line that has nothing but a number, for the register that the line before asked for. */
static bool take_pending(struct loose_scan *c)
{
    const struct names_place place = c->context->pending;
    uint64_t value;
    size_t used;
    bool marked;

    skip_blanks(c);
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

    if (skip_joint(c) && read_value(c, &place, true, &value)) {
        take(c, &place, value, "the register asked for", strlen("the register asked for"));
        c->context->is_pending = false;
    }
}

unsigned state_line(struct state *s, struct state_loose *context, const char *text, size_t length, uint32_t line)
{
    struct loose_scan c = {
        .s = s, .context = context, .text = text, .length = length < 4000 ? length : 4000, .line = line};

    if (take_pending(&c)) {
        return c.taken;
    }
    c.at = 0;
    while (c.at < c.length) {
        const char next = ahead(&c, 0);
        struct names_place place;
        size_t used = 0, word = 0;
        bool strict;

        if (!state_is_word(next)) {
            c.at++;
            continue;
        }
        while (state_is_word(ahead(&c, word))) {
            word++;
        }
        if (next >= '0' && next <= '9') {
            c.at += word;
            continue;
        }
        note_word(&c, word);
        if (state_command(context, c.text + c.at, c.length - c.at, &used)) {
            c.at += used;
            take_answer(&c);
            continue;
        }
        const size_t start = c.at;

        used = find_name(&c, &place, &strict);
        if (used != 0) {
            c.at += used;
            take_register(&c, &place, strict, text + start, used);
        } else if (!c.current_known || !take_field(&c, &c.current)) {
            c.at += word;
        }
    }
    return c.taken;
}
