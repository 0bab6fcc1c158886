/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses a wish, EVENT[:LEVELS], such as "LD_RETIRED:u". */
#include "internal.h"

#define EVENT_TEXT_MAX 64u /* longer than every name */

/*
 * Returns the filter that counts at the Exception levels in @levels, bit n for ELn.  NSK, RLK and M are compared with
 * P, NSU and RLU with U, and SH and RLH with NSH.  Where they are 0, their states follow P, U and NSH.  M is set if EL3
 * is to differ from EL1, to which P belongs.
 */
static uint64_t filter_of(unsigned levels)
{
    const bool el0 = (levels & 1) != 0, el1 = (levels & 2) != 0, el2 = (levels & 4) != 0, el3 = (levels & 8) != 0;

    return (el1 ? 0 : APMU_FILTER(P)) | (el0 ? 0 : APMU_FILTER(U)) | (el2 ? APMU_FILTER(NSH) : 0) |
           (el3 != el1 ? APMU_FILTER(M) : 0);
}

enum apmu_error apmu_parse_wish(const char *text, apmu_parse_event *parse, const void *ctx, struct apmu_wish *wish)
{
    char name[EVENT_TEXT_MAX];
    unsigned levels = 0;
    size_t length = 0;
    int event;

    while (text[length] != '\0' && text[length] != ':') {
        if (length == sizeof(name) - 1) {
            return APMU_E_EVENT_NAME;
        }
        name[length] = text[length];
        length++;
    }
    name[length] = '\0';
    event = parse(ctx, name);
    if (event < 0) {
        return APMU_E_EVENT_NAME;
    }
    *wish = (struct apmu_wish){.event = (uint16_t)event, .counter = APMU_COUNTER_ANY, .dedicated = true};
    if (text[length] == '\0') {
        return APMU_OK;
    }
    for (text += length + 1; *text != '\0'; text++) {
        static const char letters[] = "ukhm";
        unsigned level = 0;

        while (letters[level] != '\0' && letters[level] != *text) {
            level++;
        }
        if (letters[level] == '\0') {
            return APMU_E_LEVELS;
        }
        levels |= 1u << level;
    }
    wish->filter = filter_of(levels);
    return levels == 0 ? APMU_E_LEVELS : APMU_OK;
}

static int parse_common(const void *ctx, const char *text)
{
    (void)ctx;
    return apmu_event_parse(text);
}

enum apmu_error apmu_wish_parse(const char *text, struct apmu_wish *wish)
{
    return apmu_parse_wish(text, parse_common, NULL, wish);
}
