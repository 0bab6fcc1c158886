/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions and types that the files of the model share.  This header is not for users.  Tests include it to check
 * single functions of the pseudocode.
 */
#ifndef ARMPMU_MODEL_INTERNAL_H
#define ARMPMU_MODEL_INTERNAL_H

#include <armpmu/model.h>

/* Inlines a function that is one test if its arguments are constants, and a long switch if they are not: not at -O0. */
#if defined(__GNUC__) && defined(__OPTIMIZE__)
#define APMU_FOLDED inline __attribute__((always_inline))
#else
#define APMU_FOLDED inline
#endif

/* Keeps a function for rare cases out of line, so that its callers use their registers for the common case. */
#if defined(__GNUC__)
#define APMU_COLD __attribute__((cold, noinline))
#else
#define APMU_COLD
#endif

/*
 * Hides the tables that several files share, so that position-independent firmware reaches them without a table of
 * offsets.  tools/mutate.py defines it empty, because there tests call single files of the model across a shared
 * library.
 */
#if defined(APMU_HIDDEN)
#elif defined(__GNUC__)
#define APMU_HIDDEN __attribute__((visibility("hidden")))
#else
#define APMU_HIDDEN
#endif

static inline bool apmu_bit(uint64_t value, unsigned n)
{
    return (value >> n & 1) != 0;
}

/* Returns a mask of the @n low bits, 0..64. */
static inline uint64_t apmu_ones(unsigned n)
{
    return n == 0 ? 0 : ~UINT64_C(0) >> (64 - n);
}

/* Returns true if all of @features are implemented. */
static inline bool apmu_has(const struct apmu *p, uint64_t features)
{
    return (p->cfg.features & features) == features;
}

/* Returns true for PMUv1 and PMUv2, the PMUs of ARMv7. */
static inline bool apmu_armv7(const struct apmu *p)
{
    return !apmu_has(p, APMU_FEAT(PMUv3));
}

/* Returns true if no Exception level can use AArch64.  The highest one then uses AArch32, and so do all others. */
static inline bool apmu_a32_only(const struct apmu *p)
{
    return (p->cfg.features &
            (APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))) == 0;
}

/* HaveEL() */
static inline bool apmu_have_el(const struct apmu_config *cfg, unsigned el)
{
    /* EL0 and EL1 are always implemented; EL2 and EL3 are if they can use either Execution state. */
    return el < 2 || (cfg->features & (APMU_FEAT(AA64EL0) << el | APMU_FEAT(AA32EL0) << el)) != 0;
}

/* Returns the bits of PMEVTYPER<n>_EL0.evtCount that are implemented: 16, in ARMv7 8, before FEAT_PMUv3p1 10. */
static inline uint16_t apmu_event_bits(const struct apmu *p)
{
    return apmu_has(p, APMU_FEAT(PMUv3p1)) ? 0xFFFF : apmu_armv7(p) ? 0x00FF : 0x03FF;
}

/* Returns the event of event counter @n. */
static inline uint16_t apmu_typer_event(const struct apmu *p, unsigned n)
{
    return (uint16_t)(p->typer[n] & apmu_event_bits(p));
}

/*
 * Returns the number of bits of counter @n: 32 or 64.  Event counters have 64 with FEAT_PMUv3p5.  Without AArch64 the
 * upper halves are optional; AArch32.IncrementEventCounter() in J1.2 has none.
 */
static inline unsigned apmu_counter_width(const struct apmu *p, unsigned n)
{
    return p->derived.counter[n < APMU_CYCLE ? 0 : n - APMU_CYCLE + 1] >> 32 != 0 ? 64 : 32;
}

/* Returns true if counter @n is in synchronous mode: PMEVTYPER<n>_EL0.SYNC, PMICFILTR_EL0.SYNC. */
static inline bool apmu_in_synchronous_mode(const struct apmu *p, unsigned n)
{
    return apmu_has(p, APMU_FEAT(SEBEP)) && n != APMU_CYCLE && APMU_GET(PMEVTYPER_EL0, SYNC, p->typer[n]) != 0;
}

/* EffectiveSCR_EL3_NS(): the Security state below EL3 is not Secure (Non-secure or Realm). */
static inline bool apmu_below_el3_is_nonsecure(const struct apmu *p, const struct apmu_pe *pe)
{
    return apmu_have_el(&p->cfg, 3) ? APMU_GET(SCR_EL3, NS, pe->scr_el3) != 0 : !p->cfg.secure_only;
}

