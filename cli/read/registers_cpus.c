/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells CPUs apart in a dump: by a word on the line ("CPU3: PMCR_EL0 = ..."), by a heading ("--- core 1 ---", after
 * which the lines are of that core), or by columns below a heading ("register   cpu0   cpu1").
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "registers.h"

#define MANY 65536 /* lines of which each may be the heading of a table; a later one needs a name with PM */

const char *registers_cpu_at(const char *text, unsigned *number, const char **from)
{
    for (const char *at = text; *at != '\0'; at++) {
        if ((*at | 0x20) != 'c') {
            continue;
        }
        const bool cpu = strncasecmp(at, "cpu", 3) == 0, core = strncasecmp(at, "core", 4) == 0;
        const char *digits = at + (cpu ? 3 : 4);
        char *end;

        if ((!cpu && !core) || (at > text && text_is_word(at[-1]))) {
            continue;
        }
        digits += strspn(digits, " \t#_[(=:-");
        if (!isdigit((unsigned char)*digits) || (digits[0] == '0' && (digits[1] | 0x20) == 'x')) {
            continue;
        }
        *number = (unsigned)strtoul(digits, &end, 10);
        if (text_is_word(*end) || *end == '.' || end - digits > 4) {
            continue;
        }
        *from = at;
        return end;
    }
    return NULL;
}

/* Returns the index of the CPU with @number, which is added if it is new; REGISTERS_MORE_CPUS if there are too many.
 */
static uint8_t index_of(struct registers_cpus *c, unsigned number)
{
    if (number < c->count && c->numbers[number] == number) { /* they mostly come in order */
        return (uint8_t)number;
    }
    for (size_t i = 0; i < c->count; i++) {
        if (c->numbers[i] == number) {
            return (uint8_t)i;
        }
    }
    if (c->count == REGISTERS_CPUS) {
        return REGISTERS_MORE_CPUS;
    }
    c->numbers[c->count] = number;
    return (uint8_t)c->count++;
}

/* Counts the CPUs of a table's heading, "name  cpu0  cpu1", and adds them.  Returns 0 if the line is none. */
static unsigned table_heading(struct registers_cpus *c, const char *text)
{
    unsigned count = 0, number;
    const char *from, *at = text, *rest = text;

    while ((at = registers_cpu_at(at, &number, &from)) != NULL) {
        count++;
        rest = at;
    }
    if (count < 2 || strcspn(text, "=.,;") != strlen(text) || strspn(rest, " \t|") != strlen(rest)) {
        return 0;
    }
    for (at = text; (at = registers_cpu_at(at, &number, &from)) != NULL;) {
        (void)index_of(c, number);
    }
    return count;
}

/* Returns true if a line is a heading of a CPU: it has few words, no sentence and no value. */
static bool is_heading(const char *text, const char *behind)
{
    unsigned words = 0;
    const size_t length = strlen(text);

    if (length > 60 || strchr(text, '=') != NULL || strstr(text, "0x") != NULL ||
        (length > 0 && text[length - 1] == '.')) {
        return false;
    }
    for (const char *at = behind; *at != '\0'; at++) {
        words += text_is_word(*at) && !text_is_word(at[-1]);
        if (isdigit((unsigned char)*at) && isdigit((unsigned char)at[1]) && isdigit((unsigned char)at[2])) {
            return false;
        }
    }
    return words <= 4;
}

/*
 * Finds the number behind the word of its writer's with which a line of values begins: "[  3.1] pmudbg 2: PMCR=...".
 * Returns the place behind the number, NULL if there is none.  *@tag is the word, of *@length characters.
 */
static const char *tagged(const char *text, const char **tag, size_t *length, unsigned *number)
{
    const char *digits;
    char *end;

    text += strspn(text, " \t");
    if (*text == '[' && strchr(text, ']') != NULL) { /* the kernel's time */
        text = strchr(text, ']') + 1;
        text += strspn(text, " \t");
    }
    *tag = text;
    *length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    digits = text + *length + strspn(text + *length, " #[(");
    if (*length < 2 || !isdigit((unsigned char)*digits)) {
        return NULL;
    }
    *number = (unsigned)strtoul(digits, &end, 10);
    if (end - digits > 3 || strchr(":])>", *end) == NULL || *end == '\0' || strchr(end, '=') == NULL) {
        return NULL;
    }
    return end;
}

