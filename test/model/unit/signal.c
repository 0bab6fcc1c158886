/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the requests of an overflow (an interrupt, a CTI trigger, an External Debug Request, an exception, a BRBE
 * freeze), and the export of events.
 */

#include "../../../lib/model/internal.h"
#include "../../lib/tap.h"

#define EL1_ONLY (APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(PMUv3))
#define ALL_ELS (EL1_ONLY | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))
#define NEWEST (ALL_ELS | APMU_FEAT(PMUv3p9) | APMU_FEAT(Debugv8p9) | APMU_FEAT(SEBEP))
#define CYCLE (UINT64_C(1) << APMU_CYCLE)

static struct apmu p;
static struct apmu_pe pe;
static struct apmu_out out;

/*
 * Makes a unit with six counters, HPMN = 3, both ranges enabled, at Non-secure EL1.  The counters in @flags have
 * overflowed, with their interrupts enabled.
 */
static void unit(uint64_t features, uint64_t flags)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg, .features = apmu_features_closure(features), .counters = 6, .export_bus = true,
        .sync_events = {0x0024}, .sync_event_count = 1,
    };

    apmu_init(&p, &cfg);
    p.pmcr = APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, LC);
    p.inten = p.ovs = flags;
    pe = (struct apmu_pe){
        .el = 1,
        .scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW),
        .hcr_el2 = APMU_MASK(HCR_EL2, RW),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 3) | APMU_MASK(MDCR_EL2, HPME),
    };
}

/* Routes PMU Profiling exceptions to @el: PMEE is 3 there, and the levels above delegate. */
static void exceptions_to(unsigned el)
{
    pe.mdcr_el3 = APMU_PUT(MDCR_EL3, PMEE, el == 3 ? 3 : 1);
    pe.mdcr_el2 = (pe.mdcr_el2 & ~APMU_MASK(MDCR_EL2, PMEE)) | APMU_PUT(MDCR_EL2, PMEE, el == 2 ? 3 : 1);
    p.ecr = APMU_PUT(PMECR_EL1, PMEE, 3) | APMU_MASK(PMECR_EL1, KPME);
}

static void the_trigger_of_the_cti_is_not_gated_by_pmee(void)
{
    unit(NEWEST, 1);
    apmu_levels(&p, &pe, &out);
    MUST(out.pmuirq && out.cti && !out.exception, "PMEE = 0: an interrupt");
    MUST_EQ(out.overflowed, 0, "reading the levels overflows nothing");
    exceptions_to(2);
    apmu_levels(&p, &pe, &out);
    MUST(!out.pmuirq && out.cti && out.exception, "PMEE = 3: an exception, and still the trigger");
    p.inten = 0;
    apmu_levels(&p, &pe, &out);
    MUST(!out.cti && !out.exception, "PMINTEN gates both signals");
}

static void a_debugger_asks_for_requests(void)
{
    unit(NEWEST, 1);
    apmu_levels(&p, &pe, &out);
    MUST(!out.edbgrq, "EDECR.PME = 0");
    pe.edecr_pme = true;
    apmu_levels(&p, &pe, &out);
    MUST(out.edbgrq, "EDECR.PME = 1");
    p.pmcr = 0;
    apmu_levels(&p, &pe, &out);
    MUST(!out.edbgrq, "the global enable gates it");
    unit(NEWEST & ~APMU_FEAT(Debugv8p9) & ~APMU_FEAT(SEBEP), 1);
    pe.edecr_pme = true;
    apmu_levels(&p, &pe, &out);
    MUST(!out.edbgrq, "FEAT_Debugv8p9");
}

static void each_range_has_its_enable(void)
{
    unit(NEWEST, 1);
    pe.mdcr_el2 &= ~APMU_MASK(MDCR_EL2, HPME);
    MUST(apmu_pmuirq(&p, &pe), "PMCR_EL0.E and counter 0");
    unit(NEWEST, 8);
    p.pmcr = 0;
    MUST(apmu_pmuirq(&p, &pe), "MDCR_EL2.HPME and counter 3");
    pe.mdcr_el2 &= ~APMU_MASK(MDCR_EL2, HPME);
    MUST(!apmu_pmuirq(&p, &pe), "HPME = 0");
    unit(NEWEST | APMU_FEAT(PMUv3_EXTPMN) | APMU_FEAT(PMUv3_EXT64), 32);
    p.ccr = APMU_PUT(PMCCR, EPMN, 5);
    MUST(!apmu_pmuirq(&p, &pe), "PMCCR.EPME = 0");
    p.ccr |= APMU_MASK(PMCCR, EPME);
    MUST(apmu_pmuirq(&p, &pe), "PMCCR.EPME and counter 5");
}

