/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scenes of an image.  Each begins with known registers; then the stimulus of bind/tb/ plans, and what it plans is
 * fitted to what a program can do and know: a field that software does not own keeps its value, a counter counts an
 * event that every PMU has, and a step becomes software increments or a loop.
 */
#include "internal.h"

enum { SCENE_ROWS = 150, SCENE_TRIES = 600, COUNTERS_READ = 6 };

/* ---------------------------------------------------------------------------------------------------------------
 * Fitting.
 */

bool image_leaves_alone(enum apmu_reg reg)
{
    return reg == APMU_REG_PMSSCR_EL1 || reg == APMU_REG_PMECR_EL1 || reg == APMU_REG_PMIAR_EL1;
}

/* Returns a filter and an event that the image can tell the count of. */
static uint64_t fit_type(const struct image *m, uint64_t value)
{
    const bool wide = (m->tb->p.cfg.features & APMU_FEAT(PMUv3p1)) != 0;
    const uint64_t filters = APMU_BITS(31, 26) | APMU_BITS(24, 20);
    const uint64_t event = value & APMU_BITS(9, 0), usual = m->counts ? APMU_EV_INST_RETIRED : APMU_EV_SW_INCR;
    const bool chain = event == APMU_EV_CHAIN && image_has(m, APMU_FEAT(PMUv3));
    const bool known = event == APMU_EV_SW_INCR || chain ||
                       (m->counts && (event == APMU_EV_INST_RETIRED || event == APMU_EV_CPU_CYCLES));

    return (value & filters) | (wide ? 0 : value & APMU_BITS(15, 10)) | (known ? event : usual);
}

uint64_t image_fit_word(const struct image *m, enum apmu_reg reg, uint64_t value)
{
    const uint64_t fixed = UINT64_C(1) << APMU_CYCLE | UINT64_C(1) << APMU_INSTR;

    switch (reg) {
    case APMU_REG_PMCR_EL0:
        return value & ~(APMU_MASK(PMCR_EL0, FZS) | (m->counts ? APMU_MASK(PMCR_EL0, E) : 0));
    case APMU_REG_PMEVTYPER_EL0:
    case APMU_REG_PMXEVTYPER_EL0:
        return fit_type(m, value);
    case APMU_REG_PMCCFILTR_EL0:
    case APMU_REG_PMICFILTR_EL0:
        return value & (APMU_BITS(31, 26) | APMU_BITS(24, 20));
    case APMU_REG_PMCNTENSET_EL0:
        return m->counts ? value : value & ~fixed;
    default:
        return value;
    }
}

uint64_t image_own_fields(const struct image *m, enum tb_state state)
{
    const struct apmu_reg_info *info = apmu_reg_info(tb_state_register(state));
    uint64_t fields = 0;

    for (unsigned i = 0; i < info->field_count; i++) {
        const struct apmu_field *f = &info->fields[i];

        if (f->access != APMU_RES0 && apmu_holds(&m->tb->p.cfg, f->gate, 0)) {
            fields |= APMU_BITS(f->msb, f->lsb);
        }
    }
    switch (state) {
    case TB_PE_MDCR_EL2:
        return fields & ~(APMU_MASK(MDCR_EL2, PMEE) | APMU_MASK(MDCR_EL2, PMSSE) | APMU_MASK(MDCR_EL2, HPMFZS) |
                          APMU_MASK(MDCR_EL2, MTPME) | (m->counts ? APMU_MASK(MDCR_EL2, HPME) : 0));
    case TB_PE_MDCR_EL3:
        fields &= image_is_a32(m) ? APMU_MASK(MDCR_EL3, SPME) | APMU_MASK(MDCR_EL3, SCCD) : UINT64_MAX;
        return fields & ~(APMU_MASK(MDCR_EL3, PMSEE) | APMU_MASK(MDCR_EL3, PMEE) | APMU_MASK(MDCR_EL3, PMSSE) |
                          APMU_MASK(MDCR_EL3, MTPME));
    case TB_PE_SCR_EL3:
        return image_is_a32(m) ? APMU_MASK(SCR_EL3, NS) : fields & ~APMU_MASK(SCR_EL3, NSE);
    case TB_PE_HCR_EL2:
        return image_is_a32(m) ? APMU_MASK(HCR_EL2, TGE) : fields;
    default:
        return fields;
    }
}

bool image_changes(const struct image *m, enum tb_state state)
{
    const bool sdcr = state == TB_PE_MDCR_EL3 && image_is_a32(m);

    return tb_state_matters(&m->tb->p.cfg, state) && (!sdcr || image_has(m, APMU_FEAT(PMUv3))); /* ARMv7 lacks SDCR */
}

