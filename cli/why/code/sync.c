/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: barriers, and the selection of counters by PMSELR. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "code.h"

static bool is_selected(enum code_register reg)
{
    return reg == CODE_PMXEVTYPER || reg == CODE_PMXEVCNTR;
}

/* Finds PMSELR and then PMXEVTYPER or PMXEVCNTR without an ISB between. */
static void check_select_isb(struct code_case *k)
{
    size_t selected = SIZE_MAX;
    char because[400], cure[400], name[32];

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->act == CODE_ISB) {
            selected = SIZE_MAX;
        } else if (code_does(s, CODE_WRITE, CODE_PMSELR)) {
            selected = i;
        } else if ((s->act == CODE_READ || s->act == CODE_WRITE) && is_selected(s->reg) && selected != SIZE_MAX) {
            suspect_text(because, "PMSELR is written, and %s is accessed without an ISB between: it may still be "
                                  "another counter's",
                         code_name_text(k, s->reg, 0, name));
            suspect_text(cure, "put %s after the write of PMSELR%s, before %s", code_isb_text(k),
                         k->aarch32 ? "" : "_EL0", name);
            /* Where no write of PMCR is shown, it may as well be E that is missing. */
            code_suspect(k, WHY_missing_isb_after_pmselr,
                         k->sees[READING_zero] && k->last.pmcr.line == 0 ? SUSPECT_LIKELY : SUSPECT_CERTAIN, selected,
                         because, cure)
                ->weight = 55;
            return;
        }
    }
}

static void selects_other(struct code_case *k, size_t i, const char *text, const char *cure)
{
    code_suspect(k, WHY_pmselr_selects_other_counter, SUSPECT_CERTAIN, i, text, cure)->weight = 75;
    suspect_follow(k->all, WHY_counter_not_enabled);
    suspect_follow(k->all, WHY_wrong_bit_or_mask);
}

/* Returns true if the code writes @mask, and nothing else, to PMCNTENSET. */
static bool is_enabled_alone(const struct code_case *k, uint64_t mask)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (code_does(s, CODE_WRITE, CODE_PMCNTENSET) && (s->value.known & UINT32_MAX) == UINT32_MAX &&
            s->value.bits == mask) {
            return true;
        }
    }
    return false;
}

/* Returns true if PMSELR takes a value that is no mask of one counter: 0 or 3 is a number. */
static bool selects_by_number(const struct code_case *k)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_value *v = &k->c->steps[i].value;

        if (code_does(&k->c->steps[i], CODE_WRITE, CODE_PMSELR) && (v->known & UINT32_MAX) == UINT32_MAX &&
            (v->bits == 0 || (v->bits & (v->bits - 1)) != 0)) {
            return true;
        }
    }
    return false;
}

/* Finds PMSELR written with the mask that goes to PMCNTENSET, 1 << n, where the number n belongs. */
static void check_mask_as_number(struct code_case *k)
{
    char because[400], cure[400], text[160], value[16];

    if (selects_by_number(k)) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const uint64_t bits = s->value.bits;
        unsigned n = 0;

        if (!code_does(s, CODE_WRITE, CODE_PMSELR) || (s->value.known & UINT32_MAX) != UINT32_MAX || bits < 2 ||
            (bits & (bits - 1)) != 0) {
            continue;
        }
        while (bits >> n != 1) {
            n++;
        }
        if (!is_enabled_alone(k, bits) || (bits < 31 && ((k->enabled | k->read_counters) >> bits & 1) != 0)) {
            continue;
        }
        suspect_text(because,
                     "PMSELR takes the number of a counter, and 1 << %u = %llu is the mask of counter %u: this selects "
                     "another one, which is not enabled",
                     n, (unsigned long long)bits, n);
        snprintf(value, sizeof value, "%u", n);
        suspect_text(cure, "write the number %u, not 1 << %u, to PMSELR: %s", n, n,
                     code_write_text(k, CODE_PMSELR, 0, value, text));
        selects_other(k, i, because, cure);
        return;
    }
}

