/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on what sentences say: words_rules.def. */
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* What rows look at. */
struct words_view {
    const struct reading *r;
    bool says[CLUE_KINDS];
    bool user, privileged, bare, linux, linux_perf, guest, kvm, emulated, qemu, container, android, apple;
    bool m, v7_or_v8, arm11, aarch32, a9, secure, hypervisor_code, big_little, two_kinds;
    bool registers;           /* the code accesses PMU registers itself */
    bool registers_or_grants; /* the same, or a module grants it */
    bool still;               /* a counter stands at zero or at another value */
    bool bad;                 /* some symptom is seen */
    bool refused;
    bool instructions, idle_words, power, power_lost, cycles_meant, chain_setup, bare_question;
    uint64_t el;      /* 9: not known */
    int m_core;       /* the number of a Cortex-M; -1: none or not known */
    int paranoid;     /* -1: not known */
    enum reading_pmu pmu;
};

#define CLUE_OF(x) CLUE_words_##x
#define IS_CLUE 1000u

/* Returns true if the clue CLUE_words_@x is there. */
#define SAYS(x) (w->says[CLUE_OF(x)])
#define SEES(x) (w->r->sees[READING_##x])

/* ---------------------------------------------------------------------------------------------------------------
 * The view.
 */

static void view_machine(struct words_view *w)
{
    const struct reading_machine *m = &w->r->machine;
    const uint64_t place = reading_value(&m->place, READING_PLACE_UNKNOWN);
    const uint64_t hypervisor = reading_value(&m->hypervisor, READING_HYPERVISOR_UNKNOWN);

    w->pmu = (enum reading_pmu)reading_value(&m->pmu, READING_PMU_UNKNOWN);
    w->m = w->pmu == READING_PMU_M;
    w->arm11 = w->pmu == READING_PMU_ARM11;
    w->apple = w->pmu == READING_PMU_APPLE;
    w->v7_or_v8 = w->pmu == READING_PMU_V7 || w->pmu == READING_PMU_V8;
    w->aarch32 = w->pmu == READING_PMU_V7 || reading_value(&m->aarch32, 0) == 1;
    w->a9 = m->core != NULL && strcmp(m->core->name, "Cortex-A9") == 0;
    w->el = reading_value(&m->el, 9);
    w->bare = place == READING_PLACE_BARE;
    w->hypervisor_code = place == READING_PLACE_HYPERVISOR;
    w->secure = reading_value(&m->secure, 0) == 1 || place == READING_PLACE_SECURE || place == READING_PLACE_FIRMWARE;
    w->linux = m->linux_os.known;
    w->android = reading_value(&m->linux_os, 0) == 2;
    w->kvm = hypervisor == READING_HYPERVISOR_KVM;
    w->guest = reading_value(&m->guest, 0) == 1 || (hypervisor > READING_HYPERVISOR_NONE && !m->guest.known);
    w->qemu = reading_value(&m->emulator, 0) == READING_EMULATOR_QEMU || (SAYS(qemu) && !w->kvm);
    w->emulated = w->qemu || reading_value(&m->emulator, 0) > READING_EMULATOR_NONE;
    w->guest = w->guest && !w->emulated;
    w->container = reading_value(&m->container, 0) == 1;
    w->big_little = reading_value(&m->big_little, 0) == 1;
    w->two_kinds = w->big_little && SAYS(two_kinds);
    w->user = place == READING_PLACE_USER || (place == READING_PLACE_UNKNOWN && w->el == 9 && SAYS(user)) || w->el == 0;
    w->privileged = !w->user && (w->bare || SAYS(kernel) || w->el == 1 || w->el == 2 || w->hypervisor_code);
}

static void view_words(struct words_view *w)
{
    const struct clue *core = reading_find(w->r, CLUE_words_m_core);
    const struct clue *level = reading_find(w->r, CLUE_words_paranoid_level);

    w->m_core = core == NULL ? -1 : (int)core->values[0];
    w->paranoid = level == NULL ? -1 : (int)level->values[0] - 1;
    w->registers = SAYS(reads_register);
    w->registers_or_grants = w->registers || SAYS(grants);
    w->still = SEES(zero) || SEES(stuck);
    w->refused = SEES(refused);
    w->linux_perf = SAYS(perf) || SAYS(record);
    w->instructions = SAYS(event_8) || SAYS(reads_event);
    w->idle_words = SAYS(idle) && !SAYS(optimised);
    w->power = SAYS(suspend) && (SEES(sometimes) || SAYS(reset_values) || w->still || SEES(fault)) &&
               !SAYS(ratio_low) && !SEES(small);
    w->power_lost = SAYS(reset_values) && SAYS(suspend);
    w->cycles_meant = SAYS(cycle_counter) || SAYS(reads_cycle);
    w->chain_setup = SAYS(chain) && w->still;
    for (unsigned s = 0; s < READING_good; s++) {
        w->bad = w->bad || w->r->sees[s];
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The rows.
 */

/* Returns the line of @evidence, which is a symptom, or a clue + IS_CLUE. */
static uint32_t line_of(const struct words_view *w, unsigned evidence)
{
    const struct clue *c;

    if (evidence < IS_CLUE) {
        return w->r->symptoms[evidence];
    }
    c = reading_find(w->r, (enum clue_kind)(evidence - IS_CLUE));
    return c == NULL ? 0 : c->line;
}

/* What a row adds. */
struct words_row {
    enum why_cause_id cause;
    unsigned weight, evidence;
    const char *because, *cure;
};

/* Returns true if another rule is surer of another cause than sentences can be. */
static bool is_told_already(const struct suspects *all, enum why_cause_id cause)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].cause != cause && all->list[i].confidence >= SUSPECT_LIKELY) {
            return true;
        }
    }
    return false;
}

