/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the causes of causes.def that a state shows.  The tests in that table call the functions of this file. */
#define _GNU_SOURCE
#include <string.h>

#include <armpmu/events.h>

#include "why.h"

/* The input of the tests in causes.def.  Reasons are those that surely stop a counter in use in a state asked for. */
struct cause_context {
    const struct why *w;
    const struct state *s;           /* the input: w->state */
    const struct state_arm11 *arm11; /* NULL, or the ARM11 unit; with that, only .state of *w is valid */
    uint64_t event_reasons;          /* a set of APMU_WHY(x), of the event counters and the instruction counter */
    uint64_t cycle_reasons;          /* a set of APMU_WHY(x), of the cycle counter */
    uint64_t arm11_reasons;          /* a set of APMU_ARM11_WHY(x) */
};

/* ---------------------------------------------------------------------------------------------------------------
 * Fields and reasons.
 */

static bool field_is(const struct cause_context *c, enum apmu_reg reg, unsigned msb, unsigned lsb, uint64_t wanted)
{
    uint64_t value;

    return state_field(c->s, reg, 0, msb, lsb, &value) && value == wanted;
}

/* FIELD_IS(c, EDPRSR, SPD, 1) is true if the input says that EDPRSR.SPD is 1. */
#define FIELD_IS(c, reg, field, wanted) \
    field_is(c, APMU_REG_##reg, APMU_##reg##_##field##_MSB, APMU_##reg##_##field##_LSB, wanted)

static bool has_feature(const struct cause_context *c, uint64_t feature)
{
    return c->arm11 == NULL && (c->w->model.cfg.features & feature) != 0;
}

/* Returns true if none of @features is implemented and the input leaves no doubt about that. */
static bool surely_lacks(const struct cause_context *c, uint64_t features)
{
    return c->arm11 == NULL && ((c->w->model.cfg.features | c->w->model.undecided) & features) == 0;
}

static bool event_counter_stopped_by(const struct cause_context *c, uint64_t reasons)
{
    return (c->event_reasons & reasons) != 0;
}

static bool cycle_counter_stopped_by(const struct cause_context *c, uint64_t reasons)
{
    return (c->cycle_reasons & reasons) != 0;
}

static bool stopped_by(const struct cause_context *c, uint64_t reasons)
{
    return event_counter_stopped_by(c, reasons) || cycle_counter_stopped_by(c, reasons);
}

static bool arm11_stopped_by(const struct cause_context *c, uint64_t reasons)
{
    return (c->arm11_reasons & reasons) != 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counters.
 */

static bool in_use(const struct cause_context *c, unsigned n)
{
    return c->arm11 == NULL && (c->w->in_use >> n & 1) != 0;
}

/* Returns true if @fits holds for a counter in use. */
static bool some_counter(const struct cause_context *c, bool (*fits)(const struct cause_context *c, unsigned n))
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if (in_use(c, n) && fits(c, n)) {
            return true;
        }
    }
    return false;
}

/* Returns true if @fits holds for an event counter in use whose event is known. */
static bool some_event(const struct cause_context *c, bool (*fits)(const struct cause_context *c, unsigned n))
{
    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        if (in_use(c, n) && c->w->setups[n].event_known && fits(c, n)) {
            return true;
        }
    }
    return false;
}

static bool stopped_in_state_by(const struct cause_context *c, enum apmu_state state, uint64_t reasons)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if (in_use(c, n) && (c->w->states >> state & 1) != 0 && (c->w->verdicts[n][state].always & reasons) != 0) {
            return true;
        }
    }
    return false;
}

static bool overflowed_without_interrupt(const struct cause_context *c, unsigned n)
{
    return c->w->setups[n].overflowed == APMU_YES && c->w->setups[n].interrupts == APMU_NO;
}

static bool has_threshold(const struct cause_context *c, unsigned n)
{
    return n < APMU_CYCLE && c->w->setups[n].threshold == APMU_YES;
}

static bool is_chained(const struct cause_context *c, unsigned n)
{
    return n < APMU_CYCLE && c->w->setups[n].chained == APMU_YES;
}

