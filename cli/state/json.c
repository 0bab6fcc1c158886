/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes registers from JSON: members with their names, {"PMCR_EL0": "0x41023001", "MDCR_EL2": 6}, at any depth, and
 * objects with "name" and "value".
 *
 * jansson has signed integers of 64 bits, refuses a text with a larger one, and does not tell the lines of values.  So
 * the text is prepared before jansson reads it: the value of a member, if it is a string or a number, becomes a string
 * that begins with a mark, the number of its line and its kind.  Any other number is an element of an array, is
 * not used, and becomes 0.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "internal.h"

#define MARK "\\u0001" /* a character that JSON allows only as this escape */

/* ---------------------------------------------------------------------------------------------------------------
 * Preparing the text for jansson.
 */

/* A text that grows. */
struct json_text {
    char *at;            /* allocated; not terminated by a '\0' */
    size_t length, size; /* characters that it has, and for which there is room */
};

/* Appends @length characters. */
static void append(struct json_text *t, const char *what, size_t length)
{
    if (t->size - t->length < length) {
        t->size = 2 * t->size + length + 4096;
        t->at = cli_allocate(t->at, t->size, 1);
    }
    memcpy(t->at + t->length, what, length);
    t->length += length;
}

/* Appends the mark of a value: its line and its kind, 's' for a string or 'n' for a number. */
static void append_mark(struct json_text *t, uint32_t line, char kind)
{
    char mark[32];

    append(t, mark, (size_t)snprintf(mark, sizeof mark, MARK "%" PRIu32 "%c", line, kind));
}

/* Returns the number of decimal digits at the beginning of @text. */
static size_t count_digits(const char *text, size_t length)
{
    size_t count = 0;

    while (count < length && text[count] >= '0' && text[count] <= '9') {
        count++;
    }
    return count;
}

/* Returns the number of characters of the JSON number at the beginning of @text, 0 if there is none. */
static size_t measure_number(const char *text, size_t length)
{
    size_t at = length > 0 && text[0] == '-', count = count_digits(text + at, length - at);

    if (count == 0 || (count > 1 && text[at] == '0')) {
        return 0;
    }
    at += count;
    if (at < length && text[at] == '.') {
        count = count_digits(text + at + 1, length - at - 1);
        if (count == 0) {
            return 0;
        }
        at += 1 + count;
    }
    if (at < length && (text[at] | 0x20) == 'e') {
        const size_t sign = at + 1 < length && (text[at + 1] == '+' || text[at + 1] == '-');

        count = count_digits(text + at + 1 + sign, length - at - 1 - sign);
        if (count == 0) {
            return 0;
        }
        at += 1 + sign + count;
    }
    return at < length && (state_is_word(text[at]) || text[at] == '.') ? 0 : at;
}

/* Returns the number of characters of the string that begins @text with its quotes, or @length if it has no end. */
static size_t measure_string(const char *text, size_t length)
{
    size_t at = 1;

    while (at < length && text[at] != '"') {
        at += text[at] == '\\' && at + 1 < length ? 2 : 1;
    }
    return at < length ? at + 1 : length;
}

/* Prepares a text for jansson.  A text that is not JSON stays invalid.  The caller frees .at of the result. */
static struct json_text prepare(const char *text, size_t length)
{
    struct json_text out = {NULL, 0, 0};
    uint32_t line = 1;
    bool is_value = false; /* a colon came before */

    for (size_t at = 0, used; at < length; at += used) {
        used = 1;
        if (text[at] == '"') {
            used = measure_string(text + at, length - at);
            append(&out, "\"", 1);
            if (is_value) {
                append_mark(&out, line, 's');
            }
            append(&out, text + at + 1, used - 1);
            is_value = false;
        } else if ((used = measure_number(text + at, length - at)) > 0) {
            if (is_value) {
                append(&out, "\"", 1);
                append_mark(&out, line, 'n');
                append(&out, text + at, used);
                append(&out, "\"", 1);
            } else {
                append(&out, "0", 1);
            }
            is_value = false;
        } else {
            used = 1;
            append(&out, text + at, 1);
            line += text[at] == '\n';
            is_value = text[at] == ':' || (is_value && memchr(" \t\r\n", text[at], 4) != NULL);
        }
    }
    return out;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Taking registers from what jansson read.
 */

/* The value of a member, without its mark. */
struct json_value {
    bool given;       /* it is a string or a number; the other members are valid */
    bool is_number;
    uint32_t line;    /* its line in the input */
    const char *text; /* .length characters, in jansson's string */
    size_t length;
};

/* Reads the mark of @member, which may be NULL, and returns the value behind it. */
static struct json_value value_of(const json_t *member)
{
    const char *text = json_is_string(member) ? json_string_value(member) : "";
    struct json_value v = {.text = text};