enum { X = -1, IRQ = -2, DIS = -3, MSK = -4, NA = -5 };

/* Returns whether the unit answers @want: IRQ, no signal (DIS), masked (MSK), or the exception to that level. */
static bool answers(int want)
{
    apmu_levels(&p, &pe, &out);
    return out.pmuirq == (want == IRQ) && out.exception == (want > 0) && out.exception_el == (want > 0 ? want : 0);
}

/* Table D13-1: the controls, and the result of an overflow at EL0, EL1, EL2 and EL3. */
static void table_D13_1(void)
{
    static const struct {
        int el3, el2, tge, el1, kpme, pm;
        int at[4];
    } rows[] = {
        {0, X, 0, X, X, X, {IRQ, IRQ, IRQ, IRQ}},
        {0, X, 1, X, X, X, {IRQ, NA, IRQ, IRQ}},
        {1, 0, 0, X, X, X, {IRQ, IRQ, IRQ, IRQ}},
        {1, 0, 1, X, X, X, {IRQ, NA, IRQ, IRQ}},
        {1, 1, 0, 0, X, X, {IRQ, IRQ, IRQ, IRQ}},
        {1, 1, 0, 2, X, X, {DIS, DIS, DIS, DIS}},
        {1, 1, 0, 3, 0, X, {1, MSK, MSK, MSK}},
        {1, 1, 0, 3, 1, 0, {1, 1, MSK, MSK}},
        {1, 1, 0, 3, 1, 1, {1, MSK, MSK, MSK}},
        {1, 1, 1, 0, X, X, {IRQ, NA, IRQ, IRQ}},
        {1, 1, 1, 2, X, X, {DIS, NA, DIS, DIS}},
        {1, 1, 1, 3, X, X, {2, NA, MSK, MSK}},
        {1, 2, 0, X, X, X, {DIS, DIS, DIS, DIS}},
        {1, 2, 1, X, X, X, {DIS, NA, DIS, DIS}},
        {1, 3, 0, X, 0, X, {2, 2, MSK, MSK}},
        {1, 3, 0, X, 1, 0, {2, 2, 2, MSK}},
        {1, 3, 0, X, 1, 1, {2, 2, MSK, MSK}},
        {1, 3, 1, X, 0, X, {2, NA, MSK, MSK}},
        {1, 3, 1, X, 1, 0, {2, NA, 2, MSK}},
        {1, 3, 1, X, 1, 1, {2, NA, MSK, MSK}},
        {2, X, 0, X, X, X, {DIS, DIS, DIS, DIS}},
        {2, X, 1, X, X, X, {DIS, NA, DIS, DIS}},
        {3, X, 0, X, 0, X, {3, 3, 3, MSK}},
        {3, X, 0, X, 1, 0, {3, 3, 3, 3}},
        {3, X, 0, X, 1, 1, {3, 3, 3, MSK}},
        {3, X, 1, X, 0, X, {3, NA, 3, MSK}},
        {3, X, 1, X, 1, 0, {3, NA, 3, 3}},
        {3, X, 1, X, 1, 1, {3, NA, 3, MSK}},
    };
    unsigned checked = 0;

    for (unsigned i = 0; i < 64 * sizeof rows / sizeof rows[0]; i++) {
        const unsigned r = i / 64, free = i % 64; /* values for the fields that a row leaves open */
        unit(NEWEST, 1);
        p.cfg.reserved_pmee = 2;
        pe.mdcr_el3 = APMU_PUT(MDCR_EL3, PMEE, rows[r].el3);
        pe.mdcr_el2 |= APMU_PUT(MDCR_EL2, PMEE, rows[r].el2 == X ? free & 3 : (unsigned)rows[r].el2);
        pe.hcr_el2 |= APMU_PUT(HCR_EL2, TGE, rows[r].tge);
        p.ecr = APMU_PUT(PMECR_EL1, PMEE, rows[r].el1 == X ? free >> 2 & 3 : (unsigned)rows[r].el1) |
                APMU_PUT(PMECR_EL1, KPME, rows[r].kpme == X ? free >> 4 & 1 : (unsigned)rows[r].kpme);
        pe.pm = rows[r].pm == X ? (free >> 5 & 1) != 0 : rows[r].pm != 0;
        for (unsigned el = 0; el < 4; el++) {
            pe.el = (uint8_t)el;
            if (rows[r].at[el] != NA) {
                checked++;
                MUST(answers(rows[r].at[el]), "row %u at EL%u, free fields %u: PMUIRQ %d, exception %d to EL%u", r, el,
                     free, out.pmuirq, out.exception, out.exception_el);
            }
        }
    }
    MUST_EQ(sizeof rows / sizeof rows[0], 28, "rows");
    MUST_EQ(checked, 64 * (28 * 4 - 13), "cells");
}

