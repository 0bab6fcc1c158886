/* SPDX-License-Identifier: BSD-2-Clause */
/* Sequences of branches whose predictions can be counted by hand, on each predictor. */
#include "../lib/tap.h"
#include "actions.h"

static struct apmu_core_row row;
static struct apmu_chip *chip;

/* Begins a core with the predictor of directions @direction, and large tables. */
static struct apmu_core *begin(uint32_t direction)
{
    free(chip);
    apmu_core_row_by_name("cortex-a76", &row);
    row.value[APMU_CORE_KEY_BRANCH_DIRECTION] = direction;
    row.value[APMU_CORE_KEY_BRANCH_BITS] = 12;
    row.value[APMU_CORE_KEY_BRANCH_HISTORY] = 10;
    row.value[APMU_CORE_KEY_RETURNS_ENTRIES] = 16;
    chip = new_chip(&row, APMU_CORE_BRANCH, 1);
    return apmu_chip_core(chip, 0);
}

/* Executes a conditional branch at @pc, and returns whether it was mispredicted. */
static bool conditional(struct apmu_core *core, uint64_t pc, bool taken)
{
    return apmu_core_branch(core, APMU_CORE_JUMP | APMU_CORE_CONDITIONAL, pc, pc - 64, taken);
}

static uint64_t wrong(const struct apmu_core *core)
{
    return apmu_core_read(core, APMU_EV_BR_MIS_PRED_RETIRED);
}

static void a_branch_that_is_always_taken(void)
{
    static const unsigned want[5] = {0, 1, 1, 11,
                                     0}; /* gshare: a counter for each of the first ten histories, one more */

    for (uint32_t direction = APMU_CORE_STATIC; direction <= APMU_CORE_GSHARE; direction++) {
        struct apmu_core *core = begin(direction);

        for (unsigned i = 0; i < 1000; i++) {
            apmu_core_branch(core, APMU_CORE_JUMP | APMU_CORE_CONDITIONAL, 0x1000,
                             direction == APMU_CORE_BTAC ? 0x2000 : 0x800, true);
        }
        MUST_EQ(wrong(core), want[direction], "direction %u", (unsigned)direction);
    }
}

static void alternating(void)
{
    struct apmu_core *core = begin(APMU_CORE_STATIC);

    for (unsigned i = 0; i < 1000; i++) {
        conditional(core, 0x1000, i % 2 == 0);
    }
    MUST_EQ(wrong(core), 500, "static: the skipped ones");
    core = begin(APMU_CORE_BIMODAL);
    for (unsigned i = 0; i < 1000; i++) {
        conditional(core, 0x1000, i % 2 == 0);
    }
    /* The counter goes 1, 2, 1, 2: it is always wrong. */
    MUST_EQ(wrong(core), 1000, "bimodal");
    core = begin(APMU_CORE_GSHARE);
    for (unsigned i = 0; i < 1000; i++) {
        conditional(core, 0x1000, i % 2 == 0);
    }
    MUST(wrong(core) <= 12, "gshare: %u", (unsigned)wrong(core));
    core = begin(APMU_CORE_TAGE);
    for (unsigned i = 0; i < 1000; i++) {
        conditional(core, 0x1000, i % 2 == 0);
    }
    MUST(wrong(core) <= 20, "tage: %u", (unsigned)wrong(core));
}

/* Returns the mispredictions in the second half of @times rounds of a loop of @period iterations. */
static uint64_t of_period(struct apmu_core *core, unsigned period, unsigned times)
{
    uint64_t before = 0;

    for (unsigned i = 0; i < times * period; i++) {
        before = i == times * period / 2 ? wrong(core) : before;
        conditional(core, 0x1000, i % period != period - 1);
    }
    return wrong(core) - before;
}

static void loops_of_period_n(void)
{
    for (unsigned period = 3; period <= 9; period++) {
        MUST_EQ(of_period(begin(APMU_CORE_BIMODAL), period, 200), 100, "bimodal, period %u: the exit of each", period);
        MUST_EQ(of_period(begin(APMU_CORE_GSHARE), period, 200), 0, "gshare, period %u", period);
        MUST_EQ(of_period(begin(APMU_CORE_TAGE), period, 200), 0, "tage, period %u", period);
    }
    /* Longer than gshare's history, and within tage's longest. */
    MUST_EQ(of_period(begin(APMU_CORE_GSHARE), 20, 200), 100, "gshare, period 20");
    MUST(of_period(begin(APMU_CORE_TAGE), 40, 400) <= 4, "tage, period 40");
}

static void correlated_branches(void)
{
    static const uint32_t directions[3] = {APMU_CORE_BIMODAL, APMU_CORE_GSHARE, APMU_CORE_TAGE};

    for (unsigned d = 0; d < 3; d++) {
        struct apmu_core *core = begin(directions[d]);
        struct choices c = {.random = 4711};
        unsigned second_wrong = 0;

        for (unsigned i = 0; i < 4000; i++) {
            const bool first = pick_bool(&c);

            conditional(core, 0x1000, first);
            second_wrong += conditional(core, 0x1100, !first) && i >= 2000;
        }
        if (directions[d] == APMU_CORE_BIMODAL) {
            MUST(second_wrong > 700 && second_wrong < 1300, "bimodal knows nothing of the first: %u", second_wrong);
        } else {
            MUST(second_wrong < 60, "direction %u: %u of 2000", (unsigned)directions[d], second_wrong);
        }
    }
}

