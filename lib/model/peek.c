/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading registers, without permission check or effect.  It does not matter whether the counter counts (RTDGMF). */

#include "masks.h"

/* Returns the value of a register that follows from the configuration. */
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

/*
 * Returns PMCR_EL0.  N is the number of accessible event counters (MDCR_EL2.HPMN; ZCCDD); the other read-only fields
 * come from the configuration.
 */
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

/* The words hold only implemented fields, because writes have cut them (apmu_check()). */
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