static void exceptions_are_masked_elsewhere_too(void)
{
    unit(NEWEST, 1);
    exceptions_to(2);
    pe.halted = true;
    apmu_levels(&p, &pe, &out);
    MUST(!out.exception, "Debug state masks it");
    pe.halted = false;
    exceptions_to(1);
    pe.hcr_el2 |= APMU_MASK(HCR_EL2, TGE);
    pe.el = 0;
    apmu_levels(&p, &pe, &out);
    MUST(out.exception && out.exception_el == 2, "with TGE, the exception for EL1 goes to EL2");
    pe.el = 2;
    apmu_levels(&p, &pe, &out);
    MUST(!out.exception, "it is masked at EL2, which delegated it");
}

/* RKBPMJ, RHLYTW, RNZLVW */
static void a_counter_in_synchronous_mode_waits_for_its_instruction(void)
{
    unit(NEWEST, 1);
    exceptions_to(2);
    p.cnten = 1;
    p.typer[0] = 0x0024 | APMU_MASK(PMEVTYPER_EL0, SYNC);
    apmu_settle(&p);
    apmu_levels(&p, &pe, &out);
    MUST(!out.exception && out.cti, "its flag asks for no asynchronous exception");
    pe.ppend = true;
    apmu_levels(&p, &pe, &out);
    MUST(out.exception && out.synchronous && out.exception_el == 2, "PSTATE.PPEND asks for a synchronous one");
    pe.ppend = false;
    p.ovs = 0;
    p.cntr[0] = ~UINT64_C(0);
    apmu_event(&p, &pe, 0x0024, 1, 1, &out);
    MUST_EQ(out.overflowed, 1, "the overflow");
    MUST(apmu_retire(&p, &pe, 0x8007), "the instruction sets PSTATE.PPEND"); /* an address ends in 0b00 */
    MUST_EQ(p.iar, 0x8004, "PMIAR_EL1");
    MUST(!apmu_retire(&p, &pe, 0x8008), "the next one does not");
    for (unsigned i = 0; i < 3; i++) { /* each of the flag, PMINTEN and PMCNTEN is needed */
        apmu_event(&p, &pe, 0x0024, 1, 1, &out);
        const struct apmu before = p;
        uint64_t *const set = i == 0 ? &p.ovs : i == 1 ? &p.inten : &p.cnten;
        *set = 0;
        MUST(!apmu_retire(&p, &pe, 0x8008), "set %u is empty", i);
        p = before;
        MUST(apmu_retire(&p, &pe, 0x8004), "set %u is as before", i);
    }
    MUST_EQ(p.iar, 0x8004, "PMIAR_EL1 after the next one");
    apmu_event(&p, &pe, 0x0024, 1, 1, &out);
    pe.el = 2;
    pe.pm = true;
    MUST(!apmu_retire(&p, &pe, 0x800C), "masked");
    pe.el = 1;
    p.typer[0] = 0x0024;
    apmu_settle(&p);
    p.cntr[0] = ~UINT64_C(0);
    apmu_event(&p, &pe, 0x0024, 1, 1, &out);
    MUST(out.exception && !out.synchronous, "without SYNC it is asynchronous");
    MUST(!apmu_retire(&p, &pe, 0x8010), "and sets no PSTATE.PPEND");
}

