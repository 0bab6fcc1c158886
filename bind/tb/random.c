/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers, events, states and words at random: legal, and near the values at which something happens. */
#include <string.h>

#include "internal.h"

uint64_t tb_random(struct apmu_tb *tb, unsigned bits)
{
    uint64_t x = tb->stimulus.random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    tb->stimulus.random = x;
    return (x * UINT64_C(0x2545F4914F6CDD1D)) >> (64 - bits);
}

unsigned tb_below(struct apmu_tb *tb, unsigned n)
{
    return (unsigned)(tb_random(tb, 32) % n);
}

bool tb_chance(struct apmu_tb *tb, unsigned of64)
{
    return tb_random(tb, 6) < of64;
}

void apmu_tb_seed(struct apmu_tb *tb, uint64_t seed)
{
    tb->stimulus.random = seed * UINT64_C(0x9E3779B97F4A7C15) + UINT64_C(0xD1B54A32D192ED03);
    if (tb->stimulus.random == 0) {
        tb->stimulus.random = 1;
    }
    tb->stimulus.head = tb->stimulus.length = 0;
    memset(tb->stimulus.sought, 0, sizeof tb->stimulus.sought);
}

uint16_t tb_random_neighbour(struct apmu_tb *tb, uint16_t event)
{
    return (uint16_t)(event ^ 1u << tb_below(tb, 16));
}

