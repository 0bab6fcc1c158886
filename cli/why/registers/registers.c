/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on the values of registers: finds what is in question, and puts the rules to each PE. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "registers.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The registers.
 */

/* Returns true if PMCR holds a value that software writes: no implementer, no ID code and no counters. */
static bool is_written_pmcr(const struct state_cell *cell)
{
    return (cell->known & APMU_BITS(31, 11)) != 0 && (cell->value & APMU_BITS(31, 11)) == 0;
}

/*
 * Returns a copy of @s as it is at the last moment.  What a PMCR that was not read back says of the counters is
 * dropped, and so is all of one that reads as zero.  The caller frees it.
 */
static struct state *last_moment(const struct state *s)
{
    struct state *now = cli_allocate(NULL, 1, sizeof *now);
    struct state_cell *pmcr;

    *now = *s;
    for (size_t i = 0; i < STATE_CELLS; i++) {
        now->cells[i].value = now->cells[i].last & now->cells[i].known;
        now->cells[i].line = now->cells[i].times > 1 ? now->cells[i].last_line : now->cells[i].line;
    }
    pmcr = state_cell_of(now, APMU_REG_PMCR_EL0, 0);
    if (is_written_pmcr(pmcr)) {
        pmcr->known &= APMU_BITS(10, 0);
    }
    return now;
}

uint64_t registers_value(const struct registers_case *c, enum apmu_reg reg, unsigned n)
{
    const struct state_cell *cell = state_cell(c->s, reg, n);

    return cell->value & cell->known;
}

uint64_t registers_known(const struct registers_case *c, enum apmu_reg reg, unsigned n)
{
    return state_cell(c->s, reg, n)->known;
}

uint32_t registers_line(const struct registers_case *c, enum apmu_reg reg, unsigned n)
{
    const struct state_cell *cell = state_cell(c->s, reg, n);

    return cell->known == 0 || cell->line == STATE_LINE_CORE ? 0 : cell->line;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counters.
 */

static bool is_enabled(const struct registers_case *c, unsigned n)
{
    return (registers_value(c, APMU_REG_PMCNTENSET_EL0, 0) >> n & 1) != 0;
}

/* Returns the register that holds the count of @n, and its *copy. */
static enum apmu_reg count_register(unsigned n, unsigned *copy)
{
    *copy = n < APMU_CYCLE ? n : 0;
    return n == APMU_CYCLE ? APMU_REG_PMCCNTR_EL0 : n == APMU_INSTR ? APMU_REG_PMICNTR_EL0 : APMU_REG_PMEVCNTR_EL0;
}

/* Fills the sets of counters of @c by the values of their registers. */
static void sort_counters(struct registers_case *c)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const uint64_t bit = UINT64_C(1) << n;
        unsigned copy;
        const enum apmu_reg reg = count_register(n, &copy);
        const struct state_cell *count = state_cell(c->s, reg, copy);
        const enum apmu_reg filter = n == APMU_CYCLE   ? APMU_REG_PMCCFILTR_EL0
                                     : n == APMU_INSTR ? APMU_REG_PMICFILTR_EL0
                                                       : APMU_REG_PMEVTYPER_EL0;

        if (is_enabled(c, n) || registers_value(c, filter, copy) != 0) {
            c->set_up |= bit;
        }
        if (count->known == 0) {
            continue;
        }
        *(count->value == 0 ? &c->zero : &c->counted) |= bit;
        if (count->times > 1) {
            *(count->moved ? &c->moved : &c->stuck) |= bit;
        }
    }
}

/* Returns the counters of which the input gives the count or the filter. */
static uint64_t described(const struct registers_case *c)
{
    uint64_t set = c->zero | c->counted;

    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        set |= registers_known(c, APMU_REG_PMEVTYPER_EL0, n) != 0 ? UINT64_C(1) << n : 0;
    }
    return registers_known(c, APMU_REG_PMCCFILTR_EL0, 0) != 0 ? set | REGISTERS_CYCLE : set;
}

uint64_t registers_not_taken(const struct registers_case *c)
{
    const struct state_cell *now = state_cell(c->s, APMU_REG_PMCNTENSET_EL0, 0);
    const struct state_cell *wish = c->r->written == NULL ? now : state_cell(c->r->written, APMU_REG_PMCNTENSET_EL0, 0);
    const uint64_t lost = wish->value & wish->known & now->known & ~now->value & (REGISTERS_CYCLE - 1);

    return (now->value & now->known) == 0 ? 0 : lost & described(c);
}

