/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: values that are written to registers of bits, and masks that miss their bit. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "code.h"

static bool is_set_or_clear(enum code_register reg)
{
    return reg == CODE_PMCNTENSET || reg == CODE_PMCNTENCLR || reg == CODE_PMINTENSET || reg == CODE_PMINTENCLR ||
           reg == CODE_PMOVSCLR || reg == CODE_PMOVSSET;
}

/* Returns the register in which a 1 does what the code wants by a 0: clears the bit. */
static enum code_register clearing(enum code_register reg)
{
    return reg == CODE_PMCNTENSET || reg == CODE_PMCNTENCLR   ? CODE_PMCNTENCLR
           : reg == CODE_PMINTENSET || reg == CODE_PMINTENCLR ? CODE_PMINTENCLR
                                                              : CODE_PMOVSCLR;
}

/* Returns true if the two are views of one set of bits. */
static bool same_bits(enum code_register a, enum code_register b)
{
    return is_set_or_clear(a) && is_set_or_clear(b) && clearing(a) == clearing(b);
}

/* Finds the number of a counter that is written where the mask 1 << number belongs.  Returns true if it is one. */
static bool check_number_as_mask(struct code_case *k, size_t i)
{
    static const char *const names[] = {"idx", "i", "n", "index", "counter", "num", "ctr", "cnt", "id", "counter_id"};
    const struct code_step *s = &k->c->steps[i];
    char cure[400], text[160];

    if ((s->reg != CODE_PMCNTENSET && s->reg != CODE_PMINTENSET) || code_line_says(k, s->line, "<<") ||
        code_line_says(k, s->line, "xzr")) {
        return false;
    }
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        if (code_line_says(k, s->line, names[n])) {
            suspect_text(cure, "write the mask, not the number: %s", code_write_text(k, s->reg, 0, "1 << n", text));
            code_suspect(k, WHY_wrong_bit_or_mask, SUSPECT_CERTAIN, i,
                         "the counter's number is written where its bit, 1 << number, belongs", cure)
                ->weight = 80;
            return true;
        }
    }
    return false;
}

/* Returns true if the code writes the parameter @whose to PMSELR: it is the number of a counter. */
static bool is_number(const struct code_case *k, uint16_t whose)
{
    for (size_t i = 0; whose != 0 && i < k->c->step_count; i++) {
        if (code_does(&k->c->steps[i], CODE_WRITE, CODE_PMSELR) && k->c->steps[i].value.whose == whose) {
            return true;
        }
    }
    return false;
}

/*
 * Finds a parameter that is written to PMSELR as the number of a counter and, as it is, to @reg, which takes a mask.
 * Returns the step, or SIZE_MAX.
 */
static size_t find_number_as_mask(const struct code_case *k, enum code_register reg)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        if (code_does(&k->c->steps[i], CODE_WRITE, reg) && is_number(k, k->c->steps[i].value.whose)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Adds a suspect where the number of a counter that callers choose is written to a register of bits. */
static void check_parameter_as_mask(struct code_case *k)
{
    static const struct {
        enum code_register reg;
        enum why_cause_id effect;
    } rows[] = {
        {CODE_PMCNTENSET, WHY_counter_not_enabled}, {CODE_PMINTENSET, WHY_overflow_interrupt_not_enabled},
        {CODE_PMOVSCLR, WHY_overflow_flag_never_cleared}, {CODE_PMSWINC, WHY_wrong_bit_or_mask},
        {CODE_PMCNTENCLR, WHY_wrong_bit_or_mask}, {CODE_PMINTENCLR, WHY_wrong_bit_or_mask},
    };
    char because[400], cure[400], text[160], name[32];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t at = find_number_as_mask(k, rows[i].reg);

        if (at == SIZE_MAX) {
            continue;
        }
        suspect_text(because,
                     "PMSELR gets a counter's number, and so does %s, which takes a mask: that of counter n is 1 << n",
                     code_name_text(k, rows[i].reg, 0, name));
        suspect_text(cure, "write the mask, not the number: %s", code_write_text(k, rows[i].reg, 0, "1 << n", text));
        code_suspect(k, WHY_wrong_bit_or_mask, SUSPECT_CERTAIN, at, because, cure)->weight = 80;
        if (rows[i].effect != WHY_wrong_bit_or_mask) {
            code_suspect(k, rows[i].effect, SUSPECT_LIKELY, at, because, cure)->weight = 60;
        }
        return;
    }
}

