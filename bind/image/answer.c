/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answers: two units, as different as two correct implementations can be, do what each row does.  Where they
 * disagree nothing is checked; where they counted differently, everything in between is right.
 */
#include <string.h>

#include "internal.h"

#define ESR_UNDEFINED UINT32_C(0x02000000) /* EC 0, IL 1 */
#define LOOP_ITERATIONS 400u
/* The loop, of A64 and of A32: subs x3, x3, #1; b.ne to it. */
#define LOOP_SUBS UINT32_C(0xF1000463)
#define LOOP_BRANCH UINT32_C(0x54FFFFE1)
#define LOOP_SUBS_A32 UINT32_C(0xE2533001)
#define LOOP_BRANCH_A32 UINT32_C(0x1AFFFFFD)
/* The most instructions and cycles between the start of the counters and the loop, and behind it. */
#define EDGE_INSTRUCTIONS 8u
#define EDGE_CYCLES 100000u

/* Changes all that the architecture leaves open. */
static void change_choices(struct apmu_config *cfg)
{
    cfg->export_bus = !cfg->export_bus;
    cfg->multithreaded = !cfg->multithreaded;
    cfg->imp ^= 0xFF;
    cfg->idcode ^= 0xFF;
    cfg->pmceid[0] = cfg->pmceid[1] = UINT64_MAX;
    cfg->slots ^= 0xFF;
    cfg->bus_slots ^= 0xFF;
    cfg->bus_width ^= 0xF;
    cfg->thwidth = (cfg->features & APMU_FEAT(PMUv3_TH)) != 0 ? 12 : 0;
    cfg->reserved_hpmn ^= 1;
    cfg->reserved_vs_filters = !cfg->reserved_vs_filters;
    cfg->chain_crosses_ranges = !cfg->chain_crosses_ranges;
    cfg->reserved_threshold_off = !cfg->reserved_threshold_off;
    cfg->unknown_fill = ~cfg->unknown_fill;
    cfg->a32_long_counters = !cfg->a32_long_counters;
}

