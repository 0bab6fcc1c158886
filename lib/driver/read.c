/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the counters of a session over the register seam.  Readings are right whatever interrupts them.
 *
 * A reading is computed from the counter, its overflow flag, and what the slot remembers (base, initial, wraps).
 * Two kinds of calls change these.
 *   - apmu_session_interrupt() and apmu_session_snapshot() may interrupt a reading.  They change s->sequence, so that
 *     the reading begins again.  (apmu_session_rotate() does nothing while a reading is under way.)
 *   - A reading takes the overflow flags of wishes without interrupt into account and clears them.  Where readings
 *     interrupt readings, only the outermost does so.  The inner ones see in s->claims which flags it is about to
 *     clear, and count these as taken, whether the flag is still set or not.
 */
#include "internal.h"

uint64_t apmu_session_now(const struct apmu_session *s)
{
    return s->sharing.slots != NULL ? s->sharing.clock(s->sharing.clock_ctx) : 0;
}

/*
 * Returns @count * @enabled / @running, rounded to the nearest, or UINT64_MAX and sets *@saturated if that is beyond 64
 * bits.  Divides bit by bit, because small cores lack a 64-bit division.
 */
static uint64_t estimate(uint64_t count, uint64_t enabled, uint64_t running, bool *saturated)
{
    const uint64_t a = count >> 32, b = count & UINT32_MAX, c = enabled >> 32, d = enabled & UINT32_MAX;
    const uint64_t middle = a * d + (b * d >> 32), carry = (middle & UINT32_MAX) + b * c;
    const uint64_t low = carry << 32 | (b * d & UINT32_MAX);
    uint64_t rest = a * c + (middle >> 32) + (carry >> 32), quotient = 0;

    *saturated = rest >= running;
    if (*saturated) {
        return UINT64_MAX;
    }
    for (unsigned i = 64; i-- > 0;) {
        const bool over = rest >> 63 != 0;

        rest = rest << 1 | (low >> i & 1);
        if (over || rest >= running) {
            rest -= running;
            quotient |= bit(i);
        }
    }
    return quotient + (rest >= running - rest && quotient != UINT64_MAX);
}

/* Sets the times of a wish, and the estimate if it shares a counter.  The present turn has lasted @passed ns. */
static void share(const struct apmu_session *s, const struct apmu_slot *slot, uint64_t passed,
                  struct apmu_reading *out)
{
    bool saturated = false;

    out->enabled = s->enabled + passed;
    out->running = slot->running + (slot->round == s->round ? passed : 0);
    if (s->rounds < 2 || out->running == out->enabled) {
        return;
    }
    out->scaled = true;
    if (out->running == 0) {
        out->doubts |= APMU_DOUBT_NO_TURN;
        return;
    }
    out->count = estimate(out->count, out->enabled, out->running, &saturated);
    out->doubts |= saturated ? APMU_DOUBT_SATURATED : 0;
}

/*
 * Reads the raw values into @out and returns the overflow flags of the session.  If a flag was set before its counter
 * was read, the value includes the overflow.  If the flag rose since then, the value may lack the overflow, so the
 * counter is read again.  While counters count, the reads of flags and counters are synchronized, because reads of
 * different registers may be made in any order.
 */
static uint64_t read_values(struct apmu_session *s, struct io *io, struct apmu_reading *out)
{
    const struct apmu_slot *slots = slots_of(s);
    const bool counting = s->state == APMU_SESSION_RUNNING;
    uint64_t flags = io_read(io, APMU_REG_PMOVSCLR_EL0, 0) & s->own, late;

    if (counting) {
        io_sync(io);
    }
    for (size_t i = 0; i < s->count; i++) {
        out[i].raw = slots[i].round == s->round ? apmu_slot_read(io, &slots[i], counting) : slots[i].held;
    }
    if (!counting) {
        return flags;
    }
    io_sync(io);
    late = io_read(io, APMU_REG_PMOVSCLR_EL0, 0) & s->own & ~flags;
    if (late != 0) {
        io_sync(io);
    }
    for (size_t i = 0; i < s->count && late != 0; i++) {
        if (slots[i].round == s->round && (late & bit(top_counter(&slots[i]))) != 0) {
            out[i].raw = apmu_slot_read(io, &slots[i], counting);
        }
    }
    return flags | late;
}

/* Computes the readings from the raw values in @out and from @flags, which are not yet taken into account. */
static void compute(struct apmu_session *s, uint64_t flags, struct apmu_reading *out)
{
    struct apmu_slot *slots = slots_of(s);
    const uint64_t passed = s->state == APMU_SESSION_RUNNING ? apmu_session_now(s) - s->since : 0;
    const uint64_t claims = s->claims;

    for (size_t i = 0; i < s->count; i++) {
        struct apmu_slot *slot = &slots[i];
        const uint64_t top = slot->round == s->round ? bit(top_counter(slot)) : 0;
        const bool flag = ((flags | claims) & top) != 0;

        out[i].count = slot_count(slot, out[i].raw, (claims & top) != 0 ? slot->claimed : slot->wraps + flag);
        out[i].valid = true;
        out[i].overflowed = flag || slot->overflows != slot->reported;
        out[i].scaled = false;
        out[i].doubts = slot->doubts;
        if (out[i].overflowed && slot->bits == 32 && !slot->interrupt) {
            out[i].doubts |= APMU_DOUBT_WRAPPED;
        }
        share(s, slot, passed, &out[i]);
        if (s->readers == 1) {
            slot->seen = slot->overflows;
        }
    }
}

