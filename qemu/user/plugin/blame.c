/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the events of the modelled core by the instruction that caused them, in a run that is recorded.
 *
 * Each instruction that is translated gets a ticket, and each ticket a counter for each event, when that first occurs
 * there.  What an event counts is what apmu_core_read() says of it: the watcher of a stream reads it after each call of
 * the core, and the difference belongs to the instruction of the call.  Time that is lost belongs to the instruction
 * that the core names (<armpmu/core_blame.h>): the load that dispatch waits for, not the instruction that waits.  The
 * node of the call graph in which that one was executed is the upper half of its ticket.
 *
 *     core        ticket of the call            blame.lost: slots, tickets of earlier calls
 *                        |                                       |
 *     difference of apmu_core_read()          the same on a copy of the core, loss by loss
 *                        \______________________________________/
 *                                            |
 *                            counter of (ticket, event), in the row of the vCPU
 *
 * So the counters of all instructions add up to what the core counted, for any event, at any time between two calls.
 * An event in whole cycles counts for the instruction that fills the cycle.
 *
 * If samples are taken, each thread has a counter of an event that overflows after a period (sampler.h).  The interrupt
 * is taken before the next instruction, whatever the reason for the overflow: that instruction's counter gets the whole
 * period.  With a frequency, periods differ, so a counter without an address counts the samples.
 */
#define _GNU_SOURCE
#include "sampler.h"
#include "stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TICKETS (UINT32_C(1) << 22)
#define TICKET_SLOTS (TICKETS * 2)
#define SOME 1024u /* more slots than any event needs to change */

/* An instruction.  Ticket 0 is for all that have none. */
struct ticket_insn {
    uint64_t address;
    uint32_t place, word; /* place: plus 1; 0: it is not known */
    bool t32;
};

/* What the watcher of a vCPU keeps. */
struct blame_watch {
    uint64_t last[APMU_CORE_RECORDED]; /* what the events were when they were read last */
    struct apmu_core *copy;            /* for apmu_core_read(); its tally and time alone matter */
    struct sampler samplers[APMU_CORE_RECORDED];
    bool is_due;                       /* the interrupt of one of them was not taken yet */
    uint64_t ticked;                   /* the cycle of the last tick, with a frequency */
};

/* Events that something changes. */
struct event_set {
    uint32_t count;
    uint8_t event[APMU_CORE_RECORDED];
};

static struct ticket_insn *insns; /* of the tickets; NULL: nothing is recorded of a core */
static uint32_t *numbers;         /* of the counters: for each ticket, and each event, plus 1; 0: none yet */
static uint32_t *slots;           /* a hash table of tickets */
static uint32_t used = 1;
static uint32_t shapes[APMU_CORE_RECORDED]; /* of the events, and behind them, with a frequency, of their samples */
static struct event_set moved_by[STREAM_TOLD_OTHER + 1], moved_by_loss;
static struct blame_watch watches[APMU_CHIP_THREADS];

static const struct apmu_modelled *wanted(void)
{
    return &plugin.setup->core;
}

