/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles: made, copied, reset, compared by whole. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct apmu_tb *apmu_tb_create(const char *config)
{
    struct apmu_tb *tb = calloc(1, sizeof *tb);

    if (tb == NULL) {
        return NULL;
    }
    tb_configure(tb, config == NULL ? "" : config);
    if (tb->fault[0] == '\0') {
        struct apmu_config cfg = tb->p.cfg;
        apmu_init(&tb->p, &cfg);
        tb->stimulus.reachable = tb_cover_any_reasons(&cfg);
        for (unsigned cross = 0; cross < TB_CROSS_COUNT; cross++) {
            tb->stimulus.crossed[cross] = tb_cross_reasons(tb, (enum tb_cross)cross);
        }
    }
    tb_phase_open(tb);
    apmu_tb_seed(tb, 1);
    return tb;
}

const char *apmu_tb_fault(const struct apmu_tb *tb)
{
    return tb->fault;
}

void apmu_tb_destroy(struct apmu_tb *tb)
{
    free(tb);
}

void apmu_tb_reset(struct apmu_tb *tb, int kind)
{
    apmu_on_reset(&tb->p, kind == 1 ? APMU_RESET_WARM : kind == 2 ? APMU_RESET_DEBUG : APMU_RESET_COLD);
    tb->overflowed = 0;
    tb_cause_forget(tb);
    tb_phase_open(tb);
}

struct apmu_tb *apmu_tb_save(const struct apmu_tb *tb)
{
    struct apmu_tb *copy = malloc(sizeof *copy);

    if (copy != NULL) {
        memcpy(copy, tb, sizeof *copy);
    }
    return copy;
}

void apmu_tb_restore(struct apmu_tb *tb, const struct apmu_tb *saved)
{
    tb->p = saved->p;
    tb->pe = saved->pe;
    tb->overflowed = saved->overflowed;
    tb->last = saved->last;
    memcpy(tb->lines, saved->lines, sizeof tb->lines);
    tb->line_count = saved->line_count;
    memcpy(tb->held, saved->held, sizeof tb->held);
    memcpy(tb->missed, saved->missed, sizeof tb->missed);
    tb->phase = saved->phase;
    tb->open = saved->open;
    tb->stimulus = saved->stimulus;
}

void apmu_tb_snapshot(struct apmu_tb *tb)
{
    struct apmu_out out;

    apmu_snapshot(&tb->p, &tb->pe, &out);
    tb->overflowed = out.overflowed;
}

int apmu_tb_retire(struct apmu_tb *tb, uint64_t address)
{
    return apmu_retire(&tb->p, &tb->pe, address);
}

uint32_t apmu_tb_signals(const struct apmu_tb *tb)
{
    struct apmu_out out;

    apmu_levels(&tb->p, &tb->pe, &out);
    return (uint32_t)(out.pmuirq | out.cti << 1 | out.edbgrq << 2 | out.exception << 3 | out.synchronous << 4 |
                      out.exception_el << 5 | out.brbe_freeze[0] << 7 | out.brbe_freeze[1] << 8);
}

uint64_t apmu_tb_overflowed(const struct apmu_tb *tb)
{
    return tb->overflowed;
}

uint64_t apmu_tb_why(const struct apmu_tb *tb, int n)
{
    return apmu_why(&tb->p, &tb->pe, n < 0 ? APMU_COUNTERS : (unsigned)n);
}
