/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conformance images: a correct machine deviates nowhere, and one with a fault does.  The machine is the model here,
 * which executes the rows as target.c does; its faults are fields and bits that it ignores.
 */
#include <stdlib.h>
#include <string.h>

#include "../../bind/image/internal.h"
#include "../lib/tap.h"

enum { LENGTH = 30000, EL = 3, COUNTERS = 6 };

#define FEATURES \
    (APMU_FEAT(PMUv3p7) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3) | \
     APMU_FEAT(SEL2) | APMU_FEAT(VHE) | APMU_FEAT(FGT) | APMU_FEAT(Debugv8p4))

/* A machine: a unit, and what is wrong with it. */
struct image_machine {
    struct image_unit unit;
    enum tb_state state;   /* it ignores the bits .ignored of this control, TB_PE_COUNT: of none */
    enum apmu_reg reg;     /* or of what is written to this register, APMU_REG_ALL: of none */
    uint64_t ignored;
    bool no_exceptions;    /* or it performs refused accesses */
    unsigned extra;        /* or it counts so many instructions more */
};

/* An image that is made as image_write() makes it. */
static struct image *make_image(uint64_t features, enum image_isa isa, uint64_t seed)
{
    static struct image_options options;
    struct image *m = calloc(1, sizeof *m);
    char fault[256];

    MUST(m != NULL, "no memory");
    options = (struct image_options){.features = apmu_features_closure(image_features(features, EL, isa)),
                                     .counters = COUNTERS, .el = EL, .length = LENGTH, .seed = seed, .isa = isa};
    const char *wrong = image_make(m, &options, fault);

    MUST(wrong == NULL, "%s", wrong);
    return m;
}

static void free_image(struct image *m)
{
    apmu_tb_destroy(m->tb);
    free(m->rows);
    free(m);
}

/* Sets a control, but for the bits that the machine ignores. */
static void set_state(struct image_machine *machine, enum tb_state state, uint64_t value)
{
    const uint64_t now = tb_state_get(&machine->unit.pe, state);
    const uint64_t ignored = machine->state == state ? machine->ignored : 0;

    tb_state_set(&machine->unit.pe, state, (value & ~ignored) | (now & ignored));
}

static void control(struct image_machine *machine, const struct image_row *row)
{
    static const enum tb_state states[CONTROLS] = {
        TB_PE_SCR_EL3,     TB_PE_MDCR_EL3,    TB_PE_HCR_EL2,      TB_PE_MDCR_EL2,     TB_PE_HSTR_EL2,
        TB_PE_HDFGRTR_EL2, TB_PE_HDFGWTR_EL2, TB_PE_HDFGRTR2_EL2, TB_PE_HDFGWTR2_EL2,
    };

    set_state(machine, states[row->cell], row->value);
}

/* Counts the loop as the cheapest machine does. */
static void count(struct image_machine *machine, const struct image_row *row)
{
    struct image_unit *unit = &machine->unit;
    const uint64_t mdcr = unit->pe.mdcr_el2;

    unit->pe.el = EL;
    set_state(machine, TB_PE_MDCR_EL2, row->mask);
    apmu_poke(&unit->p, &unit->pe, APMU_REG_PMCR_EL0, 0, row->want, NULL);
    unit->pe.el = (uint8_t)row->el;
    apmu_event(&unit->p, &unit->pe, APMU_EV_INST_RETIRED, 2 * row->value + machine->extra, 1, NULL);
    apmu_cycles(&unit->p, &unit->pe, row->value, NULL);
    unit->pe.el = EL;
    unit->pe.mdcr_el2 = mdcr;
    apmu_poke(&unit->p, &unit->pe, APMU_REG_PMCR_EL0, 0, row->want & ~APMU_MASK(PMCR_EL0, E), NULL);
}

/* Returns the access that the instruction of a row makes: MRS and MSR, MRC and MCR, MRRC and MCRR. */
static struct tb_access decode(const struct image *m, const struct image_row *row)
{
    const uint32_t word = m->cells[row->cell].word;
    const bool a32 = m->cells[row->cell].a32, pair = word >> 24 == 0xEC;
    const unsigned key32 = pair ? APMU_A32_KEY_PAIR(word >> 4 & 15, word & 15)
                                : APMU_A32_KEY(word >> 21 & 7, word >> 16 & 15, word & 15, word >> 5 & 7);