bool blame_wanted(void)
{
    return insns != NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Beginning.
 */

/* Returns a core of the modelled row in which nothing was counted, for apmu_core_read() alone; NULL: no memory. */
static struct apmu_core *make_copy(void)
{
    struct apmu_core *core = calloc(1, sizeof *core);

    if (core != NULL) {
        core->row = wanted()->row;
        core->parts = wanted()->parts;
    }
    return core;
}

/* Adds to @set the events that @core counts now.  @core has nothing but what is tried. */
static void add_moved(const struct apmu_core *core, struct event_set *set)
{
    for (uint32_t e = 0; e < wanted()->events; e++) {
        bool there = false;

        for (uint32_t i = 0; i < set->count; i++) {
            there = there || set->event[i] == e;
        }
        if (!there && apmu_core_read(core, wanted()->event[e]) != 0) {
            set->event[set->count++] = (uint8_t)e;
        }
    }
}

/* Finds the events that change when the member at @count of @core does. */
static void try_count(struct apmu_core *core, uint64_t *count, struct event_set *set)
{
    *count = SOME;
    add_moved(core, set);
    *count = 0;
}

/* Finds out what each call of the core changes. */
static void find_moved(struct apmu_core *core)
{
    struct apmu_core_tally *t = &core->tally;
    struct event_set *branch = &moved_by[STREAM_TOLD_BRANCH];

    try_count(core, &core->operations, &moved_by[STREAM_TOLD_INSTRUCTION]);
    try_count(core, &t->loads, &moved_by[STREAM_TOLD_LOAD]);
    try_count(core, &t->stores, &moved_by[STREAM_TOLD_STORE]);
    try_count(core, &t->fetches, &moved_by[STREAM_TOLD_FETCH]);
    try_count(core, &core->time.lost, &moved_by_loss);
    for (unsigned i = 0; i < APMU_CORE_LOSSES; i++) {
        try_count(core, &t->lost[i], &moved_by_loss);
    }
    *branch = moved_by_loss;
    for (unsigned i = 0; i < APMU_CORE_KINDS * 4; i++) {
        try_count(core, &t->branches[i >> 2][i >> 1 & 1][i & 1], branch);
        try_count(core, &t->mispredicted[i >> 2][i >> 1 & 1][i & 1], branch);
    }
    for (uint32_t e = 0; e < wanted()->events; e++) {
        moved_by[STREAM_TOLD_OTHER].event[e] = (uint8_t)e;
    }
    moved_by[STREAM_TOLD_OTHER].count = wanted()->events;
}

/* Returns @size bytes of zeros, which take memory when they are written; NULL if there are none. */
static void *map_zeros(size_t size)
{
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return map == MAP_FAILED ? NULL : map;
}

bool blame_open(void)
{
    const uint32_t events = wanted()->events;
    struct apmu_core *core = NULL;

    if (events == 0 || plugin.code == NULL || chip_tells() == 0) {
        return true;
    }
    numbers = map_zeros((size_t)TICKETS * events * sizeof *numbers);
    slots = map_zeros((size_t)TICKET_SLOTS * sizeof *slots);
    core = make_copy();
    if (numbers == NULL || slots == NULL || core == NULL) {
        free(core);
        return false;
    }
    find_moved(core);
    free(core);
    for (uint32_t e = 0; e < (wanted()->frequency != 0 ? 2 * events : events); e++) {
        shapes[e] = shapes_core_event(e);
        if (shapes[e] == NO_SHAPE) {
            return false;
        }
    }
    insns = map_zeros((size_t)TICKETS * sizeof *insns);
    return insns != NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Tickets.
 */

static bool is_same(const struct ticket_insn *a, const struct ticket_insn *b)
{
    return a->address == b->address && a->word == b->word && a->place == b->place && a->t32 == b->t32;
}

/* QEMU translates under a lock. */
uint32_t blame_ticket(uint64_t address, uint32_t word)
{
    const struct ticket_insn insn = {address, places_at(address), word, isa_now() == STREAM_T32};
    uint64_t hash = (address >> 1 ^ (uint64_t)word << 32 ^ (uint64_t)insn.place << 20) * UINT64_C(0x9e3779b97f4a7c15);

    for (hash >>= 32;; hash++) {
        uint32_t *slot = &slots[hash % TICKET_SLOTS];

        if (*slot != 0 && is_same(&insns[*slot], &insn)) {
            return *slot;
        }
        if (*slot == 0 && used == TICKETS) {
            __atomic_store_n(&plugin.code->head.full, 1, __ATOMIC_RELAXED);
            return 0;
        }
        if (*slot == 0) {
            *slot = used++;
            insns[*slot] = insn;
            return *slot;
        }
    }
}

/* Returns the number of the counter of @event at @ticket. */
static uint32_t number_of(uint32_t ticket, uint32_t event)
{
    uint32_t *number = &numbers[(size_t)ticket * wanted()->events + event];
    const uint32_t known = __atomic_load_n(number, __ATOMIC_RELAXED);

    if (known != 0 || ticket == 0) {
        return ticket == 0 ? shapes[event] : known - 1;
    }
    const struct ticket_insn *in = &insns[ticket];
    struct apmu_code_insn insn = {in->word, shapes[event] + 1};
    const struct code_span span = {.address = in->address, .place = in->place, .count = 1, .t32 = in->t32,
                                   .layer = event + 1, .insns = &insn};
    const uint32_t found = blocks_counter(&span, shapes[event]);

    __atomic_store_n(number, found + 1, __ATOMIC_RELAXED);
    return found;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counts.
 */

/* Counts @more of @event at @ticket, or in the sampling counter of @vcpu. */
static void count_event(unsigned vcpu, uint32_t event, uint64_t more, uint64_t ticket)
{
    struct blame_watch *w = &watches[vcpu];

    if (sampler_wanted(wanted())) {
        w->is_due |= sampler_count(&w->samplers[event], more);
        return;
    }
    count_add(vcpu, number_of((uint32_t)ticket, event), more);
    stack_count_elsewhere(vcpu, ticket >> 32, (uint32_t)APMU_SOURCE_COUNT + event, more);
}

/* Returns the cycle of @core, which has time if samples have a frequency; 0 otherwise. */
static uint64_t cycle_of(const struct apmu_core *core)
{
    return wanted()->frequency != 0 ? apmu_core_read(core, wanted()->cycles) : 0;
}

/* Takes the interrupts that are due on @vcpu at cycle @now, before the instruction with @ticket. */
static void take_samples(unsigned vcpu, uint64_t now, uint64_t ticket)
{
    struct blame_watch *w = &watches[vcpu];
    const uint32_t events = wanted()->events;

    for (uint32_t event = 0; event < events; event++) {
        const uint64_t weight = sampler_take(&w->samplers[event], wanted(), now);

        if (weight != 0) {
            count_add(vcpu, number_of((uint32_t)ticket, event), weight);
        }
        if (weight != 0 && wanted()->frequency != 0) {
            count_add(vcpu, shapes[events + event], 1);
        }
    }
    w->is_due = false;
}

/* Takes the samples and the tick that are due on @vcpu before the instruction with @ticket. */
static void interrupt(unsigned vcpu, const struct apmu_core *core, uint64_t ticket)
{
    struct blame_watch *w = &watches[vcpu];
    const uint64_t now = cycle_of(core);

    if (w->is_due) {
        take_samples(vcpu, now, ticket);
    }
    if (wanted()->frequency != 0 && now - w->ticked >= sampler_tick_cycles(wanted())) {
        for (uint32_t event = 0; event < wanted()->events; event++) {
            sampler_tick(&w->samplers[event], wanted(), now - w->ticked);
        }
        w->ticked = now;
    }
}

/* Credits what the events of @set counted by @core since they were read last to @ticket. */
static void credit(unsigned vcpu, const struct apmu_core *core, const struct event_set *set, uint64_t ticket)
{
    uint64_t *last = watches[vcpu].last;

    for (uint32_t i = 0; i < set->count; i++) {
        const uint32_t event = set->event[i];
        const uint64_t now = apmu_core_read(core, wanted()->event[event]), more = now - last[event];

        if (more != 0) {
            last[event] = now;
            count_event(vcpu, event, more, ticket);
        }
    }
}

/* Returns whether all that @b has was lost because of the present call. */
static bool is_own(const struct apmu_core_blame *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        if (b->lost[i].ticket != b->ticket) {
            return false;
        }
    }
    return true;
}

/* Credits what @s->core counted in a call that lost slots because of others: first what it did but for these. */
static void credit_losses(unsigned vcpu, const struct stream *s, const struct event_set *set)
{
    const struct apmu_core_blame *b = &s->core->blame;
    struct apmu_core *copy = watches[vcpu].copy;

    copy->operations = s->core->operations;
    copy->tally = s->core->tally;
    copy->time.lost = s->core->time.lost;
    for (uint32_t i = 0; i < b->count; i++) {
        copy->tally.lost[b->lost[i].loss] -= b->lost[i].slots;
        copy->time.lost -= b->lost[i].slots;
    }
    credit(vcpu, copy, set, b->ticket);
    for (uint32_t i = 0; i < b->count; i++) {
        copy->tally.lost[b->lost[i].loss] += b->lost[i].slots;
        copy->time.lost += b->lost[i].slots;
        credit(vcpu, copy, &moved_by_loss, b->lost[i].ticket);
    }
}

/* A stream_watcher. */
static void watch(struct stream *s, enum stream_told told)
{
    const unsigned vcpu = (unsigned)(s - chip_streams);
    struct apmu_core_blame *b = &s->core->blame;

    if (told == STREAM_TOLD_INSTRUCTION && (watches[vcpu].is_due || wanted()->frequency != 0)) {
        interrupt(vcpu, s->core, b->ticket);
    }
    if (is_own(b)) {
        credit(vcpu, s->core, b->count != 0 ? &moved_by[STREAM_TOLD_OTHER] : &moved_by[told], b->ticket);
    } else {
        credit_losses(vcpu, s, &moved_by[told]);
    }
    b->count = 0;
}

void blame_begin(unsigned vcpu)
{
    struct stream *s = chip_stream(vcpu);

    if (insns == NULL || s->core == NULL) {
        return;
    }
    struct blame_watch *w = &watches[vcpu];

    w->copy = w->copy != NULL ? w->copy : make_copy();
    if (w->copy == NULL) {
        shapes_lost(ENOMEM);
        return;
    }
    for (uint32_t e = 0; e < wanted()->events; e++) {
        w->last[e] = apmu_core_read(s->core, wanted()->event[e]);
        sampler_begin(&w->samplers[e], wanted(), cycle_of(s->core)); /* each thread begins with counters of 0 */
    }
    w->ticked = cycle_of(s->core);
    w->is_due = false;
    apmu_core_blame_begin(&s->core->blame);
    stream_watch(s, watch, nodes_graph != NULL ? &nodes_graph->slot[nodes_slot(vcpu)].node : NULL);
}