static bool wraps_unseen(const struct cause_context *c, unsigned n)
{
    const struct apmu_counter_setup *setup = &c->w->setups[n];

    return n < APMU_CYCLE && setup->overflow_width == 32 && setup->chained == APMU_NO &&
           setup->interrupts == APMU_NO && (c->w->facts.is.p.cnten >> n & 1) != 0;
}

static bool counts_every_64th_cycle(const struct cause_context *c, unsigned n)
{
    return n == APMU_CYCLE && c->w->setups[n].divided == APMU_YES;
}

static bool is_short_cycle_counter(const struct cause_context *c, unsigned n)
{
    return n == APMU_CYCLE && c->w->setups[n].overflow_width == 32 && has_feature(c, APMU_FEAT(PMUv3));
}

static bool counts_at_el2_though_p_is_1(const struct cause_context *c, unsigned n)
{
    const uint64_t bits = APMU_MASK(PMEVTYPER_EL0, P) | APMU_MASK(PMEVTYPER_EL0, NSH);

    return (c->w->facts.is.p.typer[n] & bits) == bits;
}

/* Returns true if bits 63:32 of an event counter are all 1.  Linux sets them to make it overflow after 32 bits. */
static bool some_count_is_biased(const struct cause_context *c)
{
    for (unsigned n = 0; c->arm11 == NULL && n < APMU_CYCLE; n++) {
        if ((c->w->counters >> n & 1) != 0 && c->w->facts.is.p.cntr[n] >> 32 == UINT32_MAX) {
            return true;
        }
    }
    return false;
}

/*
 * Returns true if the PMEVTYPER<n>_EL0 of a counter in use has @bit in the input.  The model cannot tell, because its
 * registers lack fields that are not implemented.
 */
static bool some_event_type_has(const struct cause_context *c, uint64_t bit)
{
    for (unsigned n = 0; n < APMU_EVENT_COUNTERS; n++) {
        if (in_use(c, n) && (state_cell(c->s, APMU_REG_PMEVTYPER_EL0, n)->value & bit) != 0) {
            return true;
        }
    }
    return false;
}

static bool mt_has_no_effect(const struct cause_context *c)
{
    if (!some_event_type_has(c, APMU_MASK(PMEVTYPER_EL0, MT))) {
        return false;
    }
    if (!has_feature(c, APMU_FEAT(MTPMU))) {
        return surely_lacks(c, APMU_FEAT(MTPMU));
    }
    return has_feature(c, APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3)) ? FIELD_IS(c, MDCR_EL3, MTPME, 0)
                                                                   : FIELD_IS(c, MDCR_EL2, MTPME, 0);
}

static bool nsh_without_el2(const struct cause_context *c)
{
    const uint64_t cycle_filter = state_cell(c->s, APMU_REG_PMCCFILTR_EL0, 0)->value;

    return surely_lacks(c, APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2)) &&
           (some_event_type_has(c, APMU_MASK(PMEVTYPER_EL0, NSH)) ||
            (cycle_filter & APMU_MASK(PMCCFILTR_EL0, NSH)) != 0);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Cores and events.
 */

enum { CORTEX_A9 = 0xC09, CORTEX_A53 = 0xD03, NEOVERSE_N2 = 0xD49 };

static bool core_has_pmuv3(const struct cause_context *c)
{
    return c->s->core != NULL && c->s->core->pmu == APMU_CORE_PMU_V3;
}

bool why_events_of_qemu(uint64_t pmceid0)
{
    const uint64_t common = UINT64_C(1) << APMU_EV_SW_INCR | UINT64_C(1) << APMU_EV_CPU_CYCLES;

    return (pmceid0 & UINT32_MAX & ~(UINT64_C(1) << APMU_EV_INST_RETIRED)) == common;
}

/* Returns true for QEMU: its own CPU has implementer 0 and part 0x051, and all its CPUs have the same few events. */
static bool is_emulator(const struct cause_context *c)
{
    const struct state_cell *midr = state_cell(c->s, APMU_REG_MIDR_EL1, 0);
    const struct state_cell *pmceid0 = state_cell(c->s, APMU_REG_PMCEID0_EL0, 0);

    if (pmceid0->known != 0 && why_events_of_qemu(pmceid0->value)) {
        return true;
    }
    return midr->known != 0 && (midr->value >> 24 & 0xFF) == 0 && (midr->value >> 4 & 0xFFF) == 0x051;
}