/* Checks an access of PMXEVTYPER or PMXEVCNTR against what PMSELR selects. */
static void check_selection(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    const struct code_cell *selr = &k->states[i].selr;
    const int n = code_counter_of(k, i);
    char because[400], cure[400], name[32], text[160], value[16];
    const uint32_t events = (k->typed | k->enabled) & 0x7FFFFFFF;
    const uint32_t others = k->read_counters & 0x7FFFFFFF & ~k->typed;

    if (!is_selected(s->reg)) {
        return;
    }
    code_name_text(k, s->reg, 0, name);
    if (n == CODE_CYCLE && s->reg == CODE_PMXEVTYPER && s->act == CODE_WRITE && (s->value.bits & 0xFFFF) != 0) {
        unsigned wanted = 0;

        while (wanted < 30 && (((k->enabled | k->read_counters) >> wanted & 1) == 0)) {
            wanted++;
        }
        suspect_text(because,
                     "PMSELR.SEL is 31, so %s is the cycle counter's filter, and no event counter gets this event",
                     name);
        snprintf(value, sizeof value, "%u", wanted < 30 ? wanted : 0);
        suspect_text(cure, "select counter %s: %s, then %s; or write PMEVTYPER%s%s", value,
                     code_write_text(k, CODE_PMSELR, 0, value, text), code_isb_text(k), value,
                     k->aarch32 ? "" : "_EL0");
        selects_other(k, i, because, cure);
    } else if (s->reg == CODE_PMXEVTYPER && s->act == CODE_WRITE && n >= 0 && n < 31 && others != 0 &&
               (others >> n & 1) == 0 && (k->enabled >> n & 1) == 0) {
        unsigned wanted = 0;

        while ((others >> wanted & 1) == 0) {
            wanted++;
        }
        suspect_text(because, "PMSELR.SEL is %d here, so the event goes to counter %d, and the code reads counter %u",
                     n, n, wanted);
        snprintf(value, sizeof value, "%u", wanted);
        suspect_text(cure, "select counter %u: %s, then %s", wanted, code_write_text(k, CODE_PMSELR, 0, value, text),
                     code_isb_text(k));
        selects_other(k, i, because, cure);
    } else if (s->reg == CODE_PMXEVCNTR && s->act == CODE_READ && n >= 0 && events != 0 && (events >> n & 1) == 0) {
        suspect_text(because, "PMSELR.SEL is %d (line %u), so %s is counter %d, which is not set up", n, selr->line,
                     name, n);
        suspect_text(cure, "write the counter's number to PMSELR%s, then %s, before the read", k->aarch32 ? "" : "_EL0",
                     code_isb_text(k));
        selects_other(k, i, because, cure);
    }
}

/* Returns true if the function of step @i selects a counter behind it, and accesses no counter by PMSELR after that. */
static bool selects_behind(const struct code_case *k, size_t i)
{
    bool selects = false;

    for (size_t j = i + 1; j < k->c->step_count && k->c->steps[j].function == k->c->steps[i].function; j++) {
        if (is_selected(k->c->steps[j].reg)) {
            return false;
        }
        selects |= code_does(&k->c->steps[j], CODE_WRITE, CODE_PMSELR);
    }
    return selects;
}

/* Returns the step at which the function of step @i was entered; 0: it was entered before all steps, or none was. */
static size_t entered_at(const struct code_case *k, size_t i)
{
    for (size_t depth = 0; i > 0; i--) {
        const enum code_act act = k->c->steps[i].act;

        if (act == CODE_ENTER && depth == 0) {
            return i;
        }
        depth += act == CODE_LEAVE;
        depth -= act == CODE_ENTER;
    }
    return 0;
}

