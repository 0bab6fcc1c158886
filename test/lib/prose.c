/* SPDX-License-Identifier: BSD-2-Clause */
/* The second formulation of the counting decision (prose.h). */
#include "prose.h"

/* The state in the terms of the rules. */
struct facts {
    unsigned el;
    enum { S, NS, ROOT, REALM } world;
    bool have2, have3, a32_el1, a32_el3; /* Exception levels implemented; EL1 and EL3 using AArch32 */
    bool p1, p5, p7, debugv8p2, icntr, sebep;
    unsigned hpmn, epmn, n_counters;
    uint64_t pmcr, mdcr2, mdcr3, filter;
};

#define BIT(x, n) (((x) >> (n) & 1) != 0)
#define HAS(x) BIT(p->cfg.features, x)

static struct facts facts(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    struct facts f = {.el = pe->el, .pmcr = p->pmcr, .mdcr2 = pe->mdcr_el2, .mdcr3 = pe->mdcr_el3};
    const bool only32 = (p->cfg.features & 15) == 0;
    const bool ns = BIT(pe->scr_el3, 0);

    f.have2 = HAS(2) || HAS(6);
    f.have3 = HAS(3) || HAS(7);
    f.p1 = HAS(9), f.p5 = HAS(11), f.p7 = HAS(12), f.debugv8p2 = HAS(15), f.icntr = HAS(23), f.sebep = HAS(25);
    f.world = !f.have3 ? (p->cfg.secure_only ? S : NS) : pe->el == 3 ? (HAS(20) ? ROOT : S)
              : !ns ? S : HAS(20) && BIT(pe->scr_el3, 62) ? REALM : NS;
    f.a32_el3 = f.have3 && only32;

    /*
     * EL1 uses AArch32 if every Exception level does, if SCR_EL3.RW says so, or if HCR_EL2.RW says so and EL2 decides.
     * SCR_EL3.EEL2 is consulted without EL3 too.  A host (TGE = 1 and E2H = 1; E2H is 1 without FEAT_E2H0) makes
     * HCR_EL2.RW irrelevant.
     */
    const bool secure = f.have3 ? !ns : p->cfg.secure_only;
    const bool eel2 = HAS(19) && BIT(pe->scr_el3, 18);
    const bool sel2 = f.have2 && !only32 && secure && (f.have3 ? eel2 : HAS(19));
    const bool el2_on = f.have2 && (!secure || sel2);
    const bool rw3_a32 = f.have3 && !BIT(pe->scr_el3, 10) && !sel2;
    const bool el2_a32 = only32 || (HAS(6) && rw3_a32 && !secure);
    const bool host = HAS(17) && (BIT(pe->hcr_el2, 34) || !HAS(18)) && BIT(pe->hcr_el2, 27) && el2_on && !el2_a32;
    f.a32_el1 = only32 || (HAS(5) && (rw3_a32 || (f.have2 && (!secure || eel2) && !BIT(pe->hcr_el2, 31) && !host)));

    f.n_counters = p->cfg.counters;
    f.epmn = f.n_counters;
    if (HAS(22)) {
        f.epmn = (unsigned)(p->ccr & 31);
        f.epmn = f.epmn > f.n_counters ? p->cfg.reserved_epmn : f.epmn;
    }
    f.hpmn = f.epmn;
    if (f.have2) {
        f.hpmn = (unsigned)(pe->mdcr_el2 & 31);
        if ((f.hpmn == 0 && !HAS(21)) || (!HAS(22) && f.hpmn > f.n_counters)) {
            f.hpmn = p->cfg.reserved_hpmn;
        } else if (f.hpmn > f.epmn) {
            f.hpmn = f.epmn;
        }
    }
    f.filter = p->typer[n] & UINT64_C(0xFFFF0000);
    if (!f.have3) {
        f.filter &= ~UINT64_C(0x30000000); /* NSK, NSU */
    }
    if (!f.have2) {
        f.filter &= ~UINT64_C(0x08000000); /* NSH */
    }
    if (!f.have3 || f.a32_el3) {
        f.filter &= ~UINT64_C(0x04000000); /* M */
    }
    if (!f.have3 || !HAS(19)) {
        f.filter &= ~UINT64_C(0x01000000); /* SH */
    }
    if (!HAS(20)) {
        f.filter &= ~UINT64_C(0x00700000); /* RLK, RLU, RLH */
    }
    return f;
}

