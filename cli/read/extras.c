/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads registers beside the PMU's: extras.def. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "registers.h"

/* The spellings of extras.def. */
static const struct {
    enum reading_extra id;
    const char *name;
} spellings[] = {
#define EXTRA(id, name, address) {READING_##id, name},
#define EXTRA_ALSO(id, name)     {READING_##id, name},
#include "extras.def"
};

static const uint32_t addresses[READING_EXTRAS] = {
#define EXTRA(id, name, address) [READING_##id] = address,
#define EXTRA_ALSO(id, name)
#include "extras.def"
};

static void take_extra(struct reading *r, enum reading_extra id, uint64_t value, uint32_t line)
{
    struct reading_number *extra = &r->extras[id];

    r->moved[id] |= extra->known && extra->value != value;
    *extra = (struct reading_number){true, value, line};
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the length of the word at @text that joins a name to its value: "is ", "reads "; 0 if there is none. */
static size_t joint(const char *text)
{
    static const char *const words[] = {"is ", "reads ", "read ", "has ", "shows ", "gives ", "returns ", "was "};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncasecmp(text, words[i], strlen(words[i])) == 0) {
            return strlen(words[i]);
        }
    }
    return 0;
}

/* Reads the value after the name of a register: "= 0x1", ": 00000001", " 0x1".  Returns false if there is none. */
static bool read_after(const char *text, bool hexadecimal, uint64_t *value)
{
    char *end;

    for (unsigned i = 0; i < 3; i++) { /* "(0xE000EDFC)" and the like before the value */
        text += strspn(text, " \t\"'=:|>-");
        text += joint(text);
        if (*text != '(' && *text != '[') {
            break;
        }
        text += strcspn(text, ")]");
        text += *text != '\0';
    }
    if (!isxdigit((unsigned char)*text)) {
        return false;
    }
    *value = strtoull(text, &end, strncasecmp(text, "0x", 2) == 0 || hexadecimal ? 16 : 10);
    while (*end == 'U' || *end == 'u' || *end == 'L' || *end == 'l') {
        end++;
    }
    if (strncmp(end + strspn(end, " "), "<<", 2) == 0) { /* DEMCR |= 1 << 24 */
        const unsigned long shift = strtoul(end + strspn(end, " ") + 2, &end, 10);

        *value = shift < 64 ? *value << shift : 0;
    }
    return end != text && !is_name(*end);
}

const char *registers_printed(const char *line)
{
    const size_t digits = line[0] == '$' ? strspn(line + 1, "0123456789") : 0;

    return digits != 0 && strncmp(line + 1 + digits, " = ", 3) == 0 ? line + 1 + digits + 3 : NULL;
}

bool registers_extras_printed(struct reading *r, size_t i)
{
    const char *value = registers_printed(r->text.lines[i].text);
    const char *command = i == 0 ? NULL : strstr(r->text.lines[i - 1].text, "p/x ");
    char text[120];

    if (value == NULL || value[0] == '{' || command == NULL) {
        return false;
    }
    snprintf(text, sizeof text, "%.60s = %.40s", command + 4, value);
    return registers_extras(r, text, r->text.lines[i].number);
}

/* Returns true if the number at @text, which GDB did not print, is bare and has eight digits: it is hexadecimal. */
static bool has_eight_digits(const char *line, const char *text)
{
    if (registers_printed(line) != NULL) {
        return false;
    }
    text += strcspn(text, "0123456789abcdefABCDEF");
    return strspn(text, "0123456789abcdefABCDEF") == 8;
}

/* Takes the values that follow the M-profile address at the beginning of the line: "0xe0001000: 40000001 00000000". */
static bool take_words(struct reading *r, const char *text, uint32_t line)
{
    char *end;
    unsigned long long address;
    bool any = false;

    text += strspn(text, " \t>(");
    address = strtoull(text, &end, 16);
    if (end == text || address < 0xE0000000u || address > 0xE00FFFFFu) {
        return false;
    }
    if (*end == ' ' && end[1] == '<') {
        end += strcspn(end, ">");
        end += *end != '\0';
    }
    end += strspn(end, " \t)=|:");
    for (unsigned k = 0; k < 16 && isxdigit((unsigned char)*end); k++, address += 4) {
        const char *word = end;
        const unsigned long long value = strtoull(word, &end, 16);

        if (is_name(*end) || end - word > 10) {
            break;
        }
        for (unsigned i = 0; i < READING_EXTRAS; i++) {
            if (addresses[i] != 0 && addresses[i] == address) {
                take_extra(r, (enum reading_extra)i, value, line);
                any = true;
            }
        }
        end += text_blanks(end);
    }
    return any;
}

/* Returns where @text, which follows a register's name, goes on behind the register's @address, if that is there. */
static const char *skip_address(const char *text, uint32_t address)
{
    const char *number = text + strspn(text, " \t@:|");
    char *end;
    const unsigned long long first = strtoull(number, &end, 16);

    if (address == 0 || !isxdigit((unsigned char)*number) || first != address || is_name(*end)) {
        return text;
    }
    number = end + strspn(end, " \t=:|>-");
    return isxdigit((unsigned char)*number) ? end : text;
}

/* Takes the register whose spelling begins at @at, a letter at the beginning of a word in the line @text. */
static bool take_spelling(struct reading *r, const char *text, const char *at, uint32_t line)
{
    bool any = false;

    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        const size_t length = strlen(spellings[i].name);
        uint64_t value;

        if ((*at & ~0x20) != spellings[i].name[0] || strncasecmp(at, spellings[i].name, length) != 0 ||
            is_name(at[length])) {
            continue;
        }
        const char *after = skip_address(at + length, addresses[spellings[i].id]);

        if (read_after(after, has_eight_digits(text, after), &value) &&
            (value == 0 || value != addresses[spellings[i].id])) { /* "DWT_CTRL = 0xE0001000" is where it lies */
            take_extra(r, spellings[i].id, value, line);
            any = true;
        }
    }
    return any;
}

bool registers_extras(struct reading *r, const char *text, uint32_t line)
{
    bool any = take_words(r, text, line), word = false;

    for (const char *at = text; *at != '\0'; at++) {
        const bool begins = !word && strchr("CDGIPScdgips", *at) != NULL;

        if (begins && (at == text || (at[-1] != '>' && at[-1] != '.'))) {
            any |= take_spelling(r, text, at, line);
        }
        word = is_name(*at);
    }
    return any;
}