/* Returns true if step @select is in a function that does nothing else, and the caller of that calls step @i's. */
static bool is_selected_by_caller(const struct code_case *k, size_t select, size_t i)
{
    const size_t helper = entered_at(k, select), reader = entered_at(k, i);
    size_t depth = 1;

    for (size_t j = helper + 1; helper != 0 && j < i && depth != 0; j++) {
        const enum code_act act = k->c->steps[j].act;

        if (j != select && (act == CODE_READ || act == CODE_WRITE || act == CODE_WORK)) {
            return false;
        }
        depth += act == CODE_ENTER;
        depth -= act == CODE_LEAVE;
    }
    return helper > 1 && reader > 1 && entered_at(k, helper - 1) == entered_at(k, reader - 1);
}

/* Finds two selected accesses in a row that mean two counters, but nothing selects the second one. */
static void check_not_reselected(struct code_case *k)
{
    char because[400], cure[400], name[32];

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const struct code_cell *selr = &k->states[i].selr;
        const uint32_t typed = k->typed & 0x7FFFFFFF;

        if (s->reg == CODE_PMXEVCNTR && s->act == CODE_READ && selr->line != 0 && (typed & (typed - 1)) != 0 &&
            k->c->steps[selr->step].function != s->function && k->c->functions[s->function].length != 0) {
            bool selects = selr->step > entered_at(k, i) || /* by a function that it calls */
                           is_selected_by_caller(k, selr->step, i);

            for (size_t j = selr->step + 1; j < i; j++) { /* a read function that selects nothing */
                selects |= code_does(&k->c->steps[j], CODE_WRITE, CODE_PMSELR);
            }
            if (!selects && (code_complains(k) || k->typed != 0)) {
                suspect_text(because,
                             "%s is read, but PMSELR was last written in line %u, for the set-up of another counter",
                             code_name_text(k, s->reg, 0, name), selr->line);
                suspect_text(cure, "write the counter's number to PMSELR%s and execute %s before each read of %s",
                             k->aarch32 ? "" : "_EL0", code_isb_text(k), name);
                code_suspect(k, WHY_pmselr_selects_other_counter, SUSPECT_LIKELY, i, because, cure)->weight = 65;
                return;
            }
        }
        if (is_selected(s->reg) && (s->act == CODE_WRITE || (s->act == CODE_READ && selects_behind(k, i))) &&
            selr->line == 0 && k->last.selr.line != 0) {
            code_name_text(k, s->reg, 0, name);
            suspect_text(because, "%s is accessed before PMSELR selects a counter (line %u): it is still the one "
                                  "of the call before", name, k->last.selr.line);
            suspect_text(cure, "write PMSELR%s first, then %s, then access %s", k->aarch32 ? "" : "_EL0",
                         code_isb_text(k), name);
            code_suspect(k, WHY_pmselr_selects_other_counter, SUSPECT_LIKELY, i, because, cure)->weight = 65;
            suspect_clear(k->all, WHY_missing_isb_after_pmselr);
            return;
        }
    }
}

/* Finds two reads of the selected counter, one right behind the other, where several counters have events. */
static void check_read_again(struct code_case *k)
{
    const uint32_t typed = k->typed & 0x7FFFFFFF;
    char because[400], cure[400], name[32];
    size_t before = SIZE_MAX; /* the read before, with nothing but barriers since */

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->act == CODE_DIFFERENCE) {
            return; /* the reads are the begin and the end of an empty region */
        }
    }
    for (size_t i = 0; i < k->c->step_count && (typed & (typed - 1)) != 0; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (!code_does(s, CODE_READ, CODE_PMXEVCNTR)) {
            before = s->act == CODE_ISB || s->act == CODE_DSB ? before : SIZE_MAX;
        } else if (before == SIZE_MAX || (s->flags & CODE_IN_LOOP) != 0 ||
                   k->c->steps[before].function != s->function || k->c->steps[before].line == s->line) {
            before = i;
        } else {
            code_name_text(k, s->reg, 0, name);
            suspect_text(because, "%s is read again, and nothing selects another counter since line %u", name,
                         k->c->steps[before].line);
            suspect_text(cure, "write the counter's number to PMSELR%s and execute %s before each read of %s",
                         k->aarch32 ? "" : "_EL0", code_isb_text(k), name);
            code_suspect(k, WHY_pmselr_selects_other_counter, SUSPECT_LIKELY, i, because, cure)->weight = 64;
            return;
        }
    }
}

