/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: how counts are read and kept: bits, halves, wraps. */
#define _GNU_SOURCE
#include <string.h>

#include "code.h"

static void check_volatile(struct code_case *k)
{
    size_t first = SIZE_MAX;
    unsigned count = 0;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->act == CODE_READ && (code_is_count(s->reg) || s->reg == CODE_PMOVSSET || s->reg == CODE_PMOVSCLR) &&
            (s->flags & CODE_NOT_VOLATILE) != 0) {
            first = first == SIZE_MAX ? i : first;
            count++;
        }
    }
    if (first != SIZE_MAX && !(k->user && !k->granted && k->sees[READING_fault])) {
        code_suspect(k, WHY_asm_not_volatile, count > 1 ? SUSPECT_CERTAIN : SUSPECT_LIKELY, first,
                     "the asm is not volatile: the compiler may merge two reads, or move them out of the region",
                     k->form->id == FORM_RUST && code_line_part(k, k->c->steps[first].line, "asm!")
                         ? "drop options(pure): asm! is then volatile"
                         : "write asm volatile(... ::: \"memory\")")
            ->weight = 60;
    }
}

/* Returns true if the writer sees that a count wraps, and does not just call an overflow by its name. */
static bool sees_wrap(const struct code_case *k)
{
    static const char *const words[] = {
        "wrap",     "wraps",   "wrapped",    "jump",        "jumps",       "4294967295", "4294967296",  "2^32",
        "negative", "minutes", "seconds",    "hours",       "falls back",  "back to",    "4.29",        "4.3",
        "32 bits",  "32 bit",  "0xffffffff", "small again", "starts over", "long runs",  "longer runs", "s run",
        "billions"};

    if (k->sees[READING_wraps] && reading_find(k->r, CLUE_words_2_32) != NULL) {
        return true;
    }
    if (code_says(k, "subtract with overflow") || code_says(k, "underflow") ||
        reading_find(k->r, CLUE_words_wrapped) != NULL) {
        return true;
    }
    return k->sees[READING_wraps] && code_says_any(k, words, sizeof words / sizeof words[0]);
}

/* Returns true if the writer sees a negative number of 32 bits. */
static bool sees_negative_word(const struct code_case *k)
{
    const struct clue *negative = reading_find(k->r, CLUE_words_negative);

    return negative != NULL && negative->values[0] == 1;
}

/* Returns true if the counts need more than 32 bits: the code says so, or somebody sees that they wrap. */
static bool wants_64_bits(const struct code_case *k)
{
    const struct code_value *pmcr = &k->last.pmcr.value;

    if (!k->complains && (code_says(k, "32 bits") || code_says(k, "32-bit") || code_says(k, "< 1 ms") ||
                          code_says(k, "short"))) {
        return false; /* the writer knows that he keeps 32 bits */
    }
    return k->sees[READING_wraps] || k->sees[READING_sometimes] || (pmcr->bits & pmcr->known & 0x40) != 0 ||
           code_says(k, "64-bit") || code_says(k, "64 bit") || code_says(k, "0xffffffff") || code_says(k, "minutes") ||
           code_says(k, "2^32") || code_says(k, "4294967295") || code_says(k, "32 bits") || code_says(k, "wraps") ||
           code_says(k, "4.29e9") || code_says(k, "4.2e9") || code_says(k, "4.3e9") || code_says(k, "4.29") ||
           code_says(k, "LC = 1") || code_says(k, "LC=1") || (code_complains(k) && k->sees[READING_large]);
}

/* Returns true if the writer sees what a wrap does to his numbers, and not only tells that the counter wraps. */
static bool suffers_from_wrap(const struct code_case *k)
{
    static const char *const words[] = {"jump",  "jumps",       "negative",  "minutes",     "falls back",   "back to",
                                        "4.29",  "4.3",         "nonsense",  "small again", "starts over",  "but",
                                        "wrong", "starts again", "too small", "however",    "begins again"};

    for (unsigned i = 0; i < READING_good; i++) {
        if (k->sees[i] && i != READING_wraps && i != READING_small) { /* small: "far below 2^32" */
            return true;
        }
    }
    return code_says_any(k, words, sizeof words / sizeof words[0]) || reading_find(k->r, CLUE_words_wrapped) != NULL ||
           reading_find(k->r, CLUE_words_time_wraps) != NULL;
}

