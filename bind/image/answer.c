/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answers: two units, as different as two correct implementations can be, do what each row does.  Where they
 * disagree nothing is checked; where they counted differently, everything in between is right.
 */
#include <string.h>

#include "internal.h"

#define ESR_UNDEFINED UINT32_C(0x02000000) /* EC 0, IL 1 */
#define LOOP_ITERATIONS 400u
/* The loop: subs x3, x3, #1; b.ne to it. */
#define LOOP_SUBS UINT32_C(0xF1000463)
#define LOOP_BRANCH UINT32_C(0x54FFFFE1)
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
    m->units[0].pe = (struct apmu_pe){.dbgen = true};
    m->units[1].pe = (struct apmu_pe){.dbgen = true, .niden = true, .spiden = true, .spniden = true};
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

/* Returns the level to which an UNDEFINED instruction at @pe is taken. */
static unsigned undefined_target(const struct image_unit *unit)
{
    struct apmu_pe pe = unit->pe;

    if (pe.el != 0) {
        return pe.el;
    }
    return APMU_GET(HCR_EL2, TGE, pe.hcr_el2) != 0 && tb_el2_enabled(&unit->p, &pe) ? 2 : 1;
}

/* Expects the exception of a refused access. */
static void expect_exception(struct image_row *row, const struct image_unit *unit, const struct tb_access *a)
{
    const struct apmu_transfer by = {.rt = 3, .rt2 = 4, .cond = 14};
    const bool trap = a->result.outcome == APMU_ACCESS_TRAP;

    row->taken = trap ? a->result.el : undefined_target(unit);
    row->esr = trap ? (uint32_t)apmu_access_esr(&a->result, &by) : ESR_UNDEFINED;
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
    struct image_row row = {.kind = access->write ? ROW_WRITE : ROW_READ, .el = a32 ? IMAGE_EL0_A32 : el,
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
    m->units[0].pe.a32 = m->units[1].pe.a32 = false;
    if (!agree(&a[0].result, &a[1].result)) {
        return false;
    }
    const enum apmu_outcome outcome = a[0].result.outcome;

    if (outcome == APMU_ACCESS_TRAP || outcome == APMU_ACCESS_UNDEFINED) {
        expect_exception(&row, &m->units[0], &a[0]);
    } else if (!access->write && !expect_value(&row, reg, a[0].value, a[1].value)) {
        return false;
    }
    for (unsigned i = 0; i < IMAGE_UNITS; i++) {
        a[i] = *access;
        m->units[i].pe.a32 = a32;
        tb_access_decide(&m->units[i].p, &m->units[i].pe, &a[i], true, NULL);
        m->units[i].pe.a32 = false;
    }
    row.cell = image_access_cell(m, access->view, access->address, access->write);
    row.text = image_text(m, outcome == APMU_ACCESS_OK || a[0].result.control == NULL ? text : a[0].result.control);
    image_add(m, &row);
    return true;
}

bool image_access_high(struct image *m, enum apmu_reg reg, unsigned n, bool write, uint64_t value, const char *text)
{
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
        uint64_t always; /* bits that the image needs */
        unsigned el;     /* the lowest level that has it */
    } controls[] = {
        {TB_PE_SCR_EL3, CONTROL_SCR_EL3, 0x530, 3}, /* RW, HCE, RES1 */
        {TB_PE_MDCR_EL3, CONTROL_MDCR_EL3, 0, 3},
        {TB_PE_HCR_EL2, CONTROL_HCR_EL2, UINT64_C(1) << 31, 2}, /* RW */
        {TB_PE_MDCR_EL2, CONTROL_MDCR_EL2, 0, 2},
        {TB_PE_HSTR_EL2, CONTROL_HSTR_EL2, 0, 2},
        {TB_PE_HDFGRTR_EL2, CONTROL_HDFGRTR_EL2, 0, 2},
        {TB_PE_HDFGWTR_EL2, CONTROL_HDFGWTR_EL2, 0, 2},
        {TB_PE_HDFGRTR2_EL2, CONTROL_HDFGRTR2_EL2, 0, 2},
        {TB_PE_HDFGWTR2_EL2, CONTROL_HDFGWTR2_EL2, 0, 2},
    };

    for (unsigned i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        if (controls[i].state != state || m->options->el < controls[i].el ||
            !tb_state_matters(&m->tb->p.cfg, state)) {
            continue;
        }
        for (unsigned k = 0; k < IMAGE_UNITS; k++) {
            tb_state_set(&m->units[k].pe, state, value);
        }
        image_add(m, &(struct image_row){.kind = ROW_CONTROL, .cell = controls[i].control,
                                         .value = value | controls[i].always});
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
    if (el == 0 && highest > 1) { /* SVC is taken to the vectors of EL1 or EL2 */
        unit->pe.el = 0;
        pass(unit, undefined_target(unit), 1, EDGE_CYCLES);
    }
    pass(unit, highest, EDGE_INSTRUCTIONS, EDGE_CYCLES);
}

void image_count(struct image *m, unsigned el, bool e, bool hpme)
{
    const unsigned highest = m->options->el;
    struct image_row row = {.kind = ROW_COUNT, .el = el, .value = LOOP_ITERATIONS};

    row.cell = image_cell(m, &(struct image_cell){.word = LOOP_SUBS, .second = LOOP_BRANCH, .name = "a loop"});
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