uint16_t tb_random_event(struct apmu_tb *tb)
{
    static const uint16_t others[] = {APMU_EV_SW_INCR, APMU_EV_CPU_CYCLES, APMU_EV_CHAIN};
    const unsigned n = tb_below(tb, tb->line_count + 3u);
    const uint16_t known = n < tb->line_count ? tb->lines[n] : others[n - tb->line_count];

    if (tb->line_count != 0 && tb_chance(tb, 44)) {
        return tb->lines[tb_below(tb, tb->line_count)];
    }
    switch (tb_below(tb, 8)) {
    case 0:
        return (uint16_t)tb_random(tb, 16);
    case 1:
        return tb_random_neighbour(tb, known);
    case 2:
        return APMU_EV_SW_INCR;
    case 3:
        return APMU_EV_CPU_CYCLES;
    default:
        return APMU_EV_CHAIN;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * States of the PE.
 */

static bool has(const struct apmu *p, uint64_t features)
{
    return (p->cfg.features & features) == features;
}

static bool have_el(const struct apmu *p, unsigned el)
{
    return el < 2 || (p->cfg.features & (APMU_FEAT(AA64EL0) << el | APMU_FEAT(AA32EL0) << el)) != 0;
}

bool tb_el2_enabled(const struct apmu *p, const struct apmu_pe *pe)
{
    struct apmu_pe below = *pe;

    below.el = 1;
    if (!have_el(p, 2) || apmu_security_state(p, &below) != APMU_SS_SECURE) {
        return have_el(p, 2);
    }
    return has(p, APMU_FEAT(SEL2)) && (!have_el(p, 3) || APMU_GET(SCR_EL3, EEL2, pe->scr_el3) != 0);
}

/* Returns whether the fields with reserved values have others. */
static bool fields_legal(const struct apmu *p, const struct apmu_pe *pe)
{
    const unsigned hpmn = (unsigned)APMU_GET(MDCR_EL2, HPMN, pe->mdcr_el2);

    if (have_el(p, 2) && (hpmn > p->cfg.counters || (hpmn == 0 && p->cfg.counters != 0 && !has(p, APMU_FEAT(HPMN0))))) {
        return false;
    }
    if (has(p, APMU_FEAT(EBEP)) &&
        (APMU_GET(MDCR_EL2, PMEE, pe->mdcr_el2) == 2 || APMU_GET(MDCR_EL3, PMEE, pe->mdcr_el3) == 2)) {
        return false;
    }
    return !has(p, APMU_FEAT(RME)) || APMU_GET(SCR_EL3, NSE, pe->scr_el3) == 0 ||
           APMU_GET(SCR_EL3, NS, pe->scr_el3) != 0;
}

/* A unit with AArch64 keeps EL1 and above in AArch64 state, so that only EL0 can be in AArch32 state. */
static bool execution_state_legal(const struct apmu *p, const struct apmu_pe *pe)
{
    if (!has(p, APMU_FEAT(AA64))) {
        return pe->a32;
    }
    return !pe->a32 || (pe->el == 0 && has(p, APMU_FEAT(AA32EL0)));
}

bool tb_legal(const struct apmu *p, const struct apmu_pe *pe)
{
    const bool rw = !has(p, APMU_FEAT(AA64)) || ((!have_el(p, 3) || APMU_GET(SCR_EL3, RW, pe->scr_el3) != 0) &&
                                                 (!have_el(p, 2) || APMU_GET(HCR_EL2, RW, pe->hcr_el2) != 0));

    if (!have_el(p, pe->el) || !rw || !execution_state_legal(p, pe) || !fields_legal(p, pe)) {
        return false;
    }
    if (pe->el == 2 && !tb_el2_enabled(p, pe)) {
        return false;
    }
    if (pe->el == 1 && !has(p, APMU_FEAT(AA64)) && have_el(p, 3) && APMU_GET(SCR_EL3, NS, pe->scr_el3) == 0) {
        return false; /* the Secure modes above EL0 are EL3 */
    }
    return pe->el != 1 || !tb_el2_enabled(p, pe) || APMU_GET(HCR_EL2, TGE, pe->hcr_el2) == 0;
}

/* Returns the register's value with one field changed that the configuration has. */
static uint64_t other_field(struct apmu_tb *tb, uint64_t value, enum apmu_reg reg)
{
    const struct apmu_reg_info *info = apmu_reg_info(reg);

    for (unsigned tries = 0; info->field_count != 0 && tries < 8; tries++) {
        const struct apmu_field *field = &info->fields[tb_below(tb, info->field_count)];
        const uint64_t mask = APMU_BITS(field->msb, field->lsb);

        if (field->access == APMU_RES0 || !apmu_holds(&tb->p.cfg, field->gate, 0)) {
            continue;
        }
        if (field->msb == field->lsb) {
            return value ^ mask;
        }
        const unsigned bits = field->msb - field->lsb + 1u;
        const uint64_t number = bits == 5 && tb_chance(tb, 56) ? tb_below(tb, tb->p.cfg.counters + 1u)
                                                              : tb_random(tb, bits);
        return (value & ~mask) | (number << field->lsb & mask);
    }
    return value;
}

uint64_t tb_random_state(struct apmu_tb *tb, const struct apmu_pe *pe, enum tb_state row)
{
    const enum apmu_reg reg = tb_state_register(row);
    const unsigned bits = (unsigned)apmu_tb_pe_width((int)row);

    if (reg != APMU_REG_ALL) {
        return other_field(tb, tb_state_get(pe, row), reg);
    }
    return bits == 1 ? tb_chance(tb, tb_state_weight(row)) : tb_random(tb, bits);
}

/* Changes a flag at random, or many fields of a register: some bugs need two of them at once. */
static void mix(struct apmu_tb *tb, struct apmu_pe *pe, enum tb_state row)
{
    for (unsigned changes = tb_state_register(row) != APMU_REG_ALL ? 32 : 1; changes > 0; changes--) {
        tb_state_set(pe, row, tb_random_state(tb, pe, row));
    }
}

void tb_random_world(struct apmu_tb *tb, struct apmu_pe *pe)
{
    static const enum tb_state authentication[] = {
        TB_PE_dbgen, TB_PE_niden, TB_PE_spiden, TB_PE_spniden, TB_PE_rlpiden, TB_PE_rtpiden,
    };
    const struct apmu *p = &tb->p;
    const uint64_t security = APMU_MASK(SCR_EL3, NS) | (has(p, APMU_FEAT(RME)) ? APMU_MASK(SCR_EL3, NSE) : 0) |
                              (has(p, APMU_FEAT(SEL2)) ? APMU_MASK(SCR_EL3, EEL2) : 0);
    struct apmu_pe other = *pe;

    other.scr_el3 = (pe->scr_el3 & ~security) | (tb_random(tb, 64) & security);
    other.mdcr_el2 = (pe->mdcr_el2 & ~APMU_MASK(MDCR_EL2, HPMN)) |
                     APMU_PUT(MDCR_EL2, HPMN, tb_below(tb, p->cfg.counters + 1u));
    if (tb_chance(tb, 16)) {
        mix(tb, &other, TB_PE_MDCR_EL3);
    }
    if (tb_chance(tb, 16)) {
        for (unsigned i = 0; i < sizeof authentication / sizeof authentication[0]; i++) {
            mix(tb, &other, authentication[i]);
        }
    }
    for (unsigned row = 0; row < TB_PE_COUNT; row++) {
        if ((tb->stimulus.held >> row & 1) != 0 || !tb_state_matters(&p->cfg, (enum tb_state)row)) {
            tb_state_set(&other, (enum tb_state)row, tb_state_get(pe, (enum tb_state)row));
        }
    }
    if (tb_legal(p, &other)) {
        *pe = other;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Words to write.
 */

/* Returns a counter's value, often a few below one at which bit 31 or 63 carries. */
static uint64_t random_count(struct apmu_tb *tb)
{
    switch (tb_below(tb, 6)) {
    case 0:
        return tb_random(tb, 64);
    case 1:
        return tb_below(tb, 16);
    case 2:
    case 3:
        return UINT64_MAX - tb_below(tb, 5);
    default:
        return (tb_random(tb, 32) << 32 | UINT32_MAX) - tb_below(tb, 5);
    }
}

/* Returns a filter with few bits, and an event. */
static uint64_t random_type(struct apmu_tb *tb)
{
    uint64_t type = tb_random_event(tb);

    if (tb_chance(tb, 32)) {
        type |= APMU_MASK(PMEVTYPER_EL0, NSH);
    }
    if (tb_chance(tb, 32)) {
        type |= UINT64_C(1) << (20 + tb_below(tb, 12)) | UINT64_C(1) << (20 + tb_below(tb, 12));
    }
    if (tb_chance(tb, 16)) {
        type |= tb_random(tb, 16) << 16;
    }
    if (tb_chance(tb, 12)) {
        type |= APMU_PUT(PMEVTYPER_EL0, VS, 1 + tb_below(tb, 3)) | APMU_PUT(PMEVTYPER_EL0, SYNC, tb_below(tb, 2));
    }
    if (tb_chance(tb, 8)) {
        type |= tb_random(tb, 32) << 32 & ~APMU_MASK(PMEVTYPER_EL0, VS);
    }
    return type;
}

static uint64_t random_control(struct apmu_tb *tb)
{
    uint64_t value = tb_chance(tb, 52);

    value |= tb_chance(tb, 10) ? APMU_MASK(PMCR_EL0, P) : 0;
    value |= tb_chance(tb, 10) ? APMU_MASK(PMCR_EL0, C) : 0;
    value |= tb_chance(tb, 28) ? APMU_MASK(PMCR_EL0, LP) : 0;
    value |= tb_chance(tb, 28) ? APMU_MASK(PMCR_EL0, DP) : 0;
    value |= tb_chance(tb, 40) ? APMU_MASK(PMCR_EL0, LC) : 0;
    value |= tb_chance(tb, 16) ? APMU_MASK(PMCR_EL0, FZO) : 0;
    value |= tb_chance(tb, 16) ? APMU_MASK(PMCR_EL0, FZS) : 0;
    value |= tb_chance(tb, 16) ? APMU_MASK(PMCR_EL0, D) | APMU_MASK(PMCR_EL0, X) : 0;
    return tb_chance(tb, 6) ? value ^ tb_random(tb, 64) : value;
}

/* Returns a set of counters with few members, most, or any. */
static uint64_t random_set(struct apmu_tb *tb)
{
    const unsigned counters = tb->p.cfg.counters + 3u, n = tb_below(tb, counters);
    const uint64_t one = UINT64_C(1) << (n < tb->p.cfg.counters ? n : 30 + n - tb->p.cfg.counters);

    switch (tb_below(tb, 4)) {
    case 0:
        return tb_random(tb, 64);
    case 1:
        return ~one;
    default:
        return one;
    }
}

uint64_t tb_random_word(struct apmu_tb *tb, enum apmu_reg reg, unsigned n)
{
    (void)n;
    switch (reg) {
    case APMU_REG_PMCR_EL0:
        return random_control(tb);
    case APMU_REG_PMEVCNTR_EL0:
    case APMU_REG_PMCCNTR_EL0:
    case APMU_REG_PMICNTR_EL0:
    case APMU_REG_PMXEVCNTR_EL0:
        return random_count(tb);
    case APMU_REG_PMEVTYPER_EL0:
    case APMU_REG_PMCCFILTR_EL0:
    case APMU_REG_PMICFILTR_EL0:
    case APMU_REG_PMXEVTYPER_EL0:
        return random_type(tb);
    case APMU_REG_PMSELR_EL0:
        return tb_chance(tb, 40) ? tb_below(tb, tb->p.cfg.counters + 2u) : tb_chance(tb, 40) ? 31 : tb_random(tb, 64);
    case APMU_REG_PMCNTENSET_EL0:
    case APMU_REG_PMINTENSET_EL1:
        return tb_chance(tb, 32) ? UINT64_MAX : random_set(tb);
    case APMU_REG_PMLAR:
        return tb_chance(tb, 40) ? 0xC5ACCE55u : tb_random(tb, 32);
    case APMU_REG_PMCCR:
        return APMU_PUT(PMCCR, EPMN, tb_below(tb, tb->p.cfg.counters + 1u)) |
               (tb_random(tb, 64) & ~APMU_MASK(PMCCR, EPMN));
    case APMU_REG_PMUSERENR_EL0:
        return tb_random(tb, 7);
    default:
        return apmu_reg_info(reg)->copies == 1 ? random_set(tb) : tb_random(tb, 64);
    }
}
