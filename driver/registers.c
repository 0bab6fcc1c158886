/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The session seam over the register seam.  The order of accesses is the substance of this file: disable before configure,
 * synchronize between configure and enable and between disable and read, overflow flags before counts, the direct
 * forms of the banked registers, and of the flags those of the session's counters only.
 */
#include <armpmu/events.h>

#include "internal.h"

static uint64_t slot_mask(const struct apmu_slot *slot)
{
    return (slot->pair ? UINT64_C(3) : UINT64_C(1)) << slot->counter;
}

/* The counter whose overflow is the slot's. */
static unsigned top_counter(const struct apmu_slot *slot)
{
    return slot->counter + (slot->pair ? 1u : 0u);
}

static enum apmu_reg counter_register(unsigned counter)
{
    return counter == APMU_CYCLE ? APMU_REG_PMCCNTR_EL0
           : counter == APMU_INSTR ? APMU_REG_PMICNTR_EL0 : APMU_REG_PMEVCNTR_EL0;
}

static unsigned copy_of(unsigned counter)
{
    return counter < APMU_EVENT_COUNTERS ? counter : 0;
}

static void write_value(struct io *io, const struct apmu_slot *slot, uint64_t value)
{
    const enum apmu_reg reg = counter_register(slot->counter);

    if (slot->pair) {
        io_write(io, reg, slot->counter + 1u, value >> 32);
        value &= UINT32_MAX;
    }
    io_write(io, reg, copy_of(slot->counter), value);
}

/* A pair is read high, low, high, until no carry came between. */
static uint64_t read_value(struct io *io, const struct apmu_slot *slot)
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
        low = io_read(io, reg, slot->counter);
        high = io_read(io, reg, slot->counter + 1u);
    } while (high != before && io->error == APMU_OK);
    return (high & UINT32_MAX) << 32 | (low & UINT32_MAX);
}

static void write_type(struct io *io, const struct apmu_slot *slot, const struct apmu_wish *wish)
{
    if (slot->counter == APMU_CYCLE) {
        io_write(io, APMU_REG_PMCCFILTR_EL0, 0, wish->filter);
        return;
    }
    if (slot->counter == APMU_INSTR) {
        io_write(io, APMU_REG_PMICFILTR_EL0, 0, wish->filter);
        return;
    }
    io_write(io, APMU_REG_PMEVTYPER_EL0, slot->counter, wish->filter | APMU_PUT(PMEVTYPER_EL0, evtCount, wish->event));
    if (slot->pair) { /* at every Exception level: the carry is the low counter's, which has filtered already */
        io_write(io, APMU_REG_PMEVTYPER_EL0, slot->counter + 1u,
                 APMU_FILTER(NSH) | APMU_PUT(PMEVTYPER_EL0, evtCount, APMU_EV_CHAIN));
    }
}

/* Back to nothing, as far as it goes. */
static enum apmu_error registers_close(struct apmu_session *s)
{
    struct io io = {.dev = &s->dev, .try_all = true};

    io_write(&io, APMU_REG_PMCR_EL0, 0, unit_control(&s->unit));
    io_write(&io, APMU_REG_PMCNTENCLR_EL0, 0, s->own);
    io_write(&io, APMU_REG_PMINTENCLR_EL1, 0, s->own);
    io_write(&io, APMU_REG_PMUSERENR_EL0, 0, 0);
    io_sync(&io);
    io_write(&io, APMU_REG_PMOVSCLR_EL0, 0, s->own);
    io_sync(&io);
    return io.error;
}

static enum apmu_error registers_start(struct apmu_session *s)
{
    struct io io = {.dev = &s->dev};

    io_sync(&io); /* what was configured */
    io_write(&io, APMU_REG_PMCNTENSET_EL0, 0, s->own);
    io_write(&io, APMU_REG_PMCR_EL0, 0, unit_control(&s->unit) | APMU_MASK(PMCR_EL0, E));
    io_sync(&io); /* counting begins before what follows */
    if (io.error != APMU_OK) {
        (void)io.dev->ops->write(io.dev->ctx, APMU_REG_PMCR_EL0, 0, unit_control(&s->unit));
    }
    return io.error;
}

static enum apmu_error registers_stop(struct apmu_session *s)
{
    struct io io = {.dev = &s->dev};

    io_sync(&io); /* what was to be counted */
    io_write(&io, APMU_REG_PMCR_EL0, 0, unit_control(&s->unit));
    io_sync(&io); /* counting has ended before the counters are read */
    return io.error;
}