/* IsSecureEL2Enabled() */
static inline bool apmu_secure_el2_enabled(const struct apmu *p, const struct apmu_pe *pe)
{
    if (!apmu_has(p, APMU_FEAT(SEL2)) || !apmu_have_el(&p->cfg, 2) || apmu_a32_only(p)) {
        return false;
    }
    return apmu_have_el(&p->cfg, 3) ? APMU_GET(SCR_EL3, EEL2, pe->scr_el3) != 0 : p->cfg.secure_only;
}

/* EL2Enabled() */
static inline bool apmu_el2_enabled(const struct apmu *p, const struct apmu_pe *pe)
{
    return apmu_have_el(&p->cfg, 2) && (apmu_below_el3_is_nonsecure(p, pe) || apmu_secure_el2_enabled(p, pe));
}

/* apmu_security_state() */
static inline enum apmu_ss apmu_current_ss(const struct apmu *p, const struct apmu_pe *pe)
{
    const bool el3 = apmu_have_el(&p->cfg, 3), rme = el3 && apmu_has(p, APMU_FEAT(RME));

    if (el3 && pe->el == 3) {
        return rme ? APMU_SS_ROOT : APMU_SS_SECURE;
    }
    if (!apmu_below_el3_is_nonsecure(p, pe)) {
        return APMU_SS_SECURE;
    }
    return rme && APMU_GET(SCR_EL3, NSE, pe->scr_el3) != 0 ? APMU_SS_REALM : APMU_SS_NONSECURE;
}

/* Returns true if EL2 is implemented and the PE is at EL2. */
static inline bool apmu_at_el2(const struct apmu *p, const struct apmu_pe *pe)
{
    return pe->el == 2 && apmu_have_el(&p->cfg, 2);
}

/* Returns true if EL3 is implemented and the PE is at EL3. */
static inline bool apmu_at_el3(const struct apmu *p, const struct apmu_pe *pe)
{
    return pe->el == 3 && apmu_have_el(&p->cfg, 3);
}

/* Returns true if EL3 is implemented and the PE is at EL3 or in Secure state: where MDCR_EL3 controls counting. */
static inline bool apmu_secure_or_el3(const struct apmu *p, const struct apmu_pe *pe)
{
    return apmu_have_el(&p->cfg, 3) && (pe->el == 3 || !apmu_below_el3_is_nonsecure(p, pe));
}

/* Returns true if EL3 is implemented and uses AArch32. */
static inline bool apmu_el3_a32(const struct apmu *p)
{
    return apmu_have_el(&p->cfg, 3) && apmu_a32_only(p);
}

/* Returns @choice, what a reserved HPMN or EPMN behaves as, but at most the number of event counters. */
static inline unsigned apmu_reserved_count(const struct apmu *p, unsigned choice)
{
    return choice < p->cfg.counters ? choice : p->cfg.counters;
}

/* apmu_epmn() */
static APMU_FOLDED unsigned apmu_third_range(const struct apmu *p)
{
    if (!apmu_has(p, APMU_FEAT(PMUv3_EXTPMN))) {
        return p->cfg.counters;
    }
    const unsigned epmn = (unsigned)APMU_GET(PMCCR, EPMN, p->ccr);
    return epmn <= p->cfg.counters ? epmn : apmu_reserved_count(p, p->cfg.reserved_epmn);
}

/*
 * Returns what an HPMN of 0, or above @epmn, behaves as.  With FEAT_PMUv3_EXTPMN the first range then ends where the
 * third begins.
 */
static inline unsigned apmu_second_range_of(const struct apmu *p, unsigned hpmn, unsigned epmn)
{
    if (hpmn == 0 && apmu_has(p, APMU_FEAT(HPMN0))) {
        return 0;
    }
    return hpmn != 0 && apmu_has(p, APMU_FEAT(PMUv3_EXTPMN)) ? epmn : apmu_reserved_count(p, p->cfg.reserved_hpmn);
}

/* apmu_hpmn() */
static APMU_FOLDED unsigned apmu_second_range(const struct apmu *p, const struct apmu_pe *pe)
{
    const unsigned epmn = apmu_third_range(p), hpmn = (unsigned)APMU_GET(MDCR_EL2, HPMN, pe->mdcr_el2);

    if (!apmu_have_el(&p->cfg, 2)) {
        return epmn;
    }
    return hpmn - 1 < epmn ? hpmn : apmu_second_range_of(p, hpmn, epmn);
}

