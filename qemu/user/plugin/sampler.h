/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A counter of a thread that overflows after a period, of which samples are taken.
 *
 * With a frequency the period adapts as Linux' does (perf_adjust_period()).  It begins at 1.  At each sample, and after
 * each tick, the period that would have given the frequency in the time since then is found, and an eighth of the way
 * to it is gone.  Time is the cycles of the thread's modelled core.
 */
#ifndef ARMPMU_QEMU_USER_SAMPLER_H
#define ARMPMU_QEMU_USER_SAMPLER_H

#include <stdbool.h>

#include "../protocol.h"

struct sampler {
    uint64_t period;  /* the present one */
    uint64_t over;    /* occurrences since the last overflow */
    uint64_t due;     /* those of overflows whose interrupt was not taken yet */
    uint64_t taken;   /* the cycle of the last sample */
    uint64_t in_tick; /* occurrences since the last tick */
};

/** Returns whether samples are taken. */
static inline bool sampler_wanted(const struct apmu_modelled *m)
{
    return m->period != 0 || m->frequency != 0;
}

/** Sets @s to 0, at cycle @now. */
void sampler_begin(struct sampler *s, const struct apmu_modelled *m, uint64_t now);

/** Counts @more occurrences.  Returns whether an interrupt is due. */
bool sampler_count(struct sampler *s, uint64_t more);

/** Takes the interrupt at cycle @now.  Returns the occurrences for which the sample stands; 0: none was due. */
uint64_t sampler_take(struct sampler *s, const struct apmu_modelled *m, uint64_t now);

/** Returns the cycles from one tick to the next. */
uint64_t sampler_tick_cycles(const struct apmu_modelled *m);

/** Adapts the period after a tick, in which @cycles passed. */
void sampler_tick(struct sampler *s, const struct apmu_modelled *m, uint64_t cycles);

#endif