/* Returns true if step @i surely gives an event to the counter that PMSELR selects. */
static bool gives_event(const struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];

    return code_does(s, CODE_WRITE, CODE_PMXEVTYPER) && (s->flags & CODE_MAYBE) == 0 &&
           (s->value.known & 0xFFFF) == 0xFFFF && (s->value.bits & 0xFFFF) != 0;
}

/*
 * Finds an event that replaces another one at once, for PMSELR still selects its counter, where a counter that is in
 * use gets no event: it was meant for that one.
 */
static void check_event_replaced(struct code_case *k)
{
    const uint32_t waiting = (k->enabled | k->read_counters) & ~k->typed & 0x7FFFFFFF;
    char because[400], cure[400], name[32], text[160], value[16];
    size_t first = SIZE_MAX;
    unsigned wanted = 0;

    while (waiting >> wanted > 1 && (waiting >> wanted & 1) == 0) {
        wanted++;
    }
    for (size_t i = 0; i < k->c->step_count && waiting != 0; i++) {
        const struct code_step *s = &k->c->steps[i];
        const int n = code_counter_of(k, i);

        if (!gives_event(k, i)) {
            const bool helper = (s->act == CODE_ENTER || s->act == CODE_LEAVE) && k->c->functions[s->function].called;

            first = s->act == CODE_ISB || helper ? first : SIZE_MAX;
            continue;
        }
        if (first != SIZE_MAX && n >= 0 && n < 31 &&
            (s->value.bits & 0xFFFF) != (k->c->steps[first].value.bits & 0xFFFF)) {
            code_name_text(k, s->reg, 0, name);
            suspect_text(because, "PMSELR still selects counter %d, so this write of %s replaces its event 0x%llx, and "
                                  "counter %u gets none", n, name,
                         (unsigned long long)(k->c->steps[first].value.bits & 0xFFFF), wanted);
            snprintf(value, sizeof value, "%u", wanted);
            suspect_text(cure, "select counter %u before it: %s, then %s", wanted,
                         code_write_text(k, CODE_PMSELR, 0, value, text), code_isb_text(k));
            selects_other(k, i, because, cure);
            suspect_find(k->all, WHY_pmselr_selects_other_counter)->counters = UINT64_C(1) << wanted;
            return;
        }
        first = i;
    }
}

