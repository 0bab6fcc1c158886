/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of several counters in one word, whose values follow in their order:
 *
 *     pmevtyper{0,1,2}_el0 = 0x8, 0x11, 0x3        PMEVCNTR[4..5]   00000000 00000000
 *     PMXEVTYPER<0:1>: 08 10                       TYPER0-2 = 8, 11, 1b
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "loose.h"

/* Reads a number of one or two digits at @*at, which moves behind it.  Returns false if there is none. */
static bool list_number(const struct loose_scan *c, size_t *at, unsigned *number)
{
    size_t digits = 0;

    for (*number = 0; digits < 2 && loose_ahead(c, *at) >= '0' && loose_ahead(c, *at) <= '9'; digits++) {
        *number = *number * 10 + (unsigned)(loose_ahead(c, (*at)++) - '0');
    }
    return digits != 0 && !(loose_ahead(c, *at) >= '0' && loose_ahead(c, *at) <= '9');
}

/* Returns the length of what stands between the ends of a range, "..", "...", "-", ":" or "to"; 0: nothing does. */
static size_t range_sign(const struct loose_scan *c, size_t at)
{
    static const char *const signs[] = {"...", "..", " - ", "-", ":", " to ", "~"};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t length = strlen(signs[i]);

        if (c->at + at + length < c->length && memcmp(c->text + c->at + at, signs[i], length) == 0) {
            return length;
        }
    }
    return 0;
}

/* Reads the numbers "0,1,2" or "0..5" at *@at of @list.  Returns true if they are several. */
static bool list_numbers(const struct loose_scan *c, size_t *at, struct loose_list *list)
{
    unsigned last;
    size_t sign;

    for (list->count = 0; list->count < APMU_EVENT_COUNTERS && list_number(c, at, &list->numbers[list->count]);) {
        list->count++;
        while (loose_ahead(c, *at) == ',' || (list->count > 1 && loose_ahead(c, *at) == ' ')) {
            (*at)++;
        }
    }
    sign = list->count == 1 ? range_sign(c, *at) : 0;
    if (sign == 0) {
        return list->count > 1;
    }
    *at += sign;
    if (!list_number(c, at, &last) || last >= APMU_EVENT_COUNTERS) {
        return false;
    }
    while (list->numbers[list->count - 1] < last && list->count < APMU_EVENT_COUNTERS) {
        list->numbers[list->count] = list->numbers[list->count - 1] + 1;
        list->count++;
    }
    return list->count > 1;
}

bool loose_list_name(const struct loose_scan *c, size_t length, struct loose_list *list)
{
    const char open = loose_ahead(c, length);
    const char close = open == '{' ? '}' : open == '[' ? ']' : open == '<' ? '>' : open == '(' ? ')' : '\0';
    size_t at = length + 1;

    list->stem = length;
    if (close == '\0') { /* PMEVTYPER0-3 */
        while (list->stem > 3 && c->text[c->at + list->stem - 1] >= '0' && c->text[c->at + list->stem - 1] <= '9') {
            list->stem--;
        }
        at = list->stem;
    }
    if (list->stem > 16 || (close == '\0' && list->stem == length) || !list_numbers(c, &at, list) ||
        (close != '\0' && loose_ahead(c, at++) != close)) {
        return false;
    }
    list->tail = at;
    for (list->tails = 0; list->tails < 5 && state_is_word(loose_ahead(c, at + list->tails));) {
        list->tails++;
    }
    list->used = at + list->tails;
    return true;
}

bool loose_list_register(const char *name, const struct loose_list *list, unsigned number, struct names_place *place)
{
    const bool selected = list->stem == 10 && strncasecmp(name, "pmxevtyper", 10) == 0;
    const bool count = list->stem == 9 && strncasecmp(name, "pmxevcntr", 9) == 0;
    const size_t stem = count || selected ? list->stem - 3 : list->stem;
    char whole[40];
    const int n = snprintf(whole, sizeof whole, "%s%.*s%u%.*s", count || selected ? "PM" : "", (int)stem,
                           name + (list->stem - stem), number, (int)list->tails, name + list->tail);
    const struct loose_word *word = n > 0 && n < LOOSE_WORD ? loose_word(whole, (size_t)n) : NULL;

    if (word == NULL || !word->named || word->meant != NULL || word->place.view == NAMES_ARM11) {
        return false;
    }
    *place = word->place;
    return place->reg == APMU_REG_PMEVTYPER_EL0 || place->reg == APMU_REG_PMEVCNTR_EL0;
}
