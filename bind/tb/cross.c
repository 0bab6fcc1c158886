/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functional coverage of reasons crossed with what a counter counts: cycles, the overflows of the counter below it, and
 * software increments, which designs implement beside the events of their lines.
 */
#include "internal.h"

/* Returns the one reason of @why, or APMU_REASON_COUNT if there is none or more than one. */
unsigned tb_cross_single(uint64_t why)
{
    unsigned reason = 0;

    if (why == 0 || (why & (why - 1)) != 0) {
        return APMU_REASON_COUNT;
    }
    while (why >> reason != 1) {
        reason++;
    }
    return reason;
}

static void reached(struct apmu_tb *tb, enum tb_cross cross, uint64_t why)
{
    const unsigned reason = tb_cross_single(why);

    if (reason < APMU_REASON_COUNT) {
        tb->hits[TB_COVER_CROSS + (unsigned)cross * APMU_REASON_COUNT + reason]++;
    }
}

static unsigned event_of(const struct apmu *p, unsigned n)
{
    return (unsigned)APMU_GET(PMEVTYPER_EL0, evtCount, p->typer[n]);
}

void tb_cross_note_step(struct apmu_tb *tb)
{
    const struct apmu *p = &tb->p;

    reached(tb, TB_CROSS_CYCLE, tb->held[APMU_CYCLE].why);
    for (unsigned n = 0; n + 1 < p->cfg.counters; n += 2) {
        if ((tb->overflowed >> n & 1) != 0 && event_of(p, n + 1) == APMU_EV_CHAIN &&
            apmu_chains_into(p, &tb->pe, n)) {
            reached(tb, TB_CROSS_CHAIN, tb->held[n + 1].why);
        }
    }
}

void tb_cross_note_access(struct apmu_tb *tb, const struct tb_access *access)
{
    struct tb_access trial = *access;
    enum apmu_reg reg;
    unsigned copy;

    if (!access->write || !tb_access_reached(&tb->p, access, &reg, &copy) || reg != APMU_REG_PMSWINC_EL0 ||
        tb_access_decide(&tb->p, &tb->pe, &trial, false, NULL) != APMU_ACCESS_OK) {
        return;
    }
    for (unsigned n = 0; n < tb->p.cfg.counters; n++) {
        if ((access->value >> n & 1) != 0 && event_of(&tb->p, n) == APMU_EV_SW_INCR) {
            reached(tb, TB_CROSS_SW_INCR, apmu_why(&tb->p, &tb->pe, n));
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * What can be reached.
 */

/* Returns the reasons that a field of one counter alone decides: its filters, its enable. */
static uint64_t of_one_counter(const struct apmu_config *cfg)
{
    struct apmu_facts facts;
    uint64_t reasons = 0;

    apmu_facts_init(&facts, cfg);
    for (unsigned reason = 0; reason < APMU_REASON_COUNT; reason++) {
        const uint64_t subjects = apmu_reason_subjects(&facts, 1, (enum apmu_reason)reason);

        for (unsigned s = 0; s < APMU_SUBJECT_COUNT; s++) {
            unsigned copy;
            const enum apmu_reg reg = apmu_subject_reg((enum apmu_subject)s, 1, &copy);

            if ((subjects >> s & 1) != 0 && (reg == APMU_REG_PMEVTYPER_EL0 || reg == APMU_REG_PMCNTENSET_EL0)) {
                reasons |= UINT64_C(1) << reason;
            }
        }
    }
    return reasons;
}

/*
 * The counter below counts when it overflows, so what stops its whole range cannot stop the counter that chains.  Where
 * CHAIN crosses ranges, what stops only a later range can.
 */
static uint64_t reasons_of_chain(const struct apmu_config *cfg)
{
    const uint64_t later = APMU_WHY(HPME) | APMU_WHY(EPME) | APMU_WHY(HPMFZO) | APMU_WHY(HPMFZS);

    if (cfg->counters < 2 || (cfg->features & APMU_FEAT(PMUv3)) == 0) {
        return 0;
    }
    return tb_cover_reasons(cfg, 1, APMU_EV_CHAIN) & (of_one_counter(cfg) | (cfg->chain_crosses_ranges ? later : 0));
}

/* Returns whether the stimulus writes PMSWINC_EL0 in some view. */
static bool writes_swinc(const struct apmu_tb *tb)
{
    for (int view = APMU_TB_A64; view <= APMU_TB_EXT; view++) {
        if ((tb->stimulus.views >> view & 1) != 0 && apmu_tb_find(tb, view, "PMSWINC_EL0") >= 0) {
            return !tb->stimulus.left_out[APMU_REG_PMSWINC_EL0];
        }
    }
    return false;
}

uint64_t tb_cross_reasons(const struct apmu_tb *tb, enum tb_cross cross)
{
    const struct apmu_config *cfg = &tb->p.cfg;

    switch (cross) {
    case TB_CROSS_CYCLE:
        return tb_cover_reasons(cfg, APMU_CYCLE, -1);
    case TB_CROSS_CHAIN:
        return reasons_of_chain(cfg);
    default:
        if (cfg->counters == 0 || !writes_swinc(tb)) {
            return 0;
        }
        return tb_cover_reasons(cfg, 0, APMU_EV_SW_INCR) | tb_cover_reasons(cfg, cfg->counters - 1u, APMU_EV_SW_INCR);
    }
}
