/* SPDX-License-Identifier: BSD-2-Clause */
/* Random implementations, states of the PE and states of the unit, for the properties of this folder. */
#ifndef ARMPMU_TEST_ANY_H
#define ARMPMU_TEST_ANY_H

#include <armpmu/model.h>

#include "operations.h"

/* Returns a counter value.  It is often close to a value at which counters overflow. */
static inline uint64_t pick_count(struct choices *c)
{
    switch (pick(c, 2)) {
    case 0:
        return pick(c, 64);
    case 1:
        return UINT64_C(0xFFFFFFFF) - pick(c, 6);
    case 2:
        return UINT64_MAX - pick(c, 6);
    default:
        return (pick(c, 32) << 32 | UINT64_C(0xFFFFFFFF)) - pick(c, 5);
    }
}

/* INST_RETIRED, CPU_CYCLES, CHAIN and STALL_BACKEND */
static const uint16_t any_events[4] = {0x0008, 0x0011, 0x001E, 0x0024};

/*
 * Returns an implementation: any set of features, on one of the combinations of Exception levels that exist.  The
 * architecture may not allow it.
 */
static inline struct apmu_config any_config(struct choices *c)
{
    static const uint8_t els[] = {0x0F, 0x03, 0x07, 0x0B, 0x1F, 0x3F, 0x7F, 0x17, 0x33, 0xF0, 0x30, 0x70, 0xB0};
    const uint8_t el = els[pick_of(c, sizeof els)];
    struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = (pick(c, 38) & ~UINT64_C(0xFF)) | el | APMU_FEAT(PMUv3),
        .counters = (uint8_t)(pick(c, 2) != 0 ? 2 + pick(c, 2) : pick(c, 5)),
        .secure_only = pick(c, 1) != 0,
        .export_bus = pick(c, 1) != 0,
        .thwidth = 12,
        .sync_events = {0x0008, 0x0024, APMU_EV_CHAIN},
        .sync_event_count = (uint8_t)pick_of(c, 4),
        .reserved_hpmn = (uint8_t)pick(c, 2),
        .reserved_epmn = (uint8_t)pick(c, 2),
        .reserved_vs_filters = pick(c, 1) != 0,
        .chain_crosses_ranges = pick(c, 1) != 0,
        .a32_long_counters = pick(c, 1) != 0,
        .reserved_threshold_off = pick(c, 1) != 0,
        .reserved_pmee = (uint8_t)pick(c, 2),
        .reserved_sse = (uint8_t)pick(c, 2),
        .reserved_threshold = (uint8_t)pick(c, 6),
    };

    cfg.features &= ~(APMU_FEAT(AA64) | APMU_FEAT(AA32));
    cfg.features |= (el & 0x0F) != 0 ? APMU_FEAT(AA64) : 0;
    cfg.features |= (el & 0xF0) != 0 ? APMU_FEAT(AA32) : 0;
    cfg.counters = cfg.counters > 31 ? 31 : cfg.counters;
    return cfg;
}

/* Returns an implementation whose registers the architecture allows.  Some of them are PMUs of ARMv7. */
static inline struct apmu_config any_legal_config(struct choices *c)
{
    struct apmu_config cfg = any_config(c);

    if (pick(c, 3) == 0) {
        cfg.features = APMU_FEAT(AA32) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) |
                       (pick_bool(c) ? APMU_FEAT(AA32EL3) : 0) |
                       (pick_bool(c) ? APMU_FEAT(PMUv1) : APMU_FEAT(PMUv2) | APMU_FEAT(AA32EL2));
    }
    cfg.features = apmu_features_closure(cfg.features);
    cfg.pmceid[0] = pick_bool(c) ? pick(c, 64) : 0;
    cfg.pmceid[1] = cfg.pmceid[0] != 0 ? pick(c, 64) : 0;
    if (cfg.pmceid[0] != 0) {
        apmu_events_closure(cfg.features, cfg.pmceid);
    }
    cfg.thwidth = (cfg.features & APMU_FEAT(PMUv3_TH)) != 0 ? (uint8_t)(1 + pick_of(c, 12)) : 0;
    cfg.unknown_fill = pick_bool(c) ? pick(c, 64) : 0;
    cfg.imp = (uint8_t)pick(c, 1);
    cfg.reserved_epmn = cfg.reserved_epmn <= cfg.counters ? cfg.reserved_epmn : cfg.counters;
    cfg.reserved_hpmn = cfg.reserved_hpmn <= cfg.counters ? cfg.reserved_hpmn : cfg.counters;
    return cfg;
}