    return (struct tb_access){a32 ? APMU_TB_A32 : APMU_TB_A64, row->kind == ROW_WRITE, a32 ? key32 : word >> 5 & 0xFFFF,
                              0, row->value, {.control = ""}};
}

/* Returns where a refused access is taken, as TAKEN_EL1 and so on of target.h. */
static unsigned target_of(const struct image_unit *unit, const struct tb_access *a)
{
    const bool tge = APMU_GET(HCR_EL2, TGE, unit->pe.hcr_el2) != 0 && tb_el2_enabled(&unit->p, &unit->pe);

    if (a->result.outcome == APMU_ACCESS_TRAP) {
        return a->result.el;
    }
    return unit->pe.el == 0 ? (tge ? 2 : 1) : unit->pe.el == 3 && unit->pe.a32 ? 1 : unit->pe.el;
}

/* Executes an access.  Returns whether the machine does what the row expects. */
static bool conforms(struct image_machine *machine, const struct image *m, const struct image_row *row)
{
    struct tb_access a = decode(m, row);
    enum apmu_reg reg;
    unsigned n;

    machine->unit.pe.el = row->el == IMAGE_EL0_A32 ? 0 : (uint8_t)row->el;
    machine->unit.pe.a32 = m->cells[row->cell].a32;
    MUST(tb_access_register(&a, &reg, &n), "cell %u is no register", row->cell);
    if (a.write && reg == machine->reg) {
        a.value &= ~machine->ignored;
    }
    tb_access_decide(&machine->unit.p, &machine->unit.pe, &a, true, NULL);
    const bool by_encoding = a.result.outcome == APMU_ACCESS_UNDEFINED && a.view == APMU_TB_A32 && row->esr >> 26 != 0;
    bool refused = a.result.outcome == APMU_ACCESS_TRAP || a.result.outcome == APMU_ACCESS_UNDEFINED;

    refused = refused && !machine->no_exceptions;
    if (refused != (row->taken != 0)) {
        return false;
    }
    if (refused && target_of(&machine->unit, &a) != row->taken && !by_encoding) {
        return false;
    }
    return refused || a.write || (((a.value & row->mask) - row->want) & row->mask) <= row->room;
}

/* Executes the image on the machine.  Returns the number of deviations. */
static unsigned execute(const struct image *m, struct image_machine machine)
{
    unsigned deviations = 0;

    machine.unit = m->units[0];
    for (unsigned long i = 0; i < m->row_count; i++) {
        const struct image_row *row = &m->rows[i];

        if (row->kind == ROW_CONTROL) {
            control(&machine, row);
        } else if (row->kind == ROW_COUNT) {
            count(&machine, row);
        } else if (row->kind == ROW_READ || row->kind == ROW_WRITE) {
            deviations += !conforms(&machine, m, row);
        }
    }
    return deviations;
}

static struct image_machine sound(void)
{
    return (struct image_machine){.state = TB_PE_COUNT, .reg = APMU_REG_ALL};
}

static void a_correct_machine_deviates_nowhere(void)
{
    static const struct {
        uint64_t features;
        enum image_isa isa;
    } units[] = {
        {FEATURES, IMAGE_A64}, {FEATURES, IMAGE_A64_A32}, {APMU_FEAT(PMUv1), IMAGE_A32},
        {APMU_FEAT(PMUv2), IMAGE_A32}, {APMU_FEAT(PMUv3), IMAGE_A32}, {APMU_FEAT(PMUv3p1), IMAGE_A32},
        {APMU_FEAT(PMUv3p7), IMAGE_A32},
    };

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct image *m = make_image(units[i].features, units[i].isa, seed);

            MUST_EQ(execute(m, sound()), 0, "unit %u, seed %u", (unsigned)i, (unsigned)seed);
            MUST(m->checked >= LENGTH && m->checked < LENGTH + 1000, "%lu rows", m->checked);
            free_image(m);
        }
    }
}

static void every_reason_is_reached(void)
{
    struct image *m = make_image(FEATURES, IMAGE_A64, 1);
    const uint64_t missing = m->tb->stimulus.reachable & ~m->summary.reached;

    MUST_EQ(missing & ~(APMU_WHY(NO_COUNTER) | APMU_WHY(HALTED)), 0, "reasons that no row shows");
    free_image(m);
}

