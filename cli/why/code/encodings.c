/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: instructions that access another register than the code means. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

static bool names_count(const struct code_case *k, unsigned function)
{
    static const char *const words[] = {"cyc",   "ccnt",     "count", "tick",  "tsc", "time", "CCNT", "Cyc",
                                        "stamp", "perf_get", "clock", "Count", "CYC", "cnt",  "pmn"};

    if (code_function_says(k, function, "pmnc") || code_function_says(k, function, "PMNC")) {
        return false; /* the control register of ARM11 */
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (code_function_says(k, function, words[i])) {
            return true;
        }
    }
    return false;
}

static bool is_access(const struct code_step *s)
{
    return s->act == CODE_READ || s->act == CODE_WRITE;
}

/* Returns true if @at is inside brackets that hold more than one word: a remark, as in "(PMSELR is still 0)". */
static bool is_in_remark(const struct code_comment *c, size_t at)
{
    size_t from = at, to = at;

    while (from > 0 && c->text[from - 1] != '(' && c->text[from - 1] != ')') {
        from--;
    }
    while (to < c->length && c->text[to] != ')') {
        to++;
    }
    return from > 0 && c->text[from - 1] == '(' && memchr(c->text + from, ' ', to - from) != NULL;
}

/* Returns true for registers that PMSELR selects: a comment on such an access may well say what selects it. */
static bool is_selected(enum code_register reg)
{
    return reg == CODE_PMXEVCNTR || reg == CODE_PMXEVTYPER;
}

/* Finds the register that a comment on the line of step @s names. */
static enum code_register named_in_comment(const struct code_case *k, const struct code_step *s, unsigned *n)
{
    for (size_t i = 0; i < k->c->comment_count && i < 4000; i++) {
        const struct code_comment *c = &k->c->comments[i];

        if (c->line != s->line || c->column < s->column) {
            continue;
        }
        bool first = true;

        for (size_t at = 0; at < c->length;) {
            size_t end = at;

            while (end < c->length && (isalnum((unsigned char)c->text[end]) || c->text[end] == '_')) {
                end++;
            }
            if (end > at + 3 && !is_in_remark(c, at)) {
                const enum code_register reg = code_register_by_name(c->text + at, end - at, n);
                const bool selects = reg == CODE_PMSELR && is_selected(s->reg) && !first;

                if (reg != CODE_NO_REGISTER && code_is_pmu(reg) && !selects &&
                    !(s->act == CODE_WRITE && reg == CODE_PMCCNTR)) {
                    return reg;
                }
            }
            first &= end == at;
            at = end + 1;
        }
    }
    return CODE_NO_REGISTER;
}

/* The registers of ARMv7's PMU by CRm and opc2: the nearest one to mistyped operands. */
static const struct near_row {
    enum code_register reg;
    uint8_t crm, opc2;
} near_rows[] = {
    {CODE_PMCR, 12, 0},      {CODE_PMCNTENSET, 12, 1}, {CODE_PMCNTENCLR, 12, 2}, {CODE_PMOVSCLR, 12, 3},
    {CODE_PMSWINC, 12, 4},   {CODE_PMSELR, 12, 5},     {CODE_PMCCNTR, 13, 0},    {CODE_PMXEVTYPER, 13, 1},
    {CODE_PMXEVCNTR, 13, 2}, {CODE_PMUSERENR, 14, 0},  {CODE_PMINTENSET, 14, 1}, {CODE_PMINTENCLR, 14, 2},
    {CODE_PMOVSSET, 14, 3},
};

/* Returns the register that the code means by step @s: named by a comment, by its function, or nearest in encoding. */
static enum code_register meant(const struct code_case *k, const struct code_step *s)
{
    const struct code_function *f = &k->c->functions[s->function];
    unsigned n = 0, write;
    enum code_register reg = named_in_comment(k, s, &n);
    unsigned best = 99;