/* Takes @flags, which are those of wishes without interrupt, into account.  Only the outermost reading does this. */
static void take_flags(struct apmu_session *s, struct io *io, uint64_t flags)
{
    struct apmu_slot *slots = slots_of(s);

    for (size_t i = 0; i < s->count; i++) {
        slots[i].claimed = slots[i].wraps + 1;
    }
    fence();
    s->claims = flags;
    fence();
    io_write(io, APMU_REG_PMOVSCLR_EL0, 0, flags);
    fence();
    for (size_t i = 0; i < s->count && io->error == APMU_OK; i++) {
        if (slots[i].round == s->round && (flags & bit(top_counter(&slots[i]))) != 0) {
            slots[i].wraps = slots[i].claimed;
            slots[i].overflows++;
            slots[i].seen++;
        }
    }
    fence();
    s->claims = 0;
}

enum apmu_error apmu_registers_read(struct apmu_session *s, struct apmu_reading *out)
{
    const bool outermost = s->readers == 0;
    struct apmu_slot *slots = slots_of(s);
    struct io io = {.dev = &s->dev};
    uint32_t sequence;
    uint64_t flags;

    s->readers++; /* not atomic: a reading that interrupts here restores it before it returns */
    fence();
    do {
        sequence = s->sequence;
        fence();
        io_sync(&io);
        flags = read_values(s, &io, out);
        compute(s, flags, out);
        fence();
    } while (sequence != s->sequence && io.error == APMU_OK);
    if (outermost && io.error == APMU_OK) {
        const uint64_t mine = flags & ~s->interrupts;

        if (mine != 0) {
            take_flags(s, &io, mine);
        }
        for (size_t i = 0; i < s->count && io.error == APMU_OK; i++) {
            slots[i].reported = slots[i].seen; /* not overflows: an interrupt may have added to them since */
        }
    }
    fence();
    s->readers--;
    return io.error;
}

/* Returns the register in which a snapshot saves the counter. */
static enum apmu_reg saved_register(unsigned counter)
{
    return counter == APMU_CYCLE ? APMU_REG_PMCCNTSVR_EL1
           : counter == APMU_INSTR ? APMU_REG_PMICNTSVR_EL1 : APMU_REG_PMEVCNTSVR_EL1;
}

/* The longest wait for a snapshot, in reads of PMSSCR_EL1. */
#define SNAPSHOT_READS 1000000ul

/* Takes a snapshot.  APMU_E_SNAPSHOT: the PMU took none. */
static void capture(struct io *io)
{
    uint64_t state = APMU_MASK(PMSSCR_EL1, SS);

    /* NC stays 1 if snapshots are disabled, because then the write of SS does nothing. */
    io_write(io, APMU_REG_PMSSCR_EL1, 0, APMU_MASK(PMSSCR_EL1, SS) | APMU_MASK(PMSSCR_EL1, NC));
    io_sync(io);
    for (unsigned long i = 0; APMU_GET(PMSSCR_EL1, SS, state) != 0 && i < SNAPSHOT_READS; i++) {
        state = io_read(io, APMU_REG_PMSSCR_EL1, 0);
    }
    if (io->error == APMU_OK && (APMU_GET(PMSSCR_EL1, SS, state) != 0 || APMU_GET(PMSSCR_EL1, NC, state) != 0)) {
        io->error = APMU_E_SNAPSHOT;
    }
    io_sync(io); /* the counters are captured before they are read */
}

/* Leaves the flags set: a PMU with snapshots has counters of 64 bits, so the counts do not need them. */
enum apmu_error apmu_registers_snapshot(struct apmu_session *s, struct apmu_reading *out)
{
    const struct apmu_slot *slots = slots_of(s);
    struct io io = {.dev = &s->dev};
    uint32_t sequence;

    if (!apmu_pmu_has(&s->pmu, APMU_FEAT(PMUv3_SS)) || s->pmu.place.view == APMU_VIEW_A32) {
        return APMU_E_UNSUPPORTED;
    }
    if (!apmu_pmu_interrupts(&s->pmu)) {
        return APMU_E_LEVEL;
    }
    s->readers++;
    do {
        uint64_t flags;

        sequence = ++s->sequence; /* a snapshot that this one interrupts must not take these values for its own */
        fence();
        io_sync(&io); /* the code before is counted */
        flags = io_read(&io, APMU_REG_PMOVSCLR_EL0, 0) & s->own;
        capture(&io);
        for (size_t i = 0; i < s->count; i++) {
            out[i].raw = slots[i].round == s->round
                             ? io_read(&io, saved_register(slots[i].counter), copy_of(slots[i].counter))
                             : slots[i].held;
        }
        compute(s, flags, out);
        fence();
    } while (sequence != s->sequence && io.error == APMU_OK);
    s->readers--;
    return io.error;
}