/* Holds the event counters of each range: [1..3]. */
struct apmu_ranges {
    uint32_t mask[4];
};

static inline struct apmu_ranges apmu_ranges(const struct apmu *p, const struct apmu_pe *pe)
{
    const uint32_t all = (UINT32_C(1) << p->cfg.counters) - 1;
    const uint32_t first = (UINT32_C(1) << apmu_second_range(p, pe)) - 1;
    const uint32_t below_third = (UINT32_C(1) << apmu_third_range(p)) - 1;

    return (struct apmu_ranges){{0, first, below_third & ~first, all & ~below_third & ~first}};
}

static inline uint64_t apmu_range_mask(const struct apmu *p, const struct apmu_pe *pe, unsigned range)
{
    return apmu_ranges(p, pe).mask[range];
}

/* pe.c */
bool apmu_el_is_a32(const struct apmu *p, const struct apmu_pe *pe, unsigned el); /* ELUsingAArch32(), el = 1..3 */
bool apmu_el0_in_host(const struct apmu *p, const struct apmu_pe *pe);          /* ELIsInHost(EL0) */
bool apmu_spe_stopped(const struct apmu *p, const struct apmu_pe *pe);         /* SPE has stopped on an event */
bool apmu_secure_noninvasive_debug(const struct apmu *p, const struct apmu_pe *pe);

/*
 * why.c: the filter of an Exception level and Security state.  A counter counts if .bits of its PMEVTYPER<n>_EL0 equal
 * one of .pass.  VS and SYNC can stop it as well.
 */
struct apmu_filter {
    uint64_t bits, pass[2];
    enum apmu_reason reason; /* why a counter does not pass */
};

static inline bool apmu_passes(const struct apmu_filter *filter, uint64_t typer)
{
    const uint64_t value = typer & filter->bits;

    return value == filter->pass[0] || value == filter->pass[1];
}

/* The filters by Exception level and Security state, and that of Secure EL2 if SH is not implemented. */
extern const APMU_HIDDEN struct apmu_filter apmu_filters[4][4], apmu_filter_without_sh;

/* Returns the filter that holds now.  Fields that are not implemented read as zero: NSU, NSK and SH without EL3. */
static inline const struct apmu_filter *apmu_filter_of(const struct apmu *p, const struct apmu_pe *pe)
{
    const bool have_el3 = apmu_have_el(&p->cfg, 3);
    const enum apmu_ss ss = apmu_current_ss(p, pe);
    const unsigned el = pe->el & 3;

    if (!have_el3 && el < 2) {
        return &apmu_filters[el][APMU_SS_SECURE];
    }
    if (el == 2 && ss == APMU_SS_SECURE && !(have_el3 && apmu_has(p, APMU_FEAT(SEL2)))) {
        return &apmu_filter_without_sh;
    }
    return el == 3 && apmu_el3_a32(p) ? &apmu_filters[1][APMU_SS_SECURE] : &apmu_filters[el][ss];
}

/*
 * Returns the counters of @set, all implemented and enabled by PMCNTENSET, that count unless their filter, VS or SYNC
 * stops them.
 */
APMU_COLD uint64_t apmu_unstopped(const struct apmu *p, const struct apmu_pe *pe, uint64_t set);
/* Returns true if counting by the first range is prohibited. */
bool apmu_is_prohibited(const struct apmu *p, const struct apmu_pe *pe);

/*
 * Returns true if events go to the event export bus: PMCR_EL0.X is 1, and counting by the first range is not
 * prohibited.
 */
static inline bool apmu_exports(const struct apmu *p, const struct apmu_pe *pe)
{
    return p->cfg.export_bus && APMU_GET(PMCR_EL0, X, p->pmcr) != 0 && !pe->halted && !apmu_is_prohibited(p, pe);
}

