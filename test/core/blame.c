/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a core says it lost because of which call (<armpmu/core_blame.h>) is what the plain model says: with each call
 * of a random program as a ticket, all events of each ticket, where losses of other calls are taken out of the
 * difference of two readings.
 */
#include "../lib/tap.h"
#include "actions.h"

enum { ACTIONS = 30000, TICKETS = 250, EVENTS = 24 };

static const uint16_t events[EVENTS] = {
    APMU_EV_CPU_CYCLES, APMU_EV_STALL, APMU_EV_STALL_SLOT, APMU_EV_STALL_SLOT_FRONTEND, APMU_EV_STALL_SLOT_BACKEND,
    APMU_EV_STALL_FRONTEND, APMU_EV_STALL_BACKEND, APMU_EV_STALL_BACKEND_MEM, APMU_EV_STALL_BACKEND_L1D,
    APMU_EV_STALL_BACKEND_TLB, APMU_EV_STALL_BACKEND_ST, APMU_EV_STALL_FRONTEND_FLUSH, APMU_EV_STALL_FRONTEND_TLB,
    APMU_EV_OP_SPEC, APMU_EV_OP_RETIRED, APMU_EV_L1D_CACHE, APMU_EV_L1D_CACHE_REFILL, APMU_EV_L1I_CACHE_REFILL,
    APMU_EV_L2D_CACHE_REFILL, APMU_EV_DTLB_WALK, APMU_EV_BR_MIS_PRED_RETIRED, APMU_EV_BR_RETIRED,
    APMU_EV_BUS_ACCESS_WR, APMU_EV_MEM_ACCESS_RD_PERCYC,
};

/* What was credited to each ticket, and what the events were at the last reading. */
struct ledger {
    uint64_t last[EVENTS], credited[TICKETS][EVENTS];
    const struct plain *plain;
};

static struct ledger ours, theirs;

static void credit(struct ledger *l, unsigned event, uint64_t now, uint64_t ticket)
{
    l->credited[ticket][event] += now - l->last[event];
    l->last[event] = now;
}

/* A plain_watcher. */
static void watch_plain(void *context, unsigned n, uint64_t ticket)
{
    struct ledger *l = context;

    for (unsigned e = 0; e < EVENTS; e++) {
        credit(l, e, plain_read(l->plain, n, events[e]), ticket);
    }
}

/* Credits what @core counted in a call, and what it lost in it because of others. */
static void credit_call(struct apmu_core *core)
{
    struct apmu_core_blame *b = &core->blame;
    struct apmu_core copy = *core;

    for (uint32_t i = 0; i < b->count; i++) {
        copy.tally.lost[b->lost[i].loss] -= b->lost[i].slots;
        copy.time.lost -= b->lost[i].slots;
    }
    for (uint32_t i = 0; i <= b->count; i++) {
        for (unsigned e = 0; e < EVENTS; e++) {
            credit(&ours, e, apmu_core_read(&copy, events[e]), i == 0 ? b->ticket : b->lost[i - 1].ticket);
        }
        if (i < b->count) {
            copy.tally.lost[b->lost[i].loss] += b->lost[i].slots;
            copy.time.lost += b->lost[i].slots;
        }
    }
    b->count = 0;
}

/* Runs a random program on both, an instruction at a time. */
static void compare_on(const struct apmu_core_row *row, uint64_t seed)
{
    struct apmu_chip *chip = new_chip(row, APMU_CORE_ALL, 1);
    struct apmu_core *core = apmu_chip_core(chip, 0);
    struct plain *plain = plain_new(row, 1);
    struct choices c = {.random = seed};
    struct invented_program program;
    uint64_t others = 0;

    memset(&ours, 0, sizeof ours);
    memset(&theirs, 0, sizeof theirs);
    theirs.plain = plain;
    plain_watch(plain, watch_plain, &theirs);
    apmu_core_blame_begin(&core->blame);
    program_init(&program, 1);
    for (unsigned i = 0; i < ACTIONS; i++) {
        struct core_action a;

        draw_action(&program, &c, &a);
        for (uint64_t left = a.kind == INSTRUCTIONS ? a.count : 1; left > 0; left--) {
            a.count = a.kind == INSTRUCTIONS ? 1 : a.count;
            core->blame.ticket = i % TICKETS;
            plain_give_ticket(plain, 0, i % TICKETS);
            act(chip, &a);
            for (uint32_t k = 0; k < core->blame.count; k++) {
                others += core->blame.lost[k].ticket != core->blame.ticket;
            }
            credit_call(core);
            act_plainly(plain, &a);
            watch_plain(&theirs, 0, i % TICKETS);
        }
    }
    for (unsigned t = 0; t < TICKETS && !tap_bad; t++) {
        for (unsigned e = 0; e < EVENTS; e++) {
            MUST(ours.credited[t][e] == theirs.credited[t][e], "%s: ticket %u: event 0x%x: %llu, plainly %llu",
                 row->name, t, (unsigned)events[e], (unsigned long long)ours.credited[t][e],
                 (unsigned long long)theirs.credited[t][e]);
        }
    }
    MUST(others > 0, "%s: no call waited for another one", row->name);
    plain_free(plain);
    free(chip);
}

int main(void)
{
    struct apmu_core_row row;

    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        char name[64];

        if (row.value[APMU_CORE_KEY_EVENTS] != APMU_CORE_EVENTS_COMMON) {
            continue;
        }
        snprintf(name, sizeof name, "blame: %s says whom it waits for", row.name);
        tap_begin();
        compare_on(&row, 4711 + i);
        tap_end(name);
    }
    return tap_status;
}
