/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The session seam over the register seam.  This file, read.c and overflow.c keep the order of accesses that the
 * architecture requires:
 *   - disable before configure;
 *   - synchronize between configure and enable, and between disable and read;
 *   - read overflow flags before counts;
 *   - use the direct forms of the banked registers;
 *   - clear only the overflow flags of the session's counters.
 */
#include <armpmu/events.h>

#include "internal.h"

/* Returns the set of the slot's counters: one, or two of a pair. */
static uint64_t slot_mask(const struct apmu_slot *slot)
{
    return (slot->pair ? UINT64_C(3) : UINT64_C(1)) << slot->counter;
}

void apmu_slot_write(struct io *io, const struct apmu_slot *slot, uint64_t value)
{
    const enum apmu_reg reg = counter_register(slot->counter);

    if (slot->pair) {
        io_write(io, reg, slot->counter + 1u, value >> 32);
        value &= UINT32_MAX;
    }
    io_write(io, reg, copy_of(slot->counter), value);
}

/*
 * Reads a pair that counts as high, low, high, until no carry came between the reads.  The reads are synchronized,
 * because reads of different registers may be made in any order.
 */
uint64_t apmu_slot_read(struct io *io, const struct apmu_slot *slot, bool counting)
{
    const enum apmu_reg reg = counter_register(slot->counter);
    uint64_t high, low, before;

    if (!slot->pair) {
        const uint64_t value = io_read(io, reg, copy_of(slot->counter));

        return slot->bits == 32 ? value & UINT32_MAX : value;
    }
    high = io_read(io, reg, slot->counter + 1u);
    do {
        before = high;
        if (counting) {
            io_sync(io);
        }
        low = io_read(io, reg, slot->counter);
        if (counting) {
            io_sync(io);
            high = io_read(io, reg, slot->counter + 1u);
        }
    } while (high != before && io->error == APMU_OK);
    return (high & UINT32_MAX) << 32 | (low & UINT32_MAX);
}

static void write_type(const struct apmu_session *s, struct io *io, const struct apmu_slot *slot)
{
    if (pmu_has_type(&s->pmu, slot->counter)) {
        io_write(io, type_register(slot->counter), copy_of(slot->counter), slot->type);
    }
    if (slot->pair) { /* at every Exception level, because the lower counter has already filtered the events */
        const uint64_t everywhere = apmu_pmu_has(&s->pmu, APMU_FEAT(PMUv3)) ? APMU_FILTER(NSH) : 0;

        io_write(io, APMU_REG_PMEVTYPER_EL0, slot->counter + 1u,
                 everywhere | APMU_PUT(PMEVTYPER_EL0, evtCount, APMU_EV_CHAIN));
    }
}

void apmu_session_program(struct apmu_session *s, struct io *io)
{
    struct apmu_slot *slots = slots_of(s);

    s->own = 0;
    s->interrupts = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (slots[i].round == s->round) {
            s->own |= slot_mask(&slots[i]);
            s->interrupts |= slots[i].interrupt ? bit(top_counter(&slots[i])) : 0;
            write_type(s, io, &slots[i]);
            apmu_slot_write(io, &slots[i], slots[i].held);
        }
    }
    if (s->interrupts != 0) {
        io_write(io, APMU_REG_PMINTENSET_EL1, 0, s->interrupts);
    }
}

void apmu_session_enable(struct apmu_session *s, struct io *io)
{
    s->on = true; /* set before the write: an interrupt between them leaves the PMU enabled */
    io_write(io, APMU_REG_PMCR_EL0, 0, pmu_control(&s->pmu) | APMU_MASK(PMCR_EL0, E));
    io_sync(io); /* counting begins before the code that follows */
    if (io->error != APMU_OK) {
        s->on = false;
        s->state = APMU_SESSION_STOPPED;
        io_rescue(io, APMU_REG_PMCR_EL0, pmu_control(&s->pmu));
    }
}

void apmu_session_go(struct apmu_session *s, struct io *io)
{
    io_sync(io); /* the configuration is complete */
    io_write(io, APMU_REG_PMCNTENSET_EL0, 0, s->own);
    apmu_session_enable(s, io);
}

