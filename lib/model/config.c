/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers and fields that a configuration implements.  legal.c checks that it is a legal one. */

#include "registers.h"

/* Returns true if @gate holds for copy @n.  With a constant @gate this is one test of the features. */
static APMU_FOLDED bool holds(const struct apmu_config *cfg, enum apmu_gate gate, unsigned n)
{
#define HAS(x) ((cfg->features & APMU_FEAT(x)) != 0)
    if (gate == APMU_GATE_PMUv3) { /* the PMUs of ARMv7 have these registers too; aarch32.def lists what they lack */
        return HAS(PMUv3) || HAS(PMUv2) || HAS(PMUv1);
    }
    switch (gate) {
#define APMU_FEATURE(id, bit, requires, text) \
    case APMU_GATE_##id: \
        return HAS(id);
#define APMU_GATE(id, condition, text) \
    case APMU_GATE_##id: \
        return condition;
#include <armpmu/tables/features.def>
    default:
        return false;
    }
#undef HAS
}

bool apmu_holds(const struct apmu_config *cfg, enum apmu_gate gate, unsigned n)
{
    return holds(cfg, gate, n);
}

/*
 * Returns the bits that the configuration lacks although the gates of their fields hold: upper bits of TH, and bits on
 * PEs without AArch64.
 */
static uint64_t lacks(const struct apmu_config *cfg, enum apmu_reg which)
{
    uint64_t mask = 0;

    if (which == APMU_REG_PMEVTYPER_EL0) { /* PMMIR_EL1.THWIDTH */
        mask = APMU_MASK(PMEVTYPER_EL0, TH) & ~APMU_PUT(PMEVTYPER_EL0, TH, apmu_ones(cfg->thwidth & 63));
    }
    if ((cfg->features & APMU_FEAT(AA64)) != 0) {
        return mask;
    }
#define APMU_LACKS(gate, reg, bits) mask |= which == APMU_REG_##reg && holds(cfg, APMU_GATE_##gate, 0) ? (bits) : 0;
#include <armpmu/tables/aarch32.def>
    return mask;
}

/*
 * Returns the bits of copy @n of @which whose fields have an access in @kinds (a set of 1 << access), and that are
 * implemented or, if not @implemented, are not.  It is an expansion, not a loop over rows, because every access needs
 * it.
 */
static APMU_FOLDED uint64_t fields(const struct apmu_config *cfg, enum apmu_reg which, unsigned n, unsigned kinds,
                                   bool implemented)
{
    uint64_t mask = 0;

    switch (which) {
#define APMU_FIELDS_OF(reg) case APMU_REG_##reg:
#define APMU_FIELD(reg, field, msb, lsb, access, gate, text) \
        mask |= (kinds >> APMU_##access & 1u) != 0 && holds(cfg, APMU_GATE_##gate, n) == implemented \
                    ? APMU_BITS(msb, lsb) : 0;
#define APMU_FIELDS_END(reg) return mask & ~lacks(cfg, APMU_REG_##reg);
#include <armpmu/tables/fields.def>
    default:
        return 0;
    }
}

uint64_t apmu_writable(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n)
{
    return fields(cfg, reg, n, 1u << APMU_RW | 1u << APMU_RW1, true);
}

uint64_t apmu_readable(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n)
{
    return fields(cfg, reg, n, ~(1u << APMU_WO | 1u << APMU_RES0), true);
}

uint64_t apmu_res1(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n)
{
    return fields(cfg, reg, n, 1u << APMU_RW1, false);
}

uint64_t apmu_read_only(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n)
{
    return fields(cfg, reg, n, 1u << APMU_RO, true);
}
