/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of lib/explain share.  Not for users. */
#ifndef ARMPMU_EXPLAIN_INTERNAL_H
#define ARMPMU_EXPLAIN_INTERNAL_H

#include <armpmu/explain.h>

enum { EXPLAIN_VALUES = 32 };

/* An unknown subject, and the values to try for it. */
struct explain_axis {
    enum apmu_subject subject;
    unsigned count, now;
    uint64_t values[EXPLAIN_VALUES];
};

/* All combinations of the values of some unknown subjects.  .w is the state with the combination chosen now. */
struct explain_space {
    const struct apmu_facts *f;
    unsigned n;
    size_t count;   /* of .axes */
    uint64_t total; /* combinations; UINT64_MAX: more than can be counted */
    struct apmu_full_state w;
    struct explain_axis axes[APMU_SUBJECT_COUNT];
};

/*
 * Makes @s the space of the subjects of @set that are unknown for counter @n, with the first value of each.
 * @every_range: tries every value of HPMN and EPMN, not one for each range that the counter can be in.
 */
void apmu_explain_space(struct explain_space *s, const struct apmu_facts *f, unsigned n, uint64_t set,
                        bool every_range);
/* Gives the subject of @axis its value @i in .w. */
void apmu_explain_choose(struct explain_space *s, size_t axis, unsigned i);
/* Goes to the next combination.  The first axis changes fastest.  Returns false after the last one. */
bool apmu_explain_next(struct explain_space *s);

/* Returns the subjects on which @reason of counter @n can depend in the state of @f; 0 if it cannot hold. */
uint64_t apmu_explain_subjects(const struct apmu_facts *f, unsigned n, enum apmu_reason reason);
/* Returns true if @reason needs every value of HPMN and EPMN tried. */
bool apmu_explain_every_range(enum apmu_reason reason);

/* Returns the word of @w that holds a subject of counter @n, and its *bits there; NULL for a flag.  Changes nothing. */
uint64_t *apmu_explain_word(struct apmu_full_state *w, enum apmu_subject subject, unsigned n, uint64_t *bits,
                            unsigned *lsb);
/* Gives a subject of counter @n the value @value in @w.  Of a flag, bits that @f knows are left as they are. */
void apmu_explain_set(struct apmu_full_state *w, const struct apmu_facts *f, enum apmu_subject subject, unsigned n,
                      uint64_t value);

/* Returns the subjects of counter @n that are not known. */
uint64_t apmu_explain_unknown(const struct apmu_facts *f, unsigned n);

/* Returns apmu_access() of a register of the AArch64 view, or with @a32 of the AArch32 register with its low half. */
struct apmu_access apmu_explain_access(const struct apmu_full_state *w, enum apmu_reg reg, unsigned n, bool write,
                                       bool a32);

/* Takes one from *@work.  Returns false if nothing is left; then the search is given up. */
static inline bool apmu_explain_spend(uint64_t *work)
{
    if (*work == 0) {
        return false;
    }
    --*work;
    return true;
}

/*
 * Returns the reasons of counter @n that can hold.  *@stands: one of them holds whatever the unknown bits are.
 * *@complete is false if @work ended before all values were tried.  Then the set may have reasons that cannot hold, and
 * *@stands may be false although the counter stands still.
 */
uint64_t apmu_explain_open(const struct apmu_facts *f, unsigned n, uint64_t *work, bool *stands, bool *complete);

/*
 * Returns true if counter @n counts whatever the unknown bits are.  *@complete is false if @work ended before that was
 * worked out.
 */
bool apmu_explain_counts(const struct apmu_facts *f, unsigned n, uint64_t *work, bool *complete);

/* Whether a register can be written. */
struct explain_may {
    bool may;    /* it can, for some values of the unknown bits */
    bool unsure; /* for others it cannot, or the write is trapped elsewhere */
};

/*
 * Finds whether copy @n of @reg can be written in the state of @f.  @surely: stops at the first value for which it
 * cannot.  If *@work is 0 afterwards, the search was given up and the answer means nothing.
 */
struct explain_may apmu_explain_may_write(const struct apmu_facts *f, enum apmu_reg reg, unsigned n, bool a32,
                                          bool surely, uint64_t *work);

/* Answers about one register, by Exception level: kept for the next question about another of its fields. */
struct explain_memo {
    enum apmu_reg reg;
    bool have[4];
    struct explain_may at[4];
};

/*
 * Finds the lowest Exception level up to @level that can do @write in the Security state of @state, and sets .el and
 * .unsure of @write.  Returns false if none can.  @memo is for the same facts and state.  If *@work is 0 afterwards,
 * the search was given up and the answer means nothing.
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