    if (reg != CODE_NO_REGISTER && reg != CODE_UNKNOWN) {
        return reg;
    }
    reg = f->length != 0 ? code_register_in_function(f->name, f->length, &write) : CODE_NO_REGISTER;
    if (reg != CODE_NO_REGISTER && reg != CODE_UNKNOWN) {
        return reg;
    }
    if (s->act == CODE_READ && names_count(k, s->function)) {
        return CODE_PMCCNTR;
    }
    for (size_t i = 0; i < sizeof near_rows / sizeof near_rows[0]; i++) {
        const struct near_row *row = &near_rows[i];
        const int crm = abs((int)row->crm - s->operands.crm), opc2 = abs((int)row->opc2 - s->operands.opc2);
        const unsigned distance = (unsigned)(4 * (crm != 0) + crm + 2 * (opc2 != 0) + opc2);

        if (distance < best) {
            best = distance;
            reg = row->reg;
        }
    }
    return reg;
}

/* Returns the text of an access of @reg like that of step @s. */
static const char *access_text(const struct code_case *k, const struct code_step *s, enum code_register reg,
                               char buf[160])
{
    return s->act == CODE_WRITE ? code_write_text(k, reg, 0, "value", buf) : code_read_text(k, reg, 0, buf);
}

static void operands_text(const struct code_step *s, char buf[64])
{
    const struct code_operands *o = &s->operands;

    if (o->op0 != 0) {
        snprintf(buf, 64, "S%u_%u_C%u_C%u_%u", o->op0, o->opc1, o->crn, o->crm, o->opc2);
    } else if ((s->flags & CODE_PAIR) != 0) {
        snprintf(buf, 64, "p%u, %u, c%u", o->coproc, o->opc1, o->crm);
    } else {
        snprintf(buf, 64, "p%u, %u, c%u, c%u, %u", o->coproc, o->opc1, o->crn, o->crm, o->opc2);
    }
}

/* Finds operands that are no register of the PMU. */
static void check_unknown(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    char because[400], cure[400], name[32], operands[64], text[160];
    enum code_register reg;

    if (s->reg != CODE_UNKNOWN || !s->operands.given) {
        return;
    }
    reg = meant(k, s);
    operands_text(s, operands);
    suspect_text(because, "%s is no register of the PMU; %s is near", operands, code_name_text(k, reg, 0, name));
    suspect_text(cure, "use %s", access_text(k, s, reg, text));
    code_suspect(k, WHY_wrong_encoding, SUSPECT_CERTAIN, i, because, cure)->weight = 85;
    suspect_follow(k->all, WHY_pmcr_e_clear);
    suspect_follow(k->all, WHY_counter_not_enabled);
}

/* Finds writes of registers that are read-only, and reads of one that is write-only. */
static void check_direction(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    const bool read_only =
        s->reg == CODE_PMCEID0 || s->reg == CODE_PMCEID1 || s->reg == CODE_PMMIR || s->reg == CODE_MIDR;
    char because[400], cure[400], name[32], text[160];
    enum code_register reg;

    if (!(s->act == CODE_WRITE && read_only) && !(s->act == CODE_READ && s->reg == CODE_PMSWINC)) {
        return;
    }
    reg = s->reg == CODE_PMSWINC                             ? CODE_PMXEVCNTR
          : s->reg == CODE_PMCEID1 || s->reg == CODE_PMCEID0 ? CODE_PMSELR
                                                             : CODE_PMCR;
    suspect_text(because, "%s is %s", code_name_text(k, s->reg, 0, name), read_only ? "read-only" : "write-only");
    suspect_text(cure, "use the encoding of the register that is meant; near is %s", access_text(k, s, reg, text));
    code_suspect(k, WHY_wrong_encoding, SUSPECT_CERTAIN, i, because, cure)->weight = 83;
}

/* Returns true if nothing but a read as a count becomes of the value that step @i read. */
static bool is_taken_for_count(const struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    const struct code_function *f = &k->c->functions[s->function];
    unsigned accesses = 0, write = 2;

    if (s->used != 0 || (f->length == 0 && !k->differs)) {
        return false;
    }
    for (size_t j = 0; j < k->c->step_count; j++) {
        const struct code_step *d = &k->c->steps[j];

        accesses += is_access(d) && d->function == s->function && d->reg != s->reg && code_is_pmu(d->reg);
        if (d->act == CODE_DIFFERENCE && (d->value.read == i + 1 || d->used == i + 1)) {
            return true;
        }
    }
    if (accesses != 0 || f->length == 0) {
        return false;
    }
    return names_count(k, s->function) && code_register_in_function(f->name, f->length, &write) != s->reg &&
           memmem(f->name, f->length, "num", 3) == NULL && memmem(f->name, f->length, "counters", 8) == NULL &&
           memmem(f->name, f->length, "ctrl", 4) == NULL && memmem(f->name, f->length, "init", 4) == NULL;
}

