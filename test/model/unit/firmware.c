/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields with which firmware configures the counters and keeps them still in Secure states, as section 8.6 of the
 * guide of Trusted Firmware names them, one case per field; and Table D13-4 of the Arm ARM, row by row.
 */

#include <armpmu/model.h>

#include "../../lib/tap.h"

enum { EVENT = 0x0024 };
enum firmware_world { SECURE, NONSECURE };

static struct apmu p;
static struct apmu_pe pe;

/* Makes three counters, one in each range, all enabled, at Non-secure EL1.  Nothing is prohibited. */
static void begin(void)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3) |
                                          APMU_FEAT(PMUv3p9) | APMU_FEAT(SEL2) | APMU_FEAT(HPMN0) |
                                          APMU_FEAT(PMUv3_EXT64) | APMU_FEAT(PMUv3_EXTPMN)),
        .counters = 3,
    };

    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){
        .el = 1,
        .scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW),
        .hcr_el2 = APMU_MASK(HCR_EL2, RW),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 1) | APMU_MASK(MDCR_EL2, HPME),
        .mdcr_el3 = APMU_MASK(MDCR_EL3, SPME),
    };
    p.ccr = APMU_PUT(PMCCR, EPMN, 2) | APMU_MASK(PMCCR, EPME);
    p.pmcr = APMU_MASK(PMCR_EL0, E);
    p.cnten = UINT64_C(0x80000007);
    p.typer[0] = p.typer[1] = p.typer[2] = EVENT;
    p.typer[APMU_CYCLE] = 0;
    apmu_settle(&p);
}

static bool counts_at(unsigned n, unsigned el, enum firmware_world world)
{
    pe.el = (uint8_t)el;
    pe.scr_el3 = APMU_MASK(SCR_EL3, RW) | APMU_MASK(SCR_EL3, EEL2) | (world == NONSECURE ? APMU_MASK(SCR_EL3, NS) : 0);
    return apmu_counts(&p, &pe, n);
}

#define FILTER(n, field, value) \
    (p.typer[n] = (p.typer[n] & ~APMU_MASK(PMEVTYPER_EL0, field)) | APMU_PUT(PMEVTYPER_EL0, field, value))

/* The cases below apply to an event counter and to the cycle counter, whose filter has the same fields. */
static const unsigned filtered[2] = {0, APMU_CYCLE};

static void p_counts_at_el1(void)
{
    begin();
    for (unsigned i = 0; i < 2; i++) {
        FILTER(filtered[i], P, 0);
        MUST(counts_at(filtered[i], 1, SECURE), "P = 0: counter %u does not count", filtered[i]);
        FILTER(filtered[i], P, 1);
        MUST(!counts_at(filtered[i], 1, SECURE), "P = 1: counter %u counts", filtered[i]);
    }
}

static void nsk_equal_to_p_counts_at_nonsecure_el1(void)
{
    begin();
    for (unsigned i = 0; i < 8; i++) {
        const unsigned n = filtered[i >> 2];
        FILTER(n, P, i);
        FILTER(n, NSK, i >> 1);
        MUST(counts_at(n, 1, NONSECURE) == ((i & 1) == (i >> 1 & 1)), "P = %u, NSK = %u", i & 1, i >> 1 & 1);
    }
}

static void nsh_counts_at_el2(void)
{
    begin();
    for (unsigned i = 0; i < 2; i++) {
        FILTER(filtered[i], NSH, 0);
        MUST(!counts_at(filtered[i], 2, NONSECURE), "NSH = 0: counter %u counts", filtered[i]);
        FILTER(filtered[i], NSH, 1);
        MUST(counts_at(filtered[i], 2, NONSECURE), "NSH = 1: counter %u does not count", filtered[i]);
    }
}

static void sh_different_from_nsh_counts_at_secure_el2(void)
{
    begin();
    for (unsigned i = 0; i < 8; i++) {
        const unsigned n = filtered[i >> 2];
        FILTER(n, NSH, i);
        FILTER(n, SH, i >> 1);
        MUST(counts_at(n, 2, SECURE) == ((i & 1) != (i >> 1 & 1)), "NSH = %u, SH = %u", i & 1, i >> 1 & 1);
    }
}

static void m_equal_to_p_counts_at_el3(void)
{
    begin();
    for (unsigned i = 0; i < 8; i++) {
        const unsigned n = filtered[i >> 2];
        FILTER(n, P, i);
        FILTER(n, M, i >> 1);
        MUST(counts_at(n, 3, SECURE) == ((i & 1) == (i >> 1 & 1)), "P = %u, M = %u", i & 1, i >> 1 & 1);
    }
}