static bool event_not_implemented(const struct cause_context *c, unsigned n)
{
    return c->w->setups[n].implemented == APMU_NO;
}

/* Returns true if the core's list of events lacks the event of counter @n. */
static bool event_not_of_core(const struct cause_context *c, unsigned n)
{
    const struct apmu_counter_setup *setup = &c->w->setups[n];
    const struct apmu_core_info *core = c->s->core;
    const bool has_list = core != NULL && apmu_core_lists_event(core, APMU_EV_SW_INCR);

    return has_list && setup->implemented != APMU_YES && setup->event != APMU_EV_CHAIN &&
           !apmu_core_lists_event(core, setup->event);
}

/* Returns true if the event's number is one of Arm's (0x0000-0x003F, 0x4000-0x403F), and no event has it. */
static bool event_number_unassigned(const struct cause_context *c, unsigned n)
{
    const uint16_t event = c->w->setups[n].event;

    return (event & 0xBFC0) == 0 && apmu_event_by_number(event) == NULL;
}

bool why_any_core_lists(unsigned number)
{
    for (size_t i = 0; i < apmu_core_count(); i++) {
        if (apmu_core_lists_event(apmu_core_at(i), number)) {
            return true;
        }
    }
    return false;
}

const char *why_erratum_cure(const struct apmu_core_info *core, uint64_t midr, uint16_t event)
{
    static const char see[] = "see the errata notice of the core; count another event, or by a calibration";
    static const char subtract[] =
        "subtract CPU_CYCLES: Neoverse N2 before r0p3 counts one slot too many a cycle in STALL_SLOT "
        "and STALL_SLOT_FRONTEND; or use a core from r0p3 on";
    static const struct {
        uint16_t part, event;
        unsigned before; /* the revision with which it ends, variant * 16 + revision; 0: it does not end */
        const char *cure;
    } rows[] = {
        {CORTEX_A53, APMU_EV_INST_RETIRED, 0, see},     {CORTEX_A53, APMU_EV_EXC_TAKEN, 0, see},
        {CORTEX_A53, APMU_EV_EXC_RETURN, 0, see},       {CORTEX_A9, APMU_EV_PC_WRITE_RETIRED, 0, see},
        {CORTEX_A9, APMU_EV_BR_IMMED_RETIRED, 0, see},  {CORTEX_A9, 0x68, 0, see},
        {NEOVERSE_N2, APMU_EV_STALL_SLOT, 3, subtract}, {NEOVERSE_N2, APMU_EV_STALL_SLOT_FRONTEND, 3, subtract},
    };
    const unsigned revision = (unsigned)((midr >> 20 & 15) << 4 | (midr & 15));

    for (size_t i = 0; core != NULL && core->implementer == 0x41 && i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].part == core->part && rows[i].event == event &&
            (rows[i].before == 0 || (midr != 0 && revision < rows[i].before))) {
            return rows[i].cure;
        }
    }
    return NULL;
}

static bool event_has_erratum(const struct cause_context *c, unsigned n)
{
    const uint64_t midr = state_cell(c->s, APMU_REG_MIDR_EL1, 0)->value;

    return why_erratum_cure(c->s->core, midr, c->w->setups[n].event) != NULL;
}

/* Returns true if counter @n counts CPU_CYCLES, the cycle counter is in use too, and their counts differ. */
static bool differs_from_cycle_counter(const struct cause_context *c, unsigned n)
{
    const struct apmu *is = &c->w->facts.is.p;

    return c->w->setups[n].event == APMU_EV_CPU_CYCLES && in_use(c, APMU_CYCLE) && is->cntr[n] != is->cntr[APMU_CYCLE];
}

/* ---------------------------------------------------------------------------------------------------------------
 * The PMU and its surroundings.
 */

static bool pmuver_is(const struct cause_context *c, uint64_t version)
{
    return c->arm11 == NULL && FIELD_IS(c, ID_AA64DFR0_EL1, PMUVer, version);
}

static bool has_pmu_values(const struct cause_context *c)
{
    static const enum apmu_reg regs[] = {
        APMU_REG_PMCR_EL0, APMU_REG_PMCNTENSET_EL0, APMU_REG_PMCCNTR_EL0, APMU_REG_PMCCFILTR_EL0, APMU_REG_PMCEID0_EL0,
    };

    for (size_t i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        if (state_cell(c->s, regs[i], 0)->value != 0) {
            return true;
        }
    }
    return false;
}