/* Returns the counters in question. */
static uint64_t find_focus(const struct registers_case *c)
{
    const uint64_t events = c->set_up & ~REGISTERS_CYCLE;
    const uint64_t still = (c->zero | c->stuck) & ~c->moved;
    uint64_t given = 0;

    if (c->in->counters != 0) {
        return c->in->counters;
    }
    if ((c->asked & ~c->moved) != 0) {
        return c->asked & ~c->moved;
    }
    if (registers_not_taken(c) != 0) {
        return registers_not_taken(c);
    }
    if ((still & c->set_up) != 0) {
        return still & c->set_up;
    }
    if (events == 0 && (c->zero & REGISTERS_CYCLE) != 0) {
        return REGISTERS_CYCLE;
    }
    if ((c->moved & c->set_up) != 0 && still == 0) { /* what is not shown is not looked at by the writer either */
        return (c->zero | c->counted) & c->set_up;
    }
    if ((c->set_up & described(c)) != 0) {
        return c->set_up & described(c);
    }
    if (c->set_up != 0) {
        return c->set_up;
    }
    for (unsigned n = 0; n < (c->s->memory ? c->w->model.cfg.counters : APMU_CYCLE); n++) { /* a frame has them all */
        given |= registers_known(c, APMU_REG_PMEVCNTR_EL0, n) != 0 ? UINT64_C(1) << n : 0;
    }
    if (registers_known(c, APMU_REG_PMCCNTR_EL0, 0) != 0 || given == 0) {
        given |= REGISTERS_CYCLE;
    }
    return given;
}

/* ---------------------------------------------------------------------------------------------------------------
 * States.
 */

/* Returns the state at @level, in Secure state or not. */
static enum apmu_state state_at(unsigned level, bool secure)
{
    static const enum apmu_state states[2][3] = {
        {APMU_STATE_NS_EL0, APMU_STATE_NS_EL1, APMU_STATE_NS_EL2},
        {APMU_STATE_S_EL0, APMU_STATE_S_EL1, APMU_STATE_S_EL2},
    };

    return level == 3 ? APMU_STATE_EL3 : states[secure][level];
}

/* Returns true if a program faults, and the registers say what EL0 may: it is the program that is in question. */
static bool program_faults(const struct registers_case *c)
{
    return registers_sees(c, READING_fault) && registers_known(c, APMU_REG_PMUSERENR_EL0, 0) != 0 &&
           reading_find(c->r, CLUE_words_user) != NULL;
}

/* Finds the level of the code in question by what is known of the machine. */
static void find_level(struct registers_case *c)
{
    const struct reading_machine *m = &c->r->machine;

    c->level = 1;
    c->level_known = true;
    if (c->w->model.el_known) {
        c->level = c->w->model.pe.el;
    } else if (m->el.known && m->el.value <= 3) {
        c->level = (unsigned)m->el.value;
    } else if (program_faults(c)) {
        c->level = 0;
    } else if (reading_value(&m->vhe, 0) == 1 && reading_value(&m->place, 0) == READING_PLACE_KERNEL) {
        c->level = 2;
    } else if (m->place.known) {
        static const unsigned levels[] = {1, 0, 1, 1, 2, 1, 3};

        c->level = m->place.value < 7 ? levels[m->place.value] : 1;
        c->level_known = m->place.value != READING_PLACE_BARE && m->place.value != READING_PLACE_UNKNOWN;
    } else {
        const uint64_t userenr = registers_known(c, APMU_REG_PMUSERENR_EL0, 0);

        c->level_known = false;
        c->level = registers_sees(c, READING_fault) && userenr != 0 ? 0 : 1;
    }
}

/* Finds the states in question: those of --at, else that of the code in question. */
static void find_states(struct registers_case *c)
{
    const struct reading_machine *m = &c->r->machine;
    const unsigned has = apmu_explain_states(&c->w->model.cfg);
    uint64_t ns;
    bool secure;

    find_level(c);
    secure = m->secure.known                          ? m->secure.value == 1
             : STATE_FIELD(c->s, SCR_EL3, 0, NS, &ns) ? ns == 0 && registers_line(c, APMU_REG_SCR_EL3, 0) != 0
                                                      : reading_value(&m->place, 0) == READING_PLACE_SECURE;
    c->states = c->in->states & has;
    if (c->states == 0) {
        c->states = 1u << state_at(c->level, secure) & has;
    }
    for (unsigned s = 0; (c->in->states & has) != 0 && s < APMU_STATE_COUNT; s++) {
        if ((c->states >> s & 1) != 0) {
            c->level = why_at(c->w, (enum apmu_state)s).is.pe.el;
            c->level_known = true;
        }
    }
    c->states = c->states != 0 ? c->states : 1u << state_at(c->level, false) & has;
    c->states = c->states != 0 ? c->states : has;
}

