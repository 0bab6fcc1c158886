/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the state columns of vector files into the unit and the PE. */

#include "conform.h"

static unsigned bits(uint64_t value, unsigned msb, unsigned lsb)
{
    return (unsigned)(value >> lsb & apmu_ones(msb - lsb + 1));
}

void load_access(struct vector_row *row, struct apmu *p, struct apmu_pe *pe)
{
    const uint64_t st = hex(row, "st");
    const uint64_t epm = hex(row, "epm");

    *p = (struct apmu){
        .cfg = {
            .size = sizeof p->cfg,
            .features = hex(row, "feat"),
            .counters = (uint8_t)dec(row, "n"),
            .secure_only = apmu_bit(st, 1),
            .thwidth = 12,
            .reserved_hpmn = (uint8_t)bits(epm, 10, 6),
            .reserved_epmn = (uint8_t)bits(epm, 15, 11),
            .reserved_vs_filters = apmu_bit(st, 11),
        },
        .ccr = APMU_PUT(PMCCR, EPMN, bits(epm, 4, 0)) | APMU_PUT(PMCCR, EPME, bits(epm, 5, 5)),
    };
    *pe = (struct apmu_pe){
        .el = (uint8_t)bits(st, 9, 8),
        .a32 = apmu_bit(st, 7),
        .sm = apmu_bit(st, 6),
        .halted = apmu_bit(st, 0),
        .dbgen = apmu_bit(st, 2),
        .niden = apmu_bit(st, 3),
        .spiden = apmu_bit(st, 4),
        .spniden = apmu_bit(st, 5),
        .mdcr_el2 = hex(row, "mdcr2"),
        .mdcr_el3 = hex(row, "mdcr3"),
        .hcr_el2 = hex(row, "hcr"),
        .scr_el3 = hex(row, "scr"),
    };
    apmu_settle(p);
}

void load_state(struct vector_row *row, struct apmu *p, struct apmu_pe *pe, unsigned n)
{
    const uint64_t spe = hex(row, "spe");
    const uint64_t sync = hex(row, "sync");

    load_access(row, p, pe);
    p->pmcr = hex(row, "pmcr");
    p->cnten = hex(row, "cnten");
    p->ovs = hex(row, "ovs");
    for (unsigned m = 0; m < APMU_COUNTERS; m++) {
        if (m != APMU_CYCLE && apmu_bit(sync, m)) {
            p->typer[m] = APMU_MASK(PMEVTYPER_EL0, SYNC);
        }
    }
    if (n < APMU_COUNTERS) {
        p->typer[n] = hex(row, "typer");
        if (apmu_bit(hex(row, "st"), 10)) { /* IsSupportingPMUSynchronousMode() for this counter's event */
            p->cfg.sync_events[0] = apmu_typer_event(p, n);
            p->cfg.sync_event_count = 1;
        }
    }
    apmu_settle(p);
    pe->mdcr_el3 = (pe->mdcr_el3 & ~APMU_MASK(MDCR_EL3, PMSEE)) | APMU_PUT(MDCR_EL3, PMSEE, bits(spe, 8, 7));
    pe->sder32_el3 = hex(row, "sder");
    pe->pmblimitr_el1 = APMU_PUT(PMBLIMITR_EL1, E, bits(spe, 0, 0)) | APMU_PUT(PMBLIMITR_EL1, PMFZ, bits(spe, 1, 1));
    pe->pmbsr_el1 = APMU_PUT(PMBSR_EL1, S, bits(spe, 2, 2));
    pe->pmbsr_el2 = APMU_PUT(PMBSR_EL2, S, bits(spe, 3, 3));
    pe->pmbsr_el3 = APMU_PUT(PMBSR_EL3, S, bits(spe, 4, 4));
    pe->pmscr_el2 = APMU_PUT(PMSCR_EL2, EE, bits(spe, 6, 5));
}

void load_more(struct vector_row *row, struct apmu *p, struct apmu_pe *pe)
{
    const uint64_t fgt = hex(row, "fgt");
    const uint64_t mi = hex(row, "mi");

    p->inten = hex(row, "inten");
    p->userenr = hex(row, "userenr");
    p->uacr = hex(row, "uacr");
    p->ecr = hex(row, "pmecr");
    pe->hdfgrtr2_el2 = APMU_PUT(HDFGRTR2_EL2, nPMICFILTR_EL0, bits(fgt, 0, 0));
    pe->hdfgwtr2_el2 = APMU_PUT(HDFGWTR2_EL2, nPMICFILTR_EL0, bits(fgt, 1, 1)) |
                       APMU_PUT(HDFGWTR2_EL2, nPMICNTR_EL0, bits(fgt, 2, 2));
    p->cfg.reserved_threshold = (uint8_t)bits(mi, 5, 0);
    p->cfg.reserved_threshold_off = apmu_bit(mi, 6);
    p->cfg.chain_crosses_ranges = apmu_bit(mi, 7);
    p->cfg.reserved_pmee = (uint8_t)bits(mi, 9, 8);
    p->divider = apmu_bit(mi, 10) ? 63 : 0; /* HasElapsed64Cycles() */
    pe->os_lock = apmu_bit(mi, 11);
    p->cfg.reserved_sse = (uint8_t)bits(mi, 13, 12);
}
