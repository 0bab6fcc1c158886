/* SPDX-License-Identifier: BSD-2-Clause */
/* Performs the actions of traces on an ARM11 unit: accesses, the state of its core, time and reset. */

#include "trace.h"

#include <string.h>

/* Returns the bits of @reg whose value in a read is defined. */
static uint32_t predictable(const struct trace *t, enum apmu_arm11_reg reg)
{
    const struct apmu_arm11_reg_info *info = apmu_arm11_reg_info(reg);
    uint64_t mask = 0;

    for (unsigned i = 0; i < info->field_count; i++) {
        const struct apmu_arm11_field *f = &info->fields[i];
        if ((f->access == APMU_ARM11_RW || f->access == APMU_ARM11_W1C) && (f->parts & t->arm11.cfg.part) != 0) {
            mask |= APMU_BITS(f->msb, f->lsb);
        }
    }
    return (uint32_t)mask;
}

static bool access_arm11(struct trace *t, const struct trace_access *a, struct trace_reply *r)
{
    enum apmu_arm11_reg reg;

    if (!apmu_arm11_reg_by_name(a->reg, &reg)) {
        return false;
    }
    if (apmu_arm11_access(&t->arm11, &t->pe11, reg, a->write).outcome != APMU_ACCESS_OK) {
        r->outcome = TRACE_OUTCOME_UNDEF;
    } else if (a->write) {
        apmu_arm11_poke(&t->arm11, reg, (uint32_t)a->value, NULL);
    } else {
        r->has_value = true;
        r->mask = predictable(t, reg);
        r->value = apmu_arm11_peek(&t->arm11, reg) & r->mask;
    }
    return true;
}

static const struct trace_view views[] = {{"arm11", access_arm11}, {NULL, NULL}};

static bool set_pe(struct trace *t, const char *key, uint64_t value)
{
    const struct {
        const char *key;
        bool *member;
    } members[] = {
#define MEMBER(name) {#name, &t->pe11.name}
        MEMBER(user), MEMBER(user_v), MEMBER(halted), MEMBER(secure), MEMBER(spniden), MEMBER(suniden),
#undef MEMBER
    };

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(members[i].key, key) == 0) {
            *members[i].member = value != 0;
            return true;
        }
    }
    return false;
}

static void cycles(struct trace *t, uint64_t n, const struct apmu_occurrence *ev, size_t count)
{
    apmu_arm11_step(&t->arm11, &t->pe11, n, ev, count, NULL);
}

static bool irq(struct trace *t)
{
    return apmu_arm11_irq(&t->arm11);
}

static bool fiq(struct trace *t)
{
    return apmu_arm11_fiq(&t->arm11);
}

static void reset(struct trace *t, bool cold)
{
    (void)cold;
    apmu_arm11_on_reset(&t->arm11);
}

static const struct trace_unit arm11_unit = {
    .views = views,
    .set_pe = set_pe,
    .cycles = cycles,
    .irq = irq,
    .fiq = fiq,
    .reset = reset,
};

bool trace_configure_arm11(struct trace *t, const struct trace_setting *settings, unsigned count, const char **bad)
{
    struct apmu_arm11_config cfg = {
        .size = sizeof cfg,
        .unknown_fill = (uint32_t)t->fill,
        .unpredictable = (uint32_t)t->fill,
    };

    *bad = settings[count - 1].key;
    switch (settings[0].value) {
    case 1136:
        cfg.part = APMU_ARM1136;
        break;
    case 1156:
        cfg.part = APMU_ARM1156;
        break;
    case 1176:
        cfg.part = APMU_ARM1176;
        break;
    default:
        return false;
    }
    apmu_arm11_init(&t->arm11, &cfg);
    t->unit = &arm11_unit;
    return count == 1;
}