/* ---------------------------------------------------------------------------------------------------------------
 * One PE.
 */

/*
 * Returns true if the writer says that something is wrong.  That some CPU works is nothing wrong where the values are
 * of one CPU, whose counters move.
 */
static bool has_symptom(const struct registers_case *c)
{
    const struct reading *r = c->r;
    const bool works = r->state_count == 1 && c->moved != 0 && (c->zero | c->stuck) == 0;

    for (unsigned i = 0; i < READING_SYMPTOMS; i++) {
        if (r->sees[i] && i != READING_good && i != READING_question && !(works && i == READING_one_cpu)) {
            return true;
        }
    }
    return false;
}

/* Returns true if much more than a counter in question has counted was expected. */
static bool misses_counts(const struct registers_case *c)
{
    bool any = false;

    for (unsigned n = 0; n < APMU_COUNTERS && !any; n++) {
        any = registers_expects_more(c, n);
    }
    return any;
}

/* Finds how the reader accesses registers. */
static void find_view(struct registers_case *c)
{
    const uint64_t features = c->w->model.cfg.features;

    c->a32 = (features & APMU_FEAT(AA64)) == 0 || c->w->model.pe.a32 || reading_value(&c->r->machine.aarch32, 0) == 1;
    c->all->aarch32 |= c->a32;
    c->pmxev = (features & APMU_FEAT(PMUv3)) == 0;
    c->external = registers_known(c, APMU_REG_PMCFGR, 0) != 0 || registers_known(c, APMU_REG_PMDEVARCH, 0) != 0 ||
                  registers_known(c, APMU_REG_PMLSR, 0) != 0 || c->s->memory;
}

/*
 * Supposes the oldest version of the PMU that has the fields which are 1, where nothing tells the version: older ones
 * read these bits as 0.
 */
static void suppose_version(struct state *now)
{
    static const struct {
        enum apmu_reg reg;
        uint64_t bits;
        unsigned version; /* of ID_AA64DFR0_EL1.PMUVer */
    } fields[] = {
        {APMU_REG_PMCR_EL0, APMU_MASK(PMCR_EL0, FZO), 7},
        {APMU_REG_MDCR_EL2, APMU_MASK(MDCR_EL2, HPMFZO), 7},
        {APMU_REG_MDCR_EL3, APMU_MASK(MDCR_EL3, MCCD) | APMU_MASK(MDCR_EL3, MPMX), 7},
        {APMU_REG_PMCR_EL0, APMU_MASK(PMCR_EL0, LP), 6},
        {APMU_REG_MDCR_EL2, APMU_MASK(MDCR_EL2, HCCD) | APMU_MASK(MDCR_EL2, HLP), 6},
        {APMU_REG_MDCR_EL3, APMU_MASK(MDCR_EL3, SCCD), 6},
        {APMU_REG_MDCR_EL2, APMU_MASK(MDCR_EL2, HPMD), 4},
    };
    const uint64_t mask = APMU_MASK(ID_AA64DFR0_EL1, PMUVer);
    struct state_cell *id = state_cell_of(now, APMU_REG_ID_AA64DFR0_EL1, 0);

    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && (id->known & mask) == 0; i++) {
        const struct state_cell *cell = state_cell(now, fields[i].reg, 0);

        if ((cell->last & cell->known & fields[i].bits) != 0) {
            id->known |= mask;
            id->value |= APMU_PUT(ID_AA64DFR0_EL1, PMUVer, fields[i].version);
            id->last |= APMU_PUT(ID_AA64DFR0_EL1, PMUVer, fields[i].version);
            id->line = id->line == 0 ? STATE_LINE_CORE : id->line;
        }
    }
}

/*
 * Supposes thresholds of the full width where nothing tells their width and a PMEVTYPER<n>, read back, has one: without
 * FEAT_PMUv3_TH these bits read as 0.
 */