static bool aarch32_on_pmuv3_core(const struct cause_context *c)
{
    return c->arm11 == NULL && core_has_pmuv3(c) &&
           (FIELD_IS(c, PSTATE, nRW, 1) || c->w->model.pe.a32 || !has_feature(c, APMU_FEAT(AA64)));
}

static bool mandatory_event_missing(const struct cause_context *c)
{
    const struct state_cell *pmceid0 = state_cell(c->s, APMU_REG_PMCEID0_EL0, 0);
    const uint64_t events = UINT64_C(1) << APMU_EV_SW_INCR | UINT64_C(1) << APMU_EV_INST_RETIRED |
                            UINT64_C(1) << APMU_EV_CPU_CYCLES;

    return !is_emulator(c) && (pmceid0->known & events & ~pmceid0->value) != 0 && has_feature(c, APMU_FEAT(PMUv3));
}

static bool fewer_counters(const struct cause_context *c)
{
    const struct apmu_core_info *core = c->s->core;
    uint64_t n, hpmn;

    if (c->arm11 != NULL || !STATE_FIELD(c->s, PMCR_EL0, 0, N, &n) || state_pmcr_is_written(c->s)) {
        return false;
    }
    return (core != NULL && core->counters <= APMU_EVENT_COUNTERS && n < core->counters) ||
           (STATE_FIELD(c->s, MDCR_EL2, 0, HPMN, &hpmn) && hpmn < n && hpmn > 0);
}

static bool hpmn_is_reserved(const struct cause_context *c)
{
    return FIELD_IS(c, MDCR_EL2, HPMN, 0) && surely_lacks(c, APMU_FEAT(HPMN0));
}

/* Returns true if two lines of the input disagree about a register: a PMXEV* register with @selected, else another. */
static bool conflicts(const struct cause_context *c, bool selected)
{
    for (unsigned i = 0; i < c->s->remark_count && i < STATE_REMARKS; i++) {
        const struct state_remark *remark = &c->s->remarks[i];

        if (remark->kind == STATE_CONFLICT && (strncasecmp(remark->name, "PMXEV", 5) == 0) == selected) {
            return true;
        }
    }
    return false;
}

static bool selected_counter_conflicts(const struct cause_context *c)
{
    return conflicts(c, true);
}

static bool controls_conflict(const struct cause_context *c)
{
    return conflicts(c, false);
}

static bool authentication_forbids(const struct cause_context *c)
{
    return c->arm11 == NULL && !has_feature(c, APMU_FEAT(Debugv8p2)) && stopped_by(c, APMU_WHY(SPME)) &&
           (FIELD_IS(c, DBGAUTHSTATUS_EL1, SNID, 2) || FIELD_IS(c, PMAUTHSTATUS, SNID, 2));
}

static bool external_view_closed(const struct cause_context *c)
{
    uint64_t part;
    const bool no_pmu = STATE_FIELD(c->s, PMDEVARCH, 0, ARCHPART, &part) && part != 0xA16 && part != 0xA26;

    const bool external = state_cell(c->s, APMU_REG_PMLSR, 0)->known != 0 || c->s->memory ||
                          state_cell(c->s, APMU_REG_PMDEVARCH, 0)->known != 0 ||
                          state_cell(c->s, APMU_REG_PMCFGR, 0)->known != 0;

    return no_pmu || FIELD_IS(c, PMLSR, SLK, 1) || (external && FIELD_IS(c, OSLSR_EL1, OSLK, 1)) ||
           FIELD_IS(c, EDPRSR, OSLK, 1) || FIELD_IS(c, EDPRSR, DLK, 1) || FIELD_IS(c, EDPRSR, PU, 0);
}

static bool interrupt_is_pending(const struct cause_context *c)
{
    return c->arm11 != NULL ? apmu_arm11_irq(&c->arm11->p) : apmu_pmuirq(&c->w->facts.is.p, &c->w->facts.is.pe);
}

static bool arm11_user_excluded(const struct cause_context *c)
{
    return c->arm11 != NULL && !c->arm11->pe.user_v && c->s->arm11[STATE_ARM11_SUNAVCR].known != 0;
}

