/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts up to a period, and adapts it to a frequency. */
#include "sampler.h"

#define TICKS_PER_SECOND 250u /* of Debian's kernels */
#define LONGEST 9.0e18        /* a period that a counter of 63 bits holds */

uint64_t sampler_tick_cycles(const struct apmu_modelled *m)
{
    const uint64_t cycles = m->clock / TICKS_PER_SECOND;
    return cycles == 0 ? 1 : cycles;
}

/* Adapts the period: @count occurred in @cycles. */
static void adapt(struct sampler *s, const struct apmu_modelled *m, uint64_t cycles, uint64_t count)
{
    const double wanted = (double)count * (double)m->clock / ((double)cycles * (double)m->frequency);
    const int64_t step = (int64_t)(wanted < LONGEST ? wanted : LONGEST) - (int64_t)s->period;
    const int64_t period = (int64_t)s->period + (step + 7) / 8;

    s->period = period < 1 ? 1 : (uint64_t)period;
}

void sampler_begin(struct sampler *s, const struct apmu_modelled *m, uint64_t now)
{
    *s = (struct sampler){.period = m->frequency != 0 ? 1 : m->period, .taken = now};
}

bool sampler_count(struct sampler *s, uint64_t more)
{
    s->in_tick += more;
    s->over += more;
    if (s->over < s->period) {
        return false;
    }
    const uint64_t rest = s->over % s->period;

    s->due += s->over - rest;
    s->over = rest;
    return true;
}

uint64_t sampler_take(struct sampler *s, const struct apmu_modelled *m, uint64_t now)
{
    const uint64_t weight = s->due, cycles = now - s->taken;

    if (weight == 0) {
        return 0;
    }
    s->due = 0;
    s->taken = now;
    if (m->frequency != 0 && cycles != 0 && cycles < 2 * sampler_tick_cycles(m)) {
        adapt(s, m, cycles, weight);
    }
    return weight;
}

void sampler_tick(struct sampler *s, const struct apmu_modelled *m, uint64_t cycles)
{
    if (s->in_tick != 0) {
        adapt(s, m, cycles, s->in_tick);
    }
    s->in_tick = 0;
}
