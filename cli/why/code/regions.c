/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: what lies between two reads. */
#define _GNU_SOURCE

#include "code.h"

/* Returns true if @s sets counter register @reg back to 0. */
static bool resets(const struct code_step *s, enum code_register reg, uint8_t n)
{
    if (s->act != CODE_WRITE) {
        return false;
    }
    if (s->reg == CODE_PMCR || s->reg == CODE_A11_PMNC) {
        const bool cycle = reg == CODE_PMCCNTR || reg == CODE_A11_CCNT;

        return (s->value.bits & (cycle ? 4 : 2)) != 0;
    }
    return s->reg == reg && s->n == n;
}

/*
 * Returns true if the step before @first that resets the same counter last is the same statement as @reset: the first
 * read is the length of a region of its own, as of an empty one, and no start value.
 */
static bool begins_each_region(const struct code_case *k, size_t reset, size_t first)
{
    const struct code_step *s = &k->c->steps[reset], *start = &k->c->steps[first];

    for (size_t i = first; i > 0; i--) {
        const struct code_step *before = &k->c->steps[i - 1];

        if (resets(before, start->reg, start->n)) {
            return before->line == s->line && before->column == s->column && before->function == s->function;
        }
    }
    return false;
}

static void check_reset(struct code_case *k, size_t first, size_t last)
{
    const struct code_step *start = &k->c->steps[first];
    char because[400], cure[400], name[32];

    for (size_t i = first + 1; i < last; i++) {
        if (resets(&k->c->steps[i], start->reg, start->n) && !begins_each_region(k, i, first)) {
            suspect_text(because, "this resets %s after its start value was read in line %u",
                         code_register_name(start->reg, start->n, k->aarch32, name), start->line);
            suspect_text(
                cure, "reset the counter before the first read, or not at all: remove %s between the two reads",
                k->c->steps[i].reg == CODE_PMCR ? start->reg == CODE_PMCCNTR ? "C (bit 2 of PMCR)" : "P (bit 1 of PMCR)"
                                                : "the write of the counter");
            code_suspect(k, WHY_counter_reset_after_start, SUSPECT_CERTAIN, i, because, cure)->weight = 70;
            suspect_clear(k->all, WHY_missing_isb); /* it is wrong with an ISB, too */
            return;
        }
    }
}

static void check_idle(struct code_case *k, size_t first, size_t last)
{
    const bool event = k->c->steps[first].reg == CODE_PMEVCNTR || k->c->steps[first].reg == CODE_PMXEVCNTR;

    for (size_t i = first + 1; i < last; i++) {
        if (k->c->steps[i].act == CODE_WFI && !event) {
            code_suspect(k, WHY_wfi_stops_cycles, k->sees[READING_small] ? SUSPECT_CERTAIN : SUSPECT_LIKELY, i,
                         "the core's clock, and the cycle counter with it, stops in WFI and WFE",
                         k->m_profile
                             ? "use a timer such as SysTick for the time in WFI, or spin instead of WFI"
                         : k->aarch32
                             ? "measure time with the generic timer (CNTVCT) or a timer of the SoC, or spin instead of "
                               "WFI"
                             : "measure time with the generic timer (CNTVCT_EL0) or CNT_CYCLES (0x4004), or spin "
                               "instead of WFI")
                ->weight = 66;
            return;
        }
    }
}

/* Returns true if the text says that the idle task, which runs in a sleep, stops the clock. */
static bool says_idle(const struct code_case *k)
{
    return code_says(k, "wfi") || code_says(k, "wfe") || code_says(k, "idle") || code_says(k, "sleeps");
}

/* Finds a region that is a sleep: the core waits in WFI, where its clock stops. */
static void check_sleep(struct code_case *k, size_t first, size_t last)
{
    const bool event = k->c->steps[first].reg == CODE_PMEVCNTR || k->c->steps[first].reg == CODE_PMXEVCNTR;
    size_t sleep = SIZE_MAX;

    for (size_t i = first + 1; i < last; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->act == CODE_WFI || (s->act == CODE_WORK && (s->flags & CODE_STATEMENT) == 0)) {
            return;
        }
        if (s->act == CODE_DELAY && (code_line_part(k, s->line, "sleep") || code_line_part(k, s->line, "TaskDelay") ||
                                     code_line_part(k, s->line, "osDelay"))) {
            sleep = i;
        }
    }
    if (sleep == SIZE_MAX || event || !(k->sees[READING_small] || says_idle(k)) || !code_complains(k)) {
        return;
    }
    code_suspect(k, WHY_wfi_stops_cycles, says_idle(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY, sleep,
                 "the thread sleeps here, and the idle thread waits in WFI, where the core's clock and the cycle "
                 "counter stop",
                 "measure time with the generic timer (CNTVCT_EL0, k_cycle_get_64()), or spin instead of sleeping")
        ->weight = 62;
}