/* Returns a set of features that apmu_config_check() accepts, near @features. */
static inline uint64_t any_checked_features(struct choices *c, uint64_t features)
{
    const uint64_t layouts = APMU_FEAT(PMUv3_EXT32) | APMU_FEAT(PMUv3_EXT64);
    const uint64_t any_el2 = APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2);
    const uint64_t a32_els = APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL2) | APMU_FEAT(AA32EL3);
    const uint64_t external = pick_bool(c) ? (pick(c, 10) & pick(c, 10)) << 38 : 0; /* MTPMU to DoPD */

    if ((features & APMU_FEAT(PMUv3)) == 0) {
        return features;
    }
    features |= external & ~(layouts | APMU_FEAT(PMUv1) | APMU_FEAT(PMUv2));
    features = apmu_features_closure(features | ((features & APMU_FEAT(AA64)) != 0 ? APMU_FEAT(AA64EL0) : 0));
    if ((features & APMU_FEAT(PMUv3_EXT)) != 0) {
        features = (features & ~layouts) | (pick_bool(c) ? APMU_FEAT(PMUv3_EXT32) : APMU_FEAT(PMUv3_EXT64));
    }
    if ((features & (APMU_FEAT(SEL2) | APMU_FEAT(HPMN0) | APMU_FEAT(MTPMU))) != 0 && (features & any_el2) == 0) {
        features |= (features & APMU_FEAT(AA64)) != 0 ? APMU_FEAT(AA64EL2) : APMU_FEAT(AA32EL2);
    }
    if ((features & APMU_FEAT(PMUv3_SS)) != 0 && (features & a32_els) != 0) {
        features &= (features & APMU_FEAT(AA64)) != 0 && pick_bool(c) ? ~a32_els : ~APMU_FEAT(PMUv3_SS);
    }
    if ((features & APMU_FEAT(AA64)) != 0) {
        features &= ~APMU_FEAT(AA32EL3);
        features &= (features & APMU_FEAT(AA64EL2)) == 0 ? ~APMU_FEAT(AA32EL2) : ~UINT64_C(0);
    }
    return apmu_features_closure(features);
}

/* Returns an implementation that apmu_config_check() accepts, with every member random within what it may be. */
static inline struct apmu_config any_checked_config(struct choices *c)
{
    struct apmu_config cfg = any_legal_config(c);
    const uint64_t features = cfg.features = any_checked_features(c, cfg.features);
    const bool v3 = (features & APMU_FEAT(PMUv3)) != 0, ext32 = (features & APMU_FEAT(PMUv3_EXT32)) != 0;

    cfg.secure_only = cfg.secure_only && (features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) == 0;
    cfg.multithreaded = v3 && pick_bool(c);
    cfg.idcode = (uint8_t)pick(c, 8);
    cfg.slots = (uint8_t)pick(c, 8);
    cfg.bus_slots = (uint8_t)pick(c, 8);
    cfg.bus_width = (uint8_t)pick(c, 4);
    cfg.thwidth = (features & APMU_FEAT(PMUv3_TH)) != 0 ? (uint8_t)(1 + pick_of(c, 12)) : 0;
    if (cfg.pmceid[0] != 0) {
        const uint64_t most = (features & APMU_FEAT(PMUv3p1)) != 0 ? UINT64_MAX : UINT32_MAX;
        cfg.pmceid[0] &= most;
        cfg.pmceid[1] &= most;
        apmu_events_closure(features, cfg.pmceid);
    }
    cfg.sdd_undef_priority = pick_bool(c);
    cfg.counts_unattributable = pick_bool(c);
    cfg.mpidr = pick(c, 40);
    cfg.iidr = pick_bool(c) ? (uint32_t)pick(c, 32) : 0;
    cfg.filter2 = pick_bool(c) ? (uint32_t)pick(c, 32) : 0;
    cfg.part = (uint16_t)pick(c, 12);
    cfg.designer = (uint16_t)pick(c, 11);
    cfg.revision[pick_of(c, 3)] = (uint8_t)pick(c, 4);
    cfg.peripheral_id = pick_bool(c);
    cfg.coresight_id = pick_bool(c);
    cfg.integration = pick_bool(c);
    cfg.external_swinc = pick_bool(c) && ext32 && (features & APMU_FEAT(PMUv3p9)) == 0;
    cfg.software_lock = pick_bool(c) && ext32 && (features & (APMU_FEAT(Debugv8p4) | APMU_FEAT(DoPD))) == 0;
    cfg.sample_enable = pick_bool(c) && (features & APMU_FEAT(PCSRv8p9)) != 0;
    cfg.sample_suspended = pick_bool(c);
    cfg.reserved_ext_errors = pick_bool(c);
    cfg.reserved_epmssad = pick_bool(c) ? 3 : 0;
    return cfg;
}