/* Returns true if all that comments say of wraps is when the counter would, "6.4 s to wrap", and nobody sees one. */
static bool tells_when_it_wraps(const struct code_case *k)
{
    static const char *const words[] = {"to wrap",        "can wrap",    "may wrap",        "would wrap",
                                        "one wrap",       "wrap once",   "before it wraps", "wraps once",
                                        "until it wraps", "wraps after", "wraps every",     "wraps in",
                                        "cannot wrap",    "never wraps", "does not wrap"};

    return code_says_any(k, words, sizeof words / sizeof words[0]) && !suffers_from_wrap(k);
}

bool code_deals_with_wraps(const struct code_case *k)
{
    const bool differs = k->differs || code_says(k, "differences") || code_says(k, "difference");
    const bool subtracts = strstr(k->r->text.joined, "wrapping_sub") != NULL || code_says(k, "modulo") ||
                           (differs && (reading_find(k->r, CLUE_words_shorter_than_wrap) != NULL ||
                                        !suffers_from_wrap(k)));

    return subtracts && reading_find(k->r, CLUE_words_wrap_handled) != NULL &&
           reading_find(k->r, CLUE_words_negative) == NULL && !k->sees[READING_large] && !k->sees[READING_noisy];
}

/* Returns true if the code reads the upper word of the cycle counter through the memory-mapped view, too. */
static bool reads_upper_word(const struct code_case *k)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (code_does(s, CODE_READ, CODE_PMCCNTR) && (s->flags & CODE_MEMORY) != 0 && (s->flags & CODE_PAIR) != 0) {
            return true;
        }
    }
    return false;
}

/* Says what is wrong with the width: @wide is 64 bits made of 32, through the memory-mapped view if @memory. */
static void explain_width(const struct code_case *k, bool wide, bool memory, char because[400], char cure[400])
{
    char text[160];

    suspect_text(because, !wide    ? "the 64 bits of PMCCNTR are kept in 32 bits, so the count wraps at 2^32"
                          : memory ? "the word at 0xF8 is bits 31:0 of PMCCNTR only, and 64 bits are made of it"
                                   : "MRC reads bits 31:0 of PMCCNTR only, and 64 bits are made of them");
    if (wide && memory) {
        suspect_text(cure, "read the upper word, at 0xFC, too: high, low and high again until both high words are the "
                           "same");
    } else if (wide && !k->aarch32) {
        suspect_text(cure, "read 64 bits: __arm_rsr64(\"PMCCNTR_EL0\"), or MRS Xt, PMCCNTR_EL0");
    } else if (wide || k->aarch32) {
        suspect_text(cure, "read 64 bits: MRRC p15, 0, <low>, <high>, c9, into a 64-bit variable");
    } else {
        suspect_text(cure, "use a 64-bit variable (uint64_t) and an X register: %s",
                     code_read_text(k, CODE_PMCCNTR, 0, text));
    }
}

/* Returns true if 32 bits are enough: regions are shorter than 2^32 cycles, or a wrap does no harm. */
static bool fits_in_word(const struct code_case *k)
{
    if (k->sees[READING_wraps] || k->sees[READING_large] || k->sees[READING_sometimes] || sees_negative_word(k)) {
        return false;
    }
    return code_deals_with_wraps(k) ||
           (k->differs && reading_find(k->r, CLUE_words_shorter_than_wrap) != NULL && !suffers_from_wrap(k));
}

/*
 * Returns true if read @i takes what was counted since a reset: the same function resets the cycle counter, or calls
 * what does, works, and reads it, and nothing is subtracted from the count.
 */
