/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lib/core agrees with the witness (test/core/witness/), on random rows of parameters and random traces: every branch's
 * outcome, and at the end every event that the row models, with short cuts and without.
 */
#include "actions.h"
#include "witness/witness.h"

enum { TRACE = 2500 };

/* Sets a key to @value, within its range. */
static void set(struct apmu_core_row *row, enum apmu_core_key key, uint64_t value)
{
    const struct apmu_core_key_info *info = apmu_core_key_info(key);

    row->value[key] = value < info->lowest ? info->lowest : value > info->highest ? info->highest : (uint32_t)value;
}

static uint64_t power(struct choices *c, unsigned from, unsigned count)
{
    return UINT64_C(1) << (from + pick_of(c, count));
}

/* Draws the keys of a cache, which begin with its size: their names tell what they are. */
static void draw_cache(struct apmu_core_row *row, struct choices *c, const char *prefix, unsigned line)
{
    const uint64_t sets = power(c, 0, 7), ways = pick_of(c, 3) == 0 ? 1 + pick_of(c, 7) : power(c, 0, 5);
    const bool none = pick_of(c, 4) == 0;

    for (unsigned key = 0; key < APMU_CORE_KEY_COUNT; key++) {
        const char *name = apmu_core_key_info(key)->name, *what = strchr(name, '.');

        if (what == NULL || (size_t)(what - name) != strlen(prefix) || strncmp(name, prefix, strlen(prefix)) != 0) {
            continue;
        }
        what++;
        set(row, key, strcmp(what, "size") == 0            ? (none ? 0 : sets * ways * line)
                      : strcmp(what, "ways") == 0          ? ways
                      : strcmp(what, "line") == 0          ? line
                      : strcmp(what, "seed") == 0          ? 1 + pick(c, 31)
                      : strcmp(what, "degree") == 0        ? 1 + pick_of(c, pick_of(c, 2) == 0 ? 16 : 3)
                      : strcmp(what, "replacement") == 0   ? pick_of(c, 3)
                      : strcmp(what, "prefetch") == 0      ? pick_of(c, 3)
                      : strcmp(what, "latency") == 0       ? row->value[key]
                                                           : pick(c, 1));
    }
}

/* Draws a row with caches, TLBs and tables so small that all of their rules matter. */
static void draw_row(struct apmu_core_row *row, struct choices *c)
{
    const unsigned line = (unsigned)power(c, 4, 5);

    apmu_core_row_at(pick_of(c, 12), row);
    do {
        draw_cache(row, c, "l1i", (unsigned)power(c, 4, 5));
        draw_cache(row, c, "l1d", line);
        draw_cache(row, c, "l2", (unsigned)power(c, 4, 5));
        draw_cache(row, c, "last", (unsigned)power(c, 4, 5));
        set(row, APMU_CORE_KEY_L1D_LATENCY, 1 + pick_of(c, 5));
        set(row, APMU_CORE_KEY_L2_LATENCY, 2 + pick_of(c, 20));
        set(row, APMU_CORE_KEY_LAST_LATENCY, 3 + pick_of(c, 50));
        set(row, APMU_CORE_KEY_MEMORY_LATENCY, 4 + pick_of(c, 300));
        set(row, APMU_CORE_KEY_EVENTS, pick_of(c, 4) == 0);
        set(row, APMU_CORE_KEY_PAGE, UINT64_C(4096) << 2 * pick_of(c, 3));
    } while (apmu_core_row_check(row) != NULL);
}

static void draw_tlbs(struct apmu_core_row *row, struct choices *c)
{
    struct apmu_core_row drawn = *row;

    do {
        const uint64_t ways = 1 + pick_of(c, 8);

        drawn = *row;
        set(&drawn, APMU_CORE_KEY_ITLB_ENTRIES, 1 + pick_of(c, 12));
        set(&drawn, APMU_CORE_KEY_DTLB_ENTRIES, 1 + pick_of(c, 24));
        set(&drawn, APMU_CORE_KEY_ITLB_REPLACEMENT, pick_of(c, 3));
        set(&drawn, APMU_CORE_KEY_DTLB_REPLACEMENT, pick_of(c, 3));
        set(&drawn, APMU_CORE_KEY_ITLB_SEED, 1 + pick(c, 31));
        set(&drawn, APMU_CORE_KEY_DTLB_SEED, 1 + pick(c, 31));
        set(&drawn, APMU_CORE_KEY_TLB2_REPLACEMENT, pick_of(c, 3));
        set(&drawn, APMU_CORE_KEY_TLB2_SEED, 1 + pick(c, 31));
        set(&drawn, APMU_CORE_KEY_TLB2_WAYS, ways);
        set(&drawn, APMU_CORE_KEY_TLB2_ENTRIES, pick_of(c, 4) == 0 ? 0 : ways * power(c, 0, 5));
        set(&drawn, APMU_CORE_KEY_TLB2_LATENCY, pick_of(c, 12));
        set(&drawn, APMU_CORE_KEY_WALK_ENTRIES, pick_of(c, 6));
        set(&drawn, APMU_CORE_KEY_WALK_LEVELS, 1 + pick_of(c, 4));
    } while (apmu_core_row_check(&drawn) != NULL);
    *row = drawn;
}