#ifdef ARMPMU_PROOF

struct apmu nondet_unit(void);
struct apmu_pe nondet_pe(void);

/* For a proof, the unit is arbitrary except for values that no configuration has.  A bool must be 0 or 1. */
static inline void any_unit(struct choices *c, struct apmu *p)
{
    *p = nondet_unit();
    p->cfg.counters &= 31;
    p->cfg.secure_only = pick_bool(c);
    p->cfg.export_bus = pick_bool(c);
    p->cfg.multithreaded = pick_bool(c);
    p->cfg.reserved_vs_filters = pick_bool(c);
    p->cfg.chain_crosses_ranges = pick_bool(c);
    p->cfg.reserved_threshold_off = pick_bool(c);
    p->cfg.sdd_undef_priority = pick_bool(c);
    p->cfg.a32_long_counters = pick_bool(c);
    p->cfg.counts_unattributable = pick_bool(c);
    p->cfg.peripheral_id = pick_bool(c);
    p->cfg.coresight_id = pick_bool(c);
    p->cfg.integration = pick_bool(c);
    p->cfg.external_swinc = pick_bool(c);
    p->cfg.software_lock = pick_bool(c);
    p->cfg.sample_enable = pick_bool(c);
    p->cfg.sample_suspended = pick_bool(c);
    p->cfg.reserved_ext_errors = pick_bool(c);
    p->cfg.sync_event_count = (uint8_t)pick_of(c, 15);
    p->cfg.reserved_threshold &= 63;
    p->cfg.features |= APMU_FEAT(PMUv3);
    p->locked = pick_bool(c);
    p->sync_overflowed = pick_bool(c);
    apmu_settle(p);
}

static inline void any_engine_pe(struct choices *c, const struct apmu_config *cfg, struct apmu_pe *pe)
{
    (void)cfg;
    *pe = nondet_pe();
    pe->el = (uint8_t)pick(c, 2);
    pe->a32 = pick_bool(c);
    pe->sm = pick_bool(c);
    pe->halted = pick_bool(c);
    pe->sdd = pick_bool(c);
    pe->os_lock = pick_bool(c);
    pe->double_lock = pick_bool(c);
    pe->dbgen = pick_bool(c);
    pe->niden = pick_bool(c);
    pe->spiden = pick_bool(c);
    pe->spniden = pick_bool(c);
    pe->unattributable = pick_bool(c);
    pe->pm = pick_bool(c);
    pe->ppend = pick_bool(c);
    pe->edecr_pme = pick_bool(c);
    pe->rlpiden = pick_bool(c);
    pe->rtpiden = pick_bool(c);
    pe->core_off = pick_bool(c);
    pe->debug_off = pick_bool(c);
    pe->sample.valid = pick_bool(c);
    pe->sample.a32 = pick_bool(c);
}

/* Makes a PE at an implemented Exception level. */
static inline void any_pe(struct choices *c, const struct apmu_config *cfg, struct apmu_pe *pe)
{
    any_engine_pe(c, cfg, pe);
    if (((cfg->features | cfg->features >> 4) >> pe->el & 1) == 0) {
        pe->el = (uint8_t)pick(c, 1);
    }
}

#else

static inline void any_pe(struct choices *c, const struct apmu_config *cfg, struct apmu_pe *pe)
{
    const unsigned els = (unsigned)((cfg->features | cfg->features >> 4) & 0x0F);

    memset(pe, 0, sizeof *pe);
    pe->el = (uint8_t)pick(c, 2);
    while ((els >> pe->el & 1) == 0) { /* EL0 is always implemented */
        pe->el--;
    }
    pe->halted = pick(c, 4) == 0;
    pe->sm = pick(c, 1) != 0;
    pe->dbgen = pick(c, 1) != 0;
    pe->spiden = pick(c, 2) == 0;
    pe->unattributable = pick(c, 3) == 0;
    pe->mdcr_el2 = pick(c, 64) & ~UINT64_C(0x1F);
    pe->mdcr_el2 |= pick(c, 3);
    pe->mdcr_el3 = pick(c, 64);
    pe->scr_el3 = pick(c, 64);
    pe->hcr_el2 = pick(c, 64);
    pe->sder32_el3 = pick(c, 2);
    pe->pmblimitr_el1 = pick(c, 8);
    pe->pmbsr_el1 = pick(c, 20);
    pe->pmbsr_el2 = pick(c, 20);
    pe->pmbsr_el3 = pick(c, 20);
    pe->pmscr_el2 = pick(c, 10);
}

