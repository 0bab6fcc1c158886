/* SPDX-License-Identifier: BSD-2-Clause */
/* The causes of tables/causes.def: which of them a state shows, and the list by symptom. */
#define _GNU_SOURCE
#include <string.h>

#include <armpmu/events.h>

#include "why.h"

/* What the words of the table look at. */
struct view {
    const struct why *w;
    const struct state_arm11 *arm11;
    uint64_t events, cycle, all; /* reasons that stop a counter in use: event counters, the cycle counter, both */
    uint64_t arm11_why;
};

static bool field(const struct state *s, enum apmu_reg reg, unsigned n, unsigned msb, unsigned lsb, uint64_t *value)
{
    return state_field(s, reg, n, msb, lsb, value);
}

/* The field is known to have that value. */
#define IS(reg, field_, wanted) \
    (field(v->w->state, APMU_REG_##reg, 0, APMU_##reg##_##field_##_MSB, APMU_##reg##_##field_##_LSB, &value) && \
     value == (wanted))

static const struct state *state_of(const struct view *v)
{
    return v->w->state;
}

/* Whatever is unknown, the access is refused by a control whose name begins so. */
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

/* Is a read of a counter in use, at a state asked for, refused? */
static bool refused(const struct view *v, bool a32, const char *control)
{
    for (unsigned s = 0; v->arm11 == NULL && s < APMU_STATE_COUNT; s++) {
        const enum apmu_state state = (enum apmu_state)s;

        if ((v->w->states >> s & 1) == 0 || !(a32 ? why_has_a32(v->w, state) : why_has_a64(v->w, state))) {
            continue;
        }
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            if ((v->w->in_use >> n & 1) != 0 && refuses(&v->w->reach[a32][n][s], control)) {
                return true;
            }
        }
    }
    return false;
}

static bool has_pmu_values(const struct view *v)
{
    static const enum apmu_reg regs[] = {APMU_REG_PMCR_EL0, APMU_REG_PMCNTENSET_EL0, APMU_REG_PMCCNTR_EL0,
                                         APMU_REG_PMCCFILTR_EL0, APMU_REG_PMCEID0_EL0};

    for (size_t i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        if (state_cell(state_of(v), regs[i], 0)->value != 0) {
            return true;
        }
    }
    return false;
}

static bool is_core(const struct view *v, unsigned part)
{
    return state_of(v)->core != NULL && state_of(v)->core->implementer == 0x41 && state_of(v)->core->part == part;
}

static bool core_has_v3(const struct view *v)
{
    return state_of(v)->core != NULL && state_of(v)->core->pmu == APMU_CORE_PMU_V3;
}

static bool in_aarch32(const struct view *v)
{
    uint64_t value;

    return IS(PSTATE, nRW, 1) || v->w->model.pe.a32 || (v->w->model.cfg.features & APMU_FEAT(AA64)) == 0;
}

static bool mandatory_event_missing(const struct view *v)
{
    const struct state_cell *cell = state_cell(state_of(v), APMU_REG_PMCEID0_EL0, 0);
    const uint64_t events = UINT64_C(1) << APMU_EV_SW_INCR | UINT64_C(1) << APMU_EV_INST_RETIRED |
                            UINT64_C(1) << APMU_EV_CPU_CYCLES;

    return v->arm11 == NULL && (cell->known & events & ~cell->value) != 0 &&
           (v->w->model.cfg.features & APMU_FEAT(PMUv3)) != 0;
}

static bool fewer_counters(const struct view *v)
{
    const struct apmu_core_info *core = state_of(v)->core;
    uint64_t n, hpmn;

    if (v->arm11 != NULL || !STATE_FIELD(state_of(v), PMCR_EL0, 0, N, &n)) {
        return false;
    }
    return (core != NULL && core->counters <= APMU_EVENT_COUNTERS && n < core->counters) ||
           (STATE_FIELD(state_of(v), MDCR_EL2, 0, HPMN, &hpmn) && hpmn < n && hpmn > 0);
}

/* A counter in use with these traits. */
static bool overflow_without_interrupt(const struct view *v)
{
    for (unsigned n = 0; v->arm11 == NULL && n < APMU_COUNTERS; n++) {
        const struct apmu_counter_setup *t = &v->w->traits[n];

        if ((v->w->in_use >> n & 1) != 0 && t->overflowed == APMU_YES && t->interrupts == APMU_NO) {
            return true;
        }
    }
    return false;
}

static bool conflict(const struct view *v, bool selected)
{
    const struct state *s = state_of(v);

    for (unsigned i = 0; i < s->remark_count && i < STATE_REMARKS; i++) {
        const bool of_selected = strncasecmp(s->remarks[i].name, "PMXEV", 5) == 0;

        if (s->remarks[i].kind == STATE_CONFLICT && of_selected == selected) {
            return true;
        }
    }
    return false;
}

