/* SPDX-License-Identifier: BSD-2-Clause */
/* The plain core model: time, operation by operation. */
#include "plain_state.h"

/* Returns the slots that have passed. */
static uint64_t clock_of(const struct plain *p, const struct plain_core *c)
{
    uint64_t slots = c->operations + c->operations * plain_value(p, APMU_CORE_KEY_TIMING_BUSY) / 1024;

    for (int reason = 0; reason < REASONS; reason++) {
        slots += c->stalled[reason];
    }
    return slots;
}

static uint64_t width(const struct plain *p)
{
    return plain_value(p, APMU_CORE_KEY_TIMING_WIDTH);
}

void plain_watch(struct plain *p, plain_watcher *watcher, void *context)
{
    p->watcher = watcher;
    p->context = context;
}

void plain_give_ticket(struct plain *p, unsigned n, uint64_t ticket)
{
    p->core[n].ticket = ticket;
}

/* Loses slots, for which the call with @ticket is the reason. */
static void lose(struct plain *p, struct plain_core *c, int reason, uint64_t slots, uint64_t ticket)
{
    if (p->watcher != NULL) {
        p->watcher(p->context, (unsigned)(c - p->core), c->ticket);
    }
    c->stalled[reason] += slots;
    if (p->watcher != NULL) {
        p->watcher(p->context, (unsigned)(c - p->core), ticket);
    }
}

void plain_stall(struct plain *p, struct plain_core *c, int reason, uint64_t cycles)
{
    lose(p, c, reason, cycles * width(p), c->ticket);
}

/* Takes accesses that have ended off a list. */
static void drop_ended(struct plain_access *list, unsigned *count, uint64_t now)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < *count; i++) {
        if (list[i].end > now) {
            list[kept++] = list[i];
        }
    }
    *count = kept;
}

/* Adds an access to a list that has room for @most, and waits for the first to end if there is none. */
static void add(struct plain *p, struct plain_core *c, struct plain_access *list, unsigned *count, unsigned most,
                int full_reason)
{
    drop_ended(list, count, clock_of(p, c));
    if (*count >= most) {
        const struct plain_access *first = list;

        for (unsigned i = 0; i < *count; i++) {
            first = list[i].end < first->end ? &list[i] : first;
        }
        lose(p, c, full_reason != NOT_SLOW ? full_reason : first->reason, first->end - clock_of(p, c), first->ticket);
        drop_ended(list, count, clock_of(p, c));
    }
}

/* Waits for the loads behind which no more operations are dispatched. */
static void wait_for_loads(struct plain *p, struct plain_core *c)
{
    for (unsigned i = 0; i < c->slow_count; i++) {
        if (c->slow[i].limit <= c->operations && c->slow[i].end > clock_of(p, c)) {
            lose(p, c, c->slow[i].reason, c->slow[i].end - clock_of(p, c), c->slow[i].ticket);
        }
    }
    drop_ended(c->slow, &c->slow_count, clock_of(p, c));
}

void plain_instructions(struct plain *p, unsigned n, uint64_t count)
{
    struct plain_core *c = &p->core[n];

    for (; count > 0; count--) {
        c->operations++;
        wait_for_loads(p, c);
    }
}

void plain_time_load(struct plain *p, struct plain_core *c, uint64_t cycles, int reason, bool after)
{
    const uint64_t hit = plain_value(p, APMU_CORE_KEY_L1D_LATENCY);

    c->counts[APMU_EV_MEM_ACCESS_RD_PERCYC] += cycles > hit ? cycles : hit;
    const uint64_t now = clock_of(p, c), late = after && c->chain > now ? c->chain - now : 0;

    if (late == 0 && cycles <= hit) {
        c->chain = after ? now + cycles * width(p) : c->chain;
        return;
    }
    add(p, c, c->slow, &c->slow_count, plain_value(p, APMU_CORE_KEY_TIMING_MISSES), NOT_SLOW);
    struct plain_access *load = &c->slow[c->slow_count++];
    uint64_t begin = clock_of(p, c);

    begin = after && c->chain > begin ? c->chain : begin;
    load->limit = c->operations + plain_value(p, APMU_CORE_KEY_TIMING_WINDOW);
    load->end = begin + cycles * width(p);
    load->reason = reason;
    load->ticket = c->ticket;
    if (after) {
        c->chain = load->end;
    }
    wait_for_loads(p, c);
}

void plain_time_store(struct plain *p, struct plain_core *c, uint64_t cycles)
{
    if (cycles <= plain_value(p, APMU_CORE_KEY_L1D_LATENCY)) {
        return;
    }
    add(p, c, c->writing, &c->writing_count, plain_value(p, APMU_CORE_KEY_TIMING_STORES), FULL);
    c->writing[c->writing_count].ticket = c->ticket;
    c->writing[c->writing_count++].end = clock_of(p, c) + cycles * width(p);
}

