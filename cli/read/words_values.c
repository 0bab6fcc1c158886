/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds values that sentences give: what is written to PMCR and read back, and the numbers of events of caches. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#define PMCR_CONTROLS 0x7ffu /* E to LP, and FZO */
#define PMCR_RESETS   0x006u /* P and C, which read as zero */

/* Returns the index of a word of @words at most @reach tokens before token @i in its sentence; p->count: none. */
static size_t word_before(const struct prose *p, size_t i, size_t reach, const char *words)
{
    for (size_t k = i; k > 0 && i - k < reach && p->tokens[k - 1].sentence == p->tokens[i].sentence; k--) {
        if (words_prose_is(p, k - 1, words)) {
            return k - 1;
        }
    }
    return p->count;
}

/* Returns true if token @i names a register of the PMU; *@pmcr tells whether it is PMCR. */
static bool is_register(const struct prose *p, size_t i, bool *pmcr)
{
    *pmcr = words_prose_is(p, i, "pmcr*/pmnc");
    return *pmcr || words_prose_is(p, i, "pmcnten*/pmevtyper*/pmxevtyper*/pmuserenr*/pmselr*/pminten*/pmovs*/pmceid*/"
                                         "pmccfiltr*/pmccntr*/pmevcntr*/pmxevcntr*/pmswinc*/mdcr*/hdcr*");
}

/* Returns true if the register that is named nearest to the number at token @i, in its sentence, is PMCR. */
static bool is_of_pmcr(const struct prose *p, size_t i)
{
    bool pmcr;

    for (size_t d = 1; d <= 6; d++) {
        if (i + d < p->count && p->tokens[i + d].sentence == p->tokens[i].sentence && is_register(p, i + d, &pmcr)) {
            return pmcr;
        }
        if (i >= d && p->tokens[i - d].sentence == p->tokens[i].sentence && is_register(p, i - d, &pmcr)) {
            return pmcr;
        }
    }
    return false;
}

/* Returns true if no other register than PMCR is named between tokens @from and @to. */
static bool is_pmcr_alone(const struct prose *p, size_t from, size_t to)
{
    bool pmcr;

    for (size_t k = from; k < to; k++) {
        if (is_register(p, k, &pmcr) && !pmcr) {
            return false;
        }
    }
    return true;
}

/* Returns true if @value is what PMCR reads as after @written: the controls as written, and a number of counters. */
static bool is_as_written(const struct reading *r, uint64_t written, uint64_t value)
{
    const uint64_t counters = value >> 11 & 31;
    const struct apmu_core_info *core = r->machine.core;

    return written <= PMCR_CONTROLS && (written & 1) != 0 && value >> 32 == 0 && counters != 0 &&
           (value & PMCR_CONTROLS) == (written & PMCR_CONTROLS & ~(uint64_t)PMCR_RESETS) &&
           (core == NULL || core->counters > 31 || core->counters == counters);
}

/* Looks for a value of PMCR that is the one written, beside what is read-only: "wrote 0x7, it reads 0x410f3001". */
static void find_pmcr_as_written(struct reading *r, const struct prose *p)
{
    size_t written = p->count;

    for (size_t i = 0; i < p->count; i++) {
        const struct prose_token *t = &p->tokens[i];

        if (!t->number || !t->hex || t->value < 1 || t->value > 4294967295.0) {
            continue;
        }
        if (t->value <= PMCR_CONTROLS && is_of_pmcr(p, i)) {
            written = i;
        } else if (written < p->count && t->sentence - p->tokens[written].sentence <= 4 &&
                   is_pmcr_alone(p, written, i) &&
                   word_before(p, i, 5, "read/reads/readback/back/get/gets/got/see/sees/shows/returns/gives/later/is") <
                       p->count &&
                   is_as_written(r, (uint64_t)p->tokens[written].value, (uint64_t)t->value)) {
            words_add_pair(r, CLUE_words_pmcr_as_written, t->line, t->value, p->tokens[written].value);
            return;
        }
    }
}

