/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requests that overflows make to the PE and to the system: PMUInterruptEnabled(), PMUExceptionEnabled(),
 * PMUExceptionMasked(), CheckPMUOverflowCondition(), CheckForPMUException(), CheckPMUHalt().
 */

#include "internal.h"

enum { PMEE_INTERRUPT = 0, PMEE_DELEGATE = 1, PMEE_DISABLED = 2, PMEE_EXCEPTION = 3 };

static unsigned el2_pmee(const struct apmu *p, const struct apmu_pe *pe)
{
    const unsigned pmee = (unsigned)APMU_GET(MDCR_EL2, PMEE, pe->mdcr_el2);

    return pmee == PMEE_DISABLED ? p->cfg.reserved_pmee : pmee;
}

/*
 * Returns the value of the PMEE field that decides.  The three fields form a chain: EL3 decides or delegates to EL2,
 * and EL2 to EL1.  *@target_el becomes the target of an exception.  PMEE_DISABLED, of a reserved field, is neither
 * interrupt nor exception.
 */
static inline unsigned deciding_pmee(const struct apmu *p, const struct apmu_pe *pe, unsigned *target_el)
{
    if (apmu_have_el(&p->cfg, 3)) {
        unsigned pmee = (unsigned)APMU_GET(MDCR_EL3, PMEE, pe->mdcr_el3);
        pmee = pmee == PMEE_DISABLED ? p->cfg.reserved_pmee : pmee;
        if (pmee != PMEE_DELEGATE) {
            *target_el = 3;
            return pmee;
        }
    }
    if (apmu_el2_enabled(p, pe)) {
        const unsigned pmee = el2_pmee(p, pe);
        if (pmee != PMEE_DELEGATE) {
            *target_el = 2;
            return pmee;
        }
    }
    const unsigned pmee = (unsigned)APMU_GET(PMECR_EL1, PMEE, p->ecr);
    *target_el = apmu_el2_enabled(p, pe) && APMU_GET(HCR_EL2, TGE, pe->hcr_el2) != 0 ? 2 : 1;
    return pmee == PMEE_DELEGATE || pmee == PMEE_DISABLED ? p->cfg.reserved_pmee : pmee;
}

bool apmu_exception_enabled(const struct apmu *p, const struct apmu_pe *pe, unsigned *target_el)
{
    return apmu_has(p, APMU_FEAT(EBEP)) && deciding_pmee(p, pe, target_el) == PMEE_EXCEPTION;
}

bool apmu_interrupt_enabled(const struct apmu *p, const struct apmu_pe *pe)
{
    unsigned target_el;

    return !apmu_has(p, APMU_FEAT(EBEP)) || deciding_pmee(p, pe, &target_el) == PMEE_INTERRUPT;
}

/* PMUExceptionMasked() */
static bool exception_masked(const struct apmu *p, const struct apmu_pe *pe, unsigned target_el)
{
    if (pe->halted || target_el < pe->el) {
        return true;
    }
    if (pe->el == 2 && target_el == 2 && el2_pmee(p, pe) != PMEE_EXCEPTION) {
        return true; /* EL2 has delegated it to EL1, which is not in use with TGE */
    }
    return target_el == pe->el && (APMU_GET(PMECR_EL1, KPME, p->ecr) == 0 || pe->pm);
}

/*
 * IDKYFT: returns the @flags of counters in synchronous mode, which neither freeze nor request an asynchronous
 * exception.
 */
static inline uint64_t synchronous_flags(const struct apmu *p, uint64_t flags)
{
    uint64_t set = 0;

    if (!apmu_has(p, APMU_FEAT(SEBEP))) {
        return 0;
    }
    for (unsigned n = 0; flags >> n != 0; n++) {
        if (apmu_bit(flags, n) && apmu_in_synchronous_mode(p, n)) {
            set |= UINT64_C(1) << n;
        }
    }
    return set;
}

static inline uint64_t instruction_counter(const struct apmu *p)
{
    return apmu_has(p, APMU_FEAT(PMUv3_ICNTR)) ? UINT64_C(1) << APMU_INSTR : 0;
}

/* Returns the flags that can freeze the counters of @ranges.  The cycle counter never freezes anything. */
static inline uint64_t freezing_flags(const struct apmu *p, const struct apmu_ranges *r, unsigned ranges)
{
    return p->ovs & (((ranges & APMU_RANGE_1) != 0 ? r->mask[1] | instruction_counter(p) : 0) |
                     ((ranges & APMU_RANGE_2) != 0 ? r->mask[2] : 0) | ((ranges & APMU_RANGE_3) != 0 ? r->mask[3] : 0));
}

