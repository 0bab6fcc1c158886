/* SPDX-License-Identifier: BSD-2-Clause */
/* Cold and Warm reset. */

#include "registers.h"

struct reset {
    uint64_t known, value; /* the bits that the architecture gives, and what they are */
    uint64_t warm;         /* the bits that a Warm reset resets even where most are left to a Cold reset */
};

static const struct reset resets[APMU_REG_COUNT] = {
#define REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, warm, text) \
    [APMU_REG_##id] = {known, reset, warm},
#include <armpmu/tables/registers.def>
};

/* The bits of its word that a register keeps. */
static uint64_t kept(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n)
{
    switch (apmu_reg_op(reg)) {
    case APMU_OP_PLAIN:
        return apmu_readable(cfg, reg, n);
    case APMU_OP_CONTROL: /* its read-only fields come from the configuration */
    case APMU_OP_SNAPSHOT:
        return apmu_writable(cfg, reg, n);
    case APMU_OP_SET: /* a bit for each counter */
    case APMU_OP_CLR:
    case APMU_OP_UACR:
        return apmu_readable(cfg, reg, n) & apmu_counter_bits(cfg);
    default: /* has no word of its own */
        return 0;
    }
}

/* The bits of a register that a Warm reset resets: with a third range, the external agent keeps the counters. */
static uint64_t warm_bits(const struct apmu_config *cfg, enum apmu_reg reg)
{
    const uint64_t threshold = APMU_MASK(PMEVTYPER_EL0, TC) | APMU_MASK(PMEVTYPER_EL0, TE) |
                               APMU_MASK(PMEVTYPER_EL0, TH);

    if (reg == APMU_REG_PMECR_EL1) { /* SSE waits for a Cold reset in any case */
        return resets[reg].warm;
    }
    if ((cfg->features & APMU_FEAT(PMUv3_EXTPMN)) == 0) {
        return ~UINT64_C(0);
    }
    if (reg == APMU_REG_PMEVTYPER_EL0 && (cfg->features & APMU_FEAT(AA32EL1)) != 0) {
        return threshold; /* AArch32 software does not see these fields */
    }
    return resets[reg].warm;
}

/* Registers that show the same word give it the same value, so that the order does not matter. */
static void reset_copy(struct apmu *p, enum apmu_reg reg, unsigned n, uint64_t bits)
{
    const struct reset *r = &resets[reg];
    const uint64_t fresh = (p->cfg.unknown_fill & ~r->known) | r->value;
    const uint64_t keep = kept(&p->cfg, reg, n);

    if (apmu_reg_exists(&p->cfg, reg, n) && keep != 0) {
        uint64_t *word = apmu_reg_storage(p, reg, n);
        *word = (((*word & ~bits) | (fresh & bits)) & keep) | apmu_res1(&p->cfg, reg, n);
    }
}

static void reset_all(struct apmu *p, bool cold)
{
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        const enum apmu_reg reg = (enum apmu_reg)r;
        for (unsigned n = 0; n < apmu_reg_info(reg)->copies; n++) {
            reset_copy(p, reg, n, cold ? ~UINT64_C(0) : warm_bits(&p->cfg, reg));
        }
    }
}

void apmu_init(struct apmu *p, const struct apmu_config *cfg)
{
    enum { SYNC_EVENTS = sizeof p->cfg.sync_events / sizeof p->cfg.sync_events[0] };

    *p = (struct apmu){.cfg = *cfg};
    if (p->cfg.counters > APMU_EVENT_COUNTERS) {
        p->cfg.counters = APMU_EVENT_COUNTERS;
    }
    if (p->cfg.sync_event_count > SYNC_EVENTS) {
        p->cfg.sync_event_count = SYNC_EVENTS;
    }
    reset_all(p, true);
    p->ccr = APMU_PUT(PMCCR, EPMN, p->cfg.counters); /* all counters are for self-hosted software */
}

void apmu_warm_reset(struct apmu *p)
{
    reset_all(p, false);
    p->sync_overflowed = false;
}
