/* SPDX-License-Identifier: BSD-2-Clause */
/* Discovers what a PMU is, and puts it into a known state. */
#include "internal.h"

enum {
    ID_IMPLEMENTATION_DEFINED = 15, /* a PMU, but not Arm's */
    PMUVER_V3 = 1                   /* ID_AA64DFR0_EL1.PMUVer of FEAT_PMUv3 */
};

/* The common events of ARMv7's manual as PMCEID0.  CHAIN is not one of them. */
static const uint64_t events_of_armv7 = UINT64_C(0xBFFFFFFF);

/* Sets version and features, from @ids, or from registers where it is NULL. */
static void identify(struct io *io, const struct apmu_ids *ids, struct apmu_pmu *pmu)
{
    uint64_t version, features;

    if (pmu->place.view == APMU_VIEW_A32) {
        const uint64_t dfr0 = ids != NULL ? ids->id_dfr0 : io_read(io, APMU_REG_ID_DFR0_EL1, 0);

        const uint64_t pfr1 = ids != NULL ? ids->id_pfr1 : io_read(io, APMU_REG_ID_PFR1_EL1, 0);

        features = apmu_id_features(APMU_REG_ID_DFR0_EL1, dfr0) | apmu_id_features(APMU_REG_ID_PFR1_EL1, pfr1) |
                   APMU_FEAT(AA32) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1);
        version = APMU_GET(ID_DFR0_EL1, PerfMon, dfr0);
    } else {
        const uint64_t dfr0 = ids != NULL ? ids->id_aa64dfr0_el1 : io_read(io, APMU_REG_ID_AA64DFR0_EL1, 0);
        const uint64_t dfr1 = ids != NULL ? ids->id_aa64dfr1_el1 : io_read(io, APMU_REG_ID_AA64DFR1_EL1, 0);

        const bool external = pmu->place.view == APMU_VIEW_EXTERNAL; /* which lacks ID_AA64PFR0_EL1 */
        const uint64_t pfr0 = ids != NULL ? ids->id_aa64pfr0_el1
                              : external  ? 0 : io_read(io, APMU_REG_ID_AA64PFR0_EL1, 0);

        features = apmu_id_features(APMU_REG_ID_AA64DFR0_EL1, dfr0) |
                   apmu_id_features(APMU_REG_ID_AA64DFR1_EL1, dfr1) |
                   apmu_id_features(APMU_REG_ID_AA64PFR0_EL1, pfr0) | (pfr0 != 0 ? APMU_FEAT(AA64) : 0);
        features |= (features & APMU_FEAT(AA32EL0)) != 0 ? APMU_FEAT(AA32) : 0;
        version = APMU_GET(ID_AA64DFR0_EL1, PMUVer, dfr0);
        version = version == PMUVER_V3 ? PERFMON_V3 : version;
    }
    if (io->error == APMU_OK && (version == 0 || version == ID_IMPLEMENTATION_DEFINED)) {
        io->error = APMU_E_NO_PMU;
    }
    pmu->version = (uint8_t)version;
    if (version >= PERFMON_V3P4) {
        pmu->pmmir = ids != NULL ? ids->pmmir_el1 : io_read(io, APMU_REG_PMMIR_EL1, 0);
    }
    pmu->features = features | apmu_id_features(APMU_REG_PMMIR_EL1, pmu->pmmir);
}

/*
 * Returns the number of event counters in the first range.  EL2, and EL3 in AArch64 state, see all event counters, but
 * PMCR_EL0.E enables only those below HPMN.  MDCR_EL2 reads as zero at EL3 if EL2 is not implemented.  Then, and if
 * HPMN is reserved, the first range has all counters.
 */
static unsigned first_range(struct io *io, const struct apmu_pmu *pmu)
{
    if (pmu->place.view == APMU_VIEW_EXTERNAL || pmu->place.el < 2 ||
        (pmu->place.view == APMU_VIEW_A32 && pmu->place.el == 3) || pmu->version < PERFMON_V2) {
        return pmu->counters;
    }
    const unsigned hpmn = (unsigned)APMU_GET(MDCR_EL2, HPMN, io_read(io, APMU_REG_MDCR_EL2, 0));

    if (hpmn > pmu->counters || (hpmn == 0 && !apmu_pmu_has(pmu, APMU_FEAT(HPMN0)))) {
        return pmu->counters;
    }
    return hpmn;
}

/*
 * Sets pmceid, from @ids or from registers.  Where neither tells, any event of the manual may be implemented.  PMUv1
 * need not have PMCEID<n>.
 */
