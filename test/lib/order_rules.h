/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of register accesses that the architecture requires, as rules over the lines of the recorder (apmu_trace):
 * which accesses need a synchronization between them, which must come before which, and which values are always wrong.
 *
 * One struct order_rules watches one PMU over many calls of a driver.  At the start, the state of its registers is
 * unknown.
 */
#ifndef ARMPMU_TEST_ORDER_RULES_H
#define ARMPMU_TEST_ORDER_RULES_H

#include <armpmu/driver.h>

/* ORDER_RULE(id, text).  test/driver/rules.c lists the defects of released drivers that each rule catches. */
#define ORDER_RULES(ORDER_RULE) \
    ORDER_RULE(CONFIGURE_STOPPED, "a type or counter is written while the counter counts") \
    ORDER_RULE(SYNC_BEFORE_ENABLE, "no synchronization between configuring and enabling") \
    ORDER_RULE(SYNC_AFTER_ENABLE, "no synchronization between enabling and what follows") \
    ORDER_RULE(SYNC_BEFORE_READ, "no synchronization between disabling, or the code before, and reading") \
    ORDER_RULE(SYNC_AFTER_SELECT, "no synchronization between PMSELR_EL0 and PMXEVTYPER_EL0 or PMXEVCNTR_EL0") \
    ORDER_RULE(CONTROL_WHOLE, "PMCR_EL0 is not written as a whole, with a known value") \
    ORDER_RULE(FLAGS_BEFORE_COUNTS, "a counter is read before the overflow flags") \
    ORDER_RULE(SYNC_BETWEEN_READS, "while counting, flags and counters, or the halves of a pair, are read without " \
                                   "synchronization between") \
    ORDER_RULE(FLAGS_SEEN, "while counting, an overflow flag is cleared that was not seen set") \
    ORDER_RULE(FLAGS_KNOWN, "a counter is enabled whose overflow flag was never cleared") \
    ORDER_RULE(ENABLES_KNOWN, "an enable is set before all were cleared") \
    ORDER_RULE(SET_IS_NO_CLEAR, "0 is written to a SET register, or to a CLR register, which does nothing") \
    ORDER_RULE(COUNTERS_EXIST, "a bit of a counter that the PMU lacks is written") \
    ORDER_RULE(USER_LAST, "EL0 is let in before the rest is written and synchronized") \
    ORDER_RULE(PAIR_READ, \
               "while counting, the lower half of a chained pair is not read between two reads of the upper half") \
    ORDER_RULE(PAIR_WHOLE, "one half of a chained pair is enabled, or the interrupt of the lower half") \
    ORDER_RULE(CHAIN_EVERYWHERE, "the upper half of a chained pair does not count at every Exception level")

enum order_rule {
#define ORDER_RULE_ID(id, text) ORDER_##id,
    ORDER_RULES(ORDER_RULE_ID)
#undef ORDER_RULE_ID
    ORDER_RULES_COUNT
};

struct order_rules {
    struct apmu_pmu unit;
    uint64_t broken;    /* a set of enum order_rule */
    char first[160];    /* describes the first breach; "" if none */
    unsigned lines;     /* number of lines seen */

    /* The known state of the registers. */
    bool enabled, control_known;
    uint64_t counting, interrupts; /* the known bits of PMCNTEN and PMINTEN */
    uint64_t counting_known, interrupts_known, flags_known;
    uint64_t type[APMU_COUNTERS];
    uint64_t type_read[APMU_COUNTERS]; /* as last read: a saved value may be restored */

    /* Since the last synchronization: */
    bool configured, enabled_now, selected, disabled, access_changed;
    bool read_flags, read_counters;
    uint64_t read_halves; /* halves of pairs that were read */
    unsigned select; /* PMSELR_EL0.SEL */

    /* Since the call began: */
    const char *call;
    bool synced, user_open;
    uint64_t flags_seen;
    bool flags_read;
    int pair_last;   /* the upper half that the previous access read, or -1 */
    int pair_expect; /* the upper half that the next access must read, or -1 */
};

/* Begins with a PMU whose registers may hold anything. */
void order_rules_begin(struct order_rules *r, const struct apmu_pmu *unit);

/* Ends the previous call of the driver and begins another, named @call. */
void order_rules_call(struct order_rules *r, const char *call);

/* Takes one line of the recorder.  It is a sink for struct apmu_trace; its context is the struct order_rules. */
void order_rules_line(void *order_rules, const char *line);

/* Returns the text of @rule, a constant. */
const char *order_rule_text(enum order_rule rule);

#endif
