/* SPDX-License-Identifier: BSD-2-Clause */
/* Words, symbols and expressions of assemblers. */
#define _GNU_SOURCE
#include <ctype.h>
#include <strings.h>

#include "macros.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Words.
 */

bool code_is_symbol(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

const char *code_skip_space(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p)) {
        p++;
    }
    return p;
}

/* Takes the name at *@p, and moves behind it and the blanks that follow. */
struct code_word code_take_word(const char **p, const char *end)
{
    struct code_word w = {code_skip_space(*p, end), 0};

    while (w.text + w.length < end && code_is_symbol(w.text[w.length])) {
        w.length++;
    }
    *p = code_skip_space(w.text + w.length, end);
    return w;
}

bool code_word_is(struct code_word w, const char *text)
{
    return strlen(text) == w.length && strncasecmp(w.text, text, w.length) == 0;
}

bool code_word_equals(struct code_word a, struct code_word b)
{
    return a.length == b.length && strncasecmp(a.text, b.text, a.length) == 0;
}

struct code_word code_trim(const char *from, const char *to)
{
    from = code_skip_space(from, to);
    while (to > from && isspace((unsigned char)to[-1])) {
        to--;
    }
    return (struct code_word){from, (size_t)(to - from)};
}

/* ---------------------------------------------------------------------------------------------------------------
 * Expressions.
 */

struct expression {
    const struct code_symbols *symbols;
    const char *p, *end;
    bool failed;
    unsigned depth;
};

/* The operators, by their precedence, which is that of the assembler. */
static const struct operator_row {
    const char *text;
    unsigned level;
} operators[] = {{"||", 0}, {"&&", 1}, {"==", 2}, {"!=", 2}, {"<>", 2}, {"<=", 2}, {">=", 2}, {"<<", 4}, {">>", 4},
                 {"<", 2},  {">", 2},  {"+", 2},  {"-", 2},  {"|", 3},  {"&", 3},  {"^", 3},  {"*", 4},  {"/", 4},
                 {"%", 4}};

static int64_t binary(struct expression *e, unsigned level);

static int64_t symbol_value(struct expression *e, struct code_word name)
{
    for (size_t i = e->symbols->count; i-- > 0;) {
        if (code_word_equals(e->symbols->list[i].name, name)) {
            return e->symbols->list[i].value;
        }
    }
    e->failed = true;
    return 0;
}

static int64_t unary(struct expression *e)
{
    int64_t v = 0;
    uint64_t number;
    uint8_t width;

    e->p = code_skip_space(e->p, e->end);
    if (e->p >= e->end || e->depth++ > 64) {
        e->failed = true;
        return 0;
    }
    if (memchr("-~!+#", *e->p, 5) != NULL) {
        const char sign = *e->p++;

        v = unary(e);
        return sign == '-' ? (int64_t)(0 - (uint64_t)v) : sign == '~' ? ~v : sign == '!' ? v == 0 : v;
    }
    if (*e->p == '(') {
        e->p++;
        v = binary(e, 0);
        e->p = code_skip_space(e->p, e->end);
        e->failed |= e->p >= e->end || *e->p != ')';
        e->p += e->p < e->end;
    } else if (isdigit((unsigned char)*e->p)) {
        const size_t n = code_number(e->p, (size_t)(e->end - e->p), &number, &width);

        e->failed |= n == 0;
        e->p += n;
        v = (int64_t)number;
    } else {
        const struct code_word name = code_take_word(&e->p, e->end);

        v = name.length != 0 ? symbol_value(e, name) : 0;
        e->failed |= name.length == 0;
    }
    return v;
}

/* Returns the operator at the cursor, if it binds as tightly as @level or more. */
static const struct operator_row *operator_at(const struct expression *e, unsigned level)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        const size_t n = strlen(operators[i].text);

        if ((size_t)(e->end - e->p) >= n && memcmp(e->p, operators[i].text, n) == 0) {
            return operators[i].level >= level ? &operators[i] : NULL;
        }
    }
    return NULL;
}

static int64_t operate(struct expression *e, const char *name, int64_t a, int64_t b)
{
    const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

    switch (name[0]) {
    case '|': return name[1] == '|' ? a != 0 || b != 0 : a | b;
    case '&': return name[1] == '&' ? a != 0 && b != 0 : a & b;
    case '=': return a == b;
    case '!': return a != b;
    case '<':
        return name[1] == '<'   ? (ub < 64 ? (int64_t)(ua << ub) : 0)
               : name[1] == '>' ? a != b
               : name[1] == '=' ? a <= b
                                    : a < b;
    case '>':
        if (name[1] == '>') {
            return ub < 64 ? (int64_t)(ua >> ub) : 0;
        }
        return name[1] == '=' ? a >= b : a > b;
    case '+': return (int64_t)(ua + ub);
    case '-': return (int64_t)(ua - ub);
    case '^': return a ^ b;
    case '*': return (int64_t)(ua * ub);
    default:
        e->failed |= ub == 0 || a < 0 || b < 0;
        return e->failed ? 0 : name[0] == '/' ? (int64_t)(ua / ub) : (int64_t)(ua % ub);
    }
}

static int64_t binary(struct expression *e, unsigned level)
{
    int64_t v = unary(e);
    const struct operator_row *row;

    for (;;) {
        e->p = code_skip_space(e->p, e->end);
        row = operator_at(e, level);
        if (row == NULL || e->failed) {
            return v;
        }
        e->p += strlen(row->text);
        v = operate(e, row->text, v, binary(e, row->level + 1));
    }
}

/* Evaluates @text.  Returns false if a symbol has no value here, or it is no expression. */
bool code_evaluate_symbols(const struct code_symbols *symbols, struct code_word text, int64_t *value)
{
    struct expression e = {.symbols = symbols, .p = text.text, .end = text.text + text.length};

    *value = binary(&e, 0);
    return !e.failed && code_skip_space(e.p, e.end) == e.end;
}

/* Notes the value of the symbol @name; one that is not known has none from now on. */
void code_set_symbol(struct code_symbols *symbols, struct code_word name, struct code_word text)
{
    int64_t value;
    const bool known = code_evaluate_symbols(symbols, text, &value);
    size_t i = 0;

    while (i < symbols->count && !code_word_equals(symbols->list[i].name, name)) {
        i++;
    }
    if (known && name.length != 0 && i < CODE_SYMBOLS) {
        symbols->list[i].name = name;
        symbols->list[i].value = value;
        symbols->count += i == symbols->count;
    } else if (!known && i < symbols->count) {
        symbols->list[i] = symbols->list[--symbols->count];
    }
}

