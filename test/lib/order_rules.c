/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the recorder's lines against the rules of order_rules.h. */
#include "order_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/events.h>

#define BIT(n) (UINT64_C(1) << (n))

const char *order_rule_text(enum order_rule rule)
{
    static const char *const texts[] = {
#define ORDER_RULE_TEXT(id, text) text,
        ORDER_RULES(ORDER_RULE_TEXT)
#undef ORDER_RULE_TEXT
    };

    return texts[rule];
}

static void breach(struct order_rules *r, enum order_rule rule, const char *line)
{
    if (r->broken == 0) {
        snprintf(r->first, sizeof r->first, "%s: %s: %s", r->call, line, order_rule_text(rule));
    }
    r->broken |= BIT(rule);
}

void order_rules_begin(struct order_rules *r, const struct apmu_pmu *unit)
{
    *r = (struct order_rules){.unit = *unit, .call = "", .pair_last = -1, .pair_expect = -1};
}

void order_rules_call(struct order_rules *r, const char *call)
{
    if (r->enabled_now) {
        breach(r, ORDER_SYNC_AFTER_ENABLE, "the end");
    }
    if (r->user_open && r->access_changed) {
        breach(r, ORDER_USER_LAST, "the end");
    }
    if (r->pair_expect >= 0) {
        breach(r, ORDER_PAIR_READ, "the end");
    }
    r->call = call;
    r->synced = r->user_open = r->flags_read = false;
    r->flags_seen = 0;
    r->pair_last = r->pair_expect = -1;
    /* A call may end with r->configured, because the code between two calls does not depend on the configuration. */
}

/* Returns true if @reg says what a counter counts. */
static bool is_type(enum apmu_reg reg)
{
    return reg == APMU_REG_PMEVTYPER_EL0 || reg == APMU_REG_PMCCFILTR_EL0 || reg == APMU_REG_PMICFILTR_EL0;
}

/* Returns the number of the counter to which @reg belongs, or APMU_COUNTERS. */
static unsigned counter_of(enum apmu_reg reg, unsigned n)
{
    switch (reg) {
    case APMU_REG_PMEVTYPER_EL0:
    case APMU_REG_PMEVCNTR_EL0:
        return n;
    case APMU_REG_PMCCFILTR_EL0:
    case APMU_REG_PMCCNTR_EL0:
        return APMU_CYCLE;
    case APMU_REG_PMICFILTR_EL0:
    case APMU_REG_PMICNTR_EL0:
        return APMU_INSTR;
    default:
        return APMU_COUNTERS;
    }
}

/* Returns the upper halves of pairs: the odd counters that count CHAIN. */
static uint64_t upper_halves(const struct order_rules *r)
{
    uint64_t set = 0;

    for (unsigned n = 1; n < APMU_EVENT_COUNTERS; n += 2) {
        set |= APMU_GET(PMEVTYPER_EL0, evtCount, r->type[n]) == APMU_EV_CHAIN ? BIT(n) : 0;
    }
    return set;
}

static void write_control(struct order_rules *r, uint64_t value, const char *line)
{
    const uint64_t acts = APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C);
    const uint64_t whole = (r->unit.version >= 3 ? APMU_MASK(PMCR_EL0, LC) : 0) |
                           (apmu_pmu_long(&r->unit) ? APMU_MASK(PMCR_EL0, LP) : 0);
    const uint64_t fixed = APMU_MASK(PMCR_EL0, IMP) | APMU_MASK(PMCR_EL0, IDCODE) | APMU_MASK(PMCR_EL0, N);
    const bool enable = APMU_GET(PMCR_EL0, E, value) != 0;

    if ((value & ~acts & ~fixed) != whole) {
        breach(r, ORDER_CONTROL_WHOLE, line);
    }
    if (enable && r->configured) {
        breach(r, ORDER_SYNC_BEFORE_ENABLE, line);
    }
    if (enable && (r->counting & ~r->flags_known) != 0) {
        breach(r, ORDER_FLAGS_KNOWN, line);
    }
    r->enabled_now |= enable && !r->enabled;
    r->disabled |= !enable;
    r->enabled = enable;
    r->control_known = true;
}

static void write_enables(struct order_rules *r, uint64_t value, const char *line)
{
    const uint64_t upper = upper_halves(r);

    r->counting |= value;
    if ((~r->counting_known & apmu_pmu_counters(&r->unit)) != 0) {
        breach(r, ORDER_ENABLES_KNOWN, line);
    }
    if (r->configured) {
        breach(r, ORDER_SYNC_BEFORE_ENABLE, line);
    }
    if (r->enabled && (value & ~r->flags_known) != 0) {
        breach(r, ORDER_FLAGS_KNOWN, line);
    }
    if ((r->counting & upper) >> 1 != (r->counting & upper >> 1)) {
        breach(r, ORDER_PAIR_WHOLE, line);
    }
    r->enabled_now |= r->enabled;
}

