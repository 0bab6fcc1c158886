/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small sequences that each trigger one kind of event, after the idea of Arm's learning path on triggering PMU events
 * by assembly: on each core of the table they move exactly the events that they are about, by a number that follows
 * from the sequence, and leave the others of the families that are looked at.
 */
#include "../lib/tap.h"
#include "actions.h"

static struct apmu_core_row row;
static struct apmu_chip *chip;

/* The events that are looked at. */
static const uint16_t looked_at[] = {
    APMU_EV_INST_RETIRED,        APMU_EV_MEM_ACCESS_RD,       APMU_EV_MEM_ACCESS_WR,      APMU_EV_L1D_CACHE,
    APMU_EV_L1D_CACHE_REFILL,    APMU_EV_L1D_CACHE_WB_VICTIM, APMU_EV_L1I_CACHE,          APMU_EV_L1I_CACHE_REFILL,
    APMU_EV_L1D_TLB_REFILL,      APMU_EV_L1I_TLB_REFILL,      APMU_EV_DTLB_WALK,          APMU_EV_ITLB_WALK,
    APMU_EV_BR_RETIRED,          APMU_EV_BR_MIS_PRED_RETIRED, APMU_EV_BR_RETURN_RETIRED,  APMU_EV_BR_IMMED_RETIRED,
    APMU_EV_BR_IND_RETIRED,      APMU_EV_BUS_ACCESS_WR,       APMU_EV_STALL_BACKEND_MEM,  APMU_EV_STALL_FRONTEND_FLUSH,
};
enum { LOOKED_AT = sizeof looked_at / sizeof looked_at[0], ANY = -1, LIST_END = 0xFFFF };

/* What a sequence adds to an event; ANY: something.  What is not in a list gets nothing. */
struct moved_event {
    uint16_t event;
    long by;
};

/* A sequence, and what prepares it. */
struct single_sequence {
    const char *name;
    void (*prepare)(struct apmu_core *core);
    void (*run)(struct apmu_core *core);
    struct moved_event moves[10];
};

static uint32_t value(enum apmu_core_key key)
{
    return row.value[key];
}

static void nothing(struct apmu_core *core)
{
    (void)core;
}

/* Loads a word of one line. */
static void warm(struct apmu_core *core)
{
    apmu_core_load(core, 0x100000, 8);
    apmu_core_settle(core);
}

static void load_hits(struct apmu_core *core)
{
    for (unsigned i = 0; i < 100; i++) {
        apmu_core_instructions(core, 1);
        apmu_core_load(core, 0x100000, 8);
    }
}

static void store_hits(struct apmu_core *core)
{
    for (unsigned i = 0; i < 100; i++) {
        apmu_core_instructions(core, 1);
        apmu_core_store(core, 0x100000, 8);
    }
}

/* Loads from 16 lines that nobody has touched, in a page that is translated. */
static void load_misses(struct apmu_core *core)
{
    for (unsigned i = 1; i <= 16; i++) {
        apmu_core_load(core, 0x100000 + i * value(APMU_CORE_KEY_L1D_LINE), 8);
    }
}

/* Loads from pages that nobody has touched, of lines in different sets. */
static void page_misses(struct apmu_core *core)
{
    for (unsigned i = 1; i <= 8; i++) {
        apmu_core_load(core, 0x200000 + i * (uint64_t)(value(APMU_CORE_KEY_PAGE) + value(APMU_CORE_KEY_L1D_LINE)), 8);
    }
}

static void fetch_once(struct apmu_core *core)
{
    apmu_core_fetch(core, 0x400000, 16);
}

static void fetch_hits(struct apmu_core *core)
{
    for (unsigned i = 0; i < 100; i++) {
        apmu_core_fetch(core, 0x400000, 16);
    }
}

static void fetch_misses(struct apmu_core *core)
{
    for (unsigned i = 1; i <= 16; i++) {
        apmu_core_fetch(core, 0x400000 + i * value(APMU_CORE_KEY_L1I_LINE), 4);
    }
}

/* Calls and returns, ten times. */
static void call_and_return(struct apmu_core *core)
{
    for (unsigned i = 0; i < 10; i++) {
        apmu_core_branch(core, APMU_CORE_CALL, 0x400000, 0x401000, true);
        apmu_core_branch(core, APMU_CORE_RETURN, 0x401008, 0x400004, true);
    }
}

static void return_elsewhere(struct apmu_core *core)
{
    apmu_core_branch(core, APMU_CORE_CALL, 0x400000, 0x401000, true);
    apmu_core_branch(core, APMU_CORE_RETURN, 0x401008, 0x402000, true);
}

/* Dirties more lines of one set than it has ways: each further one is written back. */
static void fill_set(struct apmu_core *core)
{
    const uint64_t way = value(APMU_CORE_KEY_L1D_SIZE) / value(APMU_CORE_KEY_L1D_WAYS);

    for (uint64_t i = 0; i < value(APMU_CORE_KEY_L1D_WAYS); i++) {
        apmu_core_store(core, 0x1000000 + i * way, 8);
    }
    apmu_core_load(core, 0x1000000 + value(APMU_CORE_KEY_L1D_WAYS) * way + value(APMU_CORE_KEY_L1D_LINE), 8);
}

static void overfill_set(struct apmu_core *core)
{
    const uint64_t way = value(APMU_CORE_KEY_L1D_SIZE) / value(APMU_CORE_KEY_L1D_WAYS);

    apmu_core_load(core, 0x1000000 + value(APMU_CORE_KEY_L1D_WAYS) * way, 8);
}