static bool counts_since_reset(const struct code_case *k, size_t i)
{
    bool work = false;
    size_t depth = 0;

    for (size_t j = 0; j < k->c->step_count; j++) {
        const struct code_step *s = &k->c->steps[j];

        if (s->act == CODE_DIFFERENCE && (s->value.read == i + 1 || s->used == i + 1)) {
            return false;
        }
    }
    for (size_t j = i; j-- > 0;) {
        const struct code_step *s = &k->c->steps[j];

        if (s->act == CODE_ENTER && depth == 0) {
            return false;
        }
        depth += s->act == CODE_LEAVE;
        depth -= s->act == CODE_ENTER;
        work |= s->act == CODE_WORK || s->act == CODE_DELAY;
        if ((code_does(s, CODE_WRITE, CODE_PMCR) && (s->value.known & s->value.bits & 4) != 0) ||
            code_does(s, CODE_WRITE, CODE_PMCCNTR)) {
            return work;
        }
    }
    return false;
}

static void check_width(struct code_case *k)
{
    char because[400], cure[400];

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const bool word = s->act == CODE_READ && s->reg == CODE_PMCCNTR && (s->flags & CODE_W_REGISTER) != 0;
        const bool wide = s->act == CODE_WIDENED && !(k->core != NULL && k->core->pmu != APMU_CORE_PMU_V3);

        const bool memory = wide && s->value.read != 0 && (k->c->steps[s->value.read - 1].flags & CODE_MEMORY) != 0;

        if ((s->act != CODE_NARROWED && !wide && !word) || (memory && reads_upper_word(k))) {
            continue; /* both words are read */
        }
        if (wide && s->value.read != 0 && (k->c->steps[s->value.read - 1].flags & CODE_NAMED) != 0) {
            continue; /* a function whose code is not shown may read 64 bits */
        }
        if (!wide && fits_in_word(k)) {
            continue;
        }
        if (s->act == CODE_NARROWED && !k->sees[READING_wraps] && !sees_negative_word(k) &&
            (s->value.span || (s->value.read != 0 && !code_complains(k) && counts_since_reset(k, s->value.read - 1)))) {
            continue; /* a difference of less than 2^32 fits */
        }
        if (!wants_64_bits(k) && !sees_negative_word(k) && !(code_complains(k) && k->all->count == 0)) {
            continue;
        }
        suspect_clear(k->all, WHY_wraps_at_32_bits);
        explain_width(k, wide, memory, because, cure);
        code_suspect(k, WHY_count_truncated_to_32_bits,
                     k->sees[READING_wraps] || sees_negative_word(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY,
                     s->act == CODE_NARROWED || wide ? (s->value.read != 0 && wide ? s->value.read - 1 : i) : i,
                     because, cure)
            ->weight = 60;
        return;
    }
}

/* Returns true if the code stops the cycle counter before step @i. */
static bool is_stopped(const struct code_case *k, size_t i)
{
    const struct code_value *pmcr = &k->states[i].pmcr.value, *cnten = &k->states[i].cnten.value;

    return (pmcr->known & 1 & ~pmcr->bits) != 0 || (cnten->known >> 31 & 1 & ~(cnten->bits >> 31)) != 0;
}

/* Finds PMCCNTR read as two memory-mapped words, once each. */
static void check_words(struct code_case *k)
{
    size_t low = SIZE_MAX;
    unsigned lows = 0, highs = 0;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->act != CODE_READ || (s->flags & CODE_MEMORY) == 0 ||
            (s->reg != CODE_PMCCNTR && s->reg != CODE_PMEVCNTR) || s->width != 32) {
            continue;
        }
        if ((s->flags & CODE_IN_LOOP) != 0 || (s->reg == CODE_PMCCNTR && is_stopped(k, i))) {
            return;
        }
        highs += (s->flags & CODE_PAIR) != 0;
        lows += (s->flags & CODE_PAIR) == 0;
        low = low == SIZE_MAX ? i : low;
    }
    if (highs == 1 && lows == 1) {
        code_suspect(k, WHY_read_in_two_halves, code_complains(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY, low,
                     "the two halves are read one "
                     "after the other: a carry between gives a count that is 2^32 off",
                     "read high, low and high again in a loop until "
                     "both high words are the same, or make one 64-bit access")
            ->weight = 62;
        suspect_clear(k->all, WHY_wraps_at_32_bits);
    }
}