/* ---------------------------------------------------------------------------------------------------------------
 * Rows.
 */

/* Returns the text of the reasons @why: "filtered at EL0: PMEVTYPER<n>_EL0.U is 1 (CountPMUEvents)". */
static const char *reason_text(uint64_t why, char text[IMAGE_TEXT])
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned reason = 0; reason < APMU_REASON_COUNT; reason++) {
        const struct apmu_reason_info *info = apmu_reason_info((enum apmu_reason)reason);

        if ((why >> reason & 1) != 0 && used < IMAGE_TEXT) {
            used += (size_t)snprintf(text + used, IMAGE_TEXT - used, "%s%s (%s)", used == 0 ? "" : "; ", info->text,
                                     info->rule);
        }
    }
    return why == 0 ? "it counts" : text;
}

/* Returns the register that holds counter @n. */
static enum apmu_reg counter_register(unsigned n)
{
    return n == APMU_CYCLE ? APMU_REG_PMCCNTR_EL0 : n == APMU_INSTR ? APMU_REG_PMICNTR_EL0 : APMU_REG_PMEVCNTR_EL0;
}

/* Notes the reason that alone stops a counter. */
static void note_reached(struct image *m, uint64_t why)
{
    if (why != 0 && (why & (why - 1)) == 0) {
        m->summary.reached |= why;
    }
}

/*
 * Adds rows that read the counter of the step and COUNTERS_READ others of @set, if nothing or a single reason stopped
 * them, and the flags.  @why has the reasons.
 */
static void read_counters(struct image *m, uint64_t set, const uint64_t why[APMU_COUNTERS])
{
    char text[IMAGE_TEXT];
    unsigned left = COUNTERS_READ;

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const bool sought = n == m->tb->stimulus.action.row;

        if ((set >> n & 1) != 0 && (why[n] & (why[n] - 1)) == 0 && (left != 0 || sought)) {
            left -= sought ? 0 : 1;
            note_reached(m, why[n]);
            image_access_high(m, counter_register(n), n < APMU_CYCLE ? n : 0, false, 0, reason_text(why[n], text));
        }
    }
    image_access_high(m, APMU_REG_PMOVSSET_EL0, 0, false, 0, "");
}

bool image_is_legal(const struct image *m, unsigned el)
{
    struct apmu_pe pe = m->units[0].pe;

    pe.el = (uint8_t)el;
    return el <= m->options->el && tb_legal(&m->units[0].p, &pe);
}

/* Adds a software increment of all counters in place of a step, if its level may make one. */
static void add_increment(struct image *m)
{
    const unsigned key = apmu_reg_info(APMU_REG_PMSWINC_EL0)->key;
    const struct tb_access swinc = {image_is_a32(m) ? APMU_TB_A32 : APMU_TB_A64, true,
                                    image_is_a32(m) ? APMU_A32_SAME(key) : key, 0, UINT32_MAX, {.control = ""}};
    const unsigned el = m->tb->pe.el;
    uint64_t why[APMU_COUNTERS];
    struct image_unit *unit = &m->units[0];

    unit->pe.el = (uint8_t)el;
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        why[n] = apmu_why(&unit->p, &unit->pe, n);
    }
    if (image_access(m, el, &swinc, "")) {
        read_counters(m, (UINT64_C(1) << unit->p.cfg.counters) - 1, why);
    }
}

/*
 * Often filters the sought counter at the level of the program, where nobody knows how many cycles pass before and
 * behind the loop.  So what the level of the loop does to the counter shows.
 */
static void filter_program(struct image *m, unsigned el)
{
    const unsigned n = m->tb->stimulus.action.row, highest = m->options->el;
    const uint64_t type = m->units[0].p.typer[n], p = APMU_GET(PMEVTYPER_EL0, P, type);
    const uint64_t m_bit = APMU_MASK(PMEVTYPER_EL0, M), nsh = APMU_MASK(PMEVTYPER_EL0, NSH);
    const uint64_t secure = p == 0 ? APMU_MASK(PMEVTYPER_EL0, P) | APMU_MASK(PMEVTYPER_EL0, NSK) : 0;
    const uint64_t filtered = highest == 2                     ? type & ~nsh
                              : highest == 1                   ? type | APMU_MASK(PMEVTYPER_EL0, P)
                              : image_is_a32(m)                ? type ^ secure
                                                               : (type & ~m_bit) | (p == 0 ? m_bit : 0);

    if (el != highest && tb_chance(m->tb, 48)) {
        image_access_high(m, n == APMU_CYCLE   ? APMU_REG_PMCCFILTR_EL0
                             : n == APMU_INSTR ? APMU_REG_PMICFILTR_EL0
                                               : APMU_REG_PMEVTYPER_EL0,
                          n < APMU_CYCLE ? n : 0, true, filtered, "");
    }
}