/* Finds PMCR, PMXEVTYPER and the like read as if they were a counter. */
static void check_count(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    char because[400], cure[400], name[32], other[32], text[160];
    const bool type = s->reg == CODE_PMXEVTYPER || s->reg == CODE_PMEVTYPER;
    const struct code_function *f = &k->c->functions[s->function];
    /* PMXEVTYPER (c9, c13, 1) is one operand away from PMCCNTR (c9, c13, 0), which counts cycles. */
    const bool cycles = f->length >= 3 && (memmem(f->name, f->length, "yc", 2) != NULL ||
                                           memmem(f->name, f->length, "CYC", 3) != NULL ||
                                           memmem(f->name, f->length, "ccnt", 4) != NULL);
    enum code_register reg = !type || (cycles && s->reg == CODE_PMXEVTYPER) ? CODE_PMCCNTR
                             : s->reg == CODE_PMEVTYPER                      ? CODE_PMEVCNTR
                                                                             : CODE_PMXEVCNTR;

    if (s->act != CODE_READ ||
        (s->reg != CODE_PMCR && !type && s->reg != CODE_PMCNTENSET && s->reg != CODE_PMSELR &&
         s->reg != CODE_PMCCFILTR && s->reg != CODE_A11_PMNC && s->reg != CODE_DWT_CTRL && s->reg != CODE_PMCNTENCLR &&
         s->reg != CODE_PMUSERENR && s->reg != CODE_DWT_OTHER) ||
        !is_taken_for_count(k, i)) {
        return;
    }
    reg = s->reg == CODE_A11_PMNC                               ? CODE_A11_CCNT
          : s->reg == CODE_DWT_CTRL || s->reg == CODE_DWT_OTHER ? CODE_DWT_CYCCNT
                                                                : reg;
    if (s->reg == CODE_DWT_OTHER && k->reads) {
        return;
    }
    suspect_text(because, "this reads %s, not %s", code_name_text(k, s->reg, s->n, name),
                 code_name_text(k, reg, s->n, other));
    if (reg == CODE_DWT_CYCCNT) {
        suspect_text(cure, "read DWT_CYCCNT, at 0xE0001004 (DWT->CYCCNT)");
    } else {
        suspect_text(cure, "read the counter: %s", code_read_text(k, reg, s->n, text));
    }
    code_suspect(k, WHY_wrong_encoding, SUSPECT_CERTAIN, i, because, cure)->weight = 85;
    suspect_follow(k->all, WHY_counter_not_enabled);
}

/* Returns true if the operands of register @b are right for one who means @a. */
static bool is_pair(enum code_register a, enum code_register b)
{
    return (a == CODE_PMOVSCLR && b == CODE_PMOVSSET) || (a == CODE_PMOVSSET && b == CODE_PMOVSCLR) ||
           (a == CODE_PMCCFILTR && b == CODE_PMXEVTYPER); /* where PMSELR.SEL is 31 */
}

/* Returns true if step @i accesses a register in the function of step @with, on another line. */
static bool is_beside(const struct code *c, size_t i, size_t with)
{
    return is_access(&c->steps[i]) && c->steps[i].function == c->steps[with].function &&
           c->steps[i].line != c->steps[with].line;
}

/* Returns true if the function of step @i has another access.  It looks at NEAR steps before and after it. */
static bool has_other_access(const struct code *c, size_t i)
{
    enum { NEAR = 256 };

    for (size_t distance = 1; distance <= NEAR; distance++) {
        if ((distance <= i && is_beside(c, i - distance, i)) ||
            (i + distance < c->step_count && is_beside(c, i + distance, i))) {
            return true;
        }
    }
    return false;
}