/* Returns true if the text makes 64 bits of two halves. */
static bool joins_halves(const struct code_case *k)
{
    static const char *const forms[] = {"<< 32",  "<<32",   "<<= 32",       "<<=32",      "lsl #32",    "LSL #32",
                                        "lsl 32", "#32, #32", "* 4294967296", "*4294967296", "* 0x100000000"};

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strstr(k->r->text.joined, forms[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Finds two event counters that are joined to 64 bits, each read once, where the set-up is not shown. */
static void check_joined(struct code_case *k)
{
    uint32_t once = 0, more = 0;
    size_t first = SIZE_MAX;

    if (k->typed != 0 || !joins_halves(k) || !(code_says(k, "CHAIN") || sees_wrap(k))) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const int n = s->act == CODE_READ ? code_counter_of(k, i) : -1;

        if (n < 0 || n == CODE_CYCLE) {
            continue;
        }
        if ((s->flags & CODE_IN_LOOP) != 0) {
            return;
        }
        first = first == SIZE_MAX ? i : first;
        more |= once & UINT32_C(1) << n;
        once |= UINT32_C(1) << n;
    }
    if (more == 0 && ((once >> 1) & once & 0x15555555) != 0) {
        code_suspect(k, WHY_read_in_two_halves, code_complains(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY, first,
                     "the two counters are read one after the other: a carry between gives a count that is 2^32 off",
                     "read high, low, high again, and repeat while the two high halves differ; or stop the counters "
                     "first")
            ->weight = 64;
        suspect_clear(k->all, WHY_wraps_at_32_bits);
    }
}

/* Finds a 64-bit pair that is read in two halves while it counts. */
static void check_halves(struct code_case *k)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const struct code_state *st = &k->states[i];
        const int n = s->act == CODE_READ ? code_counter_of(k, i) : -1;
        unsigned odd = 0, even = 0;

        if (n < 1 || n > 30 || n % 2 == 0 || s->reg == CODE_PMEVTYPER ||
            (st->types[n].value.known & 0xFFFF) != 0xFFFF || (st->types[n].value.bits & 0xFFFF) != 0x1E ||
            (s->flags & CODE_IN_LOOP) != 0) {
            continue;
        }
        if (((st->pmcr.value.known & 1) != 0 && (st->pmcr.value.bits & 1) == 0) ||
            ((st->cnten.value.known >> n & 1) != 0 && (st->cnten.value.bits >> n & 1) == 0)) {
            continue; /* it was stopped first */
        }
        for (size_t j = 0; j < k->c->step_count; j++) {
            odd +=
                k->c->steps[j].act == CODE_READ && code_counter_of(k, j) == n && k->c->steps[j].reg != CODE_PMEVTYPER;
            even += k->c->steps[j].act == CODE_READ && code_counter_of(k, j) == n - 1 &&
                    k->c->steps[j].reg != CODE_PMEVTYPER;
        }
        if (odd == 1 && even == 1) {
            code_suspect(k, WHY_read_in_two_halves, SUSPECT_LIKELY, i,
                         "the upper half is read once: a carry between the two "
                         "reads gives a count that is 2^32 off",
                         "read high, low, high again, and repeat while the two high "
                         "halves differ; or stop the counters first")
                ->weight = k->complains ? 62 : 30;
            return;
        }
    }
}

static bool uses_cycles(const struct code_case *k)
{
    return (k->enabled >> CODE_CYCLE & 1) != 0 || (k->read_counters >> CODE_CYCLE & 1) != 0;
}

bool code_multiplies_by_64(const struct code_case *k)
{
    static const char *const wanted[] = {"on purpose", "deliberate", "deliberately", "intended", "intentional",
                                         "is wanted", "one tick is 64", "by design", "would wrap", "why d is on",
                                         "why d is set"};
    static const char *const by_64[] = {"* 64", "*64", "<< 6", "<<6", "lsl #6", "lsl 6", "times 64", "shl 6", "64 *",
                                        "64u *", "64ull *", "multiplied by 64"};
    const char *text = k->r->text.joined;
    bool multiplied = false;

    for (size_t i = 0; i < sizeof by_64 / sizeof by_64[0] && !multiplied; i++) {
        multiplied = strcasestr(text, by_64[i]) != NULL;
    }
    if (!multiplied) {
        return false;
    }
    return (!k->sees[READING_small] && !k->sees[READING_differs]) ||
           code_says_any(k, wanted, sizeof wanted / sizeof wanted[0]);
}

/* Returns true if the last write of PMCR, or on ARM11 of PMNC, sets D. */
static bool divides(const struct code_case *k)
{
    bool divided = (k->last.pmcr.value.known & k->last.pmcr.value.bits & 8) != 0;

    for (size_t i = 0; k->arm11 && i < k->c->step_count; i++) {
        if (code_does(&k->c->steps[i], CODE_WRITE, CODE_A11_PMNC)) {
            divided = (k->c->steps[i].value.bits & 8) != 0;
        }
    }
    return divided;
}

bool code_wants_divider(const struct code_case *k)
{
    return divides(k) && code_multiplies_by_64(k);
}

static void check_divider(struct code_case *k)
{
    const struct code_cell *pmcr = &k->last.pmcr;
    const struct code_value *v = &pmcr->value;
    char cure[400], text[160];

    if (pmcr->line == 0 || (v->known & v->bits & 8) == 0 || (v->known & v->bits & 0x40) != 0 || !uses_cycles(k)) {
        return;
    }
    if (code_wants_divider(k)) {
        return;
    }
    suspect_text(cure, "write D, bit 3 of PMCR, as 0 (or multiply by 64): %s",
                 code_write_text(k, CODE_PMCR, 0, k->aarch32 ? "value & ~8" : "(value & ~8) | 0x40 (LC)", text));
    code_suspect(k, WHY_divide_by_64, SUSPECT_CERTAIN, pmcr->step,
                 "D (bit 3 of PMCR) is 1: the cycle counter counts every "
                 "64th cycle",
                 cure)
        ->weight = 65;
}

static void check_wraps(struct code_case *k)
{
    const struct code_cell *pmcr = &k->last.pmcr;
    const struct code_value *v = &pmcr->value;
    const bool cycles = uses_cycles(k);
    const bool lc_clear = pmcr->line != 0 && (v->known & 0x40) != 0 && (v->bits & 0x40) == 0;
    const bool v7 = k->core != NULL && k->core->pmu != APMU_CORE_PMU_V3;
    size_t at = SIZE_MAX;
    char cure[400], text[160];

    if (joins_halves(k) && k->reads) {
        suspect_clear(k->all, WHY_wraps_at_32_bits); /* 64 bits are kept */
    }
    if (suspect_find(k->all, WHY_read_in_two_halves) != NULL) {
        return;
    }
    if (((cycles || k->arm11) && code_wants_divider(k)) || code_deals_with_wraps(k) || tells_when_it_wraps(k)) {
        return; /* the comments say how long it takes to wrap, or what the code does then */
    }
    if (!sees_wrap(k) && !(lc_clear && (k->last.inten.value.bits >> 31 & 1) != 0 && code_complains(k))) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count && at == SIZE_MAX; i++) {
        at = k->c->steps[i].act == CODE_READ && code_is_count(k->c->steps[i].reg) ? i : at;
    }
    if (cycles && lc_clear && !v7) {
        suspect_text(cure, "set LC, bit 6 of PMCR: %s", code_write_text(k, CODE_PMCR, 0, "value | 0x40", text));
        code_suspect(k, WHY_cycle_overflow_at_32_bits, SUSPECT_LIKELY, pmcr->step,
                     "LC (bit 6 of PMCR) is 0: the cycle counter "
                     "overflows after 32 bits",
                     cure)
            ->weight = 55;
    }
    if (k->m_profile || v7 || k->arm11 || (k->read_counters & 0x7FFFFFFF) != 0 ||
        (k->aarch32 && !lc_clear && (v->known & v->bits & 0x40) == 0)) {
        code_suspect(
            k, WHY_wraps_at_32_bits, SUSPECT_LIKELY, at, "the counter has 32 bits, and nothing counts its overflows",
            k->m_profile ? "read it more often than every 2^32 cycles and add the 32-bit differences to a 64-bit total"
                         : "count its overflows in the interrupt (PMOVSSET), chain two counters with CHAIN (0x1E), or "
                           "add 32-bit differences to a 64-bit total more often than it wraps")
            ->weight = 50;
    }
}