static void draw_predictor(struct apmu_core_row *row, struct choices *c)
{
    struct apmu_core_row drawn;

    do {
        const uint64_t ways = 1 + pick_of(c, 4);

        drawn = *row;
        set(&drawn, APMU_CORE_KEY_BRANCH_DIRECTION, pick_of(c, 5));
        set(&drawn, APMU_CORE_KEY_BRANCH_BITS, 1 + pick_of(c, 10));
        set(&drawn, APMU_CORE_KEY_BRANCH_HISTORY, pick_of(c, 17));
        set(&drawn, APMU_CORE_KEY_TAGE_TABLES, 1 + pick_of(c, 8));
        set(&drawn, APMU_CORE_KEY_TAGE_BITS, 4 + pick_of(c, 9));
        set(&drawn, APMU_CORE_KEY_TAGE_TAG, 4 + pick_of(c, 12));
        set(&drawn, APMU_CORE_KEY_TAGE_SHORTEST, 1 + pick(c, 1 + pick_of(c, 9)));
        set(&drawn, APMU_CORE_KEY_BTB_WAYS, ways);
        set(&drawn, APMU_CORE_KEY_BTB_ENTRIES, pick_of(c, 5) == 0 ? 0 : ways * power(c, 0, 6));
        set(&drawn, APMU_CORE_KEY_INDIRECT_BITS, pick_of(c, 8));
        set(&drawn, APMU_CORE_KEY_RETURNS_ENTRIES, pick_of(c, 9));
    } while (apmu_core_row_check(&drawn) != NULL);
    *row = drawn;
}

static void draw_timing(struct apmu_core_row *row, struct choices *c)
{
    struct apmu_core_row drawn;

    do {
        drawn = *row;
        set(&drawn, APMU_CORE_KEY_TIMING_WIDTH, 1 + pick_of(c, 16));
        set(&drawn, APMU_CORE_KEY_TIMING_BUSY, pick(c, 12));
        set(&drawn, APMU_CORE_KEY_TIMING_WINDOW, pick_of(c, 4) == 0 ? 0 : pick(c, 9));
        set(&drawn, APMU_CORE_KEY_TIMING_MISSES, 1 + pick_of(c, 12));
        set(&drawn, APMU_CORE_KEY_TIMING_STORES, 1 + pick_of(c, 8));
        set(&drawn, APMU_CORE_KEY_TIMING_HIDE, pick_of(c, 12));
        set(&drawn, APMU_CORE_KEY_TIMING_MISPREDICT, pick_of(c, 24));
        set(&drawn, APMU_CORE_KEY_TIMING_REFILL, pick_of(c, 24));
        set(&drawn, APMU_CORE_KEY_TIMING_BUBBLE, pick_of(c, 5));
    } while (apmu_core_row_check(&drawn) != NULL);
    *row = drawn;
}

/* Does an action on core a->core of the witness. */
static bool act_as_witness(struct witness *w, const struct core_action *a)
{
    uint64_t walk[APMU_CORE_WALK_MOST];

    switch (a->kind) {
    case LOAD:
    case LOAD_AFTER:
        witness_load(w, a->core, a->address, a->size, a->kind == LOAD_AFTER);
        break;
    case STORE:
        witness_store(w, a->core, a->address, a->size);
        break;
    case FETCH:
        witness_fetch(w, a->core, a->address, a->size);
        break;
    case INSTRUCTIONS:
        witness_instructions(w, a->core, a->count);
        break;
    case BRANCH:
        return witness_branch(w, a->core, a->branch, a->address, a->target, a->taken);
    case SETTLE:
        witness_settle(w, a->core);
        break;
    case FORGET:
        witness_forget_pages(w, a->core);
        break;
    case MAP:
        witness_map(w, a->core, a->code, a->target, a->count);
        break;
    case WALK:
        invent_walk(a->address, walk);
        if (witness_would_walk(w, a->core, a->code, a->address)) {
            witness_give_walk(w, a->core, a->address, walk, a->size * 6, a->size);
        }
        break;
    case FORGET_WHERE:
        witness_forget_where(w, a->core, a->address + a->target, forget_mask(a));
        break;
    }
    return false;
}

