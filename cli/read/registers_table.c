/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads tables whose heading names registers:
 *
 *     # cpu  PMCR_EL0  PMCNTENSET  PMEVCNTR0
 *       0    41033041  00000001    00000000
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "registers.h"

enum { COLUMNS = 40 }; /* columns of a table that are looked at */

/* Finds the next word of a row, or the next cell between bars, from *@at on.  Returns its length, 0 at the end. */
static size_t next_word(const char **at, bool bars)
{
    size_t length;

    if (!bars) {
        *at += strspn(*at, " \t|,;\"#>*");
        return strcspn(*at, " \t|,;\"");
    }
    *at += strspn(*at, " \t|");
    length = strcspn(*at, "|");
    while (length > 0 && ((*at)[length - 1] == ' ' || (*at)[length - 1] == '\t')) {
        length--;
    }
    return length;
}

/* Returns the length of @word without a suffix that says the moment: "pmccntr_el0_t1", "PMCCNTR_after". */
static size_t without_moment(const char *word, size_t length)
{
    static const char *const moments[] = {"_t0", "_t1", "_t2", "_before", "_after", "_start", "_end", "_begin",
                                          "_first", "_second", "_then", "_now"};

    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        const size_t n = strlen(moments[i]);

        if (length > n + 3 && strncasecmp(word + length - n, moments[i], n) == 0) {
            return length - n;
        }
    }
    return length;
}

static bool is_register(const char *word, size_t length)
{
    struct names_place place;
    char whole[24] = "PM";

    length = without_moment(word, length);
    if (length <= 3 || names_by_name(word, length, &place)) {
        return length > 3;
    }
    if (length >= 16 || memchr(word, ' ', length) != NULL) {
        return false;
    }
    memcpy(whole + 2, word, length);
    return names_by_name(whole, length + 2, &place);
}

/* Returns true if the word is a number in hexadecimal or decimal. */
static bool is_number(const char *word, size_t length)
{
    size_t i = length > 2 && word[0] == '0' && (word[1] | 0x20) == 'x' ? 2 : 0;

    if (i == length) {
        return false;
    }
    for (; i < length; i++) {
        if (!isxdigit((unsigned char)word[i])) {
            return false;
        }
    }
    return true;
}

static bool is_cpu(const char *word, size_t length)
{
    return (length == 3 && strncasecmp(word, "cpu", 3) == 0) || (length == 4 && strncasecmp(word, "core", 4) == 0);
}

bool registers_is_head(const char *line)
{
    const bool bars = strchr(line, '|') != NULL, divided = strpbrk(line, "|,;\t") != NULL;
    size_t length, registers = 0, cpus = 0, words = 0;

    for (; (length = next_word(&line, bars)) != 0 && words < COLUMNS; line += length, words++) {
        if (is_number(line, length)) {
            return false;
        }
        registers += is_register(line, length);
        cpus += is_cpu(line, length);
        if (!divided && registers + cpus < words) { /* one column may be a label */
            return false;
        }
    }
    return registers + cpus >= 2 && registers >= 1 && 2 * (registers + cpus) >= words;
}

bool registers_is_row(const char *head, const char *row, unsigned *cpu)
{
    const bool bars = strchr(head, '|') != NULL && strchr(row, '|') != NULL;
    size_t name, value;

    *cpu = UINT_MAX;
    for (unsigned k = 0; k < COLUMNS; k++) {
        name = next_word(&head, bars);
        value = next_word(&row, bars);
        if (name == 0 || value == 0) {
            return name == value && k > 0;
        }
        if (is_cpu(head, name)) {
            const char *digits = row + strcspn(row, "0123456789");

            if (digits >= row + value || digits - row > 4) {
                return false;
            }
            *cpu = (unsigned)strtoul(digits, NULL, 10);
        } else if (is_register(head, name) && !is_number(row, value)) {
            return false;
        }
        head += name;
        row += value;
    }
    return false;
}

size_t registers_cell(const char *head, const char *row, size_t column, char *buf, size_t size)
{
    const bool bars = strchr(head, '|') != NULL && strchr(row, '|') != NULL;

    for (size_t k = 0;; k++) {
        const size_t name = next_word(&head, bars), value = next_word(&row, bars);

        if (name == 0 || value == 0 || name + value + 4 > size) {
            return 0;
        }
        if (k == column) {
            const bool level = (name == 2 && strncasecmp(head, "el", 2) == 0) ||
                               (name == 9 && strncasecmp(head, "currentel", 9) == 0);

            if (level && value == 3 && strncasecmp(row, "EL", 2) == 0 && row[2] >= '1' && row[2] <= '3') {
                return (size_t)snprintf(buf, size, "CurrentEL = 0x%x", (unsigned)(row[2] - '0') << 2);
            }
            return (size_t)snprintf(buf, size, "%.*s = %.*s", (int)without_moment(head, name), head, (int)value, row);
        }
        head += name;
        row += value;
    }
}
