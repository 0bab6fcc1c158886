/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what a comment says that PMUSERENR grants: a number, a call that writes it, or the names of its bits. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

/* Bits of PMUSERENR. */
static const char *const grants[] = {"EN", "SW", "CR", "ER"};

/* Returns the number before @at in "write_sysreg(0xC, pmuserenr_el0)"; UINT64_MAX if there is none. */
static uint64_t number_before(const char *text, const char *at)
{
    const char *p = at, *open;
    char *end;

    while (p > text && (p[-1] == ' ' || p[-1] == ',')) {
        p--;
    }
    if (p == at || memchr(p, ',', (size_t)(at - p)) == NULL) {
        return UINT64_MAX;
    }
    for (open = p; open > text && (isalnum((unsigned char)open[-1]) || open[-1] == '_'); open--) {
    }
    const uint64_t value = isdigit((unsigned char)*open) && open > text ? strtoull(open, &end, 0) : UINT64_MAX;

    return value < 0x20 ? value : UINT64_MAX;
}

/* Returns the bits that @text names with a mark between them, "CR | ER", "CR+ER"; 0 if it names none so. */
static uint64_t named_together(const char *text, size_t length)
{
    const char *end = text + length;
    uint64_t bits = 0;

    for (unsigned bit = 0; bit < 4; bit++) {
        for (const char *p = text; (p = memmem(p, (size_t)(end - p), grants[bit], 2)) != NULL; p += 2) {
            const char *after = p + 2 + strspn(p + 2, " "), *before = p;

            while (before > text && (before[-1] == ' ' || before[-1] == '_' || isupper((unsigned char)before[-1]))) {
                before--; /* ARMV8_PMU_USERENR_CR */
            }
            const bool whole =
                (p == text || !isalnum((unsigned char)p[-1])) && (p + 2 == end || !isalnum((unsigned char)p[2]));

            if (whole && ((after < end && (*after == '|' || *after == '+')) ||
                          (before > text && (before[-1] == '|' || before[-1] == '+')))) {
                bits |= UINT64_C(1) << bit;
            }
        }
    }
    return bits;
}

/* Reads the value of PMUSERENR that @text states: "PMUSERENR_EL0 = 0xC", "PMUSERENR is 8", "ER=1 (8)", "CR | ER". */
static bool parse_grant(const char *text, size_t length, uint64_t *value)
{
    const char *p = strcasestr(text, "PMUSERENR"), *end = text + length; /* the text of the input ends in '\0' */
    bool found = false;

    if (p != NULL && p < end) {
        *value = number_before(text, p);
        if (*value != UINT64_MAX) {
            return true;
        }
        for (p += 9; p < end && *p != '.' && *p != ',' && *p != ';' && *p != '\n'; p++) {
            if (isdigit((unsigned char)*p) && !isalnum((unsigned char)p[-1])) {
                char digits[24];

                snprintf(digits, sizeof digits, "%.*s", (int)(end - p < 20 ? end - p : 20), p);
                *value = strtoull(digits, NULL, 0);
                return *value < 0x20;
            }
        }
        *value = named_together(text, length);
        if (*value != 0) {
            return true;
        }
    }
    *value = 0;
    for (unsigned bit = 0; bit < 4; bit++) { /* ER=1, CR = 1 */
        const char *f = memmem(text, length, grants[bit], 2);

        if (f != NULL && f + 3 < end && (f == text || !isalnum((unsigned char)f[-1]))) {
            f += 2;
            f += *f == ' ';
            if (*f == '=' && f + 1 < end && (f[1] == '1' || (f[1] == ' ' && f + 2 < end && f[2] == '1'))) {
                *value |= UINT64_C(1) << bit;
                found = true;
            }
        }
    }
    return found;
}

bool code_stated_grant(const struct code_case *k, uint64_t *value)
{
    for (size_t i = 0; i < k->c->comment_count && i < 200; i++) {
        if (parse_grant(k->c->comments[i].text, k->c->comments[i].length, value)) {
            return true;
        }
    }
    return false;
}

const struct code_value *code_granted(const struct code_case *k)
{
    const struct code_step *grant = NULL;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (code_does(s, CODE_WRITE, CODE_PMUSERENR) &&
            (grant == NULL || s->function == grant->function || s->value.known != UINT64_MAX || s->value.bits != 0)) {
            grant = s;
        }
    }
    return grant != NULL ? &grant->value : &k->last.userenr.value;
}

bool code_is_of_granter(const struct code_case *k, unsigned function, unsigned granter)
{
    const struct code_function *f = &k->c->functions[function], *g = &k->c->functions[granter];
    const char *end = f->length != 0 ? memchr(f->name, '_', f->length) : NULL;
    const size_t length = end != NULL ? (size_t)(end - f->name) : 0;

    return length > 3 && g->length > length && memcmp(f->name, g->name, length + 1) == 0 &&
           (memmem(f->name, length, "el0", 3) != NULL || memmem(f->name, length, "user", 4) != NULL);
}