void apmu_session_halt(struct apmu_session *s, struct io *io)
{
    io_sync(io); /* the code before is counted */
    io_write(io, APMU_REG_PMCR_EL0, 0, pmu_control(&s->pmu));
    io_sync(io); /* counting ends before the counters are read */
}

/* Disables everything of the session.  Tries all of it, and returns the first error. */
static enum apmu_error registers_close(struct apmu_session *s)
{
    struct io io = {.dev = &s->dev, .try_all = true};

    s->on = false;
    io_write(&io, APMU_REG_PMCR_EL0, 0, pmu_control(&s->pmu));
    io_write(&io, APMU_REG_PMCNTENCLR_EL0, 0, s->own);
    if (apmu_pmu_interrupts(&s->pmu)) {
        io_write(&io, APMU_REG_PMINTENCLR_EL1, 0, s->own);
    }
    if (apmu_pmu_el1(&s->pmu)) {
        io_write(&io, APMU_REG_PMUSERENR_EL0, 0, 0);
    }
    io_sync(&io);
    io_write(&io, APMU_REG_PMOVSCLR_EL0, 0, s->own);
    io_sync(&io);
    return io.error;
}

static enum apmu_error registers_start(struct apmu_session *s)
{
    const uint64_t all = apmu_pmu_session_counters(&s->pmu);
    struct io io = {.dev = &s->dev};

    if (s->round == s->rounds) { /* a rotation failed between two turns: begin with the first */
        io_write(&io, APMU_REG_PMCNTENCLR_EL0, 0, all);
        io_write(&io, APMU_REG_PMOVSCLR_EL0, 0, all);
        s->round = 0;
        apmu_session_program(s, &io);
        if (io.error != APMU_OK) {
            s->round = s->rounds;
        }
    }
    s->since = apmu_session_now(s);
    apmu_session_go(s, &io);
    return io.error;
}

void apmu_session_end_turn(struct apmu_session *s)
{
    struct apmu_slot *slots = slots_of(s);
    const uint64_t now = apmu_session_now(s), passed = now - s->since;

    s->enabled += passed;
    s->since = now;
    for (size_t i = 0; i < s->count; i++) {
        slots[i].running += slots[i].round == s->round ? passed : 0;
    }
}

static enum apmu_error registers_stop(struct apmu_session *s)
{
    struct io io = {.dev = &s->dev};

    s->on = false; /* cleared before the write: an interrupt between them leaves the PMU stopped */
    apmu_session_halt(s, &io);
    if (io.error != APMU_OK) {
        s->on = true;
    } else {
        apmu_session_end_turn(s);
    }
    return io.error;
}

static enum apmu_error registers_reset(struct apmu_session *s)
{
    struct apmu_slot *slots = slots_of(s);
    struct io io = {.dev = &s->dev};

    for (size_t i = 0; i < s->count; i++) {
        if (slots[i].round == s->round) {
            apmu_slot_write(&io, &slots[i], value_before(slots[i].bits, slots[i].wished, 0));
        }
    }
    io_write(&io, APMU_REG_PMOVSCLR_EL0, 0, s->own);
    s->sequence++;
    s->enabled = io.error == APMU_OK ? 0 : s->enabled;
    for (size_t i = 0; i < s->count && io.error == APMU_OK; i++) {
        struct apmu_slot *slot = &slots[i];

        slot->period = slot->wished;
        slot->initial = slot->held = value_before(slot->bits, slot->wished, 0);
        slot->base = slot->wraps = slot->running = 0;
        slot->reported = slot->overflows;
    }
    return io.error;
}

/* Writes PMUACR_EL1, which says which counters EL0 may read, before PMUSERENR_EL0, which allows it to read them. */
static enum apmu_error registers_allow_user(struct apmu_session *s, enum apmu_user_access user)
{
    const bool by_counter = pmu_user_by_counter(&s->pmu);
    struct io io = {.dev = &s->dev};
    uint64_t enable = 0;

