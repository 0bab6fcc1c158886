/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the names of registers in lines that people wrote: aliases, brackets, prefixes, and names with a wrong letter.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "loose.h"

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
        const char next = loose_ahead(c, i);

        if (*words == ' ') {
            if (next != ' ' && next != '-' && next != '_') {
                return 0;
            }
            i++;
            while (loose_ahead(c, i) == ' ') {
                i++;
            }
        } else if ((next >= 'A' && next <= 'Z' ? next | 0x20 : next) != *words) {
            return 0;
        } else {
            i++;
        }
    }
    return state_is_word(loose_ahead(c, i)) ? 0 : i;
}

enum { ALIASES = sizeof aliases / sizeof aliases[0] };

/* The aliases that begin with a letter.  They are constant: alias_from() makes the lists once. */
static struct {
    bool made;
    uint16_t heads[128], next[ALIASES]; /* index + 1 of the first and the next one, in order; 0: none */
} alias_lists;

/* Returns the index + 1 of the first alias that begins with @letter, 0 for none. */
static size_t alias_from(char letter)
{
    for (size_t i = ALIASES; i > 0 && !alias_lists.made; i--) {
        uint16_t *head = &alias_lists.heads[aliases[i - 1].words[0] & 127];

        alias_lists.next[i - 1] = *head;
        *head = (uint16_t)i;
    }
    alias_lists.made = true;
    return alias_lists.heads[letter & 127];
}

/* Finds the longest alias here.  Returns its length; 0: none. */
static size_t find_alias(const struct loose_scan *c, const struct alias **found)
{
    const char letter = (char)(loose_ahead(c, 0) | 0x20);
    size_t best = 0;

    for (size_t k = alias_from(letter); k != 0; k = alias_lists.next[k - 1]) {
        const size_t i = k - 1;

        if (letter == aliases[i].words[0] && (!aliases[i].v7 || c->context->armv7)) {
            const size_t length = match_alias(c, aliases[i].words);

            if (length > best) {
                best = length;
                *found = &aliases[i];
            }
        }
    }
    return best;
}

size_t loose_bracketed(const struct loose_scan *c, size_t offset, unsigned *number)
{
    const char open = loose_ahead(c, offset);
    const char close = open == '<' ? '>' : open == '[' ? ']' : open == '(' ? ')' : '\0';
    size_t i = offset + 1;

    *number = 0;
    while (close != '\0' && loose_ahead(c, i) >= '0' && loose_ahead(c, i) <= '9' && i < offset + 3) {
        *number = *number * 10 + (unsigned)(loose_ahead(c, i++) - '0');
    }
    return close != '\0' && i > offset + 1 && loose_ahead(c, i) == close ? i + 1 - offset : 0;
}

void loose_skip_groups(struct loose_scan *c)
{
    for (unsigned k = 0; k < 3; k++) {
        const char open = loose_ahead(c, 0), close = open == '(' ? ')' : open == '[' ? ']' : '\0';
        size_t i = 1;

        if (close == '\0' ||
            (loose_ahead(c, 1) >= '0' && loose_ahead(c, 1) <= '9' &&
             memchr(c->text + c->at, '<', c->length - c->at) != NULL && open == '(' && loose_ahead(c, 2) != ')')) {
            return;
        }
        while (i < 28 && loose_ahead(c, i) != close && loose_ahead(c, i) != '\0') {
            i++;
        }
        if (loose_ahead(c, i) != close) {
            return;
        }
        c->at += i + 1;
        loose_skip_blanks(c);
    }
}

void loose_skip_offset(struct loose_scan *c)
{
    const size_t start = c->at;
    const bool plus = loose_ahead(c, 0) == '+';
    uint64_t value = 0;

    c->at += plus;
    loose_skip_blanks(c);
    if (loose_word_at(c, 0, "offset")) {
        c->at += strlen("offset");
        loose_skip_blanks(c);
    }
    if (loose_ahead(c, 0) == '0' && (loose_ahead(c, 1) | 0x20) == 'x') {
        size_t digits = 2;

        for (; digits < 6 && state_hex(loose_ahead(c, digits)) >= 0; digits++) {
            value = value * 16 + (uint64_t)state_hex(loose_ahead(c, digits));
        }
        if (!state_is_word(loose_ahead(c, digits)) && (plus || value >= 0x400) && value < 0x1000 &&
            value % 4 == 0) {
            c->at += digits;
            loose_skip_blanks(c);
            return;
        }
    }
    c->at = start;
}

