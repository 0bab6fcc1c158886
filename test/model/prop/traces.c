/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of sequences of calls through every view: no call breaks the invariant; calls that only ask change
 * nothing; and a copy of the unit, taken in the middle, behaves like the original.
 */
#include "calls.h"

/* Makes a unit.  Many have the external view, in one of its layouts. */
static void start(struct choices *c, struct apmu *p)
{
    const struct apmu_config cfg = any_checked_config(c);

    memset(p, 0, sizeof *p);
    apmu_init(p, &cfg);
}

static bool complain(const char *what, const struct model_call *call, const struct apmu *p)
{
    snprintf(any_message, sizeof any_message,
             "%s: call %d, registers %d and %d, copy %u, offset 0x%llx, value 0x%llx, EL%u "
             "(features 0x%llx, counters %u)",
             what, (int)call->kind, (int)call->reg, (int)call->reg32, call->n, (unsigned long long)call->at.offset,
             (unsigned long long)call->value, call->pe.el, (unsigned long long)p->cfg.features, p->cfg.counters);
    return true;
}

/* Returns whether @call may change the unit. */
static bool acts(const struct model_call *call)
{
    return call->kind != CALL_MRS && call->kind != CALL_MRC && call->kind != CALL_ASK;
}

static bool invariant_breaks(struct choices *c)
{
    struct apmu p;

    start(c, &p);
    if (!apmu_check(&p)) {
        return complain("after apmu_init()", &(struct model_call){0}, &p);
    }
    for (unsigned i = 0; i < 60; i++) {
        const struct model_call call = any_call(c, &p.cfg);
        const struct apmu before = p;
        const bool allowed = access_allowed(&call, &p);

        if (memcmp(&before, &p, sizeof p) != 0) {
            return complain("asking changed the unit", &call, &p);
        }
        const bool insist = pick(c, 2) == 0; /* refused accesses have a defined effect too */
        make_call(&call, &p, insist);
        if (!apmu_check(&p)) {
            return complain("the invariant does not hold", &call, &p);
        }
        if ((!acts(&call) || (!allowed && !insist)) && memcmp(&before, &p, sizeof p) != 0) {
            return complain("a call that does not act changed the unit", &call, &p);
        }
    }
    return false;
}

static bool copy_goes_astray(struct choices *c)
{
    struct apmu original, copy;

    start(c, &original);
    for (unsigned i = 0; i < 16; i++) {
        const struct model_call call = any_call(c, &original.cfg);
        make_call(&call, &original, false);
    }
    memcpy(&copy, &original, sizeof copy);
    for (unsigned i = 0; i < 16; i++) {
        const struct model_call call = any_call(c, &original.cfg);
        const struct call_result a = make_call(&call, &original, false), b = make_call(&call, &copy, false);
        if (memcmp(&original, &copy, sizeof copy) != 0 || a.performed != b.performed || a.value != b.value ||
            a.out.overflowed != b.out.overflowed || a.out.pmuirq != b.out.pmuirq || a.out.cti != b.out.cti) {
            return complain("a copy does something else", &call, &original);
        }
    }
    return false;
}

PROPERTIES(
    {"no call breaks the invariant", invariant_breaks, .rounds = 8000},
    {"a copy in the middle of a trace goes on alike", copy_goes_astray, .rounds = 8000})