/* Draws an action that draw_action() does not: about a few sets and pages, and branches at few addresses. */
static void draw_dense_action(struct choices *c, unsigned cores, struct core_action *a)
{
    static const enum core_action_kind kinds[16] = {LOAD,  LOAD,         LOAD,         LOAD_AFTER, LOAD_AFTER, STORE,
                                                    STORE, STORE,        FETCH,        FETCH,      BRANCH,     BRANCH,
                                                    BRANCH, INSTRUCTIONS, INSTRUCTIONS, SETTLE};

    *a = (struct core_action){.kind = kinds[pick_of(c, 16)], .core = pick_of(c, cores)};
    a->address = (uint64_t)pick_of(c, 6) * 0x40000 + pick_of(c, 24) * 0x1000 + pick_of(c, 20) * 48 + pick_of(c, 4);
    a->size = pick_of(c, 8) == 0 ? 4096 : 1 + pick_of(c, 40);
    a->count = pick_of(c, 4) == 0 ? pick(c, 8) : pick_of(c, 3);
    if (a->kind == BRANCH) {
        a->address = pick_of(c, 16) * UINT64_C(0x1002);
        a->target = pick_of(c, 6) * UINT64_C(0x802);
        a->taken = pick_of(c, 3) != 0;
        a->branch = pick_of(c, APMU_CORE_KINDS) | (pick(c, 1) != 0 ? APMU_CORE_CONDITIONAL : 0) |
                    (pick_of(c, 4) == 0 ? APMU_CORE_NARROW : 0);
    }
}

/* Compares all events of all cores. */
static bool events_differ(const struct apmu_core_row *row, struct apmu_chip *chip, struct witness *w, unsigned cores)
{
    for (unsigned event = 0; event <= 0xFFFF; event++) {
        for (unsigned n = 0; n < cores && apmu_core_models(row, (uint16_t)event); n++) {
            const uint64_t ours = apmu_core_read(apmu_chip_core(chip, n), (uint16_t)event);
            uint64_t theirs = 0;

            HOLDS(witness_read(w, n, (uint16_t)event, &theirs), "the witness does not know event 0x%x", event);
            HOLDS(ours == theirs, "event 0x%x of a row like %s on core %u of %u: %llu, the witness: %llu", event,
                  row->name, n, cores, (unsigned long long)ours, (unsigned long long)theirs);
        }
    }
    return false;
}

static bool disagrees(struct choices *c, const struct apmu_core_row *row, bool dense)
{
    const unsigned cores = 1 + pick_of(c, ACTION_CORES);
    struct apmu_chip *fast = new_chip(row, APMU_CORE_ALL, cores);
    struct apmu_chip *slow = new_chip(row, APMU_CORE_ALL | APMU_CORE_UNFILTERED, cores);
    struct witness *w = witness_new(row, cores);
    struct invented_program program;
    bool bad = false;

    program_init(&program, cores);
    for (unsigned i = 0; i < TRACE && !bad; i++) {
        struct core_action a;

        if (dense) {
            draw_dense_action(c, cores, &a);
        } else {
            draw_action(&program, c, &a);
        }
        const bool wrong = act(fast, &a);

        bad = act(slow, &a) != wrong || act_as_witness(w, &a) != wrong;
        if (bad) {
            snprintf(any_message, sizeof any_message, "action %u, a branch of kind %u at 0x%llx: predicted differently",
                     i, a.branch, (unsigned long long)a.address);
        }
    }
    bad = bad || events_differ(row, fast, w, cores) || events_differ(row, slow, w, cores);
    free(fast);
    free(slow);
    witness_free(w);
    return bad;
}

static bool disagrees_on_a_known_row(struct choices *c)
{
    struct apmu_core_row row;

    apmu_core_row_at(pick_of(c, 12), &row);
    return disagrees(c, &row, pick(c, 1) != 0);
}

static bool disagrees_on_any_row(struct choices *c)
{
    struct apmu_core_row row;

    draw_row(&row, c);
    draw_tlbs(&row, c);
    draw_predictor(&row, c);
    draw_timing(&row, c);
    return disagrees(c, &row, pick(c, 1) != 0);
}

PROPERTIES({"core: agrees with the witness on the rows of the table", disagrees_on_a_known_row, .rounds = 40},
           {"core: agrees with the witness on random rows", disagrees_on_any_row, .rounds = 200})
