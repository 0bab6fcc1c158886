/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading registers: no permission check, no effect; whether the counter counts does not matter (RTDGMF). */

#include "masks.h"

static uint64_t constant(const struct apmu *p, enum apmu_reg reg)
{
    const struct apmu_config *cfg = &p->cfg;

    switch (reg) {
    case APMU_REG_PMCEID0_EL0:
        return cfg->pmceid[0];
    case APMU_REG_PMCEID1_EL0:
        return cfg->pmceid[1];
    default: /* PMMIR_EL1 */
        return APMU_PUT(PMMIR_EL1, SLOTS, cfg->slots) | APMU_PUT(PMMIR_EL1, BUS_SLOTS, cfg->bus_slots) |
               APMU_PUT(PMMIR_EL1, BUS_WIDTH, cfg->bus_width) | APMU_PUT(PMMIR_EL1, THWIDTH, cfg->thwidth) |
               APMU_PUT(PMMIR_EL1, EDGE, apmu_has(p, APMU_FEAT(PMUv3_TH2)) ? 2 : apmu_has(p, APMU_FEAT(PMUv3_EDGE))) |
               APMU_PUT(PMMIR_EL1, SME, apmu_has(p, APMU_FEAT(PMUv3_SME)));
    }
}

/* N is the number of event counters in reach (MDCR_EL2.HPMN; ZCCDD); the other read-only fields are the part's. */
static uint64_t control(const struct apmu *p, const struct apmu_pe *pe)
{
    const uint64_t part = APMU_PUT(PMCR_EL0, IMP, p->cfg.imp) | APMU_PUT(PMCR_EL0, IDCODE, p->cfg.idcode);

    return p->pmcr | APMU_PUT(PMCR_EL0, N, apmu_accessible(p, pe)) |
           (part != 0 ? part & apmu_read_only(&p->cfg, APMU_REG_PMCR_EL0, 0) : 0);
}

uint64_t apmu_shown(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n, uint64_t value)
{
    return value & apmu_readable(cfg, reg, n);
}

/* What is stored has been cut to the fields that are implemented when it was written (apmu_check()). */
uint64_t apmu_peek(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n)
{
    if (!apmu_reached(p, pe, &reg, &n, false)) {
        return 0;
    }
    switch (apmu_reg_op(reg)) {
    case APMU_OP_PLAIN:
    case APMU_OP_COUNTER:
    case APMU_OP_TYPER:
    case APMU_OP_SNAPSHOT:
        return apmu_reg_value(p, reg, n);
    case APMU_OP_UACR:
        return p->uacr & apmu_uacr_mask(p, pe);
    case APMU_OP_SET:
    case APMU_OP_CLR:
        return apmu_reg_value(p, reg, 0) & apmu_read_mask(p, pe);
    case APMU_OP_CONTROL:
        return control(p, pe);
    case APMU_OP_CONST:
        return apmu_shown(&p->cfg, reg, n, constant(p, reg));
    default:
        return 0;
    }
}
