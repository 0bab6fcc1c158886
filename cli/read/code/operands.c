/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes the operands of instructions: registers, operands of inline assembly, and constants. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "internal.h"

/* Finds the operand of inline assembly that "%0", "%w1", "%[v]", "{}", "{0:x}" or "{v}" is. */
static struct code_operand *inline_operand(struct code_operands_list *list, const char *text, size_t length,
                                           char *modifier)
{
    size_t at = 1;
    unsigned n = 0;

    *modifier = 0;
    if (list == NULL || length < 2 || (text[0] != '%' && text[0] != '{')) {
        return NULL;
    }
    if (text[0] == '%' && isalpha((unsigned char)text[at])) {
        *modifier = text[at++];
    }
    if (text[0] == '{') {
        const char *colon = memchr(text, ':', length);

        *modifier = colon != NULL && colon + 1 < text + length ? colon[1] : 0;
        if (text[1] == '}' || text[1] == ':') {
            return list->next < list->count ? &list->list[list->next++] : NULL;
        }
    }
    if (at < length && isdigit((unsigned char)text[at])) {
        n = (unsigned)(text[at] - '0');
        if (at + 1 < length && isdigit((unsigned char)text[at + 1])) {
            n = n * 10 + (unsigned)(text[at + 1] - '0');
        }
        return n < list->count ? &list->list[n] : NULL;
    }
    at += at < length && text[at] == '[';
    for (unsigned i = 0; i < list->count; i++) {
        const size_t name = strlen(list->list[i].name);

        if (name != 0 && at + name < length && memcmp(text + at, list->list[i].name, name) == 0 &&
            !isalnum((unsigned char)text[at + name]) && text[at + name] != '_') {
            return &list->list[i];
        }
    }
    return NULL;
}

/* Returns the number of a register, 31 for the zero register, or -1. */
static int register_number(const struct code_instruction *i, const char *text, size_t length, bool *word)
{
    const char c = length != 0 ? (char)(text[0] | 0x20) : 0;

    *word = c == 'w' || (c == 'r' && !i->w->lexed->go_assembly);
    if (length >= 3 && strncasecmp(text + 1, "zr", 2) == 0) {
        return 31;
    }
    if (length >= 2 && length <= 3 && (c == 'x' || c == 'w' || c == 'r' || c == 'a') &&
        isdigit((unsigned char)text[1])) {
        const int n = atoi(text + 1);

        return n < 31 ? n : -1;
    }
    if (length == 2 && strncasecmp(text, "ip", 2) == 0) {
        return 12;
    }
    return -1;
}

/* Finds "x0" among Rust's operands with a fixed register. */
static struct code_operand *fixed_operand(const struct code_instruction *i, const char *text, size_t length)
{
    for (unsigned k = 0; i->list != NULL && i->list->rust && k < i->list->count; k++) {
        const char *name = i->list->list[k].name;

        if (strlen(name) == length && memcmp(name, text, length) == 0) {
            return &i->list->list[k];
        }
    }
    return NULL;
}

/* Returns the term of a name among the operands of an instruction: a macro, a variable or a known constant. */
static struct code_term named_constant(struct code_walk *w, const struct code_token *name)
{
    struct code_variable *v = code_find_variable(w, code_hash(CODE_HASH, name->text, name->length));
    struct code_definition *d = code_find_definition(w, name);
    struct code_term term = {.value = code_unknown()};
    uint64_t number;

    if (v != NULL && v->alias.to > v->alias.from) {
        return code_evaluate_text(w, v->alias);
    }
    if (v != NULL) {
        term.value = v->value;
    } else if (d != NULL && d->macro && !d->busy) {
        d->busy = true;
        term = code_evaluate_text(w, d->body);
        d->busy = false;
    } else if (code_constant(name->text, name->length, &number)) {
        term.value = code_known(number);
    }
    return term;
}

/* Evaluates a constant expression of the assembler: #(1 << 31), =0x80000000, :lo12:x. */
struct code_value code_operand_constant(const struct code_instruction *i, const char *text, size_t length)
{
    struct text t = {0};
    struct text_line line = {0};
    struct code_lexed lexed;
    struct code_walk *w = i->w;
    struct code_term term;
    char copy[256];
    size_t n = 0;
    const struct code_token *tokens = w->tokens;
    const size_t at = w->at, end = w->end;

    while (length != 0 && strchr("#=$ ", *text) != NULL) {
        text++;
        length--;
    }
    if (length == 0 || length >= sizeof copy || *text == ':' || *text == '"' || memchr(text, '\\', length) != NULL) {
        return code_unknown();
    }
    for (; n < length; n++) {
        copy[n] = text[n];
    }
    copy[n] = '\0';
    line = (struct text_line){.text = copy, .length = n, .number = i->token->line};
    t.lines = &line;
    t.count = 1;
    if (code_is_assembly(copy, n)) {
        return code_unknown();
    }
    code_lex(&lexed, &t);
    w->tokens = lexed.tokens;
    w->at = 0;
    w->end = lexed.count;
    /* Macros of the text have their bodies among the other tokens, so they are looked up with those. */
    term.value = code_unknown();
    if (lexed.count == 1 && lexed.tokens[0].kind == TOKEN_NAME) {
        w->tokens = tokens;
        term = named_constant(w, &lexed.tokens[0]);
    } else if (lexed.count != 0) {
        term = code_expression(w);
    }
    w->tokens = tokens;
    w->at = at;
    w->end = end;
    free(lexed.comments);
    code_lexed_free(&lexed);
    return term.value;
}

/* Returns the value of operand @n. */
struct code_value code_read_operand(struct code_instruction *i, unsigned n, bool *word)
{
    const char *text = i->operands[n].text;
    const size_t length = i->operands[n].length;
    struct code_operand *o;
    struct code_value v;
    char modifier;
    int number;

    *word = false;
    o = inline_operand(i->list, text, length, &modifier);
    if (o == NULL) {
        o = fixed_operand(i, text, length);
    }
    if (o != NULL) {
        *word = modifier == 'w';
        return o->value;
    }
    number = register_number(i, text, length, word);
    if (number >= 0) {
        v = number == 31 ? code_known(0) : i->w->registers[number];
        return *word ? code_cut(v, 32) : v;
    }
    return code_operand_constant(i, text, length);
}

void code_write_operand(struct code_instruction *i, unsigned n, struct code_value value)
{
    const char *text = i->operands[n].text;
    const size_t length = i->operands[n].length;
    struct code_operand *o;
    char modifier;
    bool word;
    int number;

    o = inline_operand(i->list, text, length, &modifier);
    if (o == NULL) {
        o = fixed_operand(i, text, length);
    }
    if (o != NULL) {
        if (modifier == 'R' && o->written) { /* the upper half of a pair */
            return;
        }
        o->value = modifier == 'w' ? code_cut(value, 32) : value;
        o->written = true;
        return;
    }
    number = register_number(i, text, length, &word);
    if (number >= 0 && number < 31) {
        i->w->registers[number] = word && value.known != 0 ? code_cut(value, 32) : value;
    }
}