/* Adds rows that give counters a value whose own is only known within bounds. */
static void settle_counters(struct image *m)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const uint64_t value = m->units[0].p.cntr[n];

        if (value != m->units[1].p.cntr[n]) {
            image_access_high(m, counter_register(n), n < APMU_CYCLE ? n : 0, true, value, "");
        }
    }
}

/* Adds a loop in place of a step. */
static void add_count(struct image *m)
{
    const unsigned el = m->tb->pe.el;
    const bool e = APMU_GET(PMCR_EL0, E, m->tb->p.pmcr) != 0;
    const bool hpme = m->options->el >= 2 && APMU_GET(MDCR_EL2, HPME, m->tb->pe.mdcr_el2) != 0;

    filter_program(m, el);
    settle_counters(m);
    struct image_unit unit = m->units[0];
    const bool icntr = (unit.p.cfg.features & APMU_FEAT(PMUv3_ICNTR)) != 0;
    const uint64_t all = ((UINT64_C(1) << unit.p.cfg.counters) - 1) | UINT64_C(1) << APMU_CYCLE |
                         (icntr ? UINT64_C(1) << APMU_INSTR : 0);
    uint64_t why[APMU_COUNTERS];

    unit.pe.el = (uint8_t)el;
    unit.p.pmcr |= e ? APMU_MASK(PMCR_EL0, E) : 0;
    unit.pe.mdcr_el2 |= hpme ? APMU_MASK(MDCR_EL2, HPME) : 0;
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        why[n] = apmu_why(&unit.p, &unit.pe, n);
    }
    image_count(m, el, e, hpme);
    read_counters(m, all, why);
}

/* Adds rows that show what a write of @value to copy @n of @reg did.  @text says where it was. */
static void show_write(struct image *m, enum apmu_reg reg, unsigned n, uint64_t value, const char *text)
{
    const bool resets = reg == APMU_REG_PMCR_EL0 && (value & (APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C))) != 0;
    const unsigned counters = m->tb->p.cfg.counters;

    if (apmu_reg_info(reg)->readable) {
        image_access_high(m, reg, n, false, 0, text);
    }
    if (resets || reg == APMU_REG_PMSWINC_EL0 || reg == APMU_REG_PMZR_EL0) {
        for (unsigned i = 0; i < 2 && counters != 0; i++) {
            image_access_high(m, APMU_REG_PMEVCNTR_EL0, tb_below(m->tb, counters), false, 0, text);
        }
        image_access_high(m, APMU_REG_PMCCNTR_EL0, 0, false, 0, text);
    }
}

/* Adds an access, and what shows its effect. */
static void add_access(struct image *m)
{
    struct tb_access access = m->tb->stimulus.action.access;
    const unsigned el = m->tb->pe.el;
    enum apmu_reg reg;
    unsigned n;
    char text[IMAGE_TEXT] = "";

    const bool a64_only = el != 0 && !image_is_a32(m);

    if (!tb_access_register(&access, &reg, &n) || image_leaves_alone(reg) ||
        (access.view == APMU_TB_A32 && a64_only)) {
        return;
    }
    if (access.write) {
        access.value = image_fit_word(m, reg, access.value);
    }
    if (!image_access(m, el, &access, "") || !access.write) {
        return;
    }
    if (el != m->options->el) {
        snprintf(text, sizeof text, "written at EL%u", el);
    }
    show_write(m, reg, n, access.value, text);
}

