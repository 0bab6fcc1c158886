/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Brings reads of single words of memory into the form of a dump, "fd5f9e00: 41023001", and finds out where the frame
 * of the PMU's external view lies.
 *
 *     devmem 0x23030fb4            U-Boot, Linux: the value follows on the next line
 *     0x00000003
 *     E000ED00 = 411CD200          J-Link's mem32
 *     (gdb) p/x *(unsigned *)0xe000ed28
 *     $1 = 0x80000
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "registers.h"

/* Returns the number at *@text and moves *@text behind it.  Returns false if there is none. */
static bool take_number(const char **text, uint64_t *value, size_t *digits)
{
    char *end;
    const char *at = *text + text_blanks(*text);

    if (!isxdigit((unsigned char)*at)) {
        return false;
    }
    *value = strtoull(at, &end, 16);
    *digits = (size_t)(end - at) - (strncasecmp(at, "0x", 2) == 0 ? 2 : 0);
    *text = end;
    return !isalnum((unsigned char)*end) && *end != '_';
}

/* Finds GDB's print of a word: "p/x *(unsigned *)0xe000ed28".  Returns false if there is none. */
static bool is_print(const char *text, uint64_t *address)
{
    const char *at = strstr(text, "*(");
    const char *command = strncmp(text, "(gdb) ", 6) == 0 ? text + 6 : text;
    size_t digits;

    if (at == NULL || (strncmp(command, "p/", 2) != 0 && strncmp(command, "p ", 2) != 0 &&
                       strncmp(command, "print", 5) != 0)) {
        return false;
    }
    at = strchr(at, ')');
    at = at == NULL ? "" : at + 1 + text_blanks(at + 1);
    return strncmp(at, "0x", 2) == 0 && take_number(&at, address, &digits) && at[text_blanks(at)] == '\0';
}

/* Finds a command that reads a word: "devmem 0x23030e04".  Returns false if there is none, or it writes. */
static bool is_command(const char *text, uint64_t *address)
{
    static const char *const commands[] = {"devmem2", "devmem", "peek", "rwmem", "readl", "mem r", "iomem"};
    uint64_t ignored;
    size_t digits;

    if (is_print(text, address)) {
        return true;
    }
    if (strpbrk(text, "0123456789") == NULL || (strstr(text, "mem") == NULL && strcasestr(text, "rwmem") == NULL &&
                                                strstr(text, "peek") == NULL && strstr(text, "readl") == NULL)) {
        return false;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const char *at = strcasestr(text, commands[i]);

        if (at == NULL || (at > text && isalnum((unsigned char)at[-1]))) {
            continue;
        }
        at += strlen(commands[i]);
        at += strspn(at, " \t(");
        if (!take_number(&at, address, &digits) || digits < 6) {
            continue;
        }
        at += text_blanks(at);
        if (strncmp(at, "32", 2) == 0 || strncmp(at, "64", 2) == 0 || *at == 'w' || *at == 'l') {
            at += strcspn(at, " \t");
        }
        return !take_number(&at, &ignored, &digits);
    }
    return false;
}

size_t registers_memory_line(struct registers_memory *m, const char *text, size_t length, char buf[64])
{
    const char *at = text + text_blanks(text);
    uint64_t address, value;
    size_t digits;

    if (state_is_memory_line(text, length) || length > 120) {
        return 0;
    }
    if (is_command(text, &address)) {
        m->asked = true;
        m->address = address;
        return 0;
    }
    if (take_number(&at, &address, &digits) && at[text_blanks(at)] == '=' && digits >= 6) {
        at += strspn(at, " \t=");
        if (take_number(&at, &value, &digits)) {
            return (size_t)snprintf(buf, 64, "%llx: %08llx", (unsigned long long)address, (unsigned long long)value);
        }
        return 0;
    }
    if (!m->asked) {
        return 0;
    }
    at = strrchr(text, ':');
    at = text[0] == '$' && strstr(text, " = ") != NULL ? strstr(text, " = ") + 3 : at == NULL ? text : at + 1;
    at += strncasecmp(at, "Read value ", 11) == 0 ? 11 : 0; /* of Zephyr's shell */
    if (take_number(&at, &value, &digits) && at[strspn(at, " \t\r")] == '\0') {
        m->asked = false;
        return (size_t)snprintf(buf, 64, "%llx: %08llx", (unsigned long long)m->address, (unsigned long long)value);
    }
    return 0;
}

size_t registers_named_word(const char *before, const char *line, char buf[64])
{
    const char *at = line, *comment = strpbrk(before, "#;");
    uint64_t address, value, other;
    size_t digits, length;
    struct names_place place;

    if (comment == NULL || !take_number(&at, &address, &digits) || digits < 6 || *at != ':') {
        return 0;
    }
    at++;
    if (!take_number(&at, &value, &digits) || at[strspn(at, " \t\r")] != '\0') {
        return 0;
    }
    at = strcasestr(before, "0x");
    if (at == NULL || at > comment || !take_number(&at, &other, &digits) || other != address) {
        return 0;
    }
    for (comment += strspn(comment, "#; \t"); *comment != '\0'; comment += length + (comment[length] != '\0')) {
        length = strcspn(comment, " \t,.;:()=");
        if (length > 3 && names_by_name(comment, length, &place)) {
            return (size_t)snprintf(buf, 64, "%.*s = 0x%llx", (int)length, comment, (unsigned long long)value);
        }
    }
    return 0;
}

/* Returns true if the text speaks of the PMU's external registers. */
static bool speaks_of_pmu(const struct text *t)
{
    for (size_t i = 0; i < t->count && i < 2000; i++) {
        if (strcasestr(t->lines[i].text, "pmu") != NULL || strcasestr(t->lines[i].text, "pmcr") != NULL ||
            strcasestr(t->lines[i].text, "pmlsr") != NULL || strcasestr(t->lines[i].text, "pmdevarch") != NULL) {
            return true;
        }
    }
    return false;
}

bool registers_find_frame(const struct text *t, const char *dump, size_t length, struct state_frame *frame)
{
    const bool pmu = speaks_of_pmu(t);

    for (size_t at = 0; at < length;) {
        const char *line = dump + at, *end = memchr(line, '\n', length - at);
        uint64_t address, value;
        size_t digits;

        if (take_number(&line, &address, &digits) && digits >= 6 && *line == ':') {
            line++;
            const bool architected =
                take_number(&line, &value, &digits) && (address & 0xFFF) == 0xFBC && (value & 0xFFFu) == 0xA16;
            const unsigned offset = address & 0xFFF;
            const bool pmcr = offset == 0xE04 && (value & 0xFF000380) == 0x41000000 && (value & 0xF800) != 0;

            if ((architected || pmcr ||
                 (pmu && (offset == 0xE04 || offset == 0xC00 || offset == 0xFB4 || offset == 0xE00))) &&
                address >> 20 != 0xE00) { /* M-profile's are no frame of this kind */
                *frame = (struct state_frame){true, address & ~UINT64_C(0xFFF)};
                return true;
            }
        }
        at = end == NULL ? length : (size_t)(end - dump) + 1;
    }
    return false;
}
