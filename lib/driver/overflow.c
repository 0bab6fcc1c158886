/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles overflow interrupts and their periods, and changes the turns of wishes that share counters. */
#include "internal.h"

/* Returns whether the slot counts in the present turn and has its overflow flag in @flags. */
static bool is_in(const struct apmu_session *s, const struct apmu_slot *slot, uint64_t flags)
{
    return slot->round == s->round && (flags & bit(top_counter(slot))) != 0;
}

/* Counts the overflows of @flags in their slots. */
static void account(struct apmu_session *s, uint64_t flags)
{
    struct apmu_slot *slots = slots_of(s);

    s->sequence++;
    for (size_t i = 0; i < s->count; i++) {
        if (is_in(s, &slots[i], flags)) {
            slots[i].wraps++;
            slots[i].overflows++;
        }
    }
}

/* Calls the handler for an overflow of @wish, and takes the next period from it. */
static void call_handler(struct apmu_session *s, size_t wish, uint64_t pc)
{
    struct apmu_slot *slot = &slots_of(s)[wish];
    struct apmu_overflow overflow = {
        .wish = wish, .pc = pc, .count = slot_count(slot, slot->held, slot->wraps), .late = slot->held,
        .period = slot->period,
    };

    if (s->handler != NULL) {
        s->handler(s->handler_ctx, &overflow);
        slot->period = slot->bits == 32 && overflow.period > bit(32) ? 0 : overflow.period;
    }
}

/* Returns the value with which the counter begins the next period where the last one ended. */
static uint64_t next_value(const struct apmu_slot *slot)
{
    return value_before(slot->bits, slot->period, slot->held);
}

/* Begins a period with @value in the counter, which held slot->held. */
static void begin_period(struct apmu_slot *slot, uint64_t value)
{
    slot->base = slot_count(slot, slot->held, slot->wraps);
    slot->wraps = 0;
    slot->initial = slot->held = value;
}

/* Reads the counters of the slots of @flags, which stand still, into slot->held. */
static void hold(struct apmu_session *s, struct io *io, uint64_t flags)
{
    struct apmu_slot *slots = slots_of(s);

    for (size_t i = 0; i < s->count; i++) {
        if (is_in(s, &slots[i], flags)) {
            slots[i].held = apmu_slot_read(io, &slots[i], false);
        }
    }
}

enum apmu_error apmu_registers_interrupt(struct apmu_session *s, uint64_t pc, size_t *handled)
{
    struct apmu_slot *slots = slots_of(s);
    struct io io = {.dev = &s->dev};
    bool halt = s->handler != NULL;
    uint64_t flags;

    io_sync(&io);
    flags = io_read(&io, APMU_REG_PMOVSCLR_EL0, 0) & s->interrupts;
    if (flags == 0) {
        return io.error;
    }
    for (size_t i = 0; i < s->count; i++) {
        halt |= is_in(s, &slots[i], flags) && slots[i].period != 0;
    }
    if (halt) { /* otherwise only the overflows matter, and the next reading finds the values */
        apmu_session_halt(s, &io);
        hold(s, &io, flags);
    }
    /* after the values: if one cannot be read, PMUIRQ is raised again */
    io_write(&io, APMU_REG_PMOVSCLR_EL0, 0, flags);
    io_sync(&io);
    if (io.error == APMU_OK) {
        account(s, flags);
    }
    for (size_t i = 0; i < s->count && io.error == APMU_OK; i++) {
        if (is_in(s, &slots[i], flags)) {
            call_handler(s, i, pc);
            ++*handled;
        }
    }
    for (size_t i = 0; i < s->count && io.error == APMU_OK; i++) {
        if (is_in(s, &slots[i], flags) && slots[i].period != 0) {
            const uint64_t value = next_value(&slots[i]);

            apmu_slot_write(&io, &slots[i], value);
            if (io.error == APMU_OK) {
                begin_period(&slots[i], value);
            }
        }
    }
    s->sequence++;
    if (halt && s->on) {
        io_sync(&io); /* the values with which the periods begin are written */
        apmu_session_enable(s, &io);
    }
    return io.error;
}

/* Ends the turn: reads the counters and overflows of its slots into memory.  After an error the turn has not ended. */
static void end_of_turn(struct apmu_session *s, struct io *io, uint64_t pc)
{
    struct apmu_slot *slots = slots_of(s);
    const uint64_t flags = io_read(io, APMU_REG_PMOVSCLR_EL0, 0) & s->own;

    hold(s, io, s->own);
    if (flags != 0) {
        io_write(io, APMU_REG_PMOVSCLR_EL0, 0, flags);
    }
    if (io->error != APMU_OK) {
        return;
    }
    account(s, flags);
    for (size_t i = 0; i < s->count; i++) {
        if (slots[i].interrupt && is_in(s, &slots[i], flags)) {
            call_handler(s, i, pc);
            if (slots[i].period != 0) {
                begin_period(&slots[i], next_value(&slots[i]));
            }
        }
    }
}

enum apmu_error apmu_registers_rotate(struct apmu_session *s, uint64_t pc)
{
    struct io io = {.dev = &s->dev};

    if (s->rounds < 2 || s->readers != 0 || !s->on) {
        return APMU_OK;
    }
    s->on = false;
    apmu_session_halt(s, &io);
    end_of_turn(s, &io, pc);
    apmu_session_end_turn(s);
    if (io.error != APMU_OK) {
        apmu_session_enable(s, &io); /* after the error this disables the PMU */
    } else {
        io_write(&io, APMU_REG_PMCNTENCLR_EL0, 0, s->own);
        if (s->interrupts != 0) {
            io_write(&io, APMU_REG_PMINTENCLR_EL1, 0, s->interrupts);
        }
        s->sequence++;
        s->round = s->round + 1 < s->rounds ? s->round + 1 : 0;
        apmu_session_program(s, &io);
        if (s->user == APMU_USER_READ && pmu_user_by_counter(&s->pmu)) {
            io_write(&io, APMU_REG_PMUACR_EL1, 0, s->own);
        }
        apmu_session_go(s, &io);
        if (io.error != APMU_OK) { /* everything is in memory, and the next start begins with the first turn */
            s->round = s->rounds;
            s->own = s->interrupts = 0;
        }
    }
    /* The time between two turns is enabled time of the session, and running time of no wish. */
    const uint64_t now = apmu_session_now(s);

    s->enabled += now - s->since;
    s->since = now;
    return io.error;
}