/* Does what the stimulus chose. */
static void follow(struct image *m)
{
    struct apmu_tb *tb = m->tb;
    const int kind = apmu_tb_next(tb);
    const enum tb_state state = (enum tb_state)tb->stimulus.action.row;

    if (kind == APMU_TB_RESET) {
        return;
    }
    if (kind == APMU_TB_STEP) {
        if (image_is_legal(m, tb->pe.el) && m->counts) {
            add_count(m);
        } else if (image_is_legal(m, tb->pe.el)) {
            add_increment(m);
        }
        return; /* the guide's counters stand still */
    }
    if ((kind == APMU_TB_READ || kind == APMU_TB_WRITE) && image_is_legal(m, tb->pe.el)) {
        add_access(m);
    }
    apmu_tb_perform(tb);
    if (kind == APMU_TB_STATE && tb_state_register(state) != APMU_REG_ALL) {
        image_set_control(m, state, tb_state_get(&tb->pe, state) & image_own_fields(m, state));
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Scenes.
 */

/* Adds rows that reset counters, event counters and the cycle counter by themselves. */
static void reset_counters(struct image *m)
{
    const uint64_t p = APMU_MASK(PMCR_EL0, P), c = APMU_MASK(PMCR_EL0, C);
    const uint64_t value = tb_random(m->tb, 31) | 1;
    const unsigned last = m->tb->p.cfg.counters == 0 ? 0 : m->tb->p.cfg.counters - 1u;

    image_access_high(m, APMU_REG_PMCCNTR_EL0, 0, true, value, "");
    image_access_high(m, APMU_REG_PMEVCNTR_EL0, last, true, value, "");
    for (unsigned i = 0; i < 2; i++) {
        image_access_high(m, APMU_REG_PMCR_EL0, 0, true, (m->summary.scenes + i) % 2 == 0 ? p : c, "");
        image_access_high(m, APMU_REG_PMCCNTR_EL0, 0, false, 0, "written before PMCR_EL0.{P, C}");
        image_access_high(m, APMU_REG_PMEVCNTR_EL0, last, false, 0, "written before PMCR_EL0.{P, C}");
    }
}

/* Returns a value of MDCR_EL2 with a second range of counters, and with its fields at random. */
static uint64_t with_ranges(struct image *m, uint64_t mdcr)
{
    const uint64_t hpmn = 1 + tb_below(m->tb, m->tb->p.cfg.counters);

    mdcr = (mdcr & ~APMU_MASK(MDCR_EL2, HPMN)) | APMU_PUT(MDCR_EL2, HPMN, hpmn);
    mdcr |= tb_chance(m->tb, 32) ? APMU_MASK(MDCR_EL2, HLP) : 0;
    return mdcr | (tb_chance(m->tb, 16) ? APMU_MASK(MDCR_EL2, HPMFZO) : 0);
}

/* Returns whether the unit has a register, which the gates tell of PMUv3 alone. */
static bool is_there(const struct image *m, enum apmu_reg reg)
{
    const enum apmu_gate gate = apmu_reg_info(reg)->gate;

    return apmu_holds(&m->tb->p.cfg, gate, 0) || (gate == APMU_GATE_PMUv3 && image_is_a32(m));
}

/*
 * Adds rows that give each register a known value, and opens all controls.  Where the stimulus goes on, there are often
 * two ranges of counters.
 */
static void begin_scene(struct image *m, bool walks)
{
    struct apmu_tb *tb = m->tb;

    image_add(m, &(struct image_row){.kind = ROW_SCENE,
                                     .cell = image_read_cell(m, APMU_REG_PMCEID0_EL0),
                                     .mask = m->counts ? UINT64_C(1) << APMU_EV_INST_RETIRED : 0});
    m->summary.scenes++;
    tb->pe = tb_open_pe(&tb->p);
    if (!image_changes(m, TB_PE_MDCR_EL3)) {
        tb->pe.mdcr_el3 = 0;
    }
    if (!walks && tb->p.cfg.counters != 0 && tb_chance(tb, 24)) {
        tb->pe.mdcr_el2 = with_ranges(m, tb->pe.mdcr_el2);
    }
    for (enum tb_state state = 0; state < TB_PE_COUNT; state++) {
        if (tb_state_register(state) != APMU_REG_ALL) {
            image_set_control(m, state, tb_state_get(&tb->pe, state) & image_own_fields(m, state));
        }
    }
    for (enum apmu_reg reg = 0; reg < APMU_REG_COUNT; reg++) {
        const bool clears = reg == APMU_REG_PMCNTENCLR_EL0 || reg == APMU_REG_PMINTENCLR_EL1 ||
                            reg == APMU_REG_PMOVSCLR_EL0;
        const struct apmu_reg_info *info = apmu_reg_info(reg);

        for (unsigned n = 0; n < info->copies && info->writable && !image_leaves_alone(reg); n++) {
            if (is_there(m, reg) && (info->copies == 1 || n < tb->p.cfg.counters)) {
                image_access_high(m, reg, n, true, clears ? UINT64_MAX : 0, "");
            }
        }
    }
    reset_counters(m);
    tb->p = m->units[0].p;
    tb->stimulus.head = tb->stimulus.length = 0;
}

void image_plan(struct image *m)
{
    while (m->checked < m->options->length && !m->full) {
        const bool walks = m->summary.scenes % 3 == 2;

        m->counts = m->summary.scenes % 3 != 0 && !image_has(m, APMU_FEAT(PMUv1)); /* which lacks INST_RETIRED */
        begin_scene(m, walks);
        if (walks) {
            image_walk(m, m->summary.scenes / 3 + m->options->seed);
            continue;
        }
        const unsigned long end = m->checked + SCENE_ROWS;

        for (unsigned tries = 0; tries < SCENE_TRIES && m->checked < end; tries++) {
            follow(m);
        }
    }
    m->summary.rows = m->checked;
}