static bool hpmn_reserved(const struct view *v)
{
    uint64_t value;

    return v->arm11 == NULL && IS(MDCR_EL2, HPMN, 0) && (v->w->model.cfg.features & APMU_FEAT(HPMN0)) == 0 &&
           (v->w->model.undecided & APMU_FEAT(HPMN0)) == 0;
}

static bool why_at_state(const struct view *v, enum apmu_state state, enum apmu_reason reason)
{
    for (unsigned n = 0; v->arm11 == NULL && n < APMU_COUNTERS; n++) {
        if ((v->w->in_use >> n & 1) != 0 && (v->w->states >> state & 1) != 0 &&
            (v->w->verdicts[n][state].always >> reason & 1) != 0) {
            return true;
        }
    }
    return false;
}

static bool authentication_forbids(const struct view *v)
{
    uint64_t value;
    const bool old = v->arm11 == NULL && (v->w->model.cfg.features & APMU_FEAT(Debugv8p2)) == 0;

    return old && (v->all & APMU_WHY(SPME)) != 0 &&
           (IS(DBGAUTHSTATUS_EL1, SNID, 2) || IS(PMAUTHSTATUS, SNID, 2));
}

/* Is there an event counter in use whose event is known and fits? */
static bool some_event(const struct view *v, bool (*fits)(const struct view *, const struct apmu_counter_setup *))
{
    for (unsigned n = 0; v->arm11 == NULL && n < APMU_CYCLE; n++) {
        if ((v->w->in_use >> n & 1) != 0 && v->w->traits[n].event_known && fits(v, &v->w->traits[n])) {
            return true;
        }
    }
    return false;
}

static bool not_implemented(const struct view *v, const struct apmu_counter_setup *t)
{
    (void)v;
    return t->implemented == APMU_NO;
}

enum { CORTEX_A9 = 0xC09, CORTEX_A53 = 0xD03, NEOVERSE_N2 = 0xD49 };

/* Cortex-A9's manual has no INST_RETIRED and no PC_WRITE_RETIRED, although lists that were made of it have. */
static bool not_of_core(const struct view *v, const struct apmu_counter_setup *t)
{
    const struct apmu_core_info *core = state_of(v)->core;
    const bool has_list = core != NULL && apmu_core_lists_event(core, APMU_EV_SW_INCR);

    if (is_core(v, CORTEX_A9) && (t->event == APMU_EV_INST_RETIRED || t->event == APMU_EV_PC_WRITE_RETIRED)) {
        return true;
    }
    return has_list && t->implemented != APMU_YES && t->event != APMU_EV_CHAIN &&
           !apmu_core_lists_event(core, t->event);
}

/* The numbers that the architecture keeps for itself, without an event: 0x0000-0x003F and 0x4000-0x403F. */
static bool unknown(const struct view *v, const struct apmu_counter_setup *t)
{
    (void)v;
    return (t->event & 0xBFC0) == 0 && apmu_event_by_number(t->event) == NULL;
}

static bool erratum(const struct view *v, const struct apmu_counter_setup *t)
{
    const uint64_t midr = state_cell(state_of(v), APMU_REG_MIDR_EL1, 0)->value;
    const bool before_r0p3 = (midr >> 20 & 15) == 0 && (midr & 15) < 3;

    if (is_core(v, CORTEX_A53)) {
        return t->event == APMU_EV_INST_RETIRED || t->event == APMU_EV_EXC_TAKEN || t->event == APMU_EV_EXC_RETURN;
    }
    if (is_core(v, CORTEX_A9)) {
        return t->event == APMU_EV_PC_WRITE_RETIRED || t->event == APMU_EV_BR_IMMED_RETIRED || t->event == 0x68;
    }
    return is_core(v, NEOVERSE_N2) && midr != 0 && before_r0p3 &&
           (t->event == APMU_EV_STALL_SLOT || t->event == APMU_EV_STALL_SLOT_FRONTEND);
}

static bool is_emulator(const struct view *v)
{
    const struct state_cell *cell = state_cell(state_of(v), APMU_REG_MIDR_EL1, 0);

    return cell->known != 0 && (cell->value >> 24 & 0xFF) == 0 && (cell->value >> 4 & 0xFFF) == 0x051;
}

static bool power_lost(const struct view *v)
{
    uint64_t value;

    return IS(EDPRSR, SPD, 1) || IS(EDPRSR, SR, 1);
}

