/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of the core model over rows with all policies: it equals the plain model, short cuts change nothing, an
 * event has the same value with the parts that it needs as with all, and a chip is plain data.
 */
#include "actions.h"

#include <armpmu/core_near.h>

enum { ACTIONS = 3000 };

static void set(struct apmu_core_row *row, enum apmu_core_key key, uint64_t value)
{
    row->value[key] = (uint32_t)value;
}

/* VARY(row, c, L1D, sizes) sets what all caches have. */
#define VARY(row, c, id, size) \
    set(row, APMU_CORE_KEY_##id##_LINE, 64); \
    set(row, APMU_CORE_KEY_##id##_WAYS, UINT64_C(1) << pick_of(c, 5)); \
    set(row, APMU_CORE_KEY_##id##_SIZE, (uint64_t)(size) << pick_of(c, 3)); \
    set(row, APMU_CORE_KEY_##id##_INDEX, pick(c, 1)); \
    set(row, APMU_CORE_KEY_##id##_REPLACEMENT, pick_of(c, 3)); \
    set(row, APMU_CORE_KEY_##id##_SEED, 1 + pick(c, 20)); \
    set(row, APMU_CORE_KEY_##id##_PREFETCH, pick_of(c, 3)); \
    set(row, APMU_CORE_KEY_##id##_DEGREE, 1 + pick(c, 2))
/* VARY_DATA(row, c, L1D, size) does the same and sets what concerns writes. */
#define VARY_DATA(row, c, id, size) \
    VARY(row, c, id, size); \
    set(row, APMU_CORE_KEY_##id##_WRITE, pick_of(c, 3) == 0); \
    set(row, APMU_CORE_KEY_##id##_ALLOCATE, pick_of(c, 3) != 0)

static void vary_caches(struct apmu_core_row *row, struct choices *c)
{
    VARY(row, c, L1I, 2048);
    VARY_DATA(row, c, L1D, 2048);
    VARY_DATA(row, c, L2, 8192);
    VARY_DATA(row, c, LAST, 65536);
    set(row, APMU_CORE_KEY_L1D_HALVES, pick(c, 1));
    set(row, APMU_CORE_KEY_L1I_LINE, UINT64_C(32) << pick(c, 1));
    set(row, APMU_CORE_KEY_L1D_LINE, UINT64_C(32) << pick(c, 1));
    set(row, APMU_CORE_KEY_LAST_LINE, UINT64_C(64) << pick(c, 1));
    set(row, APMU_CORE_KEY_L2_SHARED, pick(c, 1));
    if (pick_of(c, 4) == 0) {
        set(row, APMU_CORE_KEY_L2_SIZE, 0);
    }
    if (pick_of(c, 4) == 0) {
        set(row, APMU_CORE_KEY_LAST_SIZE, 0);
    }
    if (row->value[APMU_CORE_KEY_L2_SIZE] == 0) {
        set(row, APMU_CORE_KEY_LAST_LATENCY, 30);
    }
}

static void vary_others(struct apmu_core_row *row, struct choices *c)
{
    set(row, APMU_CORE_KEY_EVENTS, pick_of(c, 4) == 0);
    set(row, APMU_CORE_KEY_PAGE, UINT64_C(4096) << 2 * pick_of(c, 3));
    set(row, APMU_CORE_KEY_ITLB_ENTRIES, 1 + pick(c, 4));
    set(row, APMU_CORE_KEY_DTLB_ENTRIES, 1 + pick(c, 4));
    set(row, APMU_CORE_KEY_ITLB_REPLACEMENT, 2 * pick(c, 1));
    set(row, APMU_CORE_KEY_DTLB_REPLACEMENT, 2 * pick(c, 1));
    set(row, APMU_CORE_KEY_TLB2_REPLACEMENT, pick_of(c, 3));
    set(row, APMU_CORE_KEY_TLB2_WAYS, UINT64_C(1) << pick(c, 2));
    set(row, APMU_CORE_KEY_TLB2_ENTRIES, pick_of(c, 4) == 0 ? 0 : 64);
    set(row, APMU_CORE_KEY_WALK_ENTRIES, pick_of(c, 3) * 8);
    set(row, APMU_CORE_KEY_WALK_LEVELS, 1 + pick(c, 2));
    set(row, APMU_CORE_KEY_BRANCH_DIRECTION, pick_of(c, 5));
    set(row, APMU_CORE_KEY_BRANCH_BITS, 4 + pick(c, 2));
    set(row, APMU_CORE_KEY_BRANCH_HISTORY, pick(c, 2));
    set(row, APMU_CORE_KEY_TAGE_TABLES, 1 + pick(c, 3));
    set(row, APMU_CORE_KEY_TAGE_BITS, 4 + pick(c, 2));
    set(row, APMU_CORE_KEY_TAGE_TAG, 4 + pick(c, 3));
    set(row, APMU_CORE_KEY_TAGE_SHORTEST, 1 + pick_of(c, 3));
    set(row, APMU_CORE_KEY_BTB_WAYS, UINT64_C(1) << pick(c, 2));
    set(row, APMU_CORE_KEY_BTB_ENTRIES, pick_of(c, 4) == 0 ? 0 : 16);
    set(row, APMU_CORE_KEY_INDIRECT_BITS, pick_of(c, 5));
    set(row, APMU_CORE_KEY_RETURNS_ENTRIES, pick_of(c, 6));
    set(row, APMU_CORE_KEY_TIMING_WIDTH, 1 + pick(c, 3));
    set(row, APMU_CORE_KEY_TIMING_BUSY, pick(c, 10));
    set(row, APMU_CORE_KEY_TIMING_WINDOW, pick(c, 1) != 0 ? pick(c, 7) : 0);
    set(row, APMU_CORE_KEY_TIMING_MISSES, 1 + pick(c, 3));
    set(row, APMU_CORE_KEY_TIMING_STORES, 1 + pick(c, 2));
    set(row, APMU_CORE_KEY_TIMING_HIDE, pick(c, 3));
    set(row, APMU_CORE_KEY_TIMING_MISPREDICT, 8 + pick(c, 3));
    set(row, APMU_CORE_KEY_TIMING_REFILL, pick(c, 3));
}

/* Draws a row. */
static void draw_row(struct apmu_core_row *row, struct choices *c)
{
    apmu_core_row_at(pick_of(c, 12), row);
    if (pick_of(c, 8) != 0) {
        apmu_core_row_by_name("cortex-a76", row);
        vary_caches(row, c);
        vary_others(row, c);
    }
}

/* Runs a program on chips @a and @b, where @b may be NULL, and the plain model, which may be NULL. */
static void run(struct choices *c, unsigned cores, struct apmu_chip *a, struct apmu_chip *b, struct plain *plain)
{
    struct invented_program program;

    program_init(&program, cores);
    for (unsigned i = 0; i < ACTIONS; i++) {
        struct core_action action;

        draw_action(&program, c, &action);
        act(a, &action);
        if (b != NULL) {
            act(b, &action);
        }
        if (plain != NULL) {
            act_plainly(plain, &action);
        }
    }
}

static bool differs_from_plain_model(struct choices *c)
{
    const unsigned cores = 1 + pick_of(c, ACTION_CORES);
    struct apmu_core_row row;

    draw_row(&row, c);
    struct apmu_chip *chip = new_chip(&row, APMU_CORE_ALL, cores);
    struct plain *plain = plain_new(&row, cores);

    run(c, cores, chip, NULL, plain);
    const long event = first_difference(&row, cores, differs_from_plain, chip, plain);

    free(chip);
    plain_free(plain);
    HOLDS(event < 0, "event 0x%lx of a row like %s with %u cores", event, row.name, cores);
    return false;
}

static bool short_cuts_change_counts(struct choices *c)
{
    const unsigned cores = 1 + pick_of(c, ACTION_CORES);
    const uint32_t left_out = pick(c, 1) != 0 ? (uint32_t)pick(c, 8) & ~(uint32_t)APMU_CORE_TIMING : 0;
    const uint32_t parts = APMU_CORE_ALL & ~left_out & (left_out != 0 ? ~(uint32_t)APMU_CORE_TIMING : UINT32_MAX);
    struct apmu_core_row row;

    draw_row(&row, c);
    struct apmu_chip *fast = new_chip(&row, parts, cores), *slow = new_chip(&row, parts | APMU_CORE_UNFILTERED, cores);

    run(c, cores, fast, slow, NULL);
    const long event = first_difference(&row, cores, differs_from_chip, fast, slow);
    bool same = true;

    for (unsigned n = 0; n < cores; n++) {
        same &= memcmp(&apmu_chip_core(fast, n)->tally, &apmu_chip_core(slow, n)->tally,
                       sizeof(struct apmu_core_tally)) == 0;
    }
    free(fast);
    free(slow);
    HOLDS(event < 0, "event 0x%lx of a row like %s, parts 0x%x", event, row.name, (unsigned)parts);
    HOLDS(same, "a count of a row like %s, parts 0x%x", row.name, (unsigned)parts);
    return false;
}

/* Returns whether all bytes of @a are in one line of @l. */
static bool in_one_line(const struct apmu_core_lines *l, const struct core_action *a)
{
    return a->size != 0 && (a->address + a->size - 1) >> l->shift == a->address >> l->shift;
}

/* Does action @a as an emulator does that answers at once what it can. */
static void act_in_steps(struct apmu_chip *chip, const struct core_action *a)
{
    struct apmu_core *core = apmu_chip_core(chip, a->core);
    const bool data = core->l1d.filtered && in_one_line(&core->l1d, a);

    if (a->kind == LOAD || a->kind == LOAD_AFTER) {
        const bool recent = data && apmu_core_is_recent(core, &core->l1d, &core->dtlb, a->address, false);

        core->tally.loads += recent;
        if (!recent && !apmu_core_load_near(core, a->address, a->size)) {
            act(chip, a);
        } else if (a->kind == LOAD_AFTER) {
            apmu_core_load_chained(core);
        }
    } else if (a->kind == STORE) {
        const bool recent = data && apmu_core_is_recent(core, &core->l1d, &core->dtlb, a->address, true);

        core->tally.stores += recent;
        if (!recent && !apmu_core_store_near(core, a->address, a->size)) {
            act(chip, a);
        }
    } else if (a->kind != FETCH || ((!in_one_line(&core->l1i, a) || !apmu_core_fetch_recent(core, a->address)) &&
                                    !apmu_core_fetch_near(core, a->address, a->size))) {
        act(chip, a);
    }
}

static bool steps_change_counts(struct choices *c)
{
    const uint32_t parts = pick(c, 1) != 0 ? APMU_CORE_ALL : (uint32_t)pick(c, 7);
    struct invented_program program;
    struct apmu_core_row row;

    draw_row(&row, c);
    struct apmu_chip *fast = new_chip(&row, parts, 2), *slow = new_chip(&row, parts | APMU_CORE_UNFILTERED, 2);

    program_init(&program, 2);
    for (unsigned i = 0; i < ACTIONS; i++) {
        struct core_action action;

        draw_action(&program, c, &action);
        if (action.kind != MAP) {
            act_in_steps(fast, &action);
            act(slow, &action);
        }
    }
    const long event = first_difference(&row, 2, differs_from_chip, fast, slow);

    free(fast);
    free(slow);
    HOLDS(event < 0, "event 0x%lx of a row like %s, parts 0x%x", event, row.name, (unsigned)parts);
    return false;
}

/* Replays what @core did since the last time. */
static void catch_up(struct apmu_core *core, struct apmu_core_batch *batch)
{
    apmu_core_end_batch(core, batch);
    apmu_core_replay(core, batch);
    batch->branches = 0;
}

/* Does action @a on a core that lets time pass late, and with steps as an emulator that answers at once what it can. */
static void act_late(struct apmu_chip *chip, const struct core_action *a, bool steps, struct apmu_core_batch *batch)
{
    struct apmu_core *core = apmu_chip_core(chip, 0);

    if (a->kind == SETTLE) {
        catch_up(core, batch);
    }
    if (a->kind == BRANCH) {
        apmu_core_add_branch(core, batch, a->branch, a->address, a->target, a->taken);
    } else if (steps && a->kind != MAP) {
        act_in_steps(chip, a);
    } else {
        act(chip, a);
    }
}

static bool late_time_changes_counts(struct choices *c)
{
    const uint32_t parts = pick(c, 1) != 0 ? APMU_CORE_ALL : (uint32_t)pick(c, 8);
    const unsigned patience = 1 + pick_of(c, APMU_CORE_BATCH);
    struct apmu_core_batch batch = {.branches = 0};
    struct invented_program program;
    struct apmu_core_row row;

    draw_row(&row, c);
    struct apmu_chip *late = new_chip(&row, parts, 1), *now = new_chip(&row, parts, 1);
    struct apmu_core *core = apmu_chip_core(late, 0);
    const bool steps = pick(c, 1) != 0;

    program_init(&program, 1);
    apmu_core_time_late(core);
    for (unsigned i = 0; i < ACTIONS; i++) {
        struct core_action a;

        draw_action(&program, c, &a);
        if (steps && a.kind == MAP) { /* the functions of <armpmu/core_near.h> are for addresses that are not mapped */
            continue;
        }
        act(now, &a);
        act_late(late, &a, steps, &batch);
        if (batch.branches == patience || core->notes.count == APMU_CORE_NOTES) {
            catch_up(core, &batch);
        }
    }
    catch_up(core, &batch);
    const long event = first_difference(&row, 1, differs_from_chip, late, now);

    free(late);
    free(now);
    HOLDS(event < 0, "event 0x%lx of a row like %s, parts 0x%x", event, row.name, (unsigned)parts);
    return false;
}

/* What one side has handed on to the other: an action, or the visits of one. */
struct handed {
    struct core_action action;
    uint32_t first, count; /* visits; count 0: it is an action */
};

/* What waits for the other side. */
struct queue {
    struct handed *at;
    struct apmu_core_visit *visits;
    uint32_t count, visit_count;
};
#define QUEUE_MOST 512u

/* Does the load or store @a on the side that has the short cuts, and queues the visits that it makes. */
static void visit(struct apmu_core *core, const struct core_action *a, struct queue *q)
{
    struct apmu_core_visit *visits = q->visits + q->visit_count;
    const bool store = a->kind == STORE;
    const bool fast = a->kind != LOAD_AFTER && (store ? apmu_core_store_fast(core, a->address, a->size)
                                                      : apmu_core_load_fast(core, a->address, a->size));

    if (!fast) {
        const uint32_t count = store ? apmu_core_store_late(core, a->address, a->size, visits)
                                     : apmu_core_load_late(core, a->address, a->size, visits);

        q->at[q->count++] = (struct handed){*a, q->visit_count, count};
        q->visit_count += count;
    }
}

/* Does what was queued on the other side.  @many: it looks up the lines of many accesses at once. */
static void do_queued(struct apmu_chip *chip, struct queue *q, bool many)
{
    struct apmu_core *core = apmu_chip_core(chip, 0);

    if (many) {
        apmu_core_visit(core, q->visits, q->visit_count);
    }
    for (uint32_t i = 0; i < q->count && !many; i++) {
        const struct handed *h = &q->at[i];

        if (h->count == 0) {
            act(chip, &h->action);
        } else if (h->action.kind == STORE) {
            apmu_core_visit_store(core, q->visits + h->first, h->count);
        } else {
            apmu_core_visit_load(core, q->visits + h->first, h->count, h->action.kind == LOAD_AFTER);
        }
    }
    q->count = q->visit_count = 0;
}

/* Does @count actions on @now, and on @late, whose other side has @patience actions to do at a time. */
static void run_visits(struct choices *c, struct invented_program *program, unsigned count, unsigned patience,
                       struct apmu_chip *late, struct apmu_chip *now, bool many)
{
    static struct handed handed[QUEUE_MOST];
    static struct apmu_core_visit visits[QUEUE_MOST * APMU_CORE_VISITS_MOST];
    struct queue q = {handed, visits, 0, 0};

    for (unsigned i = 0; i < count; i++) {
        struct core_action a;

        draw_action(program, c, &a);
        const bool data = a.kind == LOAD || a.kind == LOAD_AFTER || a.kind == STORE;

        if (!data && (many || a.kind == MAP || a.kind == WALK || a.kind == FORGET || a.kind == FORGET_WHERE)) {
            continue; /* no user program does the latter */
        }
        act(now, &a);
        if (data) {
            visit(apmu_chip_core(late, 0), &a, &q);
        } else {
            q.at[q.count++] = (struct handed){a, 0, 0};
        }
        if (q.count >= patience) {
            do_queued(late, &q, many);
        }
    }
    do_queued(late, &q, many);
}

static bool late_visits_change_counts(struct choices *c)
{
    const bool many = pick(c, 1) != 0;
    const uint32_t of_data = APMU_CORE_DTLB | APMU_CORE_L2 | APMU_CORE_LAST;
    const uint32_t drawn = pick(c, 1) != 0 ? APMU_CORE_ALL : (uint32_t)pick(c, 8);
    const uint32_t parts = APMU_CORE_L1D | (many ? drawn & of_data : drawn);
    struct invented_program program;
    struct apmu_core_row row;

    draw_row(&row, c);
    set(&row, APMU_CORE_KEY_L1D_WRITE, 0);
    set(&row, APMU_CORE_KEY_L1D_ALLOCATE, 1);
    set(&row, APMU_CORE_KEY_L1D_HALVES, 0);
    set(&row, APMU_CORE_KEY_L1D_PREFETCH, APMU_CORE_PREFETCH_NONE);
    struct apmu_chip *late = new_chip(&row, parts, 1), *now = new_chip(&row, parts | APMU_CORE_UNFILTERED, 1);
    const bool can = apmu_core_visit_late(apmu_chip_core(late, 0));

    program_init(&program, 1);
    run_visits(c, &program, ACTIONS, 1 + pick_of(c, QUEUE_MOST), late, now, many);
    apmu_core_visit_now(apmu_chip_core(late, 0));
    run(c, 1, late, now, NULL); /* what it knows serves other calls, too */
    const long event = first_difference(&row, 1, differs_from_chip, late, now);
    const bool same = memcmp(&apmu_chip_core(late, 0)->tally, &apmu_chip_core(now, 0)->tally,
                             sizeof(struct apmu_core_tally)) == 0;

    free(late);
    free(now);
    HOLDS(can, "a row like %s, parts 0x%x, is refused", row.name, (unsigned)parts);
    HOLDS(event < 0 && same, "event 0x%lx of a row like %s, parts 0x%x, many %d", event, row.name, (unsigned)parts,
          many);
    return false;
}

static bool parts_change_an_event(struct choices *c)
{
    struct apmu_core_row row;
    uint16_t event;

    draw_row(&row, c);
    do {
        event = (uint16_t)pick(c, 16);
    } while (!apmu_core_models(&row, event));
    const uint32_t parts = apmu_core_parts(&row, &event, 1);
    struct apmu_chip *all = new_chip(&row, APMU_CORE_ALL, 2), *some = new_chip(&row, parts, 2);

    run(c, 2, all, some, NULL);
    const bool differs = differs_from_chip(all, some, 0, event) || differs_from_chip(all, some, 1, event);

    free(all);
    free(some);
    HOLDS(!differs, "event 0x%x of a row like %s with parts 0x%x", event, row.name, (unsigned)parts);
    return false;
}

/* A chip with all parts, of which only some are used, is like one with these parts. */
static bool use_of_parts_differs(struct choices *c)
{
    const uint32_t drawn = (uint32_t)pick(c, 8), parts = (drawn & APMU_CORE_TIMING) != 0 ? APMU_CORE_ALL : drawn;
    struct apmu_core_row row;

    draw_row(&row, c);
    struct apmu_chip *all = new_chip(&row, APMU_CORE_ALL, 2), *some = new_chip(&row, parts, 2);

    for (unsigned n = 0; n < 2; n++) {
        apmu_core_use_parts(apmu_chip_core(all, n), 0);
    }
    run(c, 2, all, NULL, NULL); /* nothing is looked up, so nothing stays in a cache or TLB */
    struct apmu_chip *fresh = new_chip(&row, APMU_CORE_ALL, 2);

    for (unsigned n = 0; n < 2; n++) {
        apmu_core_use_parts(apmu_chip_core(fresh, n), parts);
    }
    run(c, 2, fresh, some, NULL);
    const long event = first_difference(&row, 2, differs_from_chip, fresh, some);
    const bool silent = apmu_core_read(apmu_chip_core(all, 0), APMU_EV_L1D_CACHE) == 0;

    free(all);
    free(fresh);
    free(some);
    HOLDS(event < 0 && silent, "event 0x%lx of a row like %s of which parts 0x%x are used", event, row.name,
          (unsigned)parts);
    return false;
}

static bool copy_differs(struct choices *c)
{
    struct apmu_core_row row;
    struct invented_program program;

    draw_row(&row, c);
    const size_t size = apmu_chip_size(&row, APMU_CORE_ALL, 2);
    struct apmu_chip *chip = new_chip(&row, APMU_CORE_ALL, 2), *copy = malloc(size);

    if (copy == NULL) {
        abort();
    }
    program_init(&program, 2);
    for (unsigned i = 0; i < 200; i++) {
        struct core_action action;

        draw_action(&program, c, &action);
        act(chip, &action);
        memcpy(copy, chip, size);
        act(chip, &action);
        act(copy, &action);
        if (memcmp(chip, copy, size) != 0) {
            break;
        }
    }
    const bool differs = memcmp(chip, copy, size) != 0;

    free(chip);
    free(copy);
    HOLDS(!differs, "the copy of a chip of a row like %s", row.name);
    return false;
}

static bool growth_changes_cores(struct choices *c)
{
    struct apmu_core_row row;

    draw_row(&row, c);
    const size_t size = apmu_chip_size(&row, APMU_CORE_ALL, 2);
    struct apmu_chip *whole = new_chip(&row, APMU_CORE_ALL, 2), *grown = calloc(1, size);

    if (grown == NULL || apmu_chip_init(grown, size, &row, APMU_CORE_ALL, 1) != NULL) {
        abort();
    }
    run(c, 1, whole, grown, NULL);
    const bool refused = apmu_chip_grow(grown, size - 1, 2) != NULL && apmu_chip_grow(grown, size, 0) != NULL &&
                         apmu_chip_core(grown, 1) == NULL;
    const bool good = apmu_chip_grow(grown, size, 2) == NULL && memcmp(whole, grown, size) == 0;

    free(whole);
    free(grown);
    HOLDS(refused && good, "a chip of a row like %s that grew", row.name);
    return false;
}

static bool slots_do_not_add_up(struct choices *c)
{
    struct apmu_core_row row;
    struct invented_program program;

    draw_row(&row, c);
    set(&row, APMU_CORE_KEY_EVENTS, APMU_CORE_EVENTS_COMMON);
    struct apmu_chip *chip = new_chip(&row, APMU_CORE_ALL, 1);
    struct apmu_core *core = apmu_chip_core(chip, 0);
    bool good = true;

    program_init(&program, 1);
    for (unsigned i = 0; i < ACTIONS && good; i++) {
        struct core_action action;

        draw_action(&program, c, &action);
        act(chip, &action);
        const uint64_t slots = apmu_core_read(core, APMU_EV_CPU_CYCLES) * row.value[APMU_CORE_KEY_TIMING_WIDTH];
        const uint64_t used = apmu_core_read(core, APMU_EV_OP_SPEC) + apmu_core_read(core, APMU_EV_STALL_SLOT);

        good = used >= slots && used - slots < row.value[APMU_CORE_KEY_TIMING_WIDTH] &&
               (action.kind != SETTLE || used == slots) &&
               apmu_core_read(core, APMU_EV_STALL_SLOT) ==
                   apmu_core_read(core, APMU_EV_STALL_SLOT_FRONTEND) + apmu_core_read(core, APMU_EV_STALL_SLOT_BACKEND);
    }
    free(chip);
    HOLDS(good, "a row like %s", row.name);
    return false;
}

PROPERTIES({"core: equals the plain model, all policies", differs_from_plain_model, .rounds = 150},
           {"core: short cuts change no count", short_cuts_change_counts, .rounds = 250},
           {"core: answers at once and near ones change no count", steps_change_counts, .rounds = 250},
           {"core: caches that are looked up late change no count", late_visits_change_counts, .rounds = 300},
           {"core: time that passes late changes no count", late_time_changes_counts, .rounds = 150},
           {"core: an event is the same with the parts that it needs", parts_change_an_event, .rounds = 150},
           {"core: a use of some parts is a chip of these parts", use_of_parts_differs, .rounds = 100},
           {"core: a chip is plain data", copy_differs, .rounds = 10},
           {"core: a chip that grows", growth_changes_cores, .rounds = 30},
           {"core: operations and lost slots are all slots", slots_do_not_add_up, .rounds = 60})