/*
 * Returns true if step @i restores bits: between the read from which its value was made and the write, the code cleared
 * the bits that the value keeps, or those that it leaves out.
 */
static bool is_restored(const struct code_case *k, size_t i)
{
    const struct code_value *v = &k->c->steps[i].value;
    const uint64_t kept = ~v->known & UINT32_MAX, zeros = v->known & ~v->bits & UINT32_MAX;
    uint64_t cleared = 0;

    for (size_t at = v->read; at < i && v->read != 0; at++) {
        const struct code_step *s = &k->c->steps[at];

        if (code_does(s, CODE_WRITE, clearing(k->c->steps[i].reg))) {
            cleared |= s->value.bits | (~s->value.known & UINT32_MAX);
        }
    }
    return cleared != 0 && ((kept & ~cleared) == 0 || (zeros & ~cleared) == 0);
}

/*
 * Returns true if the value that step @i writes was read from a view of the same bits, and bits of it were cleared.
 * To clear in a register that clears what was read and picked is right: but one bit is not left out without a reason.
 */
static bool clears_read(const struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    const struct code_value *v = &s->value;
    const uint64_t zeros = v->known & ~v->bits & UINT32_MAX;

    return v->read != 0 && v->read <= k->c->step_count && v->changed &&
           same_bits(k->c->steps[v->read - 1].reg, s->reg) &&
           zeros != 0 && zeros != UINT32_MAX && (v->bits & UINT32_MAX) == 0 && !is_restored(k, i) &&
           (s->reg != clearing(s->reg) || (zeros & (zeros - 1)) == 0);
}

/* Finds 0 written where only 1 acts: a plain 0, ~bit, or a read with bits cleared. */
static void check_zero(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    const struct code_value *v = &s->value;
    const uint64_t zeros = v->known & ~v->bits & UINT32_MAX;
    char because[400], cure[400], name[32], other[32], text[160];
    const enum code_register target = clearing(s->reg);
    const bool zero = v->known == UINT64_MAX && v->bits == 0;
    const bool inverted = v->read == 0 && (v->bits >> 33) == UINT32_MAX >> 1 && zeros != 0;

    if (!is_set_or_clear(s->reg) || !(zero || inverted || clears_read(k, i))) {
        return;
    }
    if (inverted && s->reg == CODE_PMCNTENCLR && k->enabled != 0) {
        return; /* disables all others */
    }
    if (zero && check_number_as_mask(k, i)) {
        return;
    }
    code_name_text(k, s->reg, 0, name);
    suspect_text(because, "%s is write-1-to-%s: a bit that is written as 0 keeps its value", name,
                 s->reg == target ? "clear" : "set");
    if (s->reg == CODE_PMCNTENSET && k->enabled == 0 && k->used != 0) {
        char mask[24];

        snprintf(mask, sizeof mask, "0x%x", (unsigned)k->used);
        suspect_text(cure, "to enable the counters write their bits to %s: %s", name,
                     code_write_text(k, s->reg, 0, mask, text));
    } else if (s->reg == target) {
        suspect_text(cure, "write 1, not 0, to the bit in %s: %s", name, code_write_text(k, target, 0, "1 << n", text));
    } else {
        suspect_text(cure, "to clear the bit write 1 to it in %s: %s", code_name_text(k, target, 0, other),
                     code_write_text(k, target, 0,
                                     zeros != UINT32_MAX && (zeros & (zeros - 1)) == 0 && zeros == UINT64_C(0x80000000)
                                         ? "1 << 31"
                                         : "1 << n",
                                     text));
    }
    code_suspect(k, WHY_set_register_written_zero, SUSPECT_CERTAIN, i, because, cure)->weight = 70;
    if (s->reg == CODE_PMOVSCLR || s->reg == CODE_PMOVSSET) {
        suspect_text(because, "this write clears no overflow flag, as 0 changes nothing");
        code_suspect(k, WHY_overflow_flag_never_cleared, SUSPECT_LIKELY, i, because, cure);
    }
}

/* Returns the only bit of @bits, or -1. */
static int single(uint64_t bits)
{
    int n = 0;

    if (bits == 0 || (bits & (bits - 1)) != 0) {
        return -1;
    }
    while ((bits >> n & 1) == 0) {
        n++;
    }
    return n;
}