/* Returns true for a write of ARM11's PMNC, whose comment names the counters that the write sets up. */
static bool sets_up_arm11(const struct code_step *s)
{
    return s->act == CODE_WRITE && s->reg == CODE_A11_PMNC;
}

/* Finds operands or a generic name that contradict the comment beside them, or the name of their function. */
static void check_named(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    const struct code_function *f = &k->c->functions[s->function];
    char because[400], cure[400], name[32], other[32], text[160];
    unsigned n = 0, write = 2;
    enum code_register reg = CODE_NO_REGISTER;
    enum suspect_confidence confidence = SUSPECT_CERTAIN;

    if (!is_access(s) || !code_is_pmu(s->reg)) {
        return;
    }
    if (s->operands.given && !sets_up_arm11(s)) {
        reg = named_in_comment(k, s, &n);
        confidence = reg != CODE_NO_REGISTER ? SUSPECT_LIKELY : SUSPECT_CERTAIN;
    }
    if (reg == CODE_NO_REGISTER && f->length != 0 && (s->flags & CODE_NAMED) == 0) {
        reg = code_register_in_function(f->name, f->length, &write);
        if (has_other_access(k->c, i) || (write != 2 && write != (s->act == CODE_WRITE)) ||
            (s->act == CODE_WRITE && write == 2 && code_is_count(reg))) { /* ccnt_reset() writes PMCR.C */
            return;
        }
    }
    if (reg == CODE_NO_REGISTER || reg == s->reg || is_pair(reg, s->reg) || !code_is_pmu(reg) || reg >= CODE_DEMCR ||
        (reg >= CODE_A11_PMNC) != (s->reg >= CODE_A11_PMNC) || reg == CODE_PMEVCNTR || reg == CODE_PMEVTYPER) {
        return;
    }
    suspect_text(because, "%s is meant here, and these operands are %s's", code_name_text(k, reg, n, name),
                 code_name_text(k, s->reg, s->n, other));
    suspect_text(cure, "use the encoding of %s: %s", name, access_text(k, s, reg, text));
    code_suspect(k, WHY_wrong_encoding, confidence, i, because, cure)->weight = 84;
    suspect_follow(k->all, WHY_pmcr_e_clear);
    suspect_follow(k->all, WHY_counter_not_enabled);
}

/*
 * Finds a read of the selected event counter by its operands, where the only counter that is ever enabled is that of
 * cycles, and nothing selects or sets up an event counter or reads the cycle counter.
 */
static void check_only_cycles(struct code_case *k)
{
    const size_t enable = code_last_write(k, CODE_PMCNTENSET);
    size_t at = SIZE_MAX;
    char because[400], cure[400], name[32], text[160];

    if (enable == SIZE_MAX) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (!is_access(s)) {
            continue;
        }
        if (s->act == CODE_READ && s->reg == CODE_PMXEVCNTR && s->operands.given && (s->flags & CODE_NAMED) == 0) {
            at = at == SIZE_MAX ? i : at;
        } else if ((code_does(s, CODE_WRITE, CODE_PMCNTENSET) &&
                    ((~s->value.known & UINT32_MAX) != 0 || (s->value.bits & UINT32_MAX) != UINT32_C(1) << 31)) ||
                   s->reg == CODE_PMSELR || s->reg == CODE_PMXEVTYPER || s->reg == CODE_PMEVTYPER ||
                   s->reg == CODE_PMXEVCNTR || s->reg == CODE_PMEVCNTR || s->reg == CODE_PMCCNTR ||
                   s->reg == CODE_UNKNOWN) {
            return;
        }
    }
    if (at == SIZE_MAX || suspect_find(k->all, WHY_wrong_encoding) != NULL) {
        return;
    }
    suspect_text(because, "this reads %s, the selected event counter, and only the cycle counter is set up and enabled",
                 code_name_text(k, CODE_PMXEVCNTR, 0, name));
    suspect_text(cure, "read the cycle counter: %s", code_read_text(k, CODE_PMCCNTR, 0, text));
    code_suspect(k, WHY_wrong_encoding, SUSPECT_LIKELY, at, because, cure)->weight = 84;
}

