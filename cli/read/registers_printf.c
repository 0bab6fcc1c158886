/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Brings what a debugger's printf printed of registers into the form "NAME = VALUE":
 *
 *     (gdb) printf "%lx %lx\n", $PMCR_EL0, $PMCNTENSET_EL0
 *     41033041 80000001
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "registers.h"

/* Returns the first argument of @text that is not yet taken, a register's name with its length, and moves *@text on. */
static const char *next_argument(const char **text, size_t *length)
{
    const char *at = *text + strspn(*text, " \t,"), *end = at;
    unsigned depth = 0;

    for (; *end != '\0' && (*end != ',' || depth != 0); end++) {
        depth += *end == '(' || *end == '[';
        depth -= depth != 0 && (*end == ')' || *end == ']');
    }
    *text = end;
    while (*at == '(') { /* a cast */
        const size_t cast = strcspn(at, ")");

        at += at[cast] == ')' ? cast + 1 : cast;
        at += text_blanks(at);
    }
    *length = 0;
    if (*at != '$') {
        return at;
    }
    at++;
    while (isalnum((unsigned char)at[*length]) || at[*length] == '_') {
        ++*length;
    }
    return at + *length + strspn(at + *length, " \t\r") == end ? at : NULL; /* else an expression of a register */
}

/* Appends what the directive that ends with @kind printed of the argument @name, the @digits at @value. */
static size_t put_value(char *buf, size_t size, char kind, const char *name, size_t length, const char *value,
                        size_t digits)
{
    const bool bare = strchr("xXp", kind) != NULL && strncasecmp(value, "0x", 2) != 0;
    struct names_place place;

    if (name == NULL || length == 0 || strchr("xXpdui", kind) == NULL || !names_by_name(name, length, &place) ||
        length + digits + 10 > size) {
        return 0;
    }
    return (size_t)snprintf(buf, size, "%.*s = %s%.*s ", (int)length, name, bare ? "0x" : "", (int)digits, value);
}

/* Moves *@text and *@line behind @format's next character.  Returns false if the line has another one. */
static bool pass_character(const char **format, const char **line)
{
    if (**format == '\\' && (*format)[1] != '\0') {
        *format += 2; /* \t; \n ends the line */
        *line += text_blanks(*line);
        return true;
    }
    if (isspace((unsigned char)**format)) {
        ++*format;
        *line += text_blanks(*line);
        return true;
    }
    return *(*format)++ == *(*line)++;
}

size_t registers_printf_row(const char *command, const char *line, char *buf, size_t size)
{
    const char *format = strstr(command, "printf \""), *arguments;
    size_t used = 0;

    if (format == NULL || strchr(command, '$') == NULL) {
        return 0;
    }
    format += strlen("printf \"");
    arguments = strchr(format, '"');
    if (arguments == NULL || arguments[1 + text_blanks(arguments + 1)] != ',') {
        return 0;
    }
    for (arguments++; *format != '"' && strncmp(format, "\\n", 2) != 0;) {
        const char *name;
        size_t length, digits;

        if (*format != '%' || format[1] == '%') {
            format += *format == '%';
            if (!pass_character(&format, &line)) {
                return 0;
            }
            continue;
        }
        format += 1 + strspn(format + 1, "#0123456789-+ lhzjt");
        name = next_argument(&arguments, &length);
        line += text_blanks(line);
        digits = strspn(line, "0123456789abcdefABCDEFx");
        if (digits == 0) {
            return 0;
        }
        used += put_value(buf + used, size - used, *format, name, length, line, digits);
        line += digits;
        format += *format != '"';
    }
    return used;
}
