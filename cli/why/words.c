/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on what sentences say: words.def. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../read/code/code.h"
#include "rules.h"

/* What rows look at. */
struct words_view {
    const struct reading *r;
    bool says[CLUE_KINDS];
    bool user, privileged, bare, linux, linux_perf, guest, kvm, emulated, qemu, container, android, apple;
    bool m, v7_or_v8, arm11, aarch32, a9, a53, secure, hypervisor_code, big_little, two_kinds;
    bool registers;           /* the code accesses PMU registers itself */
    bool registers_or_grants; /* the same, or a module grants it */
    bool still;               /* a counter stands at zero or at another value */
    bool bad;                 /* some symptom is seen */
    bool words_only;          /* the input is sentences, whatever other readers found in them */
    bool refused;
    bool task_sleeps; /* perf counts a task that sleeps, and the task only */
    bool all_counters; /* there are as many as the core has */
    bool instructions, idle_words, power, power_lost, cycles_meant, chain_setup, bare_question;
    uint64_t el;      /* 9: not known */
    int m_core;       /* the number of a Cortex-M; -1: none or not known */
    int paranoid;     /* NO_LEVEL: not known */
    int userenr;        /* the value of PMUSERENR that the text gives; -1: none */
    bool wrap_handled;  /* the code deals with a wrap, and nobody sees that it does not */
    bool divider_wanted; /* the writer divides the cycles by 64 on purpose, and nothing is too small for him */
    bool negative_word; /* a negative number of 32 bits */
    bool int_results;   /* Python's ctypes takes the result of a function for an int */
    bool flags_alone;   /* -O2 is said of the compiler, and nothing of how the counter is read */
    bool l2_last;       /* the core has events of its L2, and none of a cache behind it */
    bool machine_named; /* the core or the board */
    bool guest_counts; /* a hardware event counts in the guest, and not in an instance that is bare metal */
    bool one_thread;   /* the program has a single thread */
    bool reads_dfr0;   /* an instruction reads ID_AA64DFR0_EL1 */
    bool secure_gap;   /* the time of a call into Secure state is missing from the cycles, and a timer sees it */
    bool dwt_stopped;  /* the value of DWT_CTRL is given: there is a CYCCNT, and CYCCNTENA is 0 */
    bool trace_off;    /* the value of DEMCR is given, and TRCENA is 0 */
    bool el2_stops;    /* the value of MDCR_EL2 is given, and HPMD or HCCD is 1 */
    bool at_el2;       /* the code that counts is at EL2, or a hypervisor's */
    bool filter_p;     /* a filter is given that leaves Non-secure EL1 out: P differs from NSK */
    bool filter_u;     /* the same for EL0: U differs from NSU */
    bool nsh_set;      /* a filter is given, or spoken of, that has NSH = 1 */
    bool fzo;          /* PMCR_EL0.FZO is 1 */
    bool high_counter; /* a counter is named that the core lacks, or that many lack */
    enum reading_pmu pmu;
};

