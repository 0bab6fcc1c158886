/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that AArch32 is a projection of AArch64, on random implementations, states and accesses.  A read shows one
 * half of the AArch64 register.  A write changes only that half, and does so as the AArch64 write would.  SET and CLR
 * views read the same.  A register that is not implemented reads as 0 and keeps nothing.  apmu_access_a32() changes
 * nothing.
 */
#include "../../../lib/model/registers.h"
#include "any.h"

static bool complain(const char *what, const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n,
                     uint64_t value)
{
    char name[24];

    snprintf(any_message, sizeof any_message, "%s: %s, EL%u, features %llx, value %llx", what,
             apmu_reg32_name(reg, n, name), pe->el, (unsigned long long)p->cfg.features, (unsigned long long)value);
    return true;
}

/*
 * Returns the bits of the AArch64 register that @reg shows.  This is a second formulation, independent of the model's.
 */
static uint64_t window(enum apmu_reg32 reg)
{
    const struct apmu_reg32_info *info = apmu_reg32_info(reg);
    const uint64_t low = 0xFFFFFFFF;

    return (info->part == APMU_PART_BOTH ? ~UINT64_C(0) : info->part == APMU_PART_HIGH ? ~low : low) & ~info->hides;
}

/* Returns whether the implementation has copy @n of @reg. */
static bool there(const struct apmu *p, enum apmu_reg32 reg, unsigned n)
{
    return apmu_reg32_exists(&p->cfg, reg) && apmu_reg_exists(p, apmu_reg32_info(reg)->of, n);
}

static bool reads_differ(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n)
{
    const struct apmu_reg32_info *info = apmu_reg32_info(reg);
    struct apmu_pe pe64 = *pe;
    const uint64_t value = apmu_peek_a32(p, pe, reg, n);

    pe64.a32 = false; /* the same state, in AArch64 state */
    const uint64_t whole = apmu_peek(p, &pe64, info->of, n) & window(reg);
    const uint64_t want = !there(p, reg, n) ? 0 : info->part == APMU_PART_HIGH ? whole >> 32 : whole;
    if (value != want) {
        return complain("a read is not that half of the AArch64 register", p, pe, reg, n, value);
    }
    return info->part != APMU_PART_BOTH && value >> 32 != 0 &&
           complain("a read of more than 32 bits", p, pe, reg, n, value);
}

/* Returns whether a write differs from an AArch64 write that keeps the bits which the view lacks. */
static bool writes_differ(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n,
                          uint64_t value)
{
    const struct apmu_reg32_info *info = apmu_reg32_info(reg);
    const enum apmu_op op = apmu_reg_op(info->of);
    const bool ones = op == APMU_OP_SET || op == APMU_OP_CLR || op == APMU_OP_SWINC; /* a 0 has no effect */
    struct apmu a32, a64;
    struct apmu_out out32, out64;

    memcpy(&a32, p, sizeof a32);
    memcpy(&a64, p, sizeof a64);
    apmu_poke_a32(&a32, pe, reg, n, value, &out32);
    const uint64_t kept = ones ? 0 : apmu_peek(p, pe, info->of, n) & ~window(reg);
    const uint64_t merged = kept | ((info->part == APMU_PART_HIGH ? value << 32 : value) & window(reg));
    apmu_poke(&a64, pe, there(p, reg, n) ? info->of : APMU_REG_ALL, n, merged, &out64);
    if (memcmp(&a32, &a64, sizeof a32) != 0 || out32.overflowed != out64.overflowed || out32.pmuirq != out64.pmuirq) {
        return complain("a write is not the AArch64 write of that half", p, pe, reg, n, value);
    }
    return false;
}

static bool pairs_differ(const struct apmu *p, const struct apmu_pe *pe)
{
    static const enum apmu_reg32 pairs[3][2] = {{APMU_REG32_PMCNTENSET, APMU_REG32_PMCNTENCLR},
                                                {APMU_REG32_PMINTENSET, APMU_REG32_PMINTENCLR},
                                                {APMU_REG32_PMOVSSET, APMU_REG32_PMOVSR}};

    for (unsigned i = 0; i < 3; i++) {
        const uint64_t value = apmu_peek_a32(p, pe, pairs[i][0], 0);
        if (there(p, pairs[i][0], 0) && value != apmu_peek_a32(p, pe, pairs[i][1], 0)) {
            return complain("SET and CLR read differently", p, pe, pairs[i][0], 0, value);
        }
    }
    return false;
}

/* Makes an access as an emulator does: asks first, and performs it only if it is allowed. */
static bool denied_changes(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n, bool write,
                           uint64_t value)
{
    const struct apmu_reg32_info *info = apmu_reg32_info(reg);
    const struct apmu before = *p;
    const struct apmu_access a = apmu_access_a32(p, pe, reg, n, write);

    if (memcmp(&before, p, sizeof before) != 0) {
        return complain("asking changed the unit", p, pe, reg, n, value);
    }
    if (a.outcome == APMU_ACCESS_OK) {
        if (!there(p, reg, n) && info->of != APMU_REG_PMXEVTYPER_EL0) {
            return complain("access to a register that is not there", p, pe, reg, n, value);
        }
        if (write) {
            apmu_poke_a32(p, pe, reg, n, value, NULL);
        }
        return false;
    }
    if ((a.outcome == APMU_ACCESS_TRAP) != (a.el != 0) || (a.hyp && a.el != 2) || a.control[0] == '\0') {
        return complain("a refusal that does not name its target and its cause", p, pe, reg, n, a.el);
    }
    if (a.outcome != APMU_ACCESS_UNDEFINED || there(p, reg, n)) {
        return false;
    }
    apmu_poke_a32(p, pe, reg, n, value, NULL);
    return (memcmp(&before, p, sizeof before) != 0 || apmu_peek_a32(p, pe, reg, n) != 0) &&
           complain("a register that is not there keeps something", p, pe, reg, n, value);
}

static bool sequence_fails(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;
    const struct apmu_config cfg = any_legal_config(c);

    memset(&p, 0, sizeof p);
    apmu_init(&p, &cfg);
    for (unsigned step = 0; step < 24; step++) {
        any_pe(c, &cfg, &pe);
        pe.a32 = pick(c, 3) != 0;
        pe.hstr_el2 = pick(c, 10);
        pe.hdfgrtr2_el2 = pick(c, 8);
        pe.hdfgwtr2_el2 = pick(c, 8);
        const enum apmu_reg any = (enum apmu_reg)pick_of(c, APMU_REG_ALL); /* sets state that AArch32 cannot reach */
        apmu_poke(&p, &pe, any, apmu_reg_info(any)->copies > 1 ? pick_of(c, 8) : 0, pick(c, 64), NULL);

        pe.a32 = true;
        const enum apmu_reg32 reg = (enum apmu_reg32)pick_of(c, APMU_REG32_COUNT);
        const unsigned n = apmu_reg_info(apmu_reg32_info(reg)->of)->copies > 1 ? pick_of(c, 8) : 0;
        const uint64_t value = pick(c, 1) != 0 ? pick(c, 64) : pick(c, 32);
        if (reads_differ(&p, &pe, reg, n) || pairs_differ(&p, &pe) || writes_differ(&p, &pe, reg, n, value) ||
            denied_changes(&p, &pe, reg, n, pick(c, 1) != 0, value)) {
            return true;
        }
    }
    return false;
}

PROPERTIES(
    {"AArch32 is the projection of AArch64", sequence_fails, .rounds = 20000})
