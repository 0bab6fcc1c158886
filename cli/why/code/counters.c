/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: which counters it uses, against those that the core has. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

/* Returns the number that follows @word in @text, such as "counter 3" or "pmevcntr3_el0"; -1 if there is none. */
static int number_after(const char *text, size_t length, const char *word)
{
    const size_t n = strlen(word);

    for (size_t i = 0; i + n < length; i++) {
        size_t at = i + n;
        int value = 0;

        if (strncasecmp(text + i, word, n) != 0 || (i > 0 && isalnum((unsigned char)text[i - 1]))) {
            continue;
        }
        at += at < length && (text[at] == ' ' || text[at] == '#');
        if (at >= length || !isdigit((unsigned char)text[at])) {
            continue;
        }
        for (; at < length && isdigit((unsigned char)text[at]) && value < 100; at++) {
            value = 10 * value + (text[at] - '0');
        }
        if (value < 31 && (at >= length || (text[at] != '.' && text[at] != 'x' && text[at] != '%'))) {
            return value;
        }
    }
    return -1;
}

uint32_t code_mentioned(const struct code_case *k)
{
    static const char *const cycles[] = {"cycle counter", "PMCCNTR", "PMCCNTR_EL0", "CCNT", "cycle count", "CYCCNT"};
    static const char *const events[] = {"counter", "event counter", "PMEVCNTR", "PMN", "index", "PMEVTYPER"};
    uint32_t set = 0;

    for (size_t i = 0; i < k->c->comment_count && i < 200; i++) {
        const struct code_comment *c = &k->c->comments[i];

        for (size_t e = 0; e < sizeof events / sizeof events[0]; e++) {
            const int n = number_after(c->text, c->length, events[e]);

            set |= n >= 0 ? UINT32_C(1) << n : 0;
        }
    }
    for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++) {
        set |= code_says(k, cycles[i]) ? UINT32_C(1) << CODE_CYCLE : 0;
    }
    return set;
}

void code_take_mentioned(struct code_case *k)
{
    uint32_t set;

    if (!code_complains(k) || k->read_counters != 0 || k->typed != 0 || !k->set_up) {
        return;
    }
    set = code_mentioned(k);
    if (set != 0 && (set & (set - 1)) == 0) { /* one counter alone: that is what the writer looks at */
        k->read_counters |= set;
        k->used |= set;
    }
}

/* Returns how many event counters the core has; 0 if it is not known. */
static unsigned limit(const struct code_case *k)
{
    const unsigned said = (unsigned)reading_value(&k->r->machine.counters, 0);

    return said != 0 ? said : k->core != NULL && k->core->counters < 31 ? k->core->counters : 0;
}

/* Finds code that takes N from the value that it wrote to PMCR: it writes PMCR and reads it nowhere. */
static void check_written_n(struct code_case *k)
{
    const size_t at = code_last_write(k, CODE_PMCR);
    char cure[400];

    if (at == SIZE_MAX || !k->r->sees[READING_few_counters] || reading_find(k->r, CLUE_words_n_zero) == NULL) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        if (k->c->steps[i].act == CODE_READ && k->c->steps[i].reg == CODE_PMCR) {
            return;
        }
    }
    suspect_text(cure, "read PMCR back after the write, %s, and take N from bits 15:11 of that",
                 k->aarch32 ? "MRC p15, 0, <r>, c9, c12, 0" : "MRS <x>, PMCR_EL0");
    code_suspect(k, WHY_pmcr_value_copied_from_write, SUSPECT_CERTAIN, at,
                 "this writes PMCR and nothing reads it: N (bits 15:11) of the value that was written is 0", cure)
        ->weight = 70;
}

void rules_code_counters(struct code_case *k)
{
    const unsigned have = limit(k);
    const bool seen = k->sees[READING_fault] || k->sees[READING_zero] || k->sees[READING_stuck];
    char because[400], cure[400], name[32];

    check_written_n(k);
    code_check_identity(k);
    if (k->m_profile || k->arm11 || (k->user && !k->granted) || (have == 0 && !k->sees[READING_fault])) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const bool access = (s->act == CODE_READ || s->act == CODE_WRITE) && (s->flags & CODE_MAYBE) == 0;
        const int n = access ? code_counter_of(k, i) : -1;
        const bool beyond = have != 0 ? n >= (int)have : n >= 8;

        if (n < 0 || n == CODE_CYCLE || !beyond || (!seen && (s->flags & CODE_PER_CPU) == 0 && have == 0)) {
            continue;
        }
        suspect_text(because, "%s: the core has %u event counters, 0 to %u, and no counter %d",
                     code_name_text(k, s->reg, (unsigned)n, name), have, have - 1, n);
        if (have == 0) {
            suspect_text(because, "this reaches counter %d, and most cores have 4 to 8 event counters", n);
        }
        suspect_text(cure, "use counters below N, bits 15:11 of PMCR%s: (PMCR >> 11) & 31 is the bound of the loop",
                     k->aarch32 ? "" : "_EL0");
        if (have != 0) {
            why_append(cure, sizeof cure, "; N is %u here", have);
        }
        code_suspect(k, WHY_counter_does_not_exist, have != 0 && seen ? SUSPECT_CERTAIN : SUSPECT_LIKELY, i, because,
                     cure)
            ->weight = 74;
        suspect_clear(k->all, WHY_counter_not_enabled);
        return;
    }
}