/* Returns true if the text says that it has lines of each CPU. */
static bool speaks_of_each(const struct text *t)
{
    static const char *const words[] = {"each core", "each cpu", "per core", "per cpu", "every core", "every cpu",
                                        "per-core",  "per-cpu",  "all cores", "all cpus", "both cores", "both cpus"};

    for (size_t i = 0; i < t->count && i < 2000; i++) {
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            if (strcasestr(t->lines[i].text, words[k]) != NULL) {
                return true;
            }
        }
    }
    return false;
}

/* Finds the word whose number is that of a CPU, where lines have it with several ones.  Returns its length, 0: none. */
static size_t find_tag(const struct text *t, const char **tag)
{
    unsigned first = 0, number;
    size_t length = 0, here;
    const char *word;

    for (size_t i = 0; i < t->count && i < 2000; i++) {
        if (t->lines[i].length > 400 || tagged(t->lines[i].text, &word, &here, &number) == NULL) {
            continue;
        }
        if (length == 0) {
            *tag = word;
            length = here;
            first = number;
        } else if (length == here && strncmp(word, *tag, here) == 0 && number != first) {
            return speaks_of_each(t) ? length : 0;
        }
    }
    return 0;
}

void registers_sort(const struct text *t, struct registers_cpus *c)
{
    uint8_t current = REGISTERS_NO_CPU;
    unsigned columns = 0;
    size_t head = 0;
    const char *tag = NULL, *word;
    const size_t tags = find_tag(t, &tag);
    size_t length;

    *c = (struct registers_cpus){.cpus = cli_allocate(NULL, t->count + 1, 1),
                                 .columns = cli_allocate(NULL, t->count + 1, 1),
                                 .heads = cli_allocate(NULL, t->count + 1, sizeof(uint32_t))};
    for (size_t i = 0; i < t->count; i++) {
        const char *text = t->lines[i].text, *from;
        unsigned number;
        const char *behind = t->lines[i].length < 400 ? registers_cpu_at(text, &number, &from) : NULL;
        if (behind == NULL && tags != 0 && t->lines[i].length < 400) {
            behind = tagged(text, &word, &length, &number);
            from = text;
            behind = behind != NULL && length == tags && strncmp(word, tag, tags) == 0 ? behind : NULL;
        }
        const unsigned heading = behind != NULL ? table_heading(c, text) : 0;

        c->cpus[i] = current;
        c->columns[i] = (uint8_t)columns;
        if ((i < MANY || strcasestr(text, "pm") != NULL) && registers_is_head(text)) {
            head = i + 1;
            continue;
        }
        if (head != 0 && registers_is_row(t->lines[head - 1].text, text, &number)) {
            c->heads[i] = (uint32_t)head;
            c->cpus[i] = number == UINT_MAX ? current : index_of(c, number);
            continue;
        }
        if (heading != 0) {
            columns = heading;
            c->cpus[i] = current = REGISTERS_NO_CPU;
            c->columns[i] = 0;
        } else if (behind != NULL && is_heading(text, behind)) {
            c->cpus[i] = current = index_of(c, number);
            columns = 0;
            c->columns[i] = 0;
        } else if (behind != NULL &&
                   (strchr(behind, '=') != NULL || strstr(behind, "0x") != NULL || from - text < 24)) {
            c->cpus[i] = index_of(c, number);
        } else if (t->lines[i].length == 0 || strncasecmp(text, "end", 3) == 0) {
            columns = 0;
        }
    }
}

void registers_release(struct registers_cpus *c)
{
    free(c->cpus);
    free(c->columns);
    free(c->heads);
}

size_t registers_column(const char *line, size_t column, char *buf, size_t size)
{
    size_t used = 0;

    line += strspn(line, " \t|");
    while (*line != '\0' && strchr(" \t|:=", *line) == NULL && used + 4 < size) {
        buf[used++] = *line++;
    }
    buf[used++] = ' ';
    buf[used++] = '=';
    buf[used++] = ' ';
    line += strspn(line, " \t|:=");
    for (size_t i = 0; i < column && *line != '\0'; i++) {
        line += strcspn(line, " \t|,");
        line += strspn(line, " \t|,");
    }
    if (*line == '\0') {
        return 0;
    }
    while (*line != '\0' && strchr(" \t|,", *line) == NULL && used + 1 < size) {
        buf[used++] = *line++;
    }
    return used;
}