/* Clears the missing ISB after PMSELR, where each write of PMSELR has one before the access. */
static void clear_select_isb(struct code_case *k)
{
    bool selects = false;

    for (size_t i = 0; i < k->c->step_count; i++) {
        selects |= code_does(&k->c->steps[i], CODE_WRITE, CODE_PMSELR);
    }
    if (selects && suspect_find(k->all, WHY_missing_isb_after_pmselr) == NULL) {
        suspect_clear(k->all, WHY_missing_isb_after_pmselr);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * ISB between enable, region and read.
 */

static bool starts_counting(const struct code_step *s)
{
    return s->act == CODE_WRITE &&
           ((s->reg == CODE_PMCR && (s->value.bits & 1) != 0) || (s->reg == CODE_PMCNTENSET && s->value.bits != 0));
}

static bool is_count(const struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];

    return s->act == CODE_READ && (s->flags & CODE_GUESSED) == 0 &&
           (s->reg == CODE_PMCCNTR || s->reg == CODE_PMEVCNTR || s->reg == CODE_PMXEVCNTR);
}

/* Returns true if step @i writes PMCNTENSET, and the same function sets PMCR.E later: nothing counts yet. */
static bool waits_for_e(const struct code_case *k, size_t i)
{
    for (size_t j = i + 1; k->c->steps[i].reg == CODE_PMCNTENSET && j < k->c->step_count; j++) {
        const struct code_step *s = &k->c->steps[j];

        if (s->function == k->c->steps[i].function && code_does(s, CODE_WRITE, CODE_PMCR) && (s->value.bits & 1) != 0) {
            return true;
        }
    }
    return false;
}

static bool is_call(const struct code_step *s)
{
    return s->act == CODE_WORK && (s->flags & CODE_STATEMENT) == 0;
}

/* What happened since the counter began to count, or since the last read. */
struct since {
    size_t start; /* the enabling write or the read before; SIZE_MAX: none */
    bool isb, isb_after_call, work, call, delay, statement;
    bool stopped; /* a counter was stopped: behind an ISB it has its last count */
};

/* Returns true if @s may stop counters. */
static bool stops_counting(const struct code_step *s)
{
    return (code_does(s, CODE_WRITE, CODE_PMCNTENCLR) && (s->value.bits | ~s->value.known) != 0) ||
           (code_does(s, CODE_WRITE, CODE_PMCR) && (s->value.known & ~s->value.bits & 1) != 0);
}

static void add_missing(struct code_case *k, size_t i, const char *text, bool start)
{
    const bool *sees = k->sees;
    const bool seen = sees[READING_small] || sees[READING_noisy] || sees[READING_differs];
    char cure[400];

    if (sees[READING_wraps] && !sees[READING_noisy]) {
        return; /* a region is too short by some cycles, and not by 2^32 */
    }
    if (sees[READING_storm] && !seen) {
        return; /* the complaint is of interrupts */
    }
    if (code_complains(k) && !seen && !sees[READING_zero] && !sees[READING_large] && !sees[READING_stuck]) {
        return;
    }
    suspect_text(cure,
                 start
                     ? "put %s after the write that enables, before the region; and one before each read of the counter"
                     : "put %s before each read of the counter",
                 code_isb_text(k));
    code_suspect(k, WHY_missing_isb, seen ? SUSPECT_CERTAIN : SUSPECT_LIKELY, i, text, cure)->weight = seen ? 65 : 20;
}

/*
 * Returns true if read @i, behind set-up that ends with an ISB, begins the region: the same counter is read again
 * behind other work.
 */
static bool begins_region(const struct code_case *k, size_t i, const struct since *s)
{
    const int n = code_counter_of(k, i);
    bool work = false;

    if (!s->isb || !starts_counting(&k->c->steps[s->start])) {
        return false;
    }
    for (size_t j = i + 1; j < k->c->step_count && k->c->steps[j].function == k->c->steps[i].function; j++) {
        work = work || is_call(&k->c->steps[j]) || k->c->steps[j].act == CODE_WORK;
        if (is_count(k, j) && code_counter_of(k, j) == n) {
            return work;
        }
    }
    return false;
}

/* Looks at step @i, with what happened before it.  Returns true if an ISB is missing. */
static bool look(struct code_case *k, size_t i, struct since *s)
{
    const struct code_step *step = &k->c->steps[i];
    const bool loose = s->start != SIZE_MAX && !s->delay;

    if (step->act == CODE_ISB) {
        s->isb = s->isb_after_call = true;
        s->start = s->stopped ? SIZE_MAX : s->start;
    } else if (stops_counting(step)) {
        s->stopped = true;
    } else if (is_call(step)) {
        if (loose && !s->isb && starts_counting(&k->c->steps[s->start]) && !waits_for_e(k, s->start)) {
            add_missing(k, s->start, "no ISB follows: the region may begin before the counter counts", true);
            return true;
        }
        s->call = true;
        s->isb_after_call = false;
    } else if (step->act == CODE_DELAY || step->act == CODE_WFI) {
        s->delay = true;
    } else if (step->act == CODE_WORK) {
        s->statement = true;
    } else if (is_count(k, i) || starts_counting(step)) {
        if (is_count(k, i) && loose && !begins_region(k, i, s) &&
            (s->call ? !s->isb_after_call : s->statement && !s->isb)) {
            add_missing(k, i,
                        starts_counting(&k->c->steps[s->start])
                            ? "no ISB between the region and this read, which may be done too early"
                            : "no ISB before this read: it is not ordered with the instructions of the region",
                        false);
            return true;
        }
        if (is_count(k, i) && loose && !s->isb && starts_counting(&k->c->steps[s->start])) {
            add_missing(k, s->start, "no ISB between this and the first read", true);
            return true;
        }
        *s = (struct since){.start = i};
    }
    return false;
}

static void check_isb(struct code_case *k)
{
    struct since s = {.start = SIZE_MAX};
    unsigned depth = 0;
    const bool seen = k->sees[READING_small] || k->sees[READING_noisy] || k->sees[READING_differs];

    if (k->m_profile || k->arm11 || k->c->perf != NULL || (k->aarch32 && !seen) || (k->user && !k->granted && !seen)) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *step = &k->c->steps[i];

        if ((step->flags & (CODE_MEMORY | CODE_HANDLER)) != 0) {
            continue;
        }
        depth += step->act == CODE_ENTER;
        if (step->act == CODE_LEAVE && --depth == 0) {
            s = (struct since){.start = SIZE_MAX};
        }
        if (look(k, i, &s)) {
            return;
        }
    }
}

