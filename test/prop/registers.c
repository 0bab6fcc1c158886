/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of registers, on random implementations, states and accesses: reading has no effect and shows only what is
 * implemented; a write leaves every word within what its registers can hold; writing back what was read changes
 * nothing where reading shows all; SET and CLR read alike.
 */
#include "../../model/registers.h"
#include "any.h"

static char message[256];

static struct apmu_config legal_config(struct choices *c)
{
    struct apmu_config cfg = any_config(c);

    cfg.features = apmu_features_closure(cfg.features);
    cfg.thwidth = (cfg.features & APMU_FEAT(PMUv3_TH)) != 0 ? (uint8_t)(1 + pick_of(c, 12)) : 0;
    cfg.unknown_fill = pick(c, 1) != 0 ? pick(c, 64) : 0;
    cfg.imp = (uint8_t)pick(c, 1);
    return cfg;
}

/* What the word of a register may hold. */
static uint64_t may_hold(const struct apmu *p, enum apmu_reg reg, unsigned n)
{
    if (!apmu_reg_exists(&p->cfg, reg, n)) {
        return 0;
    }
    switch (apmu_reg_op(reg)) {
    case APMU_OP_CONTROL:
        return apmu_writable(&p->cfg, reg, n) | apmu_res1(&p->cfg, reg, n);
    case APMU_OP_SET:
    case APMU_OP_CLR:
    case APMU_OP_UACR:
        return apmu_readable(&p->cfg, reg, n) & apmu_counter_bits(&p->cfg);
    default:
        return apmu_readable(&p->cfg, reg, n);
    }
}

static bool has_word(enum apmu_reg reg)
{
    const enum apmu_op op = apmu_reg_op(reg);
    return op == APMU_OP_PLAIN || op == APMU_OP_CONTROL || op == APMU_OP_SET || op == APMU_OP_CLR ||
           op == APMU_OP_UACR || op == APMU_OP_SNAPSHOT;
}

static bool complain(const char *what, const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n,
                     uint64_t value)
{
    char name[24];

    snprintf(message, sizeof message, "%s: %s at EL%u: 0x%llx (features 0x%llx, counters %u)", what,
             apmu_reg_name(reg, n, name), pe->el, (unsigned long long)value, (unsigned long long)p->cfg.features,
             p->cfg.counters);
    return true;
}

static bool words_overflow(const struct apmu *p, const struct apmu_pe *pe)
{
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        const enum apmu_reg reg = (enum apmu_reg)r;
        for (unsigned n = 0; has_word(reg) && n < apmu_reg_info(reg)->copies; n++) {
            const uint64_t extra = apmu_reg_value(p, reg, n) & ~may_hold(p, reg, n);
            if (extra != 0) {
                return complain("a word holds bits that are not implemented", p, pe, reg, n, extra);
            }
        }
    }
    return false;
}

static bool reads_wrong(const struct apmu *p, const struct apmu_pe *pe)
{
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        const enum apmu_reg reg = (enum apmu_reg)r;
        for (unsigned n = 0; n < apmu_reg_info(reg)->copies; n++) {
            const uint64_t value = apmu_peek(p, pe, reg, n);
            const bool there = apmu_reg_exists(&p->cfg, reg, n) && apmu_reg_info(reg)->readable;
            const uint64_t shown = there ? apmu_readable(&p->cfg, reg, n) | apmu_res1(&p->cfg, reg, n) : 0;
            if ((value & ~shown) != 0) {
                return complain("a read shows bits that are not implemented", p, pe, reg, n, value);
            }
        }
    }
    return false;
}

static bool pairs_differ(const struct apmu *p, const struct apmu_pe *pe)
{
    static const enum apmu_reg pairs[3][2] = {{APMU_REG_PMCNTENSET_EL0, APMU_REG_PMCNTENCLR_EL0},
                                              {APMU_REG_PMINTENSET_EL1, APMU_REG_PMINTENCLR_EL1},
                                              {APMU_REG_PMOVSSET_EL0, APMU_REG_PMOVSCLR_EL0}};

    for (unsigned i = 0; i < 3; i++) {
        if (apmu_peek(p, pe, pairs[i][0], 0) != apmu_peek(p, pe, pairs[i][1], 0)) {
            return complain("SET and CLR read differently", p, pe, pairs[i][0], 0, apmu_peek(p, pe, pairs[i][0], 0));
        }
    }
    return false;
}

/* Only what a read shows can be written back. */
static bool write_back_changes(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n)
{
    const enum apmu_op op = apmu_reg_op(reg);

    if (op != APMU_OP_PLAIN && op != APMU_OP_SET && op != APMU_OP_UACR && op != APMU_OP_CONTROL &&
        op != APMU_OP_SELECT_CNTR && op != APMU_OP_SELECT_TYPER) {
        return false;
    }
    const struct apmu before = *p;
    apmu_poke(p, pe, reg, n, apmu_peek(p, pe, reg, n), NULL);
    return memcmp(&before, p, sizeof before) != 0 &&
           complain("writing back what was read changed the unit", p, pe, reg, n, apmu_peek(&before, pe, reg, n));
}

static bool sequence_fails(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;
    const struct apmu_config cfg = legal_config(c);

    memset(&p, 0, sizeof p);
    apmu_init(&p, &cfg);
    for (unsigned step = 0; step < 24; step++) {
        struct apmu_out out;
        any_pe(c, &cfg, &pe);
        pe.hdfgrtr2_el2 = pick(c, 8);
        pe.hdfgwtr2_el2 = pick(c, 8);
        const enum apmu_reg reg = (enum apmu_reg)pick_of(c, APMU_REG_ALL);
        const unsigned n = apmu_reg_info(reg)->copies > 1 ? pick_of(c, 8) : 0;
        if (pick(c, 5) == 0) {
            apmu_on_reset(&p, APMU_RESET_WARM);
        }
        apmu_poke(&p, &pe, reg, n, pick(c, 64), &out);
        const struct apmu before = p;
        if (words_overflow(&p, &pe) || reads_wrong(&p, &pe) || pairs_differ(&p, &pe)) {
            return true;
        }
        if (memcmp(&before, &p, sizeof p) != 0) {
            return complain("reading changed the unit", &p, &pe, reg, n, 0);
        }
        if (out.pmuirq != apmu_pmuirq(&p, &pe)) {
            return complain("PMUIRQ after a write is not its level", &p, &pe, reg, n, out.pmuirq);
        }
        if (write_back_changes(&p, &pe, reg, n)) {
            return true;
        }
    }
    return false;
}

int main(void)
{
    unsigned long rounds = 10000, failures = 0;
    struct choices c = soak(&rounds);
    static char first[sizeof message];

    for (unsigned long i = 0; i < rounds; i++) {
        if (sequence_fails(&c) && failures++ == 0) {
            memcpy(first, message, sizeof first);
        }
    }
    return verdict("registers_hold_and_show_what_is_implemented", failures, first);
}
