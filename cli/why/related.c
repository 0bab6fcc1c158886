/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds what hangs together with suspects: related.def; what is like them: alike.def; what is denied: denied.def. */
#include <stdlib.h>
#include <string.h>

#include "../read/code/code.h"
#include "rules.h"

/* What rows look at. */
struct related_view {
    const struct reading *r;
    bool says[CLUE_KINDS];
    enum reading_kind kind;
    bool linux_os, user, guest, hypervisor, hypervisor_code, qemu, big_little, v7;
    bool grants;      /* something lets EL0 access the PMU */
    bool hotplug;     /* CPUs are off at times */
    bool level_known; /* perf_event_paranoid is known */
    bool audit;       /* SELinux is named */
    bool typed_event; /* events have a type: perf_event_open() is called */
    int64_t level;    /* of perf_event_paranoid; NO_LEVEL: not known */
    bool at_el1, at_el2, kernel, secure, m, m0, container;
    bool perf;        /* perf counts */
    bool direct;      /* a program reads the registers itself */
    bool timer_only;  /* the code reads the generic timer, and accesses no register of a PMU */
    bool opens_disabled, opens_many, group; /* events of the code, by perf_event_open() */
    bool threads;     /* there are several, or they migrate */
    bool pinned;      /* the thread stays on one CPU */
    bool all_cpus;    /* the code runs on each CPU */
    bool instructions, cycles, events; /* what is counted */
    bool vhe;         /* the kernel is at EL2 */
    bool isb;         /* there are ISBs */
    bool nsh;         /* NSH is 1, or spoken of */
    bool lc;          /* PMCR.LC is 1 */
    bool filters;     /* filters exclude the kernel or programs */
    bool halted;      /* a debugger halts the core */
    bool high_counter; /* a counter is named that cores may lack */
};

#define SHOWS(symptom) (1u << WHY_SYMPTOM_##symptom)
#define NO_LEVEL       (-2)

/* SAYS(words_vm) is true if the clue CLUE_words_vm is there. */
#define SAYS(x) (v->says[CLUE_##x])
#define SEES(x) (v->r->sees[READING_##x])

/* ---------------------------------------------------------------------------------------------------------------
 * Consequences.
 */

static const struct consequence {
    enum why_cause_id cause, effect;
    bool holds; /* false: the effect only seems to hold */
} consequences[] = {
#define CONSEQUENCE(cause, effect, reason) {WHY_##cause, WHY_##effect, true},
#define EXPLAINED(cause, other, reason) {WHY_##cause, WHY_##other, false},
#include "related.def"
};

/* Each pair has one row: a second one would be an enumerator of the same name. */
enum {
#define CONSEQUENCE(cause, effect, reason) PAIR_##cause##_AND_##effect,
#define EXPLAINED(cause, other, reason) PAIR_##cause##_AND_##other,
#include "related.def"
};

bool related_is_effect(enum why_cause_id effect, enum why_cause_id cause)
{
    for (size_t i = 0; i < sizeof consequences / sizeof consequences[0]; i++) {
        if (consequences[i].cause == cause && consequences[i].effect == effect) {
            return true;
        }
    }
    return false;
}

/* Returns true if @a is as sure as @b and comes before it. */
static bool is_heavier(const struct suspect *a, const struct suspect *b)
{
    return a->confidence == b->confidence && a->weight > b->weight;
}

