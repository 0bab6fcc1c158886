/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads values as people write them: 0x41023001, 1090662401, 41023001, 0b101, 0x8000000FUL, 1 << 31, BIT(31) | 1,
 * (1u << 0) | 0x4, 41023001h, 32'h41023001.  An expression is evaluated from left to right, with << before |.
 */
#include <string.h>

#include "internal.h"

/* An expression that is read. */
struct value_text {
    const char *text;
    size_t length, at;
    bool hex;    /* bare digits are hexadecimal */
    bool marked; /* the value says its base, or is an expression */
    unsigned depth;
};

static char at(const struct value_text *v, size_t ahead)
{
    return v->at + ahead < v->length ? v->text[v->at + ahead] : '\0';
}

static void blanks(struct value_text *v)
{
    while (at(v, 0) == ' ' || at(v, 0) == '\t') {
        v->at++;
    }
}

static bool separates(char c)
{
    return c == '_' || c == '\'' || c == '`';
}

/* Reads digits of @base, 2, 10 or 16.  Returns how many there are; *@value is their number, unless it is *@large. */
static size_t read_digits(struct value_text *v, unsigned base, uint64_t *value, bool *large)
{
    uint64_t past = 0; /* what is more than 64 bits */
    size_t count = 0;

    *value = 0;
    for (;; v->at++) {
        const int digit = state_hex(at(v, 0));

        if (digit < 0 || (unsigned)digit >= base) {
            if (count > 0 && separates(at(v, 0)) && state_hex(at(v, 1)) >= 0) {
                continue;
            }
            *large = past != 0;
            return count;
        }
        past |= base == 16  ? *value >> 60
                : base == 2 ? *value >> 63
                            : (uint64_t)(*value > UINT64_MAX / 10 ||
                                         (*value == UINT64_MAX / 10 && (unsigned)digit > UINT64_MAX % 10));
        *value = *value * base + (unsigned)digit;
        count++;
    }
}

/* Skips the suffix of a number in C.  Returns false if another word is joined to it. */
static bool skip_suffix(struct value_text *v)
{
    while (at(v, 0) == 'u' || at(v, 0) == 'U' || at(v, 0) == 'l' || at(v, 0) == 'L') {
        v->at++;
        v->marked = true;
    }
    return !state_is_word(at(v, 0));
}

/* Reads bare digits, whose base depends on what they are. */
static bool read_bare(struct value_text *v, uint64_t *value)
{
    const size_t start = v->at;
    bool large;
    const size_t hex_digits = read_digits(v, 16, value, &large);
    const size_t end = v->at;
    bool letters = false, digits = false;

    for (size_t i = start; i < end; i++) {
        letters |= state_hex(v->text[i]) > 9;
        digits |= state_hex(v->text[i]) <= 9;
    }
    if (hex_digits == 0 || (large && hex_digits > 16 && letters)) {
        return false;
    }
    if ((at(v, 0) | 0x20) == 'h' && !state_is_word(at(v, 1))) {
        if (!digits && v->text[start] >= 'a') {
            return false; /* "each" is a word */
        }
        v->at++;
        v->marked = true;
        return !large;
    }
    if (letters ? hex_digits >= 3 : hex_digits == 16 || (v->hex && hex_digits > 1)) {
        return !large && skip_suffix(v);
    }
    if (letters) {
        return false;
    }
    v->at = start;
    (void)read_digits(v, 10, value, &large);
    return !large && skip_suffix(v);
}

/* Reads a number in any base. */
static bool read_number(struct value_text *v, uint64_t *value)
{
    bool large;

    if (at(v, 0) == '#' || at(v, 0) == '$') { /* an immediate, or a number of an assembler */
        v->at++;
    }
    if (at(v, 0) == '0' && ((at(v, 1) | 0x20) == 'x' || (at(v, 1) | 0x20) == 'b')) {
        const unsigned base = (at(v, 1) | 0x20) == 'x' ? 16 : 2;

        v->at += 2;
        v->marked = true;
        while (at(v, 0) == '_') {
            v->at++;
        }
        return read_digits(v, base, value, &large) != 0 && !large && skip_suffix(v);
    }
    if (at(v, 0) == '\'' && (at(v, 1) | 0x20) == 'h') {
        v->at += 2;
        v->marked = true;
        return read_digits(v, 16, value, &large) != 0 && !large;
    }
    if (at(v, 0) >= '0' && at(v, 0) <= '9' && at(v, 1) >= '0' && at(v, 1) <= '9' && at(v, 2) == '\'' &&
        (at(v, 3) | 0x20) == 'h') { /* 32'h41023001 */
        v->at += 4;
        v->marked = true;
        return read_digits(v, 16, value, &large) != 0 && !large;
    }
    return read_bare(v, value);
}

static bool read_or(struct value_text *v, uint64_t *value);

/* Returns true after it skipped @word and "(", in any case of letters. */
static bool skip_call(struct value_text *v, const char *word)
{
    size_t i = 0;

    for (; word[i] != '\0'; i++) {
        if ((at(v, i) | 0x20) != word[i]) {
            return false;
        }
    }
    if (at(v, i) != '(') {
        return false;
    }
    v->at += i + 1;
    return true;
}

/* Reads a number, BIT(n), or an expression in parentheses. */
static bool read_term(struct value_text *v, uint64_t *value)
{
    const char letter = (char)(at(v, 0) | 0x20);
    const bool bit = (letter == 'b' && (skip_call(v, "bit") || skip_call(v, "bit_ull") || skip_call(v, "bit64"))) ||
                     (at(v, 0) == '_' && skip_call(v, "_bitul"));

    if (bit || at(v, 0) == '(') {
        v->at += !bit;
        if (v->depth >= 8) {
            return false;
        }
        v->depth++;
        blanks(v);
        if (!read_or(v, value)) {
            return false;
        }
        v->depth--;
        blanks(v);
        if (at(v, 0) != ')') {
            return false;
        }
        v->at++;
        v->marked = true;
        *value = bit ? (*value < 64 ? UINT64_C(1) << *value : 0) : *value;
        return true;
    }
    return read_number(v, value);
}

static bool read_shift(struct value_text *v, uint64_t *value)
{
    uint64_t by;

    if (!read_term(v, value)) {
        return false;
    }
    for (;;) {
        const size_t here = v->at;

        blanks(v);
        if (at(v, 0) != '<' || at(v, 1) != '<') {
            v->at = here;
            return true;
        }
        v->at += 2;
        blanks(v);
        if (!read_term(v, &by)) {
            return false;
        }
        v->marked = true;
        *value = by < 64 ? *value << by : 0;
    }
}

static bool read_or(struct value_text *v, uint64_t *value)
{
    uint64_t other;

    if (!read_shift(v, value)) {
        return false;
    }
    for (;;) {
        const size_t here = v->at;

        blanks(v);
        if ((at(v, 0) != '|' && at(v, 0) != '+') || at(v, 1) == at(v, 0)) {
            v->at = here;
            return true;
        }
        v->at++;
        blanks(v);
        if (!read_shift(v, &other)) { /* the | of a table */
            v->at = here;
            return true;
        }
        v->marked = true;
        *value |= other;
    }
}

bool state_value(const char *text, size_t length, bool hex, uint64_t *value, size_t *used, bool *marked)
{
    struct value_text v = {.text = text, .length = length < 200 ? length : 200, .hex = hex};

    if (!read_or(&v, value)) {
        return false;
    }
    *used = v.at;
    *marked = v.marked;
    return true;
}
