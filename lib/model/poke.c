/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing registers, without permission check, with every effect. */

#include "masks.h"

void apmu_zero(struct apmu *p, uint64_t mask)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if (apmu_bit(mask, n)) {
            p->cntr[n] = 0;
        }
    }
}

void apmu_write_control(struct apmu *p, uint64_t value, uint64_t bits, uint64_t reach)
{
    if (APMU_GET(PMCR_EL0, P, value) != 0) {
        apmu_zero(p, reach);
    }
    if (APMU_GET(PMCR_EL0, C, value) != 0) {
        apmu_zero(p, UINT64_C(1) << APMU_CYCLE);
    }
    apmu_replace(&p->pmcr, p->derived.control & bits, value);
}

void apmu_write_snapshot(struct apmu *p, const struct apmu_pe *pe, uint64_t value, uint64_t bits,
                         struct apmu_out *out)
{
    apmu_replace(&p->sscr, APMU_MASK(PMSSCR_EL1, NC) & bits, value);
    if (APMU_GET(PMSSCR_EL1, SS, value) != 0 && apmu_capture_enabled(p, pe)) {
        apmu_capture(p, pe, out);
    }
}

/* Writes the bits @bits; @value has no others. */
static inline void write_reg(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, uint64_t value,
                             uint64_t bits, struct apmu_out *out)
{
    if (!apmu_reached(p, pe, &reg, &n, true)) {
        return;
    }
    switch (apmu_reg_op(reg)) {
    case APMU_OP_PLAIN:
        apmu_replace(apmu_reg_storage(p, reg, n), apmu_writable(&p->cfg, reg, n) & bits, value);
        break;
    case APMU_OP_COUNTER:
        apmu_write_counter(p, apmu_counter_at(reg, n), value, bits);
        break;
    case APMU_OP_TYPER:
        apmu_write_typer(p, apmu_counter_at(reg, n), value, bits);
        break;
    case APMU_OP_CONTROL:
        /* P zeroes the event counters that the Exception level can access. */
        apmu_write_control(p, value, bits, (UINT64_C(1) << apmu_accessible(p, pe)) - 1);
        break;
    case APMU_OP_SET:
        *apmu_reg_storage(p, reg, 0) |= value & apmu_write_mask(p, pe, false);
        break;
    case APMU_OP_CLR:
        *apmu_reg_storage(p, reg, 0) &= ~(value & apmu_write_mask(p, pe, false));
        break;
    case APMU_OP_UACR:
        apmu_replace(&p->uacr, apmu_writable(&p->cfg, reg, n) & apmu_uacr_mask(p, pe) & bits, value);
        break;
    case APMU_OP_SWINC:
        apmu_sw_increment(p, pe, value & apmu_swinc_mask(p, pe), out);
        break;
    case APMU_OP_ZERO: /* ZeroPMUCounters() */
        apmu_zero(p, value & apmu_write_mask(p, pe, true));
        break;
    case APMU_OP_SNAPSHOT:
        apmu_write_snapshot(p, pe, value, bits, out);
        break;
    default:
        break;
    }
}

void apmu_poke_bits(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, uint64_t value,
                    uint64_t bits, struct apmu_out *out)
{
    struct apmu_out ignored;
    struct apmu_out *o = out != NULL ? out : &ignored;

    o->overflowed = 0;
    o->exported = false;
    write_reg(p, pe, reg, n, value & bits, bits, o);
    apmu_signal(p, pe, o);
}

void apmu_poke(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, uint64_t value,
               struct apmu_out *out)
{
    apmu_poke_bits(p, pe, reg, n, value, ~UINT64_C(0), out);
}
