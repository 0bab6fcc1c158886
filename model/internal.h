/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the model share.  Not for users: the tests include it to check single functions of the pseudocode.
 */
#ifndef ARMPMU_MODEL_INTERNAL_H
#define ARMPMU_MODEL_INTERNAL_H

#include <armpmu/model.h>

static inline bool apmu_bit(uint64_t value, unsigned n)
{
    return (value >> n & 1) != 0;
}

static inline uint64_t apmu_ones(unsigned n) /* n low bits, n = 0..64 */
{
    return n == 0 ? 0 : ~UINT64_C(0) >> (64 - n);
}

static inline bool apmu_has(const struct apmu *p, uint64_t features)
{
    return (p->cfg.features & features) == features;
}

/* One of the PMUs before PMUv3 */
static inline bool apmu_armv7(const struct apmu *p)
{
    return !apmu_has(p, APMU_FEAT(PMUv3));
}

/* No Exception level can use AArch64, so the highest one uses AArch32 and with it all others. */
static inline bool apmu_a32_only(const struct apmu *p)
{
    return (p->cfg.features &
            (APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))) == 0;
}

/* Small and hot, so here: a counter's event and mode, and HaveEL(). */
static inline bool apmu_have_el(const struct apmu_config *cfg, unsigned el)
{
    /* EL0 and EL1 are always there; ELn is implemented if it can use either Execution state. */
    return el < 2 || (cfg->features & (APMU_FEAT(AA64EL0) << el | APMU_FEAT(AA32EL0) << el)) != 0;
}

static inline uint16_t apmu_typer_event(const struct apmu *p, unsigned n)
{
    const uint16_t bits = apmu_has(p, APMU_FEAT(PMUv3p1)) ? 0xFFFF : apmu_armv7(p) ? 0x00FF : 0x03FF;

    return (uint16_t)(p->typer[n] & bits);
}

/* PMEVTYPER<n>_EL0.SYNC, PMICFILTR_EL0.SYNC */
static inline bool apmu_in_synchronous_mode(const struct apmu *p, unsigned n)
{
    return apmu_has(p, APMU_FEAT(SEBEP)) && n != APMU_CYCLE && APMU_GET(PMEVTYPER_EL0, SYNC, p->typer[n]) != 0;
}

/* pe.c: what the state of the PE means */
bool apmu_el2_enabled(const struct apmu *p, const struct apmu_pe *pe);          /* EL2Enabled() */
bool apmu_el_is_a32(const struct apmu *p, const struct apmu_pe *pe, unsigned el); /* ELUsingAArch32(), el = 1..3 */
bool apmu_el0_in_host(const struct apmu *p, const struct apmu_pe *pe);          /* ELIsInHost(EL0) */
bool apmu_spe_stopped(const struct apmu *p, const struct apmu_pe *pe);          /* SPE profiling is stopped and freezes */
bool apmu_secure_noninvasive_debug(const struct apmu *p, const struct apmu_pe *pe);

/* why.c */
struct apmu_ranges {
    uint64_t mask[4]; /* [1..3]: the event counters of the range */
};
uint64_t apmu_counting(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ranges *r,
                       uint64_t set); /* event counters of @set that count */

/* range.c */
struct apmu_ranges apmu_ranges(const struct apmu *p, const struct apmu_pe *pe);
uint64_t apmu_range_mask(const struct apmu *p, const struct apmu_pe *pe, unsigned range); /* its event counters */

/* why.c */
bool apmu_exports(const struct apmu *p, const struct apmu_pe *pe); /* events go to the event export bus */

/* signal.c */
enum apmu_cause { /* why the overflow flags are looked at: PMUOverflowCondition */
    APMU_CAUSE_REQUEST,   /* PMUIRQ, the trigger of the CTI, an External Debug Request */
    APMU_CAUSE_EXCEPTION, /* an asynchronous PMU Profiling exception */
    APMU_CAUSE_FREEZE,    /* freezing counters, freezing BRBE */
};
enum { APMU_RANGE_1 = 1, APMU_RANGE_2 = 2, APMU_RANGE_3 = 4, APMU_RANGES = 7 };
/* CheckPMUOverflowCondition(): the flags of the @ranges that count for @cause */
uint64_t apmu_overflow_flags(const struct apmu *p, const struct apmu_pe *pe, enum apmu_cause cause, unsigned ranges);
bool apmu_exception_enabled(const struct apmu *p, const struct apmu_pe *pe, unsigned *target_el);
bool apmu_interrupt_enabled(const struct apmu *p, const struct apmu_pe *pe);    /* PMUInterruptEnabled() */
bool apmu_overflow_condition(const struct apmu *p, const struct apmu_pe *pe);   /* of all ranges, for PMUIRQ */
void apmu_signal(const struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out); /* fills the levels of *out */

/* threshold.c */
struct apmu_threshold { uint64_t value; bool condition; }; /* Vn, and Ct for the next cycle */
struct apmu_threshold apmu_threshold(const struct apmu *p, unsigned n, uint64_t vb, uint64_t vm);
uint64_t apmu_count_value(struct apmu *p, unsigned n, uint64_t vb, uint64_t vm); /* PMUCountValue() */

/* increment.c: what one increment does.  Each returns the counters that it made overflow. */
uint64_t apmu_increment_event(struct apmu *p, const struct apmu_pe *pe, unsigned n, uint64_t by, bool *chain);
uint64_t apmu_increment_cycle(struct apmu *p, const struct apmu_pe *pe);
uint64_t apmu_increment_instr(struct apmu *p, const struct apmu_pe *pe, uint64_t by);
unsigned apmu_range_width(const struct apmu *p, const struct apmu_pe *pe, unsigned range); /* of its event counters */
void apmu_note_synchronous(struct apmu *p, unsigned n); /* after an increment of counter n */
uint64_t apmu_overflow(struct apmu *p, unsigned n); /* sets the flag; the answer is its bit */
bool apmu_event_is_synchronous(const struct apmu *p, unsigned n);

/* count.c: floor(a / b), b != 0 */
uint64_t apmu_divide(uint64_t a, uint64_t b);

/* count.c: SW_INCR occurs once for each counter of @mask that counts it (a write of PMSWINC_EL0) */
void apmu_sw_increment(struct apmu *p, const struct apmu_pe *pe, uint64_t mask, struct apmu_out *out);

#endif
