/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the model share.  Not for users: the tests include it to check single functions of the pseudocode.
 */
#ifndef ARMPMU_MODEL_INTERNAL_H
#define ARMPMU_MODEL_INTERNAL_H

#include <armpmu/model.h>

/* For a function that is one test where its arguments are constants, and a long switch where they are not. */
#if defined(__GNUC__)
#define APMU_FOLDED inline __attribute__((always_inline))
#else
#define APMU_FOLDED inline
#endif

/* For a function that is the exception: what calls it keeps its registers for the rule. */
#if defined(__GNUC__)
#define APMU_COLD __attribute__((cold, noinline))
#else
#define APMU_COLD
#endif

/*
 * Tables that several files share are not for the outside: firmware reaches them without a table of offsets.  tools/mutate.py
 * defines it empty, because tests ask single files of the model across a shared library.
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

/* PMEVTYPER<n>_EL0.evtCount */
static inline uint16_t apmu_event_bits(const struct apmu *p)
{
    return apmu_has(p, APMU_FEAT(PMUv3p1)) ? 0xFFFF : apmu_armv7(p) ? 0x00FF : 0x03FF;
}

static inline uint16_t apmu_typer_event(const struct apmu *p, unsigned n)
{
    return (uint16_t)(p->typer[n] & apmu_event_bits(p));
}

/*
 * The bits that counter @n has: 32 or 64.  Event counters have 64 with FEAT_PMUv3p5.  Without AArch64 the upper halves
 * are optional; in J1.2 AArch32.IncrementEventCounter() has none.
 */
static inline unsigned apmu_counter_width(const struct apmu *p, unsigned n)
{
    return p->derived.counter[n < APMU_CYCLE ? 0 : n - APMU_CYCLE + 1] >> 32 != 0 ? 64 : 32;
}

/* PMEVTYPER<n>_EL0.SYNC, PMICFILTR_EL0.SYNC */
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

/* EL2 or EL3 is implemented, and the PE is there. */
static inline bool apmu_at_el2(const struct apmu *p, const struct apmu_pe *pe)
{
    return pe->el == 2 && apmu_have_el(&p->cfg, 2);
}

static inline bool apmu_at_el3(const struct apmu *p, const struct apmu_pe *pe)
{
    return pe->el == 3 && apmu_have_el(&p->cfg, 3);
}

/* EL3 is implemented, and the PE is there or in Secure state: what MDCR_EL3 speaks of. */
static inline bool apmu_secure_or_el3(const struct apmu *p, const struct apmu_pe *pe)
{
    return apmu_have_el(&p->cfg, 3) && (pe->el == 3 || !apmu_below_el3_is_nonsecure(p, pe));
}

/* EL3 is implemented and uses AArch32. */
static inline bool apmu_el3_a32(const struct apmu *p)
{
    return apmu_have_el(&p->cfg, 3) && apmu_a32_only(p);
}

/* What a reserved HPMN or EPMN behaves as is a number of counters that there are. */
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

/* What an HPMN of 0 or beyond @epmn behaves as.  With FEAT_PMUv3_EXTPMN the first range ends where the third begins. */
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

/* The event counters of each range: [1..3]. */
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

/* pe.c: what the state of the PE means */
bool apmu_el_is_a32(const struct apmu *p, const struct apmu_pe *pe, unsigned el); /* ELUsingAArch32(), el = 1..3 */
bool apmu_el0_in_host(const struct apmu *p, const struct apmu_pe *pe);          /* ELIsInHost(EL0) */
bool apmu_spe_stopped(const struct apmu *p, const struct apmu_pe *pe);          /* SPE profiling is stopped and freezes */
bool apmu_secure_noninvasive_debug(const struct apmu *p, const struct apmu_pe *pe);

/*
 * why.c: a filter lets a counter count where the bits @bits of its PMEVTYPER<n>_EL0 are one of @pass; VS and SYNC stop
 * counters besides.
 */
struct apmu_filter {
    uint64_t bits, pass[2];
    enum apmu_reason reason; /* where it does not */
};

static inline bool apmu_passes(const struct apmu_filter *filter, uint64_t typer)
{
    const uint64_t value = typer & filter->bits;

    return value == filter->pass[0] || value == filter->pass[1];
}

/* By Exception level and Security state; and where SH is not implemented. */
extern const APMU_HIDDEN struct apmu_filter apmu_filters[4][4], apmu_filter_without_sh;

/* The filter that holds now.  Fields that are not implemented read as zero: NSU, NSK and SH without EL3. */
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

/* The counters of @set (0..32; implemented and enabled ones) that count if their filter, VS and SYNC let them. */
APMU_COLD uint64_t apmu_unstopped(const struct apmu *p, const struct apmu_pe *pe, uint64_t set);
bool apmu_is_prohibited(const struct apmu *p, const struct apmu_pe *pe); /* counting by the first range */

/* PMCR_EL0.X.  No event leaves where counting is prohibited, which is asked as for a counter of the first range. */
static inline bool apmu_exports(const struct apmu *p, const struct apmu_pe *pe)
{
    return p->cfg.export_bus && APMU_GET(PMCR_EL0, X, p->pmcr) != 0 && !pe->halted && !apmu_is_prohibited(p, pe);
}

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
void apmu_signal_flags(const struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out);

/* Fills the levels of *out. */
static inline void apmu_signal(const struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out)
{
    if (p->ovs != 0 || pe->ppend) {
        apmu_signal_flags(p, pe, out);
    } else { /* nothing asks for anything */
        out->pmuirq = out->cti = out->edbgrq = out->exception = out->synchronous = false;
        out->brbe_freeze[0] = out->brbe_freeze[1] = false;
        out->exception_el = 0;
    }
}

/* Fills all of *out; it may be NULL. */
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

/*
 * count.c: an event by its number, or a processor cycle: CPU_CYCLES, and the cycle counter advances.  It goes by the
 * definition; apmu_event() and apmu_cycles() in batch.c give the same, and are fast in the common case.
 */
enum { APMU_CLOCK = 0x10000 | APMU_EV_CPU_CYCLES };
APMU_COLD void apmu_count(struct apmu *p, const struct apmu_pe *pe, uint32_t event, uint64_t times, uint64_t each,
                struct apmu_out *out);

/* count.c: floor(a / b), b != 0 */
uint64_t apmu_divide(uint64_t a, uint64_t b);

/* count.c: SW_INCR occurs once for each counter of @mask that counts it (a write of PMSWINC_EL0) */
void apmu_sw_increment(struct apmu *p, const struct apmu_pe *pe, uint64_t mask, struct apmu_out *out);

#endif