static void add_row(const struct words_view *w, struct suspects *all, const struct words_row *row, bool told)
{
    char quote[160], because[400];
    const uint32_t line = line_of(w, row->evidence);
    struct suspect *s = suspect_find(all, row->cause);

    if (s != NULL && s->confidence >= SUSPECT_LIKELY && told) {
        s->weight = s->weight + 20 > 100 ? 100 : s->weight + 20; /* the sentence agrees */
        return;
    }
    reading_quote(w->r, line, quote, sizeof quote);
    suspect_text(because, "%s: \"%s\"", row->because, line == 0 && w->r->said != NULL ? w->r->said : quote);
    s = suspect_add(all, row->cause, told || row->weight < 60 ? SUSPECT_POSSIBLE : SUSPECT_LIKELY, line, because,
                    row->cure);
    if (s != &all->unused && s->line == line) {
        s->weight = row->weight;
    } else if (s == &all->unused) {
        s = suspect_find(all, row->cause);
        if (s != NULL && s->weight < row->weight && s->confidence == SUSPECT_LIKELY && !told) {
            *s = (struct suspect){.cause = row->cause, .confidence = SUSPECT_LIKELY, .weight = row->weight,
                .line = line};
            snprintf(s->because, sizeof s->because, "%s", because);
            snprintf(s->cure, sizeof s->cure, "%s", row->cure != NULL ? row->cure : why_causes[row->cause].cure);
        }
    }
}

#define WORDS_CLUE(x) (IS_CLUE + CLUE_OF(x))

/* Adds the causes of all rows whose condition holds. */
static void add_rows(const struct words_view *w, struct suspects *all)
{
    static const struct words_row rows[] = {
#define WORDS_RULE(cause, weight, evidence, condition, because, cure) \
    {WHY_##cause, weight, (unsigned)(evidence), because, cure},
#include "words_rules.def"
#undef WORDS_RULE
    };
    const bool holds[] = {
#define WORDS_RULE(cause, weight, evidence, condition, because, cure) (condition),
#include "words_rules.def"
#undef WORDS_RULE
    };
    bool told[WHY_CAUSE_IDS];

    for (unsigned c = 0; c < WHY_CAUSE_IDS; c++) {
        told[c] = is_told_already(all, (enum why_cause_id)c);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (holds[i]) {
            add_row(w, all, &rows[i], told[rows[i].cause]);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Nothing wrong, and questions.
 */

/* Says that nothing is wrong where the writer's numbers are right, or all that he says is that it works. */
static void find_fine(const struct words_view *w, struct suspects *all)
{
    if (all->count != 0) {
        return;
    }
    if (!w->bad && (SAYS(ratio_1) || SEES(good) || (SEES(question) && SAYS(values_all_right)))) {
        all->fine = true;
    }
}

static void ask(const struct words_view *w, struct suspects *all)
{
    if (w->m) {
        suspect_ask(all, 40, "DEMCR (0xE000EDFC), DWT_CTRL (0xE0001000) and DWT_LSR (0xE0001FB4), read without a "
                             "debugger, or the code that sets the DWT up");
    } else if (SEES(fault)) {
        suspect_ask(all, 40, "the instruction that faults (its opcode, or x/i $pc in GDB), the Exception level it runs "
                             "at, and ESR or the kernel's message in dmesg");
    } else if (SEES(absent) || w->linux_perf) {
        suspect_ask(all, 40,
            "dmesg | grep -i -e perfevents -e pmu, ls /sys/bus/event_source/devices, and the output of "
                             "perf stat -e cycles:u true");
    } else if (SEES(no_interrupt) || SEES(storm)) {
        suspect_ask(all, 40,
            "PMOVSSET_EL0, PMINTENSET_EL1, PMCNTENSET_EL0 and PMCR_EL0 after the overflow, and the code of "
                             "the handler");
    } else if (SEES(zero) || SEES(stuck) || SEES(small) || SEES(large) || w->bad) {
        suspect_ask(all, 40, "PMCR_EL0, PMCNTENSET_EL0 and PMCCFILTR_EL0 or PMEVTYPER<n>_EL0, read back where the code "
                             "runs, with its Exception level; or the code that sets the registers up");
    }
}

void rules_words(const struct rules_input *in, struct suspects *all)
{
    struct words_view *w = cli_allocate(NULL, 1, sizeof *w);

    memset(w, 0, sizeof *w);
    w->r = in->r;
    for (size_t i = 0; i < in->r->clue_count; i++) {
        w->says[in->r->clues[i].kind] = true;
    }
    view_machine(w);
    view_words(w);
    add_rows(w, all);
    find_fine(w, all);
    ask(w, all);
    free(w);
}