void plain_time_fetch(struct plain *p, struct plain_core *c, uint64_t cycles, int reason)
{
    const uint64_t hidden = plain_value(p, APMU_CORE_KEY_TIMING_HIDE);

    if (cycles > hidden) {
        plain_stall(p, c, reason, cycles - hidden);
    }
}

void plain_settle(struct plain *p, unsigned n)
{
    struct plain_core *c = &p->core[n];

    while (clock_of(p, c) % width(p) != 0) {
        c->stalled[LAST_CYCLE]++;
    }
}

/* Returns the cycles of the reasons from @first to @last. */
static uint64_t stalls(const struct plain *p, const struct plain_core *c, int first, int last)
{
    uint64_t slots = 0;

    for (int reason = first; reason <= last; reason++) {
        slots += c->stalled[reason];
    }
    return slots / width(p);
}

/* Returns the slots of the reasons from @first to @last. */
static uint64_t slots(const struct plain_core *c, int first, int last)
{
    uint64_t sum = 0;

    for (int reason = first; reason <= last; reason++) {
        sum += c->stalled[reason];
    }
    return sum;
}

static uint64_t read_arm11(const struct plain *p, const struct plain_core *c, uint16_t event)
{
    switch (event) {
    case APMU_ARM11_EV_INSTR_EXEC:
        return c->operations;
    case APMU_ARM11_EV_CPU_CYCLES:
        return clock_of(p, c) / width(p);
    case APMU_ARM11_EV_IBUF_STALL:
        return stalls(p, c, FROM_L2_I, FROM_MEMORY_I) + c->arm11[APMU_ARM11_EV_BR_MISPREDICT];
    case APMU_ARM11_EV_DDEP_STALL:
        return stalls(p, c, FROM_L2, FROM_MEMORY);
    case APMU_ARM11_EV_LSU_FULL_STALL:
        return stalls(p, c, FULL, FULL);
    default:
        return event < 256 ? c->arm11[event] : 0;
    }
}

uint64_t plain_read(const struct plain *p, unsigned n, uint16_t event)
{
    const struct plain_core *c = &p->core[n];
    const uint64_t busy = c->operations * plain_value(p, APMU_CORE_KEY_TIMING_BUSY) / 1024;

    if (plain_arm11(p)) {
        return read_arm11(p, c, event);
    }
    switch (event) {
    case APMU_EV_INST_RETIRED:
    case APMU_EV_OP_RETIRED:
        return c->operations;
    case APMU_EV_INST_SPEC:
    case APMU_EV_OP_SPEC:
        return c->operations + c->stalled[WRONG_PATH];
    case APMU_EV_CPU_CYCLES:
    case APMU_EV_BUS_CYCLES:
        return clock_of(p, c) / width(p);
    case APMU_EV_STALL:
        return stalls(p, c, FLUSH, TLB_I) + stalls(p, c, FROM_L2, FULL);
    case APMU_EV_STALL_SLOT:
        return slots(c, FLUSH, FULL) + busy;
    case APMU_EV_STALL_SLOT_FRONTEND:
        return slots(c, FLUSH, LAST_CYCLE);
    case APMU_EV_STALL_SLOT_BACKEND:
        return slots(c, FROM_L2, FULL) + busy;
    case APMU_EV_STALL_FRONTEND:
        return stalls(p, c, FLUSH, TLB_I);
    case APMU_EV_STALL_FRONTEND_MEMBOUND:
        return stalls(p, c, FROM_L2_I, TLB_I);
    case APMU_EV_STALL_FRONTEND_L1I:
        return stalls(p, c, FROM_L2_I, FROM_L2_I);
    case APMU_EV_STALL_FRONTEND_L2I:
    case APMU_EV_STALL_FRONTEND_MEM:
        return stalls(p, c, FROM_LAST_I, FROM_MEMORY_I);
    case APMU_EV_STALL_FRONTEND_TLB:
        return stalls(p, c, TLB_I, TLB_I);
    case APMU_EV_STALL_FRONTEND_CPUBOUND:
        return stalls(p, c, FLUSH, FLOW);
    case APMU_EV_STALL_FRONTEND_FLOW:
        return stalls(p, c, FLOW, FLOW);
    case APMU_EV_STALL_FRONTEND_FLUSH:
        return stalls(p, c, FLUSH, FLUSH);
    case APMU_EV_STALL_BACKEND:
    case APMU_EV_STALL_BACKEND_MEMBOUND:
        return stalls(p, c, FROM_L2, FULL);
    case APMU_EV_STALL_BACKEND_L1D:
        return stalls(p, c, FROM_L2, FROM_L2);
    case APMU_EV_STALL_BACKEND_L2D:
    case APMU_EV_STALL_BACKEND_MEM:
        return stalls(p, c, FROM_LAST, FROM_MEMORY);
    case APMU_EV_STALL_BACKEND_TLB:
        return stalls(p, c, TLB, TLB);
    case APMU_EV_STALL_BACKEND_ST:
        return stalls(p, c, FULL, FULL);
    default:
        return c->counts[event];
    }
}
