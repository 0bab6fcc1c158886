/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the numbers of counters in a text, and lists of counts in which some are 0, and cycles that hardly vary. */
#include <string.h>

#include "words.h"

/* Returns the number of the counter that token @i names, 0 for none. */
static unsigned counter_at(const struct prose *p, size_t i)
{
    const struct prose_token *t = &p->tokens[i];
    size_t digits;

    if (words_prose_is(p, i, "counter/counters/pmn/index/slot/ctr/numbered/number") && i + 1 < p->count &&
        p->tokens[i + 1].number && !p->tokens[i + 1].hex && p->tokens[i + 1].value <= 30) {
        return p->tokens[i + 1].value > 0 ? (unsigned)p->tokens[i + 1].value : 0;
    }
    if (t->length < 9 || (memcmp(t->text, "pmevcntr", 8) != 0 && memcmp(t->text, "pmevtype", 8) != 0)) {
        return 0;
    }
    digits = t->text[8] == 'r' ? 9 : 8;
    return t->text[digits] >= '0' && t->text[digits] <= '9'
               ? (unsigned)(t->text[digits] - '0') * (t->text[digits + 1] >= '0' &&
                   t->text[digits + 1] <= '9' ? 10u : 1u)
               : 0;
}

/* Finds the number of a counter that many cores lack. */
static void find_high_counter(struct reading *r, const struct prose *p)
{
    unsigned most = 2;

    for (size_t i = 0; i < p->count; i++) {
        const unsigned n = counter_at(p, i);

        if (n > most && n <= 30) {
            most = n;
        }
    }
    if (most > 2) {
        reading_clue(r, CLUE_words_high_counter, p->tokens[0].line, NULL)->values[0] = most;
    }
}

/* Returns true if token @i names what is counted, so that the number behind it is a count: "insns=0". */
static bool is_counted(const struct prose *p, size_t i)
{
    return words_prose_is(p, i, "insn/insns/instr/instrs/instructions/cycles/cyc/cc/ccnt/cyccnt/pmccntr*/pmevcntr*/"
                                "pmxevcntr*/misses/refills/branches/count/counts/cnt/cnt0/cnt1/cnt2/cnt3/ctr0/ctr1/"
                                "ctr2/ctr3/evt0/evt1/evt2/pmn0/pmn1/pmn2/delta/diff/elapsed/ticks/loads/stores/"
                                "inst_retired/l1d*/br_*/dcache*/icache*/dtlb*/itlb*/llc*/papi_tot*/stalls");
}

/*
 * Looks for counts that are 0 in a list of names and numbers: "cycles=48213 insns=0", "PMCCNTR 0 0 0".  A name with one
 * 0 alone may be a setting.
 */
static void find_zero_counts(struct reading *r, const struct prose *p)
{
    uint32_t zero = 0, other = 0; /* the lines of the last ones */

    for (size_t i = 0; i < p->count; i++) {
        size_t zeros = 0, end = i + 1;

        if (!is_counted(p, i)) {
            continue;
        }
        for (; end < p->count && p->tokens[end].number && p->tokens[end].line == p->tokens[i].line &&
               !p->tokens[end].hex; end++) {
            zeros += p->tokens[end].value == 0;
        }
        if (zeros != 0 && zeros == end - i - 1) {
            zero = p->tokens[i].line;
        } else if (end > i + 1) {
            other = p->tokens[i].line;
        }
        if (zeros >= 3 || (zero != 0 && other != 0 && (zero > other ? zero - other : other - zero) <= 2)) {
            reading_symptom(r, READING_zero, zero);
            return;
        }
    }
}

/* Returns true if @a and @b are counts that differ by at most 5 %: "between 1.61 and 1.63 million" */
static bool are_near(const struct prose_token *a, const struct prose_token *b)
{
    double low = a->value;

    if (!a->number || !b->number || a->hex || b->hex || a->index || b->index || b->value < 1000) {
        return false;
    }
    while (low > 0 && low < 1e9 && low * 500 < b->value) {
        low *= 1000; /* the unit stands behind the second number alone */
    }
    return low != b->value && words_is_near(low, b->value, 0.05);
}

/* Looks for cycles that hardly vary: "1 611 000 to 1 624 000", "vary by 2 %". */
static void find_jitter(struct reading *r, const struct prose *p)
{
    for (size_t i = 1; i + 1 < p->count; i++) {
        const struct prose_token *t = &p->tokens[i];
        const bool range =
            words_prose_is(p, i, "to/and/or/bis/until") && are_near(&p->tokens[i - 1], &p->tokens[i + 1]);
        const bool little = (t->number && t->value <= 5) || words_prose_is(p, i, "a/one/half/two/three/few");
        bool varies = false;

        for (size_t k = i; little && words_prose_is(p, i + 1, "%/percent") && k > 0 && i - k < 9 &&
                           p->tokens[k - 1].sentence == t->sentence; k--) {
            varies |= words_prose_is(p, k - 1, "vary/varies/varied/varying/differ/differs/jitter/jitters/fluctuate/"
                                               "fluctuates/spread/scatter/scatters/wobble/wobbles/within/off");
        }
        if (range || varies) {
            reading_clue(r, CLUE_words_jitter, t->line, NULL);
            return;
        }
    }
}

