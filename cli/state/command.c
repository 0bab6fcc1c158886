/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recognizes how debuggers ask for a register.  The value follows, on the line or on the next.
 *
 *     arm mrc 15 0 9 12 0          OpenOCD: coprocessor, opc1, CRn, CRm, opc2
 *     aarch64 mrs 3 3 9 12 0       op0, op1, CRn, CRm, op2
 *     SPR:0x339C0                  Trace32: op0, op1, CRn, CRm, op2, a digit each
 *     C15:0x00C9                   Trace32: CRn in bits 3:0, CRm in 7:4, opc2 in 11:8, opc1 in 14:12
 */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "internal.h"

/* Reads @count small numbers, decimal or hexadecimal with 0x, separated by blanks or commas.  Returns their length. */
static size_t read_numbers(const char *text, size_t length, unsigned count, unsigned *numbers)
{
    size_t at = 0;

    for (unsigned i = 0; i < count; i++) {
        uint64_t value;
        size_t used;
        bool marked;

        while (at < length && (text[at] == ' ' || text[at] == '\t' || text[at] == ',')) {
            at++;
        }
        if (at < length && (text[at] == 'p' || text[at] == 'c') && i != 0) {
            at++;
        }
        if (at >= length || !state_value(text + at, length - at, false, &value, &used, &marked) || value > 15) {
            return 0;
        }
        numbers[i] = (unsigned)value;
        at += used;
    }
    return at;
}

static void expect(struct state_loose *context, const struct names_place *place)
{
    context->pending = *place;
    context->is_pending = true;
    context->next_line_only = false;
}

/* Reads the digits of a Trace32 address after its class.  Returns their length. */
static size_t read_address(const char *text, size_t length, uint64_t *address)
{
    size_t used;
    bool marked;

    return state_value(text, length, true, address, &used, &marked) ? used : 0;
}

/* Recognizes an address of Trace32's classes of System registers. */
static bool trace32(struct state_loose *context, const char *text, size_t length, size_t *used)
{
    struct names_place place;
    uint64_t a;

    if (length > 4 && strncasecmp(text, "SPR:", 4) == 0) {
        *used = read_address(text + 4, length - 4, &a);
        const unsigned op0 = a >> 16 & 3, op1 = a >> 12 & 7, crn = a >> 8 & 15, crm = a >> 4 & 15, op2 = a & 7;

        if (*used == 0 || (!names_by_a64(apmu_a64_key(op0, op1, crn, crm, op2), &place) &&
                           !names_by_a64(apmu_a64_key(op0, op1, crm, crn, op2), &place))) {
            return false;
        }
        *used += 4;
    } else if (length > 4 && strncasecmp(text, "C15:", 4) == 0) {
        *used = read_address(text + 4, length - 4, &a);
        if (*used == 0 ||
            !names_by_a32(15, (uint16_t)APMU_A32_KEY(a >> 12 & 7, a & 15, a >> 4 & 15, a >> 8 & 7), &place)) {
            return false;
        }
        *used += 4;
    } else {
        return false;
    }
    expect(context, &place);
    return true;
}

/* Returns true if Tcl takes the result of a command, "[arm mrc 15 0 9 12 0]": no value follows on the terminal. */
static bool is_substituted(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && text[at] == ' ') {
        at++;
    }
    return at < length && text[at] == ']';
}

bool state_command(struct state_loose *context, const char *text, size_t length, size_t *used)
{
    unsigned n[5];
    struct names_place place;

    if (length == 0 || ((text[0] | 0x20) != 's' && (text[0] | 0x20) != 'c' && (text[0] | 0x20) != 'm')) {
        return false; /* it is neither SPR:, C15:, mrc nor mrs */
    }
    if (trace32(context, text, length, used)) {
        return true;
    }
    if (length < 5 || (text[3] != ' ' && text[3] != '\t')) {
        return false;
    }
    if (strncasecmp(text, "mrc", 3) == 0) {
        *used = read_numbers(text + 4, length - 4, 5, n);
        if (*used != 0 && n[1] < 8 && n[4] < 8 &&
            names_by_a32(n[0], (uint16_t)APMU_A32_KEY(n[1], n[2], n[3], n[4]), &place)) {
            *used += 4;
            expect(context, &place);
            context->is_pending = !is_substituted(text + *used, length - *used);
            return true;
        }
    } else if (strncasecmp(text, "mrs", 3) == 0) {
        *used = read_numbers(text + 4, length - 4, 5, n);
        if (*used != 0 && n[0] < 4 && n[1] < 8 && n[4] < 8 &&
            names_by_a64(apmu_a64_key(n[0], n[1], n[2], n[3], n[4]), &place)) {
            *used += 4;
            expect(context, &place);
            context->is_pending = !is_substituted(text + *used, length - *used);
            return true;
        }
    }
    return false;
}
