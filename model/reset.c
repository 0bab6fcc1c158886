/* SPDX-License-Identifier: BSD-2-Clause */
/* The state after a Cold reset. */

#include "registers.h"

struct reset {
    uint64_t known, value; /* the bits that the architecture gives, and what they are */
};

static const struct reset resets[APMU_REG_COUNT] = {
#define REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    [APMU_REG_##id] = {known, reset},
#include <armpmu/tables/registers.def>
};

/* The bits of its word that a register keeps. */
static uint64_t kept(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n)
{
    const uint64_t no_counters = apmu_ones(APMU_EVENT_COUNTERS) & ~apmu_ones(cfg->counters);

    switch (apmu_reg_op(reg)) {
    case APMU_OP_PLAIN:
        return apmu_readable(cfg, reg, n);
    case APMU_OP_CONTROL: /* its read-only fields come from the configuration */
    case APMU_OP_SNAPSHOT:
        return apmu_writable(cfg, reg, n);
    default: /* a bit for each counter */
        return apmu_readable(cfg, reg, n) & ~no_counters;
    }
}

/* Registers that show the same word give it the same value, so that the order does not matter. */
static void reset_word(struct apmu *p, enum apmu_reg reg, unsigned n)
{
    const uint64_t fill = p->cfg.unknown_fill & ~resets[reg].known;

    if (apmu_reg_exists(&p->cfg, reg, n)) {
        *apmu_reg_storage(p, reg, n) = ((fill | resets[reg].value) & kept(&p->cfg, reg, n)) |
                                       apmu_res1(&p->cfg, reg, n);
    }
}

void apmu_init(struct apmu *p, const struct apmu_config *cfg)
{
    *p = (struct apmu){.cfg = *cfg};
    if (p->cfg.counters > APMU_EVENT_COUNTERS) {
        p->cfg.counters = APMU_EVENT_COUNTERS;
    }
    if (p->cfg.sync_event_count > sizeof p->cfg.sync_events / sizeof p->cfg.sync_events[0]) {
        p->cfg.sync_event_count = sizeof p->cfg.sync_events / sizeof p->cfg.sync_events[0];
    }
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        switch (apmu_reg_op((enum apmu_reg)r)) {
        case APMU_OP_PLAIN:
        case APMU_OP_CONTROL:
        case APMU_OP_SET:
        case APMU_OP_CLR:
        case APMU_OP_UACR:
        case APMU_OP_SNAPSHOT:
            for (unsigned n = 0; n < apmu_reg_info((enum apmu_reg)r)->copies; n++) {
                reset_word(p, (enum apmu_reg)r, n);
            }
            break;
        default:
            break;
        }
    }
    p->ccr = APMU_PUT(PMCCR, EPMN, p->cfg.counters); /* all counters are for self-hosted software */
}