/* Returns whether a row of 30,000 shows a bit of a control.  In AArch64 state HSTR_EL2 is for AArch32 alone. */
static bool is_shown(const struct image *m, enum tb_state state, unsigned bit)
{
    const bool a32 = m->options->isa == IMAGE_A32;

    return !((state == TB_PE_HSTR_EL2 && !a32) || (state == TB_PE_MDCR_EL2 && (bit == 3 || bit == 4)) ||
             (state == TB_PE_MDCR_EL3 && bit == 21) || (state == TB_PE_HCR_EL2 && bit != 27) ||
             (state == TB_PE_SCR_EL3 && bit == 10));
}

/* Ignores each bit of the controls.  Returns how many of them an image found, which is all. */
static unsigned ignore_controls(struct image *m)
{
    unsigned fields = 0;

    for (enum tb_state state = 0; state < TB_PE_COUNT; state++) {
        const enum apmu_reg reg = tb_state_register(state);
        const uint64_t own = reg == APMU_REG_ALL ? 0 : image_own_fields(m, state);

        for (unsigned bit = 0; bit < 64; bit++) {
            const bool held = (m->tb->stimulus.held >> state & 1) != 0 || !image_changes(m, state);
            struct image_machine machine = sound();

            machine.state = state;
            machine.ignored = UINT64_C(1) << bit;
            if ((own >> bit & 1) != 0 && !held && is_shown(m, state, bit)) {
                MUST(execute(m, machine) != 0, "%s bit %u is ignored, and no row shows it", apmu_reg_info(reg)->name,
                     bit);
                fields++;
            }
        }
    }
    free_image(m);
    return fields;
}

static void ignored_controls_are_found(void)
{
    MUST(ignore_controls(make_image(FEATURES, IMAGE_A64, 1)) > 30, "AArch64: too few fields");
    MUST(ignore_controls(make_image(APMU_FEAT(PMUv2), IMAGE_A32, 1)) >= 8, "PMUv2: too few fields");
    MUST(ignore_controls(make_image(APMU_FEAT(PMUv3p1) | APMU_FEAT(Debugv8p2), IMAGE_A32, 1)) >= 9,
         "AArch32: too few fields");
}

static void ignored_bits_of_registers_are_found(void)
{
    static const struct {
        enum apmu_reg reg;
        uint64_t bits;
    } written[] = {
        {APMU_REG_PMCR_EL0, 0xA7}, {APMU_REG_PMCNTENSET_EL0, 0x8000003F},
        {APMU_REG_PMCNTENCLR_EL0, 0x8000003F}, {APMU_REG_PMINTENSET_EL1, 0x8000003F},
        {APMU_REG_PMINTENCLR_EL1, 0x8000003F}, {APMU_REG_PMOVSSET_EL0, 0x8000003F},
        {APMU_REG_PMOVSCLR_EL0, 0x8000003F}, {APMU_REG_PMSWINC_EL0, 0x3F}, {APMU_REG_PMSELR_EL0, 0x1F},
        {APMU_REG_PMUSERENR_EL0, 0xF}, {APMU_REG_PMEVTYPER_EL0, 0xFC000000}, {APMU_REG_PMCCFILTR_EL0, 0xFC000000},
        {APMU_REG_PMEVCNTR_EL0, UINT64_MAX}, {APMU_REG_PMCCNTR_EL0, UINT64_MAX},
    };
    struct image *m = make_image(FEATURES, IMAGE_A64, 1);

    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        for (unsigned bit = 0; bit < 64; bit++) {
            struct image_machine machine = sound();

            machine.reg = written[i].reg;
            machine.ignored = UINT64_C(1) << bit;
            if ((written[i].bits >> bit & 1) != 0) {
                MUST(execute(m, machine) != 0, "%s bit %u is not written, and no row shows it",
                     apmu_reg_info(machine.reg)->name, bit);
            }
        }
    }
    free_image(m);
}

static void other_faults_are_found(void)
{
    struct image *m = make_image(FEATURES, IMAGE_A64, 1);
    struct image_machine machine = sound();

    machine.no_exceptions = true;
    MUST(execute(m, machine) > 100, "a machine without exceptions");
    machine = sound();
    machine.extra = 40;
    MUST(execute(m, machine) > 10, "a machine that counts 40 instructions too many");
    free_image(m);
}

int main(void)
{
    tap_run("a correct machine deviates nowhere", a_correct_machine_deviates_nowhere);
    tap_run("every reason is reached", every_reason_is_reached);
    tap_run("ignored controls are found", ignored_controls_are_found);
    tap_run("ignored bits of registers are found", ignored_bits_of_registers_are_found);
    tap_run("other faults are found", other_faults_are_found);
    return tap_status;
}
