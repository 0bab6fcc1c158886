/* SPDX-License-Identifier: BSD-2-Clause */
/* Words for registers, writes and counters, and what the words around the values say. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "registers.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Registers and writes.
 */

const char *registers_name(const struct registers_case *c, enum apmu_reg reg, unsigned n, char buf[48])
{
    return why_register_name(c->a32, c->pmxev, reg, n, buf);
}

static void write_kernel(const char *name, bool plain, uint64_t set, uint64_t clear, char *buf, size_t size)
{
    if (plain) {
        why_append(buf, size, ": write_sysreg(0x%" PRIx64 ", %s); isb()", set, name);
        return;
    }
    why_append(buf, size, ": write_sysreg(%sread_sysreg(%s)", clear != 0 && set != 0 ? "(" : "", name);
    if (clear != 0) {
        why_append(buf, size, " & ~0x%" PRIx64 "UL%s", clear, set != 0 ? ")" : "");
    }
    if (set != 0) {
        why_append(buf, size, " | 0x%" PRIx64 "UL", set);
    }
    why_append(buf, size, ", %s); isb()", name);
}

static void write_a64(const char *name, bool plain, uint64_t set, uint64_t clear, char *buf, size_t size)
{
    if (plain) {
        why_append(buf, size, ": mov x0, #0x%" PRIx64 "; msr %s, x0; isb", set, name);
        return;
    }
    why_append(buf, size, ": mrs x0, %s", name);
    if (clear != 0) {
        why_append(buf, size, "; and x0, x0, #~0x%" PRIx64, clear);
    }
    if (set != 0) {
        why_append(buf, size, "; orr x0, x0, #0x%" PRIx64, set);
    }
    why_append(buf, size, "; msr %s, x0; isb", name);
}

const char *registers_write(const struct registers_case *c, enum apmu_reg reg, unsigned n, uint64_t set, uint64_t clear,
                            char buf[240])
{
    char name[48], lower[48];
    size_t i = 0;

    registers_name(c, reg, n, name);
    for (; name[i] != '\0'; i++) {
        lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 0x20) : name[i];
    }
    lower[i] = '\0';
    buf[0] = '\0';
    if (c->external || (reg >= APMU_REG_COUNT && !c->a32)) {
        return buf;
    }
    if (c->a32) {
        buf[0] = ':';
        buf[1] = ' ';
        why_write_a32(c->pmxev, reg, n, set, clear, buf + 2, 240 - 2);
        buf[0] = buf[2] == '\0' ? '\0' : ':';
    } else if (reading_value(&c->r->machine.place, 0) == READING_PLACE_KERNEL) {
        write_kernel(lower, why_sets_or_clears(reg), set, clear, buf, 240);
    } else {
        write_a64(lower, why_sets_or_clears(reg), set, clear, buf, 240);
    }
    return buf;
}

struct suspect *registers_suspect(const struct registers_case *c, enum why_cause_id cause,
                                  enum suspect_confidence confidence, unsigned weight, enum apmu_reg reg, unsigned n,
                                  const char *cure, const char *format, ...)
{
    const uint32_t line = registers_line(c, reg, n);
    char because[400], quote[120];
    struct suspect *s;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(because, sizeof because, format, arguments);
    va_end(arguments);
    if (line != 0 && reading_quote(c->r, line, quote, sizeof quote)[0] != '\0') {
        why_append(because, sizeof because, " (\"%s\")", quote);
    }
    s = suspect_find(c->all, cause);
    if (s != NULL && s->confidence == confidence && s->weight < weight) {
        s->weight = weight;
    }
    s = suspect_add(c->all, cause, confidence, line, because, cure);
    s->weight = weight;
    return s;
}

/* ---------------------------------------------------------------------------------------------------------------
 * What the words say.
 */

/* Returns true if a line has enough words in lower case to be a sentence, which may have values in it. */
static bool is_prose(const char *text)
{
    unsigned words = 0;

    while (*text != '\0') {
        size_t length = 0, lower = 0;

        for (; (text[length] | 0x20) >= 'a' && (text[length] | 0x20) <= 'z'; length++) {
            lower += (text[length] & 0x20) != 0;
        }
        words += length >= 2 && lower == length && text[length] != '_' && text[length] != '=' &&
                 (text[length] < '0' || text[length] > '9');
        text += length;
        text += *text != '\0' && length == 0;
    }
    return words >= 4;
}

