/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds registers of the external view by name and offset, and spells them, from tables/external.def. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "names.h"

enum place_kind {
    PLACE_NONE,  /* not in this layout, or at the offset of another row */
    PLACE_PAIR,  /* two adjacent words */
    PLACE_SPLIT, /* two words, each in an array of its own */
    PLACE_WORD,  /* bits 31:0 only */
    PLACE_HIGH,  /* bits 63:32 only */
    PLACE_TWICE, /* bits 31:0 in both of two adjacent words */
};

/* Where one layout of the external view has a register. */
struct ext_place {
    uint16_t low, high;   /* byte offsets of bits 31:0 and 63:32 of copy 0 */
    uint8_t kind, copies; /* .kind: enum place_kind; .copies: the number of copies that have an offset */
};

/* A row of tables/external.def. */
struct ext_row {
    const char *name;
    enum apmu_reg reg;
    struct ext_place place[2]; /* by enum names_layout */
};

/*
 * The row APMU_EXT(PMEVTYPER, PMEVTYPER_EL0, SPLIT(0x400, 0xA00, 31, WIDE_TYPERS), DOUBLE(0x400, 31), ...) becomes
 *
 *     {"PMEVTYPER", APMU_REG_PMEVTYPER_EL0, {{0x400, 0xA00, PLACE_SPLIT, 31}, {0x400, 0x404, PLACE_PAIR, 31}}},
 */
static const struct ext_row ext_rows[] = {
#define PAIR(offset, copies, gate) {offset, (offset) + 4, PLACE_PAIR, copies}
#define SPLIT(low, high, copies, gate) {low, high, PLACE_SPLIT, copies}
#define WORD(offset, copies) {offset, 0, PLACE_WORD, copies}
#define HIGH(offset) {0, offset, PLACE_HIGH, 1}
#define SHARED(offset) {0, 0, PLACE_NONE, 0}
#define NONE {0, 0, PLACE_NONE, 0}
#define DOUBLE(offset, copies) PAIR(offset, copies, ALWAYS)
#define TWICE(offset) {offset, (offset) + 4, PLACE_TWICE, 1}
#define APMU_EXT(id, reg, layout32, layout64, access, rule, gate) {#id, APMU_REG_##reg, {layout32, layout64}},
#include <armpmu/tables/external.def>
};

enum { EXT_ROWS = sizeof ext_rows / sizeof ext_rows[0] };

/* Finds the copy that has a word at @offset.  Sets *@high if the word is its bits 63:32.  Returns false if none has. */
static bool word_at(const struct ext_place *p, unsigned offset, unsigned *n, bool *high)
{
    const unsigned step = p->kind == PLACE_PAIR ? 8 : 4;

    *high = false;
    switch (p->kind) {
    case PLACE_PAIR:
    case PLACE_SPLIT:
        if (offset >= p->high && (offset - p->high) % step == 0 && (offset - p->high) / step < p->copies) {
            *high = true;
            *n = (offset - p->high) / step;
            return true;
        }
        break;
    case PLACE_HIGH:
        *high = true;
        *n = 0;
        return offset == p->high;
    case PLACE_TWICE:
        *n = 0;
        return offset == p->low || offset == p->high;
    case PLACE_WORD:
        break;
    default:
        return false;
    }
    if (offset < p->low || (offset - p->low) % step != 0 || (offset - p->low) / step >= p->copies) {
        return false;
    }
    *n = (offset - p->low) / step;
    return true;
}

/* Returns the lowest offset of copy @n, or NAMES_NOWHERE. */
static uint16_t offset_of(const struct ext_place *p, unsigned n)
{
    switch (p->kind) {
    case PLACE_NONE:
        return NAMES_NOWHERE;
    case PLACE_HIGH:
        return p->high;
    default:
        return (uint16_t)(p->low + n * (p->kind == PLACE_PAIR ? 8 : 4));
    }
}

