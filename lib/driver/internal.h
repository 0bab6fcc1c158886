/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that the files of lib/driver/ share: a sequence of register accesses, the facts about a PMU that decide
 * which registers are accessed, and functions on the slots of a session.  Not for users.
 */
#ifndef ARMPMU_DRIVER_INTERNAL_H
#define ARMPMU_DRIVER_INTERNAL_H

#include <armpmu/driver.h>

/* Values of ID_DFR0.PerfMon, and so of apmu_pmu.version. */
enum perfmon { PERFMON_V1 = 1, PERFMON_V2 = 2, PERFMON_V3 = 3, PERFMON_V3P1 = 4, PERFMON_V3P4 = 5 };

/*
 * A sequence of accesses to the registers of one device.  It keeps the first error.  After an error nothing more is
 * accessed, unless .try_all is set.
 */
struct io {
    const struct apmu_dev *dev;
    enum apmu_error error;
    bool try_all;
};

/* Returns whether the back end's table of functions is one that this driver can call. */
static inline bool ops_fit(const struct apmu_dev *dev)
{
    return apmu_sized_check(dev->ops, sizeof *dev->ops, sizeof *dev->ops) == APMU_SIZED_OK;
}

/* Keeps @error, if it is one and the first, and reports the access that the back end refused. */
static inline void io_refused(struct io *io, enum apmu_error error, enum apmu_reg reg, unsigned n, bool write)
{
    if (error != APMU_OK && io->error == APMU_OK) {
        io->error = error;
        if (io->dev->refused != NULL) {
            *io->dev->refused = (struct apmu_refused_access){
                .error = error, .reg = reg, .n = (uint8_t)n, .write = write,
            };
        }
    }
}

static inline void io_write(struct io *io, enum apmu_reg reg, unsigned n, uint64_t value)
{
    if (io->error == APMU_OK || io->try_all) {
        io_refused(io, io->dev->ops->write(io->dev->ctx, reg, n, value), reg, n, true);
    }
}

/* Reads copy @n of @reg.  Returns 0 after an error. */
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

/* Writes a register after an error.  The error stays the one to report. */
static inline void io_rescue(const struct io *io, enum apmu_reg reg, uint64_t value)
{
    (void)io->dev->ops->write(io->dev->ctx, reg, 0, value);
    io->dev->ops->sync(io->dev->ctx);
}

/* Keeps the compiler from moving accesses to memory across this point, where a handler may interrupt. */
static inline void fence(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline uint64_t bit(unsigned n)
{
    return UINT64_C(1) << n;
}

/*
 * Returns the value of PMCR_EL0 without E, P and C.  PMCR_EL0 is always written as a whole, because its reset value is
 * UNKNOWN.  Counters overflow from bit 63 if they have one; D, X, DP, FZO and FZS are 0.
 */
static inline uint64_t pmu_control(const struct apmu_pmu *pmu)
{
    return (apmu_pmu_has(pmu, APMU_FEAT(PMUv3)) ? APMU_MASK(PMCR_EL0, LC) : 0) |
           (apmu_pmu_long(pmu) ? APMU_MASK(PMCR_EL0, LP) : 0);
}

/* Returns whether PMUACR_EL1 decides which counters EL0 may access, and can be written from here. */
static inline bool pmu_user_by_counter(const struct apmu_pmu *pmu)
{
    return apmu_pmu_has(pmu, APMU_FEAT(PMUv3p9)) && apmu_pmu_el1(pmu) && pmu->place.view == APMU_VIEW_A64;
}

/* Returns whether PMECR_EL1 exists and can be accessed from here. */
static inline bool pmu_has_pmecr(const struct apmu_pmu *pmu)
{
    return (pmu->features & (APMU_FEAT(EBEP) | APMU_FEAT(PMUv3_SS))) != 0 && apmu_pmu_el1(pmu) &&
           pmu->place.view == APMU_VIEW_A64;
}

/* Returns whether PMIAR_EL1 exists and can be accessed from here. */
static inline bool pmu_has_pmiar(const struct apmu_pmu *pmu)
{
    return apmu_pmu_has(pmu, APMU_FEAT(SEBEP)) && apmu_pmu_el1(pmu) && pmu->place.view == APMU_VIEW_A64;
}

/* Returns whether the counter has PMEVTYPER<n>_EL0 or a filter register.  The cycle counter of PMUv1 has none. */
static inline bool pmu_has_type(const struct apmu_pmu *pmu, unsigned counter)
{
    return counter != APMU_CYCLE || pmu->version > PERFMON_V1;
}

/* Return the value and type registers of a counter.  copy_of() is its copy number in a bank. */
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

/* Returns the counter whose overflow flag is that of the slot. */
static inline unsigned top_counter(const struct apmu_slot *slot)
{
    return slot->counter + (slot->pair ? 1u : 0u);
}

static inline struct apmu_slot *slots_of(struct apmu_session *s)
{
    return s->sharing.slots != NULL ? s->sharing.slots : s->slots;
}

/* Returns the events of a slot whose counter, or pair, holds @raw after @wraps overflows. */
static inline uint64_t slot_count(const struct apmu_slot *slot, uint64_t raw, uint64_t wraps)
{
    return slot->base + raw - slot->initial + (slot->bits == 32 ? wraps << 32 : 0);
}

/* Returns the value from which a counter of @bits overflows after @period events, of which @late have occurred. */
static inline uint64_t value_before(unsigned bits, uint64_t period, uint64_t late)
{
    const uint64_t value = (late < period ? late : 0) - period;

    return bits == 32 ? value & UINT32_MAX : value;
}

/*
 * registers.c: read and write the counter, or the pair, of a slot.  @counting: it may count meanwhile, so a pair is
 * read until no carry came between the reads.
 */
uint64_t apmu_slot_read(struct io *io, const struct apmu_slot *slot, bool counting);
void apmu_slot_write(struct io *io, const struct apmu_slot *slot, uint64_t value);

/* registers.c: programs the slots of the turn s->round, which do not count.  Sets s->own and s->interrupts. */
void apmu_session_program(struct apmu_session *s, struct io *io);

/* registers.c: enables the counters of the turn, and the PMU. */
void apmu_session_go(struct apmu_session *s, struct io *io);

/* registers.c: enables the PMU.  After an error the session is stopped, and the PMU disabled as far as possible. */
void apmu_session_enable(struct apmu_session *s, struct io *io);

/* registers.c: disables the PMU, so that all counters stand still. */
void apmu_session_halt(struct apmu_session *s, struct io *io);

/* registers.c: adds the ns since s->since to the times of the session and of the slots of the turn. */
void apmu_session_end_turn(struct apmu_session *s);

/* overflow.c: the functions of the session seam. */
enum apmu_error apmu_registers_interrupt(struct apmu_session *s, uint64_t pc, size_t *handled);
enum apmu_error apmu_registers_rotate(struct apmu_session *s, uint64_t pc);

/* read.c: the functions of the session seam. */
enum apmu_error apmu_registers_read(struct apmu_session *s, struct apmu_reading *out);
enum apmu_error apmu_registers_snapshot(struct apmu_session *s, struct apmu_reading *out);

/* read.c: returns the time by the session's clock in ns, or 0 without a clock. */
uint64_t apmu_session_now(const struct apmu_session *s);

#endif
