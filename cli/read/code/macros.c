/* SPDX-License-Identifier: BSD-2-Clause */
/* Macros of assemblers and of the preprocessor: their parameters, arguments and lines. */
#define _GNU_SOURCE
#include <ctype.h>
#include <strings.h>

#include "macros.h"

const char *code_cut_comment(const char *p, const char *end)
{
    bool quoted = false;

    for (const char *q = p; q < end; q++) {
        quoted ^= *q == '"';
        if (!quoted && ((*q == '/' && q + 1 < end && (q[1] == '/' || q[1] == '*')) ||
                        (*q == '@' && (q == p || q[-1] != '\\')))) {
            return q;
        }
    }
    return end;
}

struct code_word code_take_macro_argument(const char **p, const char *end, bool blanks)
{
    const char *from = *p = code_skip_space(*p, end), *q = from;
    unsigned depth = 0;
    bool quoted = false;

    for (; q < end; q++) {
        quoted ^= *q == '"';
        depth += !quoted && (*q == '(' || *q == '[' || *q == '{');
        depth -= !quoted && depth != 0 && (*q == ')' || *q == ']' || *q == '}');
        if (!quoted && depth == 0 && (*q == ',' || (blanks && isspace((unsigned char)*q)))) {
            break;
        }
    }
    *p = code_skip_space(q, end);
    *p += *p < end && **p == ',';
    struct code_word w = code_trim(from, q);

    if (w.length >= 2 && w.text[0] == '"' && w.text[w.length - 1] == '"') {
        w = (struct code_word){w.text + 1, w.length - 2};
    }
    return w;
}

void code_take_macro_parameters(struct code_macro *m, const char *p, const char *end)
{
    m->count = 0;
    m->rest = false;
    while ((p = code_skip_space(p, end)) < end && m->count < CODE_MACRO_PARAMETERS) {
        const struct code_word name = code_take_word(&p, end);

        if (name.length == 0) {
            p++;
            continue;
        }
        m->parameters[m->count] = name;
        m->defaults[m->count] = (struct code_word){"", 0};
        if (p < end && *p == ':') {
            p++;
            m->rest = code_word_is(code_take_word(&p, end), "vararg");
        }
        if (p < end && *p == '=') {
            p++;
            m->defaults[m->count] = code_take_macro_argument(&p, end, true);
        }
        m->count++;
        p += p < end && *p == ',';
    }
}

void code_bind_macro(const struct code_macro *m, const char *p, const char *end, struct code_word *values)
{
    const bool commas = memchr(p, ',', (size_t)(end - p)) != NULL;
    unsigned next = 0;

    memcpy(values, m->defaults, sizeof m->defaults);
    while ((p = code_skip_space(p, end)) < end && next < m->count) {
        const char *q = p;
        const struct code_word name = code_take_word(&q, end);
        unsigned at = next;

        if (q < end && *q == '=' && q + 1 < end && q[1] != '=') { /* name=value */
            for (at = 0; at < m->count && !code_word_equals(m->parameters[at], name); at++) {
            }
            p = at < m->count ? q + 1 : p;
            at = at < m->count ? at : next;
        }
        if (m->rest && at + 1 == m->count) {
            values[at] = code_trim(p, end);
            return;
        }
        const struct code_word value = code_take_macro_argument(&p, end, !commas && m->count > 1);

        values[at] = value.length != 0 ? value : m->defaults[at];
        next = at == next ? next + 1 : next;
    }
}

/*
 * Finds what "\name", "\()" or "\@" at *@p stands for, and moves behind it.  A backslash before anything else stands
 * for itself.  A parameter without a value that is a part of a name is any number: pmevtyper\n becomes pmevtypern.
 */
static struct code_word take_reference(const struct code_macro *m, const struct code_word *values, unsigned count,
                                       const char *line, const char **p, const char *end, char number[16])
{
    const char *from = *p;
    struct code_word name = {from + 1, 0};

    *p += 1;
    if (*p < end && **p == '@') {
        *p += 1;
        snprintf(number, 16, "%u", count);
        return (struct code_word){number, strlen(number)};
    }
    if (end - *p >= 2 && (*p)[0] == '(' && (*p)[1] == ')') {
        *p += 2;
        return (struct code_word){from, 0};
    }
    while (name.text + name.length < end && code_is_symbol(name.text[name.length])) {
        name.length++;
    }
    for (unsigned i = 0; i < m->count; i++) {
        if (code_word_equals(m->parameters[i], name)) {
            *p += name.length;
            return !m->unused                                ? values[i]
                   : from > line && code_is_symbol(from[-1]) ? (struct code_word){"n", 1}
                                                             : (struct code_word){from, name.length + 1};
        }
    }
    return (struct code_word){from, 1};
}

/* Takes a name, a "##" or another character at *@p of a macro of the preprocessor, and moves behind it. */
static struct code_word take_piece(const struct code_macro *m, const struct code_word *values, const char **p,
                                   const char *end)
{
    struct code_word w = {*p, 0};

    if (end - *p >= 2 && memcmp(*p, "##", 2) == 0) {
        *p += 2;
        return w;
    }
    while (w.text + w.length < end && (isalnum((unsigned char)w.text[w.length]) || w.text[w.length] == '_')) {
        w.length++;
    }
    *p += w.length != 0 ? w.length : 1;
    for (unsigned i = 0; i < m->count && w.length != 0; i++) {
        if (w.length == m->parameters[i].length && memcmp(w.text, m->parameters[i].text, w.length) == 0) {
            return values[i];
        }
    }
    return w.length != 0 ? w : (struct code_word){w.text, 1};
}

size_t code_substitute_macro(const struct code_macro *m, const struct code_word *values, unsigned count,
                             const struct text_line *line, char to[CODE_MACRO_LINE])
{
    const char *p = line->text, *end = code_cut_comment(p, p + line->length);
    size_t n = 0;

    while (p < end) {
        char number[16];
        struct code_word w = {p, 1};

        if (m->define) {
            w = take_piece(m, values, &p, end);
        } else if (*p == '\\') {
            w = take_reference(m, values, count, line->text, &p, end, number);
        } else {
            p++;
        }
        if (n + w.length >= CODE_MACRO_LINE) {
            return n;
        }
        memcpy(to + n, w.text, w.length);
        n += w.length;
    }
    return n;
}

/* Returns true if the text begins with an instruction, up to ";" or "\\". */
static bool begins_assembly(const char *p, const char *end)
{
    for (const char *q = p; q < end; q++) {
        end = *q == ';' || *q == '\\' ? q : end;
    }
    return code_is_assembly(p, (size_t)(end - p));
}

const char *code_find_macro_body(const struct text_line *line, size_t count)
{
    const char *p = line->text, *end = p + line->length;

    if (line->length < 10 || strncmp(p, "#define", 7) != 0) {
        return NULL;
    }
    p += 7;
    code_take_word(&p, end);
    if (p < end && *p == '(') {
        p = memchr(p, ')', (size_t)(end - p));
        p = p == NULL ? end : p + 1;
    }
    p = code_skip_space(p, end);
    if (p < end && *p == '\\' && count > 1) {
        return begins_assembly(line[1].text, line[1].text + line[1].length) ? p : NULL;
    }
    return begins_assembly(p, end) ? p : NULL;
}