    if (s->pmu.place.view == APMU_VIEW_EXTERNAL ||
        (user == APMU_USER_READ && !apmu_pmu_has(&s->pmu, APMU_FEAT(PMUv3)))) {
        return APMU_E_UNSUPPORTED;
    }
    if (!apmu_pmu_el1(&s->pmu)) {
        return APMU_E_LEVEL;
    }
    if (user == APMU_USER_READ) {
        enable = APMU_MASK(PMUSERENR_EL0, ER) | APMU_MASK(PMUSERENR_EL0, CR);
        if (by_counter) {
            enable |= APMU_MASK(PMUSERENR_EL0, UEN) | (s->pmu.instr ? APMU_MASK(PMUSERENR_EL0, IR) : 0);
        }
    } else if (user == APMU_USER_FULL) {
        enable = APMU_MASK(PMUSERENR_EL0, ER) | APMU_MASK(PMUSERENR_EL0, CR) | APMU_MASK(PMUSERENR_EL0, SW) |
                 APMU_MASK(PMUSERENR_EL0, EN);
    }
    if (by_counter) {
        io_write(&io, APMU_REG_PMUACR_EL1, 0, user == APMU_USER_READ ? s->own : 0);
    }
    io_sync(&io);
    io_write(&io, APMU_REG_PMUSERENR_EL0, 0, enable);
    io_sync(&io);
    if (io.error == APMU_OK) {
        s->user = user;
    }
    return io.error;
}

static const struct apmu_session_ops registers_session_ops = {
    .size = sizeof(struct apmu_session_ops), .start = registers_start, .stop = registers_stop,
    .read = apmu_registers_read, .reset = registers_reset, .allow_user = registers_allow_user, .close = registers_close,
    .snapshot = apmu_registers_snapshot, .interrupt = apmu_registers_interrupt, .rotate = apmu_registers_rotate,
};

/* Plans the wishes.  *@refused is the wish concerned, or s->count if none is. */
static enum apmu_error plan(struct apmu_session *s, const struct apmu_wish *wishes, size_t *refused)
{
    size_t at = APMU_COUNTERS;
    enum apmu_error error = APMU_E_NO_COUNTER;

    if (s->sharing.slots != NULL) {
        error = apmu_plan_shared(&s->pmu, wishes, s->count, s->sharing.slots, &s->rounds, &at);
    } else if (s->count <= APMU_COUNTERS) {
        error = apmu_plan(&s->pmu, wishes, s->count, s->slots, &at);
    }
    *refused = error == APMU_OK ? s->count : at;
    return error;
}

enum apmu_error apmu_session_open_shared(struct apmu_session *s, const struct apmu_dev *dev, const struct apmu_pmu *pmu,
                                         const struct apmu_wish *wishes, size_t count,
                                         const struct apmu_sharing *sharing, size_t *refused)
{
    struct io io = {.dev = dev};
    size_t wish;

    *s = (struct apmu_session){.dev = *dev, .pmu = *pmu, .count = count, .rounds = 1,
                               .ops = &registers_session_ops, .state = APMU_SESSION_CLOSED};
    if (sharing != NULL) {
        s->sharing = *sharing;
    }
    wish = count;
    io.error = ops_fit(dev) ? plan(s, wishes, &wish) : APMU_E_SIZE;
    if (refused != NULL) {
        *refused = wish;
    }
    if (io.error != APMU_OK) {
        return io.error;
    }
    io.error = apmu_pmu_reset(dev, pmu);
    apmu_session_program(s, &io);
    if (io.error != APMU_OK) {
        const struct apmu_refused_access first = dev->refused != NULL ? *dev->refused : (struct apmu_refused_access){0};

        (void)registers_close(s);
        if (dev->refused != NULL) {
            *dev->refused = first;
        }
    } else {
        s->state = APMU_SESSION_STOPPED;
    }
    return io.error;
}

enum apmu_error apmu_session_open(struct apmu_session *s, const struct apmu_dev *dev, const struct apmu_pmu *pmu,
                                  const struct apmu_wish *wishes, size_t count, size_t *refused)
{
    return apmu_session_open_shared(s, dev, pmu, wishes, count, NULL, refused);
}
