/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the legend of a dump, which says which register each of the writer's short names is, and writes the registers'
 * names into the lines of values:
 *
 *     cr=41023041 cs=80000007 t0=00000011        PMCR_EL0 = 41023041 PMCNTENSET_EL0 = 80000007 ...
 *     cr PMCR_EL0, cs PMCNTENSET_EL0, tN PMEVTYPERn_EL0
 *
 * A pair is a legend's only if the short name stands before a value in another line, and if there are two of them.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "registers.h"

enum { PAIRS = 24, SHORT = 9, LINES = 4000 };

/* A short name and the register that it means. */
struct pair {
    char word[SHORT + 1], name[24];
    bool bank;   /* .word and .name are followed by a number: tN is PMEVTYPER<N> */
    size_t line; /* that gives it; SIZE_MAX: none does */
};

struct legend {
    struct pair pairs[PAIRS];
    size_t count;
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t name_length(const char *text)
{
    size_t length = 0;

    while (is_name(text[length])) {
        length++;
    }
    return length;
}

/* Returns the length of "n", "N", "x", "<n>" or "[n]" at @text, the number of a bank; 0: there is none. */
static size_t bank_sign(const char *text)
{
    const bool open = *text == '<' || *text == '[';
    const char letter = (char)(text[open] | 0x20);

    if ((letter != 'n' && letter != 'x') || (open && text[2] != '>' && text[2] != ']')) {
        return 0;
    }
    return open ? 3 : 1;
}

/*
 * Finds the register that is named at @text: "PMCR_EL0", "PMEVTYPERn_EL0", "PMEVCNTR<n>".  Returns its length, 0 if
 * none is.  Stores its name, that of a bank without its number, in @name.
 */
static size_t register_at(const char *text, char name[24], bool *bank)
{
    static const char *const banks[] = {"PMEVTYPER", "PMEVCNTR", "PMXEVTYPER", "PMXEVCNTR"};
    struct names_place place;
    size_t length = name_length(text);

    *bank = false;
    for (size_t i = 0; i < sizeof banks / sizeof banks[0]; i++) {
        const size_t stem = strlen(banks[i]);
        const size_t sign = strncasecmp(text, banks[i], stem) == 0 ? bank_sign(text + stem) : 0;

        if (sign != 0) {
            snprintf(name, 24, "%s", banks[i & 1]);
            *bank = true;
            return stem + sign + name_length(text + stem + sign);
        }
    }
    if (length < 4 || length > 20 || !names_by_name(text, length, &place) || place.view == NAMES_ARM11) {
        return 0;
    }
    snprintf(name, 24, "%.*s", (int)length, text);
    return length;
}

/* Returns true if @word of the legend means another register already. */
static bool is_known(const struct legend *l, const char *word)
{
    for (size_t i = 0; i < l->count; i++) {
        if (strcasecmp(l->pairs[i].word, word) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds the pair of the short name at @word and the register @name. */
static void add_pair(struct legend *l, const char *word, size_t length, const char *name, bool bank, size_t line)
{
    struct pair *pair = &l->pairs[l->count];
    char other[24];
    struct names_place place;
    bool is_bank;

    if (bank && length > 1 && bank_sign(word + length - 1) != 0) {
        length--;
    } else if (bank && length > 3 && (word[length - 1] == ']' || word[length - 1] == '>')) {
        length -= 3;
    } else if (bank) {
        return;
    }
    if (l->count == PAIRS || length == 0 || length > SHORT || !isalpha((unsigned char)word[0]) ||
        register_at(word, other, &is_bank) != 0 || names_by_name(word, length, &place)) {
        return;
    }
    *pair = (struct pair){.bank = bank, .line = line};
    memcpy(pair->word, word, length);
    snprintf(pair->name, sizeof pair->name, "%s", name);
    l->count += !is_known(l, pair->word);
}

/* Returns the length of the short name that ends before @end, behind what joins it to its register; 0: none. */
static size_t word_before(const char *line, const char *end, const char **word)
{
    const char *p = end;
    size_t joints = 0;

    while (p > line && strchr(" \t=:->(\"'", p[-1]) != NULL) {
        p--;
    }
    if (p - line > 3 && strncasecmp(p - 3, " is", 3) == 0) {
        for (p -= 3; p > line && p[-1] == ' ';) {
            p--;
        }
    }
    joints = (size_t)(end - p);
    *word = p;
    while (*word > line && (is_name((*word)[-1]) || strchr("<>[]", (*word)[-1]) != NULL) && p - *word < SHORT + 4) {
        (*word)--;
    }
    return joints == 0 ? 0 : (size_t)(p - *word);
}

/* Finds the short name behind a register's name: "PMCR_EL0 (cr)".  Returns its length, 0 if there is none. */
static size_t word_behind(const char *at, const char **word)
{
    at += strspn(at, " ");
    if (*at != '(' && *at != '"') {
        return 0;
    }
    *word = ++at;
    at += name_length(at);
    return *at == ')' || *at == '"' ? (size_t)(at - *word) : 0;
}

/* Finds the pairs of line @i. */
static void find_pairs(struct legend *l, const char *line, size_t i)
{
    for (const char *at = line; *at != '\0';) {
        char name[24];
        const char *word;
        bool bank;
        size_t length;
        const size_t used = at > line && is_name(at[-1]) ? 0 : register_at(at, name, &bank);

        if (used == 0) {
            at++;
            continue;
        }
        length = word_behind(at + used, &word);
        length = length != 0 ? length : word_before(line, at, &word);
        if (length != 0) {
            add_pair(l, word, length, name, bank, i);
        }
        at += used;
    }
}

/*
 * Returns the length of the short name of @pair with its number at @text, if a value follows: after = or :, or after
 * blanks where it has eight digits.  Stores the number's digits in *@digits.
 */
static size_t used_at(const struct pair *pair, const char *text, size_t *digits)
{
    const size_t stem = strlen(pair->word);
    const char *value;
    size_t length;
    bool joint;

    if (strncasecmp(text, pair->word, stem) != 0) {
        return 0;
    }
    *digits = pair->bank ? strspn(text + stem, "0123456789") : 0;
    if ((pair->bank && (*digits == 0 || *digits > 2)) || is_name(text[stem + *digits])) {
        return 0;
    }
    value = text + stem + *digits;
    joint = value[strspn(value, " \t")] == '=' || value[strspn(value, " \t")] == ':';
    value += strspn(value, " \t=:|");
    length = strspn(value, "0123456789abcdefxABCDEFX");
    if (length == 0 || is_name(value[length]) || !isxdigit((unsigned char)*value) || (!joint && length < 8)) {
        return 0;
    }
    return stem + *digits;
}

/* Returns the pair whose short name stands before a value at @at of @line, its length in *@length; NULL: none. */
static const struct pair *pair_at(const struct legend *l, const char *line, const char *at, size_t *length,
                                  size_t *digits)
{
    if (at > line && (is_name(at[-1]) || at[-1] == '.')) {
        return NULL;
    }
    for (size_t i = 0; i < l->count; i++) {
        *length = used_at(&l->pairs[i], at, digits);
        if (*length != 0) {
            return &l->pairs[i];
        }
    }
    return NULL;
}

/* Drops the pairs whose short names no line of values has.  Returns how many are left. */
static size_t drop_unused(struct legend *l, const struct text *t)
{
    bool used[PAIRS] = {false};
    size_t left = 0;

    for (size_t i = 0; i < t->count && i < LINES; i++) {
        const char *line = t->lines[i].text;

        for (const char *at = line; *at != '\0'; at++) {
            size_t length, digits;
            const struct pair *pair = pair_at(l, line, at, &length, &digits);

            if (pair != NULL && pair->line != i) {
                used[pair - l->pairs] = true;
            }
        }
    }
    for (size_t i = 0; i < l->count; i++) {
        if (used[i]) {
            l->pairs[left++] = l->pairs[i];
        }
    }
    l->count = left;
    return left;
}

/* Adds the names that people give the counts where the legend has the controls only: "cyc", "ev0". */
static void add_counts(struct legend *l)
{
    static const struct {
        const char *word, *name;
        bool bank;
    } counts[] = {{"cyc", "PMCCNTR_EL0", false}, {"cycles", "PMCCNTR_EL0", false}, {"cc", "PMCCNTR_EL0", false},
                  {"ccnt", "PMCCNTR_EL0", false}, {"ev", "PMEVCNTR", true},        {"cnt", "PMEVCNTR", true},
                  {"c", "PMEVCNTR", true},        {"e", "PMEVCNTR", true}};
    bool cycles = false, events = false;

    for (size_t i = 0; i < l->count; i++) {
        cycles |= strncasecmp(l->pairs[i].name, "PMCCNTR", 7) == 0;
        events |= strncasecmp(l->pairs[i].name, "PMEVCNTR", 8) == 0;
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && l->count < PAIRS; i++) {
        if ((counts[i].bank ? events : cycles) || is_known(l, counts[i].word)) {
            continue;
        }
        l->pairs[l->count] = (struct pair){.bank = counts[i].bank, .line = SIZE_MAX};
        snprintf(l->pairs[l->count].word, sizeof l->pairs[0].word, "%s", counts[i].word);
        snprintf(l->pairs[l->count].name, sizeof l->pairs[0].name, "%s", counts[i].name);
        l->count++;
    }
}

/* Returns the line with the registers' names in place of the short ones, or NULL if it has none.  The caller frees. */
static char *spell_out(const struct legend *l, const char *line, size_t i)
{
    char *out = NULL;
    size_t used = 0;

    for (const char *at = line; *at != '\0';) {
        size_t length, digits;
        const struct pair *pair = pair_at(l, line, at, &length, &digits);

        if (pair == NULL || pair->line == i) {
            if (out != NULL) {
                out[used++] = *at;
            }
            at++;
            continue;
        }
        if (out == NULL) {
            out = cli_allocate(NULL, 16 * strlen(line) + 64, 1);
            used = (size_t)(at - line);
            memcpy(out, line, used);
        }
        used += (size_t)sprintf(out + used, "%s%.*s = ", pair->name, (int)digits, at + length - digits);
        at += length;
        at += strspn(at, " \t=:|");
    }
    if (out != NULL) {
        out[used] = '\0';
    }
    return out;
}

/* Returns the lines as they are. */
static struct registers_spelled *copy_lines(const struct text *t)
{
    struct registers_spelled *lines = cli_allocate(NULL, t->count + 1, sizeof *lines);

    for (size_t i = 0; i < t->count && i < LINES; i++) {
        lines[i] = (struct registers_spelled){t->lines[i].text, NULL};
    }
    return lines;
}

/* Puts the line with the registers' names in place of line @i. */
static void replace(struct text *t, struct registers_spelled *lines, size_t i, char *spelled)
{
    lines[i].spelled = spelled;
    if (spelled != NULL) {
        t->lines[i].text = spelled;
        t->lines[i].length = strlen(spelled);
    }
}

/* Returns a copy of @row, which replace() takes. */
static char *copy_of(const char *row)
{
    const size_t size = strlen(row) + 1;

    return memcpy(cli_allocate(NULL, size, 1), row, size);
}

/*
 * Writes the registers' names into the rows of tables of counters, and what the columns are into those of what was
 * written and read back.  Returns the lines, NULL if there are none.
 */
static struct registers_spelled *spell_rows_out(struct text *t)
{
    struct registers_spelled *lines = NULL;
    char columns[REGISTERS_COLUMNS] = "", row[200];
    bool table = false, backs = false;

    for (size_t i = 0; i < t->count && i < LINES; i++) {
        const char *line = t->lines[i].text;

        if (t->lines[i].length < 200 && registers_is_counter_head(line, columns)) {
            table = true;
            backs = false;
            continue;
        }
        if (t->lines[i].length < 200 && registers_is_read_back_head(line)) {
            backs = true;
            continue;
        }
        table = table && registers_counter_row(columns, line, row, sizeof row) != 0;
        if (table || (backs && registers_read_back_row(line, row, sizeof row) != 0) ||
            (t->lines[i].length < 200 && registers_labelled_row(line, row, sizeof row) != 0)) {
            lines = lines == NULL ? copy_lines(t) : lines;
            replace(t, lines, i, copy_of(row));
        }
    }
    return lines;
}

/* Writes the registers' names into what a debugger's printf printed.  Returns the lines, NULL if there are none. */
static struct registers_spelled *spell_printed_out(struct text *t, struct registers_spelled *lines)
{
    char row[400];

    for (size_t i = 1; i < t->count && i < LINES; i++) {
        if ((lines == NULL || lines[i].spelled == NULL) && t->lines[i].length < 200 &&
            registers_printf_row(t->lines[i - 1].text, t->lines[i].text, row, sizeof row) != 0) {
            lines = lines == NULL ? copy_lines(t) : lines;
            replace(t, lines, i, copy_of(row));
        }
    }
    return lines;
}

struct registers_spelled *registers_spell_out(struct text *t)
{
    struct legend l = {.count = 0};
    struct registers_spelled *lines;

    for (size_t i = 0; i < t->count && i < LINES; i++) {
        if (t->lines[i].length < 400 && strcasestr(t->lines[i].text, "pm") != NULL) {
            find_pairs(&l, t->lines[i].text, i);
        }
    }
    if (l.count < 2 || drop_unused(&l, t) < 2) {
        return spell_printed_out(t, spell_rows_out(t));
    }
    add_counts(&l);
    lines = copy_lines(t);
    for (size_t i = 0; i < t->count && i < LINES; i++) {
        replace(t, lines, i, t->lines[i].length < 400 ? spell_out(&l, t->lines[i].text, i) : NULL);
    }
    return spell_printed_out(t, lines);
}

void registers_restore(struct text *t, struct registers_spelled *lines)
{
    for (size_t i = 0; lines != NULL && i < t->count && i < LINES; i++) {
        if (lines[i].spelled != NULL) {
            t->lines[i].text = lines[i].original;
            t->lines[i].length = strlen(lines[i].original);
            free(lines[i].spelled);
        }
    }
    free(lines);
}
