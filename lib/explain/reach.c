/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds who may access a register: the model decides for the values that unknown controls can have. */
#include <string.h>

#include "internal.h"

enum {
    MOST_ACCESSES = 1 << 12, /* combinations of values that are tried; of more, this many random ones */
    MOST_NEIGHBOURS = 64,    /* random combinations around which each single value is tried too */
};

/* Returns the subjects that control accesses at EL0: fields of PMUSERENR_EL0 and the like. */
static uint64_t user_controls(const struct apmu_config *cfg, enum apmu_reg reg)
{
    uint64_t set = APMU_SUBJECT(EN) | APMU_SUBJECT(TGE);

    set |= reg == APMU_REG_PMEVCNTR_EL0 ? APMU_SUBJECT(ER) : reg == APMU_REG_PMCCNTR_EL0 ? APMU_SUBJECT(CR) : 0;
    set |= reg >= APMU_REG_COUNT || apmu_reg_info(reg)->copies > 1 ? 0 : APMU_SUBJECT(ER) | APMU_SUBJECT(CR);
    set |= explain_has(cfg, APMU_FEAT(VHE)) ? APMU_SUBJECT(E2H) : 0;
    return set | (explain_has(cfg, APMU_FEAT(PMUv3p9)) ? APMU_SUBJECT(UEN) | APMU_SUBJECT(UACR) : 0);
}

/* Returns the subjects that control accesses to @reg in the state of @f. */
static uint64_t controls(const struct apmu_facts *f, enum apmu_reg reg, bool a32)
{
    const struct apmu_config *cfg = &f->is.p.cfg;
    const bool event = apmu_reg_info(reg)->copies > 1, el1_a32 = a32 || explain_has(cfg, APMU_FEAT(AA32EL1));
    const bool newer = explain_has(cfg, APMU_FEAT(PMUv3p9)) || explain_has(cfg, APMU_FEAT(EBEP));
    const unsigned el = f->is.pe.el;
    const bool secure = apmu_security_state(&f->is.p, &f->is.pe) == APMU_SS_SECURE;
    uint64_t set = event && explain_has(cfg, APMU_FEAT(PMUv3_EXTPMN)) ? APMU_SUBJECT(EPMN) : 0;

    if (el == 3) {
        return set;
    }
    if (explain_has_el(cfg, 3)) {
        set |= APMU_SUBJECT(TPM3) | (newer ? APMU_SUBJECT(EnPM2) : 0) | (el1_a32 ? APMU_SUBJECT(SCR_RW) : 0);
    }
    set |= secure || a32 ? APMU_SUBJECT(EEL2) : 0;
    if (el == 2) {
        return set;
    }
    if (explain_has_el(cfg, 2)) {
        set |= APMU_SUBJECT(TPM2) | (event ? APMU_SUBJECT(HPMN) : 0) | (el1_a32 ? APMU_SUBJECT(HCR_RW) : 0);
        set |= reg == APMU_REG_PMCR_EL0 ? APMU_SUBJECT(TPMCR) : 0;
        set |= a32 ? APMU_SUBJECT(T9) : 0;
        set |= explain_has(cfg, APMU_FEAT(FGT)) ? APMU_SUBJECT(FGT) | APMU_SUBJECT(FGTEn) : 0;
        set |= newer && explain_has(cfg, APMU_FEAT(FGT2)) ? APMU_SUBJECT(FGT2) | APMU_SUBJECT(FGTEn2) : 0;
    }
    return el == 0 ? set | user_controls(cfg, reg) : set;
}

struct apmu_access apmu_explain_access(const struct apmu_full_state *w, enum apmu_reg reg, unsigned n, bool write,
                                       bool a32)
{
    struct apmu_pe pe = w->pe;

    pe.a32 = a32;
    if (!a32) {
        return apmu_access(&w->p, &pe, reg, n, write);
    }
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        const struct apmu_reg32_info *info = apmu_reg32_info((enum apmu_reg32)r);
        if (info->of == reg && info->part == APMU_PART_LOW) {
            return apmu_access_a32(&w->p, &pe, (enum apmu_reg32)r, n, write);
        }
    }
    return (struct apmu_access){.outcome = APMU_ACCESS_UNDEFINED, .control = "no such register"};
}

static bool same(const struct apmu_access *a, const struct apmu_access *b)
{
    return a->outcome == b->outcome && a->el == b->el && strcmp(a->control, b->control) == 0;
}