static bool is_region(const struct code_step *s)
{
    return s->act == CODE_WORK || s->act == CODE_DELAY || s->act == CODE_WFI || s->reg == CODE_PMSWINC;
}

static void check_empty(struct code_case *k, size_t first, size_t last)
{
    static const char *const meant[] = {"overhead", "calibrat", "empty", "cost", "baseline", "ovh", "latency"};

    if (k->sees[READING_wraps] || k->sees[READING_zero]) {
        return; /* the cost of reading is small */
    }
    for (size_t i = first + 1; i < last; i++) {
        if (is_region(&k->c->steps[i]) ||
            ((k->c->steps[i].flags & CODE_IN_LOOP) != 0 && k->c->steps[i].function != k->c->steps[first].function)) {
            return;
        }
    }
    if (!(k->sees[READING_large] || k->sees[READING_noisy] || k->sees[READING_differs])) {
        static const char *const questions[] = {"empty", "nothing between", "nothing in between", "no code between",
                                                "why not 0", "not print 0", "not give 0", "not 0?", "instead of 0"};
        bool asks = (k->complains || reading_find(k->r, CLUE_words_wonders) != NULL) &&
                    code_says_any(k, questions, sizeof questions / sizeof questions[0]);

        for (size_t i = 0; i < sizeof meant / sizeof meant[0] && !asks; i++) {
            if (code_says(k, meant[i])) {
                return;
            }
        }
        if (!asks) {
            return;
        }
    }
    code_suspect(k, WHY_measures_itself, SUSPECT_LIKELY, first,
                 "nothing lies between the two reads: the difference is the cost "
                 "of reading",
                 "measure an empty region once and subtract its count, or measure a longer region")
        ->weight = 40;
}

/* Finds a call that prints within the region: its cost is most of a short one. */
static void check_output(struct code_case *k, size_t first, size_t last)
{
    static const char *const words[] = {"printf", "printk", "pr_", "puts", "print", "uart_", "log"};
    const bool complains = k->sees[READING_large] || k->sees[READING_noisy] || k->sees[READING_differs] ||
                           (reading_find(k->r, CLUE_words_wonders) != NULL && code_complains(k)) ||
                           code_says(k, "each time") || code_says(k, "more than");

    for (size_t i = first + 1; i < last && complains; i++) {
        const struct code_step *s = &k->c->steps[i];

        for (size_t w = 0; w < sizeof words / sizeof words[0] && s->act == CODE_DELAY; w++) {
            if (s->line > k->c->steps[first].line && code_line_part(k, s->line, words[w])) {
                code_suspect(k, WHY_measures_itself, SUSPECT_LIKELY, i,
                             "this call prints between the two reads, and its work is counted too",
                             "print after the second read: keep both counts in variables, and nothing but the measured "
                             "work between the reads")
                    ->weight = 48;
                return;
            }
        }
    }
}

static void check_differences(struct code_case *k)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        size_t a, b;

        if (s->act != CODE_DIFFERENCE || s->value.read == 0 || s->used == 0) {
            continue;
        }
        a = s->used - 1;
        b = s->value.read - 1;
        if (a < b && k->c->steps[a].reg == k->c->steps[b].reg && code_is_count(k->c->steps[a].reg)) {
            check_reset(k, a, b);
            check_idle(k, a, b);
            check_sleep(k, a, b);
            check_empty(k, a, b);
            check_output(k, a, b);
        }
    }
}