/* Finds the registers of another version of the PMU than the core has. */
static void check_version(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    char because[400], cure[400], name[32], text[160];
    enum code_register reg;

    if (!is_access(s) || k->core == NULL || (s->flags & CODE_A32) == 0) {
        return;
    }
    if (s->reg >= CODE_A11_PMNC && s->reg <= CODE_A11_PMN1 && k->core->pmu != APMU_CORE_PMU_ARM11 &&
        k->core->pmu != APMU_CORE_PMU_NONE) {
        reg = s->reg == CODE_A11_PMNC ? CODE_PMCR : s->reg == CODE_A11_CCNT ? CODE_PMCCNTR : CODE_PMXEVCNTR;
        suspect_text(because, "c15, c12 is the PMU of the ARM11; the %s has its PMU in c9, as %s", k->core->name,
                     code_register_name(reg, 0, true, name));
    } else if (k->core->pmu == APMU_CORE_PMU_ARM11 && (s->reg == CODE_PMCR || s->reg == CODE_PMCCNTR ||
                                                       s->reg == CODE_PMCNTENSET || s->reg == CODE_PMUSERENR)) {
        reg = s->reg == CODE_PMCCNTR ? CODE_A11_CCNT : s->reg == CODE_PMUSERENR ? CODE_A11_VALIDATION : CODE_A11_PMNC;
        suspect_text(because, "c9 is the PMU of ARMv7; the %s has its PMU in c15, c12, as %s", k->core->name,
                     code_register_name(reg, 0, true, name));
    } else {
        return;
    }
    suspect_text(cure, "use %s", access_text(k, s, reg, text));
    code_suspect(k, WHY_wrong_encoding, SUSPECT_CERTAIN, i, because, cure)->weight = 86;
    suspect_clear(k->all, WHY_el0_access_off);
    suspect_clear(k->all, WHY_el0_access_off_aarch32);
    suspect_follow(k->all, WHY_counter_not_enabled);
    suspect_follow(k->all, WHY_pmcr_e_clear);
}

/* Finds a register of which the neighbour is meant: CLR for SET, and PMXEVCNTR for PMXEVTYPER. */
static void check_neighbour(struct code_case *k, size_t i)
{
    const struct code_step *s = &k->c->steps[i];
    char because[400], cure[400], name[32], other[32], text[160];
    enum code_register reg = CODE_NO_REGISTER;

    if (s->act != CODE_WRITE) {
        return;
    }
    if (s->reg == CODE_PMCNTENCLR && code_last_write(k, CODE_PMCNTENSET) == SIZE_MAX && s->value.bits != 0 &&
        (code_line_says(k, s->line, "enable") || code_function_says(k, s->function, "init") ||
         code_function_says(k, s->function, "Init") || code_function_says(k, s->function, "start"))) {
        reg = CODE_PMCNTENSET;
    } else if (s->reg == CODE_PMXEVCNTR && code_last_write(k, CODE_PMXEVTYPER) == SIZE_MAX &&
               code_last_write(k, CODE_PMSELR) != SIZE_MAX && s->value.bits != 0 && s->value.bits < 0x100) {
        reg = CODE_PMXEVTYPER;
    } else {
        return;
    }
    suspect_text(because, "this writes %s, and nothing writes %s", code_name_text(k, s->reg, 0, name),
                 code_name_text(k, reg, 0, other));
    suspect_text(cure, "write %s: %s", other, access_text(k, s, reg, text));
    code_suspect(k, WHY_wrong_encoding, SUSPECT_CERTAIN, i, because, cure)->weight = 83;
}

/* Finds macros with the name of one register and the encoding of another. */
static void check_misnomers(struct code_case *k)
{
    char because[400], cure[400], quote[120], name[32], other[32];

    for (unsigned i = 0; i < k->c->misnomer_count; i++) {
        const struct code_misnomer *m = &k->c->misnomers[i];
        char generic[24];

        reading_quote(k->r, m->line, quote, sizeof quote);
        code_name_text(k, m->meant, 0, name);
        code_name_text(k, m->is, 0, other);
        snprintf(because, sizeof because, "%s -- the macro is called %s, and this encoding is %s%s", quote, name,
                 m->is == CODE_UNKNOWN ? "" : "that of ", other);
        suspect_text(cure, "%s is %s, or by its name in MRS and MSR", name, code_register_generic(m->meant, generic));
        suspect_add(k->all, WHY_wrong_encoding, SUSPECT_CERTAIN, m->line, because, cure)->weight = 86;
        suspect_follow(k->all, WHY_pmcr_e_clear);
        suspect_follow(k->all, WHY_counter_not_enabled);
    }
}