    if (text[0] == '\x01') {
        char *end;

        v.given = true;
        v.line = (uint32_t)strtoul(text + 1, &end, 10);
        v.is_number = *end == 'n';
        v.text = end + 1;
        v.length = json_string_length(member) - (size_t)(v.text - text);
    }
    return v;
}

/* Parses an integer.  Returns NULL, or why it is not a register's value. */
static const char *parse_decimal(const char *text, size_t length, uint64_t *value)
{
    *value = 0;
    if (text[0] == '-') {
        return "it is negative; give its bits, as an integer from 0 on or as \"0x...\"";
    }
    if (count_digits(text, length) != length) {
        return "it is not an integer; give it without a fraction and an exponent, or as \"0x...\"";
    }
    for (size_t i = 0; i < length; i++) {
        const uint64_t digit = (uint64_t)(text[i] - '0');

        if (*value > (UINT64_MAX - digit) / 10) {
            return "it has more than 64 bits";
        }
        *value = *value * 10 + digit;
    }
    return NULL;
}

/* Stores the number that @v gives.  Returns NULL, or why it is not a register's value. */
static const char *read_value(const struct json_value *v, uint64_t *number)
{
    size_t used;

    if (!v->given) {
        return "its value is not a number";
    }
    if (v->is_number) {
        return parse_decimal(v->text, v->length, number);
    }
    const enum state_number_kind kind = state_number(v->text, v->length, number, &used);

    return used != v->length         ? "its value is not a number"
           : kind == STATE_NUMBER    ? NULL
           : kind == STATE_TOO_LARGE ? "it has more than 64 bits"
           : kind == STATE_AMBIGUOUS ? "is it hexadecimal? write it with 0x"
                                     : "its value is not a number";
}

/* Takes the member @name, if it is a register.  Adds a remark if its value cannot be taken. */
static void take(struct state *s, const char *name, const json_t *member)
{
    struct names_place place;
    const size_t length = strlen(name);
    const struct json_value v = value_of(member);
    uint64_t number = 0;

    if (!names_by_name(name, length, &place) && !names_by_generic(name, length, &place)) {
        if (v.given) {
            state_remark(s, STATE_UNKNOWN_NAME, v.line, name, length, "");
        }
        return;
    }
    const char *wrong = read_value(&v, &number);

    if (wrong == NULL) {
        state_take(s, &place, number, v.line, name, length);
    } else {
        state_remark(s, STATE_BAD_VALUE, v.line, name, length, wrong);
    }
}

/* Takes the registers in @value and below.  The recursion is bounded, because jansson bounds the depth of a text. */
static void walk(struct state *s, json_t *value)
{
    const char *key;
    json_t *member;
    size_t i;

    if (json_is_array(value)) {
        json_array_foreach(value, i, member) {
            walk(s, member);
        }
        return;
    }
    const json_t *name = json_object_get(value, "name"), *number = json_object_get(value, "value");
    const struct json_value named = value_of(name);

    if (named.given && !named.is_number && number != NULL) {
        take(s, named.text, number);
    }
    json_object_foreach(value, key, member) {
        if (json_is_object(member) || json_is_array(member)) {
            walk(s, member);
        } else if (member != name && member != number) {
            take(s, key, member);
        }
    }
}

bool state_parse_json(struct state *s, const char *text, size_t length, struct state_json_error *error)
{
    json_error_t why;
    struct json_text prepared = prepare(text, length);
    json_t *root = json_loadb(prepared.at, prepared.length, JSON_REJECT_DUPLICATES, &why);

    free(prepared.at);
    if (root == NULL) {
        error->line = why.line > 0 ? (uint32_t)why.line : 0;
        snprintf(error->text, sizeof error->text, "%.31s", why.text);
        return false;
    }
    walk(s, root);
    json_decref(root);
    return true;
}
