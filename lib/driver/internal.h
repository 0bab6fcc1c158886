/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the driver share.  Not for users. */
#ifndef ARMPMU_DRIVER_INTERNAL_H
#define ARMPMU_DRIVER_INTERNAL_H

#include <armpmu/driver.h>

/* ID_DFR0.PerfMon, and so apmu_pmu.version. */
enum perfmon { PERFMON_V1 = 1, PERFMON_V2 = 2, PERFMON_V3 = 3, PERFMON_V3P1 = 4, PERFMON_V3P4 = 5 };

/*
 * A sequence of accesses.  The first error is kept; after it nothing is accessed any more, or, where all must be tried,
 * everything is.
 */
struct io {
    const struct apmu_dev *dev;
    enum apmu_error error;
    bool try_all;
};

/* Is the back end's table of functions one that this driver can call? */
static inline bool ops_fit(const struct apmu_dev *dev)
{
    return apmu_sized_check(dev->ops, sizeof *dev->ops, sizeof *dev->ops) == APMU_SIZED_OK;
}

static inline void io_refused(struct io *io, enum apmu_error error, enum apmu_reg reg, unsigned n, bool write)
{
    if (error != APMU_OK && io->error == APMU_OK) {
        io->error = error;
        if (io->dev->refused != NULL) {
            *io->dev->refused = (struct apmu_refused_access){.error = error, .reg = reg, .n = (uint8_t)n, .write = write};
        }
    }
}

static inline void io_write(struct io *io, enum apmu_reg reg, unsigned n, uint64_t value)
{
    if (io->error == APMU_OK || io->try_all) {
        io_refused(io, io->dev->ops->write(io->dev->ctx, reg, n, value), reg, n, true);
    }
}

/* 0 after an error. */
static inline uint64_t io_read(struct io *io, enum apmu_reg reg, unsigned n)
{
    uint64_t value = 0;

    if (io->error == APMU_OK) {
        io_refused(io, io->dev->ops->read(io->dev->ctx, reg, n, &value), reg, n, false);
    }
    return io->error == APMU_OK ? value : 0;
}

static inline void io_sync(struct io *io)
{
    if (io->error == APMU_OK || io->try_all) {
        io->dev->ops->sync(io->dev->ctx);
    }
}

/* What can still be done after an error, which stays the one to report. */
static inline void io_rescue(const struct io *io, enum apmu_reg reg, uint64_t value)
{
    (void)io->dev->ops->write(io->dev->ctx, reg, 0, value);
    io->dev->ops->sync(io->dev->ctx);
}

/* The compiler keeps what is before it before, for a handler that interrupts here. */
static inline void fence(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline uint64_t bit(unsigned n)
{
    return UINT64_C(1) << n;
}

/*
 * The whole of PMCR_EL0 but E, P and C: never read-modify-write, for its reset value is UNKNOWN.  Overflow from bit 63
 * wherever there is one; D, X, DP, FZO and FZS are 0.
 */
static inline uint64_t pmu_control(const struct apmu_pmu *pmu)
{
    return (apmu_pmu_has(pmu, APMU_FEAT(PMUv3)) ? APMU_MASK(PMCR_EL0, LC) : 0) |
           (apmu_pmu_long(pmu) ? APMU_MASK(PMCR_EL0, LP) : 0);
}

/* PMUACR_EL1 decides what EL0 may access. */
static inline bool pmu_user_by_counter(const struct apmu_pmu *pmu)
{
    return apmu_pmu_has(pmu, APMU_FEAT(PMUv3p9)) && apmu_pmu_el1(pmu) && pmu->place.view == APMU_VIEW_A64;
}

/* PMECR_EL1 is there and can be accessed. */
static inline bool pmu_has_pmecr(const struct apmu_pmu *pmu)
{
    return (pmu->features & (APMU_FEAT(EBEP) | APMU_FEAT(PMUv3_SS))) != 0 && apmu_pmu_el1(pmu) &&
           pmu->place.view == APMU_VIEW_A64;
}

/* A counter has PMEVTYPER<n>_EL0 or a filter register, which PMUv1's cycle counter lacks. */
static inline bool pmu_has_type(const struct apmu_pmu *pmu, unsigned counter)
{
    return counter != APMU_CYCLE || pmu->version > PERFMON_V1;
}

/* The registers of a counter; of the banks, copy_of() is the number. */
static inline enum apmu_reg counter_register(unsigned counter)
{
    return counter == APMU_CYCLE ? APMU_REG_PMCCNTR_EL0
           : counter == APMU_INSTR ? APMU_REG_PMICNTR_EL0 : APMU_REG_PMEVCNTR_EL0;
}

static inline enum apmu_reg type_register(unsigned counter)
{
    return counter == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0
           : counter == APMU_INSTR ? APMU_REG_PMICFILTR_EL0 : APMU_REG_PMEVTYPER_EL0;
}

static inline unsigned copy_of(unsigned counter)
{
    return counter < APMU_EVENT_COUNTERS ? counter : 0;
}

/* The counter whose overflow is the slot's. */
static inline unsigned top_counter(const struct apmu_slot *slot)
{
    return slot->counter + (slot->pair ? 1u : 0u);
}

static inline struct apmu_slot *slots_of(struct apmu_session *s)
{
    return s->sharing.slots != NULL ? s->sharing.slots : s->slots;
}

static inline uint64_t slot_count(const struct apmu_slot *slot, uint64_t raw, uint64_t wraps)
{
    return slot->base + raw - slot->initial + (slot->bits == 32 ? wraps << 32 : 0);
}

/* The value from which a counter of @bits overflows after @period events, of which @late have occurred. */
static inline uint64_t value_before(unsigned bits, uint64_t period, uint64_t late)
{
    const uint64_t value = (late < period ? late : 0) - period;

    return bits == 32 ? value & UINT32_MAX : value;
}

/* registers.c */
uint64_t apmu_slot_read(struct io *io, const struct apmu_slot *slot, bool counting);
void apmu_slot_write(struct io *io, const struct apmu_slot *slot, uint64_t value);
/* Programs the slots of the turn s->round, which are not counting.  Sets s->own and s->interrupts. */
void apmu_session_program(struct apmu_session *s, struct io *io);
/* The counters of the turn are enabled and begin to count; the PMU is enabled; all stand still. */
void apmu_session_go(struct apmu_session *s, struct io *io);
void apmu_session_enable(struct apmu_session *s, struct io *io);
void apmu_session_halt(struct apmu_session *s, struct io *io);
/* The time of the present turn is added up. */
void apmu_session_end_turn(struct apmu_session *s);

/* overflow.c */
enum apmu_error apmu_registers_interrupt(struct apmu_session *s, uint64_t pc, size_t *handled);
enum apmu_error apmu_registers_rotate(struct apmu_session *s, uint64_t pc);

/* read.c */
enum apmu_error apmu_registers_read(struct apmu_session *s, struct apmu_reading *out);
enum apmu_error apmu_registers_snapshot(struct apmu_session *s, struct apmu_reading *out);
/* By the session's clock, 0 without one. */
uint64_t apmu_session_now(const struct apmu_session *s);

#endif
