/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an invented program does: fetches, loads, stores, branches and instructions, drawn from choices.  Some of it
 * goes in streams, some jumps about in regions of several sizes, and branches are those of loops, calls and tables.
 */
#ifndef ARMPMU_TEST_CORE_ACTIONS_H
#define ARMPMU_TEST_CORE_ACTIONS_H

#include "../lib/choices.h"
#include "plain.h"

enum core_action_kind { LOAD, LOAD_AFTER, STORE, FETCH, INSTRUCTIONS, BRANCH, SETTLE, FORGET, MAP, WALK, FORGET_WHERE };

struct core_action {
    enum core_action_kind kind;
    unsigned core;
    uint64_t address, target, count;
    uint32_t size;
    unsigned branch;
    bool taken, code;
};

/* A program, in each of some cores. */
enum { ACTION_CORES = 3, ACTION_DEPTH = 40 };
struct invented_program {
    unsigned cores;
    uint64_t stream[ACTION_CORES], pc[ACTION_CORES], turn[ACTION_CORES];
    uint64_t stack[ACTION_CORES][ACTION_DEPTH];
    unsigned depth[ACTION_CORES];
};

static inline void program_init(struct invented_program *p, unsigned cores)
{
    memset(p, 0, sizeof *p);
    p->cores = cores;
    for (unsigned n = 0; n < ACTION_CORES; n++) {
        p->stream[n] = UINT64_C(0x10000000) * (n + 1);
        p->pc[n] = 0x400000;
    }
}

/* Returns an address: of a stream, a small, middle or large region, or near the end of the address space. */
static inline uint64_t draw_address(struct invented_program *p, struct choices *c, unsigned n)
{
    static const uint64_t bases[8] = {0x7F0000, 0x7F0000, 0x20000000, 0x20000000, 0x30000000, 0x40000000};
    static const uint64_t sizes[8] = {0x1000, 0x4000, 0x8000, 0x20000, 0x100000, 0x4000000};
    const unsigned how = pick_of(c, 16);

    if (how < 5) {
        p->stream[n] += how < 3 ? 8 : how == 3 ? 64 : 192;
        return p->stream[n];
    }
    if (how == 5) {
        return pick(c, 4) == 0 ? UINT64_MAX - pick(c, 12) : (pick(c, 8) << 12) + 4090;
    }
    const unsigned region = how % 6;

    return bases[region] + pick(c, 32) % sizes[region];
}

static inline uint32_t draw_size(struct choices *c)
{
    static const uint32_t sizes[16] = {1, 2, 4, 4, 8, 8, 8, 8, 16, 16, 3, 7, 32, 64, 200, 8};
    const unsigned i = pick_of(c, 256);

    return i == 0 ? 0 : i == 1 ? 5000 : i == 2 ? 4096 : sizes[i % 16];
}

/* Fills *@a with a branch of the program. */
static inline void draw_branch(struct invented_program *p, struct choices *c, unsigned n, struct core_action *a)
{
    const unsigned how = pick_of(c, 8), site = pick_of(c, 24);

    a->kind = BRANCH;
    a->address = 0x400000 + site * 0x124 + (site % 5 == 0 ? 2 : 0);
    a->target = a->address + (site % 2 == 0 ? 0x40 : 0) - 0x20;
    a->taken = (p->turn[n]++ / (1 + site % 3)) % (2 + site % 4) != 0;
    a->branch = APMU_CORE_JUMP | (how < 5 ? APMU_CORE_CONDITIONAL : 0);
    if (how == 5 && p->depth[n] < ACTION_DEPTH) {
        a->branch = site % 4 == 0 ? APMU_CORE_INDIRECT_CALL : APMU_CORE_CALL;
        a->branch |= site % 8 == 1 ? APMU_CORE_NARROW : 0;
        a->target = 0x500000 + (site % 4 == 0 ? pick(c, 2) : site) * 0x400;
        p->stack[n][p->depth[n]++] = a->address + ((a->branch & APMU_CORE_NARROW) != 0 ? 2 : 4);
    } else if (how == 6 && p->depth[n] > 0) {
        a->branch = APMU_CORE_RETURN | (site == 3 ? APMU_CORE_CONDITIONAL : 0);
        a->target = pick_of(c, 32) == 0 ? 0x1234 : p->stack[n][p->depth[n] - 1];
        p->depth[n] -= a->taken || site != 3;
    } else if (how == 7) {
        a->branch = APMU_CORE_INDIRECT;
        a->target = 0x600000 + (p->turn[n] % (1 + site % 5)) * 0x80;
    }
    if (a->taken) {
        p->pc[n] = a->target;
    }
}