void related_follow(struct suspects *all, const struct suspect *cause, enum suspect_confidence at_most)
{
    for (size_t i = 0; i < sizeof consequences / sizeof consequences[0]; i++) {
        const struct consequence *row = &consequences[i];
        const struct suspect *effect = row->cause == cause->cause ? suspect_find(all, row->effect) : NULL;

        if (effect != NULL && effect->confidence <= at_most &&
            (row->holds || at_most > cause->confidence || !is_heavier(effect, cause))) {
            (row->holds ? suspect_follow : suspect_clear)(all, row->effect);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Alternates.
 */

/* Returns the symptoms of causes.def for what the writer sees: a set of SHOWS(symptom). */
static unsigned symptoms_of(const struct reading *r)
{
    static const struct {
        enum reading_symptom seen;
        unsigned shows;
    } rows[] = {
        {READING_zero, SHOWS(zero)},
        {READING_stuck, SHOWS(zero)},
        {READING_fault, SHOWS(fault)},
        {READING_absent, SHOWS(absent)},
        {READING_refused, SHOWS(absent)},
        {READING_few_counters, SHOWS(few)},
        {READING_few_events, SHOWS(few)},
        {READING_no_interrupt, SHOWS(interrupt)},
        {READING_storm, SHOWS(interrupt)},
        {READING_small, SHOWS(small)},
        {READING_large, SHOWS(large)},
        {READING_noisy, SHOWS(large)},
        {READING_wraps, SHOWS(wraps)},
        {READING_differs, SHOWS(small) | SHOWS(large)},
    };
    unsigned shows = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        shows |= r->sees[rows[i].seen] ? rows[i].shows : 0;
    }
    return shows;
}

/* Looks at the code: what it opens by perf_event_open(), and how it names registers. */
static void view_code(struct related_view *v, const struct code *code)
{
    const struct code_perf *perf = code->perf;

    if (perf != NULL) {
        v->opens_many = perf->events > 5 || perf->opens > 5 || perf->loop;
        v->opens_disabled = perf->fields[CODE_PERF_DISABLED].nonzero;
        v->group |= perf->fields[CODE_PERF_GROUP].line != 0 && !perf->fields[CODE_PERF_GROUP].zero;
    }
    bool timer = false, pmu = false;

    v->threads |= code->facts[CODE_HAS_THREADS] != 0;
    v->pinned |= code->facts[CODE_HAS_AFFINITY] != 0;
    v->all_cpus |= code->facts[CODE_HAS_EACH_CPU] != 0;
    for (size_t i = 0; i < code->step_count; i++) {
        const struct code_step *s = &code->steps[i];

        v->isb |= s->act == CODE_ISB;
        timer |= code_is_timer(s->reg);
        pmu |= code_is_pmu(s->reg) || s->reg == CODE_UNKNOWN;
        v->filters |= s->act == CODE_WRITE && (s->reg == CODE_PMEVTYPER || s->reg == CODE_PMCCFILTR) &&
                      (s->value.known & s->value.bits & 0xC0000000) != 0;
    }
    v->timer_only = timer && !pmu;
}

/* Returns true if the filter of a counter has NSH = 1. */
static bool counts_el2(const struct state *s)
{
    bool counts = (state_cell(s, APMU_REG_PMCCFILTR_EL0, 0)->last & APMU_MASK(PMCCFILTR_EL0, NSH)) != 0;

    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        counts |= (state_cell(s, APMU_REG_PMEVTYPER_EL0, n)->last & APMU_MASK(PMEVTYPER_EL0, NSH)) != 0;
    }
    return counts;
}

/* Looks at what is counted, by whom, and at what level. */
static void view_use(struct related_view *v, const struct reading *r)
{
    const struct reading_machine *m = &r->machine;
    const uint64_t place = reading_value(&m->place, READING_PLACE_UNKNOWN), el = reading_value(&m->el, 9);
    const struct clue *level = reading_find(r, CLUE_linux_paranoid), *told = reading_find(r, CLUE_words_paranoid_level);
    const struct clue *core = reading_find(r, CLUE_words_m_core);
    uint64_t lc;

    v->level = told != NULL ? (int64_t)told->values[0] - 1 : level != NULL ? (int64_t)level->values[0] : NO_LEVEL;
    v->at_el2 = v->hypervisor_code || (el == 2 && !v->linux_os);
    v->at_el1 = el == 1 || (el == 9 && (place == READING_PLACE_KERNEL || place == READING_PLACE_BARE));
    v->kernel = place == READING_PLACE_KERNEL || SAYS(linux_module_set_up);
    v->secure = reading_value(&m->secure, 0) == 1 || place == READING_PLACE_SECURE ||
                place == READING_PLACE_FIRMWARE || el == 3;
    v->m = reading_value(&m->pmu, READING_PMU_UNKNOWN) == READING_PMU_M;
    v->m0 = core != NULL && core->values[0] <= 1;
    v->container = reading_value(&m->container, 0) == 1;
    v->perf = SAYS(words_own_attr) || SAYS(linux_opened) || SAYS(linux_statistics) ||
              SAYS(linux_counted) || (r->code != NULL && r->code->perf != NULL);
    v->direct = SAYS(words_reads_register) && (v->user || v->grants);
    v->group = SAYS(words_group) && v->perf;
    v->vhe = SAYS(words_vhe) || SAYS(linux_vhe);
    v->lc = SAYS(words_lc_set) || (STATE_FIELD(&r->states[0], PMCR_EL0, 0, LC, &lc) && lc == 1);
    v->nsh = SAYS(words_nsh) || counts_el2(&r->states[0]);
    v->isb = r->code == NULL && SAYS(words_isb);
    v->threads = SAYS(words_threads_left_out) || SAYS(words_migrates);
    v->pinned = SAYS(words_pinned) || SAYS(words_pinned_works) || SAYS(linux_cpus_allowed);
    v->instructions = SAYS(words_instructions) || SAYS(words_event_8);
    v->cycles = SAYS(words_cycle_counter) || SAYS(words_reads_cycle);
    v->events = SAYS(words_event) || SAYS(words_event_number) || SAYS(words_named_event);
    v->halted = SAYS(words_halted) || SAYS(exception_debugger);
    v->high_counter = SAYS(words_high_counter) || SAYS(words_counter_number);
    if (r->code != NULL) {
        view_code(v, r->code);
    }
}

static void view(struct related_view *v, const struct reading *r)
{
    const struct reading_machine *m = &r->machine;
    const uint64_t place = reading_value(&m->place, READING_PLACE_UNKNOWN);

    memset(v, 0, sizeof *v);
    v->r = r;
    v->kind = reading_kind(r);
    for (size_t i = 0; i < r->clue_count; i++) {
        v->says[r->clues[i].kind] = true;
    }
    v->linux_os = m->linux_os.known;
    v->user = place == READING_PLACE_USER || reading_value(&m->el, 9) == 0;
    v->hypervisor_code = place == READING_PLACE_HYPERVISOR || reading_value(&m->el, 9) == 2;
    v->guest = reading_value(&m->guest, 0) == 1;
    v->hypervisor = v->guest || reading_value(&m->hypervisor, READING_HYPERVISOR_NONE) > READING_HYPERVISOR_NONE;
    v->qemu = reading_value(&m->emulator, 0) == READING_EMULATOR_QEMU || SAYS(words_qemu);
    v->big_little = reading_value(&m->big_little, 0) == 1 || SAYS(words_two_cores) || SAYS(words_two_kinds);
    v->v7 = reading_value(&m->pmu, READING_PMU_UNKNOWN) == READING_PMU_V7;
    v->grants = SAYS(words_grants) || SAYS(linux_module_set_up) || SAYS(linux_user_enable);
    v->hotplug = SAYS(linux_hotplug) || SAYS(linux_resume) || SAYS(words_suspend);
    v->level_known = SAYS(linux_paranoid) || SAYS(words_paranoid_level);
    v->audit = SAYS(linux_selinux) || SAYS(words_selinux);
    v->typed_event = SAYS(linux_opened) || SAYS(words_own_attr) || SAYS(words_pmu_type) || v->kind == READING_CODE;
    view_use(v, r);
}

/* Returns true if the signs of @cause are those of @other, which is not the case then. */
static bool explains(enum why_cause_id cause, enum why_cause_id other)
{
    for (size_t i = 0; i < sizeof consequences / sizeof consequences[0]; i++) {
        const struct consequence *row = &consequences[i];

        if (row->cause == cause && row->effect == other && !row->holds) {
            return true;
        }
    }
    return false;
}

/* A row of related.def: beside @cause, @other is possible for @reason. */
struct alternate {
    enum why_cause_id cause, other;
    bool behind; /* a ROOT row: also beside a proof */
    const char *reason;
};

static void add_alternate(struct suspects *all, const struct alternate *row)
{
    struct suspect *s;

    if (suspect_find(all, row->other) != NULL || suspect_is_cleared(all, row->other) ||
        (all->count != 0 && explains(all->list[0].cause, row->other))) {
        return;
    }
    s = suspect_add(all, row->other, SUSPECT_POSSIBLE, 0, row->reason, NULL);
    s->weight = 0;
}

/* A row of alike.def. */
struct alike {
    enum why_cause_id cause;
    unsigned symptoms, weight;
    const char *reason;
};

#define ZERO      SHOWS(zero)
#define FAULT     SHOWS(fault)
#define ABSENT    SHOWS(absent)
#define FEW       SHOWS(few)
#define INTERRUPT SHOWS(interrupt)
#define SMALL     SHOWS(small)
#define LARGE     SHOWS(large)
#define WRAPS     SHOWS(wraps)
#define ANY       (~0u)

/* Adds the causes of alike.def that the input has evidence of, the weightiest first, until there are @most in all. */
static void add_alike(struct suspects *all, struct related_view *v, size_t most)
{
    static const struct alike rows[] = {
#define ALIKE(symptoms, cause, weight, condition, reason) {WHY_##cause, symptoms, weight, reason},
#include "alike.def"
    };
    const bool holds[] = {
#define ALIKE(symptoms, cause, weight, condition, reason) (condition),
#include "alike.def"
    };
    unsigned shows = symptoms_of(v->r);

    if (all->count != 0 && shows != 0) {
        shows |= 1u << why_causes[all->list[0].cause].symptom;
    }
    for (unsigned weight = 9; weight > 0; weight--) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0] && all->count < most; i++) {
            const struct alternate row = {.other = rows[i].cause, .reason = rows[i].reason};

            if (rows[i].weight == weight && holds[i] && (shows == 0 || (shows & rows[i].symptoms) != 0)) {
                add_alternate(all, &row);
            }
        }
    }
}