static void flags_are_asked_for_by_range(void)
{
    static const uint64_t asking[4] = {0, CYCLE | 3, 0xC, 0x30}, freezing[4] = {0, 3, 0xC, 0x30};

    unit(ALL_ELS | APMU_FEAT(PMUv3_EXTPMN), CYCLE | 0x3F);
    p.ccr = APMU_PUT(PMCCR, EPMN, 4) | APMU_MASK(PMCCR, EPME);
    pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 2) | APMU_MASK(MDCR_EL2, HPME);
    for (unsigned set = 0; set <= APMU_RANGES; set++) {
        const unsigned i = set & APMU_RANGE_1 ? 1 : 0, j = set & APMU_RANGE_2 ? 2 : 0, k = set & APMU_RANGE_3 ? 3 : 0;
        MUST_EQ(apmu_overflow_flags(&p, &pe, APMU_CAUSE_REQUEST, set), asking[i] | asking[j] | asking[k],
                "asking, ranges %u", set);
        MUST_EQ(apmu_overflow_flags(&p, &pe, APMU_CAUSE_FREEZE, set), freezing[i] | freezing[j] | freezing[k],
                "freezing, ranges %u", set);
    }
}

static void brbe_freezes_by_range(void)
{
    unit(NEWEST, CYCLE);
    p.inten = 0;
    apmu_levels(&p, &pe, &out);
    MUST(!out.brbe_freeze[0] && !out.brbe_freeze[1], "the cycle counter does not freeze it");
    p.ovs = 1;
    p.pmcr = 0;
    apmu_levels(&p, &pe, &out);
    MUST(out.brbe_freeze[0] && !out.brbe_freeze[1], "counter 0, neither enabled nor interrupting");
    p.ovs = 8;
    apmu_levels(&p, &pe, &out);
    MUST(!out.brbe_freeze[0] && out.brbe_freeze[1], "counter 3");
    p.typer[3] = APMU_MASK(PMEVTYPER_EL0, SYNC);
    apmu_settle(&p);
    apmu_levels(&p, &pe, &out);
    MUST(!out.brbe_freeze[1], "in synchronous mode");
    p.ovs = 1;
    p.typer[0] = APMU_MASK(PMEVTYPER_EL0, SYNC);
    apmu_levels(&p, &pe, &out);
    MUST(!out.brbe_freeze[0], "counter 0 in synchronous mode");
}

static void events_are_exported_where_counting_is_allowed(void)
{
    unit(NEWEST, 0);
    apmu_event(&p, &pe, 0x0008, 1, 1, &out);
    MUST(!out.exported, "PMCR_EL0.X = 0");
    apmu_poke(&p, &pe, APMU_REG_PMCR_EL0, 0, APMU_MASK(PMCR_EL0, X), &out);
    apmu_event(&p, &pe, 0x0008, 1, 1, &out);
    MUST(out.exported, "PMCR_EL0.X = 1: enables of counters do not matter");
    apmu_cycles(&p, &pe, 1, &out);
    MUST(out.exported, "cycles too");
    pe.el = 3;
    apmu_event(&p, &pe, 0x0008, 1, 1, &out);
    MUST(!out.exported, "prohibited at EL3 with MDCR_EL3.SPME = 0");
    pe.el = 2;
    apmu_event(&p, &pe, 0x0008, 1, 1, &out);
    MUST(out.exported, "at EL2");
    pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, HPMD);
    apmu_event(&p, &pe, 0x0008, 1, 1, &out);
    MUST(!out.exported, "prohibited by MDCR_EL2.HPMD");
    pe.el = 1;
    pe.halted = true;
    apmu_event(&p, &pe, 0x0008, 1, 1, &out);
    MUST(!out.exported, "in Debug state");
    pe.halted = false;
    p.cfg.export_bus = false;
    apmu_settle(&p);
    apmu_event(&p, &pe, 0x0008, 1, 1, &out);
    MUST(!out.exported, "without the bus");
}

int main(void)
{
    RUN(the_trigger_of_the_cti_is_not_gated_by_pmee);
    RUN(a_debugger_asks_for_requests);
    RUN(each_range_has_its_enable);
    RUN(table_D13_1);
    RUN(exceptions_are_masked_elsewhere_too);
    RUN(a_counter_in_synchronous_mode_waits_for_its_instruction);
    RUN(flags_are_asked_for_by_range);
    RUN(brbe_freezes_by_range);
    RUN(events_are_exported_where_counting_is_allowed);
    return tap_status;
}
