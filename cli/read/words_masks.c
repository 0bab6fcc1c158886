/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds what sentences give of fields and masks: the enables of counters, PMCR.N at two levels, PMUVer, thresholds; and
 * counts that are what a size of memory or two clocks tell.
 */
#include <string.h>

#include "words.h"

/* Returns true if one of @words is at most @reach tokens before or behind token @i, in its sentence. */
static bool is_beside(const struct prose *p, size_t i, size_t reach, const char *words)
{
    for (size_t k = i > reach ? i - reach : 0; k < p->count && k <= i + reach; k++) {
        if (p->tokens[k].sentence == p->tokens[i].sentence && words_prose_is(p, k, words)) {
            return true;
        }
    }
    return false;
}

/* Returns true if one of @words is in the sentence of token @i, or in the one before it. */
static bool is_spoken_of(const struct prose *p, size_t i, const char *words)
{
    for (size_t k = 0; k < p->count && p->tokens[k].sentence <= p->tokens[i].sentence; k++) {
        if (p->tokens[k].sentence + 1 >= p->tokens[i].sentence && words_prose_is(p, k, words)) {
            return true;
        }
    }
    return false;
}

/* Returns true if one of @words is anywhere in the text. */
static bool is_named(const struct prose *p, const char *words)
{
    for (size_t i = 0; i < p->count; i++) {
        if (words_prose_is(p, i, words)) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Masks of enables.
 */

/* Returns the number of the counter that token @i names, "counter 3", "PMEVCNTR3_EL0"; 31 for none. */
static unsigned counter_named(const struct prose *p, size_t i)
{
    const struct prose_token *t = &p->tokens[i];

    if (words_prose_is(p, i, "counter/ctr/slot") && i + 1 < p->count && p->tokens[i + 1].number &&
        !p->tokens[i + 1].hex && p->tokens[i + 1].value <= 30) {
        return (unsigned)p->tokens[i + 1].value;
    }
    return t->length >= 9 && memcmp(t->text, "pmevcntr", 8) == 0 && t->text[8] >= '0' && t->text[8] <= '9' &&
                   (t->length == 9 || t->text[9] == '_')
               ? (unsigned)(t->text[8] - '0')
               : 31;
}

/* Returns true if what follows the counter that token @i names says that it stands still. */
static bool is_dead(const struct prose *p, size_t i)
{
    for (size_t k = i + 2; k < p->count && k <= i + 9 && p->tokens[k].sentence == p->tokens[i].sentence &&
                           counter_named(p, k) == 31; k++) {
        if (words_prose_is(p, k, "zero/stuck/dead/frozen/still/nothing/silent") ||
            (words_prose_is(p, k, "not/never") &&
             words_prose_is(p, k + 1, "count/counts/move/moves/counting/moving/increment/increments/advance/change/run/"
                                      "runs/start/starts/do")) ||
            (p->tokens[k].number && p->tokens[k].value == 0 &&
             words_prose_is(p, k - 1, "at/is/stays/reads/always/constantly/exactly/gives/shows/returns/remains/on"))) {
            return true;
        }
    }
    return false;
}

/* Returns true if token @i is a mask of enables: "0x80000007", or a smaller one beside PMCNTENSET. */
static bool is_enable_mask(const struct prose *p, size_t i)
{
    const struct prose_token *t = &p->tokens[i];
    const bool cycle = t->value > 2147483648.0 && t->value < 2147483648.0 + 128;
    const bool named = is_beside(p, i, 8, "pmcnten*/cntenset/enset");

    return t->number && t->hex && (cycle || (named && t->value >= 1 && t->value < 128)) &&
           (cycle || !is_beside(p, i, 6, "pmcr*")) &&
           !is_beside(p, i, 6, "pmovs*/pminten*/pmccfiltr*/pmevtyper*/pmxevtyper*/filter/flags/overflow");
}

/* Looks for a counter that stands still, and whose bit the mask of enables lacks: "counter 3 ... writes 0x80000007". */
static void find_missing_enable(struct reading *r, const struct prose *p)
{
    unsigned dead = 31;
    size_t lacks = p->count;

    for (size_t i = 0; i < p->count && dead == 31; i++) {
        dead = counter_named(p, i) != 31 && is_dead(p, i) ? counter_named(p, i) : 31;
    }
    for (size_t i = 0; i < p->count && dead != 31; i++) {
        if (is_enable_mask(p, i) && ((uint64_t)p->tokens[i].value >> dead & 1) != 0) {
            return; /* a later mask has it */
        }
        lacks = is_enable_mask(p, i) ? i : lacks;
    }
    if (lacks < p->count) {
        words_add_pair(r, CLUE_words_mask_lacks, p->tokens[lacks].line, p->tokens[lacks].value, dead);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Fields.
 */

/* Returns true if the sentence of token @i, or the one before it, speaks of PMCR.N. */
static bool is_about_n(const struct prose *p, size_t i)
{
    for (size_t k = 0; k < p->count && p->tokens[k].sentence <= p->tokens[i].sentence; k++) {
        if (p->tokens[k].sentence + 1 >= p->tokens[i].sentence &&
            (words_prose_is(p, k, "pmcr.n/n") || (words_prose_is(p, k, "15") && words_prose_is(p, k + 1, "11")))) {
            return true;
        }
    }
    return false;
}

/* Returns true if token @i is a value of PMCR.N that somebody reads: "get 6", "reads 2". */
static bool is_value_of_n(const struct prose *p, size_t i)
{
    const struct prose_token *t = &p->tokens[i];

    return t->number && !t->hex && !t->index && t->value <= 31 && i != 0 && words_seconds(p, i + 1) == 0 &&
           words_prose_is(p, i - 1, "get/gets/got/is/was/reads/read/has/prints/printed/shows/says/gives/gave/see/sees/"
                                    "saw/find/finds/returns/only/as/then") &&
           !words_prose_is(p, i + 1, "ghz/mhz/cores/cpus/bits/bit/%/percent/on/to/in");
}

/* Looks for two values of PMCR.N: "in BL31 I get 6, at EL1 the same bits are 2". */
static void find_values_of_n(struct reading *r, const struct prose *p)
{
    double most = 0, least = 32;
    uint32_t line = 0;

    if (!is_named(p, "pmcr*/pmnc") || reading_find(r, CLUE_words_hpmn) != NULL) {
        return;
    }
    for (size_t i = 0; i < p->count; i++) {
        if (is_value_of_n(p, i) && is_about_n(p, i)) {
            line = p->tokens[i].value < least ? p->tokens[i].line : line;
            least = p->tokens[i].value < least ? p->tokens[i].value : least;
            most = p->tokens[i].value > most ? p->tokens[i].value : most;
        }
    }
    if (least < most) {
        words_add_pair(r, CLUE_words_values_of_n, line, most, least);
        reading_symptom(r, READING_few_counters, line);
    }
}

/* Looks for a value of ID_AA64DFR0_EL1 whose PMUVer, bits 11:8, is 0 or 15. */
static void find_pmu_version(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count && reading_find(r, CLUE_words_pmu_version) == NULL; i++) {
        const struct prose_token *t = &p->tokens[i];

        if (!t->number || !t->hex || t->value >= 1.8e19 || !is_spoken_of(p, i, "id_aa64dfr0*")) {
            continue;
        }
        const unsigned version = (unsigned)((uint64_t)t->value >> 8 & 15);

        if (version == 0 || version == 15) {
            words_add_pair(r, CLUE_words_pmu_version, t->line, version, t->value);
        }
    }
}

/* Looks for the upper half of PMEVTYPER with TC (bits 63:61) or TH (bits 43:32): "the upper word reads 0xA0000001". */
static void find_threshold(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct prose_token *t = &p->tokens[i];
        const uint64_t value = t->number && t->hex && t->value < 1.8e19 ? (uint64_t)t->value : 0;
        const uint64_t upper = value >> 32 != 0 ? value >> 32 : value;

        if ((upper & UINT64_C(0xE0000FFF)) != 0 && is_spoken_of(p, i, "pmevtyper*/pmxevtyper*") &&
            (value >> 32 != 0 || (is_beside(p, i, 6, "upper/high/top/hi") &&
                                  is_beside(p, i, 6, "word/half/32/bits/part")))) {
            words_add_pair(r, CLUE_words_threshold_value, t->line, (double)(upper & 0xFFF), (double)(upper >> 29));
            return;
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counts that are right.
 */

/* Returns the bytes of the size at token @i, "64 MB", with @kilo of 1000 or 1024; 0 if it is none. */
static double bytes_at(const struct prose *p, size_t i, double kilo)
{
    const double n = p->tokens[i].number && !p->tokens[i].hex ? p->tokens[i].value : 0;

    return words_prose_is(p, i + 1, "kb/kib/kbyte/kbytes/kilobytes")   ? n * kilo
           : words_prose_is(p, i + 1, "mb/mib/mbyte/mbytes/megabytes") ? n * kilo * kilo
           : words_prose_is(p, i + 1, "gb/gib/gbyte/gbytes/gigabytes") ? n * kilo * kilo * kilo
                                                                       : 0;
}

/* Looks for refills that are one for each line of memory that is read: "64 MB ... 1,049,213 refills". */
static void find_line_refills(struct reading *r, const struct prose *p)
{
    if (!is_named(p, "refill/refills/miss/misses/l1d_cache_refill*/l2d_cache_refill*/ll_cache_miss*/r03/r003/r17")) {
        return;
    }
    for (size_t i = 0; i + 1 < p->count; i++) {
        for (size_t k = 0; k < p->count; k++) {
            const struct prose_token *t = &p->tokens[k];
            const bool count = t->number && !t->hex && t->value >= 1000 && bytes_at(p, k, 1) == 0 && k != i;

            if (count && bytes_at(p, i, 1) != 0 && (words_is_near(t->value, bytes_at(p, i, 1024) / 64, 0.02) ||
                                                    words_is_near(t->value, bytes_at(p, i, 1000) / 64, 0.02))) {
                words_add_pair(r, CLUE_words_line_refills, t->line, t->value, bytes_at(p, i, 1024));
            }
        }
    }
}

/* Returns the clock at token @i in Hz, 0 if there is none. */
static double rate_at(const struct prose *p, size_t i)
{
    return p->tokens[i].number ? p->tokens[i].value * words_hertz(p, i + 1) : 0;
}

/* A clock with a time and a count of the same phrase: "at 600 MHz it takes 2.00 s and 1,199,803,112 cycles". */
struct phase {
    double rate, time, count;
};

/* Reads the phase that begins with the clock at token @i, up to the next clock.  Returns false if it is none. */
static bool read_phase(const struct prose *p, size_t i, struct phase *phase)
{
    *phase = (struct phase){.rate = rate_at(p, i)};
    for (size_t k = i + 2; phase->rate != 0 && k < p->count && k < i + 30 && rate_at(p, k) == 0; k++) {
        const struct prose_token *t = &p->tokens[k];
        const double time = t->number ? t->value * words_seconds(p, k + 1) : 0;

        phase->time = phase->time == 0 ? time : phase->time;
        if (phase->count == 0 && t->number && !t->hex && t->value >= 1e5 && time == 0) {
            phase->count = t->value;
        }
    }
    return phase->time != 0 && phase->count != 0;
}

/*
 * Compares counts of two clocks, each with its time.  They are right if each clock gives its count, "2 s at 600 MHz:
 * 1.2e9, 0.67 s at 1.8 GHz: 1.2e9"; and what has the same rate at both is a timer.
 */
static void find_two_clocks(struct reading *r, const struct prose *p)
{
    struct phase before = {0}, now;

    for (size_t i = 0; i + 2 < p->count; i++) {
        if (!read_phase(p, i, &now)) {
            continue;
        }
        const double rate = now.count / now.time;
        const bool two = before.count != 0 && !words_is_near(now.rate, before.rate, 0.2);

        if (two && words_is_near(rate, now.rate, 0.025) &&
            words_is_near(before.count / before.time, before.rate, 0.025)) {
            words_add_pair(r, CLUE_words_two_clocks, p->tokens[i].line, before.count, now.count);
        } else if (two && words_is_near(before.count / before.time, rate, 0.01) && rate > 1e6 && rate < now.rate / 3) {
            words_add_pair(r, CLUE_words_ratio_timer, p->tokens[i].line, rate, 0);
            words_add_pair(r, CLUE_words_fixed_rate, p->tokens[i].line, rate, 0);
        }
        before = now;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Cores.
 */

/* Looks for a core that has VHE: one of Armv8.1 or later, whose PMUVer is 4 or more. */
static void find_vhe_core(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct apmu_core_info *core = words_core_of_token(p, i);

        if ((core != NULL && core->pmu == APMU_CORE_PMU_V3 && core->version >= 4) ||
            words_prose_is(p, i, "graviton2/graviton3/graviton4/altra/ampereone/grace/neoverse/armv9")) {
            reading_clue(r, CLUE_words_vhe_core, p->tokens[i].line, p->tokens[i].text);
            return;
        }
    }
}

void words_prose_masks(struct reading *r, const struct prose *p)
{
    find_missing_enable(r, p);
    find_values_of_n(r, p);
    find_pmu_version(r, p);
    find_threshold(r, p);
    find_line_refills(r, p);
    find_two_clocks(r, p);
    find_vhe_core(r, p);
}
