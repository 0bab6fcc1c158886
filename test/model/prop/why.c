/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the set of reasons that apmu_why() returns.  It equals a second formulation, at random over all features and
 * exhaustively on a small space.  Each reason can be the only one.  Lifting a reason as its row says removes it and
 * adds no other.  A counter with a reason does not count.
 */

#include "../../lib/prose.h"
#include "any.h"

static void describe(const char *what, unsigned n, uint64_t got, uint64_t want, const struct apmu *p,
                     const struct apmu_pe *pe)
{
    snprintf(any_message, sizeof any_message,
             "%s: counter %u at EL%u: model %llx, wanted %llx (features %llx, counters %u)", what, n, pe->el,
             (unsigned long long)got, (unsigned long long)want, (unsigned long long)p->cfg.features, p->cfg.counters);
}

static unsigned pick_counter(struct choices *c, const struct apmu *p)
{
    switch (pick(c, 2)) {
    case 0:
        return APMU_CYCLE;
    case 1:
        return APMU_INSTR;
    default:
        return pick_of(c, p->cfg.counters + 1u);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Two formulations.
 */

static bool formulations_differ(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;

    any_unit(c, &p);
    any_pe(c, &p.cfg, &pe);
    FOR_EACH(c, n, APMU_COUNTERS) {
        const uint64_t got = apmu_why(&p, &pe, n), want = prose_why(&p, &pe, n);
        if (got != want) {
            describe("the second formulation differs", n, got, want, &p, &pe);
            return true;
        }
    }
    return false;
}

/*
 * Compares the two in a space that is small enough for an exhaustive run: one implementation, with every Exception
 * level, Security state, filter and control.
 */
static bool exhaustive_differs(struct choices *c)
{
    static const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = 0x0F | APMU_FEAT(AA64) | APMU_FEAT(PMUv3) | APMU_FEAT(PMUv3p1) |
                    APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3p5) | APMU_FEAT(PMUv3p7) | APMU_FEAT(PMUv3p8) |
                    APMU_FEAT(PMUv3p9) | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(Debugv8p2) | APMU_FEAT(Debugv8p4) |
                    APMU_FEAT(SEL2) | APMU_FEAT(RME) | APMU_FEAT(HPMN0) | APMU_FEAT(FGT),
        .counters = 2,
    };
    static const uint8_t counters[4] = {0, 1, APMU_CYCLE, APMU_INSTR};
    struct apmu p = {.cfg = cfg};
    struct apmu_pe pe = {.el = (uint8_t)pick(c, 2)};
    const unsigned n = counters[pick(c, 2)];
    const uint64_t world = pick(c, 2);

    pe.scr_el3 = (world & 1) | (world >> 1) << 62 | APMU_MASK(SCR_EL3, RW) | APMU_MASK(SCR_EL3, EEL2);
    pe.mdcr_el2 = 1 | APMU_PUT(MDCR_EL2, HPME, pick(c, 1)) | APMU_PUT(MDCR_EL2, HPMD, pick(c, 1)) |
                  APMU_PUT(MDCR_EL2, HPMFZO, 1);
    pe.mdcr_el3 = APMU_PUT(MDCR_EL3, SPME, pick(c, 1)) | APMU_PUT(MDCR_EL3, MPMX, pick(c, 1));
    p.pmcr = APMU_PUT(PMCR_EL0, E, pick(c, 1)) | APMU_PUT(PMCR_EL0, DP, pick(c, 1)) | APMU_PUT(PMCR_EL0, FZO, 1);
    p.cnten = UINT64_C(0x180000003);
    p.ovs = pick(c, 2);
    p.typer[n] = pick(c, 6) << 26 | pick(c, 1) << 24 | pick(c, 3) << 20; /* all filter bits */
    apmu_settle(&p);

    const uint64_t got = apmu_why(&p, &pe, n), want = prose_why(&p, &pe, n);
    if (got != want) {
        describe("the second formulation differs", n, got, want, &p, &pe);
    }
    return got != want;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lifting reasons: each case does what the cure in its row of reasons.def says.
 */

static void lift(enum apmu_reason why, struct apmu *p, struct apmu_pe *pe, unsigned n)
{
    uint64_t *t = &p->typer[n];
    const uint64_t none = 0;

#define SET(word, reg, field, value) ((word) = ((word) & ~APMU_MASK(reg, field)) | APMU_PUT(reg, field, value))
    switch (why) {
    case APMU_REASON_NO_COUNTER:
        if (n == APMU_INSTR) {
            p->cfg.features |= APMU_FEAT(PMUv3_ICNTR);
        } else {
            p->cfg.counters = (uint8_t)(n + 1);
        }
        apmu_settle(p);
        break;
    case APMU_REASON_HALTED: pe->halted = false; break;
    case APMU_REASON_PMCR_E: SET(p->pmcr, PMCR_EL0, E, 1); break;
    case APMU_REASON_HPME: SET(pe->mdcr_el2, MDCR_EL2, HPME, 1); break;
    case APMU_REASON_EPME: SET(p->ccr, PMCCR, EPME, 1); break;
    case APMU_REASON_CNTEN: p->cnten |= UINT64_C(1) << n; break;
    case APMU_REASON_SYNC:
        p->cfg.sync_events[p->cfg.sync_event_count++] = (uint16_t)(*t & 0xFFFF);
        break;
    case APMU_REASON_SPME: SET(pe->mdcr_el3, MDCR_EL3, SPME, 1); break;
    case APMU_REASON_MPMX: SET(pe->mdcr_el3, MDCR_EL3, SPME, 1), SET(pe->mdcr_el3, MDCR_EL3, MPMX, 0); break;
    case APMU_REASON_HPMD: SET(pe->mdcr_el2, MDCR_EL2, HPMD, 0); break;
    case APMU_REASON_FZO: case APMU_REASON_HPMFZO: p->ovs = none; break;
    case APMU_REASON_FZS: case APMU_REASON_HPMFZS:
        pe->pmbsr_el1 = pe->pmbsr_el2 = pe->pmbsr_el3 = none;
        break;
    case APMU_REASON_SCCD: SET(pe->mdcr_el3, MDCR_EL3, SCCD, 0); break;
    case APMU_REASON_HCCD: SET(pe->mdcr_el2, MDCR_EL2, HCCD, 0); break;
    case APMU_REASON_MCCD: SET(pe->mdcr_el3, MDCR_EL3, MCCD, 0); break;
    case APMU_REASON_FILTER_U: SET(*t, PMEVTYPER_EL0, U, 0); break;
    case APMU_REASON_FILTER_NSU: SET(*t, PMEVTYPER_EL0, NSU, APMU_GET(PMEVTYPER_EL0, U, *t)); break;
    case APMU_REASON_FILTER_RLU: SET(*t, PMEVTYPER_EL0, RLU, APMU_GET(PMEVTYPER_EL0, U, *t)); break;
    case APMU_REASON_FILTER_P: SET(*t, PMEVTYPER_EL0, P, 0); break;
    case APMU_REASON_FILTER_NSK: SET(*t, PMEVTYPER_EL0, NSK, APMU_GET(PMEVTYPER_EL0, P, *t)); break;
    case APMU_REASON_FILTER_RLK: SET(*t, PMEVTYPER_EL0, RLK, APMU_GET(PMEVTYPER_EL0, P, *t)); break;
    case APMU_REASON_FILTER_NSH: SET(*t, PMEVTYPER_EL0, NSH, 1); break;
    case APMU_REASON_FILTER_SH: /* without EL3 or SEL2 there is no SH, so NSH alone decides */
        if ((p->cfg.features & APMU_FEAT(SEL2)) == 0 || (p->cfg.features & UINT64_C(0x88)) == 0) {
            SET(*t, PMEVTYPER_EL0, NSH, 1);
        } else {
            SET(*t, PMEVTYPER_EL0, SH, !APMU_GET(PMEVTYPER_EL0, NSH, *t));
        }
        break;
    case APMU_REASON_FILTER_RLH: SET(*t, PMEVTYPER_EL0, RLH, !APMU_GET(PMEVTYPER_EL0, NSH, *t)); break;
    case APMU_REASON_FILTER_M: SET(*t, PMEVTYPER_EL0, M, APMU_GET(PMEVTYPER_EL0, P, *t)); break;
    case APMU_REASON_FILTER_VS: SET(*t, PMEVTYPER_EL0, VS, 0); break;
    default: break;
    }
#undef SET
}

static uint64_t seen_alone; /* the reasons that have been the only one */

static bool lifting_fails(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;

    any_unit(c, &p);
    any_pe(c, &p.cfg, &pe);
    const unsigned n = pick_counter(c, &p);
    uint64_t why = apmu_why(&p, &pe, n);

    while (why != 0) {
        enum apmu_reason first = (enum apmu_reason)0;
        while ((why >> first & 1) == 0) {
            first++;
        }
        if (why == UINT64_C(1) << first) {
            seen_alone |= why;
        }
        lift(first, &p, &pe, n);
        const uint64_t left = apmu_why(&p, &pe, n);
        const bool appeared = first == APMU_REASON_NO_COUNTER ? false : (left & ~why) != 0;
        if ((left >> first & 1) != 0 || appeared) {
            snprintf(any_message, sizeof any_message, "reason %d of counter %u lifted: before %llx, after %llx",
                     (int)first, n, (unsigned long long)why, (unsigned long long)left);
            return true;
        }
        why = left;
    }
    return false;
}

static bool counts_with_a_reason(struct choices *c)
{
    struct apmu p, q;
    struct apmu_pe pe;
    const struct apmu_occurrence ev[] = {{0x0008, 1}, {0x0024, 2}};

    any_unit(c, &p);
    any_pe(c, &p.cfg, &pe);
    memcpy(&q, &p, sizeof p);
    apmu_step(&q, &pe, 1, ev, 2, NULL);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const uint64_t why = apmu_why(&p, &pe, n);
        if (why != 0 && p.cntr[n] != q.cntr[n]) {
            describe("a counter with a reason moved", n, why, 0, &p, &pe);
            return true;
        }
    }
    return false;
}

/* Returns true unless the rounds have met each reason as the only one. */
static bool one_never_alone(struct choices *c)
{
    const uint64_t all = (UINT64_C(1) << APMU_REASON_COUNT) - 1;

    (void)c;
    snprintf(any_message, sizeof any_message, "reasons never seen alone: %llx",
             (unsigned long long)(all & ~seen_alone));
    return seen_alone != all;
}

PROPERTIES(
    {"the reasons equal a second formulation", formulations_differ, .rounds = 60000},
    {"the reasons equal a second formulation, exhaustively", exhaustive_differs, .bits = 24},
    {"lifting a reason removes it and adds none", lifting_fails, .rounds = 400000},
    {"a counter with a reason does not count", counts_with_a_reason, .rounds = 100000},
    {"each reason can be the only one", one_never_alone, .sums_up = true})