static void write_interrupts(struct order_rules *r, uint64_t value, const char *line)
{
    if ((~r->interrupts_known & apmu_pmu_counters(&r->unit)) != 0) {
        breach(r, ORDER_ENABLES_KNOWN, line);
    }
    if ((value & upper_halves(r) >> 1) != 0) {
        breach(r, ORDER_PAIR_WHOLE, line);
    }
    r->interrupts |= value;
    r->configured = true;
}

/* Checks a write of a counter, or of its type. */
static void write_counter(struct order_rules *r, unsigned n, bool type, uint64_t value, const char *line)
{
    const uint64_t filter = APMU_FILTER_ALL & ~APMU_FILTER(NSH);

    if ((r->enabled || !r->control_known) && (r->counting & BIT(n)) != 0) {
        breach(r, ORDER_CONFIGURE_STOPPED, line);
    }
    if (type) {
        r->type[n] = value;
        if (n % 2 == 0 && n + 1 < APMU_EVENT_COUNTERS) {
            r->type[n + 1] = 0; /* the counter above is no upper half until it is written again too */
        }
        if (value != r->type_read[n] && n < APMU_EVENT_COUNTERS &&
            APMU_GET(PMEVTYPER_EL0, evtCount, value) == APMU_EV_CHAIN &&
            ((value & filter) != 0 || (r->unit.version >= 3 && (value & APMU_FILTER(NSH)) == 0))) {
            breach(r, ORDER_CHAIN_EVERYWHERE, line);
        }
    }
    r->configured = true;
}

/* Replaces PMXEVTYPER_EL0 and PMXEVCNTR_EL0 by the register that PMSELR_EL0 selects. */
static void behind(const struct order_rules *r, enum apmu_reg *reg, unsigned *n)
{
    if (*reg == APMU_REG_PMXEVCNTR_EL0) {
        *reg = APMU_REG_PMEVCNTR_EL0;
        *n = r->select;
    } else if (*reg == APMU_REG_PMXEVTYPER_EL0) {
        *reg = r->select == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0 : APMU_REG_PMEVTYPER_EL0;
        *n = r->select == APMU_CYCLE ? 0 : r->select;
    }
}

/* Checks a write of a register that is a set of counters. */
static void write_set(struct order_rules *r, enum apmu_reg reg, uint64_t value, const char *line)
{
    switch (reg) {
    case APMU_REG_PMCNTENSET_EL0:
    case APMU_REG_PMCNTENCLR_EL0:
    case APMU_REG_PMINTENSET_EL1:
    case APMU_REG_PMINTENCLR_EL1:
    case APMU_REG_PMOVSSET_EL0:
    case APMU_REG_PMOVSCLR_EL0:
        if (value == 0) {
            breach(r, ORDER_SET_IS_NO_CLEAR, line);
        }
        if ((value & ~apmu_pmu_counters(&r->unit)) != 0) {
            breach(r, ORDER_COUNTERS_EXIST, line);
        }
        break;
    default:
        break;
    }
}

static void line_write(struct order_rules *r, enum apmu_reg reg, unsigned n, uint64_t value, const char *line)
{
    const unsigned counter = counter_of(reg, n);

    if (counter < APMU_COUNTERS) {
        write_counter(r, counter, is_type(reg), value, line);
    }
    write_set(r, reg, value, line);
    switch (reg) {
    case APMU_REG_PMCR_EL0:
        write_control(r, value, line);
        break;
    case APMU_REG_PMCNTENSET_EL0:
        write_enables(r, value, line);
        break;
    case APMU_REG_PMCNTENCLR_EL0:
        r->counting &= ~value;
        r->counting_known |= value;
        r->disabled |= r->enabled || !r->control_known;
        break;
    case APMU_REG_PMINTENSET_EL1:
        write_interrupts(r, value, line);
        break;
    case APMU_REG_PMINTENCLR_EL1:
        r->interrupts &= ~value;
        r->interrupts_known |= value;
        break;
    case APMU_REG_PMOVSCLR_EL0:
        if (r->enabled && (value & ~r->flags_seen) != 0) {
            breach(r, ORDER_FLAGS_SEEN, line);
        }
        r->flags_known |= value;
        r->configured |= !r->enabled;
        break;
    case APMU_REG_PMOVSSET_EL0:
        r->flags_known |= value;
        r->configured = true;
        break;
    case APMU_REG_PMSELR_EL0:
        r->selected = true;
        r->select = (unsigned)APMU_GET(PMSELR_EL0, SEL, value);
        break;
    case APMU_REG_PMUSERENR_EL0:
        if (value != 0 && (r->configured || r->access_changed)) {
            breach(r, ORDER_USER_LAST, line);
        }
        r->user_open = value != 0;
        r->access_changed = true;
        break;
    default:
        r->access_changed |= reg == APMU_REG_PMUACR_EL1;
        break;
    }
    if (r->user_open && reg != APMU_REG_PMUSERENR_EL0) {
        breach(r, ORDER_USER_LAST, line);
    }
}

