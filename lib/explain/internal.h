/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the explanations share.  Not for users. */
#ifndef ARMPMU_EXPLAIN_INTERNAL_H
#define ARMPMU_EXPLAIN_INTERNAL_H

#include <armpmu/explain.h>

enum { EXPLAIN_VALUES = 32 };

/* One unknown subject, and the values that are tried for it. */
struct explain_axis {
    enum apmu_subject subject;
    unsigned count, now;
    uint64_t values[EXPLAIN_VALUES];
};

/* All combinations of the values of some unknown subjects, tried in a world of its own. */
struct explain_space {
    const struct apmu_facts *f;
    unsigned n;
    size_t count;
    uint64_t total; /* combinations; UINT64_MAX: more than can be counted */
    struct apmu_full_state w;
    struct explain_axis axes[APMU_SUBJECT_COUNT];
};

/* The subjects of @set that are unknown.  @every_range: every value of HPMN and EPMN, not one for each range of n. */
void apmu_explain_space(struct explain_space *s, const struct apmu_facts *f, unsigned n, uint64_t set,
                        bool every_range);
/* The world with the axis' value @i. */
void apmu_explain_choose(struct explain_space *s, size_t axis, unsigned i);
/* The next combination, in the order of an odometer whose first wheel is the first axis; false after the last. */
bool apmu_explain_next(struct explain_space *s);

/* The subjects that @reason of counter @n can depend on in the state of @f; 0 also where it cannot hold. */
uint64_t apmu_explain_subjects(const struct apmu_facts *f, unsigned n, enum apmu_reason reason);
/* Do the reason's combinations need every value of HPMN and EPMN? */
bool apmu_explain_every_range(enum apmu_reason reason);

/* The word of a subject and its bits there; NULL of a condition that is a bool.  @w is not changed. */
uint64_t *apmu_explain_word(struct apmu_full_state *w, enum apmu_subject subject, unsigned n, uint64_t *bits, unsigned *lsb);
void apmu_explain_set(struct apmu_full_state *w, const struct apmu_facts *f, enum apmu_subject subject, unsigned n,
                      uint64_t value);

/* The subjects that are not known. */
uint64_t apmu_explain_unknown(const struct apmu_facts *f, unsigned n);

/* apmu_access() of the register in the AArch64 view, or with @a32 that of its low half in the AArch32 view. */
struct apmu_access apmu_explain_access(const struct apmu_full_state *w, enum apmu_reg reg, unsigned n, bool write, bool a32);

/* Takes one from *@work.  False: nothing is left, and the search is given up. */
static inline bool apmu_explain_spend(uint64_t *work)
{
    if (*work == 0) {
        return false;
    }
    --*work;
    return true;
}

/*
 * The reasons of counter @n that can hold.  *@stands: whatever the unknown bits are, one of them does.  *@complete: false
 * if @work ended before all values were tried; then the set may have reasons that cannot hold, and *@stands may be false
 * although the counter stands.
 */
uint64_t apmu_explain_open(const struct apmu_facts *f, unsigned n, uint64_t *work, bool *stands, bool *complete);

/* Does counter @n count whatever the unknown bits are?  *@complete: false if @work ended before that was worked out. */
bool apmu_explain_counts(const struct apmu_facts *f, unsigned n, uint64_t *work, bool *complete);

/* What becomes of writes of a register. */
struct explain_may {
    bool may;    /* it can be written, for some values of what is unknown */
    bool unsure; /* and for others it cannot, or is trapped elsewhere */
};

/*
 * Can copy @n of @reg be written in the state of @f?  @surely: asks no further where one value keeps it from that.  The
 * answer of a search that *@work ended, which is 0 then, means nothing.
 */
struct explain_may apmu_explain_may_write(const struct apmu_facts *f, enum apmu_reg reg, unsigned n, bool a32,
                                          bool surely, uint64_t *work);

/* The answers of one register by Exception level, for who asks about several of its fields. */
struct explain_memo {
    enum apmu_reg reg;
    bool have[4];
    struct explain_may at[4];
};

/*
 * The lowest Exception level up to @level that can do @write in the world of @state: .el and .unsure; false if none.
 * The answer of a search that *@work ended, which is 0 then, means nothing.  @memo is of the same facts and state.
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
