/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells languages that are read in their own way from C and its like. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "internal.h"

/* Returns true if the line ends as statements of C and Rust do, and no line of Python: in ";", or in "{" of a block. */
static bool ends_statement(const struct text_line *line)
{
    size_t i = line->length;

    if (i == 0 || line->text[i - 1] != '{') {
        return i != 0 && line->text[i - 1] == ';';
    }
    for (i--; i != 0 && line->text[i - 1] == ' '; i--) {
    }
    return i == 0 || strchr("=(,[:{", line->text[i - 1]) == NULL; /* "EVENTS = {" begins a dictionary */
}

bool code_is_python(const struct text *t)
{
    unsigned signs = 0, semicolons = 0, remarks = 0, instructions = 0;

    for (size_t i = 0; i < t->count && i < 400; i++) {
        const struct text_line *line = &t->lines[i];
        const char *p = line->text + strspn(line->text, " \t"), *end = line->text + line->length;
        const char *code = code_skip_listing(p, end);

        instructions += code_is_assembly(code, (size_t)(end - code));
        remarks += strncmp(p, "# ", 2) == 0;
        signs += strncmp(p, "import ", 7) == 0 || strncmp(p, "def ", 4) == 0 || strncmp(p, "print(", 6) == 0 ||
                 (strncmp(p, "for ", 4) == 0 && line->text[line->length - 1] == ':') ||
                 (strncmp(p, "from ", 5) == 0 && strstr(p, " import ") != NULL) ||
                 (strncmp(p, "with ", 5) == 0 && line->text[line->length - 1] == ':');
        semicolons += ends_statement(line);
    }
    return semicolons == 0 && (signs != 0 || (remarks != 0 && instructions < 3));
}

bool code_is_ada(const struct text *t)
{
    unsigned signs = 0, sure = 0;

    for (size_t i = 0; i < t->count && i < 400; i++) {
        const char *p = t->lines[i].text + strspn(t->lines[i].text, " \t"), *sets = strstr(p, " := ");

        if (*p == '\0' || strchr(";/*@#", *p) != NULL) {
            continue; /* a comment of another language */
        }
        if (strncmp(p, "func ", 5) == 0) {
            return false; /* Go, which assigns by ":=", too */
        }
        sure += strncasecmp(p, "procedure ", 10) == 0 || strncasecmp(p, "package ", 8) == 0 ||
                strncasecmp(p, "begin", 5) == 0 || strstr(p, "'Asm_") != NULL ||
                (strncasecmp(p, "function ", 9) == 0 && strstr(p, " return ") != NULL);
        signs += (strncasecmp(p, "with ", 5) == 0 && strchr(p, ';') != NULL) ||
                 (sets != NULL && strcspn(p, ";/") > (size_t)(sets - p));
    }
    return sure != 0 && sure + signs >= 3;
}

bool code_is_go(const struct code_walk *w)
{
    for (size_t i = 0; i + 1 < w->count; i++) {
        if (is_mark(&w->tokens[i], ":=") || (is_mark(&w->tokens[i], ":") && is_mark(&w->tokens[i + 1], "=")) ||
            has(&w->tokens[i], "PerfEventAttr")) {
            return true;
        }
    }
    return false;
}