static void deep_recursion(void)
{
    struct apmu_core *core = begin(APMU_CORE_TAGE);

    for (unsigned depth = 1; depth <= 40; depth++) {
        const uint64_t before = wrong(core);

        for (unsigned i = 0; i < depth; i++) {
            apmu_core_branch(core, APMU_CORE_CALL, 0x1000 + 16 * i, 0x1000, true);
        }
        for (unsigned i = depth; i-- > 0;) {
            apmu_core_branch(core, APMU_CORE_RETURN, 0x2000, 0x1004 + 16 * i, true);
        }
        MUST_EQ(wrong(core) - before, depth > 16 ? depth - 16 : 0, "depth %u on a stack of 16", depth);
    }
    MUST_EQ(apmu_core_read(core, APMU_EV_BR_RETURN_MIS_PRED_RETIRED), wrong(core), "all are returns");
    apmu_core_branch(core, APMU_CORE_CALL | APMU_CORE_NARROW, 0x3000, 0x1000, true);
    MUST(!apmu_core_branch(core, APMU_CORE_RETURN, 0x2000, 0x3002, true), "behind a call of two bytes");
}

static void tables_of_targets(void)
{
    struct apmu_core *core = begin(APMU_CORE_TAGE);
    uint64_t before = 0;

    for (unsigned i = 0; i < 4000; i++) {
        before = i == 2000 ? wrong(core) : before;
        apmu_core_branch(core, APMU_CORE_INDIRECT, 0x1000, 0x4000 + i % 4 * 0x144, true);
    }
    MUST_EQ(wrong(core) - before, 0, "the path tells four targets in turn apart");
    row.value[APMU_CORE_KEY_INDIRECT_BITS] = 0;
    free(chip);
    chip = new_chip(&row, APMU_CORE_BRANCH, 1);
    core = apmu_chip_core(chip, 0);
    for (unsigned i = 0; i < 4000; i++) {
        apmu_core_branch(core, APMU_CORE_INDIRECT, 0x1000, 0x4000 + i % 4 * 0x144, true);
    }
    MUST_EQ(wrong(core), 4000, "the BTB has the last target");
    for (unsigned i = 0; i < 1000; i++) {
        apmu_core_branch(core, APMU_CORE_INDIRECT, 0x5000, 0x9000, true);
    }
    MUST_EQ(wrong(core), 4001, "one target");
}

static void jumps_that_the_btb_lacks(void)
{
    begin(APMU_CORE_TAGE);
    free(chip);
    chip = new_chip(&row, APMU_CORE_ALL, 1);
    struct apmu_core *core = apmu_chip_core(chip, 0);

    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 100; i++) {
            MUST(!apmu_core_branch(core, APMU_CORE_JUMP, 0x1000 + 8 * i, 0x2000, true), "jump %u", i);
        }
    }
    MUST_EQ(apmu_core_read(core, APMU_EV_STALL_FRONTEND_FLOW), 100 * row.value[APMU_CORE_KEY_TIMING_BUBBLE], "bubbles");
    MUST_EQ(wrong(core), 0, "no misprediction");
}

static void arm11_predicts_by_btac_and_sign(void)
{
    free(chip);
    apmu_core_row_by_name("arm1176", &row);
    chip = new_chip(&row, APMU_CORE_ALL, 1);
    struct apmu_core *core = apmu_chip_core(chip, 0);

    MUST(!conditional(core, 0x1000, true), "backward: static");
    MUST(apmu_core_branch(core, APMU_CORE_JUMP | APMU_CORE_CONDITIONAL, 0x2040, 0x3000, true), "forward: static");
    MUST(!apmu_core_branch(core, APMU_CORE_JUMP | APMU_CORE_CONDITIONAL, 0x2040, 0x3000, true), "now the BTAC has it");
    MUST_EQ(apmu_core_read(core, 0x05), 3, "BR_EXEC");
    MUST_EQ(apmu_core_read(core, 0x06), 1, "BR_MISPREDICT");
    MUST_EQ(apmu_core_read(core, 0x0D), 3, "SW_PC_CHANGE");
    MUST_EQ(apmu_core_read(core, 0x01), 1, "IBUF_STALL: one for a misprediction");
    apmu_core_instructions(core, 3);
    MUST(apmu_core_read(core, 0xFF) >= 7, "CPU_CYCLES: three instructions and the penalty of four");
}

int main(void)
{
    RUN(a_branch_that_is_always_taken);
    RUN(alternating);
    RUN(loops_of_period_n);
    RUN(correlated_branches);
    RUN(deep_recursion);
    RUN(tables_of_targets);
    RUN(jumps_that_the_btb_lacks);
    RUN(arm11_predicts_by_btac_and_sign);
    free(chip);
    return tap_status;
}
