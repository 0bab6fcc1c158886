/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of lib/explain share: spaces of unknown values, and questions about them. */
#ifndef ARMPMU_EXPLAIN_INTERNAL_H
#define ARMPMU_EXPLAIN_INTERNAL_H

#include <armpmu/explain.h>

enum { EXPLAIN_VALUES = 32 }; /* the most values that are tried for one subject */

/* An unknown subject, and the values to try for it. */
struct explain_axis {
    enum apmu_subject subject;
    unsigned count, now; /* values, and the index of the one chosen */
    uint64_t values[EXPLAIN_VALUES];
};

/* All combinations of the values of some unknown subjects. */
struct explain_space {
    const struct apmu_facts *f;
    unsigned n;               /* the counter */
    size_t count;             /* axes in use */
    uint64_t total;           /* combinations; UINT64_MAX: more than can be counted */
    struct apmu_full_state w; /* the state with the combination that is chosen now */
    struct explain_axis axes[APMU_SUBJECT_COUNT];
};

/*
 * Makes @s the space of the subjects of @set that are unknown for counter @n, with the first value of each chosen.
 * With @every_range it has every value of HPMN and EPMN, otherwise one for each range that the counter can be in.
 */
void apmu_explain_space(struct explain_space *s, const struct apmu_facts *f, unsigned n, uint64_t set,
                        bool every_range);
/* Gives the subject of axis @axis its value @i in .w. */
void apmu_explain_choose(struct explain_space *s, size_t axis, unsigned i);
/* Goes to the next combination.  The first axis changes fastest.  Returns false after the last one. */
bool apmu_explain_next(struct explain_space *s);

/* Returns the subjects on which @reason of counter @n can depend in the state of @f; 0 if it cannot hold. */
uint64_t apmu_explain_subjects(const struct apmu_facts *f, unsigned n, enum apmu_reason reason);
/* Returns true if @reason needs every value of HPMN and EPMN tried. */
bool apmu_explain_every_range(enum apmu_reason reason);

/*
 * Returns the word of @w that holds a subject of counter @n, with the subject's *bits in that word and the lowest of
 * them, *lsb.  Returns NULL for a flag.  Changes nothing.
 */
uint64_t *apmu_explain_word(struct apmu_full_state *w, enum apmu_subject subject, unsigned n, uint64_t *bits,
                            unsigned *lsb);
/* Gives a subject of counter @n the value @value in @w.  A flag's bits that @f knows keep their values. */
void apmu_explain_set(struct apmu_full_state *w, const struct apmu_facts *f, enum apmu_subject subject, unsigned n,
                      uint64_t value);

/* Returns the subjects of counter @n that are not known, or known in part only. */
uint64_t apmu_explain_unknown(const struct apmu_facts *f, unsigned n);

/* Returns apmu_access() of a register of the AArch64 view, or with @a32 of the AArch32 register with its low half. */
struct apmu_access apmu_explain_access(const struct apmu_full_state *w, enum apmu_reg reg, unsigned n, bool write,
                                       bool a32);

/* Takes one question to the model from *@work.  Returns false if none is left; then the search is given up. */
static inline bool apmu_explain_spend(uint64_t *work)
{
    if (*work == 0) {
        return false;
    }
    --*work;
    return true;
}

/*
 * Returns the reasons of counter @n that can hold.  *@stands is true if one of them holds whatever the unknown bits
 * are. *@complete is false if @work ended before all values were tried.  Then the set may have reasons that cannot
 * hold, and *@stands may be false although the counter stands still.
 */
uint64_t apmu_explain_open(const struct apmu_facts *f, unsigned n, uint64_t *work, bool *stands, bool *complete);

/*
 * Returns true if counter @n counts whatever the unknown bits are.  *@complete is false if @work ended before that was
 * worked out.
 */
bool apmu_explain_counts(const struct apmu_facts *f, unsigned n, uint64_t *work, bool *complete);

/* The answer to whether a register can be written. */
struct explain_permission {
    bool may;    /* it can be written for some values of the unknown bits */
    bool unsure; /* for other values it cannot, or another control traps the write */
};

/*
 * Finds whether copy @n of @reg can be written in the state of @f, with @a32 by way of its AArch32 register.  With
 * @surely the search stops at the first value for which it cannot.  If *@work is 0 afterwards, the search was given up
 * and the answer means nothing.
 */
struct explain_permission apmu_explain_may_write(const struct apmu_facts *f, enum apmu_reg reg, unsigned n, bool a32,
                                                 bool surely, uint64_t *work);

/* The answers about one register, by Exception level, kept for questions about its other fields. */
struct explain_memo {
    enum apmu_reg reg;
    bool have[4];
    struct explain_permission at[4];
};

/*
 * Finds the lowest Exception level up to @level that can do @write in the Security state of @state, and sets .el and
 * .unsure of @write.  Returns false if none can.  @memo belongs to these facts and this state.  If *@work is 0
 * afterwards, the search was given up and the answer means nothing.
 */
bool apmu_explain_level(const struct apmu_facts *f, struct apmu_cure_write *write, enum apmu_state state,
                        unsigned level, struct explain_memo *memo, uint64_t *work);

static inline bool explain_has(const struct apmu_config *cfg, uint64_t features)
{
    return (cfg->features & features) == features;
}

static inline bool explain_has_el(const struct apmu_config *cfg, unsigned el)
{
    return (cfg->features & (APMU_FEAT(AA64EL0) << el | APMU_FEAT(AA32EL0) << el)) != 0;
}

#endif