/* Fills *@a with an action that is rarer than others: the end of a cycle, or one of an operating system. */
static inline void draw_rare(struct invented_program *p, struct choices *c, struct core_action *a)
{
    const unsigned how = pick_of(c, 64);

    a->kind = how == 0 ? FORGET : how < 8 ? MAP : how < 24 ? WALK : how < 28 ? FORGET_WHERE : SETTLE;
    a->code = pick(c, 1) != 0;
    a->address = a->code ? p->pc[a->core] : draw_address(p, c, a->core);
    a->target = how < 4 ? 0 : pick(c, 3) << 54 | pick(c, 2) << 13; /* another address space, and another place in it */
    a->count = pick(c, 3) << 12;
    a->size = 1 + (uint32_t)pick(c, 3);
}

/* Fills *@descriptors with those of a walk of @address. */
static inline void invent_walk(uint64_t address, uint64_t descriptors[APMU_CORE_WALK_MOST])
{
    for (unsigned i = 0; i < APMU_CORE_WALK_MOST; i++) {
        descriptors[i] = 0x50000000 + i * 0x10000 + (address >> 12 & 0xFF) * 8;
    }
}

/* Returns the mask of FORGET_WHERE: the number of the address space, a page of all spaces, or a page of one. */
static inline uint64_t forget_mask(const struct core_action *a)
{
    static const uint64_t masks[4] = {UINT64_C(0xFF) << 54, (UINT64_C(1) << 54) - 4096, UINT64_MAX - 4095, 0};

    return masks[a->count >> 12 & 3];
}

/* Fills *@a with the next action. */
static inline void draw_action(struct invented_program *p, struct choices *c, struct core_action *a)
{
    const unsigned how = pick_of(c, 64), n = p->cores > 1 ? pick_of(c, p->cores) : 0;

    *a = (struct core_action){.core = n};
    if (how < 20) {
        a->kind = how == 0 ? LOAD_AFTER : LOAD;
    } else if (how < 30) {
        a->kind = STORE;
    } else if (how < 40) {
        a->kind = FETCH;
        a->address = pick_of(c, 16) == 0 ? 0x400000 + pick(c, 17) * 4 : p->pc[n];
        a->size = 4 + 4 * pick_of(c, 12);
        p->pc[n] = a->address + a->size;
        return;
    } else if (how < 50) {
        a->kind = INSTRUCTIONS;
        a->count = pick_of(c, 12);
        return;
    } else if (how < 63) {
        draw_branch(p, c, n, a);
        return;
    } else {
        draw_rare(p, c, a);
        return;
    }
    a->address = draw_address(p, c, n);
    a->size = draw_size(c);
}

