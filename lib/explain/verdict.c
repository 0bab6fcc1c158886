/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds verdicts.  The model first decides reason by reason, for the values of the unknown fields on which the reason
 * depends.  If reasons remain open, it then decides for the values of all these fields whether all reasons can be
 * absent at once.
 */
#include "internal.h"

enum { MOST_TABULATED = 1 << 14 }; /* the most combinations that apmu_dependence() tabulates */

static enum apmu_ss security_state(const struct apmu_facts *f)
{
    return apmu_security_state(&f->is.p, &f->is.pe);
}

/* Returns true unless @subject is known to have another value than @value. */
static bool may(const struct apmu_facts *f, enum apmu_subject subject, unsigned n, uint64_t value)
{
    uint64_t is;

    return !apmu_subject_known(f, subject, n, &is) || is == value;
}

/* The columns of an APMU_DEPENDS row of tables/subjects.def. */
struct reason_subjects {
    uint64_t own, others;
    bool when;
};

static struct reason_subjects subjects_of(const struct apmu_facts *f, unsigned n, enum apmu_reason reason)
{
    const struct apmu_config *cfg = &f->is.p.cfg;
    const unsigned el = f->is.pe.el;
    const enum apmu_ss ss = security_state(f);

#define S(id) APMU_SUBJECT(id)
#define HAS(x) explain_has(cfg, APMU_FEAT(x))
#define HAS_EL2 explain_has_el(cfg, 2)
#define HAS_EL3 explain_has_el(cfg, 3)
#define MAY(id, value) may(f, APMU_SUBJECT_##id, n, value)
    /*
     * RANGE says which software an event counter belongs to.  SIGNAL and SUNIDENS can allow what SPME prohibits.  With
     * PROHIBITS the cycle counter too stops where events are prohibited.  SPE says which PMBSR_ELx.S freeze counters.
     */
    const uint64_t RANGE =
        n < APMU_CYCLE ? (HAS_EL2 ? S(HPMN) : 0) | (HAS(PMUv3_EXTPMN) ? S(EPMN) : 0) : 0;
    const uint64_t SIGNAL = HAS(Debugv8p2) ? 0 : S(AUTH);
    const uint64_t PROHIBITS = n == APMU_CYCLE ? S(DP) : 0;
    const uint64_t SUNIDENS =
        el != 0 ? 0 : S(SUNIDEN) | (HAS(AA32EL1) ? S(SCR_RW) | S(EEL2) | S(HCR_RW) | S(E2H) | S(TGE) : 0);
    const uint64_t SPE = !HAS(SPE_EXC) ? 0 : S(S2) | S(S3) | S(PMSEE) | S(EE) | S(EEL2) | S(NS);
    const bool SPE_CAN_FREEZE = HAS(SPEv1p2) && HAS(PMUv3p7) && MAY(PMFZ, 1) && MAY(BUFFER, 1);

    switch (reason) {
/* A row becomes a case: case APMU_REASON_CNTEN: return (struct reason_subjects){S(CNTEN), 0, MAY(CNTEN, 0)}; */
#define APMU_DEPENDS(reason, own, others, when) \
    case APMU_REASON_##reason: \
        return (struct reason_subjects){own, others, when};
#include <armpmu/tables/subjects.def>
    default:
        return (struct reason_subjects){0, 0, false};
    }
}

uint64_t apmu_explain_subjects(const struct apmu_facts *f, unsigned n, enum apmu_reason reason)
{
    const struct reason_subjects s = subjects_of(f, n, reason);

    return s.when ? s.own | s.others : 0;
}

uint64_t apmu_reason_subjects(const struct apmu_facts *f, unsigned n, enum apmu_reason reason)
{
    return subjects_of(f, n, reason).own;
}

bool apmu_explain_every_range(enum apmu_reason reason)
{
    return reason == APMU_REASON_FZO || reason == APMU_REASON_HPMFZO;
}

/* ---------------------------------------------------------------------------------------------------------------
 * One reason, then all at once.
 */

/* Findings about one reason: it holds for a value, is absent for a value, or the work ended too early. */
enum { CAN_HOLD = 1, CAN_LACK = 2, NOT_ALL_TRIED = 4 };

