/* SPDX-License-Identifier: BSD-2-Clause */
/* Time of the witness, operation by operation, and the calls that take some. */
#include "state.h"

/* Returns the slots that have passed. */
uint64_t witness_slots(const struct witness_core *c)
{
    uint64_t slots = c->operations + c->operations * witness_value(c, APMU_CORE_KEY_TIMING_BUSY) / 1024;

    for (unsigned i = 0; i < APMU_CORE_LOSSES; i++) {
        slots += c->lost[i];
    }
    return slots;
}

void witness_lose(struct witness_core *c, enum apmu_core_loss loss, uint64_t slots)
{
    c->lost[loss] += slots;
}

/* Waits until the time @end. */
static void wait_until(struct witness_core *c, uint64_t end, enum apmu_core_loss loss)
{
    const uint64_t now = witness_slots(c);

    if (end > now) {
        witness_lose(c, loss, end - now);
    }
}

/* Removes the accesses that have ended.  The order of the others stays. */
static void drop_ended(const struct witness_core *c, struct waiting *list, unsigned *count)
{
    const uint64_t now = witness_slots(c);
    unsigned kept = 0;

    for (unsigned i = 0; i < *count; i++) {
        if (list[i].end > now) {
            list[kept++] = list[i];
        }
    }
    *count = kept;
}

/* Makes a place in the list: waits for the access that ends first if there are @most. */
static void make_place(struct witness_core *c, struct waiting *list, unsigned *count, unsigned most)
{
    drop_ended(c, list, count);
    if (*count == most) {
        unsigned first = 0;

        for (unsigned i = 1; i < *count; i++) {
            first = list[i].end < list[first].end ? i : first;
        }
        wait_until(c, list[first].end, list[first].loss);
        drop_ended(c, list, count);
    }
}

/* Waits for the loads behind which no more operations can be dispatched. */
static void check_window(struct witness_core *c)
{
    for (unsigned i = 0; i < c->load_count; i++) {
        if (c->loading[i].limit <= c->operations) {
            wait_until(c, c->loading[i].end, c->loading[i].loss);
        }
    }
    drop_ended(c, c->loading, &c->load_count);
}

void witness_instructions(struct witness *w, unsigned n, uint64_t count)
{
    struct witness_core *c = &w->core[n];

    check_window(c);
    for (uint64_t i = 0; i < count; i++) {
        c->operations++;
        check_window(c);
    }
}

/* Returns what a stall for an access of data is blamed on. */
static enum apmu_core_loss blame_data(const struct delay *d)
{
    if (d->page_cycles > d->line_cycles) {
        return APMU_CORE_LOSS_DTLB;
    }
    return d->from == APMU_CORE_LEVEL_MEMORY ? APMU_CORE_LOSS_MEM
           : d->from == APMU_CORE_LEVEL_LAST ? APMU_CORE_LOSS_L2D
                                             : APMU_CORE_LOSS_L1D;
}

static enum apmu_core_loss blame_fetch(const struct delay *d)
{
    if (d->page_cycles > d->line_cycles) {
        return APMU_CORE_LOSS_ITLB;
    }
    return d->from == APMU_CORE_LEVEL_MEMORY ? APMU_CORE_LOSS_MEMI
           : d->from == APMU_CORE_LEVEL_LAST ? APMU_CORE_LOSS_L2I
                                             : APMU_CORE_LOSS_L1I;
}

/* Returns the cycles of an access, with those of a hit in L1D. */
static uint64_t cycles_of(const struct witness_core *c, const struct delay *d)
{
    return d->page_cycles + (d->line_cycles != 0 ? d->line_cycles : witness_value(c, APMU_CORE_KEY_L1D_LATENCY));
}

void witness_load(struct witness *w, unsigned n, uint64_t address, uint32_t size, bool after)
{
    struct witness_core *c = &w->core[n];
    const uint64_t width = witness_value(c, APMU_CORE_KEY_TIMING_WIDTH);
    const uint64_t hit = witness_value(c, APMU_CORE_KEY_L1D_LATENCY);
    struct delay d;

    c->loads++;
    witness_touch(c, APMU_CORE_CAUSE_LOAD, address, size, &d);
    const uint64_t cycles = cycles_of(c, &d);
    uint64_t now = witness_slots(c), begin = after && c->chain > now ? c->chain : now;

    c->long_cycles += cycles - hit;
    if (begin + cycles * width > now + hit * width) {
        make_place(c, c->loading, &c->load_count, witness_value(c, APMU_CORE_KEY_TIMING_MISSES));
        now = witness_slots(c);
        begin = after && c->chain > now ? c->chain : now;
        c->loading[c->load_count++] =
            (struct waiting){.limit = c->operations + witness_value(c, APMU_CORE_KEY_TIMING_WINDOW),
                             .end = begin + cycles * width,
                             .loss = blame_data(&d)};
    }
    if (after) {
        c->chain = begin + cycles * width;
    }
    check_window(c);
}

void witness_store(struct witness *w, unsigned n, uint64_t address, uint32_t size)
{
    struct witness_core *c = &w->core[n];
    struct delay d;

    c->stores++;
    witness_touch(c, APMU_CORE_CAUSE_STORE, address, size, &d);
    if (d.page_cycles + d.line_cycles != 0) {
        make_place(c, c->storing, &c->store_count, witness_value(c, APMU_CORE_KEY_TIMING_STORES));
        c->storing[c->store_count++] =
            (struct waiting){.end = witness_slots(c) + cycles_of(c, &d) * witness_value(c, APMU_CORE_KEY_TIMING_WIDTH),
                             .loss = APMU_CORE_LOSS_STORE};
    }
}

void witness_fetch(struct witness *w, unsigned n, uint64_t address, uint32_t size)
{
    struct witness_core *c = &w->core[n];
    const unsigned hide = witness_value(c, APMU_CORE_KEY_TIMING_HIDE);
    struct delay d;

    witness_touch(c, APMU_CORE_CAUSE_FETCH, address, size, &d);
    const unsigned cycles = d.page_cycles + d.line_cycles;

    if (cycles > hide) {
        witness_lose(c, blame_fetch(&d), (uint64_t)(cycles - hide) * witness_value(c, APMU_CORE_KEY_TIMING_WIDTH));
    }
}

void witness_settle(struct witness *w, unsigned n)
{
    struct witness_core *c = &w->core[n];
    const unsigned width = witness_value(c, APMU_CORE_KEY_TIMING_WIDTH);

    witness_lose(c, APMU_CORE_LOSS_END, (width - witness_slots(c) % width) % width);
}