const char *registers_words(const struct reading *r, size_t i, char *buf, size_t size)
{
    const char *text = r->text.lines[i].text;
    size_t used = 0;

    if (text_is_claimed(&r->text, i, TEXT_REGISTERS) && !is_prose(text)) {
        const char *hash = strstr(text, " #"), *slashes = strstr(text, "//");

        text = hash != NULL ? hash + 2 : slashes != NULL ? slashes + 2 : "";
    } else if (text_is_claimed(&r->text, i, TEXT_CODE) || text_is_claimed(&r->text, i, TEXT_LINUX)) {
        text = "";
    }
    for (; *text != '\0' && used + 1 < size; text++) {
        buf[used++] = *text >= 'A' && *text <= 'Z' ? (char)(*text | 0x20) : *text;
    }
    buf[used] = '\0';
    return buf;
}

bool registers_say(const struct reading *r, const char *word)
{
    char words[512];

    for (size_t i = 0; i < r->text.count && i < 2000; i++) {
        const char *line = registers_words(r, i, words, sizeof words);

        for (const char *at = strstr(line, word); at != NULL; at = strstr(at + 1, word)) {
            if (!text_denies(line, (size_t)(at - line))) {
                return true;
            }
        }
    }
    return r->said != NULL && strcasestr(r->said, word) != NULL;
}

/* Returns the counters that a clause names. */
static uint64_t counters_of_clause(const char *clause)
{
    static const char *const names[] = {"pmevcntr", "pmevtyper", "counter ", "counter #",
                                        "counter[", "cntr",      "counter"};
    uint64_t set = 0;

    if (strstr(clause, "cycle count") != NULL || strstr(clause, "pmccntr") != NULL || strstr(clause, "ccnt") != NULL ||
        strstr(clause, "cycle register") != NULL) {
        set |= REGISTERS_CYCLE;
    }
    if (strstr(clause, "pmicntr") != NULL || strstr(clause, "fixed instruction counter") != NULL) {
        set |= UINT64_C(1) << APMU_INSTR;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (const char *at = strstr(clause, names[i]); at != NULL; at = strstr(at + 1, names[i])) {
            const char *digits = at + strlen(names[i]);
            char *end;
            const unsigned long n = strtoul(digits, &end, 10);

            if (*digits >= '0' && *digits <= '9' && n < APMU_CYCLE && *end != '.' && *end != 'x') {
                set |= UINT64_C(1) << n;
            } else if (*digits >= '0' && *digits <= '9' && n == APMU_CYCLE) {
                set |= REGISTERS_CYCLE;
            }
        }
    }
    return set;
}

/* Returns true if @clause ends with a verb of what works, "the cycle counter counts". */
static bool ends_well(const char *clause)
{
    static const char *const words[] = {" counts", " count", " moves", " advances", " increases", " works", " does"};
    size_t length = strlen(clause);

    while (length != 0 && clause[length - 1] == ' ') {
        length--;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t n = strlen(words[i]);

        if (length >= n && strncmp(clause + length - n, words[i], n) == 0) {
            return strstr(clause, "not ") == NULL && strstr(clause, "n't ") == NULL && strstr(clause, "no ") == NULL &&
                   strstr(clause, "never") == NULL && strstr(clause, "neither") == NULL &&
                   strstr(clause, "none") == NULL;
        }
    }
    return false;
}

/* Returns true if a clause says that something works. */
static bool says_good(const char *clause)
{
    static const char *const words[] = {"works",          " fine",   "correct",   " ok",
                                        "counts well",    "is good", "all right", "as expected",
                                        "counts happily", " runs",   "goes up",   "increments",
                                        "counts there",   "counts in", "does count", "ticks",
                                        " goes on",       " go on",  " continues", " counts on",
                                        " moves on",      "keeps going"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(clause, words[i]) != NULL) {
            return strstr(clause, "not ") == NULL && strstr(clause, "n't ") == NULL && strstr(clause, "never") == NULL;
        }
    }
    return ends_well(clause);
}

/* Adds the counters that a text names to *@bad, or to *@good where it says that they work. */
static void sort_clauses(char *text, uint64_t *bad, uint64_t *good)
{
    char *rest = text;

    while (*rest != '\0') {
        const size_t length = strcspn(rest, ",;.!?");
        const char stop = rest[length];
        char *but;

        rest[length] = '\0';
        but = strstr(rest, " but ");
        if (but != NULL) {
            *but = '\0';
            *(says_good(but + 1) ? good : bad) |= counters_of_clause(but + 1);
        }
        *(says_good(rest) ? good : bad) |= counters_of_clause(rest);
        rest += length + (stop != '\0');
    }
}

uint64_t registers_named_counters(const struct reading *r)
{
    char words[512];
    uint64_t bad = 0, good = 0;

    for (size_t i = 0; i < r->text.count && i < 2000; i++) {
        registers_words(r, i, words, sizeof words);
        sort_clauses(words, &bad, &good);
    }
    if (r->said != NULL) {
        snprintf(words, sizeof words, "%s", r->said);
        sort_clauses(words, &bad, &good);
    }
    return bad & ~good;
}
