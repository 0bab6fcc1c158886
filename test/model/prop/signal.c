/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks after every call that the signals in struct apmu_out equal the equations of D13.3, counter by counter. */

#include "../../lib/prose.h"
#include "any.h"

static bool global_enable(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    switch (apmu_range(p, pe, n)) {
    case 1:
        return APMU_GET(PMCR_EL0, E, p->pmcr) != 0;
    case 2:
        return APMU_GET(MDCR_EL2, HPME, pe->mdcr_el2) != 0;
    default:
        return APMU_GET(PMCCR, EPME, p->ccr) != 0;
    }
}

/* D13.3.1: returns whether an overflow flag requests something: its interrupt and its range are enabled. */
static bool requested(const struct apmu *p, const struct apmu_pe *pe)
{
    const bool instr = (p->cfg.features & APMU_FEAT(PMUv3_ICNTR)) != 0;

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const bool exists = n < p->cfg.counters || n == APMU_CYCLE || (n == APMU_INSTR && instr);
        if (exists && global_enable(p, pe, n) && (p->ovs & p->inten) >> n & 1) {
            return true;
        }
    }
    return false;
}

/*
 * Returns how an overflow is signalled: 0 by an interrupt, 3 by a PMU Profiling exception, which is taken to
 * *@target_el.
 */
static unsigned signalled_as(const struct apmu *p, const struct apmu_pe *pe, unsigned *target_el)
{
    *target_el = 0;
    return (p->cfg.features & APMU_FEAT(EBEP)) == 0 ? 0 : prose_pmee(p, pe, target_el);
}

/* RKBPMJ, RHLYTW: returns whether the state of the PE masks the exception to @target_el. */
static bool masked(const struct apmu *p, const struct apmu_pe *pe, unsigned target_el)
{
    const unsigned el2 = (unsigned)APMU_GET(MDCR_EL2, PMEE, pe->mdcr_el2);
    const bool el2_asks = (el2 == 2 ? p->cfg.reserved_pmee : el2) == 3;

    if (pe->halted || pe->el > target_el) {
        return true;
    }
    return pe->el == target_el &&
           (APMU_GET(PMECR_EL1, KPME, p->ecr) == 0 || pe->pm || (pe->el == 2 && !el2_asks));
}

/* Returns whether a counter that is not in synchronous mode requests the exception. */
static bool requested_asynchronously(const struct apmu *p, const struct apmu_pe *pe)
{
    const bool modes = (p->cfg.features & APMU_FEAT(SEBEP)) != 0;
    struct apmu q = *p;

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const bool synchronous = modes && n != APMU_CYCLE && APMU_GET(PMEVTYPER_EL0, SYNC, p->typer[n]) != 0;
        q.ovs &= ~(synchronous ? UINT64_C(1) << n : 0);
    }
    return requested(&q, pe);
}

static bool complain(const char *what, const char *call, const struct apmu *p, const struct apmu_pe *pe)
{
    snprintf(any_message, sizeof any_message, "%s after %s: ovs 0x%llx, inten 0x%llx at EL%u (features 0x%llx)", what,
             call, (unsigned long long)p->ovs, (unsigned long long)p->inten, pe->el,
             (unsigned long long)p->cfg.features);
    return true;
}

static bool wrong(const char *call, const struct apmu *p, const struct apmu_pe *pe, const struct apmu_out *out)
{
    const bool request = requested(p, pe);
    const uint64_t both = APMU_FEAT(PMUv3p9) | APMU_FEAT(Debugv8p9);
    unsigned target_el;
    const unsigned as = signalled_as(p, pe, &target_el);
    const bool open = as == 3 && !masked(p, pe, target_el);
    const bool synchronous = open && (p->cfg.features & APMU_FEAT(SEBEP)) != 0 && pe->ppend;
    const bool exception = synchronous || (open && requested_asynchronously(p, pe));

    if (out->pmuirq != (request && as == 0) || out->pmuirq != apmu_pmuirq(p, pe)) {
        return complain("PMUIRQ differs from its equation", call, p, pe);
    }
    if (out->cti != request) {
        return complain("the trigger of the CTI differs from its equation", call, p, pe);
    }
    if (out->edbgrq != (request && pe->edecr_pme && (p->cfg.features & both) == both)) {
        return complain("the External Debug Request differs from its equation", call, p, pe);
    }
    if (out->synchronous != synchronous || out->exception != exception ||
        out->exception_el != (exception ? target_el : 0)) {
        return complain("the PMU Profiling exception differs from its equation", call, p, pe);
    }
    return false;
}

/* Checks an arbitrary state, so that a proof can use this property. */
static bool levels_are_wrong(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;
    struct apmu_out out;

    any_unit(c, &p);
    any_engine_pe(c, &p.cfg, &pe);
    apmu_levels(&p, &pe, &out);
    return wrong("apmu_levels()", &p, &pe, &out);
}

static bool signals_are_wrong(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;
    struct apmu_out out;

    any_unit(c, &p);
    p.cfg.features |= pick(c, 1) != 0 ? APMU_FEAT(Debugv8p9) : 0;
    p.cfg.features |= pick(c, 1) != 0 ? APMU_FEAT(PMUv3_EXT) | APMU_FEAT(PMUv3_EXT64) : 0;
    apmu_settle(&p);
    for (unsigned i = 0; i < 8; i++) {
        const struct apmu_occurrence ev = {any_events[0], pick(c, 3)};
        const struct apmu_ext at = {.offset = pick(c, 9) * 8, .size = 8, .pas = (enum apmu_pas)pick(c, 2)};
        any_pe(c, &p.cfg, &pe);
        pe.pm = pick(c, 1) != 0;
        pe.ppend = pick(c, 1) != 0;
        pe.edecr_pme = pick(c, 1) != 0;
        memset(&out, 0xFF, sizeof out);
        apmu_event(&p, &pe, any_events[pick(c, 2)], 1 + pick(c, 3), pick(c, 2), &out);
        if (wrong("apmu_event()", &p, &pe, &out)) {
            return true;
        }
        memset(&out, 0xFF, sizeof out);
        apmu_cycles(&p, &pe, 1 + pick(c, 6), &out);
        if (wrong("apmu_cycles()", &p, &pe, &out)) {
            return true;
        }
        memset(&out, 0xFF, sizeof out);
        apmu_step(&p, &pe, 1 + pick(c, 4), &ev, 1, &out);
        if (wrong("apmu_step()", &p, &pe, &out)) {
            return true;
        }
        memset(&out, 0xFF, sizeof out);
        apmu_poke(&p, &pe, (enum apmu_reg)pick_of(c, APMU_REG_ALL), pick_of(c, 6), pick(c, 64), &out);
        if (wrong("apmu_poke()", &p, &pe, &out)) {
            return true;
        }
        memset(&out, 0xFF, sizeof out);
        apmu_poke_ext(&p, &pe, &at, pick(c, 64), &out);
        if (wrong("apmu_poke_ext()", &p, &pe, &out)) {
            return true;
        }
        memset(&out, 0xFF, sizeof out);
        apmu_snapshot(&p, &pe, &out);
        if (wrong("apmu_snapshot()", &p, &pe, &out)) {
            return true;
        }
        memset(&out, 0xFF, sizeof out);
        any_pe(c, &p.cfg, &pe);
        apmu_levels(&p, &pe, &out);
        if (wrong("apmu_levels()", &p, &pe, &out)) {
            return true;
        }
    }
    return false;
}

PROPERTIES(
    {"the levels equal their equations", levels_are_wrong, .rounds = 100000},
    {"signals equal their equations after every call", signals_are_wrong, .rounds = 20000})