#define CLUE_OF(x) CLUE_words_##x
#define CLOSE    4u /* a row whose weight is less by more than this is left out */
#define IS_CLUE  1000u
#define NO_LEVEL (-2)

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
    w->m = w->pmu == READING_PMU_M && !(SAYS(external) && rules_read_other_core(w->r->text.joined));
    w->arm11 = w->pmu == READING_PMU_ARM11;
    w->apple = w->pmu == READING_PMU_APPLE;
    w->v7_or_v8 = w->pmu == READING_PMU_V7 || w->pmu == READING_PMU_V8;
    w->aarch32 = w->pmu == READING_PMU_V7 || reading_value(&m->aarch32, 0) == 1;
    w->a9 = m->core != NULL && strcmp(m->core->name, "Cortex-A9") == 0;
    w->a53 = m->core != NULL && strcmp(m->core->name, "Cortex-A53") == 0;
    w->el = reading_value(&m->el, 9);
    w->machine_named = m->core != NULL || m->board[0] != '\0';
    w->bare = place == READING_PLACE_BARE;
    w->hypervisor_code = place == READING_PLACE_HYPERVISOR;
    w->secure = reading_value(&m->secure, 0) == 1 || place == READING_PLACE_SECURE || place == READING_PLACE_FIRMWARE ||
                w->el == 3;
    w->linux = m->linux_os.known;
    w->android = reading_value(&m->linux_os, 0) == 2;
    w->kvm = hypervisor == READING_HYPERVISOR_KVM;
    w->guest = reading_value(&m->guest, 0) == 1 || (hypervisor > READING_HYPERVISOR_NONE && !m->guest.known);
    w->qemu = reading_value(&m->emulator, 0) == READING_EMULATOR_QEMU || (SAYS(qemu) && !w->kvm);
    w->emulated = w->qemu || reading_value(&m->emulator, 0) > READING_EMULATOR_NONE;
    w->guest = w->guest && !w->emulated && !w->hypervisor_code && !SAYS(machine_unknown);
    w->container = reading_value(&m->container, 0) == 1 && !SAYS(no_container);
    w->big_little = reading_value(&m->big_little, 0) == 1 || SAYS(two_cores);
    w->two_kinds = w->big_little && (SAYS(two_kinds) || SAYS(two_cores));
    w->user = place == READING_PLACE_USER || (place == READING_PLACE_UNKNOWN && w->el == 9 && SAYS(user)) || w->el == 0;
    w->user = w->user || (place == READING_PLACE_UNKNOWN && w->el == 9 && w->linux && !SAYS(kernel));
    w->user = w->user || reading_find(w->r, CLUE_exception_signal) != NULL ||
        reading_find(w->r, CLUE_linux_sigill) != NULL;
    w->privileged = !w->user && (w->bare || SAYS(kernel) || w->el == 1 || w->el == 2 || w->hypervisor_code);
}

/* Returns true if a rule cleared whatever it did not find itself. */
static bool is_blanket(const struct suspects *all)
{
    unsigned count = 0;

    for (unsigned c = 0; c < WHY_CAUSE_IDS; c++) {
        count += suspect_is_cleared(all, (enum why_cause_id)c);
    }
    return count > WHY_CAUSE_IDS / 2;
}

/* Returns true if the time of a call into Secure state is missing from the cycle counter alone. */
static bool misses_secure_time(const struct words_view *w)
{
    const char *text = w->r->text.joined;
    const bool named = strcasestr(text, "ccnt") != NULL || strcasestr(text, "pmu") != NULL;
    const bool less = SEES(small) || w->still || SAYS(contrast) || SEES(differs);

    if (!w->words_only || w->m || !w->cycles_meant || SEES(fault) || SEES(large) || SEES(wraps) || SAYS(sccd_zero) ||
        SAYS(ratio_64) || SAYS(events_zero) || SAYS(idle) || SAYS(ratio_1) || SAYS(few_beside_cycles)) {
        return false;
    }
    return SAYS(cycles_missing) ? SAYS(smc) || SAYS(secure) : SAYS(smc) && SAYS(timer) && named && less;
}

/* Notes what the values of DEMCR and DWT_CTRL in sentences tell. */
static void view_dwt(struct words_view *w)
{
    const struct clue *demcr = reading_find(w->r, CLUE_words_demcr), *ctrl = reading_find(w->r, CLUE_words_dwt_ctrl);

    if (demcr != NULL) {
        w->says[CLUE_words_trcena_set] = (demcr->values[0] >> 24 & 1) != 0;
        w->trace_off = !SAYS(trcena_set);
    }
    if (ctrl != NULL && !w->trace_off) {
        w->says[CLUE_words_cyccnt_absent] = (ctrl->values[0] >> 25 & 1) != 0;
        w->says[CLUE_words_cyccntena_set] |= (ctrl->values[0] & 1) != 0;
        w->says[CLUE_words_write_ignored] |= ctrl->values[1] != 0 && (ctrl->values[0] & 1) == 0;
        w->dwt_stopped = !SAYS(cyccnt_absent) && (ctrl->values[0] & 1) == 0 && !SAYS(cyccntena_set) && !SAYS(lar) &&
                         !SAYS(write_ignored) && SAYS(trcena_set);
    }
}