static enum apmu_error registers_read(struct apmu_session *s, struct apmu_reading *out)
{
    struct io io = {.dev = &s->dev};
    uint64_t flags, late = 0;

    io_sync(&io);
    /* A flag seen before its counter is read belongs to the value.  One that rises meanwhile may or may not. */
    flags = io_read(&io, APMU_REG_PMOVSCLR_EL0, 0) & s->own;
    for (size_t i = 0; i < s->count; i++) {
        out[i].raw = read_value(&io, &s->slots[i]);
    }
    if (s->state == APMU_SESSION_RUNNING) {
        late = io_read(&io, APMU_REG_PMOVSCLR_EL0, 0) & s->own & ~flags;
    }
    for (size_t i = 0; i < s->count; i++) {
        if ((late & UINT64_C(1) << top_counter(&s->slots[i])) != 0) {
            out[i].raw = read_value(&io, &s->slots[i]);
        }
    }
    flags |= late;
    if (flags != 0) {
        io_write(&io, APMU_REG_PMOVSCLR_EL0, 0, flags);
    }
    for (size_t i = 0; i < s->count && io.error == APMU_OK; i++) {
        struct apmu_slot *slot = &s->slots[i];

        out[i].valid = true;
        out[i].overflowed = (flags & UINT64_C(1) << top_counter(slot)) != 0;
        slot->wraps += out[i].overflowed;
        out[i].count = out[i].raw - slot->initial + (slot->bits == 32 ? slot->wraps << 32 : 0);
    }
    return io.error;
}

static enum apmu_error registers_reset(struct apmu_session *s)
{
    struct io io = {.dev = &s->dev};

    for (size_t i = 0; i < s->count; i++) {
        write_value(&io, &s->slots[i], s->slots[i].initial);
    }
    io_write(&io, APMU_REG_PMOVSCLR_EL0, 0, s->own);
    for (size_t i = 0; i < s->count && io.error == APMU_OK; i++) {
        s->slots[i].wraps = 0;
    }
    return io.error;
}

static enum apmu_error registers_user(struct apmu_session *s, enum apmu_user user)
{
    const bool by_counter = unit_has(&s->unit, APMU_PMUVER_PMUV3P9);
    struct io io = {.dev = &s->dev};
    uint64_t enable = 0;

    if (user == APMU_USER_READ) {
        enable = APMU_MASK(PMUSERENR_EL0, ER) | APMU_MASK(PMUSERENR_EL0, CR);
        if (by_counter) {
            enable |= APMU_MASK(PMUSERENR_EL0, UEN) | (s->unit.instr ? APMU_MASK(PMUSERENR_EL0, IR) : 0);
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
    return io.error;
}

static const struct apmu_session_ops registers_session_ops = {
    .size = sizeof(struct apmu_session_ops), .start = registers_start, .stop = registers_stop, .read = registers_read,
    .reset = registers_reset, .user = registers_user, .close = registers_close,
};

enum apmu_error apmu_session_open(struct apmu_session *s, const struct apmu_dev *dev, const struct apmu_unit *unit,
                                  const struct apmu_wish *wishes, size_t count, size_t *refused)
{
    struct io io = {.dev = dev};
    uint64_t interrupts = 0;

    *s = (struct apmu_session){.dev = *dev, .unit = *unit, .count = count,
                               .ops = &registers_session_ops, .state = APMU_SESSION_CLOSED};
    if (refused != NULL) {
        *refused = count;
    }
    io.error = apmu_plan(unit, wishes, count, s->slots, refused);
    if (io.error != APMU_OK) {
        return io.error;
    }
    io.error = apmu_reset(dev, unit);
    for (size_t i = 0; i < count; i++) {
        const struct apmu_slot *slot = &s->slots[i];

        s->own |= slot_mask(slot);
        interrupts |= wishes[i].interrupt ? UINT64_C(1) << top_counter(slot) : 0;
        write_type(&io, slot, &wishes[i]);
        write_value(&io, slot, slot->initial);
    }
    if (interrupts != 0) {
        io_write(&io, APMU_REG_PMINTENSET_EL1, 0, interrupts);
    }
    if (io.error != APMU_OK) {
        (void)registers_close(s); /* the first error is the one to report */
    } else {
        s->state = APMU_SESSION_STOPPED;
    }
    return io.error;
}