/* Returns true if the sentence of token @i says that what it tells is wanted: "by our design". */
static bool is_intended(const struct prose *p, size_t i)
{
    static const char words[] = "deliberately/intentionally/deliberate/intended/intentional/planned/wanted/want/wants";

    for (size_t k = 0; k < p->count; k++) {
        if (p->tokens[k].sentence != p->tokens[i].sentence) {
            continue;
        }
        for (size_t from = k + 1; words_prose_is(p, k, "by/on") && from < p->count && from <= k + 2; from++) {
            if (words_prose_is(p, from, "design/purpose/intention")) {
                return true;
            }
        }
        if (words_prose_is(p, k, words) && (k == 0 || !words_prose_is(p, k - 1, "not/never/no"))) {
            return true;
        }
    }
    return false;
}

/* Looks for a value of HPMN that is wanted: "our hypervisor sets HPMN to 4, by design". */
static void find_wanted_hpmn(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        for (size_t k = i + 1; words_prose_is(p, i, "hpmn/mdcr_el2.hpmn/hdcr.hpmn") && k < p->count && k <= i + 4 &&
                               p->tokens[k].sentence == p->tokens[i].sentence; k++) {
            const struct prose_token *t = &p->tokens[k];

            if (t->number && t->value >= 1 && t->value <= 31 && is_intended(p, i)) {
                words_add_pair(r, CLUE_words_hpmn_wanted, t->line, t->value, 0);
            }
        }
    }
}

/* Returns true if token @i is a count of events, and no time, rate, address or number of something. */
static bool is_count(const struct prose *p, size_t i)
{
    const struct prose_token *t = &p->tokens[i];

    return t->number && !t->hex && !t->index && t->value >= 1e5 && words_seconds(p, i + 1) == 0 &&
           !words_prose_is(p, i + 1, "mhz/ghz/khz/hz/bytes/kb/mb");
}

/*
 * Looks for a count that is the sum of two others: "1 000 401 618, 119 811 007 and 880 590 611" are all cycles and
 * their shares.  A share that is next to nothing is none.
 */
static void find_shares(struct reading *r, const struct prose *p)
{
    size_t counts[40], n = 0;

    for (size_t i = 0; i < p->count && n < sizeof counts / sizeof counts[0]; i++) {
        if (is_count(p, i)) {
            counts[n++] = i;
        }
    }
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            for (size_t c = b + 1; c < n; c++) {
                const double sum = p->tokens[counts[a]].value, x = p->tokens[counts[b]].value,
                             y = p->tokens[counts[c]].value;

                if (a != b && a != c && words_is_near(x + y, sum, 1e-3) && x > 0.01 * sum && y > 0.01 * sum) {
                    words_add_pair(r, CLUE_words_shares, p->tokens[counts[a]].line, x, y);
                    return;
                }
            }
        }
    }
}

/* Returns true if a manual says what token @i is a number of: "the TRM says six counters". */
static bool is_of_manual(const struct prose *p, size_t i)
{
    for (size_t k = i; k > 0 && i - k < 5 && p->tokens[k - 1].sentence == p->tokens[i].sentence; k--) {
        if (words_prose_is(p, k - 1, "trm/manual/datasheet/documentation/docs/specification/handbook/tables")) {
            return true;
        }
    }
    return false;
}

/*
 * Looks for two numbers of counters, one with the cycle counter: "7 counters available" and "six event counters", or
 * what a manual says.
 */
static void find_cycle_included(struct reading *r, const struct prose *p)
{
    const struct clue *driver = reading_find(r, CLUE_linux_driver);
    double events = 0, all = driver == NULL ? 0 : (double)driver->values[0];

    for (size_t i = 0; i + 1 < p->count; i++) {
        const double n = p->tokens[i].number ? p->tokens[i].value : words_spelled(p, i);
        const bool kind = words_prose_is(p, i + 1, "event/hardware/programmable/general/configurable");

        if (n < 2 || n > 31) {
            continue;
        }
        if ((kind && words_prose_is(p, i + 2, "counter/counters")) ||
            (is_of_manual(p, i) && words_prose_is(p, i + 1, "counters"))) {
            events = n;
        } else if (words_prose_is(p, i + 1, "counters") ||
                   (i != 0 && words_prose_is(p, i - 1, "says/reports/shows/prints/lists/finds/sees/claims"))) {
            all = n;
        }
    }
    if (events != 0 && all == events + 1) {
        reading_clue(r, CLUE_words_cycle_included, p->tokens[0].line, NULL);
    }
}

void words_prose_counters(struct reading *r, const struct prose *p)
{
    find_cycle_included(r, p);
    find_high_counter(r, p);
    find_zero_counts(r, p);
    find_jitter(r, p);
    find_wanted_hpmn(r, p);
    find_shares(r, p);
}