/* Returns true if read @i begins a region and an ISB follows it at once: no instruction of the region precedes it. */
static bool is_fenced_behind(const struct code_case *k, size_t i)
{
    bool isb = false;

    for (size_t j = i + 1; j < k->c->step_count && k->c->steps[j].function == k->c->steps[i].function; j++) {
        isb |= k->c->steps[j].act == CODE_ISB;
        if (is_count(k, j)) {
            return isb;
        }
        if (!isb && (k->c->steps[j].act == CODE_WORK || is_call(&k->c->steps[j]))) {
            return false;
        }
    }
    return false;
}

/* Returns true if an ISB precedes read @i: in its function, in what that calls, or in its caller before the call. */
static bool is_fenced_before(const struct code_case *k, size_t i)
{
    bool outside = false;

    for (size_t depth = 0; i-- > 0;) {
        const enum code_act act = k->c->steps[i].act;

        if (act == CODE_ISB) {
            return true;
        }
        if (outside && act != CODE_DSB && act != CODE_ENTER) {
            return false;
        }
        outside = outside || (act == CODE_ENTER && depth == 0);
        depth += act == CODE_LEAVE;
        depth -= act == CODE_ENTER && depth != 0;
    }
    return false;
}

/* Finds read functions without any ISB, where the writer sees too little: the ends of the region are not ordered. */
static void check_read_functions(struct code_case *k)
{
    if (!(k->sees[READING_small] || k->sees[READING_noisy]) || k->m_profile || k->c->perf != NULL ||
        suspect_find(k->all, WHY_missing_isb) != NULL) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        if (is_count(k, i) && (k->c->steps[i].flags & CODE_MEMORY) == 0 && !is_fenced_before(k, i) &&
            !is_fenced_behind(k, i)) {
            add_missing(k, i, "no ISB before this read: it is not ordered with the instructions of the region", false);
            return;
        }
    }
}

void rules_code_sync(struct code_case *k)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        if (k->c->steps[i].act == CODE_READ || k->c->steps[i].act == CODE_WRITE) {
            check_selection(k, i);
        }
    }
    check_not_reselected(k);
    check_read_again(k);
    check_event_replaced(k);
    check_mask_as_number(k);
    if (!k->user || k->granted) {
        check_select_isb(k);
        clear_select_isb(k);
    }
    check_isb(k);
    check_read_functions(k);
}
