/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds what hangs together with the suspects: related.def. */
#include <stdlib.h>
#include <string.h>

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
};

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

    if (suspect_find(all, row->other) != NULL || suspect_is_cleared(all, row->other)) {
        return;
    }
    s = suspect_add(all, row->other, SUSPECT_POSSIBLE, 0, row->reason, NULL);
    s->weight = 0;
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && all->count < most; i++) {
        if (holds[i] && rows[i].cause == all->list[0].cause &&
            (rows[i].behind || all->list[0].confidence != SUSPECT_CERTAIN)) {
            add_alternate(all, &rows[i]);
        }
    }
    free(v);
}
