/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts and remarks: which cell a register has, which facts contradict each other, and what is not a fact. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

void state_init(struct state *s, const char *input)
{
    memset(s, 0, sizeof *s);
    s->input = input;
}

enum apmu_reg state_canonical(enum apmu_reg reg)
{
    switch ((int)reg) {
    case APMU_REG_PMCNTENCLR_EL0:
    case APMU_REG_PMCNTEN:
        return APMU_REG_PMCNTENSET_EL0;
    case APMU_REG_PMINTENCLR_EL1:
    case APMU_REG_PMINTEN:
        return APMU_REG_PMINTENSET_EL1;
    case APMU_REG_PMOVSCLR_EL0:
    case APMU_REG_PMOVS:
        return APMU_REG_PMOVSSET_EL0;
    case APMU_REG_PMAUTHSTATUS:
        return APMU_REG_DBGAUTHSTATUS_EL1;
    default:
        return reg;
    }
}

/* Returns the index of a register's cell in struct state.cells. */
static size_t cell_index(enum apmu_reg reg, unsigned n)
{
    static const enum apmu_reg banks[STATE_BANKS] = {APMU_REG_PMEVCNTR_EL0, APMU_REG_PMEVTYPER_EL0,
                                                     APMU_REG_PMEVCNTSVR_EL1};

    reg = state_canonical(reg);
    for (unsigned bank = 0; n > 0 && bank < STATE_BANKS; bank++) {
        if (banks[bank] == reg) {
            return APMU_REG_ALL + bank * (APMU_EVENT_COUNTERS - 1) + n - 1;
        }
    }
    return reg;
}

const struct state_cell *state_cell(const struct state *s, enum apmu_reg reg, unsigned n)
{
    return &s->cells[cell_index(reg, n)];
}

struct state_cell *state_cell_of(struct state *s, enum apmu_reg reg, unsigned n)
{
    return &s->cells[cell_index(reg, n)];
}

bool state_field(const struct state *s, enum apmu_reg reg, unsigned n, unsigned msb, unsigned lsb, uint64_t *value)
{
    const struct state_cell *cell = state_cell(s, reg, n);
    const uint64_t mask = APMU_BITS(msb, lsb);

    *value = (cell->value & mask) >> lsb;
    return (cell->known & mask) == mask;
}

const struct apmu_core_info *state_core_by_idcode(uint64_t pmcr)
{
    static const struct {
        uint8_t idcode;
        uint16_t part;
    } cores[] = {{0x05, 0xC05}, {0x07, 0xC07}, {0x09, 0xC09}, {0x0E, 0xC0E},
                 {0x0F, 0xC0F}, {0x14, 0xC14}, {0x15, 0xC15}};

    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        if (pmcr >> 24 == 0x41 && (pmcr >> 16 & 0xFF) == cores[i].idcode) {
            return apmu_core_by_midr(UINT32_C(0x410F0000) | (uint32_t)cores[i].part << 4);
        }
    }
    return NULL;
}

const struct apmu_core_info *state_core_of_pmcr(const struct state *s)
{
    const struct state_cell *pmcr = state_cell(s, APMU_REG_PMCR_EL0, 0);

    return pmcr->known == UINT32_MAX ? state_core_by_idcode(pmcr->value) : NULL;
}

bool state_pmcr_is_written(const struct state *s)
{
    const struct state_cell *cell = state_cell(s, APMU_REG_PMCR_EL0, 0);
    const uint64_t read_only = APMU_BITS(31, 11);

    return (cell->known & read_only) == read_only && (cell->value & read_only) == 0 && cell->line != STATE_LINE_LIVE;
}

const char *state_origin(const struct state *s, const struct state_cell *cell, char buf[128])
{
    if (cell->line == STATE_LINE_CORE) {
        snprintf(buf, 128, "the list of cores (%s)", s->core != NULL ? s->core->name : "");
    } else if (cell->line == STATE_LINE_LIVE) {
        snprintf(buf, 128, "%.120s", s->input);
    } else {
        snprintf(buf, 128, "%.100s:%u", s->input, cell->line);
    }
    return buf;
}