/* Makes a PE with the state that accesses and signals depend on random too: any state that an emulator can report. */
static inline void any_engine_pe(struct choices *c, const struct apmu_config *cfg, struct apmu_pe *pe)
{
    any_pe(c, cfg, pe);
    pe->a32 = pick_bool(c) && (cfg->features >> 4 >> pe->el & 1) != 0;
    pe->a32 |= (cfg->features >> pe->el & 1) == 0;
    pe->sdd = pick_bool(c);
    pe->os_lock = pick(c, 2) == 0;
    pe->double_lock = pick(c, 3) == 0;
    pe->niden = pick_bool(c);
    pe->spniden = pick_bool(c);
    pe->hstr_el2 = pick(c, 10);
    pe->hdfgrtr_el2 = pick_bool(c) ? pick(c, 64) : 0;
    pe->hdfgwtr_el2 = pick_bool(c) ? pick(c, 64) : 0;
    pe->hdfgrtr2_el2 = pick_bool(c) ? pick(c, 64) : UINT64_MAX;
    pe->hdfgwtr2_el2 = pick_bool(c) ? pick(c, 64) : UINT64_MAX;
    if (pick_bool(c)) { /* clear the controls that trap nearly everything */
        pe->mdcr_el3 = (pe->mdcr_el3 & ~APMU_MASK(MDCR_EL3, TPM)) | APMU_MASK(MDCR_EL3, EnPM2);
        pe->mdcr_el2 &= ~(APMU_MASK(MDCR_EL2, TPM) | APMU_MASK(MDCR_EL2, TPMCR));
        pe->scr_el3 |= APMU_MASK(SCR_EL3, FGTEn2);
        pe->hdfgrtr_el2 = pe->hdfgwtr_el2 = 0;
    }
    pe->pm = pick_bool(c);
    pe->ppend = pick_bool(c);
    pe->edecr_pme = pick_bool(c);
    pe->rlpiden = pick_bool(c);
    pe->rtpiden = pick_bool(c);
    pe->core_off = pick(c, 4) == 0;
    pe->debug_off = pick(c, 5) == 0;
    pe->sample.valid = pick_bool(c);
    pe->sample.a32 = pick_bool(c);
    pe->sample.el = (uint8_t)pick(c, 2);
    pe->sample.ss = (enum apmu_ss)pick(c, 2);
    pe->sample.pc = pick(c, 64);
    pe->sample.contextidr_el1 = (uint32_t)pick(c, 32);
    pe->sample.contextidr_el2 = (uint32_t)pick(c, 32);
    pe->sample.vmid = (uint16_t)pick(c, 16);
}

/* Makes a unit in any state.  Every byte is defined, so that memcmp() can compare two units. */
static inline void any_unit(struct choices *c, struct apmu *p)
{
    memset(p, 0, sizeof *p);
    p->cfg = any_config(c);
    p->pmcr = pick(c, 33) | (pick(c, 1) != 0);
    p->cnten = pick(c, 33) | pick(c, 33);
    p->inten = pick(c, 33);
    p->ovs = pick(c, 1) != 0 ? 0 : pick(c, 33) & pick(c, 33) & pick(c, 33);
    p->ecr = pick(c, 5);
    p->ccr = pick(c, 3) | APMU_PUT(PMCCR, EPME, pick(c, 1));
    p->last_threshold = (uint32_t)pick(c, 32);
    p->divider = (uint8_t)pick(c, 6);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const uint64_t filter = pick(c, 1) != 0 ? APMU_MASK(PMEVTYPER_EL0, NSH) : pick(c, 16) << 16;
        const uint64_t mode = pick(c, 2) != 0 ? 0 : APMU_PUT(PMEVTYPER_EL0, VS, pick(c, 2)) |
                                                    APMU_PUT(PMEVTYPER_EL0, SYNC, pick(c, 1));
        const uint64_t threshold = pick(c, 1) != 0 ? 0 : APMU_PUT(PMEVTYPER_EL0, TC, pick(c, 3)) |
                                                         APMU_PUT(PMEVTYPER_EL0, TE, pick(c, 1)) |
                                                         APMU_PUT(PMEVTYPER_EL0, TLC, pick(c, 2)) |
                                                         APMU_PUT(PMEVTYPER_EL0, TH, pick(c, 2));
        p->typer[n] = filter | mode | threshold | any_events[pick(c, 2)];
        p->cntr[n] = pick_count(c);
        const bool a32_short = (p->cfg.features & 0x0F) == 0 && !p->cfg.a32_long_counters;
        if (n < APMU_CYCLE && ((p->cfg.features & APMU_FEAT(PMUv3p5)) == 0 || a32_short)) {
            p->cntr[n] &= UINT32_MAX;
        }
    }
    apmu_settle(p);
}

#endif /* ARMPMU_PROOF */

#endif