static bool arm11_divided(const struct cause_context *c)
{
    return c->arm11 != NULL && APMU_GET(PMNC, D, c->arm11->p.pmnc) != 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Reads of the counters in use, in the states asked for.
 */

/* Returns true if a control whose name begins with @control refuses the access, whatever the unknown bits are. */
static bool refuses(const struct apmu_reach *reach, const char *control)
{
    for (size_t i = 0; i < reach->count; i++) {
        if (reach->answers[i].outcome == APMU_ACCESS_OK ||
            strncmp(reach->answers[i].control, control, strlen(control)) != 0) {
            return false;
        }
    }
    return true;
}

static bool some_read_refused_by(const struct cause_context *c, bool a32, const char *control)
{
    for (unsigned s = 0; c->arm11 == NULL && s < APMU_STATE_COUNT; s++) {
        const enum apmu_state state = (enum apmu_state)s;

        if ((c->w->states >> s & 1) == 0 || !(a32 ? why_has_a32(c->w, state) : why_has_a64(c->w, state))) {
            continue;
        }
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            if (in_use(c, n) && refuses(&c->w->reach[a32][n][s], control)) {
                return true;
            }
        }
    }
    return false;
}

static bool read_refused_by(const struct cause_context *c, const char *control)
{
    return some_read_refused_by(c, false, control);
}

static bool read_refused_in_aarch32_by(const struct cause_context *c, const char *control)
{
    return some_read_refused_by(c, true, control);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The table.
 */

/*
 * A function for each test.  The row of cause 23 becomes
 *
 *     static bool shows_23(const struct cause_context *c) { return stopped_by(c, APMU_WHY(CNTEN)); }
 */
#define CAUSE(number, slug, symptom, odds, reason, text, sign, check, cure, test) \
    static bool shows_##number(const struct cause_context *c) { return test; }
#include "causes.def"

/* The odds column, in the order of enum reading_kind. */
#define ODDS(code, registers, linux, words, exception) {code, registers, linux, words, exception}

/*
 * The rows.  That of cause 23 becomes
 *
 *     {23, "counter_not_enabled", WHY_SYMPTOM_zero, {50, 60, 10, 40, 5}, "the second step of the manual",
 *      "the counter is not enabled: ...", "PMCNTENSET_EL0", "armpmu why DUMP",
 *      "write 1 to its bit of PMCNTENSET_EL0", shows_23},
 */
const struct why_cause why_causes[WHY_CAUSE_COUNT] = {
#define CAUSE(number, slug, symptom, odds, reason, text, sign, check, cure, test) \
    {number, #slug, WHY_SYMPTOM_##symptom, odds, reason, text, sign, check, cure, shows_##number},
#define CAUSE_OUTSIDE(number, slug, symptom, odds, reason, text, sign, check, cure) \
    {number, #slug, WHY_SYMPTOM_##symptom, odds, reason, text, sign, check, cure, NULL},
#include "causes.def"
};

const char *why_slug(const struct why_cause *cause, char buf[48])
{
    snprintf(buf, 48, "%s", cause->slug);
    for (char *c = buf; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    return buf;
}

static void gather_reasons(struct cause_context *c)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
            if (in_use(c, n) && (c->w->states >> s & 1) != 0) {
                *(n == APMU_CYCLE ? &c->cycle_reasons : &c->event_reasons) |= c->w->verdicts[n][s].always;
            }
        }
    }
    for (unsigned n = 0; c->arm11 != NULL && n < APMU_ARM11_COUNTERS; n++) {
        uint64_t always, maybe;

        why_arm11_ask(c->s, c->arm11, (enum apmu_arm11_counter)n, &always, &maybe);
        c->arm11_reasons |= always;
    }
}

void why_find_causes(const struct why *w, const struct state_arm11 *arm11, struct why_cause_list *found)
{
    struct cause_context c = {.w = w, .s = w->state, .arm11 = arm11};

    gather_reasons(&c);
    found->count = 0;
    for (size_t i = 0; i < WHY_CAUSE_COUNT; i++) {
        if (why_causes[i].test != NULL && why_causes[i].test(&c)) {
            found->causes[found->count++] = &why_causes[i];
        }
    }
}
