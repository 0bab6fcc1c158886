/* SPDX-License-Identifier: BSD-2-Clause */
/* Accesses in all views. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The registers of the external view by name.
 */

/* The place of copy 0 in one of the layouts. */
struct tb_place {
    uint16_t offset, stride; /* of the lowest word; 0xFFFF: it is not in this layout */
    uint16_t high;           /* the offset of bits 63:32, if they are elsewhere, otherwise 0 */
    bool upper;              /* it has bits 63:32 only */
};
enum { NOWHERE = 0xFFFF };
enum { NAME_ROOM = 32 }; /* for a name of a register, with the '\0' */

/*
 * The columns layout32 and layout64 expanded as a struct tb_place: PAIR(0x000, 31, PMUv3p5) becomes
 * {0x000, 8, 0, false}.
 */
#define NONE {NOWHERE, 0, 0, false}
#define PAIR(offset, copies, gate) {offset, 8, 0, false}
#define SPLIT(low, high, copies, gate) {low, 4, high, false}
#define WORD(offset, copies) {offset, 4, 0, false}
#define HIGH(offset) {offset, 4, 0, true}
#define SHARED(offset) {offset, 4, 0, false}
#define DOUBLE(offset, copies) {offset, 8, 0, false}
#define TWICE(offset) {offset, 8, 0, false}