/* Looks at the values of filters, of PMCR and of MDCR_EL2 that the text gives. */
static void view_values(struct words_view *w)
{
    const struct state *s = &w->r->states[0];

    for (unsigned n = 0; n <= APMU_CYCLE; n++) {
        const struct state_cell *cell = n == APMU_CYCLE ? state_cell(s, APMU_REG_PMCCFILTR_EL0, 0)
                                                        : state_cell(s, APMU_REG_PMEVTYPER_EL0, n);
        const uint64_t bits = cell->known == 0 ? 0 : cell->last;

        w->filter_p |= ((bits >> 31 ^ bits >> 29) & 1) != 0;
        w->filter_u |= ((bits >> 30 ^ bits >> 28) & 1) != 0;
        w->nsh_set |= (bits & APMU_MASK(PMEVTYPER_EL0, NSH)) != 0;
    }
    w->nsh_set |= SAYS(nsh_set);
    w->el2_stops = (state_cell(s, APMU_REG_MDCR_EL2, 0)->last &
                    (APMU_MASK(MDCR_EL2, HPMD) | APMU_MASK(MDCR_EL2, HCCD))) != 0;
    w->fzo = (state_cell(s, APMU_REG_PMCR_EL0, 0)->last & APMU_MASK(PMCR_EL0, FZO)) != 0;
    w->at_el2 = w->el == 2 || w->hypervisor_code || SAYS(el2_code);
}