/* Does an action on a core of @chip.  Returns whether it was a branch that was mispredicted. */
static inline bool act(struct apmu_chip *chip, const struct core_action *a)
{
    struct apmu_core *core = apmu_chip_core(chip, a->core);
    uint64_t walk[APMU_CORE_WALK_MOST];

    switch (a->kind) {
    case LOAD:
        apmu_core_load(core, a->address, a->size);
        break;
    case LOAD_AFTER:
        apmu_core_load_after(core, a->address, a->size);
        break;
    case STORE:
        apmu_core_store(core, a->address, a->size);
        break;
    case FETCH:
        apmu_core_fetch(core, a->address, a->size);
        break;
    case INSTRUCTIONS:
        apmu_core_instructions(core, a->count);
        break;
    case BRANCH:
        return apmu_core_branch(core, a->branch, a->address, a->target, a->taken);
    case SETTLE:
        apmu_core_settle(core);
        break;
    case FORGET:
        apmu_core_forget_pages(core);
        break;
    case MAP:
        apmu_core_map(core, a->code, a->target, a->count);
        break;
    case WALK:
        invent_walk(a->address, walk);
        if (apmu_core_would_walk(core, a->code, a->address)) {
            apmu_core_give_walk(core, a->address, walk, a->size * 6, a->size);
        }
        break;
    case FORGET_WHERE:
        apmu_core_forget_where(core, a->address + a->target, forget_mask(a));
        break;
    }
    return false;
}

/* Does it on the plain model. */
static inline bool act_plainly(struct plain *p, const struct core_action *a)
{
    uint64_t walk[APMU_CORE_WALK_MOST];

    switch (a->kind) {
    case LOAD:
        plain_load(p, a->core, a->address, a->size, false);
        break;
    case LOAD_AFTER:
        plain_load(p, a->core, a->address, a->size, true);
        break;
    case STORE:
        plain_store(p, a->core, a->address, a->size);
        break;
    case FETCH:
        plain_fetch(p, a->core, a->address, a->size);
        break;
    case INSTRUCTIONS:
        plain_instructions(p, a->core, a->count);
        break;
    case BRANCH:
        return plain_branch(p, a->core, a->branch, a->address, a->target, a->taken);
    case SETTLE:
        plain_settle(p, a->core);
        break;
    case FORGET:
        plain_forget_pages(p, a->core);
        break;
    case MAP:
        plain_map(p, a->core, a->code, a->target, a->count);
        break;
    case WALK:
        invent_walk(a->address, walk);
        if (plain_would_walk(p, a->core, a->code, a->address)) {
            plain_give_walk(p, a->core, a->address, walk, a->size * 6, a->size);
        }
        break;
    case FORGET_WHERE:
        plain_forget_where(p, a->core, a->address + a->target, forget_mask(a));
        break;
    }
    return false;
}

/* Returns a new chip.  The caller frees it.  Ends the program if it is refused. */
static inline struct apmu_chip *new_chip(const struct apmu_core_row *row, uint32_t parts, unsigned cores)
{
    const size_t size = apmu_chip_size(row, parts, cores);
    struct apmu_chip *chip = size != 0 ? malloc(size) : NULL;

    const char *why = chip == NULL ? "no memory" : apmu_chip_init(chip, size, row, parts, cores);

    if (why != NULL) {
        fprintf(stderr, "no chip of %s with parts 0x%x: %s\n", row->name, (unsigned)parts, why);
        abort();
    }
    return chip;
}

/* Returns the number of the first event that @row models and of which @differs is true, or -1. */
static inline long first_difference(const struct apmu_core_row *row, unsigned cores,
                                    bool (*differs)(const void *, const void *, unsigned, uint16_t), const void *a,
                                    const void *b)
{
    for (unsigned n = 0; n < cores; n++) {
        for (unsigned event = 0; event <= 0xFFFF; event++) {
            if (apmu_core_models(row, (uint16_t)event) && differs(a, b, n, (uint16_t)event)) {
                return (long)event;
            }
        }
    }
    return -1;
}

static inline bool differs_from_chip(const void *a, const void *b, unsigned n, uint16_t event)
{
    return apmu_core_read(apmu_chip_core((struct apmu_chip *)a, n), event) !=
           apmu_core_read(apmu_chip_core((struct apmu_chip *)b, n), event);
}

static inline bool differs_from_plain(const void *a, const void *b, unsigned n, uint16_t event)
{
    return apmu_core_read(apmu_chip_core((struct apmu_chip *)a, n), event) != plain_read(b, n, event);
}

#endif
