/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: counts beside which the writer says what was expected. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "registers.h"

/* Reads a number with its unit, "30 million", "2.5e9", "0x4000", "1 M", at @text.  Returns 0 if there is none. */
static double number_at(const char *text)
{
    static const struct {
        const char *word;
        double times;
    } units[] = {{"million", 1e6}, {"mio", 1e6}, {"billion", 1e9}, {"thousand", 1e3},
                 {"M", 1e6},       {"k", 1e3},   {"G", 1e9}};
    char *end;
    double value = strtod(text, &end);

    while (*end == ',' && isdigit((unsigned char)end[1]) && isdigit((unsigned char)end[2]) &&
           isdigit((unsigned char)end[3])) { /* 30,000,000 */
        value = value * 1000 + (double)strtoul(end + 1, &end, 10);
    }
    end += *end == ' ';
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t length = strlen(units[i].word);

        if (strncmp(end, units[i].word, length) == 0 && !islower((unsigned char)end[length])) {
            return value * units[i].times;
        }
    }
    return value;
}

/* Returns what a line says to be expected, 0 if it says nothing. */
static double expected_in(const char *text)
{
    static const char *const words[] = {"expect", "should be", "should have been", "ought to be", "instead of"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = strcasestr(text, words[i]);

        if (at == NULL || text_denies(text, (size_t)(at - text))) {
            continue;
        }
        for (at += strlen(words[i]); *at != '\0' && strchr(".;)", *at) == NULL; at++) {
            if (isdigit((unsigned char)*at) && !text_is_word(at[-1])) {
                return number_at(at);
            }
        }
    }
    return 0;
}

bool registers_expects_more(const struct registers_case *c, unsigned n)
{
    const enum apmu_reg reg = n == APMU_CYCLE   ? APMU_REG_PMCCNTR_EL0
                              : n == APMU_INSTR ? APMU_REG_PMICNTR_EL0
                                                : APMU_REG_PMEVCNTR_EL0;
    const unsigned copy = n < APMU_CYCLE ? n : 0;
    const uint32_t line = registers_line(c, reg, copy);
    const size_t i = text_find(&c->r->text, line);
    double expected;

    if (line == 0 || i >= c->r->text.count || c->r->text.lines[i].number != line) {
        return false;
    }
    expected = expected_in(c->r->text.lines[i].text);
    return expected > 4.0 * (double)registers_value(c, reg, copy) + 16;
}