/* Sets @place to copy @n of the register of @row. */
static void set_ext(struct names_place *place, const struct ext_row *row, unsigned n)
{
    const bool high = row->place[0].kind == PLACE_HIGH;

    *place = (struct names_place){.view = NAMES_EXTERNAL, .reg = row->reg, .n = n, .shift = high ? 32 : 0,
                                  .mask = high ? APMU_BITS(63, 32) : ~UINT64_C(0)};
    for (unsigned layout = 0; layout < 2; layout++) {
        place->offset[layout] = offset_of(&row->place[layout], n);
    }
}

bool names_by_offset(unsigned offset, enum names_layout layout, struct names_place *place)
{
    for (unsigned i = 0; i < EXT_ROWS; i++) {
        unsigned n;
        bool high;

        if (word_at(&ext_rows[i].place[layout], offset, &n, &high)) {
            set_ext(place, &ext_rows[i], n);
            place->mask = high ? APMU_BITS(63, 32) : APMU_BITS(31, 0);
            place->shift = high ? 32 : 0;
            return true;
        }
    }
    return false;
}

/* Returns the number of copies of a bank, which each have a name; 0 or 1 for other registers. */
static unsigned copies_of(const struct ext_row *row)
{
    const unsigned copies = apmu_reg_info(row->reg)->copies;

    return copies > 1 ? copies : row->place[0].copies;
}

bool names_external_at(unsigned i, char name[24])
{
    for (unsigned row = 0; row < EXT_ROWS; row++) {
        const unsigned copies = copies_of(&ext_rows[row]) > 1 ? copies_of(&ext_rows[row]) : 1;

        if (i < copies) {
            snprintf(name, 24, copies > 1 ? "%.20s%u" : "%.20s", ext_rows[row].name, i);
            return true;
        }
        i -= copies;
    }
    return false;
}

/* Parses the number of a copy, 0 to @copies - 1 without leading zeros, which must be all of @text. */
static bool copy_number(const char *text, unsigned copies, unsigned *n)
{
    const char *digit = text;

    *n = 0;
    while (*digit >= '0' && *digit <= '9' && digit < text + 2) {
        *n = *n * 10 + (unsigned)(*digit++ - '0');
    }
    return digit > text && *n < copies && *digit == '\0' && (*text != '0' || digit == text + 1);
}

bool names_external(const char *name, struct names_place *place)
{
    for (unsigned i = 0; i < EXT_ROWS; i++) {
        const size_t length = strlen(ext_rows[i].name);
        const unsigned copies = copies_of(&ext_rows[i]);
        unsigned n = 0;

        if (strncasecmp(name, ext_rows[i].name, length) == 0 &&
            (copies > 1 ? copy_number(name + length, copies, &n) : name[length] == '\0')) {
            set_ext(place, &ext_rows[i], n);
            return true;
        }
    }
    return false;
}

/* Returns the row from which set_ext() made @place, or NULL. */
static const struct ext_row *ext_row(const struct names_place *place)
{
    for (unsigned i = 0; i < EXT_ROWS; i++) {
        if (ext_rows[i].reg == place->reg && (offset_of(&ext_rows[i].place[0], place->n) == place->offset[0]) &&
            offset_of(&ext_rows[i].place[1], place->n) == place->offset[1]) {
            return &ext_rows[i];
        }
    }
    return NULL;
}

const char *names_spell_external(const struct names_place *place, char buf[24])
{
    const struct ext_row *row = ext_row(place);
    const bool bank = row != NULL && (row->place[0].copies > 1 || row->place[1].copies > 1);

    if (row == NULL) {
        return apmu_reg_name(place->reg, place->n, buf);
    }
    snprintf(buf, 24, bank ? "%.16s%u" : "%.16s", row->name, place->n);
    return buf;
}

const char *names_where_external(const struct names_place *place, char buf[64])
{
    unsigned used = 0;

    buf[0] = '\0';
    for (unsigned layout = 0; layout < 2; layout++) {
        if (place->offset[layout] != NAMES_NOWHERE) {
            used += (unsigned)snprintf(buf + used, 64 - used, "%s0x%03X (EXT%s)", used > 0 ? ", " : "offset ",
                                       place->offset[layout], layout == NAMES_EXT32 ? "32" : "64");
        }
    }
    return buf;
}
