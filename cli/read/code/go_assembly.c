/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads Go's assembly: "TEXT ·Cycles(SB), NOSPLIT, $0-8" begins a function, operands of A64 are written from the source
 * to the destination, and registers are R0 to R30 though they have 64 bits.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <strings.h>

#include "internal.h"

/* Returns true if the line begins a function. */
static bool begins_function(const char *p, size_t length)
{
    return length > 9 && memcmp(p, "TEXT", 4) == 0 && isspace((unsigned char)p[4]) &&
           memmem(p, length, "(SB)", 4) != NULL;
}

bool code_is_go_assembly(const struct text *t)
{
    for (size_t i = 0; i < t->count && i < 400; i++) {
        if (begins_function(t->lines[i].text, t->lines[i].length)) {
            return true;
        }
    }
    return false;
}

enum code_token_kind code_cut_go(const char **from, const char **to)
{
    static const char *const declarations[] = {"GLOBL", "DATA", "PCDATA", "FUNCDATA", "NO_LOCAL_POINTERS"};
    const char *p = *from, *end = *to;
    size_t word = 0;

    if (begins_function(p, (size_t)(end - p))) {
        end = memmem(p, (size_t)(end - p), "(SB)", 4);
        for (p = end; p > *from && code_is_word(p[-1]);) {
            p--;
        }
        *from = p;
        *to = end;
        return TOKEN_LABEL;
    }
    while (end > p && isspace((unsigned char)end[-1])) {
        end--;
    }
    while (p + word < end && code_is_word(p[word])) {
        word++;
    }
    *to = end;
    if (word != 0 && p + word + 1 == end && p[word] == ':') {
        *to = end - 1;
        return TOKEN_LABEL;
    }
    for (size_t i = 0; i < sizeof declarations / sizeof declarations[0]; i++) {
        if (strlen(declarations[i]) == word && memcmp(p, declarations[i], word) == 0) {
            return TOKEN_END;
        }
    }
    return word != 0 ? TOKEN_ASSEMBLY : TOKEN_END;
}

/* Returns true if operand @n is memory: "8(R1)", "ret+0(FP)". */
static bool is_memory(const struct code_instruction *i, unsigned n)
{
    return n < i->count && memchr(i->operands[n].text, '(', i->operands[n].length) != NULL &&
           i->operands[n].text[0] != '$';
}

void code_turn_go(struct code_instruction *i)
{
    if (i->name[0] == 'm' && (strncmp(i->name, "mrc", 3) == 0 || strncmp(i->name, "mcr", 3) == 0)) {
        return; /* these are written as elsewhere */
    }
    if (strncmp(i->name, "mov", 3) == 0 && i->count == 2 && strcmp(i->name, "movk") != 0) {
        memcpy(i->name, is_memory(i, 1) ? "str" : is_memory(i, 0) ? "ldr" : "mov", 4);
        if (is_memory(i, 1)) {
            return; /* STR has the register first, too */
        }
    }
    for (unsigned n = 0; n < i->count / 2; n++) {
        const struct code_part part = i->operands[n];

        i->operands[n] = i->operands[i->count - 1 - n];
        i->operands[i->count - 1 - n] = part;
    }
}