void related_alternates(struct suspects *all, const struct reading *r, size_t most)
{
    struct related_view *const v = cli_allocate(NULL, 1, sizeof *v);
    static const struct alternate rows[] = {
#define ROOT(cause, other, condition, reason) {WHY_##cause, WHY_##other, true, reason},
#define MISTAKEN(cause, other, condition, reason) {WHY_##cause, WHY_##other, false, reason},
#include "related.def"
    };

    view(v, r);
    const bool holds[] = {
#define ROOT(cause, other, condition, reason) (condition),
#define MISTAKEN(cause, other, condition, reason) (condition),
#include "related.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && all->count != 0 && all->count < most; i++) {
        if (holds[i] && rows[i].cause == all->list[0].cause &&
            (rows[i].behind || all->list[0].confidence == SUSPECT_POSSIBLE)) {
            add_alternate(all, &rows[i]);
        }
    }
    if (all->count != 0 && all->list[0].confidence == SUSPECT_POSSIBLE) {
        add_alike(all, v, most);
    }
    free(v);
}

/* ---------------------------------------------------------------------------------------------------------------
 * What the input rules out.
 */

void related_deny(struct suspects *all, const struct reading *r)
{
    struct related_view *const v = cli_allocate(NULL, 1, sizeof *v);
    static const enum why_cause_id causes[] = {
#define DENIED(cause, condition, reason) WHY_##cause,
#include "denied.def"
    };

    view(v, r);
    const bool holds[] = {
#define DENIED(cause, condition, reason) (condition),
#include "denied.def"
    };
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        const struct suspect *s = holds[i] ? suspect_find(all, causes[i]) : NULL;

        if (holds[i] && (s == NULL || s->confidence == SUSPECT_POSSIBLE || s->spoken)) {
            suspect_clear(all, causes[i]);
        }
    }
    free(v);
}