bool state_is_arm11(const struct state *s)
{
    for (unsigned r = 0; r < APMU_ARM11_REG_COUNT; r++) {
        if (s->arm11[r].known != 0) {
            return true;
        }
    }
    return s->core != NULL && s->core->pmu == APMU_CORE_PMU_ARM11;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Remarks.
 */

struct state_remark *state_remark(struct state *s, enum state_remark_kind kind, uint32_t line, const char *name,
                                  size_t length, const char *why)
{
    static struct state_remark beyond; /* takes those that are too many, and is never read */
    struct state_remark *r = &beyond;

    if (s->remark_count++ >= STATE_REMARKS) {
        return r;
    }
    r = &s->remarks[s->remark_count - 1];
    *r = (struct state_remark){.kind = kind, .line = line, .why = why};
    if (length >= sizeof r->name) {
        length = sizeof r->name - 1;
    }
    for (size_t i = 0; i < length; i++) {
        r->name[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
    }
    return r;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Taking facts.
 */

/* Returns true if @cell holds what PMXEVTYPER or PMXEVCNTR gave. */
static bool is_selected(const struct state *s, const struct state_cell *cell)
{
    return cell == &s->selected[0] || cell == &s->selected[1];
}

/* Adds a fact to @cell, as state_put() says. */
static bool put(struct state *s, struct state_cell *cell, uint64_t known, uint64_t value, uint32_t line,
                const char *name)
{
    const uint64_t both = cell->known & known;
    const bool agrees = ((cell->value ^ value) & both) == 0;

    cell->moved |= !agrees;
    if (!agrees && !s->again && !(s->moments && is_selected(s, cell))) {
        struct state_remark *r = state_remark(s, STATE_CONFLICT, line, name, strlen(name), "");

        r->other = cell->line;
        r->value = value & known;
        r->kept = cell->value & cell->known;
    }
    if (cell->times != 0 && cell->fell[0] == 0 && (value & known) < (cell->last & known)) {
        cell->fell[0] = cell->last & known;
        cell->fell[1] = value & known;
    }
    cell->last = (cell->last & ~known) | (value & known);
    cell->last_line = line;
    cell->times++;
    cell->value |= value & known & ~cell->known;
    if ((known & ~cell->known) != 0) {
        cell->line = line;
    }
    cell->known |= known;
    return agrees;
}

void state_moment(struct state *s, const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\r')) {
        length--;
    }
    if (length == 5 && memcmp(text, "again", 5) == 0) {
        s->again = true;
    } else if ((length > 4 && memcmp(text, "cpu ", 4) == 0) || (length == 3 && memcmp(text, "end", 3) == 0)) {
        s->again = false;
    }
}

bool state_put(struct state *s, enum apmu_reg reg, unsigned n, uint64_t known, uint64_t value, uint32_t line,
               const char *name)
{
    return put(s, state_cell_of(s, reg, n), known, value, line, name);
}

/* Returns why a value of the register gives no fact, or NULL if it gives one. */
static const char *says_nothing(const struct names_place *place)
{
    if (place->view == NAMES_ARM11) {
        return NULL;
    }
    switch ((int)place->reg) {
    case APMU_REG_PMSWINC_EL0:
    case APMU_REG_PMZR_EL0:
    case APMU_REG_PMLAR:
        return "it is write-only";
    case APMU_REG_PMEVFILT2R:
        return "what its bits do is IMPLEMENTATION DEFINED";
    default:
        return NULL;
    }
}

/* Moves PMXEVTYPER and PMXEVCNTR to the registers that PMSELR selects, by its last value. */
static void place_selected(struct state *s)
{
    static const char *const names[2] = {"PMXEVTYPER", "PMXEVCNTR"};
    const struct state_cell *pmselr = state_cell(s, APMU_REG_PMSELR_EL0, 0);
    const uint64_t sel = APMU_GET(PMSELR_EL0, SEL, pmselr->last);
    const bool known = (pmselr->known & APMU_MASK(PMSELR_EL0, SEL)) == APMU_MASK(PMSELR_EL0, SEL);

    for (unsigned i = 0; i < 2; i++) {
        const struct state_cell *cell = &s->selected[i];
        const bool cycle = known && sel == APMU_CYCLE;

        if (cell->known == 0) {
            continue;
        }
        if (!known) {
            state_remark(s, STATE_UNUSED, cell->line, names[i], strlen(names[i]),
                         "PMSELR, which selects its counter, is not known");
        } else if (i == 1 && cycle) {
            state_remark(s, STATE_UNUSED, cell->line, names[i], strlen(names[i]), "PMSELR selects no event counter");
        } else {
            const enum apmu_reg reg = cycle    ? APMU_REG_PMCCFILTR_EL0
                                      : i == 0 ? APMU_REG_PMEVTYPER_EL0
                                               : APMU_REG_PMEVCNTR_EL0;
            const unsigned n = cycle ? 0 : (unsigned)sel;
            struct state_cell *own = state_cell_of(s, reg, n);
            const struct state_cell before = *own;

            if (before.times == 0) {
                *own = *cell; /* with its moments */
                s->placed[i] |= UINT64_C(1) << sel;
            } else if ((s->placed[i] >> sel & 1) != 0) { /* a later moment */
                own->moved |= cell->moved || own->last != cell->value;
                own->last = cell->last;
                own->last_line = cell->last_line;
                own->times += cell->times;
            } else if (!state_put(s, reg, n, cell->known, cell->value, cell->line, names[i])) {
                *own = before; /* another view, and no other moment */
            } else {
                own->times = before.times; /* the same register by another name, and no second reading */
            }
        }
        s->selected[i] = (struct state_cell){0};
    }
}

bool state_take(struct state *s, const struct names_place *place, uint64_t value, uint32_t line, const char *name,
                size_t length)
{
    const char *why = says_nothing(place);
    uint64_t mask = place->mask;
    char spelled[NAMES_LENGTH];

    if (why != NULL) {
        state_remark(s, STATE_UNUSED, line, name, length, why);
        return false;
    }
    if (place->may_be_wide && ((value >> 32) != 0 || (value & ~mask) != 0)) {
        mask = (value >> 32) != 0 ? ~UINT64_C(0) : APMU_BITS(31, 0); /* AArch32 has no such bits: external view */
    } else if (((value << place->shift) & ~mask) != 0 || (place->shift != 0 && (value >> (64 - place->shift)) != 0)) {
        state_remark(s, STATE_BAD_VALUE, line, name, length, "it has bits that the register lacks");
        return false;
    }
    length = length < sizeof spelled ? length : sizeof spelled - 1;
    memcpy(spelled, name, length);
    spelled[length] = '\0';
    s->facts++;
    if (place->view == NAMES_ARM11) {
        put(s, &s->arm11[place->arm11], mask, value, line, spelled);
    } else if (place->reg == APMU_REG_PMXEVTYPER_EL0 || place->reg == APMU_REG_PMXEVCNTR_EL0) {
        put(s, &s->selected[place->reg == APMU_REG_PMXEVCNTR_EL0], mask, value, line, spelled);
    } else {
        if (place->reg == APMU_REG_PMSELR_EL0 && state_cell(s, APMU_REG_PMSELR_EL0, 0)->times != 0) {
            place_selected(s); /* what follows is of another counter */
        }
        state_put(s, place->reg, place->n, mask, value << place->shift, line, spelled);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Completing a state.
 */

/* Adds the value that the core's row gives for a field, if no bit of the field is known. */
static void add_core_field(struct state *s, enum apmu_reg reg, uint64_t mask, uint64_t value)
{
    struct state_cell *cell = state_cell_of(s, reg, 0);

    if ((cell->known & mask) == 0) {
        cell->value |= value & mask;
        cell->last |= value & mask;
        cell->known |= mask;
        cell->line = cell->known == mask ? STATE_LINE_CORE : cell->line;
    }
}

/*
 * Adds the Exception levels of the core.  A virtual machine may show fewer of them, so they are those of the core only
 * where the input says nothing of them.
 */
static void add_core_levels(struct state *s)
{
    static const struct {
        const char *name;
        uint16_t levels;
    } cores[] = {
#define CORE_LEVELS(name, levels) {name, levels},
#include "core_levels.def"
    };
    const uint64_t given = s->features | s->no_features;

    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        if (strcmp(s->core->name, cores[i].name) == 0 && (given & APMU_BITS(7, 0)) == 0) {
            add_core_field(s, APMU_REG_ID_AA64PFR0_EL1, APMU_BITS(15, 0), cores[i].levels);
        }
    }
}

void state_finish(struct state *s)
{
    const struct state_cell *midr = state_cell(s, APMU_REG_MIDR_EL1, 0);
    const uint64_t which = APMU_MASK(MIDR_EL1, Implementer) | APMU_MASK(MIDR_EL1, PartNum);

    place_selected(s);
    if (s->core == NULL && (midr->known & which) == which) {
        s->core = apmu_core_by_midr((uint32_t)midr->value);
    }
    if (s->core == NULL) {
        return;
    }
    if ((midr->known & which) == 0) {
        add_core_field(s, APMU_REG_MIDR_EL1, which, APMU_PUT(MIDR_EL1, Implementer, s->core->implementer) |
                                                        APMU_PUT(MIDR_EL1, PartNum, s->core->part));
    }
    add_core_levels(s);
    if (s->core->pmu == APMU_CORE_PMU_V3 && s->core->version != 0) {
        add_core_field(s, APMU_REG_ID_AA64DFR0_EL1, APMU_MASK(ID_AA64DFR0_EL1, PMUVer),
                       APMU_PUT(ID_AA64DFR0_EL1, PMUVer, s->core->version));
    }
    if (s->core->pmu == APMU_CORE_PMU_V1 || s->core->pmu == APMU_CORE_PMU_V2) {
        add_core_field(s, APMU_REG_ID_DFR0_EL1, APMU_MASK(ID_DFR0_EL1, PerfMon),
                       APMU_PUT(ID_DFR0_EL1, PerfMon, s->core->pmu == APMU_CORE_PMU_V1 ? 1 : 2));
    }
}
