/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The phase of the divider of PMCR_EL0.D, which the architecture leaves open.  With divider=any the bench holds the set
 * of phases that a design can be in.  Counted cycles advance each of them, and what PMCCNTR_EL0 of the design shows
 * after a step leaves only those that explain it.  So a design may be one tick beside the model, but never another one.
 */
#include <string.h>

#include "internal.h"

enum { PHASES = 64 };

void tb_phase_open(struct apmu_tb *tb)
{
    tb->phase.possible = UINT64_MAX;
}

void tb_phase_note(struct apmu_tb *tb, uint64_t cycles, const uint32_t *counts)
{
    struct tb_phase *phase = &tb->phase;

    if (!phase->any) {
        return;
    }
    if (!apmu_cycle_divides(&tb->p, &tb->pe)) {
        tb_phase_open(tb);
        return;
    }
    if (phase->steps++ == 0) {
        phase->before = tb->p;
        phase->pe = tb->pe;
        phase->cycles = cycles;
        memcpy(phase->counts, counts, sizeof phase->counts);
    }
}

void tb_phase_settle(struct apmu_tb *tb, uint64_t got)
{
    struct tb_phase *phase = &tb->phase;
    const bool one = phase->steps == 1;
    uint64_t possible = 0;
    struct apmu found = tb->p;
    uint64_t overflowed = tb->overflowed;

    phase->steps = 0;
    for (unsigned at = 0; one && at < PHASES; at++) {
        struct apmu trial = phase->before;
        struct apmu_out out;

        if ((phase->possible >> at & 1) == 0) {
            continue;
        }
        trial.divider = (uint8_t)at;
        tb_step(tb, &trial, &phase->pe, phase->cycles, phase->counts, &out);
        if (trial.cntr[APMU_CYCLE] != got) {
            continue;
        }
        if (possible == 0 || trial.divider == tb->p.divider) {
            found = trial;
            overflowed = out.overflowed;
        }
        possible |= UINT64_C(1) << trial.divider;
    }
    if (possible != 0) {
        tb->p = found;
        tb->overflowed = overflowed;
        phase->possible = possible;
    }
}
