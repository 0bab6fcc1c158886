/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mispredictions of known sequences on the predictor that each row of the table configures, as the theory of two-bit
 * counters, of histories of a length, and of stacks says they must be.
 */
#include "../lib/tap.h"
#include "actions.h"

enum { FORWARD_JUMP = APMU_CORE_JUMP | APMU_CORE_CONDITIONAL };

static struct apmu_core_row row;
static struct apmu_chip *chip;

static uint32_t value(enum apmu_core_key key)
{
    return row.value[key];
}

static struct apmu_core *begin(void)
{
    free(chip);
    chip = new_chip(&row, APMU_CORE_BRANCH, 1);
    return apmu_chip_core(chip, 0);
}

/* Takes row @i with each of the predictors of directions in turn.  Returns false past the last. */
static bool take_row(size_t i)
{
    if (!apmu_core_row_at(i / 5, &row)) {
        return false;
    }
    row.value[APMU_CORE_KEY_EVENTS] = APMU_CORE_EVENTS_COMMON;
    row.value[APMU_CORE_KEY_BRANCH_DIRECTION] = (uint32_t)(i % 5);
    if (value(APMU_CORE_KEY_BRANCH_BITS) == 1) {
        row.value[APMU_CORE_KEY_BRANCH_BITS] = 12;
    }
    if (i % 5 == APMU_CORE_GSHARE && value(APMU_CORE_KEY_BRANCH_HISTORY) == 0) {
        row.value[APMU_CORE_KEY_BRANCH_HISTORY] = 10;
    }
    if (i % 5 == APMU_CORE_TAGE && value(APMU_CORE_KEY_TAGE_TABLES) == 1) {
        row.value[APMU_CORE_KEY_TAGE_TABLES] = 4;
        row.value[APMU_CORE_KEY_TAGE_BITS] = 10;
        row.value[APMU_CORE_KEY_TAGE_TAG] = 10;
        row.value[APMU_CORE_KEY_TAGE_SHORTEST] = 6;
    }
    return true;
}

/* Returns how many of the latest outcomes the predictor tells apart. */
static uint32_t history(void)
{
    const uint32_t bits = value(APMU_CORE_KEY_BRANCH_BITS), mixed = value(APMU_CORE_KEY_BRANCH_HISTORY);

    switch (value(APMU_CORE_KEY_BRANCH_DIRECTION)) {
    case APMU_CORE_GSHARE:
        return mixed < bits ? mixed : bits;
    case APMU_CORE_TAGE:
        return value(APMU_CORE_KEY_TAGE_SHORTEST) << (value(APMU_CORE_KEY_TAGE_TABLES) - 1);
    default:
        return 0;
    }
}

/* Returns the mispredictions in 100 rounds of a forward branch that is taken @n - 1 times and skipped once. */
static uint64_t wrong_of_period(unsigned n)
{
    struct apmu_core *core = begin();
    uint64_t wrong = 0;

    for (unsigned i = 0; i < 500 * n; i++) {
        const bool bad = apmu_core_branch(core, FORWARD_JUMP, 0x8000, 0x9000, i % n != n - 1);

        wrong += i >= 400 * n && bad;
    }
    return wrong;
}

/*
 * A counter that meets k taken branches and then a skipped one is wrong about the skipped one, and, if k is 1, about
 * both: it begins at 1 and moves between 1 and 2.  A history of h outcomes leaves n - 1 - h taken branches in the state
 * of the skipped one, and none if h is n - 1 or more.  For tage h is that of its longest table.
 */
static void period_n(void)
{
    for (size_t i = 0; take_row(i); i++) {
        const uint32_t direction = value(APMU_CORE_KEY_BRANCH_DIRECTION), h = history();

        for (unsigned n = 2; n <= 40; n++) {
            const uint64_t wrong = wrong_of_period(n);
            const uint64_t want = direction == APMU_CORE_STATIC ? 100 * (n - 1)
                                  : h >= n - 1                  ? 0
                                  : n - 1 - h == 1              ? 200
                                                                : 100;

            MUST_EQ(wrong, want, "%s, direction %u, history %u, period %u", row.name, (unsigned)direction, (unsigned)h,
                    n);
        }
    }
}

