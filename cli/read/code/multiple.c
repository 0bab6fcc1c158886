/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes the instructions that load or store several registers: LDM, STM, PUSH, POP, LDP and STP.
 *
 * What a function pushes is what it pops, as long as both are of the same size.  All else that is loaded is unknown.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "internal.h"

enum { MOST = 32, OUTSIDE = 31 };

/* Returns the index of a register in w->registers; OUTSIDE for one that has none, such as Q0. */
static unsigned number_of(const char *text, size_t length)
{
    static const struct {
        char name[4];
        uint8_t number;
    } others[] = {{"fp", 11}, {"ip", 12}, {"sp", 13}, {"lr", 14}, {"pc", 15}, {"sb", 9}, {"sl", 10}};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (length == 2 && strncasecmp(text, others[i].name, 2) == 0) {
            return others[i].number;
        }
    }
    if (length >= 2 && length <= 3 && strchr("rxwRXW", text[0]) != NULL && isdigit((unsigned char)text[1])) {
        const int n = atoi(text + 1);

        return n < OUTSIDE ? (unsigned)n : OUTSIDE;
    }
    return OUTSIDE;
}

/* Reads "{r4-r6, lr}" into @list.  Returns how many registers it has. */
static unsigned read_list(const char *text, size_t length, unsigned list[MOST])
{
    const char *end = text + length;
    unsigned count = 0, before = OUTSIDE;
    bool range = false;

    for (const char *p = text; p < end && count < MOST;) {
        const char *from = p;

        while (p < end && isalnum((unsigned char)*p)) {
            p++;
        }
        if (p == from) {
            range |= *p++ == '-';
            continue;
        }
        const unsigned n = number_of(from, (size_t)(p - from));

        for (unsigned k = before + 1; range && k < n && n < OUTSIDE && count < MOST; k++) {
            list[count++] = k;
        }
        if (count < MOST) {
            list[count++] = n;
        }
        before = n;
        range = false;
    }
    return count;
}

/* Saves @count registers as one piece.  A piece for which there is no room is lost, so its registers become unknown. */
static void push(struct code_walk *w, const unsigned list[MOST], unsigned count)
{
    struct code_piece *piece;

    if (w->piece_count == sizeof w->pieces / sizeof w->pieces[0]) {
        w->piece_count = 0;
    }
    piece = &w->pieces[w->piece_count++];
    piece->function = w->function;
    piece->count = count;
    for (unsigned i = 0; i < count; i++) {
        piece->values[i] = list[i] < OUTSIDE ? w->registers[list[i]] : code_unknown();
    }
}

/* Loads @count registers: from the last piece if @popped and this function pushed as many. */
static void load(struct code_walk *w, const unsigned list[MOST], unsigned count, bool popped)
{
    const struct code_piece *piece = popped && w->piece_count != 0 ? &w->pieces[w->piece_count - 1] : NULL;
    const bool same = piece != NULL && piece->function == w->function && piece->count == count;

    for (unsigned i = 0; i < count; i++) {
        if (list[i] < OUTSIDE) {
            w->registers[list[i]] = same ? piece->values[i] : code_unknown();
        }
    }
    w->piece_count -= same;
}

/* Returns true if the address in operand @n is that of the stack: "sp!", "[sp, #-16]!", "[sp]". */
static bool is_stack(const struct code_instruction *i, unsigned n)
{
    const char *text = i->operands[n].text;
    const size_t bracket = text[0] == '[';

    return i->operands[n].length >= 2 + bracket && strncasecmp(text + bracket, "sp", 2) == 0;
}

/*
 * Executes LDM and STM, of which operand 0 is the base and operand 1 the list, and PUSH and POP, which have the list.
 */
static bool do_list(struct code_instruction *i)
{
    const bool stack = strncmp(i->name, "push", 4) == 0 || strncmp(i->name, "pop", 3) == 0;
    const bool loads = strncmp(i->name, "ldm", 3) == 0 || strncmp(i->name, "pop", 3) == 0;
    const unsigned at = stack ? 0 : 1;
    unsigned list[MOST], count;

    if (!stack && strncmp(i->name, "ldm", 3) != 0 && strncmp(i->name, "stm", 3) != 0) {
        return false;
    }
    if (i->count <= at || i->list != NULL) {
        return true;
    }
    count = read_list(i->operands[at].text, i->operands[at].length, list);
    if (loads) {
        load(i->w, list, count, stack || is_stack(i, 0));
    } else if (stack || is_stack(i, 0)) {
        push(i->w, list, count);
    }
    if (!stack && i->operands[0].text[i->operands[0].length - 1] == '!') {
        code_write_operand(i, 0, code_unknown());
    }
    return true;
}

/* Executes LDP and STP.  An offset from the stack pointer is no piece of its own, so what it loads is unknown. */
static bool do_pair(struct code_instruction *i)
{
    const bool loads = i->name[0] == 'l';
    unsigned list[MOST], count;

    if ((strncmp(i->name, "ldp", 3) != 0 && strncmp(i->name, "stp", 3) != 0) || i->count < 3) {
        return false;
    }
    if (i->list != NULL) {
        for (unsigned n = 0; n < 2 && loads; n++) {
            code_write_operand(i, n, code_unknown());
        }
        return true;
    }
    count = read_list(i->operands[0].text, (size_t)(i->operands[1].text - i->operands[0].text) +
                                               i->operands[1].length, list);
    if (loads) {
        load(i->w, list, count, is_stack(i, 2) && i->count > 3);
    } else if (is_stack(i, 2) && i->operands[2].text[i->operands[2].length - 1] == '!') {
        push(i->w, list, count);
    }
    return true;
}

bool code_do_multiple(struct code_instruction *i)
{
    return do_list(i) || do_pair(i);
}