/* Adds an answer that @reach lacks, if there is room. */
static void note(struct apmu_reach *reach, const struct apmu_access *a)
{
    for (size_t i = 0; i < reach->count; i++) {
        if (same(&reach->answers[i], a)) {
            return;
        }
    }
    if (reach->count < APMU_REACH_ANSWERS) {
        reach->answers[reach->count++] = *a;
    }
}

/* Returns the next number of a pseudo-random sequence (xorshift). */
static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Goes to a random combination of @s.  Samples stand for all combinations if there are too many. */
static void choose_any(struct explain_space *s, uint64_t *random)
{
    for (size_t i = 0; i < s->count; i++) {
        apmu_explain_choose(s, i, (unsigned)(next_random(random) >> 33) % s->axes[i].count);
    }
}

/* The same seed each time gives the same answer to the same question. */
static const uint64_t seed = UINT64_C(88172645463325253);

void apmu_reach(const struct apmu_facts *f, enum apmu_reg reg, unsigned n, bool write, bool a32,
                struct apmu_reach *reach)
{
    const unsigned counter = reg == APMU_REG_PMCCNTR_EL0 ? APMU_CYCLE : reg == APMU_REG_PMICNTR_EL0 ? APMU_INSTR : n;
    struct explain_space s;
    uint64_t random = seed, tried = 0;
    bool more = true;

    *reach = (struct apmu_reach){.count = 0};
    apmu_explain_space(&s, f, counter, controls(f, reg, a32), false);
    while (more) {
        const struct apmu_access a = apmu_explain_access(&s.w, reg, n, write, a32);

        note(reach, &a);
        for (size_t i = 0; i < s.count; i++) { /* adds the subject if its next value alone changes the answer */
            const unsigned now = s.axes[i].now;

            if ((reach->subjects >> s.axes[i].subject & 1) == 0) {
                apmu_explain_choose(&s, i, (now + 1) % s.axes[i].count);
                const struct apmu_access other = apmu_explain_access(&s.w, reg, n, write, a32);
                reach->subjects |= !same(&a, &other) ? UINT64_C(1) << s.axes[i].subject : 0;
                apmu_explain_choose(&s, i, now);
            }
        }
        if (s.total <= MOST_ACCESSES) {
            more = apmu_explain_next(&s);
            continue;
        }
        choose_any(&s, &random);
        more = ++tried < MOST_ACCESSES;
    }
}

/*
 * Notes the answers to the writes that differ from the chosen combination of @s in one subject.  Sets *may if one of
 * them is allowed.
 */
static void note_neighbours(struct explain_space *s, enum apmu_reg reg, unsigned n, bool a32, struct apmu_reach *reach,
                            bool *may)
{
    for (size_t i = 0; i < s->count; i++) {
        const unsigned now = s->axes[i].now;

        for (unsigned k = 0; k < s->axes[i].count; k++) {
            apmu_explain_choose(s, i, k);
            const struct apmu_access a = apmu_explain_access(&s->w, reg, n, true, a32);

            *may |= a.outcome == APMU_ACCESS_OK;
            note(reach, &a);
        }
        apmu_explain_choose(s, i, now);
    }
}

struct explain_permission apmu_explain_may_write(const struct apmu_facts *f, enum apmu_reg reg, unsigned n, bool a32,
                                                 bool surely, uint64_t *work)
{
    struct apmu_reach reach = {.count = 0};
    struct explain_space s;
    uint64_t random = seed, tried = 0;
    bool more = true, may = false;

    apmu_explain_space(&s, f, n, controls(f, reg, a32), false);
    while (more && !(reach.count > 1 && (may || surely)) && apmu_explain_spend(work)) {
        const struct apmu_access a = apmu_explain_access(&s.w, reg, n, true, a32);

        may |= a.outcome == APMU_ACCESS_OK;
        note(&reach, &a);
        if (surely && !may) {
            break;
        }
        if (s.total <= MOST_ACCESSES) {
            more = apmu_explain_next(&s);
        } else {
            if (tried < MOST_NEIGHBOURS) {
                note_neighbours(&s, reg, n, a32, &reach, &may);
            }
            choose_any(&s, &random);
            more = ++tried < MOST_ACCESSES;
        }
    }
    return (struct explain_permission){may, reach.count > 1};
}