/* Tries all values for one reason.  Returns a set of CAN_HOLD, CAN_LACK and NOT_ALL_TRIED. */
static unsigned try_reason(const struct apmu_facts *f, unsigned n, enum apmu_reason reason, struct explain_space *s,
                           uint64_t *work)
{
    unsigned seen = 0;

    apmu_explain_space(s, f, n, apmu_explain_subjects(f, n, reason), apmu_explain_every_range(reason));
    do {
        if (!apmu_explain_spend(work)) {
            return seen | NOT_ALL_TRIED;
        }
        seen |= (apmu_why(&s->w.p, &s->w.pe, n) >> reason & 1) != 0 ? CAN_HOLD : CAN_LACK;
        if (seen == (CAN_HOLD | CAN_LACK)) {
            return seen;
        }
    } while (apmu_explain_next(s));
    return seen;
}

/* Counts the reasons of @open that depend on the subject. */
static unsigned shared_by(const uint64_t *depends_on, uint64_t open, enum apmu_subject subject)
{
    unsigned count = 0;

    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        count += (open >> r & 1) != 0 && (depends_on[r] >> subject & 1) != 0;
    }
    return count;
}

/* Sorts the axes: subjects that many open reasons share are chosen first. */
static void sort_axes(struct explain_space *s, const uint64_t *depends_on, uint64_t open)
{
    for (size_t i = 1; i < s->count; i++) {
        for (size_t k = i; k > 0 && shared_by(depends_on, open, s->axes[k].subject) >
                                        shared_by(depends_on, open, s->axes[k - 1].subject); k--) {
            const struct explain_axis swap = s->axes[k];
            s->axes[k] = s->axes[k - 1];
            s->axes[k - 1] = swap;
        }
    }
}

/*
 * Returns true if all reasons of @open can be absent at once.  The search leaves a branch when a reason can no longer
 * be lifted.
 */
static bool can_count(const struct apmu_facts *f, unsigned n, uint64_t open, struct explain_space *s, uint64_t *work,
                      bool *complete)
{
    uint64_t depends_on[APMU_REASON_COUNT] = {0}, all = 0, decided[APMU_SUBJECT_COUNT + 1] = {0};
    size_t depth = 0;
    bool every_range = false;

    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        if ((open >> r & 1) != 0) {
            depends_on[r] = apmu_explain_subjects(f, n, (enum apmu_reason)r);
            all |= depends_on[r];
            every_range |= apmu_explain_every_range((enum apmu_reason)r);
        }
    }
    apmu_explain_space(s, f, n, all, every_range);
    sort_axes(s, depends_on, open);
    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) { /* decided[i]: the reasons whose last subject is axis i - 1 */
        size_t last = 0;
        for (size_t i = 0; i < s->count; i++) {
            last = (depends_on[r] >> s->axes[i].subject & 1) != 0 ? i + 1 : last;
        }
        decided[last] |= (open >> r & 1) << r;
    }
    if (s->count == 0) {
        return (apmu_why(&s->w.p, &s->w.pe, n) & open) == 0;
    }
    apmu_explain_choose(s, 0, 0);
    for (;;) {
        if (!apmu_explain_spend(work)) {
            *complete = false;
            return true;
        }
        const bool fails = (apmu_why(&s->w.p, &s->w.pe, n) & decided[depth + 1]) != 0;

        if (!fails && depth + 1 == s->count) {
            return true;
        }
        if (!fails) {
            apmu_explain_choose(s, ++depth, 0);
            continue;
        }
        while (s->axes[depth].now + 1 == s->axes[depth].count) {
            if (depth == 0) {
                return false;
            }
            depth--;
        }
        apmu_explain_choose(s, depth, s->axes[depth].now + 1);
    }
}

void apmu_verdict_within(const struct apmu_facts *f, unsigned n, uint64_t *work, struct apmu_verdict *v)
{
    const uint64_t unknown = apmu_explain_unknown(f, n), why = apmu_why(&f->is.p, &f->is.pe, n);
    struct explain_space s;

    *v = (struct apmu_verdict){.is = APMU_ANSWER_COUNTS, .complete = true};
    if (unknown == 0) {
        v->is = why == 0 ? APMU_ANSWER_COUNTS : APMU_ANSWER_STANDS;
        v->always = why;
        return;
    }
    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        const unsigned seen = (apmu_explain_subjects(f, n, (enum apmu_reason)r) & unknown) != 0
                                  ? try_reason(f, n, (enum apmu_reason)r, &s, work)
                              : (why >> r & 1) != 0 ? CAN_HOLD
                                                    : CAN_LACK;

        if (seen == CAN_HOLD) {
            v->always |= UINT64_C(1) << r;
        } else if (seen != CAN_LACK) {
            v->maybe |= UINT64_C(1) << r;
            v->complete &= (seen & NOT_ALL_TRIED) == 0;
        }
    }
    if (v->always != 0) {
        v->is = APMU_ANSWER_STANDS;
    } else if (v->maybe != 0) {
        v->is = can_count(f, n, v->maybe, &s, work, &v->complete) ? APMU_ANSWER_DEPENDS : APMU_ANSWER_STANDS;
    }
}