/*
 * IVQXCB, IQKDTZ: returns the flags of @ranges that make a request.  The global enable of a counter's own range gates
 * its flag; PMCNTENSET does not.  The fixed counters belong to the first range.
 */
static inline uint64_t asking_flags(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ranges *r,
                                    unsigned ranges)
{
    uint64_t flags = 0;

    if ((ranges & APMU_RANGE_1) != 0 && APMU_GET(PMCR_EL0, E, p->pmcr) != 0) {
        flags |= r->mask[1] | instruction_counter(p) | UINT64_C(1) << APMU_CYCLE;
    }
    if ((ranges & APMU_RANGE_2) != 0 && APMU_GET(MDCR_EL2, HPME, pe->mdcr_el2) != 0) {
        flags |= r->mask[2];
    }
    if ((ranges & APMU_RANGE_3) != 0 && APMU_GET(PMCCR, EPME, p->ccr) != 0) {
        flags |= r->mask[3];
    }
    return flags & p->ovs & p->inten;
}

uint64_t apmu_overflow_flags(const struct apmu *p, const struct apmu_pe *pe, enum apmu_cause cause, unsigned ranges)
{
    const struct apmu_ranges r = apmu_ranges(p, pe);
    const uint64_t flags = cause == APMU_CAUSE_FREEZE ? freezing_flags(p, &r, ranges) : asking_flags(p, pe, &r, ranges);

    return cause == APMU_CAUSE_REQUEST ? flags : flags & ~synchronous_flags(p, flags);
}

bool apmu_overflow_condition(const struct apmu *p, const struct apmu_pe *pe)
{
    return apmu_overflow_flags(p, pe, APMU_CAUSE_REQUEST, APMU_RANGES) != 0;
}

bool apmu_pmuirq(const struct apmu *p, const struct apmu_pe *pe)
{
    return apmu_interrupt_enabled(p, pe) && apmu_overflow_condition(p, pe);
}

/* CheckForPMUException(): RKBPMJ, RHLYTW.  @flags are those that request an asynchronous exception. */
static inline void exception(const struct apmu *p, const struct apmu_pe *pe, uint64_t flags, unsigned target_el,
                             struct apmu_out *out)
{
    const bool taken = !exception_masked(p, pe, target_el);

    out->synchronous = taken && pe->ppend && apmu_has(p, APMU_FEAT(SEBEP));
    out->exception = taken && (out->synchronous || flags != 0);
    out->exception_el = out->exception ? (uint8_t)target_el : 0;
}

void apmu_signal_flags(const struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out)
{
    const struct apmu_ranges r = apmu_ranges(p, pe);
    const uint64_t asynchronous = ~synchronous_flags(p, p->ovs);
    const uint64_t requests = asking_flags(p, pe, &r, APMU_RANGES);
    unsigned target_el = 0;
    const unsigned pmee = apmu_has(p, APMU_FEAT(EBEP)) ? deciding_pmee(p, pe, &target_el) : PMEE_INTERRUPT;

    out->pmuirq = requests != 0 && pmee == PMEE_INTERRUPT;
    out->cti = requests != 0;
    out->edbgrq = requests != 0 && pe->edecr_pme && apmu_has(p, APMU_FEAT(Debugv8p9) | APMU_FEAT(PMUv3p9));
    out->brbe_freeze[0] = (freezing_flags(p, &r, APMU_RANGE_1) & asynchronous) != 0;
    out->brbe_freeze[1] = (freezing_flags(p, &r, APMU_RANGE_2) & asynchronous) != 0;
    out->synchronous = out->exception = false;
    out->exception_el = 0;
    if (pmee == PMEE_EXCEPTION) {
        exception(p, pe, requests & asynchronous, target_el, out);
    }
}

void apmu_levels(const struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out)
{
    apmu_report(p, pe, 0, out);
}

/*
 * RNZLVW.  SyncCounterOverflowed says that the flag of a counter of a synchronous event was set in this instruction.
 * Only a counter in synchronous mode requests the exception.
 */
bool apmu_retire(struct apmu *p, const struct apmu_pe *pe, uint64_t address)
{
    const uint64_t flags = p->ovs & p->inten & p->cnten;
    const bool overflowed = p->sync_overflowed;
    unsigned target_el;

    p->sync_overflowed = false;
    if (!overflowed || synchronous_flags(p, flags) == 0 || !apmu_exception_enabled(p, pe, &target_el) ||
        exception_masked(p, pe, target_el)) {
        return false;
    }
    p->iar = address & APMU_MASK(PMIAR_EL1, ADDRESS);
    return true;
}
