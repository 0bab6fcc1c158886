/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads numbers as debuggers print them: in hexadecimal, with 0x or in full width without it.  Digits may be separated:
 * 0x4102_3001.
 */
#include "internal.h"

static bool separates(char c)
{
    return c == '_' || c == '\'' || c == '`';
}

/* Parses a hexadecimal number without 0x.  Returns any kind but STATE_AMBIGUOUS. */
static enum state_number_kind parse_hexadecimal(const char *text, size_t length, uint64_t *value, size_t *used)
{
    size_t at = 0, digits = 0;
    bool large = false;

    *value = 0;
    for (; at < length; at++) {
        const int digit = state_hex(text[at]);

        if (digit < 0) {
            if (separates(text[at]) && digits > 0 && at + 1 < length && state_hex(text[at + 1]) >= 0) {
                continue;
            }
            break;
        }
        large |= (*value >> 60) != 0;
        *value = *value << 4 | (unsigned)digit;
        digits++;
    }
    *used = at;
    if (digits == 0 || (at < length && state_is_word(text[at]))) {
        return STATE_NO_NUMBER;
    }
    return large ? STATE_TOO_LARGE : STATE_NUMBER;
}

enum state_number_kind state_number(const char *text, size_t length, uint64_t *value, size_t *used)
{
    enum state_number_kind kind;
    bool letters = false;

    if (length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
        kind = parse_hexadecimal(text + 2, length - 2, value, used);
        *used += 2;
        return kind;
    }
    kind = parse_hexadecimal(text, length, value, used);
    if (kind != STATE_NUMBER) {
        return kind;
    }
    for (size_t i = 0; i < *used; i++) {
        letters |= (text[i] | 0x20) >= 'a';
    }
    if (*used == 1 && !letters) {
        return STATE_NUMBER;
    }
    return *used == 8 || *used == 16 ? STATE_NUMBER : letters ? STATE_NO_NUMBER : STATE_AMBIGUOUS;
}
