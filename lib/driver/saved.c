/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and restores the registers of a PMU across a loss of power. */
#include "internal.h"

/* The bits of PMCR_EL0 that act when they are written. */
static const uint64_t acts = APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C);

/*
 * Holds struct apmu_pmu_saved to the register table: the storage of each register that software can read and write is a
 * member.  A write of PMSSCR_EL1 only captures.  With IS_SAVED_PLAIN = IS_MEMBER, the row of PMSELR_EL0 becomes
 * _Static_assert(offsetof(struct apmu_pmu_saved, selr) < sizeof(struct apmu_pmu_saved), "PMSELR_EL0 is saved").
 */
#define IS_MEMBER(storage) (offsetof(struct apmu_pmu_saved, storage) < sizeof(struct apmu_pmu_saved))
#define IS_SAVED_CONTROL IS_MEMBER
#define IS_SAVED_COUNTER IS_MEMBER
#define IS_SAVED_PLAIN IS_MEMBER
#define IS_SAVED_TYPER IS_MEMBER
#define IS_SAVED_UACR IS_MEMBER
#define IS_SAVED_SET IS_MEMBER
#define IS_SAVED_CLR IS_MEMBER
#define IS_SAVED_SELECT_TYPER IS_MEMBER
#define IS_SAVED_SELECT_CNTR IS_MEMBER
#define IS_SAVED_SNAPSHOT(storage) 1
#define IS_KEPT_RW(op, storage) IS_SAVED_##op(storage)
#define IS_KEPT_RO(op, storage) 1
#define IS_KEPT_WO(op, storage) 1
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    _Static_assert(IS_KEPT_##access(op, storage), #id " is saved");
#include <armpmu/tables/registers.def>

enum apmu_error apmu_pmu_save(const struct apmu_dev *dev, const struct apmu_pmu *pmu, struct apmu_pmu_saved *saved)
{
    const uint64_t all = apmu_pmu_counters(pmu);
    struct io io = {.dev = dev};

    *saved = (struct apmu_pmu_saved){0};
    saved->pmcr = io_read(&io, APMU_REG_PMCR_EL0, 0) & ~acts;
    io_write(&io, APMU_REG_PMCR_EL0, 0, saved->pmcr & ~APMU_MASK(PMCR_EL0, E));
    if (io.error != APMU_OK) {
        return io.error;
    }
    io_sync(&io); /* counting ends before the flags and counters are read */
    saved->ovs = io_read(&io, APMU_REG_PMOVSCLR_EL0, 0) & all;
    if (io.error == APMU_OK && saved->ovs != 0 && pmu->version < PERFMON_V3) {
        io.error = APMU_E_UNSUPPORTED;
    }
    saved->cnten = io_read(&io, APMU_REG_PMCNTENSET_EL0, 0) & all;
    if (apmu_pmu_interrupts(pmu)) {
        saved->inten = io_read(&io, APMU_REG_PMINTENSET_EL1, 0) & all;
    }
    if (pmu->place.view != APMU_VIEW_EXTERNAL) {
        saved->selr = io_read(&io, APMU_REG_PMSELR_EL0, 0);
    }
    if (apmu_pmu_el1(pmu)) {
        saved->userenr = io_read(&io, APMU_REG_PMUSERENR_EL0, 0);
    }
    if (pmu_user_by_counter(pmu)) {
        saved->uacr = io_read(&io, APMU_REG_PMUACR_EL1, 0);
    }
    if (pmu_has_pmecr(pmu)) {
        saved->ecr = io_read(&io, APMU_REG_PMECR_EL1, 0);
    }
    if (pmu_has_pmiar(pmu)) {
        saved->iar = io_read(&io, APMU_REG_PMIAR_EL1, 0);
    }
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if ((all & bit(n)) != 0) {
            saved->cntr[n] = io_read(&io, counter_register(n), copy_of(n));
            saved->typer[n] = pmu_has_type(pmu, n) ? io_read(&io, type_register(n), copy_of(n)) : 0;
        }
    }
    if (io.error != APMU_OK) {
        io_rescue(&io, APMU_REG_PMCR_EL0, saved->pmcr); /* as it was */
    }
    return io.error;
}

enum apmu_error apmu_pmu_restore(const struct apmu_dev *dev, const struct apmu_pmu *pmu,
                                 const struct apmu_pmu_saved *saved)
{
    const uint64_t all = apmu_pmu_counters(pmu);
    const uint64_t stopped = saved->pmcr & ~APMU_MASK(PMCR_EL0, E);
    struct io io = {.dev = dev};

    /* Enables and flags may hold anything.  Clear them first, because the SET registers do not disable. */
    io_write(&io, APMU_REG_PMCR_EL0, 0, stopped);
    io_write(&io, APMU_REG_PMCNTENCLR_EL0, 0, all);
    if (apmu_pmu_interrupts(pmu)) {
        io_write(&io, APMU_REG_PMINTENCLR_EL1, 0, all);
    }
    if (apmu_pmu_el1(pmu)) {
        io_write(&io, APMU_REG_PMUSERENR_EL0, 0, 0);
    }
    io_sync(&io);
    io_write(&io, APMU_REG_PMOVSCLR_EL0, 0, all);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if ((all & bit(n)) != 0) {
            if (pmu_has_type(pmu, n)) {
                io_write(&io, type_register(n), copy_of(n), saved->typer[n]);
            }
            io_write(&io, counter_register(n), copy_of(n), saved->cntr[n]);
        }
    }
    if (pmu_has_pmecr(pmu)) {
        io_write(&io, APMU_REG_PMECR_EL1, 0, saved->ecr);
    }
    if (pmu_has_pmiar(pmu)) {
        io_write(&io, APMU_REG_PMIAR_EL1, 0, saved->iar);
    }
    if (pmu->place.view != APMU_VIEW_EXTERNAL) {
        io_write(&io, APMU_REG_PMSELR_EL0, 0, saved->selr);
    }
    if (saved->ovs != 0) {
        io_write(&io, APMU_REG_PMOVSSET_EL0, 0, saved->ovs);
    }
    if (saved->inten != 0) {
        io_write(&io, APMU_REG_PMINTENSET_EL1, 0, saved->inten);
    }
    io_sync(&io);
    if (saved->cnten != 0) {
        io_write(&io, APMU_REG_PMCNTENSET_EL0, 0, saved->cnten);
    }
    io_write(&io, APMU_REG_PMCR_EL0, 0, saved->pmcr);
    if (pmu_user_by_counter(pmu)) {
        io_write(&io, APMU_REG_PMUACR_EL1, 0, saved->uacr);
    }
    io_sync(&io);
    if (apmu_pmu_el1(pmu)) {
        io_write(&io, APMU_REG_PMUSERENR_EL0, 0, saved->userenr);
        io_sync(&io);
    }
    if (io.error != APMU_OK) {
        io_rescue(&io, APMU_REG_PMCR_EL0, stopped);
    }
    return io.error;
}