/* Returns true if the name of @function says that it counts cycles. */
static bool names_cycles(const struct code_case *k, unsigned function)
{
    return code_function_says(k, function, "cycle") || code_function_says(k, function, "Cycle");
}

/* Finds the generic timer where cycles are meant. */
static void check_timer(struct code_case *k)
{
    size_t at = SIZE_MAX;
    bool frequency = false, cycles = false, named;
    char because[400], name[32], cure[400], text[160];

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        frequency |= code_does(s, CODE_READ, CODE_CNTFRQ);
        cycles |= s->act == CODE_READ && (s->reg == CODE_PMCCNTR || s->reg == CODE_A11_CCNT);
        if (s->act == CODE_READ && code_is_timer(s->reg) && at == SIZE_MAX) {
            at = i;
        }
    }
    if (at == SIZE_MAX || cycles || k->c->facts[CODE_HAS_LICENCE] != 0 ||
        (frequency && !(code_complains(k) && names_cycles(k, k->c->steps[at].function)))) {
        return;
    }
    named = names_count(k, k->c->steps[at].function) || code_says(k, "cycles") || code_says(k, "cycle") ||
            code_complains(k) || strstr(k->r->text.joined, "cycle") != NULL || k->c->step_count < 4;
    if (!named) {
        return;
    }
    suspect_text(because,
                 "%s is the generic timer's count at CNTFRQ_EL0, some MHz: it counts time, not the core's cycles",
                 code_name_text(k, k->c->steps[at].reg, 0, name));
    suspect_text(cure,
                 "for cycles read PMCCNTR%s (%s) where the kernel grants it, or let perf_event_open() count "
                 "PERF_COUNT_HW_CPU_CYCLES",
                 k->aarch32 ? "" : "_EL0", code_read_text(k, CODE_PMCCNTR, 0, text));
    code_suspect(k, WHY_cntvct_not_pmccntr,
                 code_complains(k) || code_says(k, "cycles") ? SUSPECT_CERTAIN : SUSPECT_LIKELY, at, because, cure)
        ->weight = 82;
    suspect_clear(k->all, WHY_el0_access_off);
    suspect_clear(k->all, WHY_measures_itself);
}

/* Finds ARM11's encodings where they fault and a later core is named: code that was taken over. */
static void check_taken_over(struct code_case *k)
{
    if (!k->sees[READING_fault] || strcasestr(k->r->text.joined, "cortex-") == NULL) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if ((s->act == CODE_READ || s->act == CODE_WRITE) && s->reg >= CODE_A11_PMNC && s->reg <= CODE_A11_PMN1) {
            code_suspect(k, WHY_wrong_encoding, SUSPECT_LIKELY, i,
                         "c15, c12 is the PMU of ARM11; ARMv7 and later have theirs at c9, and this is UNDEFINED there",
                         "PMCR is MCR p15, 0, <Rt>, c9, c12, 0; PMCNTENSET c9, c12, 1; PMCCNTR c9, c13, 0")
                ->weight = 72;
            suspect_clear(k->all, WHY_arm11_v_bit_clear);
            suspect_clear(k->all, WHY_el3_traps_pmu);
            return;
        }
    }
}

void rules_code_encodings(struct code_case *k)
{
    check_taken_over(k);
    for (size_t i = 0; i < k->c->step_count; i++) {
        if (is_access(&k->c->steps[i])) {
            check_unknown(k, i);
            check_version(k, i);
            check_count(k, i);
            check_direction(k, i);
            check_neighbour(k, i);
            check_named(k, i);
        }
    }
    check_only_cycles(k);
    check_misnomers(k);
    check_timer(k);
}
