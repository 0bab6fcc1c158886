/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of pure functions, small enough to be proved: the division; the threshold function against a second
 * formulation; and that the decisions are defined for every state of unit and PE, and for every register.
 */
#include "../../../lib/model/internal.h"
#include "any.h"

/*
 * Compares with the machine's division.  apmu_divide() computes one bit of the quotient per step, so a proof keeps the
 * quotient short.
 */
static bool quotient_differs(uint64_t a, uint64_t b)
{
    if (b == 0 || apmu_divide(a, b) == a / b) {
        return false;
    }
    snprintf(any_message, sizeof any_message, "%llu / %llu is not %llu", (unsigned long long)a, (unsigned long long)b,
             (unsigned long long)apmu_divide(a, b));
    return true;
}

static bool short_quotient_differs(struct choices *c)
{
    return quotient_differs(pick(c, 8), pick(c, 8));
}

static bool long_quotient_differs(struct choices *c)
{
    return quotient_differs(pick_count(c), pick(c, 2) != 0 ? pick(c, 12) : pick_count(c));
}

/*
 * Checks what counter n adds for Vb occurrences if the counter below increments by Vm (D13.8).  TC[2:1] selects the
 * comparison.
 */
static bool threshold_differs(struct choices *c)
{
    enum { LESS = 1, EQUAL = 2, MORE = 4 };
    static const unsigned holds[4] = {LESS | MORE, EQUAL, EQUAL | MORE, LESS};
    struct apmu p;

    any_unit(c, &p);
    const unsigned n = pick_of(c, APMU_EVENT_COUNTERS);
    const uint64_t vb = pick(c, 4), vm = pick(c, 3), t = p.typer[n];
    const bool th1 = (p.cfg.features >> 30 & 1) != 0, before = (p.last_threshold >> n & 1) != 0;
    unsigned tc = th1 ? (unsigned)(t >> 61 & 7) : 0;
    bool edge = th1 && (p.cfg.features >> 31 & 1) != 0 && (t >> 60 & 1) != 0;
    unsigned link = th1 && (p.cfg.features >> 32 & 1) != 0 && n % 2 == 1 ? (unsigned)(t >> 54 & 3) : 0;
    const uint64_t th = th1 ? t >> 32 & 0xFFF : 0;
    const bool reserved = edge ? tc % 4 == 0 || link % 2 == 1 : link == 3 || (link == 2 && tc % 2 == 1);
    struct apmu_threshold want = {vb, before};

    if (reserved) {
        tc = p.cfg.reserved_threshold >> 3 & 7;
        edge = (p.cfg.reserved_threshold & 4) != 0;
        link = p.cfg.reserved_threshold & 3;
    }
    if (!(reserved && p.cfg.reserved_threshold_off) && (th != 0 || tc != 0 || edge || link != 0)) {
        const bool now = (holds[tc / 2] & (vb < th ? LESS : vb == th ? EQUAL : MORE)) != 0;
        const bool happens = !edge ? now : tc % 2 == 1 ? now && !before : now != before;
        const uint64_t otherwise = !edge && link == 1 ? vm : 0;
        want.condition = now;
        want.value = !happens ? otherwise : link == 2 ? vm : edge || tc % 2 == 1 ? 1 : vb;
    }
    const struct apmu_threshold got = apmu_threshold(&p, n, vb, vm);
    if (got.value == want.value && got.condition == want.condition) {
        return false;
    }
    snprintf(any_message, sizeof any_message,
             "counter %u, TC %u TE %u TLC %u TH %llu, Vb %llu, Vm %llu: %llu, not %llu", n, tc, edge, link,
             (unsigned long long)th, (unsigned long long)vb, (unsigned long long)vm, (unsigned long long)got.value,
             (unsigned long long)want.value);
    return true;
}

/* Gives members of the configuration any values, most of them illegal.  The functions are defined for these too. */
static void any_configuration_value(struct choices *c, struct apmu *p)
{
    p->cfg.reserved_hpmn = (uint8_t)pick(c, 8);
    p->cfg.reserved_epmn = (uint8_t)pick(c, 8);
    p->cfg.reserved_threshold = (uint8_t)pick(c, 8);
    p->cfg.reserved_pmee = (uint8_t)pick(c, 8);
    p->cfg.thwidth = (uint8_t)pick(c, 8);
    apmu_settle(p);
}

