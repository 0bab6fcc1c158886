/* SPDX-License-Identifier: BSD-2-Clause */
/* After every call the signals in struct apmu_out are what the equations of D13.3 say, counter by counter. */

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

/* D13.3.1: some counter overflowed that is enabled and may interrupt. */
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

/* PMEE of the level that decides; 0 is an interrupt. */
static unsigned signalled_as(const struct apmu *p, const struct apmu_pe *pe)
{
    const bool el3 = (p->cfg.features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) != 0;
    const bool el2 = (p->cfg.features & (APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2))) != 0;
    const bool nonsecure = el3 ? APMU_GET(SCR_EL3, NS, pe->scr_el3) != 0 : !p->cfg.secure_only;
    const bool secure_el2 = (p->cfg.features & APMU_FEAT(SEL2)) != 0 && (p->cfg.features & 0xF) != 0 &&
                            (el3 ? APMU_GET(SCR_EL3, EEL2, pe->scr_el3) != 0 : p->cfg.secure_only);
    const unsigned fields[3] = {el3 ? (unsigned)APMU_GET(MDCR_EL3, PMEE, pe->mdcr_el3) : 1,
                                el2 && (nonsecure || secure_el2) ? (unsigned)APMU_GET(MDCR_EL2, PMEE, pe->mdcr_el2) : 1,
                                (unsigned)APMU_GET(PMECR_EL1, PMEE, p->ecr)};

    if ((p->cfg.features & APMU_FEAT(EBEP)) == 0) {
        return 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        const unsigned pmee = fields[i] == 2 ? p->cfg.reserved_pmee : fields[i];
        if (pmee != 1) {
            return pmee;
        }
    }
    return fields[2] == 1 || fields[2] == 2 ? p->cfg.reserved_pmee : fields[2];
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

    if (out->pmuirq != (request && signalled_as(p, pe) == 0) || out->pmuirq != apmu_pmuirq(p, pe)) {
        return complain("PMUIRQ is not its equation", call, p, pe);
    }
    if (out->cti != request) {
        return complain("the trigger of the CTI is not its equation", call, p, pe);
    }
    if (out->edbgrq != (request && pe->edecr_pme && (p->cfg.features & both) == both)) {
        return complain("the External Debug Request is not its equation", call, p, pe);
    }
    if (out->exception && (signalled_as(p, pe) != 3 || out->pmuirq || pe->halted || out->exception_el < pe->el ||
                           (!out->synchronous && !request))) {
        return complain("an exception that nobody asks for", call, p, pe);
    }
    if (!out->exception && (out->synchronous || out->exception_el != 0)) {
        return complain("no exception, but something of it", call, p, pe);
    }
    return false;
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
    {"signals equal their equations after every call", signals_are_wrong, .rounds = 20000})