static void check_migration(struct code_case *k)
{
    const uint32_t *facts = k->c->facts;
    const bool fragment = facts[CODE_HAS_STDIO] != 0 && facts[CODE_HAS_KERNEL] == 0 && facts[CODE_HAS_BARE] == 0 &&
                          !k->set_up && code_says_any(k, (const char *const[]){"module", "perf_user_access"}, 2);
    const bool negative = reading_find(k->r, CLUE_words_negative) != NULL;

    if ((!k->user && !fragment) || !k->granted || facts[CODE_HAS_AFFINITY] != 0 || !k->reads || k->c->perf != NULL ||
        reading_find(k->r, CLUE_words_pinned) != NULL ||
        suspect_find(k->all, WHY_count_truncated_to_32_bits) != NULL ||
        !(k->sees[READING_large] || k->sees[READING_wraps] || k->sees[READING_sometimes] || k->sees[READING_noisy] ||
          negative)) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        if (k->c->steps[i].act == CODE_DIFFERENCE ||
            (negative && k->complains && k->c->steps[i].act == CODE_READ && code_is_count(k->c->steps[i].reg))) {
            code_suspect(k, WHY_migrated_between_reads, SUSPECT_LIKELY, i,
                         "nothing binds the thread to a CPU, and each CPU has "
                         "its own counter",
                         "bind the thread before the first read: sched_setaffinity(), or taskset -c N PROGRAM")
                ->weight = 55;
            return;
        }
    }
}