static void counters_text(uint32_t set, char buf[96])
{
    size_t used = 0;

    buf[0] = '\0';
    for (unsigned n = 0; n < 32 && used + 16 < 96; n++) {
        if ((set >> n & 1) != 0) {
            used += (size_t)snprintf(buf + used, 96 - used, n == 31 ? "%sthe cycle counter" : "%scounter %u",
                                     used == 0 ? "" : ", ", n);
        }
    }
}

/*
 * Returns the cycle counter's bit if the code means that one, and not the event counter of @enabled: it sets up no
 * event, and it sets the filter of the cycle counter, names that where it writes the bit in step @at, or the bit is
 * that of a counter which hardly any core has.
 */
static uint32_t meant_cycles(const struct code_case *k, uint64_t enabled, size_t at)
{
    static const char *const words[] = {"cycle", "cycles", "PMCCNTR", "CCNT"};
    bool named = k->last.types[CODE_CYCLE].line != 0 || single(enabled) >= 16;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        named |= code_line_part(k, k->c->steps[at].line, words[i]);
    }
    return named && k->typed == 0 && k->read_counters == 0 && single(enabled) >= 0 ? UINT32_C(1) << CODE_CYCLE : 0;
}

/* Finds a mask of PMCNTENSET that enables a counter which the code does not use, and not the one that it does. */
static void check_enable_mask(struct code_case *k)
{
    uint32_t wanted = k->read_counters | k->typed;
    uint64_t enabled = 0, strays;
    size_t at = SIZE_MAX;
    char because[400], cure[400], missing[96], text[160], value[24], name[32];
    char others[64] = "its bits belong to other counters";

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (!code_does(s, CODE_WRITE, CODE_PMCNTENSET)) {
            continue;
        }
        if ((s->value.known & UINT32_MAX) != UINT32_MAX) {
            return; /* not all of it is known */
        }
        enabled |= s->value.bits;
        at = i;
    }
    if (at == SIZE_MAX) {
        return;
    }
    wanted |= meant_cycles(k, enabled, at);
    if (wanted == 0) {
        return;
    }
    if (k->m_profile && (enabled & ~UINT64_C(0x80000000) & ~(uint64_t)wanted) == 0) {
        return; /* the masks of CMSIS have names: none of them is the wrong one, another is missing */
    }
    strays = enabled & ~(uint64_t)(k->read_counters | k->typed);
    wanted &= ~(uint32_t)enabled;
    if (strays >> 33 != 0) {
        strays &= UINT64_C(0x1FFFFFFFF);
    }
    if (wanted == 0 || strays == 0 || (enabled >> 32 == UINT32_MAX) ||
        (strays == UINT64_C(1) << CODE_CYCLE && (enabled & k->typed) != 0)) {
        return; /* the cycle counter beside a counter of the code is meant */
    }
    counters_text(wanted, missing);
    if (single(strays) >= 0) {
        snprintf(others, sizeof others, "bit %d belongs to %s", single(strays),
                 strays >> 32 != 0 ? "no counter of the code" : "another counter");
    }
    suspect_text(because, "0x%llx is written to %s: %s, and the bit of %s is 0", (unsigned long long)enabled,
                 code_name_text(k, CODE_PMCNTENSET, 0, name), others, missing);
    snprintf(value, sizeof value, single(wanted) >= 0 ? "1 << %d" : "0x%x",
             single(wanted) >= 0 ? single(wanted) : (int)wanted);
    suspect_text(cure, "the bit of %s is bit %d: %s", missing, single(wanted) >= 0 ? single(wanted) : 0,
                 code_write_text(k, CODE_PMCNTENSET, 0, value, text));
    code_suspect(k, WHY_wrong_bit_or_mask, SUSPECT_CERTAIN, at, because, cure)->weight = 80;
    suspect_text(because, "the bit of %s in PMCNTENSET is never written as 1", missing);
    code_suspect(k, WHY_counter_not_enabled, SUSPECT_LIKELY, at, because, cure)->weight = 60;
}

/* Finds a counter's number written to PMSWINC, which takes its bit. */
static void check_increment(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    const uint32_t used = k->typed | k->enabled | k->read_counters;
    char because[400], cure[400], text[160], value[16];

    if (s->reg != CODE_PMSWINC || (s->value.known & UINT32_MAX) != UINT32_MAX || s->value.bits == 0 ||
        (s->value.bits & used) != 0 || s->value.bits > 30 || (used >> s->value.bits & 1) == 0) {
        return;
    }
    suspect_text(because, "PMSWINC takes the bits of counters: 0x%llx does not increment counter %llu",
                 (unsigned long long)s->value.bits, (unsigned long long)s->value.bits);
    snprintf(value, sizeof value, "1 << %u", (unsigned)s->value.bits);
    suspect_text(cure, "write the mask: %s", code_write_text(k, CODE_PMSWINC, 0, value, text));
    code_suspect(k, WHY_wrong_bit_or_mask, SUSPECT_CERTAIN, i, because, cure)->weight = 78;
}

