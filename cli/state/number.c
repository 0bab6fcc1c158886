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

/* The digits of a number, without its separators. */
struct digits {
    size_t count;
    bool letters; /* some are a to f */
};

/* Parses a hexadecimal number without 0x.  Returns any kind but STATE_AMBIGUOUS. */
static enum state_number_kind parse_hexadecimal(const char *text, size_t length, uint64_t *value, size_t *used,
                                                struct digits *digits)
{
    size_t at = 0;
    bool large = false;

    *value = 0;
    *digits = (struct digits){0, false};
    for (; at < length; at++) {
        const int digit = state_hex(text[at]);

        if (digit < 0) {
            if (separates(text[at]) && digits->count > 0 && at + 1 < length && state_hex(text[at + 1]) >= 0) {
                continue;
            }
            break;
        }
        large |= (*value >> 60) != 0;
        *value = *value << 4 | (unsigned)digit;
        digits->count++;
        digits->letters |= digit > 9;
    }
    *used = at;
    if (digits->count == 0 || (at < length && state_is_word(text[at]))) {
        return STATE_NO_NUMBER;
    }
    return large ? STATE_TOO_LARGE : STATE_NUMBER;
}

enum state_number_kind state_number(const char *text, size_t length, uint64_t *value, size_t *used)
{
    enum state_number_kind kind;
    struct digits digits;

    if (length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
        kind = parse_hexadecimal(text + 2, length - 2, value, used, &digits);
        *used += 2;
        return kind;
    }
    kind = parse_hexadecimal(text, length, value, used, &digits);
    if (kind != STATE_NUMBER || digits.count == 8 || digits.count == 16) {
        return kind;
    }
    if (digits.letters) {
        return STATE_NO_NUMBER;
    }
    return digits.count == 1 ? STATE_NUMBER : STATE_AMBIGUOUS;
}