/* Checks that the set has no undefined bits.  A proof also finds undefined behaviour. */
static bool why_undefined(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;

    any_unit(c, &p);
    any_configuration_value(c, &p);
    any_engine_pe(c, &p.cfg, &pe);
    const unsigned n = pick_of(c, APMU_COUNTERS + 1u);
    const uint64_t why = apmu_why(&p, &pe, n);
    snprintf(any_message, sizeof any_message, "the set of counter %u: %llx", n, (unsigned long long)why);
    return why >> APMU_REASON_COUNT != 0;
}

/* Checks that ranges are 1 to 3, that HPMN and EPMN are in bounds, and that the masks agree with apmu_range(). */
static bool range_undefined(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;

    any_unit(c, &p);
    any_configuration_value(c, &p);
    any_engine_pe(c, &p.cfg, &pe);
    const unsigned n = pick_of(c, APMU_CYCLE), range = apmu_range(&p, &pe, n);
    const unsigned hpmn = apmu_hpmn(&p, &pe), epmn = apmu_epmn(&p, &pe);
    const bool exists = n < p.cfg.counters;
    bool wrong = range < 1 || range > 3 || hpmn > p.cfg.counters || epmn > p.cfg.counters;

    for (unsigned r = 1; r <= 3; r++) {
        wrong |= ((apmu_range_mask(&p, &pe, r) >> n & 1) != 0) != (exists && r == range);
    }
    snprintf(any_message, sizeof any_message, "counter %u of %u: range %u, HPMN %u, EPMN %u", n, p.cfg.counters, range,
             hpmn, epmn);
    return wrong;
}

static bool access_undefined(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;

    any_unit(c, &p);
    any_configuration_value(c, &p);
    any_engine_pe(c, &p.cfg, &pe);
    const unsigned reg = pick_of(c, APMU_REG_ALL + 1u), n = pick_of(c, 40);
    const struct apmu before = p;
    const struct apmu_access a = apmu_access(&p, &pe, (enum apmu_reg)reg, n, pick_bool(c));
    snprintf(any_message, sizeof any_message, "register %u, copy %u: outcome %d to EL%u", reg, n, (int)a.outcome, a.el);
    return CHANGED(c, &before, &p) || a.control == NULL || (a.outcome == APMU_ACCESS_TRAP) != (a.el != 0) || a.el > 3 ||
           a.hyp || (a.el != 0 && a.el < pe.el);
}

static bool access_a32_undefined(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;

    any_unit(c, &p);
    any_configuration_value(c, &p);
    any_engine_pe(c, &p.cfg, &pe);
    const unsigned reg = pick_of(c, APMU_REG32_COUNT + 1u), n = pick_of(c, 40);
    const struct apmu before = p;
    const struct apmu_access a = apmu_access_a32(&p, &pe, (enum apmu_reg32)reg, n, pick_bool(c));
    snprintf(any_message, sizeof any_message, "register %u, copy %u: outcome %d to EL%u", reg, n, (int)a.outcome, a.el);
    return CHANGED(c, &before, &p) || a.control == NULL || (a.outcome == APMU_ACCESS_TRAP) != (a.el != 0) || a.el > 3 ||
           (a.hyp && a.el != 2);
}

PROPERTIES(
    {"short quotients are those of the machine", short_quotient_differs, .bits = 16},
    {"quotients are those of the machine", long_quotient_differs, .rounds = 500000},
    {"the threshold equals a second formulation", threshold_differs, .rounds = 200000},
    {"apmu_why() is defined for every state", why_undefined, .rounds = 20000},
    {"apmu_range() is defined for every state", range_undefined, .rounds = 20000},
    {"apmu_access() is defined for every state", access_undefined, .rounds = 20000},
    {"apmu_access_a32() is defined for every state", access_a32_undefined, .rounds = 20000})
