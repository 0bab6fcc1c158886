/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: numbers that a program printed, as its comments show them. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

enum { COMMENTS = 2000 };

/* Returns the first decimal number of more than @digits digits in comment @c at @at or behind it, or NULL. */
static const char *find_number(const struct code_comment *c, const char *at, size_t digits)
{
    const char *end = c->text + c->length;

    while (at < end) {
        size_t length = 0;

        while (at + length < end && isdigit((unsigned char)at[length])) {
            length++;
        }
        if (length > digits) {
            return at;
        }
        at += length + 1;
    }
    return NULL;
}

/* Returns the line of a comment that shows a count whose upper half is all ones; 0: none does. */
static uint32_t shows_bias(const struct code *code)
{
    for (size_t i = 0; i < code->comment_count && i < COMMENTS; i++) {
        const struct code_comment *c = &code->comments[i];
        const char *number = find_number(c, c->text, 19);

        if (number != NULL && strtoull(number, NULL, 10) >> 32 == UINT32_MAX) {
            return c->line;
        }
    }
    return 0;
}

/* Finds a direct read of an event of perf, whose value is shown with the bias that perf gives events of 32 bits. */
static void check_bias(struct code_case *k)
{
    static const char *const words[] = {"perf_event_mmap_page", "pmc_width", "perf_user_access", "cap_user_rdpmc"};
    const uint32_t line = shows_bias(k->c);
    char quote[120], because[400];
    bool perf = false;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        perf = perf || strstr(k->r->text.joined, words[i]) != NULL;
    }
    if (line == 0 || !perf) {
        return;
    }
    reading_quote(k->r, line, quote, sizeof quote);
    suspect_text(because, "%s -- the upper half is all ones: perf starts an event of 32 bits on a counter of 64 bits "
                          "there", quote);
    suspect_add(k->all, WHY_perf_bias_upper_half, SUSPECT_LIKELY, line, because,
                "take the lower pmc_width bits (32: mask 0xffffffff) of each value or of the difference, or ask for 64 "
                "bits: config1 bit 0")
        ->weight = 82;
    suspect_clear(k->all, WHY_perf_user_access_not_requested);
    suspect_clear(k->all, WHY_wraps_at_32_bits);
}

/* Returns the line of a comment that shows a negative difference; 0: none does. */
static uint32_t shows_negative(const struct code *code)
{
    for (size_t i = 0; i < code->comment_count && i < COMMENTS; i++) {
        const struct code_comment *c = &code->comments[i];

        for (const char *at = c->text; (at = find_number(c, at, 4)) != NULL;) {
            if (at - c->text > 1 && at[-1] == '-' && isspace((unsigned char)at[-2])) {
                return c->line;
            }
            at += strspn(at, "0123456789");
        }
    }
    return 0;
}

/* Finds differences of direct reads that are negative, in a program that prints on which CPU each read was made. */
static void check_moves(struct code_case *k)
{
    const uint32_t line = shows_negative(k->c);
    char quote[120], because[400];

    if (line == 0 || !k->reads || strstr(k->r->text.joined, "getcpu(") == NULL ||
        k->c->facts[CODE_HAS_AFFINITY] != 0) {
        return;
    }
    reading_quote(k->r, line, quote, sizeof quote);
    suspect_text(because, "%s -- the two reads were made on two CPUs, and each CPU has its own counter", quote);
    suspect_add(k->all, WHY_migrated_between_reads, SUSPECT_LIKELY, line, because,
                "bind the thread before the first read: sched_setaffinity(), or taskset -c N PROGRAM; or leave out a "
                "difference if getcpu() changed")
        ->weight = 70;
}

void rules_code_printed(struct code_case *k)
{
    check_bias(k);
    check_moves(k);
}
