/* SPDX-License-Identifier: BSD-2-Clause */
/* apmu_check(): the invariant of struct apmu. */

#include "registers.h"

/* The bits that may be set in the word of a register, and those that must be. */
struct bounds {
    uint64_t may, must;
};

static struct bounds bounds_of(const struct apmu *p, enum apmu_reg reg, unsigned n)
{
    const struct apmu_config *cfg = &p->cfg;

    if (!apmu_reg_exists(p, reg, n)) {
        return (struct bounds){0, 0};
    }
    switch (apmu_reg_op(reg)) {
    case APMU_OP_CONTROL: /* PMCR_EL0.LC is RES1 without AArch32 */
        return (struct bounds){apmu_writable(cfg, reg, n) | apmu_res1(cfg, reg, n), apmu_res1(cfg, reg, n)};
    case APMU_OP_SNAPSHOT: /* a capture completes at once, so SS is 0 */
        return (struct bounds){APMU_MASK(PMSSCR_EL1, NC), 0};
    case APMU_OP_SET:
    case APMU_OP_CLR:
    case APMU_OP_UACR:
        return (struct bounds){apmu_readable(cfg, reg, n) & apmu_counter_bits(cfg), 0};
    default:
        return (struct bounds){apmu_readable(cfg, reg, n), 0};
    }
}

/*
 * Returns true if @reg shows a word whose bounds follow from its fields.  Those of PMPCSCTL do not, because EN is kept
 * even if it is not visible; apmu_check() tests them.
 */
static bool has_word(enum apmu_reg reg)
{
    return apmu_op_keeps(apmu_reg_op(reg)) && reg != APMU_REG_PMPCSCTL;
}

static bool word_in_bounds(const struct apmu *p, enum apmu_reg reg, unsigned n)
{
    const struct bounds b = bounds_of(p, reg, n);
    const uint64_t word = apmu_reg_value(p, reg, n);

    return (word & ~b.may) == 0 && (word & b.must) == b.must;
}

/* Before FEAT_PMUv3_EXTPMN all counters are for self-hosted software. */
static bool control_of_third_range(const struct apmu *p)
{
    return apmu_has(p, APMU_FEAT(PMUv3_EXTPMN)) ? word_in_bounds(p, APMU_REG_PMCCR, 0)
                                                : p->ccr == APMU_PUT(PMCCR, EPMN, p->cfg.counters);
}

static bool derived_in_bounds(const struct apmu *p)
{
    const struct apmu_derived d = apmu_derive(p);
    bool good = p->derived.events == d.events && p->derived.registers == d.registers && p->derived.control == d.control;

    for (unsigned i = 0; i < sizeof d.counter / sizeof d.counter[0]; i++) {
        good &= p->derived.counter[i] == d.counter[i];
    }
    for (unsigned i = 0; i < sizeof d.typer / sizeof d.typer[0]; i++) {
        good &= p->derived.typer[i] == d.typer[i];
    }
    return good;
}

bool apmu_check(const struct apmu *p)
{
    const uint64_t counters = apmu_ones(p->cfg.counters);
    const uint64_t thresholds = apmu_has(p, APMU_FEAT(PMUv3_TH)) ? counters : 0;
    bool good = apmu_config_check(&p->cfg) == NULL;

    for (unsigned r = 0; good && r < APMU_REG_BORROWED; r++) {
        const enum apmu_reg reg = (enum apmu_reg)r;
        for (unsigned n = 0; good && reg != APMU_REG_PMCCR && has_word(reg) && n < apmu_rows[reg].copies; n++) {
            good = word_in_bounds(p, reg, n);
        }
    }
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        good &= (p->filter2[n] & ~p->cfg.filter2) == 0;
    }
    return good && control_of_third_range(p) &&
           (p->pcsctl & ~(APMU_MASK(PMPCSCTL, SS) | APMU_MASK(PMPCSCTL, EN))) == 0 &&
           (!p->locked || p->cfg.software_lock) && (p->last_threshold & ~thresholds) == 0 && p->divider < 64 &&
           (!p->sync_overflowed || apmu_has(p, APMU_FEAT(SEBEP))) && derived_in_bounds(p);
}