/* signal.c */
enum apmu_cause { /* what the overflow flags are to cause: PMUOverflowCondition */
    APMU_CAUSE_REQUEST,   /* PMUIRQ, the trigger of the CTI, an External Debug Request */
    APMU_CAUSE_EXCEPTION, /* an asynchronous PMU Profiling exception */
    APMU_CAUSE_FREEZE,    /* a freeze of counters or of BRBE */
};
enum { APMU_RANGE_1 = 1, APMU_RANGE_2 = 2, APMU_RANGE_3 = 4, APMU_RANGES = 7 };
/* CheckPMUOverflowCondition(): returns the flags of @ranges, a set of APMU_RANGE_n, that take part in @cause. */
uint64_t apmu_overflow_flags(const struct apmu *p, const struct apmu_pe *pe, enum apmu_cause cause, unsigned ranges);
/* PMUExceptionEnabled(): with FEAT_EBEP, *@target_el becomes the Exception level to which the exception is taken. */
bool apmu_exception_enabled(const struct apmu *p, const struct apmu_pe *pe, unsigned *target_el);
bool apmu_interrupt_enabled(const struct apmu *p, const struct apmu_pe *pe);    /* PMUInterruptEnabled() */
bool apmu_overflow_condition(const struct apmu *p, const struct apmu_pe *pe);   /* for PMUIRQ, of all ranges */
void apmu_signal_flags(const struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out);

/* Fills the levels of *@out, but for .overflowed and .exported. */
static inline void apmu_signal(const struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out)
{
    if (p->ovs != 0 || pe->ppend) {
        apmu_signal_flags(p, pe, out);
    } else { /* there is no request */
        out->pmuirq = out->cti = out->edbgrq = out->exception = out->synchronous = false;
        out->brbe_freeze[0] = out->brbe_freeze[1] = false;
        out->exception_el = 0;
    }
}

/* Fills all of *@out; @out may be NULL. */
static inline void apmu_report(const struct apmu *p, const struct apmu_pe *pe, uint64_t overflowed,
                               struct apmu_out *out)
{
    if (out != NULL) {
        out->overflowed = overflowed;
        out->exported = apmu_exports(p, pe);
        apmu_signal(p, pe, out);
    }
}

/* threshold.c */
struct apmu_threshold { uint64_t value; bool condition; }; /* Vn, and Ct, which the next cycle sees as Cp */
struct apmu_threshold apmu_threshold(const struct apmu *p, unsigned n, uint64_t vb, uint64_t vm);
uint64_t apmu_count_value(struct apmu *p, unsigned n, uint64_t vb, uint64_t vm); /* PMUCountValue() */

/*
 * increment.c.  The first three do one increment and return the counters that it makes overflow.  *chain becomes true
 * if the overflow is a CHAIN event of counter n+1, and false otherwise.
 */
uint64_t apmu_increment_event(struct apmu *p, const struct apmu_pe *pe, unsigned n, uint64_t by, bool *chain);
uint64_t apmu_increment_cycle(struct apmu *p, const struct apmu_pe *pe);
uint64_t apmu_increment_instr(struct apmu *p, const struct apmu_pe *pe, uint64_t by);
/* Returns the overflow width of the event counters of @range, 1..3. */
unsigned apmu_range_width(const struct apmu *p, const struct apmu_pe *pe, unsigned range);
void apmu_note_synchronous(struct apmu *p, unsigned n); /* after an increment of counter n */
uint64_t apmu_overflow(struct apmu *p, unsigned n); /* sets the flag of counter n and returns its bit */
bool apmu_event_is_synchronous(const struct apmu *p, unsigned n);

/*
 * count.c: counts @event, the number of an event or APMU_CLOCK.  APMU_CLOCK is a processor cycle: CPU_CYCLES occurs,
 * and the cycle counter advances.  apmu_count() follows the definition.  apmu_event() and apmu_cycles() in batch.c have
 * the same result and are fast in the common case, and so are apmu_step() and apmu_count_cycles().
 */
enum { APMU_CLOCK = 0x10000 | APMU_EV_CPU_CYCLES };
APMU_COLD void apmu_count(struct apmu *p, const struct apmu_pe *pe, uint32_t event, uint64_t times, uint64_t each,
                          struct apmu_out *out);
APMU_COLD void apmu_count_cycles(struct apmu *p, const struct apmu_pe *pe, uint64_t n, const struct apmu_occurrence *ev,
                                 size_t count, struct apmu_out *out);

/* count.c: returns floor(@a / @b); @b is not 0 */
uint64_t apmu_divide(uint64_t a, uint64_t b);

/* count.c: lets SW_INCR occur once for each counter of @mask that counts it, as a write of PMSWINC_EL0 does */
void apmu_sw_increment(struct apmu *p, const struct apmu_pe *pe, uint64_t mask, struct apmu_out *out);

#endif