/*
 * RFGSDP, RBHFSF: Returns whether an overflow flag freezes: of a counter from @from to @to-1, or of the instruction
 * counter.
 */
static bool flag_freezes(const struct apmu *p, const struct facts *f, unsigned from, unsigned to, bool icntr)
{
    for (unsigned m = 0; m <= 32; m++) {
        const bool in = m == 32 ? icntr && f->icntr : m < 31 && m >= from && m < to && m < f->n_counters;
        if (in && BIT(p->ovs, m) && !(f->sebep && BIT(p->typer[m], 58))) {
            return true;
        }
    }
    return false;
}

static bool spe_freezes(const struct apmu *p, const struct apmu_pe *pe, const struct facts *f)
{
    const unsigned pmsee = (unsigned)(pe->mdcr_el3 >> 51 & 3), ee = (unsigned)(pe->pmscr_el2 >> 8 & 3);
    const bool secure = f->have3 ? !BIT(pe->scr_el3, 0) : p->cfg.secure_only;
    const bool sel2 = HAS(19) && (f->have3 ? BIT(pe->scr_el3, 18) : true);

    if (!HAS(27) || !f->p7 || (p->cfg.features & 15) == 0 || (pe->pmblimitr_el1 & 0x21) != 0x21) {
        return false;
    }
    return BIT(pe->pmbsr_el1, 17) || (HAS(29) && f->have3 && pmsee > 1 && BIT(pe->pmbsr_el3, 17)) ||
           (HAS(29) && f->have2 && (!secure || sel2) && (!f->have3 || pmsee != 0) && ee > 1 && BIT(pe->pmbsr_el2, 17));
}

/*
 * RGNGCW, RJDWFF, RJRYNM, RMMZLZ, RCSRMB; answers A, B and C of SPEC.md follow the pseudocode where the prose differs.
 */
static uint64_t prohibition(const struct apmu *p, const struct apmu_pe *pe, const struct facts *f, unsigned range)
{
    const bool spme = BIT(f->mdcr3, 17), mpmx = f->p7 && !f->a32_el3 && BIT(f->mdcr3, 35);
    const bool suniden = f->el == 0 && (f->a32_el3 || f->a32_el1) && BIT(pe->sder32_el3, 1);
    const bool authenticated = (f->have3 || p->cfg.secure_only) && (pe->dbgen || pe->niden) &&
                               (pe->spiden || pe->spniden);
    uint64_t why = 0;

    if (range == 3 || (!f->debugv8p2 && authenticated) || (pe->unattributable && p->cfg.counts_unattributable)) {
        return 0;
    }
    if (f->have3 && f->el == 3) {
        why |= !spme && !mpmx ? APMU_WHY(SPME) : 0;
        why |= mpmx && !(spme && range == 2) ? APMU_WHY(MPMX) : 0;
    } else if (f->have3 && f->world == S && !spme && !mpmx && !suniden) {
        why |= APMU_WHY(SPME);
    }
    if (f->el == 2 && f->have2 && f->p1 && BIT(f->mdcr2, 17) && range == 1) {
        why |= APMU_WHY(HPMD);
    }
    return why;
}

