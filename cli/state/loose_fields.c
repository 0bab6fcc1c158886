/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a register that a sentence gives with their value:
 *
 *     bit 31 of PMCNTENSET_EL0 is 0         N in PMCR_EL0 is 0
 *     bits 15:11 of PMCR_EL0 are 2          PMCR_EL0 has 4 in the N field
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "loose.h"

/* Returns the field of the register of @place whose name is the word of @length characters at @text, or NULL. */
static const struct apmu_field *field_named(const struct names_place *place, const char *text, size_t length)
{
    const struct apmu_reg_info *info = place->view == NAMES_ARM11 ? NULL : apmu_reg_info(place->reg);

    for (unsigned i = 0; info != NULL && length != 0 && i < info->field_count; i++) {
        const struct apmu_field *field = &info->fields[i];

        if (strlen(field->name) == length && (length > 1 ? strncasecmp(field->name, text, length)
                                                         : strncmp(field->name, text, length)) == 0) {
            return field;
        }
    }
    return NULL;
}

/* Returns the word that ends before *@end, without blanks around it, and its length.  Moves *@end before it. */
static const char *word_before(const struct loose_scan *c, const char **end, size_t *length)
{
    const char *from, *last = *end;

    while (last > c->text && last[-1] == ' ') {
        last--;
    }
    from = last;
    while (from > c->text && (state_is_word(from[-1]) || from[-1] == ':')) {
        from--;
    }
    *length = (size_t)(last - from);
    *end = from;
    return from;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

/* Reads "31" and "15:11".  Returns false if the word is something else. */
static bool read_bits(const char *text, size_t length, struct loose_part *part)
{
    char *end;

    if (length == 0 || length > 5 || text[0] < '0' || text[0] > '9') {
        return false;
    }
    part->msb = part->lsb = (unsigned)strtoul(text, &end, 10);
    if (*end == ':' && end < text + length) {
        part->lsb = (unsigned)strtoul(end + 1, &end, 10);
    }
    part->name = "bit";
    return end == text + length && part->msb < 64 && part->lsb <= part->msb;
}

/* Finds what stands before the register's name: "bit 31 of", "bits 15:11 in", "N in", "the N field of". */
static bool part_before(const struct loose_scan *c, const struct names_place *place, const char *name,
                        struct loose_part *part)
{
    size_t length;
    const char *end = name, *word = word_before(c, &end, &length);
    const struct apmu_field *field;

    if (is_word(word, length, "the")) {
        word = word_before(c, &end, &length);
    }
    if (!is_word(word, length, "of") && !is_word(word, length, "in")) {
        return false;
    }
    word = word_before(c, &end, &length);
    if (is_word(word, length, "field") || is_word(word, length, "bit")) {
        word = word_before(c, &end, &length);
    }
    if (read_bits(word, length, part)) {
        word = word_before(c, &end, &length);
        return is_word(word, length, "bit") || is_word(word, length, "bits");
    }
    field = field_named(place, word, length);
    if (field != NULL) {
        *part = (struct loose_part){.msb = field->msb, .lsb = field->lsb, .name = field->name};
    }
    return field != NULL;
}

/* Finds what stands behind the value: "in the N field", "in field N", "in bits 15:11". */
static bool part_behind(const struct loose_scan *c, const struct names_place *place, struct loose_part *part)
{
    static const char *const words[] = {"in", "the", "its", "field", "bit", "bits"};
    const struct apmu_field *field;
    size_t at = 0, length = 0;
    bool within = false;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        while (loose_ahead(c, at) == ' ') {
            at++;
        }
        if (loose_word_at(c, at, words[i])) {
            within |= i == 0;
            at += strlen(words[i]);
        } else if (i == 0) {
            return false;
        }
    }
    while (loose_ahead(c, at) == ' ') {
        at++;
    }
    while (state_is_word(loose_ahead(c, at + length)) || (length != 0 && loose_ahead(c, at + length) == ':')) {
        length++;
    }
    if (read_bits(c->text + c->at + at, length, part)) {
        return within;
    }
    field = field_named(place, c->text + c->at + at, length);
    if (field != NULL) {
        *part = (struct loose_part){.msb = field->msb, .lsb = field->lsb, .name = field->name};
    }
    return within && field != NULL;
}

bool loose_part_of(const struct loose_scan *c, const struct names_place *place, const char *name, uint64_t value,
                   struct loose_part *part)
{
    return (part_before(c, place, name, part) || part_behind(c, place, part)) &&
           (part->msb - part->lsb == 63 || value >> (part->msb - part->lsb + 1) == 0);
}