static void evtcount_is_the_event(void)
{
    begin();
    for (unsigned number = 0x3F0; number < 0x410; number++) {
        apmu_poke(&p, &pe, APMU_REG_PMEVTYPER_EL0, 0, number, NULL);
        p.cntr[0] = 0;
        apmu_event(&p, &pe, (uint16_t)number, 1, 1, NULL);
        MUST_EQ(p.cntr[0], 1, "event 0x%X", number);
    }
    p.cfg.features &= ~(APMU_FEAT(PMUv3p1) | APMU_FEAT(PMUv3p4));
    p.typer[0] = 0;
    apmu_settle(&p);
    apmu_poke(&p, &pe, APMU_REG_PMEVTYPER_EL0, 0, 0xFC08, NULL);
    MUST_EQ(apmu_peek(&p, &pe, APMU_REG_PMEVTYPER_EL0, 0), 0x0008, "evtCount[15:10] before FEAT_PMUv3p1");
}

static void pmcntenset_p_and_c_enable(void)
{
    begin();
    for (unsigned n = 0; n < 3; n++) {
        p.cnten = 0;
        MUST(!counts_at(n, 1, NONSECURE), "counter %u counts although it is disabled", n);
        p.cnten = UINT64_C(1) << n;
        MUST(counts_at(n, 1, NONSECURE) && !counts_at(APMU_CYCLE, 1, NONSECURE), "P[%u]", n);
    }
    p.cnten = UINT64_C(1) << 31;
    MUST(counts_at(APMU_CYCLE, 1, NONSECURE) && !counts_at(0, 1, NONSECURE), "C");
}

static void dp_stops_the_cycle_counter_where_counting_is_prohibited(void)
{
    begin();
    pe.mdcr_el3 = 0;
    for (unsigned el = 0; el < 2; el++) {
        p.pmcr = APMU_MASK(PMCR_EL0, E);
        MUST(counts_at(APMU_CYCLE, el, SECURE), "DP = 0 at Secure EL%u", el);
        p.pmcr |= APMU_MASK(PMCR_EL0, DP);
        MUST(!counts_at(APMU_CYCLE, el, SECURE) && counts_at(APMU_CYCLE, el, NONSECURE), "DP = 1 at EL%u", el);
    }
}

static void e_stops_whatever_else_is_set(void)
{
    begin();
    p.pmcr = 0;
    pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 2);
    MUST(!counts_at(0, 1, NONSECURE) && !counts_at(1, 1, NONSECURE) && !counts_at(APMU_CYCLE, 1, NONSECURE), "E = 0");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Table D13-4, as in the Arm ARM.
 */

static void table_d13_4(void)
{
    static const struct {
        bool epme, hpme, e, disabled[3], enabled[3]; /* counts, by range: with PMCNTENSET.P[n] = 0 and with 1 */
    } rows[] = {
        {0, 0, 0, {0, 0, 0}, {0, 0, 0}}, {0, 0, 1, {0, 0, 0}, {1, 0, 0}},
        {0, 1, 0, {0, 0, 0}, {0, 1, 0}}, {0, 1, 1, {0, 0, 0}, {1, 1, 0}},
        {1, 0, 0, {0, 0, 0}, {0, 0, 1}}, {1, 0, 1, {0, 0, 0}, {1, 0, 1}},
        {1, 1, 0, {0, 0, 0}, {0, 1, 1}}, {1, 1, 1, {0, 0, 0}, {1, 1, 1}},
    };

    for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        begin();
        p.ccr = APMU_PUT(PMCCR, EPMN, 2) | APMU_PUT(PMCCR, EPME, rows[row].epme);
        pe.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 1) | APMU_PUT(MDCR_EL2, HPME, rows[row].hpme);
        p.pmcr = APMU_PUT(PMCR_EL0, E, rows[row].e);
        for (unsigned n = 0; n < 3; n++) {
            p.cnten = 0;
            MUST_EQ(counts_at(n, 1, NONSECURE), rows[row].disabled[n], "row %u, range %u, P[n] = 0", row + 1, n + 1);
            p.cnten = 7;
            MUST_EQ(counts_at(n, 1, NONSECURE), rows[row].enabled[n], "row %u, range %u, P[n] = 1", row + 1, n + 1);
        }
    }
}

int main(void)
{
    RUN(p_counts_at_el1);
    RUN(nsk_equal_to_p_counts_at_nonsecure_el1);
    RUN(nsh_counts_at_el2);
    RUN(sh_different_from_nsh_counts_at_secure_el2);
    RUN(m_equal_to_p_counts_at_el3);
    RUN(evtcount_is_the_event);
    RUN(pmcntenset_p_and_c_enable);
    RUN(dp_stops_the_cycle_counter_where_counting_is_prohibited);
    RUN(e_stops_whatever_else_is_set);
    RUN(table_d13_4);
    return tap_status;
}