static void suppose_thresholds(struct state *now)
{
    const uint64_t bits = APMU_MASK(PMEVTYPER_EL0, TC) | APMU_MASK(PMEVTYPER_EL0, TH);
    const uint64_t mask = APMU_MASK(PMMIR_EL1, THWIDTH);
    struct state_cell *id = state_cell_of(now, APMU_REG_PMMIR_EL1, 0);
    bool any = false;

    for (unsigned n = 0; n < APMU_EVENT_COUNTERS; n++) {
        const struct state_cell *type = state_cell(now, APMU_REG_PMEVTYPER_EL0, n);

        any |= (type->last & type->known & bits) != 0;
    }
    if (any && (id->known & mask) == 0) {
        id->known |= mask;
        id->value |= APMU_PUT(PMMIR_EL1, THWIDTH, 12);
        id->last |= APMU_PUT(PMMIR_EL1, THWIDTH, 12);
        id->line = id->line == 0 ? STATE_LINE_CORE : id->line;
    }
}

/*
 * PMCR.N reads as HPMN at EL1 and EL0, so where the code runs there and nothing is said of MDCR_EL2, HPMN is N.
 * Returns true if it supposes so.
 */
static bool suppose_hpmn(struct registers_case *c, struct state *now)
{
    const uint64_t mask = APMU_MASK(MDCR_EL2, HPMN);
    struct state_cell *mdcr = state_cell_of(now, APMU_REG_MDCR_EL2, 0);
    uint64_t n;

    find_level(c);
    if (c->level > 1 || mdcr->known != 0 || !STATE_FIELD(now, PMCR_EL0, 0, N, &n) || n == 0 ||
        (c->w->model.cfg.features & APMU_FEAT(PMUv3)) == 0) {
        return false;
    }
    *mdcr = (struct state_cell){.known = mask, .value = n, .last = n, .line = STATE_LINE_CORE, .times = 1};
    return true;
}

/* Puts the rules to PE @s. */
static void look_at(const struct rules_input *in, const struct state *s, struct suspects *all)
{
    struct registers_case c = {.in = in, .r = in->r, .all = all};
    struct state *now = last_moment(s);

    if (now->core == NULL) {
        now->core = state_core_of_pmcr(now);
        state_finish(now);
    }
    if (now->core == NULL || now->core->pmu == APMU_CORE_PMU_V3) {
        suppose_version(now);
        suppose_thresholds(now);
    }
    c.s = now;
    c.w = cli_allocate(NULL, 1, sizeof *c.w);
    why_begin(c.w, now);
    if (suppose_hpmn(&c, now)) {
        why_begin(c.w, now);
    }
    find_view(&c);
    c.asked = in->counters | registers_named_counters(in->r);
    sort_counters(&c);
    c.symptom = has_symptom(&c) || misses_counts(&c);
    c.focus = find_focus(&c);
    find_states(&c);
    c.w->states = c.states;
    c.w->counters = c.focus;
    why_decide(c.w, WHY_WORK / 4);
    c.w->in_use = c.focus;
    why_readers(c.w);
    registers_model(&c);
    registers_values(&c);
    registers_irq(&c);
    registers_moments(&c);
    registers_events(&c);
    registers_contradict(&c);
    registers_conclude(&c);
    free(c.w);
    free(now);
}

/* Says why a dump of the external view has no registers of a PMU. */
static void closed_frame(const struct state *s, struct suspects *all)
{
    for (unsigned i = 0; i < s->remark_count && i < STATE_REMARKS; i++) {
        const struct state_remark *remark = &s->remarks[i];

        if (remark->kind == STATE_UNUSED && strcmp(remark->name, "memory") == 0 &&
            strstr(remark->why, "PMCFGR") != NULL) {
            suspect_add(
                all, WHY_external_view_locked, SUSPECT_LIKELY, remark->line, remark->why,
                "find the address of the frame in the SoC's memory map or its ROM table; power the core up; clear "
                "the OS Lock (OSLAR_EL1 = 0); write 0xC5ACCE55 to PMLAR (offset 0xFB0)");
        }
    }
}

void rules_registers(const struct rules_input *in, struct suspects *all)
{
    if (registers_others(in, all) || registers_cpus(in, all)) {
        return;
    }
    for (size_t i = 0; i < in->r->state_count; i++) {
        struct state *s = cli_allocate(NULL, 1, sizeof *s);

        *s = in->r->states[i];
        if (s->core == NULL && in->r->machine.core != NULL) { /* words name it */
            s->core = in->r->machine.core;
            state_finish(s);
        }
        closed_frame(s, all);
        if (s->facts != 0 && state_is_arm11(s)) {
            registers_arm11(in, s, all);
        } else if (s->facts != 0) {
            look_at(in, s, all);
        }
        free(s);
    }
}