/* Returns true if the text makes 32 bits of something: by a cast, or as it prints. */
static bool casts_to_32(const struct code_case *k)
{
    static const char *const casts[] = {"(unsigned)", "(unsigned int)", "(uint32_t)", "(u32)", "(int)", "as u32",
                                        "%u",         "%d",             "static_cast<unsigned>", "uint32_t"};

    for (size_t i = 0; i < sizeof casts / sizeof casts[0]; i++) {
        if (strstr(k->r->text.joined, casts[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Finds a wrap at 2^32 of a counter that is read with 64 bits: something that keeps the count has 32. */
static void check_kept(struct code_case *k)
{
    const bool wraps = sees_wrap(k) || reading_find(k->r, CLUE_words_2_32) != NULL;

    if (!k->complains || !wraps || k->c->facts[CODE_HAS_THREADS] != 0 || k->m_profile ||
        !k->sees[READING_wraps] || k->all->count != 0 ||
        k->last.inten.line != 0) {
        return;
    }
    if (k->user && k->c->facts[CODE_HAS_AFFINITY] == 0 && reading_find(k->r, CLUE_words_wrapped) == NULL &&
        reading_find(k->r, CLUE_words_time_wraps) == NULL && reading_find(k->r, CLUE_words_2_32) == NULL) {
        return; /* the thread may have moved to another CPU */
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (code_does(s, CODE_READ, CODE_PMCCNTR) &&
            (s->width == 64 ? (s->flags & CODE_W_REGISTER) == 0 && !k->aarch32
                            : (s->flags & CODE_NAMED) != 0 && casts_to_32(k))) {
            code_suspect(k, WHY_count_truncated_to_32_bits, SUSPECT_LIKELY, i,
                         "this reads 64 bits, so what wraps is where the count or the difference is kept: a type of "
                         "32 bits",
                         "use uint64_t (u64) for the count, the difference and what the functions return, and print it "
                         "with PRIu64")
                ->weight = 58;
            suspect_clear(k->all, WHY_wraps_at_32_bits);
            return;
        }
    }
}

void rules_code_widths(struct code_case *k)
{
    check_volatile(k);
    if (k->user && !k->granted && k->sees[READING_fault]) {
        return;
    }
    check_width(k);
    check_halves(k);
    check_joined(k);
    check_words(k);
    check_divider(k);
    check_wraps(k);
    check_kept(k);
    check_migration(k);
}