void apmu_verdict(const struct apmu_facts *f, unsigned n, struct apmu_verdict *v)
{
    uint64_t work = APMU_EXPLAIN_WORK;

    apmu_verdict_within(f, n, &work, v);
}

uint64_t apmu_explain_open(const struct apmu_facts *f, unsigned n, uint64_t *work, bool *stands, bool *complete)
{
    struct apmu_verdict v;

    apmu_verdict_within(f, n, work, &v);
    *stands = v.is == APMU_ANSWER_STANDS;
    *complete = v.complete;
    return v.always != 0 && *stands ? v.always : v.always | v.maybe;
}

bool apmu_explain_counts(const struct apmu_facts *f, unsigned n, uint64_t *work, bool *complete)
{
    const uint64_t unknown = apmu_explain_unknown(f, n);
    struct explain_space s;

    *complete = apmu_explain_spend(work);
    if (!*complete) {
        return false;
    }
    if (apmu_why(&f->is.p, &f->is.pe, n) != 0) { /* it stands still if the unknown bits are 0 */
        return false;
    }
    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        const enum apmu_reason reason = (enum apmu_reason)r;

        if ((apmu_explain_subjects(f, n, reason) & unknown) == 0) {
            continue;
        }
        apmu_explain_space(&s, f, n, apmu_explain_subjects(f, n, reason), apmu_explain_every_range(reason));
        do {
            if (!apmu_explain_spend(work)) {
                *complete = false;
                return false;
            }
            if (apmu_why(&s.w.p, &s.w.pe, n) != 0) {
                return false;
            }
        } while (apmu_explain_next(&s));
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Dependences of a reason.
 */

/* Returns the bit of a member of .values of struct apmu_dependence that stands for value @i of the axis. */
static unsigned value_bit(const struct explain_axis *axis, unsigned i)
{
    const uint64_t value = axis->values[i];

    return value < 32 && axis->subject != APMU_SUBJECT_OVS ? (unsigned)value : i != 0;
}

/* Returns true if @holds, in the order of apmu_explain_next(), differs along the axis of @count values at @stride. */
static bool matters(const uint8_t *holds, uint64_t total, uint64_t stride, unsigned count)
{
    for (uint64_t i = 0; i < total; i++) {
        const uint64_t digit = stride == 1 ? i % count : i / stride % count;

        if (digit != 0 && holds[i] != holds[i - digit * stride]) {
            return true;
        }
    }
    return false;
}

void apmu_dependence(const struct apmu_facts *f, unsigned n, enum apmu_reason reason, struct apmu_dependence *d)
{
    uint8_t holds[MOST_TABULATED];
    struct explain_space s;
    uint64_t i = 0, held = 0, product = 1, stride = 1;

    *d = (struct apmu_dependence){.product = false};
    apmu_explain_space(&s, f, n, apmu_explain_subjects(f, n, reason), apmu_explain_every_range(reason));
    if (s.total > MOST_TABULATED) {
        for (size_t a = 0; a < s.count; a++) {
            d->subjects |= UINT64_C(1) << s.axes[a].subject;
        }
        return;
    }
    do {
        holds[i] = (apmu_why(&s.w.p, &s.w.pe, n) >> reason & 1) != 0;
        if (holds[i] != 0) {
            held++;
            for (size_t a = 0; a < s.count; a++) {
                d->values[s.axes[a].subject] |= UINT32_C(1) << value_bit(&s.axes[a], s.axes[a].now);
            }
        }
        i++;
    } while (apmu_explain_next(&s));
    for (size_t a = 0; a < s.count; a++) {
        unsigned with = 0;

        for (unsigned k = 0; k < s.axes[a].count; k++) {
            with += d->values[s.axes[a].subject] >> value_bit(&s.axes[a], k) & 1;
        }
        product *= with;
        if (matters(holds, s.total, stride, s.axes[a].count)) {
            d->subjects |= UINT64_C(1) << s.axes[a].subject;
        }
        stride *= s.axes[a].count;
    }
    d->product = product == held;
}