static void line_read(struct order_rules *r, enum apmu_reg reg, unsigned n, uint64_t value, const char *line)
{
    const uint64_t upper = upper_halves(r);
    const unsigned counter = counter_of(reg, n);

    if (reg == APMU_REG_PMOVSCLR_EL0 || reg == APMU_REG_PMOVSSET_EL0) {
        r->flags_seen |= value;
        r->flags_read = r->read_flags = true;
        if (r->enabled && r->read_counters) {
            breach(r, ORDER_SYNC_BETWEEN_READS, line);
        }
        if (r->disabled || !r->synced) {
            breach(r, ORDER_SYNC_BEFORE_READ, line);
        }
    }
    if (counter < APMU_COUNTERS && is_type(reg)) {
        r->type_read[counter] = value;
    } else if (counter < APMU_COUNTERS) {
        if (r->disabled || !r->synced) {
            breach(r, ORDER_SYNC_BEFORE_READ, line);
        }
        if (r->enabled_now) {
            breach(r, ORDER_SYNC_AFTER_ENABLE, line);
        }
        if (!r->flags_read) {
            breach(r, ORDER_FLAGS_BEFORE_COUNTS, line);
        }
        if (r->enabled && (r->read_flags || (counter < APMU_CYCLE && (r->read_halves & BIT(n ^ 1)) != 0))) {
            breach(r, ORDER_SYNC_BETWEEN_READS, line);
        }
        r->read_counters = true;
        r->read_halves |= counter < APMU_CYCLE && ((upper | upper >> 1) & BIT(n)) != 0 ? BIT(n) : 0;
    }
    if (reg == APMU_REG_PMEVCNTR_EL0) {
        if ((upper & BIT(n + 1)) != 0 && (r->enabled || !r->control_known)) {
            if (r->pair_last != (int)n + 1) {
                breach(r, ORDER_PAIR_READ, line);
            }
            r->pair_expect = (int)n + 1;
        } else if (r->pair_expect == (int)n) {
            r->pair_expect = -1;
        }
    }
    if (r->pair_expect >= 0 && !(reg == APMU_REG_PMEVCNTR_EL0 && (int)n + 1 == r->pair_expect)) {
        breach(r, ORDER_PAIR_READ, line);
        r->pair_expect = -1;
    }
    r->pair_last = reg == APMU_REG_PMEVCNTR_EL0 && (upper & BIT(n)) != 0 ? (int)n : -1;
}

void order_rules_line(void *order_rules, const char *line)
{
    struct order_rules *r = order_rules;
    char name[32];
    const char *value, *start = strchr(line, ' ');
    enum apmu_reg reg;
    unsigned n;

    r->lines++;
    if (strcmp(line, "sync") == 0) {
        r->configured = r->enabled_now = r->selected = r->disabled = r->access_changed = false;
        r->read_flags = r->read_counters = false;
        r->read_halves = 0;
        r->synced = true;
        return;
    }
    if (start == NULL || strchr(line, ':') != NULL) {
        return; /* a failed access has no effect */
    }
    value = strchr(start + 1, ' ');
    snprintf(name, sizeof name, "%.*s", value == NULL ? (int)strlen(start + 1) : (int)(value - start - 1), start + 1);
    if (value == NULL || !apmu_reg_by_name(name, &reg, &n)) {
        breach(r, ORDER_COUNTERS_EXIST, line);
        return;
    }
    if (r->selected && (reg == APMU_REG_PMXEVTYPER_EL0 || reg == APMU_REG_PMXEVCNTR_EL0)) {
        breach(r, ORDER_SYNC_AFTER_SELECT, line);
    }
    behind(r, &reg, &n);
    if (line[0] == 'w') {
        line_write(r, reg, n, strtoull(value, NULL, 16), line);
        r->pair_last = -1;
    } else {
        line_read(r, reg, n, strtoull(value, NULL, 16), line);
    }
}