static const struct tb_ext_name {
    const char *name;
    uint8_t reg;  /* enum apmu_reg */
    uint8_t gate; /* enum apmu_gate: the row is there where this and the gate of the register hold */
    struct tb_place place[2]; /* [1] with FEAT_PMUv3_EXT64 */
} ext_names[] = {
#define APMU_EXT(id, reg, layout32, layout64, access, rule, gate) \
    {#id, APMU_REG_##reg, APMU_GATE_##gate, {layout32, layout64}},
#include <armpmu/tables/external.def>
};

static bool is_layout64(const struct apmu *p)
{
    return (p->cfg.features & APMU_FEAT(PMUv3_EXT64)) != 0;
}

/* Returns whether the unit has the register of the row: PMZR and PMSWINC share a place in the 32-bit layout. */
static bool is_there(const struct apmu *p, const struct tb_ext_name *row)
{
    return row->place[is_layout64(p)].offset != NOWHERE && apmu_holds(&p->cfg, (enum apmu_gate)row->gate, 0) &&
           apmu_holds(&p->cfg, apmu_reg_info((enum apmu_reg)row->reg)->gate, 0);
}

static unsigned copies_of(const struct tb_ext_name *row)
{
    return row->reg == APMU_REG_PMEVFILT2R ? APMU_COUNTERS : apmu_reg_info((enum apmu_reg)row->reg)->copies;
}

/* Finds "PMEVCNTR5", "PMCR". */
static int find_ext(const struct apmu *p, const char *name)
{
    for (size_t i = 0; i < sizeof ext_names / sizeof ext_names[0]; i++) {
        const struct tb_place *place = &ext_names[i].place[is_layout64(p)];
        const size_t length = strlen(ext_names[i].name);
        char *end;

        if (!is_there(p, &ext_names[i]) || strncmp(name, ext_names[i].name, length) != 0) {
            continue;
        }
        if (copies_of(&ext_names[i]) == 1 && name[length] == '\0') {
            return place->offset;
        }
        const unsigned long n = strtoul(name + length, &end, 10);
        if (copies_of(&ext_names[i]) > 1 && end != name + length && *end == '\0' && n < copies_of(&ext_names[i])) {
            return (int)(place->offset + n * place->stride);
        }
    }
    return -1;
}

/* Finds the register whose lowest word, or whose upper word, is at @offset. */
static const struct tb_ext_name *ext_at(const struct apmu *p, unsigned offset, unsigned *n)
{
    for (size_t i = 0; i < sizeof ext_names / sizeof ext_names[0]; i++) {
        const struct tb_place *place = &ext_names[i].place[is_layout64(p)];

        if (is_there(p, &ext_names[i]) && offset >= place->offset &&
            offset < place->offset + copies_of(&ext_names[i]) * place->stride) {
            *n = (offset - place->offset) / place->stride;
            return &ext_names[i];
        }
    }
    return NULL;
}

int tb_access_offset(const struct apmu *p, enum apmu_reg reg, unsigned n)
{
    for (size_t i = 0; i < sizeof ext_names / sizeof ext_names[0]; i++) {
        const struct tb_place *place = &ext_names[i].place[is_layout64(p)];

        if (ext_names[i].reg == reg && is_there(p, &ext_names[i])) {
            return (int)(place->offset + n * place->stride);
        }
    }
    return -1;
}

bool tb_access_a32(const struct apmu *p, enum apmu_reg reg, unsigned n, unsigned *address, int *select)
{
    const bool value = reg == APMU_REG_PMEVCNTR_EL0, filter = reg == APMU_REG_PMCCFILTR_EL0;

    *select = -1;
    if ((p->cfg.features & APMU_FEAT(PMUv3)) == 0 && (value || filter || reg == APMU_REG_PMEVTYPER_EL0)) {
        *select = filter ? APMU_CYCLE : (int)n; /* ARMv7 has no other way */
        reg = value ? APMU_REG_PMXEVCNTR_EL0 : APMU_REG_PMXEVTYPER_EL0;
        n = 0;
    }
    for (unsigned i = 0; i < APMU_REG32_COUNT; i++) {
        const struct apmu_reg32_info *info = apmu_reg32_info((enum apmu_reg32)i);

        if (info->of == reg && info->part == APMU_PART_LOW) {
            *address = info->key + n;
            return true;
        }
    }
    return false;
}

int tb_access_any_offset(const struct apmu *p, unsigned choice)
{
    const struct tb_ext_name *row = &ext_names[choice % (sizeof ext_names / sizeof ext_names[0])];
    const struct tb_place *place = &row->place[is_layout64(p)];
    const unsigned copies = copies_of(row), most = p->cfg.counters + 1u;

    if (place->offset == NOWHERE) {
        return -1;
    }
    return (int)(place->offset + (copies > 1 ? choice / 64 % (most < copies ? most : copies) : 0) * place->stride);
}

bool tb_access_row(const struct apmu *p, unsigned i, unsigned n, struct tb_access_place *place)
{
    if (i >= sizeof ext_names / sizeof ext_names[0]) {
        return false;
    }
    const struct tb_ext_name *row = &ext_names[i];
    const struct tb_place *at = &row->place[is_layout64(p)];

    *place = (struct tb_access_place){
        .name = row->name,
        .reg = (enum apmu_reg)row->reg,
        .copies = is_there(p, row) ? copies_of(row) : 0,
        .offset = at->offset + n * at->stride,
        .high = at->high == 0 ? 0 : at->high + n * at->stride,
        .upper = at->upper,
    };
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses.
 */

/* Writes @name in capital letters without its "_EL0", as the AArch32 and external views have it. */
static void plain_name(const char *name, char plain[NAME_ROOM])
{
    size_t length = 0;

    while (name[length] != '\0' && length < NAME_ROOM - 5) {
        plain[length] = (char)toupper((unsigned char)name[length]);
        length++;
    }
    if (length > 4 && memcmp(plain + length - 4, "_EL", 3) == 0) {
        length -= 4;
    }
    plain[length] = '\0';
}

/* Finds a register of the AArch64 view by its name without "_EL0". */
static bool find_a64(const char *plain, enum apmu_reg *reg, unsigned *n)
{
    static const char *const levels[] = {"_EL0", "_EL1", ""};

    for (unsigned i = 0; i < 3; i++) {
        char name[NAME_ROOM];
        snprintf(name, sizeof name, "%.*s%s", NAME_ROOM - 5, plain, levels[i]);
        if (apmu_reg_by_name(name, reg, n) && *reg < APMU_REG_COUNT) {
            return true;
        }
    }
    return false;
}

int apmu_tb_find(const struct apmu_tb *tb, int view, const char *name)
{
    enum apmu_reg reg;
    enum apmu_reg32 reg32;
    unsigned n;
    char plain[NAME_ROOM];

    plain_name(name, plain);
    if (view == APMU_TB_EXT) {
        return find_ext(&tb->p, plain);
    }
    if (view == APMU_TB_A32) {
        return apmu_reg32_by_name(plain, &reg32, &n) ? (int)(apmu_reg32_info(reg32)->key + n) : -1;
    }
    return find_a64(plain, &reg, &n) ? (int)(apmu_reg_info(reg)->key + n) : -1;
}

static struct apmu_ext ext_of(const struct tb_access *access)
{
    return (struct apmu_ext){access->address, access->attributes & 15u, (enum apmu_pas)(access->attributes >> 4 & 3u),
                             (access->attributes >> 6 & 1u) != 0};
}

bool tb_access_register(const struct tb_access *access, enum apmu_reg *reg, unsigned *n)
{
    enum apmu_reg32 reg32;

    if (access->view == APMU_TB_A64) {
        return apmu_reg_by_a64((uint16_t)access->address, reg, n) && *reg < APMU_REG_COUNT;
    }
    if (access->view == APMU_TB_A32 && apmu_reg_by_a32((uint16_t)access->address, &reg32, n)) {
        *reg = apmu_reg32_info(reg32)->of;
        return true;
    }
    return false;
}

bool tb_access_reached(const struct apmu *p, const struct tb_access *access, enum apmu_reg *reg, unsigned *n)
{
    const struct tb_ext_name *row = access->view == APMU_TB_EXT ? ext_at(p, access->address, n) : NULL;

    if (row != NULL) {
        *reg = (enum apmu_reg)row->reg;
    }
    return row != NULL || tb_access_register(access, reg, n);
}

unsigned tb_access_counter(const struct apmu *p, const struct tb_access *access)
{
    enum apmu_reg reg;
    unsigned n;

    if (!tb_access_reached(p, access, &reg, &n)) {
        return APMU_COUNTERS;
    }
    switch (reg) {
    case APMU_REG_PMEVCNTR_EL0:
        return n;
    case APMU_REG_PMXEVCNTR_EL0:
        n = (unsigned)APMU_GET(PMSELR_EL0, SEL, p->selr);
        return n < p->cfg.counters ? n : APMU_COUNTERS;
    case APMU_REG_PMCCNTR_EL0:
        return APMU_CYCLE;
    case APMU_REG_PMICNTR_EL0:
        return APMU_INSTR;
    default:
        return APMU_COUNTERS;
    }
}

static void access_a32(struct apmu *p, const struct apmu_pe *pe, struct tb_access *a, bool perform,
                       struct apmu_out *out)
{
    enum apmu_reg32 reg = APMU_REG32_COUNT;
    unsigned n = 0;
    const bool known = apmu_reg_by_a32((uint16_t)a->address, &reg, &n);

    a->result = apmu_access_a32(p, pe, known ? reg : APMU_REG32_COUNT, n, a->write);
    if (perform && a->result.outcome == APMU_ACCESS_OK && a->write) {
        apmu_poke_a32(p, pe, reg, n, a->value, out);
    } else if (a->result.outcome == APMU_ACCESS_OK && !a->write) {
        a->value = apmu_peek_a32(p, pe, reg, n);
    }
}

static void access_a64(struct apmu *p, const struct apmu_pe *pe, struct tb_access *a, bool perform,
                       struct apmu_out *out)
{
    enum apmu_reg reg = APMU_REG_COUNT;
    unsigned n = 0;
    const bool known = apmu_reg_by_a64((uint16_t)a->address, &reg, &n) && reg < APMU_REG_COUNT;

    a->result = apmu_access(p, pe, known ? reg : APMU_REG_COUNT, n, a->write);
    if (perform && a->result.outcome == APMU_ACCESS_OK && a->write) {
        apmu_poke(p, pe, reg, n, a->value, out);
    } else if (a->result.outcome == APMU_ACCESS_OK && !a->write) {
        a->value = apmu_peek(p, pe, reg, n);
    }
}

static void access_ext(struct apmu *p, const struct apmu_pe *pe, struct tb_access *a, bool perform,
                       struct apmu_out *out)
{
    const struct apmu_ext at = ext_of(a);

    a->result = apmu_access_ext(p, pe, &at, a->write);
    if (perform && a->result.outcome == APMU_ACCESS_OK && a->write) {
        apmu_poke_ext(p, pe, &at, a->value, out);
    } else if (a->result.outcome == APMU_ACCESS_OK && !a->write) {
        a->value = perform ? apmu_read_ext(p, pe, &at) : apmu_peek_ext(p, pe, &at);
    }
}

int tb_access_decide(struct apmu *p, const struct apmu_pe *pe, struct tb_access *access, bool perform,
                     struct apmu_out *out)
{
    if (!access->write) {
        access->value = 0;
    }
    switch (access->view) {
    case APMU_TB_A64:
        access_a64(p, pe, access, perform, out);
        break;
    case APMU_TB_A32:
        access_a32(p, pe, access, perform, out);
        break;
    default:
        access_ext(p, pe, access, perform, out);
        break;
    }
    return (int)access->result.outcome;
}

static int perform(struct apmu_tb *tb, const struct tb_access *access)
{
    struct apmu_out out = {.overflowed = 0};
    enum apmu_reg reg;
    unsigned n;

    tb->open.waits = false;
    tb->last = *access;
    tb_cross_note_access(tb, access);
    tb_access_decide(&tb->p, &tb->pe, &tb->last, true, &out);
    tb->overflowed = out.overflowed;
    tb_cause_note_access(tb, &tb->last);
    if (access->write && tb_access_reached(&tb->p, access, &reg, &n) && reg == APMU_REG_PMCR_EL0) {
        tb_phase_open(tb); /* PMCR_EL0.C may clear the divider */
    }
    tb_cover_access(tb, &tb->last);
    return (int)tb->last.result.outcome;
}

int apmu_tb_read(struct apmu_tb *tb, int view, int address, int attributes)
{
    const struct tb_access access = {(enum apmu_tb_view)view, false, (unsigned)address, (unsigned)attributes, 0,
                                     {.control = ""}};

    return perform(tb, &access);
}

int apmu_tb_write(struct apmu_tb *tb, int view, int address, int attributes, uint64_t value)
{
    const struct tb_access access = {(enum apmu_tb_view)view, true, (unsigned)address, (unsigned)attributes, value,
                                     {.control = ""}};

    return perform(tb, &access);
}

uint64_t apmu_tb_value(const struct apmu_tb *tb)
{
    return tb->last.write ? 0 : tb->last.value;
}

uint64_t tb_access_syndrome(const struct apmu_access *result)
{
    return result->outcome != APMU_ACCESS_TRAP
               ? 0
               : (uint64_t)result->el << 32 | (uint64_t)result->ec << 26 | result->iss;
}

uint64_t apmu_tb_syndrome(const struct apmu_tb *tb)
{
    return tb_access_syndrome(&tb->last.result);
}

const char *apmu_tb_control(const struct apmu_tb *tb)
{
    return tb->last.result.control == NULL ? "" : tb->last.result.control;
}

/* Writes the name of what the access reaches, or its address. */
static void name_of(const struct apmu *p, const struct tb_access *a, char *text, size_t room)
{
    static const char *const spaces[] = {"Secure", "Non-secure", "Root", "Realm"};
    enum apmu_reg reg;
    enum apmu_reg32 reg32;
    unsigned n = 0;
    char name[24];

    if (a->view == APMU_TB_EXT) {
        const struct tb_ext_name *row = ext_at(p, a->address, &n);
        const bool bank = row != NULL && copies_of(row) > 1;
        snprintf(text, room, "0x%03X, %u bytes, %s%s (%s%.*u)", a->address, a->attributes & 15u,
                 spaces[a->attributes >> 4 & 3u], (a->attributes >> 6 & 1u) != 0 ? ", debugger" : "",
                 row == NULL ? "reserved" : row->name, bank ? 1 : 0, bank ? n : 0);
    } else if (a->view == APMU_TB_A32 && apmu_reg_by_a32((uint16_t)a->address, &reg32, &n)) {
        snprintf(text, room, "%s", apmu_reg32_name(reg32, n, name));
    } else if (a->view == APMU_TB_A64 && apmu_reg_by_a64((uint16_t)a->address, &reg, &n)) {
        snprintf(text, room, "%s", apmu_reg_name(reg, n, name));
    } else {
        snprintf(text, room, "the encoding 0x%04X", a->address);
    }
}

void tb_access_text(const struct apmu *p, const struct tb_access *access, char *text, size_t room)
{
    static const char *const verbs[3][2] = {{"MRS", "MSR"}, {"MRC", "MCR"}, {"load", "store"}};
    char name[96];

    name_of(p, access, name, sizeof name);
    if (access->write) {
        snprintf(text, room, "%s %s, 0x%llX", verbs[access->view][1], name, (unsigned long long)access->value);
    } else {
        snprintf(text, room, "%s %s", verbs[access->view][0], name);
    }
}
