/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds values that decide by their bits: of DEMCR and DWT_CTRL, of PMCNTENSET, of the type of an event counter, and of
 * counts that are a part of another number.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#define CYCLE_BIT 0x80000000u /* of PMCNTENSET */

/* Returns true if token @k is in the sentence of token @i. */
static bool is_beside(const struct prose *p, size_t i, size_t k)
{
    return k < p->count && p->tokens[k].sentence == p->tokens[i].sentence;
}

/* Returns true if one of the tokens from @from to before @to is one of @words. */
static bool has_between(const struct prose *p, size_t from, size_t to, const char *words)
{
    for (size_t k = from; k < to && k < p->count; k++) {
        if (words_prose_is(p, k, words)) {
            return true;
        }
    }
    return false;
}

/* Returns the index of the first token of the sentence of token @i. */
static size_t sentence_begin(const struct prose *p, size_t i)
{
    while (i > 0 && p->tokens[i - 1].sentence == p->tokens[i].sentence) {
        i--;
    }
    return i;
}

/* Returns the index behind the last token of the sentence of token @i. */
static size_t sentence_end(const struct prose *p, size_t i)
{
    const size_t from = i;

    while (is_beside(p, from, i)) {
        i++;
    }
    return i;
}

/* Returns true if token @i is a number in hexadecimal digits that fits into 32 bits. */
static bool is_word_of_32_bits(const struct prose *p, size_t i)
{
    return i < p->count && p->tokens[i].number && p->tokens[i].hex && p->tokens[i].value <= 4294967295.0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The DWT.
 */

/*
 * Returns how many tokens at @i name a register of the M profile that decides about CYCCNT, and stores its clue in
 * *@kind; 0: none.
 */
static size_t m_register_at(const struct prose *p, size_t i, enum clue_kind *kind)
{
    const bool debug = words_prose_is(p, i, "coredebug/dcb/scb") && words_prose_is(p, i + 1, "demcr");
    const bool dwt = words_prose_is(p, i, "dwt") && words_prose_is(p, i + 1, "ctrl/control");

    *kind = debug || words_prose_is(p, i, "demcr/coredebug_demcr/dcb_demcr") ? CLUE_words_demcr : CLUE_words_dwt_ctrl;
    return debug || dwt ? 2 : *kind == CLUE_words_demcr || words_prose_is(p, i, "dwt_ctrl/dwt_control") ? 1 : 0;
}

/* Looks for what DEMCR and DWT_CTRL read as: "DWT->CTRL reads 0x40000000". */
static void find_m_registers(struct reading *r, const struct prose *p)
{
    static const char reads[] = "read/reads/is/shows/returns/has/contains/gives/prints/says/stays/as/at";
    static const char writes[] = "write/writes/wrote/written/writing/set/sets/setting";

    for (size_t i = 0; i < p->count; i++) {
        enum clue_kind kind, other;
        const size_t length = m_register_at(p, i, &kind);

        for (size_t k = i + length; length != 0 && k < i + length + 8 && is_beside(p, i, k) &&
                                    m_register_at(p, k, &other) == 0; k++) {
            if (is_word_of_32_bits(p, k) &&
                (k == i + length || has_between(p, i + length, k, reads)) &&
                !has_between(p, i + length, k, "write/wrote/written/set/or/|=")) {
                struct clue *c = reading_clue(r, kind, p->tokens[k].line, NULL);

                c->values[0] = (uint64_t)p->tokens[k].value;
                c->values[1] = has_between(p, sentence_begin(p, i), k, writes);
                break;
            }
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Enables.
 */

/* Returns true if @core keeps the bits @read of PMCNTENSET, and no more, where @written is written. */
static bool keeps(const struct apmu_core_info *core, uint32_t written, uint32_t read)
{
    return core != NULL && core->counters < 31 && written != read &&
           (written & (CYCLE_BIT | ((UINT32_C(1) << core->counters) - 1))) == read;
}

/* Returns true if the core of the text, or one that it names, keeps the bits @read of @written. */
static bool some_core_keeps(const struct reading *r, const struct prose *p, uint32_t written, uint32_t read)
{
    bool kept = keeps(r->machine.core, written, read);

    for (size_t i = 0; i < p->count && !kept; i++) {
        kept = keeps(words_core_of_token(p, i), written, read);
    }
    return kept;
}

/* Looks for a value of PMCNTENSET of which the core keeps the bits of its counters: "write 0x3f, it reads 0x0f". */
static void find_enables_cut(struct reading *r, const struct prose *p)
{
    static const char reads[] = "read/reads/readback/back/get/gets/got/see/sees/shows/returns/gives/is/becomes/comes/"
                                "stick/sticks/stay/stays/remain/remains";

    for (size_t i = 0; i < p->count; i++) {
        size_t written = p->count;

        if (!words_prose_is(p, i, "pmcnten*/cntenset/enset/pmintenset*")) {
            continue;
        }
        for (size_t k = i > 8 ? i - 8 : 0; k < p->count && k < i + 30; k++) {
            if (!is_word_of_32_bits(p, k)) {
                continue;
            }
            if (written < p->count && has_between(p, written + 1, k + 3, reads) &&
                some_core_keeps(r, p, (uint32_t)p->tokens[written].value, (uint32_t)p->tokens[k].value)) {
                words_add_pair(r, CLUE_words_enables_cut, p->tokens[k].line, p->tokens[written].value,
                               p->tokens[k].value);
                return;
            }
            written = k;
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Event counters.
 */

/* Returns the number of the event counter that is named at token @i, "counter 2" or "PMEVTYPER2"; -1: none. */
static int counter_named(const struct prose *p, size_t i)
{
    const struct prose_token *t = &p->tokens[i];
    const char *digits = t->text + t->length;

    if (t->number && !t->hex && t->value <= 30 && i > 0 && words_prose_is(p, i - 1, "counter/pmn/number")) {
        return (int)t->value;
    }
    if (strncmp(t->text, "pmevtyper", 9) != 0 && strncmp(t->text, "pmevcntr", 8) != 0) {
        return -1;
    }
    digits -= strlen(t->text) > 4 && strcmp(t->text + t->length - 4, "_el0") == 0 ? 4 : 0;
    while (digits > t->text && isdigit((unsigned char)digits[-1])) {
        digits--;
    }
    return isdigit((unsigned char)*digits) ? atoi(digits) : -1;
}

/* Returns the number of the counter that gets what token @i names; -1: none is named. */
static int counter_of(const struct prose *p, size_t i)
{
    for (size_t k = i + 1; k <= i + 5 && is_beside(p, i, k); k++) {
        if (counter_named(p, k) >= 0 && has_between(p, i + 1, k, "to/in/into/on/for/of/at/by")) {
            return counter_named(p, k);
        }
        if (words_prose_is(p, k, "counter") && counter_named(p, k + 1) < 0) {
            break;
        }
    }
    for (size_t k = i; k > 0 && i - k < 9 && is_beside(p, i, k - 1); k--) {
        if (counter_named(p, k - 1) >= 0) {
            return counter_named(p, k - 1);
        }
    }
    return -1;
}

/* Looks for CHAIN in an even counter: "counter 2 has type 0x1E". */
static void find_even_chain(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const bool number = p->tokens[i].number && p->tokens[i].hex && p->tokens[i].value == 0x1E;
        const int counter = number || words_prose_is(p, i, "chain") ? counter_of(p, i) : -1;

        if (counter >= 0 && counter % 2 != 0) {
            return;
        }
        if (counter >= 0) {
            words_add_pair(r, CLUE_words_even_chain, p->tokens[i].line, counter, 0);
        }
    }
}

/* Looks for the type of an event counter, or a filter, in which P excludes EL1 and NSH includes EL2. */
static void find_p_with_nsh(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const uint32_t value = is_word_of_32_bits(p, i) ? (uint32_t)p->tokens[i].value : 0;
        const bool filter = has_between(p, sentence_begin(p, i), sentence_end(p, i),
                                        "type/types/evtyper/pmevtyper*/pmxevtyper*/pmccfiltr*/filter/evtype/typer");

        if ((value >> 27 & 31) == 0x11 && (value & 0x07FF0000) == 0 && filter) {
            words_add_pair(r, CLUE_words_p_with_nsh, p->tokens[i].line, value, 0);
            return;
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counts that are a part of another number.
 */

/* Returns the number of token @i exactly; 0: it is none of 64 bits. */
static uint64_t exact(const struct prose *p, size_t i)
{
    const struct prose_token *t = &p->tokens[i];
    char digits[32];
    size_t used = 0;

    if (!t->number || t->value < 0 || t->value >= 18446744073709551616.0) {
        return 0;
    }
    for (size_t k = 0; k < t->length && used + 1 < sizeof digits; k++) {
        if (strchr(" _,'", t->text[k]) == NULL) {
            digits[used++] = t->text[k];
        }
    }
    digits[used] = '\0';
    return strspn(digits, "x0123456789abcdef") == used ? strtoull(digits, NULL, t->hex ? 16 : 10) : 0;
}

/*
 * Looks for a count that perf began at 0xffffffff80000001 or 0xffffffff00000000 beside the count itself: both readings
 * are of one event, so that they hardly differ otherwise.
 */
static void find_biased(struct reading *r, const struct prose *p)
{
    static const uint64_t starts[] = {UINT64_C(0xffffffff80000000), UINT64_C(0xffffffff00000000)};

    for (size_t i = 0; i < p->count; i++) {
        const uint64_t value = exact(p, i);

        for (size_t s = 0; s < 2 && value > starts[s]; s++) {
            for (size_t k = 0; k < p->count; k++) {
                if (k != i && p->tokens[k].number && p->tokens[k].value >= 1000 &&
                    words_is_near((double)(value - starts[s]), p->tokens[k].value, 0.01)) {
                    words_add_pair(r, CLUE_words_biased, p->tokens[i].line, (double)(value - starts[s]),
                                   p->tokens[k].value);
                    return;
                }
            }
        }
    }
}

/* Looks for a value of 64 bits beside its low 32 bits, which were read next to it: 0x59A3C1F44 and 0x9A3C1D20. */
static void find_low_word(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const uint64_t whole = exact(p, i);

        for (size_t k = 0; k < p->count && whole >> 32 != 0 && whole >> 32 < 0x10000; k++) {
            const uint64_t part = exact(p, k), low = whole & 0xFFFFFFFF;
            const uint64_t apart = part > low ? part - low : low - part;

            if (part >> 32 == 0 && part > 0x10000 && apart < 0x8000) {
                words_add_pair(r, CLUE_words_low_word, p->tokens[k].line, (double)whole, (double)part);
                return;
            }
        }
    }
}

/* Looks for a count of more than 32 bits, in hexadecimal digits, that is what the clock gives in the time. */
static void find_beyond_32_bits(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct prose_token *count = &p->tokens[i];

        for (size_t k = 0; k + 1 < p->count && count->hex && count->value > 4294967296.0; k++) {
            const double rate = p->tokens[k].number ? words_hertz(p, k + 1) : 0;

            for (size_t s = 0; rate != 0 && s + 1 < p->count; s++) {
                const double time = p->tokens[s].number ? p->tokens[s].value * words_seconds(p, s + 1) : 0;

                if (time != 0 && words_is_near(count->value, time * rate * p->tokens[k].value, 0.005)) {
                    words_add_pair(r, CLUE_words_beyond_32_bits, count->line, count->value, time * rate);
                    return;
                }
            }
        }
    }
}

/* Looks for accesses to the two words of a register of 64 bits: "at 0x0F8 and then at 0x0FC". */
static void find_two_offsets(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        for (size_t k = i + 1; is_word_of_32_bits(p, i) && k < i + 8 && is_beside(p, i, k); k++) {
            const uint32_t a = (uint32_t)p->tokens[i].value, b = (uint32_t)p->tokens[k].value;

            if (is_word_of_32_bits(p, k) && (a ^ b) == 4 && a >= 8 && reading_find(r, CLUE_words_halves) == NULL) {
                reading_clue(r, CLUE_words_halves, p->tokens[k].line, NULL);
                return;
            }
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Linux.
 */

/* Looks for what perf says of the time of an event: 0 of time_enabled, or of time_running alone. */
static void find_times_of_event(struct reading *r, const struct prose *p)
{
    static const char zero[] = "0/zero/zeros/zeroes";

    for (size_t i = 0; i < p->count; i++) {
        const bool enabled = words_prose_is(p, i, "time_enabled"), running = words_prose_is(p, i, "time_running");
        const char *other = enabled ? "time_running" : "time_enabled";
        const size_t from = sentence_begin(p, i), end = sentence_end(p, i);

        for (size_t k = i + 1; (enabled || running) && k < i + 7 && k < end && !words_prose_is(p, k, other); k++) {
            if (words_prose_is(p, k, zero) && !has_between(p, i + 1, k, "not/never/above/than/divided/by")) {
                reading_clue(r, enabled ? CLUE_words_never_enabled : CLUE_words_never_ran, p->tokens[k].line, NULL);
                break;
            }
        }
        if (enabled && has_between(p, from, end, "all/both/three/everything/each") && has_between(p, from, end, zero) &&
            has_between(p, from, end, "time_running") &&
            !has_between(p, from, end, "s/sec/seconds/ms/ns/while/but/not")) {
            reading_clue(r, CLUE_words_never_enabled, p->tokens[i].line, NULL);
        }
    }
}

/*
 * Looks for the percentage of the time that perf gives to each of so many events: "nine events, (66.67%)" with six
 * counters.
 */
static void find_share_of_counters(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i + 1 < p->count; i++) {
        const double percent = p->tokens[i].number && words_prose_is(p, i + 1, "%/percent") ? p->tokens[i].value : 0;

        for (size_t k = 0; k + 1 < p->count && percent > 10 && percent < 99.5; k++) {
            const double events = words_amount(p, k);
            const size_t noun = k + 1 + words_prose_is(p, k + 1, "hardware/raw/pmu/different");
            const bool named = words_prose_is(p, noun, "events");

            for (double counters = 2; named && events >= 3 && counters < events && counters <= 8; counters++) {
                if (words_is_near(percent, 100 * counters / events, 0.012)) {
                    words_add_pair(r, CLUE_words_share_of_counters, p->tokens[i].line, counters, events);
                    return;
                }
            }
        }
    }
}

/* Looks for a number of cycles or instructions in the sentence that says that another event is not supported. */
static void find_supported_beside(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i + 1 < p->count; i++) {
        const struct prose_token *t = &p->tokens[i];
        const bool named = words_prose_is(p, i + 1, "cycles") || (i > 0 && words_prose_is(p, i - 1, "cycles"));

        if (t->number && t->value >= 1000 && named &&
            has_between(p, sentence_begin(p, i), sentence_end(p, i), "supported/counted") &&
            reading_find(r, CLUE_words_hardware_counts) == NULL) {
            reading_clue(r, CLUE_words_hardware_counts, t->line, NULL);
            return;
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Interrupts.
 */

/* Returns the number that belongs to token @i, "PPI 7" or "IRQ #23"; -1: none. */
static int number_behind(const struct prose *p, size_t i)
{
    for (size_t k = i + 1; k <= i + 3 && is_beside(p, i, k); k++) {
        if (p->tokens[k].number && p->tokens[k].value >= 0 && p->tokens[k].value < 1020) {
            return (int)p->tokens[k].value;
        }
        if (!words_prose_is(p, k, "number/id/no/nr/line/is/interrupt")) {
            return -1;
        }
    }
    return -1;
}

/* Looks for PPI n beside an interrupt n + 16, which are the same one: "PPI 7 ... unhandled IRQ 23". */
static void find_ppi_number(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const int ppi = words_prose_is(p, i, "ppi/ppis") ? number_behind(p, i) : -1;

        for (size_t k = 0; k < p->count && ppi >= 0 && ppi < 16; k++) {
            if (words_prose_is(p, k, "irq/interrupt/intid/id/vector/number") && number_behind(p, k) == ppi + 16) {
                words_add_pair(r, CLUE_words_ppi_number, p->tokens[k].line, ppi, ppi + 16);
                return;
            }
        }
    }
}

/* Returns the number of the CPU that token @i is, "CPU 2"; -1: none. */
static int cpu_at(const struct prose *p, size_t i)
{
    return p->tokens[i].number && !p->tokens[i].hex && p->tokens[i].value < 64 && i > 0 &&
                   words_prose_is(p, i - 1, "cpu/core")
               ? (int)p->tokens[i].value
               : -1;
}

/*
 * Looks for a CPU that is sampled while the interrupt of another one counts: "while CPU 2 is recorded, the line of
 * CPU 3 in /proc/interrupts goes up".
 */
static void find_irq_of_other_cpu(struct reading *r, const struct prose *p)
{
    static const char samples[] = "record/records/recorded/recording/sample/samples/sampled/sampling/profile/profiled/"
                                  "profiling/overflow/overflows/overflowed/overflowing/measured";
    static const char interrupts[] = "interrupt/interrupts/irq/irqs/spi/spis/line/row/handler";

    for (size_t i = 0, last = 0; i < p->count; i++) {
        const size_t from = sentence_begin(p, i), end = sentence_end(p, i);

        if (cpu_at(p, i) < 0) {
            continue;
        }
        if (last != 0 && last >= from && cpu_at(p, last) != cpu_at(p, i) && has_between(p, from, end, samples) &&
            has_between(p, from, end, interrupts) &&
            has_between(p, from, end, "while/when/if/whenever/although/as/for") &&
            !has_between(p, last > from + 2 ? last - 3 : from, i + 8 < end ? i + 8 : end,
                         "not/no/never/none/only/zero/0/both/all/each") &&
            reading_find(r, CLUE_words_irq_elsewhere) == NULL) {
            reading_clue(r, CLUE_words_irq_elsewhere, p->tokens[i].line, NULL);
            return;
        }
        last = i;
    }
}

/* Looks for a core with the PMU of ARMv7 or later, whatever else is named. */
static void find_newer_core(struct reading *r, const struct prose *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct apmu_core_info *core = words_core_of_token(p, i);

        if (core != NULL && core->pmu != APMU_CORE_PMU_ARM11 && core->pmu != APMU_CORE_PMU_NONE) {
            reading_clue(r, CLUE_words_newer_core, p->tokens[i].line, core->name);
            return;
        }
    }
}

void words_prose_fields(struct reading *r, const struct prose *p)
{
    find_m_registers(r, p);
    find_enables_cut(r, p);
    find_even_chain(r, p);
    find_p_with_nsh(r, p);
    find_biased(r, p);
    find_low_word(r, p);
    find_beyond_32_bits(r, p);
    find_two_offsets(r, p);
    find_times_of_event(r, p);
    find_share_of_counters(r, p);
    find_supported_beside(r, p);
    find_ppi_number(r, p);
    find_irq_of_other_cpu(r, p);
    find_newer_core(r, p);
}