static uint64_t freeze(const struct apmu *p, const struct apmu_pe *pe, const struct facts *f, unsigned n,
                       unsigned range)
{
    uint64_t why = 0;

    if (range == 1 && f->p7 && BIT(f->pmcr, 9) && flag_freezes(p, f, 0, f->hpmn, true)) {
        why |= APMU_WHY(FZO);
    }
    if (range == 1 && BIT(f->pmcr, 32) && spe_freezes(p, pe, f) && (n != 31 || HAS(28))) {
        why |= APMU_WHY(FZS);
    }
    if (range == 2 && f->p7 && f->have2 && BIT(f->mdcr2, 29) && flag_freezes(p, f, f->hpmn, f->epmn, false)) {
        why |= APMU_WHY(HPMFZO);
    }
    if (range == 2 && f->have2 && BIT(f->mdcr2, 36) && spe_freezes(p, pe, f)) {
        why |= APMU_WHY(HPMFZS);
    }
    return why;
}

/* The filter as a table: at each Exception level, the two bits that must be equal in each Security state. */
static uint64_t filter(const struct facts *f, const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    enum { ZERO = 40, ONE = 41 }; /* bits of `t` that are always 0 and always 1 */
    static const struct {
        uint8_t first, second;
        uint64_t why;
        bool differ; /* counts if the bits differ */
    } rule[4][4] = {
        /* S, NS, ROOT, REALM */
        {{30, ZERO, APMU_WHY(FILTER_U), false}, {30, 28, APMU_WHY(FILTER_NSU), false},
         {30, ZERO, APMU_WHY(FILTER_U), false}, {30, 21, APMU_WHY(FILTER_RLU), false}},
        {{31, ZERO, APMU_WHY(FILTER_P), false}, {31, 29, APMU_WHY(FILTER_NSK), false},
         {31, ZERO, APMU_WHY(FILTER_P), false}, {31, 22, APMU_WHY(FILTER_RLK), false}},
        {{27, 24, APMU_WHY(FILTER_SH), true}, {27, ZERO, APMU_WHY(FILTER_NSH), true},
         {27, 24, APMU_WHY(FILTER_SH), true}, {27, 20, APMU_WHY(FILTER_RLH), true}},
        {{26, 31, APMU_WHY(FILTER_M), false}, {26, 31, APMU_WHY(FILTER_M), false},
         {26, 31, APMU_WHY(FILTER_M), false}, {26, 31, APMU_WHY(FILTER_M), false}},
    };
    const uint64_t t = f->filter | UINT64_C(1) << ONE;
    const unsigned vs = HAS(24) ? (unsigned)(p->typer[n] >> 56 & 3) : 0;
    uint64_t why = 0;

    if ((vs == 1 && pe->sm) || (vs == 2 && !pe->sm) || (vs == 3 && p->cfg.reserved_vs_filters)) {
        why |= APMU_WHY(FILTER_VS);
    }
    if (f->el == 3 && f->a32_el3) {
        return why | (BIT(t, 31) ? APMU_WHY(FILTER_P) : 0);
    }
    if ((BIT(t, rule[f->el][f->world].first) != BIT(t, rule[f->el][f->world].second)) != rule[f->el][f->world].differ) {
        const uint64_t name = rule[f->el][f->world].why;
        /* Without EL3 there is no NSU or NSK to compare with: the field that stops the counter is U or P. */
        why |= f->have3 ? name : name == APMU_WHY(FILTER_NSU) ? APMU_WHY(FILTER_U)
                                : name == APMU_WHY(FILTER_NSK) ? APMU_WHY(FILTER_P) : name;
    }
    return why;
}

