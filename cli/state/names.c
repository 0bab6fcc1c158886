/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds registers by names and encodings, and spells them.  external.c does so for the external view. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "names.h"

/* ---------------------------------------------------------------------------------------------------------------
 * System registers.
 */

/* The AArch32 name of a control or ID register of the PE. */
struct borrowed32 {
    const char *name, *text;
    enum apmu_reg of;     /* the AArch64 register that it is a part of */
    uint8_t coproc, part; /* .coproc is 0 if no instruction accesses it */
    uint16_t key;
};

/*
 * The row APMU_BORROWED32(HCR2, HCR_EL2, 15, 4, 1, 1, 4, HIGH, "...") becomes
 * {"HCR2", "...", APMU_REG_HCR_EL2, 15, APMU_PART_HIGH, APMU_A32_KEY(4, 1, 1, 4)}.
 */
static const struct borrowed32 borrowed32[] = {
#define APMU_BORROWED32(id, of, coproc, opc1, crn, crm, opc2, part, text) \
    {#id, text, APMU_REG_##of, coproc, APMU_PART_##part, APMU_A32_KEY(opc1, crn, crm, opc2)},
#include <armpmu/tables/aarch32.def>
    {"CPSR", "the state of the PE", APMU_REG_PSTATE, 0, APMU_PART_LOW, 0}, /* a debugger's name */
};

enum { BORROWED32S = sizeof borrowed32 / sizeof borrowed32[0] };

/* The registers of an ARM11's core that its PMU consults. */
static const struct arm11_borrowed {
    const char *name, *text;
    uint8_t coproc;
    uint16_t key;
} arm11_borrowed[] = {
#define APMU_ARM11_BORROWED(id, coproc, opc1, crn, crm, opc2, text) \
    {#id, text, coproc, APMU_A32_KEY(opc1, crn, crm, opc2)},
#include <armpmu/tables/arm11.def>
};

enum { ARM11_BORROWEDS = sizeof arm11_borrowed / sizeof arm11_borrowed[0] };

static void set_arm11(struct names_place *place, unsigned which)
{
    *place = (struct names_place){.view = NAMES_ARM11, .arm11 = which, .mask = UINT32_MAX};
}

const char *names_arm11(unsigned which, const char **text)
{
    *text = arm11_borrowed[which - APMU_ARM11_REG_COUNT].text;
    return arm11_borrowed[which - APMU_ARM11_REG_COUNT].name;
}

/* Sets @place to one part of a register (enum apmu_part), without the bits @hides. */
static void set_part(struct names_place *place, enum names_view view, enum apmu_reg of, unsigned n, unsigned part,
                     uint64_t hides)
{
    *place = (struct names_place){.view = view, .reg = of, .n = n};
    place->shift = part == APMU_PART_HIGH ? 32 : 0;
    place->mask = part == APMU_PART_HIGH ? APMU_BITS(63, 32) : part == APMU_PART_LOW ? APMU_BITS(31, 0) : ~UINT64_C(0);
    place->mask &= ~hides;
}

static void set_a64(struct names_place *place, enum apmu_reg reg, unsigned n)
{
    const bool external = reg > APMU_REG_LAST_A64 && reg <= APMU_REG_LAST_EXTERNAL;

    *place = (struct names_place){.view = external ? NAMES_EXTERNAL : NAMES_A64, .reg = reg, .n = n,
                                  .mask = ~UINT64_C(0), .offset = {NAMES_NOWHERE, NAMES_NOWHERE}};
}

bool names_borrowed32(unsigned i, struct names_place *place, const char **text)
{
    if (i >= BORROWED32S) {
        return false;
    }
    set_part(place, NAMES_A32, borrowed32[i].of, 0, borrowed32[i].part, 0);
    *text = borrowed32[i].text;
    return true;
}

bool names_by_a64(uint16_t key, struct names_place *place)
{
    enum apmu_reg reg;
    unsigned n;

    if (!apmu_reg_by_a64(key, &reg, &n)) {
        return false;
    }
    set_a64(place, reg, n);
    return true;
}

bool names_by_a32(unsigned coproc, uint16_t key, struct names_place *place)
{
    enum apmu_reg32 reg;
    unsigned n;

    if (coproc == 15 && apmu_reg_by_a32(key, &reg, &n)) {
        const struct apmu_reg32_info *info = apmu_reg32_info(reg);

        set_part(place, NAMES_A32, info->of, n, info->part, info->hides);
        return true;
    }
    if (coproc == 15 && key >= APMU_A32_KEY(0, 15, 12, 0) && key <= APMU_A32_KEY(0, 15, 12, APMU_ARM11_REG_COUNT - 1)) {
        set_arm11(place, key & 7u);
        return true;
    }
    for (unsigned i = 0; i < ARM11_BORROWEDS; i++) {
        if (arm11_borrowed[i].coproc == coproc && arm11_borrowed[i].key == key) {
            set_arm11(place, APMU_ARM11_REG_COUNT + i);
            return true;
        }
    }
    for (unsigned i = 0; i < BORROWED32S; i++) {
        if (borrowed32[i].coproc == coproc && borrowed32[i].key == key) {
            set_part(place, NAMES_A32, borrowed32[i].of, 0, borrowed32[i].part, 0);
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * By name.
 */

static bool a32_by_name(const char *name, struct names_place *place)
{
    enum apmu_reg32 reg;
    unsigned n;

    if (apmu_reg32_by_name(name, &reg, &n)) {
        const struct apmu_reg32_info *info = apmu_reg32_info(reg);
        struct names_place external;

        set_part(place, NAMES_A32, info->of, n, info->part, info->hides);
        place->may_be_wide = info->part == APMU_PART_LOW && names_external(name, &external) && external.reg == info->of;
        return true;
    }
    for (unsigned i = 0; i < BORROWED32S; i++) {
        if (strcasecmp(name, borrowed32[i].name) == 0) {
            set_part(place, NAMES_A32, borrowed32[i].of, 0, borrowed32[i].part, 0);
            return true;
        }
    }
    return false;
}

/* Finds a register by a name in upper or lower case, without the hash table. */
static bool look_up(const char *name, struct names_place *place)
{
    enum apmu_reg reg;
    enum apmu_arm11_reg arm11;
    unsigned n;

    if (apmu_reg_by_name(name, &reg, &n)) {
        set_a64(place, reg, n);
        if (place->view == NAMES_EXTERNAL) {
            struct names_place external;

            if (names_external(name, &external)) {
                *place = external;
            }
        }
        return true;
    }
    if (a32_by_name(name, place) || names_external(name, place)) {
        return true;
    }
    if (apmu_arm11_reg_by_name(name, &arm11)) {
        set_arm11(place, arm11);
        return true;
    }
    for (unsigned i = 0; i < ARM11_BORROWEDS; i++) {
        if (strcasecmp(name, arm11_borrowed[i].name) == 0) {
            set_arm11(place, APMU_ARM11_REG_COUNT + i);
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * A hash table of all names, made at the first use, because texts have many words that are not names.
 */

enum { INDEX = 2048 }; /* entries, far more than there are names */

static struct {
    char name[24];    /* in upper case; "" if the entry is free */
    char spelled[24]; /* as the tables spell it */
    bool placed;   /* .place is the register's, which is looked up when somebody asks for it */
    struct names_place place;
} names_index[INDEX];
static bool indexed;

/* Returns the entry of @name, which is in upper case, or the free entry where it would be. */
static unsigned find_slot(const char *name, size_t length)
{
    uint32_t hash = UINT32_C(2166136261);

    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)name[i]) * UINT32_C(16777619);
    }
    hash %= INDEX;
    while (names_index[hash].name[0] != '\0' && strcmp(names_index[hash].name, name) != 0) {
        hash = (hash + 1) % INDEX;
    }
    return hash;
}

/* Copies @text in upper case, with a '\0' after it.  Returns @length. */
static size_t copy_upper(const char *text, size_t length, char out[24])
{
    for (size_t i = 0; i < length; i++) {
        out[i] = text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 'a' + 'A') : text[i];
    }
    out[length] = '\0';
    return length;
}

static void add_name(const char *name)
{
    char key[24];
    const unsigned slot = find_slot(key, copy_upper(name, strlen(name), key));

    memcpy(names_index[slot].name, key, sizeof key);
    snprintf(names_index[slot].spelled, sizeof names_index[slot].spelled, "%s", name);
}

static void make_index(void)
{
    char name[24];

    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        for (unsigned n = 0; n < apmu_reg_info((enum apmu_reg)r)->copies; n++) {
            add_name(apmu_reg_name((enum apmu_reg)r, n, name));
        }
    }
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        for (unsigned n = 0; n < apmu_reg_info(apmu_reg32_info((enum apmu_reg32)r)->of)->copies; n++) {
            add_name(apmu_reg32_name((enum apmu_reg32)r, n, name));
        }
    }
    for (unsigned i = 0; i < BORROWED32S; i++) {
        add_name(borrowed32[i].name);
    }
    for (unsigned i = 0; names_external_at(i, name); i++) {
        add_name(name);
    }
    for (unsigned r = 0; r < APMU_ARM11_REG_COUNT; r++) {
        add_name(apmu_arm11_reg_info((enum apmu_arm11_reg)r)->name);
        add_name(apmu_arm11_reg_info((enum apmu_arm11_reg)r)->also);
    }
    for (unsigned i = 0; i < ARM11_BORROWEDS; i++) {
        add_name(arm11_borrowed[i].name);
    }
    indexed = true;
}

bool names_by_name(const char *text, size_t length, struct names_place *place)
{
    char key[24];

    if (!indexed) {
        make_index();
    }
    if (length == 0 || length >= sizeof key || memchr(text, '\0', length) != NULL) {
        return false;
    }
    const unsigned slot = find_slot(key, copy_upper(text, length, key));

    if (names_index[slot].name[0] == '\0') {
        *place = (struct names_place){0};
        return false;
    }
    if (!names_index[slot].placed) {
        names_index[slot].placed = look_up(names_index[slot].spelled, &names_index[slot].place);
    }
    *place = names_index[slot].place;
    return names_index[slot].placed;
}

bool names_by_generic(const char *text, size_t length, struct names_place *place)
{
    static const char shape[] = "S#_#_C#_C#_#";
    unsigned part[5], count = 0;
    size_t at = 0;

    for (const char *want = shape; *want != '\0'; want++) {
        if (*want != '#') {
            if (at >= length || (text[at] & ~0x20) != (*want & ~0x20)) {
                return false;
            }
            at++;
            continue;
        }
        unsigned value = 0;
        const size_t start = at;

        while (at < length && at < start + 2 && text[at] >= '0' && text[at] <= '9') {
            value = value * 10 + (unsigned)(text[at++] - '0');
        }
        if (at == start) {
            return false;
        }
        part[count++] = value;
    }
    if (at != length || part[0] > 3 || part[1] > 7 || part[2] > 15 || part[3] > 15 || part[4] > 7) {
        return false;
    }
    return names_by_a64(apmu_a64_key(part[0], part[1], part[2], part[3], part[4]), place);
}

/*
 * Parses a number of at most two digits, up to @most, after @letter if that is not '\0'.  Returns the number of
 * characters, 0 if there is no such operand.
 */
static size_t parse_operand(const char *text, size_t length, char letter, unsigned most, unsigned *value)
{
    size_t at = 0, digits;

    if (letter != '\0') {
        if (length == 0 || (text[0] | 0x20) != letter) {
            return 0;
        }
        at = 1;
    }
    *value = 0;
    for (digits = 0; at < length && digits < 2 && text[at] >= '0' && text[at] <= '9'; digits++) {
        *value = *value * 10 + (unsigned)(text[at++] - '0');
    }
    if (digits == 0 || *value > most || (at < length && (text[at] == '_' || isalnum((unsigned char)text[at])))) {
        return 0;
    }
    return at;
}

/*
 * Parses the next operand, after blanks and commas, and moves *@at behind it.  Returns false, and leaves *@at, if the
 * operand has another form.
 */
static bool parse_next_operand(const char *text, size_t length, size_t *at, char letter, unsigned most, unsigned *value)
{
    size_t from = *at, used;

    while (from < length && (text[from] == ' ' || text[from] == '\t' || text[from] == ',')) {
        from++;
    }
    used = from > *at ? parse_operand(text + from, length - from, letter, most, value) : 0;
    if (used == 0) {
        return false;
    }
    *at = from + used;
    return true;
}

size_t names_by_operands(const char *text, size_t length, struct names_place *place)
{
    unsigned coproc, opc1 = 0, opc2 = 0, rt, crn, crm;
    size_t at = length > 2 && (text[0] | 0x20) == 'c' && (text[1] | 0x20) == 'p' ? 1 : 0;
    const size_t used = parse_operand(text + at, length - at, 'p', 15, &coproc);

    if (used == 0) {
        return 0;
    }
    at += used;
    parse_next_operand(text, length, &at, '\0', 7, &opc1);
    parse_next_operand(text, length, &at, 'r', 15, &rt);
    if (!parse_next_operand(text, length, &at, 'c', 15, &crn)) {
        return 0;
    }
    if (!parse_next_operand(text, length, &at, 'c', 15, &crm)) {
        return names_by_a32(coproc, (uint16_t)APMU_A32_KEY_PAIR(opc1, crn), place) ? at : 0;
    }
    parse_next_operand(text, length, &at, '\0', 7, &opc2);
    return names_by_a32(coproc, (uint16_t)APMU_A32_KEY(opc1, crn, crm, opc2), place) ? at : 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Instructions.
 */

bool names_instruction(uint32_t word, struct names_instruction *instruction)
{
    *instruction = (struct names_instruction){0};
    if ((word & 0xFFD00000u) == 0xD5100000u) { /* op0 is 2 or 3; bit 20 is its upper bit */
        instruction->read = (word >> 21 & 1) != 0;
        instruction->rt = word & 31;
        instruction->key = (uint16_t)(word >> 5);
        return true;
    }
    if (word >> 28 == 15) { /* MRC2 and the like do not access the PMU */
        return false;
    }
    instruction->a32 = true;
    instruction->coproc = word >> 8 & 15;
    instruction->rt = word >> 12 & 15;
    instruction->read = (word >> 20 & 1) != 0;
    if ((word >> 24 & 15) == 14 && (word >> 4 & 1) != 0) {
        instruction->key = (uint16_t)APMU_A32_KEY(word >> 21 & 7, word >> 16 & 15, word & 15, word >> 5 & 7);
        return true;
    }
    if ((word >> 21 & 0x7F) == 0x62) {
        instruction->pair = true;
        instruction->rt2 = word >> 16 & 15;
        instruction->key = (uint16_t)APMU_A32_KEY_PAIR(word >> 4 & 15, word & 15);
        return (word >> 4 & 15) < 8;
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Spelling.
 */

/* Writes the AArch32 name and stores the encoding.  *@coproc is 0 if no instruction accesses it. */
static const char *spell_a32(const struct names_place *place, char buf[24], unsigned *coproc, uint16_t *key)
{
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        const struct apmu_reg32_info *info = apmu_reg32_info((enum apmu_reg32)r);
        struct names_place same;

        set_part(&same, NAMES_A32, info->of, place->n, info->part, info->hides);
        if (info->of == place->reg && same.mask == place->mask) {
            *coproc = 15;
            *key = (uint16_t)(info->key + place->n);
            return apmu_reg32_name((enum apmu_reg32)r, place->n, buf);
        }
    }
    for (unsigned i = 0; i < BORROWED32S; i++) {
        if (borrowed32[i].of == place->reg && (borrowed32[i].part == APMU_PART_HIGH) == (place->shift != 0)) {
            *coproc = borrowed32[i].coproc;
            *key = borrowed32[i].key;
            return strcpy(buf, borrowed32[i].name);
        }
    }
    *coproc = 0;
    *key = 0;
    return apmu_reg_name(place->reg, place->n, buf);
}

const char *names_spell(const struct names_place *place, char buf[24])
{
    unsigned coproc;
    uint16_t key;

    switch (place->view) {
    case NAMES_ARM11:
        if (place->arm11 >= APMU_ARM11_REG_COUNT) {
            return strcpy(buf, arm11_borrowed[place->arm11 - APMU_ARM11_REG_COUNT].name);
        }
        return strcpy(buf, apmu_arm11_reg_info((enum apmu_arm11_reg)place->arm11)->name);
    case NAMES_A32:
        return spell_a32(place, buf, &coproc, &key);
    case NAMES_EXTERNAL:
        return names_spell_external(place, buf);
    default:
        return apmu_reg_name(place->reg, place->n, buf);
    }
}

/* Writes the operands of MRC or MRRC that access a register, or "" if @coproc is 0. */
static const char *where_a32(unsigned coproc, uint16_t key, char buf[64])
{
    if (coproc == 0) {
        return strcpy(buf, "");
    }
    if ((key & 0x8000u) != 0) {
        snprintf(buf, 64, "p%u, %u, c%u (64 bits)", coproc, key >> 11 & 7u, key >> 3 & 15u);
    } else {
        snprintf(buf, 64, "p%u, %u, c%u, c%u, %u", coproc, key >> 11 & 7u, key >> 7 & 15u, key >> 3 & 15u, key & 7u);
    }
    return buf;
}

const char *names_where(const struct names_place *place, char buf[64])
{
    char name[24];
    unsigned coproc;
    uint16_t key;

    switch (place->view) {
    case NAMES_ARM11:
        if (place->arm11 >= APMU_ARM11_REG_COUNT) {
            const struct arm11_borrowed *b = &arm11_borrowed[place->arm11 - APMU_ARM11_REG_COUNT];

            return where_a32(b->coproc, b->key, buf);
        }
        return where_a32(15, (uint16_t)APMU_A32_KEY(0, 15, 12, place->arm11), buf);
    case NAMES_A32:
        spell_a32(place, name, &coproc, &key);
        return where_a32(coproc, key, buf);
    case NAMES_EXTERNAL:
        return names_where_external(place, buf);
    default:
        key = (uint16_t)(apmu_reg_info(place->reg)->key + place->n);
        if (key == 0) {
            return strcpy(buf, "");
        }
        snprintf(buf, 64, "S%u_%u_C%u_C%u_%u", key >> 14, key >> 11 & 7u, key >> 7 & 15u, key >> 3 & 15u, key & 7u);
        return buf;
    }
}