/* Returns the number of the event that token @i names, 0 if it names none: "event 0x04", "r04". */
static unsigned event_at(const struct prose *p, size_t i)
{
    static const struct {
        const char *words;
        unsigned number;
    } raw[] = {
        {"r1/r01/r001/r0001", 0x01}, {"r3/r03/r003/r0003", 0x03}, {"r4/r04/r004/r0004", 0x04},
        {"r14/r014/r0014", 0x14}, {"r16/r016/r0016", 0x16}, {"r17/r017/r0017", 0x17}, {"r2a/r02a/r002a", 0x2a},
        {"r2b/r02b/r002b", 0x2b},
    };

    for (size_t n = 0; n < sizeof raw / sizeof raw[0]; n++) {
        if (words_prose_is(p, i, raw[n].words)) {
            return raw[n].number;
        }
    }
    return p->tokens[i].number && p->tokens[i].hex && p->tokens[i].value < 1024 &&
                   word_before(p, i, 3, "event/events/evt/number/pmevtyper*/pmxevtyper*/pmxevtyper") < p->count
               ? (unsigned)p->tokens[i].value
               : 0;
}

/* Returns true if event @number counts the accesses of a cache: L1D_CACHE, L1I_CACHE, L2D_CACHE and L3D_CACHE. */
static bool counts_accesses(unsigned number)
{
    return number == 0x04 || number == 0x14 || number == 0x16 || number == 0x2b;
}

/* Returns true if @p names what counts the misses of a cache. */
static bool names_refills(const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const unsigned number = event_at(p, i);

        if (number == 0x01 || number == 0x03 || number == 0x17 || number == 0x2a ||
            words_prose_is(p, i, "refill/refills/l1d_cache_refill*/l1i_cache_refill*/l2d_cache_refill*/"
                                 "l3d_cache_refill*/0x3/0x03/0x01/0x17/0x2a")) {
            return true;
        }
    }
    return false;
}

/* Returns true if the sentence of token @i speaks of misses, and not of accesses. */
static bool is_of_misses(const struct prose *p, size_t i)
{
    bool misses = false;

    for (size_t k = 0; k < p->count; k++) {
        if (p->tokens[k].sentence != p->tokens[i].sentence) {
            continue;
        }
        if (words_prose_is(p, k, "access/accesses/reference/references/hit/hits/lookup/lookups/branch/branches")) {
            return false;
        }
        misses = misses || words_prose_is(p, k, "miss/misses/missrate/missed");
    }
    return misses;
}