/* Puts together what the clues and symptoms tell. */
static void view_words(struct words_view *w)
{
    const struct clue *core = reading_find(w->r, CLUE_words_m_core);
    const struct clue *level = reading_find(w->r, CLUE_words_paranoid_level);
    const struct clue *counter = reading_find(w->r, CLUE_words_high_counter);
    const struct apmu_core_info *info = w->r->machine.core;
    const bool all = !SAYS(hpmn) && !SAYS(el2) && !w->guest; /* nobody keeps counters back */
    const uint64_t lacks = info != NULL && info->counters <= 31 && all ? info->counters : 4;
    const struct reading_number *demcr = &w->r->extras[READING_DEMCR];
    const struct clue *negative = reading_find(w->r, CLUE_words_negative);
    const struct clue *userenr = reading_find(w->r, CLUE_linux_user_enable);
    const struct clue *instruction = reading_find(w->r, CLUE_exception_instruction);

    w->says[CLUE_words_trcena_set] |= demcr->known && (demcr->value >> 24 & 1) != 0;
    w->m_core = core == NULL ? -1 : (int)core->values[0];
    w->paranoid = level == NULL ? NO_LEVEL : (int)level->values[0] - 1;
    w->userenr = userenr == NULL ? -1 : (int)(userenr->values[0] & 31);
    w->one_thread = SAYS(single_thread) && !rules_name_threads(w->r->text.joined);
    w->reads_dfr0 = instruction != NULL && strcasestr(instruction->words, "ID_AA64DFR0") != NULL;
    w->l2_last = info != NULL && apmu_core_lists_event(info, 0x17) && !apmu_core_lists_event(info, 0x36) &&
                 !apmu_core_lists_event(info, 0x2B);
    w->negative_word = negative != NULL && negative->values[0] == 1;
    w->flags_alone = SAYS(flags_listed) && strcasestr(w->r->text.joined, "asm") == NULL &&
                     strcasestr(w->r->text.joined, "mrs") == NULL && strcasestr(w->r->text.joined, "mrc") == NULL;
    w->high_counter = SAYS(counter_number) || (counter != NULL && counter->values[0] >= lacks);
    w->words_only = rules_are_words_only(&w->r->text);
    w->guest_counts = SAYS(hardware_counts) && strcasestr(w->r->text.joined, ".metal") == NULL;
    w->int_results = rules_have_int_results(w->r->text.joined);
    w->registers = SAYS(reads_register);
    view_values(w);
    w->registers_or_grants = w->registers || SAYS(grants);
    /* A count that wraps at 2^32 shows a zero, too, and does not stand still. */
    w->still = SEES(stuck) || (SEES(zero) && (SAYS(stays_zero) || !(SEES(wraps) && SAYS(2_32))));
    w->refused = SEES(refused);
    w->linux_perf = SAYS(perf) || SAYS(record);
    w->instructions = SAYS(event_8) || SAYS(instructions);
    w->idle_words = SAYS(idle) && !SAYS(optimised);
    const bool off = reading_find(w->r, CLUE_linux_hotplug) != NULL && (SEES(zero) || SEES(one_cpu));
    const bool halts = SAYS(halted) && SEES(stuck) && !SAYS(reset_values); /* "resume" is the debugger's */

    w->power = (SAYS(suspend) || off) && !halts && (SEES(sometimes) || SAYS(reset_values) || w->still || SEES(fault)) &&
               !SAYS(ratio_low) && !SEES(small) && !(SAYS(unprivileged) && SEES(fault) && w->bare);
    w->power_lost = SAYS(reset_values) && SAYS(suspend);
    w->task_sleeps = w->words_only && SAYS(task_sleeps) && !SAYS(system_wide);
    w->cycles_meant = SAYS(cycle_counter) || SAYS(reads_cycle);
    w->divider_wanted = SAYS(divider_wanted) && !SEES(small) && !SAYS(wonders);
    w->secure_gap = misses_secure_time(w);
    w->chain_setup = SAYS(chain) && w->still;
    const bool modulo = SAYS(unsigned_difference) && SEES(good) && (w->m || w->pmu == READING_PMU_V7);

    w->wrap_handled = (SAYS(shorter_than_wrap) || SAYS(wrap_handled) || SAYS(wraps_added) || modulo) &&
        !w->negative_word && !SAYS(negative) && !SAYS(wrapped) && !SAYS(time_wraps) && !SEES(sometimes) &&
        !SEES(small) && !SEES(large) && !SEES(differs) &&
        !w->still && !SEES(fault);
    for (unsigned s = 0; s < READING_good; s++) {
        w->bad = w->bad || (w->r->sees[s] && !(s == READING_few_counters && w->all_counters));
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

/* Puts what follows from the causes that the words show with some weight behind them, however sure it is. */
static void follow_words(const struct words_view *w, struct suspects *all)
{
    for (size_t i = 0; w->words_only && i < all->count; i++) {
        if (all->list[i].confidence >= SUSPECT_LIKELY && all->list[i].weight >= 85) {
            related_follow(all, &all->list[i], SUSPECT_CERTAIN);
        }
    }
}

/* Returns the weight that a row needs so that it tells more than what other rules are sure of; 1000: none does. */
static unsigned weight_to_beat(const struct words_view *w, const struct suspects *all, enum why_cause_id cause)
{
    const enum reading_kind kind = w->words_only ? READING_WORDS : reading_kind(w->r);
    unsigned weight = 0;

    for (size_t i = 0; i < all->count; i++) {
        const struct suspect *s = &all->list[i];

        if (s->cause != cause && s->confidence >= SUSPECT_LIKELY &&
            !(w->words_only && related_is_effect(s->cause, cause))) {
            weight = s->confidence == SUSPECT_CERTAIN || (kind != READING_WORDS && kind != READING_EXCEPTION) ? 1000
                     : s->weight > weight                                                                  ? s->weight
                                                                                                           : weight;
        }
    }
    return weight;
}

static void add_row(const struct words_view *w, struct suspects *all, const struct words_row *row, bool told)
{
    char quote[160], because[400];
    const uint32_t line = line_of(w, row->evidence);
    struct suspect *s = suspect_find(all, row->cause);

    if (s != NULL && s->confidence >= SUSPECT_LIKELY) {
        s->weight = s->weight + 20 > 100 ? 100 : s->weight + 20; /* the sentence agrees */
        return;
    }
    reading_quote(w->r, line, quote, sizeof quote);
    if (line != 0 || w->r->said != NULL) {
        suspect_text(because, "%s: \"%s\"", row->because, line == 0 ? w->r->said : quote);
    } else {
        suspect_text(because, "%s", row->because);
    }
    s = suspect_add(all, row->cause, told || row->weight < 60 ? SUSPECT_POSSIBLE : SUSPECT_LIKELY, line, because,
                    row->cure);
    if (s != &all->unused) {
        s->weight = row->weight;
        s->spoken = true;
    }
}

/* Clears what a program at EL0 meets by default, where the sentence names what else keeps it out. */
static void clear_defaults(const struct words_row *row, struct suspects *all)
{
    static const enum why_cause_id special[] = {
        WHY_enabled_on_one_cpu_only, WHY_perf_takes_el0_access_away, WHY_guest_cleared_pmuserenr,
        WHY_el0_write_not_allowed,   WHY_power_lost_reset_values,    WHY_apple_not_pmuv3,
    };

    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        if (row->cause == special[i]) {
            suspect_clear(all, WHY_el0_access_off);
            suspect_clear(all, WHY_el0_access_off_aarch32);
            suspect_clear(all, WHY_perf_user_access_0);
        }
    }
}

#define WORDS_CLUE(x) (IS_CLUE + CLUE_OF(x))

/* Makes what other rules found in sentences merely possible, where a row of weight @best tells more. */
static void weaken_others(struct suspects *all, unsigned best)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].confidence == SUSPECT_LIKELY && all->list[i].weight + 10 < best) {
            all->list[i].confidence = SUSPECT_POSSIBLE;
        }
    }
}