void image_make_units(struct image *m)
{
    struct apmu_config cfg = m->tb->p.cfg;
    const uint64_t either = UINT64_C(1) << APMU_EV_INST_RETIRED | UINT64_C(1) << APMU_EV_INST_SPEC;

    apmu_events_closure(cfg.features, cfg.pmceid);
    cfg.pmceid[0] &= ~either;
    cfg.thwidth = (cfg.features & APMU_FEAT(PMUv3_TH)) != 0 ? 1 : 0;
    apmu_init(&m->units[0].p, &cfg);
    change_choices(&cfg);
    apmu_init(&m->units[1].p, &cfg);
    m->units[0].pe = (struct apmu_pe){.a32 = image_is_a32(m), .dbgen = true};
    m->units[1].pe = m->units[0].pe;
    m->units[1].pe.niden = m->units[1].pe.spiden = m->units[1].pe.spniden = true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses.
 */

static bool is_counter(enum apmu_reg reg)
{
    return reg == APMU_REG_PMEVCNTR_EL0 || reg == APMU_REG_PMCCNTR_EL0 || reg == APMU_REG_PMICNTR_EL0 ||
           reg == APMU_REG_PMXEVCNTR_EL0;
}

/* Expects what both units read.  Returns false if that is nothing. */
static bool expect_value(struct image_row *row, enum apmu_reg reg, uint64_t a, uint64_t b)
{
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;

    if (is_counter(reg)) {
        row->want = low;
        row->room = high - low;
        row->mask = UINT64_MAX;
        return row->room >> 31 == 0; /* otherwise the counter of one unit wrapped */
    }
    row->mask = ~(a ^ b);
    row->want = a & row->mask;
    return row->mask != 0;
}

/* Returns the level to which an UNDEFINED instruction or an SVC at @pe is taken. */
static unsigned undefined_target(const struct image_unit *unit)
{
    struct apmu_pe pe = unit->pe;
    const bool a32_only = (unit->p.cfg.features & APMU_FEAT(AA64)) == 0;

    if (pe.el != 0) {
        return pe.el;
    }
    if (APMU_GET(HCR_EL2, TGE, pe.hcr_el2) != 0 && tb_el2_enabled(&unit->p, &pe)) {
        return 2;
    }
    return a32_only && APMU_GET(SCR_EL3, NS, pe.scr_el3) == 0 && tb_highest(&unit->p) == 3 ? 3 : 1;
}

/*
 * Returns the syndrome by which HSTR.T9 traps an encoding at EL1 that no register has, or 0 if it does not.  The PE
 * decides this, so that the model has no part in it.
 */
static uint32_t encoding_trap(const struct image *m, const struct image_unit *unit, const struct tb_access *a)
{
    const unsigned key = a->address, opc1 = key >> 11 & 7, crm = key >> 3 & 15;
    const bool pair = (key & 0x8000u) != 0, t9 = (unit->pe.hstr_el2 >> 9 & 1) != 0;
    const uint32_t always = UINT32_C(1) << 25 | UINT32_C(0x1E) << 20 | 3u << 5 | !a->write; /* IL, CV, COND, Rt */

    if (!image_is_a32(m) || !t9 || unit->pe.el != 1 || !tb_el2_enabled(&unit->p, &unit->pe) ||
        (pair ? crm : key >> 7 & 15) != 9) {
        return 0;
    }
    if (pair) {
        return UINT32_C(4) << 26 | always | opc1 << 16 | 4u << 10 | crm << 1;
    }
    return UINT32_C(3) << 26 | always | (key & 7) << 17 | opc1 << 14 | 9u << 10 | crm << 1;
}

/* Expects the exception of a refused access.  In AArch32 state only Hyp mode has a syndrome, and not for class 0. */
static void expect_exception(const struct image *m, struct image_row *row, const struct image_unit *unit,
                             const struct tb_access *a)
{
    const struct apmu_transfer by = {.rt = 3, .rt2 = 4, .cond = 14};
    const bool trap = a->result.outcome == APMU_ACCESS_TRAP;

    row->taken = trap ? a->result.el : undefined_target(unit);
    row->esr = trap ? (uint32_t)apmu_access_esr(&a->result, &by) : ESR_UNDEFINED;
    if (!image_is_a32(m)) {
        return;
    }
    row->taken = row->taken == 3 ? 1 : row->taken;
    row->esr = row->esr >> 26 == 0 ? 0 : row->esr;
    if (!trap && encoding_trap(m, unit, a) != 0) {
        row->taken = 2;
        row->esr = encoding_trap(m, unit, a);
    }
}

/* Returns whether the outcomes are the same and are defined. */
static bool agree(const struct apmu_access *a, const struct apmu_access *b)
{
    return a->outcome == b->outcome && a->el == b->el && a->ec == b->ec && a->iss == b->iss &&
           a->outcome != APMU_ACCESS_UNPREDICTABLE && a->outcome != APMU_ACCESS_ERROR;
}

bool image_access(struct image *m, unsigned el, const struct tb_access *access, const char *text)
{
    struct tb_access a[IMAGE_UNITS];
    const bool a32 = access->view == APMU_TB_A32;
    struct image_row row = {.kind = access->write ? ROW_WRITE : ROW_READ,
                            .el = a32 && !image_is_a32(m) ? IMAGE_EL0_A32 : el,
                            .value = access->value};
    enum apmu_reg reg = APMU_REG_ALL;
    unsigned n;

    tb_access_register(access, &reg, &n);
    for (unsigned i = 0; i < IMAGE_UNITS; i++) {
        m->units[i].pe.el = (uint8_t)el;
        m->units[i].pe.a32 = a32;
        a[i] = *access;
        tb_access_decide(&m->units[i].p, &m->units[i].pe, &a[i], false, NULL);
    }
    m->units[0].pe.a32 = m->units[1].pe.a32 = image_is_a32(m);
    if (!agree(&a[0].result, &a[1].result)) {
        return false;
    }
    const enum apmu_outcome outcome = a[0].result.outcome;

    if (outcome == APMU_ACCESS_TRAP || outcome == APMU_ACCESS_UNDEFINED) {
        expect_exception(m, &row, &m->units[0], &a[0]);
    } else if (!access->write && !expect_value(&row, reg, a[0].value, a[1].value)) {
        return false;
    }
    for (unsigned i = 0; i < IMAGE_UNITS; i++) {
        a[i] = *access;
        m->units[i].pe.a32 = a32;
        tb_access_decide(&m->units[i].p, &m->units[i].pe, &a[i], true, NULL);
        m->units[i].pe.a32 = image_is_a32(m);
    }
    row.cell = image_access_cell(m, access->view, access->address, access->write);
    const bool by_encoding = outcome == APMU_ACCESS_UNDEFINED && image_is_a32(m) && row.esr != 0;
    const char *control = by_encoding ? "HSTR.T9" : a[0].result.control;

    row.text = image_text(m, outcome == APMU_ACCESS_OK || control == NULL ? text : control);
    image_add(m, &row);
    return true;
}

/* Accesses a register by MRC and MCR; PMCCNTR, if it has 64 bits, by MRRC and MCRR. */
static bool access_high_a32(struct image *m, enum apmu_reg reg, unsigned n, bool write, uint64_t value,
                            const char *text)
{
    struct tb_access access = {APMU_TB_A32, write, 0, 0, value & UINT32_MAX, {.control = ""}};
    const bool armv7 = !image_has(m, APMU_FEAT(PMUv3));
    int select = -1;

    if (reg == APMU_REG_PMCCNTR_EL0 && !armv7) {
        access.address = apmu_reg32_info(APMU_REG32_PMCCNTR64)->key;
        access.value = value;
    } else if (!tb_access_a32(&m->units[0].p, armv7 && !write && reg == APMU_REG_PMOVSSET_EL0 ? APMU_REG_PMOVSCLR_EL0
                                                                                              : reg,
                              n, &access.address, &select)) {
        return false;
    }
    if (select >= 0) {
        access_high_a32(m, APMU_REG_PMSELR_EL0, 0, true, (uint64_t)select, "");
    }
    return image_access(m, m->options->el, &access, text);
}

bool image_access_high(struct image *m, enum apmu_reg reg, unsigned n, bool write, uint64_t value, const char *text)
{
    if (image_is_a32(m)) {
        return access_high_a32(m, reg, n, write, value, text);
    }
    const struct tb_access access = {APMU_TB_A64, write, apmu_reg_info(reg)->key + n, 0, value, {.control = ""}};

    return image_access(m, m->options->el, &access, text);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Controls.
 */

void image_set_control(struct image *m, enum tb_state state, uint64_t value)
{
    static const struct {
        enum tb_state state;
        enum image_control control;
        uint64_t always, always_a32; /* bits that the image needs */
        unsigned el;                 /* the lowest level that has it */
    } controls[] = {
        {TB_PE_SCR_EL3, CONTROL_SCR_EL3, 0x530, 0x100, 3}, /* RW, HCE, RES1; HCE */
        {TB_PE_MDCR_EL3, CONTROL_MDCR_EL3, 0, 0, 3},
        {TB_PE_HCR_EL2, CONTROL_HCR_EL2, UINT64_C(1) << 31, 0, 2}, /* RW */
        {TB_PE_MDCR_EL2, CONTROL_MDCR_EL2, 0, 0, 2},
        {TB_PE_HSTR_EL2, CONTROL_HSTR_EL2, 0, 0, 2},
        {TB_PE_HDFGRTR_EL2, CONTROL_HDFGRTR_EL2, 0, 0, 2},
        {TB_PE_HDFGWTR_EL2, CONTROL_HDFGWTR_EL2, 0, 0, 2},
        {TB_PE_HDFGRTR2_EL2, CONTROL_HDFGRTR2_EL2, 0, 0, 2},
        {TB_PE_HDFGWTR2_EL2, CONTROL_HDFGWTR2_EL2, 0, 0, 2},
    };
    const uint64_t level2 = APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2);

    for (unsigned i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        if (controls[i].state != state || m->options->el < controls[i].el ||
            (controls[i].el == 2 && !image_has(m, level2)) || !image_changes(m, state)) {
            continue;
        }
        for (unsigned k = 0; k < IMAGE_UNITS; k++) {
            tb_state_set(&m->units[k].pe, state, value);
        }
        image_add(m, &(struct image_row){.kind = ROW_CONTROL, .cell = controls[i].control,
                                         .value = value | (image_is_a32(m) ? controls[i].always_a32
                                                                           : controls[i].always)});
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counts.
 */

/* Lets cycles and then instructions pass at @el. */
static void pass(struct image_unit *unit, unsigned el, uint64_t instructions, uint64_t cycles)
{
    unit->pe.el = (uint8_t)el;
    apmu_cycles(&unit->p, &unit->pe, cycles, NULL);
    apmu_event(&unit->p, &unit->pe, APMU_EV_INST_RETIRED, instructions, 1, NULL);
}

/*
 * Lets the loop pass: for the first unit no more than its instructions, and the fewest cycles that a core may take; for
 * the second one what comes before and behind it, too, and many cycles.  Where an overflow freezes other counters, the
 * instructions of the first one come before its cycles, and those of the second one behind.
 */
static void pass_loop(struct image_unit *unit, unsigned el, unsigned highest, bool most)
{
    const uint64_t instructions = UINT64_C(2) * LOOP_ITERATIONS;

    if (!most) {
        pass(unit, el, instructions, 0);
        pass(unit, el, 0, instructions / 64);
        return;
    }
    pass(unit, highest, EDGE_INSTRUCTIONS, EDGE_CYCLES);
    pass(unit, el, instructions + 1, EDGE_CYCLES);
    if (el == 0 && highest > 1) { /* SVC is taken to other vectors first */
        unit->pe.el = 0;
        pass(unit, undefined_target(unit), 1, EDGE_CYCLES);
    }
    pass(unit, highest, EDGE_INSTRUCTIONS, EDGE_CYCLES);
}

void image_count(struct image *m, unsigned el, bool e, bool hpme)
{
    const unsigned highest = m->options->el;
    const bool a32 = image_is_a32(m);
    struct image_row row = {.kind = ROW_COUNT, .el = el, .value = LOOP_ITERATIONS};

    row.cell = image_cell(m, &(struct image_cell){.word = a32 ? LOOP_SUBS_A32 : LOOP_SUBS,
                                                  .second = a32 ? LOOP_BRANCH_A32 : LOOP_BRANCH,
                                                  .a32 = a32,
                                                  .name = "a loop"});
    row.want = (m->units[0].p.pmcr & m->units[1].p.pmcr) | (e ? APMU_MASK(PMCR_EL0, E) : 0);
    row.mask = m->units[0].pe.mdcr_el2 | (hpme ? APMU_MASK(MDCR_EL2, HPME) : 0);
    for (unsigned i = 0; i < IMAGE_UNITS; i++) {
        struct image_unit *unit = &m->units[i];
        const uint64_t mdcr = unit->pe.mdcr_el2;

        unit->pe.el = (uint8_t)highest;
        unit->pe.mdcr_el2 = row.mask;
        apmu_poke(&unit->p, &unit->pe, APMU_REG_PMCR_EL0, 0, row.want, NULL);
        pass_loop(unit, el, highest, i != 0);
        unit->pe.el = (uint8_t)highest;
        unit->pe.mdcr_el2 = mdcr;
        apmu_poke(&unit->p, &unit->pe, APMU_REG_PMCR_EL0, 0, row.want & ~APMU_MASK(PMCR_EL0, E), NULL);
    }
    image_add(m, &row);
}