static void list_events(struct io *io, const struct apmu_ids *ids, struct apmu_pmu *pmu)
{
    enum apmu_pmceid_source source = ids != NULL ? ids->pmceid_source : APMU_PMCEID_READ;

    if (source == APMU_PMCEID_READ && pmu->version == PERFMON_V1) {
        source = APMU_PMCEID_UNKNOWN;
    }
    switch (source) {
    case APMU_PMCEID_READ:
        pmu->pmceid[0] = io_read(io, APMU_REG_PMCEID0_EL0, 0);
        pmu->pmceid[1] = io_read(io, APMU_REG_PMCEID1_EL0, 0);
        break;
    case APMU_PMCEID_GIVEN:
        pmu->pmceid[0] = ids->pmceid[0];
        pmu->pmceid[1] = ids->pmceid[1];
        break;
    case APMU_PMCEID_UNKNOWN:
        pmu->pmceid[0] = pmu->version < PERFMON_V3 ? events_of_armv7 : ~UINT64_C(0);
        pmu->pmceid[1] = pmu->version < PERFMON_V3 ? 0 : ~UINT64_C(0);
        break;
    }
}

enum apmu_error apmu_pmu_discover(const struct apmu_dev *dev, const struct apmu_ids *ids, struct apmu_pmu *pmu)
{
    struct io io = {.dev = dev};

    *pmu = (struct apmu_pmu){.version = 0};
    if (!ops_fit(dev)) {
        return APMU_E_SIZE;
    }
    pmu->place = apmu_dev_place(dev);
    if (ids == NULL && pmu->place.view != APMU_VIEW_EXTERNAL && pmu->place.el == 0) {
        return APMU_E_LEVEL;
    }
    identify(&io, ids, pmu);
    pmu->instr = apmu_pmu_has(pmu, APMU_FEAT(PMUv3_ICNTR)) && pmu->place.view != APMU_VIEW_A32 &&
                  apmu_pmu_interrupts(pmu); /* where EL0 can access it, it cannot access PMCR_EL0 */
    pmu->counters = (uint8_t)APMU_GET(PMCR_EL0, N, io_read(&io, APMU_REG_PMCR_EL0, 0));
    list_events(&io, ids, pmu);
    pmu->first_range = (uint8_t)first_range(&io, pmu);
    return io.error;
}

/* Returns the set of the first @event_counters event counters, the cycle counter and the instruction counter. */
static uint64_t with_fixed(const struct apmu_pmu *pmu, unsigned event_counters)
{
    return (bit(event_counters) - 1) | bit(APMU_CYCLE) | (pmu->instr ? bit(APMU_INSTR) : 0);
}

uint64_t apmu_pmu_counters(const struct apmu_pmu *pmu)
{
    return with_fixed(pmu, pmu->counters);
}

uint64_t apmu_pmu_session_counters(const struct apmu_pmu *pmu)
{
    return with_fixed(pmu, pmu->first_range);
}

enum apmu_error apmu_pmu_reset(const struct apmu_dev *dev, const struct apmu_pmu *pmu)
{
    const uint64_t all = apmu_pmu_counters(pmu);
    struct io io = {.dev = dev};

    /* Disables the PMU, then the enables, whose reset values are UNKNOWN, and then clears the flags set meanwhile. */
    io_write(&io, APMU_REG_PMCR_EL0, 0, pmu_control(pmu) | APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C));
    io_write(&io, APMU_REG_PMCNTENCLR_EL0, 0, all);
    if (apmu_pmu_interrupts(pmu)) {
        io_write(&io, APMU_REG_PMINTENCLR_EL1, 0, all);
    }
    if (apmu_pmu_el1(pmu)) {
        io_write(&io, APMU_REG_PMUSERENR_EL0, 0, 0);
    }
    if (pmu_user_by_counter(pmu)) {
        io_write(&io, APMU_REG_PMUACR_EL1, 0, 0);
    }
    if (pmu_has_pmecr(pmu)) { /* PMEE = 0: overflow is signalled by PMUIRQ; SSE = 3: snapshots are allowed */
        io_write(&io, APMU_REG_PMECR_EL1, 0, apmu_pmu_has(pmu, APMU_FEAT(PMUv3_SS)) ? APMU_MASK(PMECR_EL1, SSE) : 0);
    }
    io_sync(&io);
    io_write(&io, APMU_REG_PMOVSCLR_EL0, 0, all);
    if (pmu->instr) {
        io_write(&io, APMU_REG_PMICNTR_EL0, 0, 0);
    }
    io_sync(&io);
    return io.error;
}