uint64_t prose_why(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    const struct facts f = facts(p, pe, n);
    const unsigned range = n >= 31 || n < f.hpmn ? 1 : n < f.epmn ? 2 : 3;
    uint64_t why = 0;

    if (n < 31 ? n >= f.n_counters : n == 32 && !f.icntr) {
        return APMU_WHY(NO_COUNTER);
    }
    why |= pe->halted ? APMU_WHY(HALTED) : 0;
    why |= range == 1 && !BIT(f.pmcr, 0) ? APMU_WHY(PMCR_E) : 0;
    why |= range == 2 && !BIT(f.mdcr2, 7) ? APMU_WHY(HPME) : 0;
    why |= range == 3 && !BIT(p->ccr, 7) ? APMU_WHY(EPME) : 0;
    why |= !BIT(p->cnten, n) ? APMU_WHY(CNTEN) : 0;
    if (n < 31 && f.sebep && BIT(p->typer[n], 58)) {
        bool synchronous = false;
        for (unsigned i = 0; i < p->cfg.sync_event_count; i++) {
            synchronous |= p->cfg.sync_events[i] == (p->typer[n] & (f.p1 ? 0xFFFF : 0x3FF));
        }
        why |= synchronous ? 0 : APMU_WHY(SYNC);
    }
    if (n != 31 || BIT(f.pmcr, 5)) {
        why |= prohibition(p, pe, &f, range) | freeze(p, pe, &f, n, range);
    }
    if (n == 31) {
        why |= f.p5 && f.have3 && (f.world == S || f.el == 3) && BIT(f.mdcr3, 23) ? APMU_WHY(SCCD) : 0;
        why |= f.p5 && f.have2 && f.el == 2 && BIT(f.mdcr2, 23) ? APMU_WHY(HCCD) : 0;
        why |= f.p7 && f.el == 3 && f.have3 && !f.a32_el3 && BIT(f.mdcr3, 34) ? APMU_WHY(MCCD) : 0;
    }
    return why | filter(&f, p, pe, n);
}

/*
 * MDCR_EL3.PMEE decides or delegates to MDCR_EL2.PMEE, which decides or delegates to PMECR_EL1.PMEE.  0: interrupt, 3:
 * exception.
 */
unsigned prose_pmee(const struct apmu *p, const struct apmu_pe *pe, unsigned *target_el)
{
    const struct facts f = facts(p, pe, 0);
    const bool secure = f.have3 ? !BIT(pe->scr_el3, 0) : p->cfg.secure_only;
    const bool sel2 = HAS(19) && (p->cfg.features & 15) != 0 && (f.have3 ? BIT(pe->scr_el3, 18) : true);
    const bool el2_on = f.have2 && (!secure || sel2);
    const unsigned fields[3] = {(unsigned)(p->ecr >> 0 & 3), (unsigned)(f.mdcr2 >> 40 & 3),
                                (unsigned)(f.mdcr3 >> 40 & 3)};
    const bool there[3] = {true, el2_on, f.have3};

    for (unsigned el = 3; el >= 1; el--) {
        const unsigned pmee = fields[el - 1] == 2 ? p->cfg.reserved_pmee : fields[el - 1];
        if (there[el - 1] && pmee != 1) {
            *target_el = el == 1 && el2_on && BIT(pe->hcr_el2, 27) ? 2 : el;
            return pmee;
        }
    }
    *target_el = el2_on && BIT(pe->hcr_el2, 27) ? 2 : 1;
    return p->cfg.reserved_pmee; /* no level is left to delegate to: reserved */
}

/*
 * D13.2, D13.4.  With PMU Profiling exceptions enabled, all counters overflow at 64 bits.  The third range always does.
 */
struct prose_width prose_width(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    const struct facts f = facts(p, pe, 0);
    const bool only32 = (p->cfg.features & 15) == 0, armv7 = !HAS(8);
    const bool longs = f.p5 && (!only32 || p->cfg.a32_long_counters);
    unsigned target_el;
    const bool exception = HAS(26) && prose_pmee(p, pe, &target_el) == 3;

    if (n == 32) {
        return (struct prose_width){64, 64};
    }
    if (n == 31) {
        return armv7 ? (struct prose_width){32, 32}
                     : (struct prose_width){exception || BIT(f.pmcr, 6) || !HAS(4) ? 64 : 32, 64};
    }
    if (!longs) {
        return (struct prose_width){32, 32};
    }
    const bool full = n < f.hpmn ? BIT(f.pmcr, 7) : n < f.epmn ? BIT(f.mdcr2, 26) : true;
    return (struct prose_width){full || exception ? 64 : 32, 64};
}