/* A bit of PMEVTYPER<n>_EL0 as the input has it, of a counter in use: the model's registers lack absent fields. */
static bool typer_bits(const struct view *v, uint64_t bits)
{
    for (unsigned n = 0; v->arm11 == NULL && n < APMU_EVENT_COUNTERS; n++) {
        if ((v->w->in_use >> n & 1) != 0 && (state_cell(state_of(v), APMU_REG_PMEVTYPER_EL0, n)->value & bits) != 0) {
            return true;
        }
    }
    return false;
}

static bool mt_without_effect(const struct view *v)
{
    const uint64_t features = v->arm11 != NULL ? 0 : v->w->model.cfg.features;
    const bool el3 = (features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) != 0;
    uint64_t value;

    if (!typer_bits(v, APMU_MASK(PMEVTYPER_EL0, MT))) {
        return false;
    }
    return (features & APMU_FEAT(MTPMU)) == 0 ? (v->w->model.undecided & APMU_FEAT(MTPMU)) == 0
           : el3                              ? IS(MDCR_EL3, MTPME, 0)
                                              : IS(MDCR_EL2, MTPME, 0);
}

static bool nsh_without_el2(const struct view *v)
{
    const uint64_t el2 = APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2);

    return v->arm11 == NULL && (v->w->model.cfg.features & el2) == 0 && (v->w->model.undecided & el2) == 0 &&
           (typer_bits(v, APMU_MASK(PMEVTYPER_EL0, NSH)) ||
            (state_cell(state_of(v), APMU_REG_PMCCFILTR_EL0, 0)->value & APMU_MASK(PMCCFILTR_EL0, NSH)) != 0);
}

static bool threshold(const struct view *v)
{
    for (unsigned n = 0; v->arm11 == NULL && n < APMU_CYCLE; n++) {
        if ((v->w->in_use >> n & 1) != 0 && v->w->traits[n].threshold == APMU_YES) {
            return true;
        }
    }
    return false;
}

static bool external_closed(const struct view *v)
{
    uint64_t value;
    const bool other = STATE_FIELD(state_of(v), PMDEVARCH, 0, ARCHPART, &value) && value != 0xA16 && value != 0xA26;

    return other || IS(PMLSR, SLK, 1) || IS(OSLSR_EL1, OSLK, 1) || IS(EDPRSR, OSLK, 1) || IS(EDPRSR, DLK, 1) ||
           IS(EDPRSR, PU, 0);
}

/* Overflows from bit 31, enabled, not chained, and without an interrupt for sure. */
static bool wraps_unseen(const struct view *v)
{
    for (unsigned n = 0; v->arm11 == NULL && n < APMU_CYCLE; n++) {
        const struct apmu_counter_setup *t = &v->w->traits[n];

        if ((v->w->in_use >> n & 1) != 0 && t->overflow_width == 32 && t->chained == APMU_NO &&
            t->interrupts == APMU_NO && (v->w->facts.is.p.cnten >> n & 1) != 0) {
            return true;
        }
    }
    return false;
}

static bool cycle_in_use(const struct view *v)
{
    return v->arm11 == NULL && (v->w->in_use >> APMU_CYCLE & 1) != 0;
}

static bool chain_pair(const struct view *v)
{
    for (unsigned n = 0; v->arm11 == NULL && n < APMU_CYCLE; n++) {
        if ((v->w->in_use >> n & 1) != 0 && v->w->traits[n].chained == APMU_YES) {
            return true;
        }
    }
    return false;
}

static bool biased(const struct view *v)
{
    for (unsigned n = 0; v->arm11 == NULL && n < APMU_CYCLE; n++) {
        if ((v->w->counters >> n & 1) != 0 && v->w->facts.is.p.cntr[n] >> 32 == UINT32_MAX) {
            return true;
        }
    }
    return false;
}

static bool counts_cycles(const struct view *v, const struct apmu_counter_setup *t)
{
    const struct apmu *is = &v->w->facts.is.p;
    const size_t n = (size_t)(t - v->w->traits);

    return t->event == APMU_EV_CPU_CYCLES && cycle_in_use(v) && is->cntr[n] != is->cntr[APMU_CYCLE];
}

static bool interrupt_pending(const struct view *v)
{
    return v->arm11 != NULL ? apmu_arm11_irq(&v->arm11->p) : apmu_pmuirq(&v->w->facts.is.p, &v->w->facts.is.pe);
}