/* The second of two branches does what the first, which is random, did not. */
static void correlated_pairs(void)
{
    for (size_t i = 0; take_row(i); i++) {
        const uint32_t direction = value(APMU_CORE_KEY_BRANCH_DIRECTION);
        struct apmu_core *core = begin();
        struct choices c = {.random = 88172645463325253};
        unsigned wrong = 0, taken = 0;

        for (unsigned turn = 0; turn < 40000; turn++) {
            const bool first = pick(&c, 1) != 0;

            apmu_core_branch(core, FORWARD_JUMP, 0x8000, 0x9000, first);
            /* gshare's table has the second branch in its other half, and the BTB in another set. */
            const uint64_t pc = 0x8004 + (UINT64_C(2) << value(APMU_CORE_KEY_BRANCH_BITS));
            const bool bad = apmu_core_branch(core, FORWARD_JUMP, pc, 0x90000, !first);

            wrong += turn >= 20000 && bad;
            taken += turn >= 20000 && !first;
        }
        if (direction == APMU_CORE_STATIC) {
            MUST_EQ(wrong, taken, "%s, static: those taken", row.name);
        } else if (direction == APMU_CORE_BIMODAL || direction == APMU_CORE_BTAC) {
            MUST(wrong > 9500 && wrong < 10500, "%s, no history: %u of 20000, want half", row.name, wrong);
        } else if (direction == APMU_CORE_GSHARE &&
                   value(APMU_CORE_KEY_BRANCH_HISTORY) < value(APMU_CORE_KEY_BRANCH_BITS)) {
            MUST(wrong == 0, "%s, gshare: %u wrong", row.name, wrong);
        } else {
            /* The first, which is random, takes cells of the second. */
            MUST(wrong < 20000 / 4, "%s, direction %u: %u of 20000", row.name, (unsigned)direction, wrong);
        }
    }
}

/* Recursion of depth d makes d - r returns wrong on a stack of r. */
static void recursion(void)
{
    for (size_t i = 0; take_row(i); i += 5) {
        const unsigned entries = value(APMU_CORE_KEY_RETURNS_ENTRIES);
        struct apmu_core *core = begin();

        for (unsigned depth = 1; depth <= 3 * entries + 2; depth++) {
            unsigned wrong = 0;

            for (unsigned d = 0; d < depth; d++) {
                apmu_core_branch(core, d % 2 == 0 ? APMU_CORE_CALL : APMU_CORE_INDIRECT_CALL, 0x4000 + 64 * d, 0x4000,
                                 true);
            }
            for (unsigned d = depth; d-- > 0;) {
                wrong += apmu_core_branch(core, APMU_CORE_RETURN, 0x5000, 0x4004 + 64 * d, true);
            }
            MUST_EQ(wrong, depth > entries ? depth - entries : 0, "%s: depth %u", row.name, depth);
        }
    }
}

/*
 * A jump table goes to targets in a pattern.  The path tells patterns apart by their last two targets at least if it
 * has six bits; without a path the last target is predicted, which is wrong wherever the next one differs.
 */
static void indirect_patterns(void)
{
    static const char *const patterns[] = {"a", "ab", "abc", "abcd", "aab", "aabb", "aabbcdcd", "abacad"};

    for (size_t i = 0; take_row(i); i += 5) {
        for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
            const char *pattern = patterns[p];
            const unsigned length = (unsigned)strlen(pattern);
            struct apmu_core *core = begin();
            unsigned wrong = 0, changes = 0;

            for (unsigned n = 0; n < length; n++) {
                changes += pattern[n] != pattern[(n + 1) % length];
            }
            for (unsigned n = 0; n < 200 * length; n++) {
                const unsigned target = (unsigned)(pattern[n % length] - 'a');

                wrong += apmu_core_branch(core, APMU_CORE_INDIRECT, 0x8000, 0x10000 + 0x1004 * target, true) &&
                         n >= 100 * length;
            }
            MUST_EQ(wrong, value(APMU_CORE_KEY_INDIRECT_BITS) >= 6 ? 0 : 100 * changes, "%s: pattern %s", row.name,
                    pattern);
        }
    }
}

int main(void)
{
    RUN(period_n);
    RUN(correlated_pairs);
    RUN(recursion);
    RUN(indirect_patterns);
    free(chip);
    return tap_status;
}