bool loose_is_before(const struct loose_scan *c, const struct names_place *place, uint64_t value)
{
    size_t at = 0;
    uint64_t next = 0;

    while (loose_ahead(c, at) == ' ') {
        at++;
    }
    if ((loose_ahead(c, at) != '-' && loose_ahead(c, at) != '=') || loose_ahead(c, at + 1) != '>') {
        return false;
    }
    do {
        at++;
    } while (loose_ahead(c, at + 1) == ' ');
    at += loose_ahead(c, at + 1) == '0' && (loose_ahead(c, at + 2) | 0x20) == 'x' ? 3 : 1;
    while (state_hex(loose_ahead(c, at)) >= 0) {
        next = next << 4 | (uint64_t)state_hex(loose_ahead(c, at++));
    }
    return place->view != NAMES_ARM11 && place->reg == APMU_REG_PMCR_EL0 && (value & 1) == 0 && (next & 1) == 1 &&
           (next & value) == value;
}

bool loose_is_elsewhere(const struct loose_scan *c)
{
    static const char *const words[] = {" there", " elsewhere", " on the other", " on another", " on the old",
                                        " on the working", " on the good", " on an open"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);

        if (c->length - c->at >= length && strncasecmp(c->text + c->at, words[i], length) == 0 &&
            !state_is_word(loose_ahead(c, length))) {
            return true;
        }
    }
    return false;
}