/* Returns true if another function starts to count, and nothing but ISBs stands between the reset and the read @i. */
static bool is_started_before(const struct code_case *k, size_t reset, size_t i)
{
    const unsigned function = k->c->steps[i].function;

    for (size_t j = reset + 1; j < i; j++) {
        if (k->c->steps[j].act != CODE_ISB) {
            return false;
        }
    }
    for (size_t j = 0; j < reset; j++) {
        if (k->c->steps[j].function != function && code_does(&k->c->steps[j], CODE_WRITE, CODE_PMCNTENSET)) {
            return true;
        }
    }
    return false;
}

/* Finds a counter that is reset between the work and its only read. */
static void check_late_reset(struct code_case *k)
{
    for (size_t i = 1; i < k->c->step_count; i++) {
        const struct code_step *read = &k->c->steps[i];
        size_t reset = i;
        bool work = false, again = false;

        if (read->act != CODE_READ || !code_is_count(read->reg)) {
            continue;
        }
        for (size_t j = 0; j < k->c->step_count && !again; j++) {
            again = j != i && k->c->steps[j].act == CODE_READ && code_is_count(k->c->steps[j].reg);
        }
        while (reset > 0 && !resets(&k->c->steps[reset], read->reg, read->n) && !is_region(&k->c->steps[reset])) {
            reset--;
        }
        for (size_t j = 0; j < reset && !work; j++) {
            work = k->c->steps[j].act == CODE_WORK && k->c->steps[j].function == read->function;
        }
        work = work || is_started_before(k, reset, i);
        for (size_t j = reset + 1; j < i; j++) { /* what is started behind the reset is being set up */
            const struct code_step *s = &k->c->steps[j];

            again |= code_does(s, CODE_WRITE, CODE_DWT_CTRL) || code_does(s, CODE_WRITE, CODE_PMCNTENSET) ||
                     code_does(s, CODE_WRITE, CODE_PMCR);
        }
        if (!again && work && resets(&k->c->steps[reset], read->reg, read->n) &&
            k->c->steps[reset].function == read->function) {
            code_suspect(k, WHY_counter_reset_after_start, SUSPECT_CERTAIN, reset,
                         "this resets the counter behind the work and before it is read",
                         "reset the counter before the work: at the end write PMCR without C and P (bits 2 and 1), or "
                         "stop with PMCNTENCLR, then read")
                ->weight = 66;
            return;
        }
    }
}

/* Returns true if @s writes a counter, and not just 0: a start value, or a count that was saved. */
static bool restores(const struct code_step *s)
{
    return s->act == CODE_WRITE && (s->flags & CODE_NAMED) == 0 &&
           (s->reg == CODE_PMCCNTR || s->reg == CODE_PMEVCNTR || s->reg == CODE_PMXEVCNTR) &&
           (s->value.bits != 0 || (s->value.known & UINT32_MAX) != UINT32_MAX);
}

/* Returns true unless @s writes PMCR with E = 0: where it does, E is what is missing first. */
static bool may_enable(const struct code_step *s)
{
    return (s->value.known & 1) == 0 || (s->value.bits & 1) != 0;
}

/* Finds a function that writes a counter and resets it behind that, as a context switch may that restores PMCR last. */
static void check_restored(struct code_case *k)
{
    const struct code_step *restored = NULL;
    char because[400], cure[400], name[32];

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (restored != NULL && s->function != restored->function) {
            restored = NULL;
        }
        if (restores(s)) {
            restored = s;
        } else if (restored != NULL && s->reg == CODE_PMCR && may_enable(s) &&
                   resets(s, restored->reg == CODE_PMCCNTR ? CODE_PMCCNTR : CODE_PMEVCNTR, restored->n)) {
            const bool cycle = restored->reg == CODE_PMCCNTR;

            suspect_text(because, "%s resets %s, which line %u has just written",
                         cycle ? "C (bit 2 of PMCR)" : "P (bit 1 of PMCR)",
                         code_register_name(restored->reg, restored->n, k->aarch32, name), restored->line);
            suspect_text(cure, "write PMCR without %s here, or before the counters are written",
                         cycle ? "C (& ~4)" : "P (& ~2)");
            code_suspect(k, WHY_counter_reset_after_start, SUSPECT_CERTAIN, i, because, cure)->weight = 71;
            return;
        }
    }
}

void rules_code_regions(struct code_case *k)
{
    check_differences(k);
    check_late_reset(k);
    check_restored(k);
}
