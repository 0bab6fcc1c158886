/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells whether values in sentences are as they should be, where the writer wonders about them. */
#include "rules.h"

/* Returns true if the clue CLUE_words_@x is there. */
#define SAYS(x) (reading_find(r, CLUE_words_##x) != NULL)
#define SEES(x) (r->sees[READING_##x])

/* Returns true if the counts are what sizes, clocks, parts or other runs give, whatever the writer wonders about. */
static bool adds_up(const struct reading *r)
{
    const bool broken = SEES(zero) || SEES(stuck) || SEES(fault) || SEES(noisy) || SEES(sometimes) || SEES(wraps);
    const bool others = SEES(zero) || SEES(fault) || SEES(small) || SEES(large) || SEES(noisy) || SEES(differs) ||
                        SEES(sometimes) || SEES(absent);

    return ((SAYS(line_refills) || SAYS(two_clocks) || (SAYS(shares) && SAYS(parts))) && !broken) ||
           (SAYS(same_apart) && (SAYS(many_events) || SAYS(multiplex)) && SAYS(perf) && !others);
}

bool rules_values_are_right(const struct reading *r)
{
    const bool asks = SEES(question) || SAYS(review);
    const bool still = SEES(zero) || SEES(stuck);

    if (adds_up(r)) {
        return true;
    }
    if (SAYS(share_of_counters) && (SAYS(same_apart) || SAYS(scaled)) && asks && !SEES(zero) && !SEES(small) &&
        !SEES(large)) {
        return true; /* perf has scaled the counts, which are the same ones apart */
    }
    if (still || SEES(fault)) {
        return false;
    }
    if (SAYS(enables_cut) && asks && !SEES(absent)) {
        return true; /* the core has no more counters */
    }
    if (SAYS(set_and_clear) && !SEES(no_interrupt) && !SEES(storm) && !SEES(runs_on)) {
        return true; /* both registers read the same bits */
    }
    if (SAYS(beyond_32_bits) && (asks || SEES(good)) && !SAYS(ratio_low) && !SEES(sometimes) && !SEES(small) &&
        !SEES(large)) {
        return true; /* more than 32 bits were counted and kept */
    }
    if (SAYS(more_than_cycles) && SAYS(plausible_ratio) && !SAYS(ratio_64) && !SEES(wraps)) {
        return true; /* a core executes several instructions a cycle */
    }
    if (SAYS(possible_ipc) && asks && !SEES(small) && !SEES(sometimes) && !SEES(wraps) && !SEES(absent) &&
        !SEES(refused)) {
        return true; /* a wide core executes as many */
    }
    /* :u and :k are all, whichever is the larger part. */
    return SAYS(shares) && SAYS(user_and_kernel) && (SAYS(perf) || SAYS(record)) && asks && !SEES(small);
}