/* Finds a PMCR write of which the comment or the neighbours want E, but that sets another bit. */
static void check_pmcr(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    const uint64_t ones = s->value.bits & s->value.known;
    char because[400], cure[400], text[160];

    if (s->reg != CODE_PMCR || s->value.read == 0 || (ones & 1) != 0 || k->last.ever_e || ones == 0) {
        return;
    }
    if (ones == UINT64_C(0x80000000) || ones == 0x100 || ones == 0x80 || ones == 0x10 || ones == 0x20) {
        suspect_text(because, "bit %d of PMCR is set, but the enable bit E is bit 0", single(ones));
        suspect_text(cure, "set E, bit 0 of PMCR: %s", code_write_text(k, CODE_PMCR, 0, "value | 1", text));
        code_suspect(k, WHY_wrong_bit_or_mask, SUSPECT_LIKELY, i, because, cure);
    }
}

/* Finds PMCR that is read and ANDed with a bit where the others should stay: "v &= (1 << 3)" without its ~. */
static void check_and(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    const uint64_t kept = ~s->value.known & UINT32_MAX;
    char because[400], cure[400], text[160];

    if (s->reg != CODE_PMCR || s->value.read == 0 || kept == 0 || (kept & (kept - 1)) != 0 || kept == 1 ||
        (s->value.bits & UINT32_MAX) != 0 || !code_complains(k)) {
        return;
    }
    suspect_text(because, "AND with 1 << %d keeps this bit alone: E, bit 0 of PMCR, becomes 0, and all counters stop",
                 single(kept));
    suspect_text(cure, "write ~(1 << %d) to clear the bit and to leave E: %s", single(kept),
                 code_write_text(k, CODE_PMCR, 0, "value & ~mask", text));
    code_suspect(k, WHY_wrong_bit_or_mask, SUSPECT_LIKELY, i, because, cure)->weight = 66;
    code_suspect(k, WHY_pmcr_e_clear, SUSPECT_LIKELY, i, because, cure)->weight = 64;
}

/* Reads ">> 11) & 0x1f" at @text.  Returns false if it is something else. */
static bool parse_extract(const char *text, unsigned long *shift, unsigned long *mask)
{
    char *end;

    if (strncmp(text, ">>", 2) != 0) {
        return false;
    }
    *shift = strtoul(text + 2, &end, 0);
    if (end == text + 2) {
        return false;
    }
    end += strspn(end, " uUlL)");
    if (*end != '&') {
        return false;
    }
    text = end + 1 + strspn(end + 1, " (");
    *mask = strtoul(text, &end, 0);
    return end != text;
}

/* Finds a number of counters that is not taken from bits 15:11 of PMCR. */
static void check_number(struct code_case *k)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        size_t at = text_find(&k->r->text, s->line);

        if (!code_does(s, CODE_READ, CODE_PMCR) || s->used != 0) {
            continue;
        }
        for (size_t end = at + 5; at < end && at < k->r->text.count; at++) {
            const struct text_line *line = &k->r->text.lines[at];
            unsigned long shift = 0, mask = 0;
            const char *p = strstr(line->text, ">>");

            if (p == NULL || !parse_extract(p, &shift, &mask) || !((shift == 11) ^ (mask == 0x1F)) || shift > 16) {
                continue;
            }
            suspect_add(k->all, WHY_wrong_bit_or_mask, SUSPECT_CERTAIN, line->number,
                        "N, the number of event counters, is in bits "
                        "15:11 of PMCR: shift by 11, and 5 bits",
                        "N = (PMCR >> 11) & 0x1f")
                ->weight = 70;
            return;
        }
    }
}

void rules_code_masks(struct code_case *k)
{
    const bool trapped = k->user && !k->granted;

    check_number(k);

    for (size_t i = 0; i < k->c->step_count && !trapped; i++) {
        if (k->c->steps[i].act == CODE_WRITE) {
            check_zero(k, i);
            check_pmcr(k, i);
            check_and(k, i);
            check_increment(k, i);
        }
    }
    if (!trapped) {
        check_parameter_as_mask(k);
        check_enable_mask(k);
    }
}