static bool vhe_kernel_counted(const struct view *v)
{
    const uint64_t p = APMU_MASK(PMEVTYPER_EL0, P), nsh = APMU_MASK(PMEVTYPER_EL0, NSH);
    uint64_t value;

    for (unsigned n = 0; v->arm11 == NULL && n < APMU_COUNTERS; n++) {
        if ((v->w->in_use >> n & 1) != 0 && (v->w->facts.is.p.typer[n] & (p | nsh)) == (p | nsh) &&
            IS(HCR_EL2, E2H, 1)) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The words of the table.
 */

#define OUTSIDE false
#define WHY(id) ((v->all & APMU_WHY(id)) != 0)
#define EVENTS_WHY(id) ((v->events & APMU_WHY(id)) != 0)
#define CYCLE_WHY(id) ((v->cycle & APMU_WHY(id)) != 0)
#define WHY_AT(state, id) why_at_state(v, APMU_STATE_##state, APMU_REASON_##id)
#define ARM11_WHY(id) ((v->arm11_why & APMU_ARM11_WHY(id)) != 0)
#define ARM11_V_CLEAR (v->arm11 != NULL && !v->arm11->pe.user_v && \
                       state_of(v)->arm11[STATE_ARM11_SUNAVCR].known != 0)
#define ARM11_DIVIDED (v->arm11 != NULL && APMU_GET(PMNC, D, v->arm11->p.pmnc) != 0)
#define REFUSED(control) refused(v, false, control)
#define REFUSED_A32(control) refused(v, true, control)
#define PMUVER(wanted) (v->arm11 == NULL && IS(ID_AA64DFR0_EL1, PMUVer, wanted))
#define HAS_PMU_VALUES has_pmu_values(v)
#define A32_ON_V3_CORE (v->arm11 == NULL && core_has_v3(v) && in_aarch32(v))
#define CORE_HAS_V3 core_has_v3(v)
#define MANDATORY_EVENT_MISSING mandatory_event_missing(v)
#define FEWER_COUNTERS fewer_counters(v)
#define OVERFLOW_WITHOUT_INTERRUPT overflow_without_interrupt(v)
#define CONFLICT_OF_CONTROLS conflict(v, false)
#define SELECTED_DIFFERS conflict(v, true)
#define HPMN_RESERVED hpmn_reserved(v)
#define AUTHENTICATION_FORBIDS authentication_forbids(v)
#define EVENT_NOT_IMPLEMENTED some_event(v, not_implemented)
#define EVENT_NOT_OF_CORE some_event(v, not_of_core)
#define EVENT_UNKNOWN some_event(v, unknown)
#define EMULATOR is_emulator(v)
#define POWER_LOST power_lost(v)
#define MT_WITHOUT_EFFECT mt_without_effect(v)
#define NSH_WITHOUT_EL2 nsh_without_el2(v)
#define THRESHOLD threshold(v)
#define EXTERNAL_CLOSED external_closed(v)
#define WRAPS_UNSEEN wraps_unseen(v)
#define DIVIDED (cycle_in_use(v) && v->w->traits[APMU_CYCLE].divided == APMU_YES)
#define CYCLE_SHORT (cycle_in_use(v) && v->w->traits[APMU_CYCLE].overflow_width == 32)
#define CHAIN_PAIR chain_pair(v)
#define BIASED biased(v)
#define TWO_CYCLE_COUNTS some_event(v, counts_cycles)
#define INTERRUPT_PENDING interrupt_pending(v)
#define ERRATUM some_event(v, erratum)
#define VHE_KERNEL_COUNTED vhe_kernel_counted(v)

static const struct why_cause causes[] = {
#define APMU_CAUSE(number, symptom, text, tell, check, cure, found) \
    {number, #symptom, text, tell, check, cure, #found},
#include <armpmu/tables/causes.def>
};

enum { CAUSES = sizeof causes / sizeof causes[0] };

const struct why_cause *why_cause_at(size_t i)
{
    return i < CAUSES ? &causes[i] : NULL;
}

bool why_cause_in_registers(const struct why_cause *cause)
{
    return strcmp(cause->found, "OUTSIDE") != 0;
}

static void gather(struct view *v)
{
    for (unsigned n = 0; v->arm11 == NULL && n < APMU_COUNTERS; n++) {
        for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
            if ((v->w->in_use >> n & 1) != 0 && (v->w->states >> s & 1) != 0) {
                *(n == APMU_CYCLE ? &v->cycle : &v->events) |= v->w->verdicts[n][s].always;
            }
        }
    }
    for (unsigned n = 0; v->arm11 != NULL && n < APMU_ARM11_COUNTERS; n++) {
        uint64_t always, maybe;

        why_arm11_ask(v->w->state, v->arm11, (enum apmu_arm11_counter)n, &always, &maybe);
        v->arm11_why |= always;
    }
    v->all = v->events | v->cycle;
}

uint64_t why_causes(const struct why *w, const struct state_arm11 *arm11)
{
    struct view view = {.w = w, .arm11 = arm11}, *v = &view;
    uint64_t set = 0, value;
    unsigned row = 0;

    gather(v);
#define APMU_CAUSE(number, symptom, text, tell, check, cure, found) set |= (uint64_t)(found) << row++;
#include <armpmu/tables/causes.def>
    (void)value;
    return set;
}
