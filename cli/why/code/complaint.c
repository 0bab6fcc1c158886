/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out whether the writer of code complains: comments tell what code does, too. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

/* Returns true if line @line has a comment or is prose; 0, which is no line, does. */
static bool is_in_comment(const struct code_case *k, uint32_t line)
{
    for (size_t i = 0; i < k->c->comment_count && line != 0; i++) {
        if (k->c->comments[i].line == line) {
            return true;
        }
    }
    return line == 0;
}

/* Reads a number with its digits at *@p, and moves behind it.  Returns -1 if there is none. */
static double take_number(const char **p, const char *end)
{
    double value = 0;
    const char *from = *p;

    while (*p < end && (isdigit((unsigned char)**p) || ((**p == ',' || **p == ' ') && *p + 3 < end &&
                                                        isdigit((unsigned char)(*p)[1]) &&
                                                        isdigit((unsigned char)(*p)[2]) &&
                                                        isdigit((unsigned char)(*p)[3]) && **p == ','))) {
        value = isdigit((unsigned char)**p) ? value * 10 + (**p - '0') : value;
        (*p)++;
    }
    return *p > from ? value : -1;
}

/* Returns true if the comment gives a range of counts, "12 .. 71 cycles" or "between 3 and 40 ticks". */
static bool has_range(const struct code_comment *c)
{
    static const char *const units[] = {"cycles", "ticks", "cyc", "clocks", "instructions", "for ", "instead"};
    const char *end = c->text + c->length;

    for (const char *p = c->text; p < end; p++) {
        double low, high;

        if (!isdigit((unsigned char)*p) || (p > c->text && (isalnum((unsigned char)p[-1]) || p[-1] == '.'))) {
            continue;
        }
        low = take_number(&p, end);
        while (p < end && *p == ' ') {
            p++;
        }
        if (end - p > 4 && (memcmp(p, "..", 2) == 0 || memcmp(p, "to ", 3) == 0 || memcmp(p, "- ", 2) == 0)) {
            for (p += 2; p < end && (*p == '.' || *p == ' ' || *p == 'o'); p++) {
            }
            high = p < end && isdigit((unsigned char)*p) ? take_number(&p, end) : -1;
            p += p < end && *p == ' ';
            for (size_t i = 0; i < sizeof units / sizeof units[0] && high > low * 1.4 && high > 4; i++) {
                if ((size_t)(end - p) >= strlen(units[i]) && memcmp(p, units[i], strlen(units[i])) == 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Takes what the numbers of the comments say: fewer cycles than the clock gives, or counts from 12 to 71. */
static void take_numbers(struct code_case *k, bool *symptom)
{
    const struct clue *low = reading_find(k->r, CLUE_words_ratio_low);

    if (low != NULL && is_in_comment(k, low->line)) {
        k->sees[READING_small] = *symptom = true;
    }
    for (size_t i = 0; i < k->c->comment_count && i < 100; i++) {
        if (has_range(&k->c->comments[i])) {
            k->sees[READING_noisy] = *symptom = k->ranges = true;
        }
    }
}

/* Returns true if a comment tells of a trap from EL0: "lands in the lower-EL vector, EC 0x18", "ESR 0x62073f41" */
static bool is_told_trap(const struct code_case *k)
{
    const struct clue *trap = reading_find(k->r, CLUE_words_trap);
    const struct clue *syndrome = reading_find(k->r, CLUE_exception_syndrome);
    const bool told = trap != NULL && k->r->sees[READING_fault] && is_in_comment(k, trap->line);
    const bool shown = syndrome != NULL && syndrome->values[0] >> 26 == 0x18 && is_in_comment(k, syndrome->line);

    return (told || shown) && code_says_el0(k);
}

/* Words of complaint. */
static const char *const complaints[] = {
    "why", "stays", "stay", "always", "never", "wrong", "does not", "doesn't", "doesnt", "do not", "don't",
    "not move", "expect", "expected", "instead", "too few", "too many", "too small", "too large", "too low",
    "too high", "too early", "prints 0", "gives 0", "reads 0", "reads zero", "is 0", "are 0", "is zero", "are zero",
    "stuck", "hangs", "hang", "crash", "crashes", "illegal", "SIGILL", "fault", "faults", "fails", "missing",
    "nothing", "same number", "same value", "both times", "cannot", "can't", "won't", "keeps", "jumps", "wraps",
    "negative", "huge", "half", "at once", "second time", "forever", "for ever", "stops", "error", "denied",
    "refused", "unstable", "vary", "varies", "differ", "differs", "random", "takes", "take", "off by", "only",
    "now and then", "sometimes", "no interrupt", "no irq", "returns 0", "return 0", "gives", "shows", "both numbers",
    "all zero", "zeros", "zeroes", "?!", "gets past", "less than", "more than", "no error", "constant", "frozen",
    "dead", "barks", "no samples", "stalled", "useless", "nonsense", "garbage", "drops", "loses", "lost", "sits at",
    "counter 0 only", "remains at", "undefined", "abort", "undef", "trap", "traps", "still", "zero", "no count",
    "get 0", "see 0",
    "got 0", "not work", "no effect", "not change", "unchanged", "0!", "0 :(", "begins again", "starts again",
    "again at", "small values", "dies", "killed", "unhandled", "panic", "panics", "unexpected", "bad", "weird",
    "strange", "odd", "nothing moves", "no longer", "implausible", "impossible", "so bad", "a while", "-1", "EINVAL",
    "sees no", "see no", "is frozen", "I expect", "?!?", "misses", "suddenly", "as soon as", "once in", "not right",
    "of what", "what perf", "fraction of", "gets 0", "although", "oopses", "0 while", "no counter", "die",
    "read 0", "show 0", "print 0", "counts 0",
};

/* Returns true if a function of the text has the name of @length bytes at @name. */
static bool has_function(const struct code_case *k, const char *name, size_t length)
{
    for (size_t i = 1; i < k->c->function_count; i++) {
        if (k->c->functions[i].length == length && memcmp(k->c->functions[i].name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Returns true if the comment of line @line says what a function of the text is for: "pmu_stop(ctx)   stops counting".
 * A sentence, "pmu_read() always returns 0", has a single blank there.
 */
static bool is_documentation(const struct code_case *k, uint32_t line)
{
    for (size_t i = 0; i < k->c->comment_count; i++) {
        const struct code_comment *c = &k->c->comments[i];
        const char *end = c->text + c->length, *p = c->text, *name;

        while (p < end && !isalpha((unsigned char)*p) && *p != '_') {
            p++;
        }
        for (name = p; p < end && (isalnum((unsigned char)*p) || *p == '_'); p++) {
        }
        if (c->line != line || p == end || *p != '(' || !has_function(k, name, (size_t)(p - name))) {
            continue;
        }
        p = memchr(p, ')', (size_t)(end - p));
        if (p != NULL && end - p > 2 &&
            (p[1] == ':' || p[1] == '\t' || (p[1] == ' ' && strchr(" -:=", p[2]) != NULL))) {
            return true;
        }
    }
    return false;
}

/* Returns true if the writer has a word of complaint, other than where he says what a function is for. */
static bool has_complaint(const struct code_case *k)
{
    for (size_t i = 0; i < sizeof complaints / sizeof complaints[0]; i++) {
        if (code_says_beside(k, complaints[i])) {
            return true;
        }
        for (size_t n = 0; n < k->c->comment_count && n < 2000; n++) {
            if (code_comment_says(&k->c->comments[n], complaints[i]) &&
                !is_documentation(k, k->c->comments[n].line)) {
                return true;
            }
        }
    }
    return false;
}

/*
 * Returns true if the comment at @line says what code beside it does: "no interrupts" beside a write of PMINTENCLR.  A
 * comment behind code may concern the lines that follow.
 */
static bool describes_clear(const struct code_case *k, uint32_t line)
{
    const size_t at = text_find(&k->r->text, line);
    const char *text = at < k->r->text.count ? k->r->text.lines[at].text : "";
    const char first = text[text_blanks(text)];
    const uint32_t reach = strchr("/*@;#", first) == NULL ? 3 : 1;

    for (size_t i = 0; i < k->c->step_count && line != 0; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (code_does(s, CODE_WRITE, CODE_PMINTENCLR) && s->line >= line && s->line <= line + reach) {
            return true;
        }
    }
    return false;
}

/* Returns true if step @s sets counters back to 0. */
static bool resets_counters(const struct code_step *s)
{
    return s->act == CODE_WRITE &&
           ((s->reg == CODE_PMCR && (s->value.known & s->value.bits & 6) != 0) ||
            (code_is_count(s->reg) && (s->value.known & ~s->value.bits & UINT32_MAX) == UINT32_MAX));
}

/*
 * Returns true if the comment at @line says what the function below it does: "all counters back to 0" before one that
 * resets them.
 */
static bool describes_reset(const struct code_case *k, uint32_t line)
{
    enum { REACH = 4 };

    for (size_t i = 0; i < k->c->step_count && line != 0; i++) {
        const struct code_step *s = &k->c->steps[i];
        const uint32_t begin = k->c->functions[s->function].line;

        if (resets_counters(s) && ((s->line >= line && s->line <= line + REACH) ||
                                   (begin > line && begin <= line + REACH))) {
            return true;
        }
    }
    return false;
}

/* Returns true if the only word for a fault is in a comment that says that nothing traps: "the PMU traps are clear". */
static bool tells_of_no_trap(const struct code_case *k)
{
    static const char *const faults[] = {"SIGILL",    "illegal", "Illegal", "undefined", "abort",   "exception",
                                         "exceptions", "crash",  "crashes", "dies",      "panic",   "fault",
                                         "faults",    "trapped", "UNDEF",   "fatal",     "ESR_EL1", "ESR_EL2"};
    const struct clue *off = reading_find(k->r, CLUE_words_traps_off);

    if (off == NULL || off->line != k->r->symptoms[READING_fault]) {
        return false;
    }
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (code_says_beside(k, faults[i])) {
            return false;
        }
        for (size_t n = 0; n < k->c->comment_count && n < 2000; n++) {
            if (k->c->comments[n].line != off->line && code_comment_says(&k->c->comments[n], faults[i])) {
                return false;
            }
        }
    }
    return true;
}

/* Returns true if the comment at @line says which cores run the function below: "the boot core and the other one". */
static bool tells_who_runs(const struct code_case *k, uint32_t line)
{
    static const char *const verbs[] = {"come here", "comes here", "run this", "runs this", "call this", "calls this",
                                        "come through here", "comes through here", "enters here", "enter here",
                                        "start here", "starts here", "run it", "called by", "called on"};

    for (size_t n = 1; n < k->c->function_count && line != 0; n++) {
        if (k->c->functions[n].line > line && k->c->functions[n].line <= line + 2) {
            for (size_t i = 0; i < k->c->comment_count; i++) {
                const struct code_comment *c = &k->c->comments[i];

                for (size_t v = 0; c->line == line && v < sizeof verbs / sizeof verbs[0]; v++) {
                    if (code_comment_says(c, verbs[v]) && !code_comment_says(c, "only") &&
                        !code_comment_says(c, "but") && memchr(c->text, '?', c->length) == NULL) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

/*
 * Returns true if the comment of line @line tells how long a period lasts, "overflows after N events", in code that
 * sets a counter to the start of one.
 */
static bool tells_period(const struct code_case *k, uint32_t line)
{
    static const char *const words[] = {"overflow", "overflows", "wrap", "wraps", "counts up", "preload", "reload",
                                        "period"};
    bool preloads = false, says = false;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        preloads |= s->act == CODE_WRITE && code_is_count(s->reg) &&
                    !(code_line_part(k, s->line, "xzr") || (s->value.known == UINT64_MAX && s->value.bits == 0));
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        says |= code_line_says(k, line, words[i]);
    }
    return preloads && says;
}

/* Returns true if no comment sets one core against others: "core 0" alone says where the code runs. */
static bool names_one_core(const struct code_case *k)
{
    static const char *const words[] = {"other",     "others",    "secondary", "secondaries", "another",
                                        "remaining", "scheduled", "sometimes", "taskset",     "migrates",
                                        "depends",   "only core", "core 1",    "core 2",      "core 3",
                                        "cpu 1",     "cpu 2",     "cpu 3",     "core1",       "core2",
                                        "core3",     "cores",     "boot core", "boot cpu",    "first core"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (code_says(k, words[i])) {
            return false;
        }
    }
    return k->r->said == NULL;
}

/* Returns true if what the sentences call symptom @i is none: they tell what the code does, or where it runs. */
static bool is_told(const struct code_case *k, unsigned i)
{
    if (i == READING_one_cpu) {
        return code_runs_alone(k) || code_is_outside(k) || tells_who_runs(k, k->r->symptoms[i]) || names_one_core(k);
    }
    if (i == READING_fault) {
        return tells_of_no_trap(k);
    }
    if ((i == READING_wraps || i == READING_sometimes) && tells_period(k, k->r->symptoms[i])) {
        return true;
    }
    for (unsigned other = 0; i == READING_wraps && other < READING_good; other++) {
        if (other != i && k->r->sees[other] && !is_told(k, other)) {
            return false;
        }
    }
    if (i == READING_wraps) {
        return describes_reset(k, k->r->symptoms[i]) ||
               (reading_find(k->r, CLUE_words_wrap_handled) != NULL &&
               reading_find(k->r, CLUE_words_wrapped) == NULL && reading_find(k->r, CLUE_words_time_wraps) == NULL);
    }
    return i == READING_no_interrupt && describes_clear(k, k->r->symptoms[i]);
}

/*
 * Finds out whether the writer complains.  A comment such as "clear overflows" or "counter 0 = refills" tells what the
 * code does, so a symptom counts only beside a word of complaint.
 */
void code_find_complaint(struct code_case *k)
{
    const struct clue *wonders = reading_find(k->r, CLUE_words_wonders);
    const unsigned shown = code_shown(k->c);
    bool complains = reading_find(k->r, CLUE_words_wrapped) != NULL, symptom = k->r->said != NULL;

    if (k->c->facts[CODE_HAS_LICENCE] != 0 && k->r->said == NULL) {
        return;
    }

    symptom |= (code_says(k, "missing") && !code_says(k, "anything missing") && !code_says(k, "something missing")) ||
               code_says(k, "so bad") || code_says(k, "makes no sense") ||
               code_says(k, "why is") || code_says(k, "why are") || code_says(k, "why does");
    symptom |= k->c->perf != NULL && code_perf_fails(k);
    take_numbers(k, &symptom);
    for (unsigned i = 0; i < READING_SYMPTOMS; i++) {
        symptom |= k->r->sees[i] && is_in_comment(k, k->r->symptoms[i]) && i != READING_good && i != READING_question &&
                   !is_told(k, i) && !is_documentation(k, k->r->symptoms[i]);
    }
    complains = complains || (symptom && has_complaint(k));
    complains |= wonders != NULL && is_in_comment(k, wonders->line);
    if (is_told_trap(k) && !tells_of_no_trap(k)) {
        symptom = complains = k->sees[READING_fault] = true;
    }
    if (reading_find(k->r, CLUE_words_printed) != NULL) { /* what it printed complains for the writer */
        symptom = complains = true;
    }
    k->complains = (symptom && (complains || k->ranges || k->r->said != NULL)) || shown != 0;
    if (k->complains) {
        for (unsigned i = 0; i < READING_SYMPTOMS; i++) {
            k->sees[i] |= (k->r->sees[i] && !is_told(k, i)) || (shown >> i & 1) != 0;
        }
    } else {
        memset(k->sees, 0, sizeof k->sees);
    }
}