static const struct single_sequence sequences[] = {
    {"loads that hit", warm, load_hits,
     {{APMU_EV_INST_RETIRED, 100}, {APMU_EV_MEM_ACCESS_RD, 100}, {APMU_EV_L1D_CACHE, 100}, {LIST_END, 0}}},
    {"stores that hit", warm, store_hits,
     {{APMU_EV_INST_RETIRED, 100}, {APMU_EV_MEM_ACCESS_WR, 100}, {APMU_EV_L1D_CACHE, 100}, {LIST_END, 0}}},
    {"loads that miss L1D", warm, load_misses,
     {{APMU_EV_MEM_ACCESS_RD, 16},
      {APMU_EV_L1D_CACHE, 16},
      {APMU_EV_L1D_CACHE_REFILL, 16},
      {APMU_EV_STALL_BACKEND_MEM, ANY},
      {LIST_END, 0}}},
    {"loads that miss the TLBs", warm, page_misses,
     {{APMU_EV_MEM_ACCESS_RD, 8},
      {APMU_EV_L1D_CACHE, 8},
      {APMU_EV_L1D_CACHE_REFILL, 8},
      {APMU_EV_L1D_TLB_REFILL, 8},
      {APMU_EV_DTLB_WALK, 8},
      {APMU_EV_STALL_BACKEND_MEM, ANY},
      {LIST_END, 0}}},
    {"fetches that hit", fetch_once, fetch_hits, {{APMU_EV_L1I_CACHE, 100}, {LIST_END, 0}}},
    {"fetches that miss L1I", fetch_once, fetch_misses,
     {{APMU_EV_L1I_CACHE, 16}, {APMU_EV_L1I_CACHE_REFILL, 16}, {LIST_END, 0}}},
    {"a fetch that misses the TLBs", nothing, fetch_once,
     {{APMU_EV_L1I_CACHE, 1},
      {APMU_EV_L1I_CACHE_REFILL, 1},
      {APMU_EV_L1I_TLB_REFILL, 1},
      {APMU_EV_ITLB_WALK, 1},
      {LIST_END, 0}}},
    {"calls and returns", call_and_return, call_and_return,
     {{APMU_EV_BR_RETIRED, 20},
      {APMU_EV_BR_IMMED_RETIRED, 10},
      {APMU_EV_BR_RETURN_RETIRED, 10},
      {APMU_EV_BR_IND_RETIRED, 10},
      {LIST_END, 0}}},
    {"a return that goes elsewhere", call_and_return, return_elsewhere,
     {{APMU_EV_BR_RETIRED, 2},
      {APMU_EV_BR_IMMED_RETIRED, 1},
      {APMU_EV_BR_RETURN_RETIRED, 1},
      {APMU_EV_BR_IND_RETIRED, 1},
      {APMU_EV_BR_MIS_PRED_RETIRED, 1},
      {APMU_EV_STALL_FRONTEND_FLUSH, ANY},
      {LIST_END, 0}}},
    {"a dirty line that gives way", fill_set, overfill_set,
     {{APMU_EV_MEM_ACCESS_RD, 1},
      {APMU_EV_L1D_CACHE, 1},
      {APMU_EV_L1D_CACHE_REFILL, 1},
      {APMU_EV_L1D_CACHE_WB_VICTIM, 1},
      {APMU_EV_L1D_TLB_REFILL, ANY},
      {APMU_EV_DTLB_WALK, ANY},
      {APMU_EV_STALL_BACKEND_MEM, ANY},
      {APMU_EV_BUS_ACCESS_WR, ANY}, /* the core has no L2 */
      {LIST_END, 0}}}};

/* Checks what a sequence moved. */
static void check_moves(const struct single_sequence *s, const struct apmu_core *core, const uint64_t *before)
{
    for (unsigned i = 0; i < LOOKED_AT; i++) {
        const long by = (long)(apmu_core_read(core, looked_at[i]) - before[i]);
        long want = 0;

        for (const struct moved_event *m = s->moves; m->event != LIST_END; m++) {
            want = m->event == looked_at[i] ? m->by : want;
        }
        MUST(by == want || want == ANY, "%s: %s: event 0x%x moved by %ld, want %ld", row.name, s->name,
             looked_at[i], by, want);
    }
}

static void each_moves_its_events(void)
{
    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        row.value[APMU_CORE_KEY_EVENTS] = APMU_CORE_EVENTS_COMMON;
        row.value[APMU_CORE_KEY_L1D_ALLOCATE] = 1;
        row.value[APMU_CORE_KEY_L1D_INDEX] = APMU_CORE_INDEX_LOW;
        for (size_t n = 0; n < sizeof sequences / sizeof sequences[0]; n++) {
            uint64_t before[LOOKED_AT];

            free(chip);
            chip = new_chip(&row, APMU_CORE_ALL, 1);
            struct apmu_core *core = apmu_chip_core(chip, 0);

            sequences[n].prepare(core);
            for (unsigned e = 0; e < LOOKED_AT; e++) {
                before[e] = apmu_core_read(core, looked_at[e]);
            }
            sequences[n].run(core);
            check_moves(&sequences[n], core, before);
        }
    }
}

int main(void)
{
    RUN(each_moves_its_events);
    free(chip);
    return tap_status;
}