/* Finds a bank's register whose number is in brackets: "PMEVTYPER<0>_EL0", "pmevcntr[2]".  Returns its length. */
static size_t bank_name(const struct loose_scan *c, size_t length, struct names_place *place)
{
    char name[32];
    unsigned number;
    size_t used, tail = 0;
    const size_t group = loose_bracketed(c, length, &number);

    if (group == 0 || length > 12) {
        return 0;
    }
    used = length + group;
    while (state_is_word(loose_ahead(c, used + tail)) && tail < 8) {
        tail++;
    }
    for (unsigned i = 0; i < 2; i++) { /* with the suffix, and with _EL0 where there is none */
        size_t n = length;

        memcpy(name, c->text + c->at, length);
        if (number >= 10) {
            name[n++] = (char)('0' + number / 10 % 10);
        }
        name[n++] = (char)('0' + number % 10);
        memcpy(name + n, tail != 0 ? c->text + c->at + used : "_EL0", tail != 0 ? tail : i == 0 ? 0 : 4);
        n += tail != 0 ? tail : i == 0 ? 0 : 4;
        if (names_by_name(name, n, place)) {
            return used + tail;
        }
        if (n > 5 && strncasecmp(name, "pmxev", 5) == 0) { /* "PMXEVTYPER[2]" */
            memmove(name + 2, name + 3, n - 3);
            if (names_by_name(name, n - 1, place)) {
                return used + tail;
            }
        }
        if (n + 2 < sizeof name && (name[0] | 0x20) == 'e') { /* "evtyper[2]" */
            memmove(name + 2, name, n);
            memcpy(name, "PM", 2);
            if (names_by_name(name, n + 2, place)) {
                return used + tail;
            }
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
    const size_t group =
        (loose_ahead(c, 0) | 0x20) == 'c' && loose_word_at(c, 0, "cnt") ? loose_bracketed(c, 3, &number) : 0;

    if (group == 0) {
        return 0;
    }
    used = 3 + group;
    while (loose_ahead(c, used) == ' ') {
        used++;
    }
    const bool type = loose_word_at(c, used, "evtsel"), count = loose_word_at(c, used, "count");
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

    if (length < 6 || ((name[0] | 0x20) != 'p' && (name[0] | 0x20) != 'm')) {
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
/* Finds @name with @before put before it and one of the usual suffixes behind it. */
static bool with_affixes(const char *before, const char *name, size_t length, struct names_place *place)
{
    static const char *const suffixes[] = {"", "_EL0", "_EL1", "_EL2", "_EL3"};
    char whole[32];

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0] && length < 20; i++) {
        const int n = snprintf(whole, sizeof whole, "%s%.*s%s", before, (int)length, name, suffixes[i]);

        if (names_by_name(whole, (size_t)n, place)) {
            return true;
        }
    }
    return false;
}

/*
 * Finds a register whose name has a prefix of its writer's, or lacks its suffix or its PM: "PM_PMCR",
 * "sys_pmccntr_el0", "CP15_PMCNTENSET", "PM_EVTYPER0", "CNTENSET".
 */
static bool spelled_otherwise(const char *name, size_t length, struct names_place *place)
{
    const char *underscore = memchr(name, '_', length < 9 ? length : 9);

    if (length < 5 || length > 24) {
        return false;
    }
    if ((name[0] | 0x20) == 'p' && (name[1] | 0x20) == 'm' && with_affixes("", name, length, place)) {
        return true;
    }
    if (length >= 7 && strchr("cieox", name[0] | 0x20) != NULL &&
        (strncasecmp(name, "cnten", 5) == 0 || strncasecmp(name, "inten", 5) == 0 ||
         strncasecmp(name, "evtyp", 5) == 0 || strncasecmp(name, "evcnt", 5) == 0 ||
         strncasecmp(name, "ccfil", 5) == 0 || strncasecmp(name, "ovsse", 5) == 0 ||
         strncasecmp(name, "xevty", 5) == 0 || strncasecmp(name, "xevcn", 5) == 0)) {
        return with_affixes("PM", name, length, place);
    }
    if (underscore == NULL) {
        return false;
    }
    const char *rest = underscore + 1;
    const size_t left = length - (size_t)(rest - name);

    if (left >= 4 && (rest[0] | 0x20) == 'p' && (rest[1] | 0x20) == 'm') {
        return with_affixes("", rest, left, place);
    }
    if (left >= 4 && strncasecmp(name, "pm", 2) == 0) { /* PM_CNTENSET, PMU_CNTENSET */
        return with_affixes("PM", rest, left, place) ||
               (strncasecmp(rest, "ccnt", left) == 0 && names_by_name("PMCCNTR", 7, place));
    }
    return (strncasecmp(name, "sys_", 4) == 0 || strncasecmp(name, "reg_", 4) == 0) && names_by_name(rest, left, place);
}

/* Finds "typer2", "cntr0", "evtype3": the register of a bank by a short name, which means other things too. */
static bool is_short_bank(const char *name, size_t length, struct names_place *place)
{
    static const struct {
        const char *name, *bank;
    } banks[] = {{"typer", "PMEVTYPER"},  {"evtype", "PMEVTYPER"}, {"evtyp", "PMEVTYPER"},  {"type", "PMEVTYPER"},
                 {"evtsel", "PMEVTYPER"}, {"cntr", "PMEVCNTR"},    {"evcount", "PMEVCNTR"}, {"ctr", "PMEVCNTR"}};
    char whole[24];

    for (size_t i = 0; i < sizeof banks / sizeof banks[0]; i++) {
        const size_t used = strlen(banks[i].name);

        if (length > used && length <= used + 2 && strncasecmp(name, banks[i].name, used) == 0 && name[used] >= '0' &&
            name[used] <= '9') {
            const int n = snprintf(whole, sizeof whole, "%s%.*s", banks[i].bank, (int)(length - used), name + used);

            return names_by_name(whole, (size_t)n, place);
        }
    }
    return false;
}

/* Returns true for PMEVTYPER and PMEVCNTR without a number, which are no typing errors. */
static bool names_bank(const char *name, size_t length)
{
    return (length >= 9 && strncasecmp(name, "pmevtyper", 9) == 0) ||
           (length >= 8 && strncasecmp(name, "pmevcntr", 8) == 0);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Words.
 */

/* Returns true if @word is one of @count words in lower case. */
static bool is_one_of(const char *word, size_t length, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i][0] == (word[0] | 0x20) && strlen(words[i]) == length && strncasecmp(words[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the alias @words may begin with the word @text, depending on what follows that. */
static bool may_begin(const char *words, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char lower = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];

        if (words[i] == ' ') {
            return text[i] == '_'; /* the words may be joined */
        }
        if (words[i] != lower) {
            return false;
        }
    }
    return !state_is_word(words[length]);
}

/* Works out what a word is. */
static void judge_word(struct loose_word *w, const char *text, size_t length)
{
    static const char *const written[] = {"wrote",        "write",  "writes", "writing", "written",
                                          "expected",     "expect", "should", "wanted",  "want",
                                          "write_sysreg", "msr",    "mcr",    "setting", "without",
                                          "put",          "puts",   "make",   "made"};
    static const char *const seen[] = {"read", "reads", "readback", "got", "back", "actual", "is", "now", "shows"};

    w->writes = is_one_of(text, length, written, sizeof written / sizeof written[0]);
    w->reads = is_one_of(text, length, seen, sizeof seen / sizeof seen[0]);
    w->may_alias = false;
    for (size_t k = alias_from((char)(text[0] | 0x20)); k != 0 && !w->may_alias; k = alias_lists.next[k - 1]) {
        w->may_alias = may_begin(aliases[k - 1].words, text, length);
    }
    w->meant = NULL;
    w->named = names_by_name(text, length, &w->place) || names_by_generic(text, length, &w->place) ||
               spelled_otherwise(text, length, &w->place);
    w->strict = !w->named && is_short_bank(text, length, &w->place);
    w->named = w->named || w->strict;
    if (!w->named) {
        w->named = mistyped(text, length, &w->place, &w->meant);
        w->meant = w->named ? w->meant : NULL;
    }
}

const struct loose_word *loose_word(const char *text, size_t length)
{
    enum { KEPT = 1024 };
    static struct loose_word kept[KEPT + 1]; /* by hash; what a word is never changes; the last is for long words */
    struct loose_word *w = &kept[KEPT];
    uint64_t parts[LOOSE_WORD / 8] = {0}, hash;

    if (length > LOOSE_WORD) {
        judge_word(w, text, length);
        return w;
    }
    memcpy(parts, text, length);
    hash = parts[0] * UINT64_C(0x9E3779B97F4A7C15) ^ parts[1] * UINT64_C(0xC2B2AE3D27D4EB4F) ^
           parts[2] * UINT64_C(0x165667B19E3779F9) ^ parts[3] * UINT64_C(0x27D4EB2F165667C5);
    w = &kept[(hash >> 32 ^ hash >> 54) % KEPT];
    if (w->length != length || memcmp(w->text, parts, sizeof w->text) != 0) {
        judge_word(w, text, length);
        memcpy(w->text, parts, sizeof w->text);
        w->length = (uint8_t)length;
    }
    return w;
}

/* Finds an encoding without its coprocessor, "c9,c12,5" or "c9 c13 1".  Returns its length. */
static size_t short_operands(const struct loose_scan *c, struct names_place *place)
{
    static const char before[] = "p15,0,r0,";
    char whole[48];
    const size_t left = c->length - c->at, part = left < 32 ? left : 32;

    const size_t crn = loose_word_at(c, 0, "c9") ? 2 : loose_word_at(c, 0, "c14") ? 3 : 0;
    size_t crm = crn;

    while (loose_ahead(c, crm) == ' ' || loose_ahead(c, crm) == ',') {
        crm++;
    }
    if (crn == 0 || crm == crn || (loose_ahead(c, crm) | 0x20) != 'c' || loose_ahead(c, crm + 1) < '0' ||
        loose_ahead(c, crm + 1) > '9') {
        return 0;
    }
    memcpy(whole, before, sizeof before - 1);
    memcpy(whole + sizeof before - 1, c->text + c->at, part);
    const size_t used = names_by_operands(whole, sizeof before - 1 + part, place);

    return used > sizeof before - 1 ? used - (sizeof before - 1) : 0;
}

size_t loose_find_name(struct loose_scan *c, const struct loose_word *word, size_t length, struct names_place *place,
                       bool *strict)
{
    const char *name = c->text + c->at;
    const size_t left = c->length - c->at;
    const struct alias *alias = NULL;
    size_t used;

    *strict = false;
    used = names_by_operands(name, left, place);
    used = used != 0 ? used : short_operands(c, place);
    used = used != 0 ? used : kernel_counter(c, place);
    used = used != 0 ? used : bank_name(c, length, place);
    if (used != 0) {
        return used;
    }
    used = word->may_alias ? find_alias(c, &alias) : 0;
    if (used != 0 && used >= length && names_by_name(alias->name, strlen(alias->name), place)) {
        *strict = alias->strict;
        return used;
    }
    if (!word->named) {
        return 0;
    }
    *place = word->place;
    *strict = word->strict;
    if (word->meant != NULL) {
        *strict = true;
        if (!names_bank(name, length)) {
            state_remark(c->s, STATE_MISTYPED, c->line, name, length, word->meant);
        }
    }
    return length;
}

bool loose_is_bit_number(const struct loose_scan *c)
{
    static const char *const words[] = {"bit", "bits", "and", "or", "counter", "counters", "number", "index"};
    size_t end = c->at, start;

    while (end > 0 && c->text[end - 1] == ' ') {
        end--;
    }
    for (start = end; start > 0 && state_is_word(c->text[start - 1]);) {
        start--;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == end - start && strncasecmp(c->text + start, words[i], end - start) == 0) {
            return true;
        }
    }
    return false;
}

bool loose_is_field_value(const struct loose_scan *c)
{
    size_t end = c->at, start;
    bool equals = false;

    while (end > 0 && (c->text[end - 1] == ' ' || c->text[end - 1] == '=')) {
        equals |= c->text[--end] == '=';
    }
    for (start = end; start > 0 && c->text[start - 1] >= 'A' && c->text[start - 1] <= 'Z';) {
        start--;
    }
    return equals && end > start && end - start <= 5 && c->number < 32 &&
           (start == 0 || !state_is_word(c->text[start - 1]));
}