/* Returns true if @cause is one of a count that wraps at 32 bits. */
static bool is_of_wraps(enum why_cause_id cause)
{
    return cause == WHY_wraps_at_32_bits || cause == WHY_count_truncated_to_32_bits ||
           cause == WHY_cycle_overflow_at_32_bits;
}

/* Adds the causes of all rows whose condition holds. */
static void add_rows(const struct words_view *w, struct suspects *all)
{
    static const struct words_row rows[] = {
#define WORDS_RULE(cause, weight, evidence, condition, because, cure) \
    {WHY_##cause, weight, (unsigned)(evidence), because, cure},
#include "words.def"
#undef WORDS_RULE
    };
    const bool holds[] = {
#define WORDS_RULE(cause, weight, evidence, condition, because, cure) (condition),
#include "words.def"
#undef WORDS_RULE
    };
    const struct words_row *chosen[WHY_CAUSE_IDS] = {NULL};
    unsigned best = 0;

    if (SEES(runs_on)) {
        suspect_clear(all, WHY_counter_not_enabled);
        suspect_clear(all, WHY_pmcr_e_clear);
    }
    if (w->words_only && is_blanket(all)) {
        memset(all->cleared, 0, sizeof all->cleared); /* sentences tell more than the lines that cleared the causes */
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool handled = w->wrap_handled && is_of_wraps(rows[i].cause);

        if (holds[i] && !handled && !suspect_is_cleared(all, rows[i].cause) &&
            (chosen[rows[i].cause] == NULL || chosen[rows[i].cause]->weight < rows[i].weight)) {
            chosen[rows[i].cause] = &rows[i];
            best = rows[i].weight > best ? rows[i].weight : best;
        }
    }
    if (w->words_only && best >= 88) {
        weaken_others(all, best);
    }
    for (size_t c = 0; c < WHY_CAUSE_IDS; c++) {
        if (chosen[c] != NULL && chosen[c]->weight + CLOSE >= best) {
            if (chosen[c]->weight == best) {
                clear_defaults(chosen[c], all);
            }
            add_row(w, all, chosen[c], weight_to_beat(w, all, (enum why_cause_id)c) >= chosen[c]->weight);
        } else if (chosen[c] != NULL && w->words_only && suspect_find(all, chosen[c]->cause) == NULL) {
            add_row(w, all, chosen[c], true);
        }
    }
    follow_words(w, all);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Nothing wrong, and questions.
 */

/* Returns true if the writer knows of an effect, which he wants or allows for. */
static bool is_allowed_for(const struct words_view *w)
{
    const bool shown = SEES(good) || SAYS(ratio_1);
    const bool wrong = SEES(fault) || SEES(noisy) || SEES(wraps) || SEES(differs) || SEES(refused) || SEES(absent) ||
                       SAYS(negative) || SAYS(wonders) || (!shown && (SEES(large) || SEES(sometimes)));

    if (wrong || (w->words_only && rules_ask_for_reason(&w->r->text))) {
        return false;
    }
    return (SAYS(wanted) && SAYS(idle) && w->cycles_meant) || (w->divider_wanted && !w->still) ||
           (SAYS(compare_cycles) && SAYS(agree) && SEES(good)) ||
           (SAYS(sw_increments) && (SEES(good) || SAYS(shown_right)) && !w->still) ||
           (SAYS(empty) && SAYS(overhead_handled) && !w->still && !SEES(small)) ||
           (SAYS(quotient) && (SEES(question) || SAYS(review)) && !w->still && !SEES(small));
}

/* Returns true if the writer says that something does not count, is refused or comes out wrong. */
static bool sees_failure(const struct words_view *w)
{
    return w->still || SEES(fault) || SEES(absent) || SEES(refused) || SEES(no_interrupt) || SEES(storm) ||
           SEES(small) || SEES(large) || SEES(runs_on) || SEES(noisy) || SEES(one_cpu) || SEES(differs);
}

/* Returns true if no difference is longer than a wrap, and the count is what the clock gives in the time. */
static bool stays_below_wrap(const struct words_view *w)
{
    return SAYS(shorter_than_wrap) && SAYS(ratio_1) && !SAYS(ratio_low) && !SAYS(negative) && !w->negative_word &&
           !w->still && !SEES(fault) && !SEES(small) && !SEES(large) && !SEES(sometimes);
}

/* Returns true if the writer's numbers are right and he says so. */
static bool is_right(const struct words_view *w)
{
    if (SAYS(negative) && SEES(large) && (SAYS(pinned_fixes) || SAYS(pinned_works) || SEES(sometimes))) {
        return false; /* most differences are, and some are not */
    }
    if (w->task_sleeps && w->cycles_meant && w->linux_perf && !w->still && !SEES(fault) && !SEES(absent) &&
        !SEES(refused)) {
        return true; /* perf counts the task, which runs for a moment only */
    }
    if (is_allowed_for(w) || stays_below_wrap(w)) {
        return true;
    }
    if (w->wrap_handled && (SEES(question) || SAYS(review) || SAYS(ratio_1) ||
                            (SEES(good) && !SAYS(wonders) && !SAYS(contrast) && !sees_failure(w)))) {
        return true; /* an unsigned difference is right over one wrap */
    }
    if (rules_values_are_right(w->r)) {
        return true;
    }
    if (SAYS(pmcr_as_written) && (SEES(question) || SAYS(review) || SEES(good)) && !sees_failure(w) && !SEES(wraps)) {
        return true; /* P and C read as zero, and the upper half says what the PMU is */
    }
    if (SAYS(power_handled) && SAYS(shown_right) && !w->still && !SEES(fault) && !SEES(small) && !SEES(large)) {
        return true; /* it works after suspend, too */
    }
    if (SAYS(no_mismatch) && SEES(wraps) && !w->negative_word && !SEES(sometimes) && !SEES(large) && !w->still &&
        !SEES(fault)) {
        return true; /* the wrap is what somebody expects, and not what is seen */
    }
    if ((SAYS(as_expected) || SAYS(what_expected)) && !w->bad && !SAYS(negative) && !SAYS(which_of_two)) {
        return true;
    }
    if ((SAYS(cycle_included) || (SAYS(product) && SEES(question) && !SAYS(wonders) && !SEES(absent) &&
                                  !SEES(refused))) &&
        !w->still && !SEES(fault) && !SEES(small) && !SEES(sometimes) && !SEES(noisy) && !SEES(wraps)) {
        return true; /* Linux counts the cycle counter, too; the loop executes as much */
    }
    if (SAYS(same_instructions) && SAYS(jitter) && !w->still && !SEES(fault) && !SEES(small) && !SEES(wraps)) {
        return true; /* caches and memory make cycles vary; instructions do not */
    }
    if (SAYS(hpmn_wanted) && w->all_counters && (SAYS(review) || SEES(good)) && !w->bad) {
        return true; /* the driver finds the counters that are meant for it */
    }
    if (SAYS(shares) && (SEES(question) || SAYS(review)) && !SAYS(wonders) && !w->still && !SEES(fault) &&
        !SEES(differs) && !SEES(large) && !SEES(sometimes) && !SEES(noisy) && !SEES(wraps)) {
        return true; /* a part is less than the whole */
    }
    if (SAYS(clocks_fit) && (SEES(question) || SAYS(review) || SEES(good)) && !w->still && !SEES(fault) &&
        !SEES(sometimes) && !SEES(wraps)) {
        return true; /* the clock was switched in between */
    }
    if (SAYS(cpu_time) && !SAYS(inherit_off) && !SAYS(threads_left_out) && !w->still && !SEES(fault) &&
        !SEES(small) && !SEES(sometimes) && !SEES(wraps)) {
        return true; /* what several CPUs count is added up */
    }
    return SAYS(ratio_1) && !SAYS(ratio_low) && !SAYS(few_beside_cycles) && SEES(good) && !w->still &&
           !SEES(fault) && !SEES(small) &&
           !SEES(sometimes) && !SEES(wraps) && !(SAYS(idle_slower) && SAYS(full_load));
}

/* Returns true if the writer asks for a second look at what works. */
static bool is_reviewed(const struct words_view *w)
{
    return SAYS(review) && SEES(good) && !w->bad;
}

/* Says that nothing is wrong where the writer's numbers are right, or all that he says is that it works. */
static void find_fine(const struct words_view *w, struct suspects *all)
{
    const bool contrast = SAYS(contrast) && !SAYS(review) && !SAYS(what_expected);
    const bool good = SEES(good) && !SAYS(ratio_low) && !contrast && !SAYS(elsewhere_works);
    const bool right = is_right(w) || SAYS(ratio_1) || good || (SEES(question) && SAYS(values_all_right));
    const bool project = w->r->code != NULL && w->r->code->facts[CODE_HAS_LICENCE] != 0 && w->r->said == NULL;

    /* Values may be right and something be wrong that they do not show. */
    const bool doubts = SAYS(doubts) && reading_kind(w->r) == READING_REGISTERS;
    if (((SAYS(wonders) && !all->proven) || doubts || SAYS(impossible_ipc)) && !SAYS(what_expected) && !is_right(w) &&
        !project) {
        all->doubtful = true;
    }
    if (w->words_only && !is_right(w) && !SAYS(review) && !SAYS(ratio_1) && rules_ask_for_reason(&w->r->text)) {
        all->doubtful = true;
    }
    if (w->words_only && !right && !all->proven) {
        all->fine = false; /* a sentence shows too little of the rest */
    }
    for (size_t i = 0; i < all->count; i++) {
        if (!suspect_is_cleared(all, all->list[i].cause)) {
            return;
        }
    }
    if ((!w->bad || is_right(w) || (SAYS(ratio_1) && !w->still && !SEES(fault) && !SEES(wraps))) && right) {
        all->fine = true;
    }
}

static void ask(const struct words_view *w, struct suspects *all)
{
    const struct clue *other = reading_find(w->r, CLUE_words_other_cpu);

    if (other != NULL && strcmp(other->words, "x86") != 0 && !w->machine_named) { /* x86 is what people compare with */
        suspect_ask(all, 90, "the same on an Arm machine: the input speaks of another processor (uname -m, lscpu)");
    }
    if (w->m) {
        suspect_ask(all, 40, "DEMCR (0xE000EDFC), DWT_CTRL (0xE0001000) and DWT_LSR (0xE0001FB4), read without a "
                             "debugger, or the code that sets the DWT up");
    } else if (w->arm11 && !SEES(fault) && !w->linux) {
        suspect_ask(all, 40, "PMNC (mrc p15, 0, r0, c15, c12, 0) and the counter, read twice in a privileged mode "
                             "where the code runs; or the code that sets PMNC up");
    } else if (SEES(fault)) {
        suspect_ask(all, 40, "the instruction that faults (its opcode, or x/i $pc in GDB), the %s it runs at, and %s",
                    w->aarch32 || w->arm11 ? "mode" : "Exception level",
                    !w->bare ? "ESR or the kernel's message in dmesg"
                    : w->aarch32 || w->arm11 ? "DFSR, IFSR and SPSR" : "ESR_ELx and ELR_ELx");
    } else if ((SEES(absent) || SAYS(perf) || (SAYS(generic_event) && SAYS(machine_unknown))) &&
               (!w->bare || w->linux)) {
        suspect_ask(all, 40,
            "dmesg | grep -i -e perfevents -e pmu, ls /sys/bus/event_source/devices, and the output of "
                             "perf stat -e cycles:u true");
    } else if (SEES(no_interrupt) || SEES(storm)) {
        suspect_ask(all, 40,
            "%s after the overflow, and the code of the handler",
                    w->aarch32 ? "PMOVSR, PMINTENSET, PMCNTENSET and PMCR"
                               : "PMOVSSET_EL0, PMINTENSET_EL1, PMCNTENSET_EL0 and PMCR_EL0");
    } else if (SEES(zero) || SEES(stuck) || SEES(small) || SEES(large) || SEES(absent) || w->bad) {
        suspect_ask(all, 40, "%s, read back where the code runs, with its %s; or the code that sets the registers up",
                    w->aarch32 ? "PMCR, PMCNTENSET, PMSELR and PMXEVTYPER"
                               : "PMCR_EL0, PMCNTENSET_EL0 and PMCCFILTR_EL0 or PMEVTYPER<n>_EL0",
                    w->aarch32 ? "mode" : "Exception level");
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
    w->all_counters = suspect_is_cleared(all, WHY_counters_kept_back);
    view_machine(w);
    view_dwt(w);
    view_words(w);
    for (unsigned c = 0; w->words_only && (w->wrap_handled || stays_below_wrap(w)) && c < WHY_CAUSE_IDS; c++) {
        if (is_of_wraps((enum why_cause_id)c)) {
            suspect_clear(all, (enum why_cause_id)c);
        }
    }
    if (w->words_only && SAYS(isb_there) && !SAYS(no_isb)) {
        suspect_clear(all, WHY_missing_isb);
    }
    rules_debugger(in, all);
    if (w->m && w->words_only) {
        suspect_clear(all, WHY_cycle_overflow_at_32_bits); /* there is no PMCR_EL0.LC */
    }
    if (w->m && w->words_only && (w->dwt_stopped || (SAYS(dwt_ctrl) && SAYS(cyccnt_absent)))) {
        suspect_clear(all, WHY_m_profile_trcena_or_lock); /* the DWT is on */
    }
    if (w->m && w->words_only && SAYS(dwt_ctrl) && SAYS(cyccnt_absent)) {
        suspect_clear(all, WHY_cyccnt_not_enabled);
    }
    if (SAYS(traps_wanted)) {
        suspect_clear(all, WHY_el2_traps_pmu);
    }
    if (w->container && w->paranoid >= -1 && w->paranoid <= 1 && !SAYS(system_wide)) {
        suspect_clear(all, WHY_perf_paranoid); /* the level allows it */
    }
    if (((w->words_only && !all->proven) || !all->fine) && !is_right(w) && !is_reviewed(w)) {
        /* what is right is no complaint */
        add_rows(w, all);
    }
    find_fine(w, all);
    ask(w, all);
    free(w);
}