/* Looks for an event that counts a cache's accesses and is taken for its misses: "L1D misses (event 0x04)". */
static void find_accesses_for_misses(struct reading *r, const struct prose *p)
{
    size_t found = p->count;

    for (size_t i = 0; i < p->count && found == p->count; i++) {
        found = counts_accesses(event_at(p, i)) && is_of_misses(p, i) ? i : found;
    }
    if (found == p->count || names_refills(p)) {
        return;
    }
    words_add_pair(r, CLUE_words_accesses_for_misses, p->tokens[found].line, event_at(p, found), 0);
    for (size_t i = 0; i + 1 < p->count; i++) {
        if (p->tokens[i].number && p->tokens[i].value >= 80 && words_prose_is(p, i + 1, "%/percent")) {
            reading_symptom(r, READING_large, p->tokens[i].line);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events that a core lacks.
 */

/* Returns true if the number at token @i is what is counted: "I count returns, 0x0E in the list". */
static bool is_counted_number(const struct prose *p, size_t i)
{
    static const char verbs[] = "count/counts/counting/counted/measure/measuring/measures";

    return p->tokens[i].value < 256 && word_before(p, i, 6, verbs) < p->count &&
           word_before(p, i, 8, "pm*/bit/bits/mask/write/writes/wrote/set/offset/address/value") == p->count;
}

/*
 * Returns the number of the event that token @i is as perf takes it, "r1b" or "r008", or that is called one: "event
 * 0x1B".  Returns 0 for none, and for r0 to r12, which are registers, too.
 */
static unsigned raw_event_at(const struct prose *p, size_t i)
{
    const struct prose_token *t = &p->tokens[i];
    char *end;

    if (t->text[0] == 'r' && t->length > 2 && t->length < 6 && isdigit((unsigned char)t->text[1]) &&
        (i == 0 || !words_prose_is(p, i - 1, "cortex"))) {
        const unsigned long number = strtoul(t->text + 1, &end, 16);

        return *end == '\0' && (number > 0x12 || t->text[1] == '0') ? (unsigned)number : 0;
    }
    return t->number && t->hex && t->value < 1024 &&
                   (word_before(p, i, 3, "event/events/evt") < p->count || is_counted_number(p, i))
               ? (unsigned)t->value
               : 0;
}

/* Returns the core that the sentence from token @from on names, or else the one of the text; NULL: several, or none. */
static const struct apmu_core_info *core_of_sentence(const struct reading *r, const struct prose *p, size_t from)
{
    const struct apmu_core_info *here = NULL, *any = r->machine.core;
    bool several = false;

    for (size_t i = 0; i < p->count; i++) {
        const struct apmu_core_info *core = words_core_of_token(p, i);

        if (core != NULL && p->tokens[i].sentence == p->tokens[from].sentence) {
            if (here != NULL && here != core) {
                return NULL;
            }
            here = core;
        }
        several |= core != NULL && any != NULL && core != any;
    }
    return here != NULL ? here : several || r->machine.big_little.known ? NULL : any;
}

/*
 * Returns true if sentence @sentence has a count of 0.  A sentence @after the one that names the event must name no
 * event itself.
 */
static bool has_zero(const struct prose *p, uint32_t sentence, bool after)
{
    bool zero = false;

    for (size_t k = 0; k < p->count; k++) {
        if (p->tokens[k].sentence != sentence) {
            continue;
        }
        if (after && raw_event_at(p, k) != 0) {
            return false;
        }
        zero |= words_prose_is(p, k, "zero/zeros/zeroes/nothing") ||
                (p->tokens[k].number && p->tokens[k].value == 0 && !p->tokens[k].index && !p->tokens[k].operand);
    }
    return zero;
}

/* Looks for an event that the core lacks, with a count of 0: "r1b is 0 on the Cortex-A53". */
static void find_event_core_lacks(struct reading *r, const struct prose *p)
{
    for (size_t i = 0, from = 0; i < p->count; i++) {
        const unsigned event = raw_event_at(p, i);
        const struct apmu_core_info *core;
        bool zero = false;

        from = p->tokens[i].sentence != p->tokens[from].sentence ? i : from;
        if (event != 0) {
            zero = has_zero(p, p->tokens[i].sentence, false) || has_zero(p, p->tokens[i].sentence + 1, true);
        }
        core = zero ? core_of_sentence(r, p, from) : NULL;
        if (core != NULL && apmu_core_lists_event(core, 0x11) && !apmu_core_lists_event(core, event)) {
            reading_clue(r, CLUE_words_event_core_lacks, p->tokens[i].line, core->name)->values[0] = event;
            return;
        }
    }
}

/* Returns true if token @i is a revision of a core: "r0p3". */
static bool is_revision(const struct prose *p, size_t i)
{
    const char *text = p->tokens[i].text;

    return p->tokens[i].length == 4 && text[0] == 'r' && text[2] == 'p' && text[1] >= '0' && text[1] <= '9' &&
           text[3] >= '0' && text[3] <= '9';
}

/* Looks for two revisions that are compared. */
static void find_revisions(struct reading *r, const struct prose *p)
{
    const char *first = NULL;

    for (size_t i = 0; i < p->count; i++) {
        if (is_revision(p, i) && first != NULL && memcmp(first, p->tokens[i].text, 4) != 0) {
            reading_clue(r, CLUE_words_two_revisions, p->tokens[i].line, NULL);
            return;
        }
        first = is_revision(p, i) ? p->tokens[i].text : first;
    }
}

/* Returns true if token @i is a MIDR_EL1 of one of Arm's cores. */
static bool is_midr(const struct prose *p, size_t i)
{
    const double value = p->tokens[i].value;

    return p->tokens[i].number && p->tokens[i].hex && value >= 0x41000000 && value < 0x42000000 &&
           ((uint64_t)value >> 16 & 15) == 15;
}

/* Looks for the MIDRs of two revisions of a core. */
static void find_midrs(struct reading *r, const struct prose *p)
{
    size_t first = p->count;

    for (size_t i = 0; i < p->count && reading_find(r, CLUE_words_two_revisions) == NULL; i++) {
        if (!is_midr(p, i)) {
            continue;
        }
        const uint64_t differ = first < p->count ? (uint64_t)p->tokens[first].value ^ (uint64_t)p->tokens[i].value : 0;

        if (differ != 0 && (differ & 0xFFF0) == 0) {
            reading_clue(r, CLUE_words_two_revisions, p->tokens[i].line, NULL);
        }
        first = first < p->count ? first : i;
    }
}

/* Looks for a value with P or C that is written to PMCR while it has E: "enables the counter by writing 5 to PMCR". */
static void find_resets(struct reading *r, const struct prose *p)
{
    static const char writes[] = "write/writes/writing/wrote/written/sets/puts/store/stores/storing/loads";

    for (size_t i = 0; i < p->count; i++) {
        const struct prose_token *t = &p->tokens[i];
        const bool value = t->number && t->value >= 3 && t->value <= PMCR_CONTROLS && words_seconds(p, i + 1) == 0;

        if (value && ((unsigned)t->value & 1) != 0 && ((unsigned)t->value & PMCR_RESETS) != 0 && is_of_pmcr(p, i) &&
            (word_before(p, i, 6, writes) < p->count)) {
            words_add_pair(r, CLUE_words_resets_pmcr, t->line, t->value, 0);
            return;
        }
    }
}

/* Looks for an interrupt that comes about twice the period late: "a period of 20 000 ... it comes at nearly 40 000". */
static void find_twice_the_period(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count && reading_find(r, CLUE_words_late) == NULL; i++) {
        const size_t named = p->tokens[i].number && p->tokens[i].value >= 100
                                 ? word_before(p, i, 4, "period/periods/sample_period/interval/every/each")
                                 : p->count;

        for (size_t k = 0; k < p->count && named < p->count; k++) {
            if (k != i && p->tokens[k].number && p->tokens[k].value > 1.85 * p->tokens[i].value &&
                p->tokens[k].value < 2.01 * p->tokens[i].value) {
                reading_clue(r, CLUE_words_late, p->tokens[k].line, NULL);
                break;
            }
        }
    }
}

/* Returns how many instructions a cycle @core can execute; 8 if that is not known to be less. */
static double width_of(const struct apmu_core_info *core)
{
    static const char *const narrow[] = {"Cortex-A5", "Cortex-A7", "Cortex-A8", "Cortex-A9", "Cortex-A32", "Cortex-A34",
                                         "Cortex-A35", "Cortex-A53", "Cortex-A55", "Cortex-R5", "Cortex-R52"};

    for (size_t i = 0; core != NULL && i < sizeof narrow / sizeof narrow[0]; i++) {
        if (strcmp(core->name, narrow[i]) == 0) {
            return 2;
        }
    }
    return 8;
}

/* Looks for "3.38 insn per cycle", and tells whether the core can execute as many. */
static void find_instructions_per_cycle(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i + 3 < p->count; i++) {
        const struct prose_token *t = &p->tokens[i];

        if (t->number && t->value > 0.05 && t->value <= 100 &&
            words_prose_is(p, i + 1, "insn/insns/instruction/instructions/instr") &&
            words_prose_is(p, i + 2, "per/a/each/every") && words_prose_is(p, i + 3, "cycle/clock")) {
            words_add_pair(r, t->value <= width_of(r->machine.core) ? CLUE_words_possible_ipc
                                                                    : CLUE_words_impossible_ipc,
                           t->line, 1000 * t->value, 1000);
            return;
        }
    }
}

/* Returns true if the nearest word before token @i, in its sentence, that says what is counted is one of @these. */
static bool is_count_of(const struct prose *p, size_t i, const char *these, const char *others)
{
    for (size_t k = i; k > 0 && i - k < 10 && p->tokens[k - 1].sentence == p->tokens[i].sentence; k--) {
        if (words_prose_is(p, k - 1, these)) {
            return true;
        }
        if (words_prose_is(p, k - 1, others) || p->tokens[k - 1].number) {
            return false;
        }
    }
    return false;
}

/* Looks for next to no instructions beside many cycles: "PMCCNTR goes up by 420 000, INST_RETIRED goes up by 14". */
static void find_few_beside_cycles(struct reading *r, const struct prose *p)
{
    static const char instructions[] = "inst_retired/instructions/insns/instr";
    static const char cycles[] = "pmccntr*/ccnt/cycles/cycle";
    double few = 0, most = 0;
    uint32_t line = 0;

    for (size_t i = 0; i < p->count; i++) {
        const struct prose_token *t = &p->tokens[i];

        if (!t->number || t->hex || t->index || words_seconds(p, i + 1) != 0 || words_hertz(p, i + 1) != 0) {
            continue;
        }
        if (is_count_of(p, i, instructions, cycles)) {
            line = line == 0 || t->value < few ? t->line : line;
            few = few == 0 || t->value < few ? t->value : few;
        } else if (t->value > most && is_count_of(p, i, cycles, instructions)) {
            most = t->value;
        }
    }
    if (few >= 1 && few <= 2000 && most >= 1000 * few) {
        words_add_pair(r, CLUE_words_few_beside_cycles, line, few, most);
    }
}

void words_prose_values(struct reading *r, const struct prose *p)
{
    find_revisions(r, p);
    find_midrs(r, p);
    find_resets(r, p);
    find_twice_the_period(r, p);
    find_instructions_per_cycle(r, p);
    find_few_beside_cycles(r, p);
    find_pmcr_as_written(r, p);
    find_accesses_for_misses(r, p);
    find_event_core_lacks(r, p);
}
