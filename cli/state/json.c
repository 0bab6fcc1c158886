/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers in JSON: members with their names, {"PMCR_EL0": "0x41023001", "MDCR_EL2": 6}, at any depth, and objects
 * with "name" and "value".
 */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "internal.h"

#define DEPTH 32

static void take(struct state *s, const char *name, const json_t *value)
{
    struct names_place place;
    const size_t length = strlen(name);
    uint64_t number = 0;
    enum state_number_kind kind = STATE_NUMBER;

    if (!names_by_name(name, length, &place) && !names_by_generic(name, length, &place)) {
        if (json_is_integer(value) || json_is_string(value)) {
            state_remark(s, STATE_UNKNOWN_NAME, 0, name, length, "");
        }
        return;
    }
    if (json_is_integer(value)) {
        number = (uint64_t)json_integer_value(value); /* a negative one is what 64 bits of it are */
    } else if (json_is_string(value)) {
        size_t used;
        const char *text = json_string_value(value);
        const size_t all = json_string_length(value);

        kind = state_number(text, all, &number, &used);
        kind = used != all ? STATE_NO_NUMBER : kind;
    } else {
        kind = STATE_NO_NUMBER;
    }
    if (kind == STATE_NUMBER) {
        state_take(s, &place, number, STATE_LINE_SOURCE, name, length);
    } else {
        state_remark(s, STATE_BAD_VALUE, 0, name, length,
                     kind == STATE_TOO_LARGE   ? "it has more than 64 bits"
                     : kind == STATE_AMBIGUOUS ? "is it hexadecimal? write it with 0x"
                                               : "its value is no number");
    }
}

static void walk(struct state *s, json_t *value, unsigned depth)
{
    const char *key;
    json_t *member;
    size_t i;

    if (depth == 0) {
        return;
    }
    if (json_is_array(value)) {
        json_array_foreach(value, i, member) {
            walk(s, member, depth - 1);
        }
        return;
    }
    const json_t *name = json_object_get(value, "name"), *number = json_object_get(value, "value");

    if (json_is_string(name) && number != NULL) {
        take(s, json_string_value(name), number);
    }
    json_object_foreach(value, key, member) {
        if (json_is_object(member) || json_is_array(member)) {
            walk(s, member, depth - 1);
        } else if (member != name && member != number) {
            take(s, key, member);
        }
    }
}

bool state_parse_json(struct state *s, const char *text, size_t length, struct state_json_error *error)
{
    json_error_t why;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);

    if (root == NULL) {
        error->line = why.line > 0 ? (uint32_t)why.line : 0;
        snprintf(error->text, sizeof error->text, "%.31s", why.text);
        return false;
    }
    walk(s, root, DEPTH);
    json_decref(root);
    return true;
}
