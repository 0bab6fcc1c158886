/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order that the architecture asks for, as rules over what the recorder (apmu_trace) tells: which accesses need a
 * synchronization between them, which must come before which, and which values are never right.
 *
 * One struct order_rules watches one PMU from a state of its registers that nobody knows, over many calls of a driver.
 */
#ifndef ARMPMU_TEST_ORDER_RULES_H
#define ARMPMU_TEST_ORDER_RULES_H

#include <armpmu/driver.h>

/* ORDER_RULE(id, text): the numbers of the defects are those of drivers that shipped, see test/driver/rules.c. */
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
    ORDER_RULE(COUNTERS_EXIST, "a bit of a counter that the PMU does not have is written") \
    ORDER_RULE(USER_LAST, "EL0 is let in before the rest is written and synchronized") \
    ORDER_RULE(PAIR_READ, "while counting, the lower half of a chained pair is not read between two reads of the upper half") \
    ORDER_RULE(PAIR_WHOLE, "one half of a chained pair is enabled, or the interrupt of the lower half") \
    ORDER_RULE(CHAIN_EVERYWHERE, "the upper half of a chained pair does not count at every Exception level")

enum order_rule {
#define ORDER_RULE_ID(id, text) ORDER_##id,
    ORDER_RULES(ORDER_RULE_ID)
#undef ORDER_RULE_ID
    ORDER_RULES_COUNT
};

struct order_rules {
    struct apmu_unit unit;
    uint64_t broken;    /* set of rules */
    char first[160];    /* the first breach in words; "" if none */
    unsigned lines;     /* seen */

    /* What is known of the registers; of the rest nothing. */
    bool enabled, control_known;
    uint64_t counting, interrupts; /* PMCNTEN and PMINTEN, where known */
    uint64_t counting_known, interrupts_known, flags_known;
    uint64_t type[APMU_COUNTERS];
    uint64_t type_read[APMU_COUNTERS]; /* as they read: what is saved is what is restored */

    /* Since the last synchronization. */
    bool configured, enabled_now, selected, disabled, access_changed;
    bool read_flags, read_counters;
    uint64_t read_halves; /* of pairs */
    unsigned select; /* PMSELR_EL0.SEL */

    /* Since the call began. */
    const char *call;
    bool synced, user_open;
    uint64_t flags_seen;
    bool flags_read;
    int pair_last;   /* the upper half that was read by the access before, or -1 */
    int pair_expect; /* the upper half that has to be read by the next access, or -1 */
};

/* Begins with a PMU whose registers hold anything. */
void order_rules_begin(struct order_rules *r, const struct apmu_unit *unit);

/* A call of the driver begins, and the one before has ended. */
void order_rules_call(struct order_rules *r, const char *call);

/* One line of the recorder: a sink of struct apmu_trace, whose context is the struct order_rules. */
void order_rules_line(void *order_rules, const char *line);

const char *order_rule_text(enum order_rule rule);

#endif
