/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics: numbers that follow from the counts of several events, such as instructions per cycle, misses per 1,000
 * instructions and the levels of top-down analysis.  They are rows of tables/metrics.def, tables/metrics_arm11.def and
 * tables/topdown.def.
 *
 * This header is for tools that print counts.  A metric has a formula over Arm's names of events.  Parse it once, count
 * the events that it lists, and compute the value as often as there are counts.  All data is constant, and every
 * function is safe in any context.  The library has no floating-point code: apmu_formula_value() is inline.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/metrics.h>
 *
 * int main(void)
 * {
 *     const struct apmu_core_info *core = apmu_core_by_name("Neoverse V1");
 *     const struct apmu_metric_set *set = apmu_metric_set_of(core, 0);
 *     const double counts[] = {3000000, 2000000};
 *     double constants[APMU_FORMULA_CONSTANTS] = {set->slots}, value;
 *     struct apmu_metric metric;
 *     struct apmu_formula formula;
 *
 *     if (!apmu_metric_by_name(set, "ipc", &metric) ||
 *         apmu_formula_parse(metric.formula, core, &formula, NULL) != APMU_OK) {
 *         return 1;
 *     }
 *     printf("%s = %s needs %u events\n", metric.name, metric.formula, (unsigned)formula.event_count);
 *     if (apmu_formula_value(&formula, counts, constants, &value) != APMU_FORMULA_DEFINED) {
 *         return 1;
 *     }
 *     printf("%.2f %s\n", value, metric.unit);
 *     return value == 1.5 ? 0 : 1;
 * }
 * @endcode
 */
#ifndef ARMPMU_METRICS_H
#define ARMPMU_METRICS_H

#include <armpmu/cores.h>
#include <armpmu/inline.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * Metrics.
 */

/** A set of formulas: those of a core, or those that hold for every core. */
struct apmu_metric_set {
    const char *name; /**< "Neoverse N2 r0p3", "ARM11", or "common events" */
    uint8_t slots;    /**< slots of dispatch in a cycle, or 0: PMMIR_EL1.SLOTS or the core model says it */
    uint8_t from;     /**< the first revision of the core to which it applies, MIDR.Variant << 4 | MIDR.Revision */
    uint32_t bit;     /**< internal */
    const char *core; /**< the name of the core; "" if the set holds for more than one */
};

/** A metric of a set. */
struct apmu_metric {
    const char *name;    /**< "l1d_cache_miss_ratio" */
    const char *unit;    /**< "per cache access", "% of slots" */
    const char *groups;  /**< the names of its groups, with a blank between: "miss_ratio l1d" */
    const char *formula; /**< what apmu_formula_parse() takes */
    const char *text;    /**< what it says, in a few words */
};

/**
 * Returns the formulas of @core, or those of common events if it has none of its own or is NULL.  @midr, its MIDR_EL1,
 * tells revisions apart.  0 means the newest revision.
 */
const struct apmu_metric_set *apmu_metric_set_of(const struct apmu_core_info *core, uint32_t midr);

/** Returns set @i, from 0; NULL past the last one. */
const struct apmu_metric_set *apmu_metric_set_at(size_t i);

/**
 * Fills *@metric with metric @i, from 0, of @set: its own, and those of common events that it does not have itself.
 * Returns false past the last one.  Metrics of a group are not always adjacent.
 */
bool apmu_metric_at(const struct apmu_metric_set *set, size_t i, struct apmu_metric *metric);

/** Fills *@metric with the metric of @set called @name.  Case, '_' and '-' are ignored.  Returns false if none is. */
bool apmu_metric_by_name(const struct apmu_metric_set *set, const char *name, struct apmu_metric *metric);

/**
 * Returns true if @metric belongs to the group called @group.  Case, '_' and '-' are ignored, and so is an ending
 * "effectiveness" or "cache_effectiveness", as Arm writes it: "L1D_Cache_Effectiveness" is the group l1d.
 */
bool apmu_metric_in_group(const struct apmu_metric *metric, const char *group);

/**
 * Fills @out, which has room for @max, with the metrics of @set whose names, or names of groups, are nearest to @name,
 * the nearest first.  Returns how many there are: @max or 8, whichever is less.
 */
size_t apmu_metric_nearest(const struct apmu_metric_set *set, const char *name, struct apmu_metric *out, size_t max);

/** A row of the decision tree of top-down analysis. */
struct apmu_topdown {
    const char *metric; /**< the metric that decides */
    bool root;          /**< analysis begins with it: the roots share out all slots, or are stalls of all cycles */
    const char *next;   /**< metrics and groups to look at if it is large, with a blank between; "": none */
    const char *sample; /**< events whose samples show where it arises, with a blank between; "": not known */
};

/** Returns row @i, from 0, of the tree of @set; NULL past the last one.  ARM11 has none. */
const struct apmu_topdown *apmu_topdown_at(const struct apmu_metric_set *set, size_t i);

/* ---------------------------------------------------------------------------------------------------------------
 * Formulas.
 */

/** The constants of a formula. */
enum apmu_formula_constant {
    APMU_FORMULA_SLOTS,   /**< slots of dispatch in a cycle */
    APMU_FORMULA_LINE,    /**< bytes of a line of the caches */
    APMU_FORMULA_SECONDS, /**< time for which it was counted */
    APMU_FORMULA_CONSTANTS
};

/** What a step of a formula does with the stack of values. */
enum apmu_formula_action {
    APMU_FORMULA_NUMBER,   /**< pushes .value */
    APMU_FORMULA_EVENT,    /**< pushes the count of event .value of the formula */
    APMU_FORMULA_CONSTANT, /**< pushes constant .value */
    APMU_FORMULA_ADD,      /**< replaces the two values at the top by what they give */
    APMU_FORMULA_SUBTRACT, /**< see APMU_FORMULA_ADD */
    APMU_FORMULA_MULTIPLY, /**< see APMU_FORMULA_ADD */
    APMU_FORMULA_DIVIDE    /**< see APMU_FORMULA_ADD */
};

/** The most that a formula may have. */
enum apmu_formula_limit {
    APMU_FORMULA_STEPS = 64,
    APMU_FORMULA_EVENTS = 16,
    APMU_FORMULA_DEPTH = 16, /**< values on the stack, and parentheses that are open */
};

/** A step of a formula. */
struct apmu_formula_step {
    enum apmu_formula_action action;
    uint32_t value;
};

/** A parsed formula, in postfix order.  Its texts are constants of the library. */
struct apmu_formula {
    uint32_t step_count, event_count;
    uint32_t constants; /**< the constants that it needs: a set of 1 << APMU_FORMULA_x */
    struct apmu_core_event events[APMU_FORMULA_EVENTS]; /**< each event that it needs, once */
    struct apmu_formula_step steps[APMU_FORMULA_STEPS];
};

/**
 * Parses @text into *@formula: numbers, events, "slots", "line" and "seconds", with + - * / and parentheses.  A number
 * is decimal, 12 or 0.05, and may end with K, M or G (10K is 10000) or with % (5% is 0.05).  An event is what
 * apmu_core_event_parse() takes for @core, or the name of an ARM11 event if @core is one; it must have a name.
 * APMU_E_EVENT_NAME: there is no such event; APMU_E_FORMULA: the text is no formula, or is too long.  After an error
 * *@at, unless @at is NULL, is where in @text it is.
 */
enum apmu_error apmu_formula_parse(const char *text, const struct apmu_core_info *core, struct apmu_formula *formula,
                                   size_t *at);

/** Whether a formula has a value. */
enum apmu_formula_outcome {
    APMU_FORMULA_DEFINED,
    APMU_FORMULA_NO_COUNT,        /**< the count of an event is not known */
    APMU_FORMULA_NO_CONSTANT,     /**< a constant is not known */
    APMU_FORMULA_DIVISION_BY_ZERO /**< a divisor is zero, or the value is too large for a double */
};

/**
 * Computes @formula into *@value.  @counts has the count of each of its events, in their order; a negative one is not
 * known.  @constants has APMU_FORMULA_CONSTANTS values; one that is not positive is not known.
 */
APMU_INLINE enum apmu_formula_outcome apmu_formula_value(const struct apmu_formula *formula, const double *counts,
                                                         const double *constants, double *value)
{
    double stack[APMU_FORMULA_DEPTH + 2] = {0};
    uint32_t n = 0;

    for (uint32_t i = 0; i < formula->step_count; i++) {
        const struct apmu_formula_step *step = &formula->steps[i];
        const double right = n > 0 ? stack[n - 1] : 0, left = n > 1 ? stack[n - 2] : 0;

        n -= step->action >= APMU_FORMULA_ADD ? 2u : 0u;
        switch (step->action) {
        case APMU_FORMULA_NUMBER: stack[n] = step->value; break;
        case APMU_FORMULA_EVENT: stack[n] = counts[step->value]; break;
        case APMU_FORMULA_CONSTANT: stack[n] = constants[step->value]; break;
        case APMU_FORMULA_ADD: stack[n] = left + right; break;
        case APMU_FORMULA_SUBTRACT: stack[n] = left - right; break;
        case APMU_FORMULA_MULTIPLY: stack[n] = left * right; break;
        case APMU_FORMULA_DIVIDE: stack[n] = right < 0 || right > 0 ? left / right : 0; break;
        }
        if (step->action == APMU_FORMULA_EVENT && stack[n] < 0) {
            return APMU_FORMULA_NO_COUNT;
        }
        if (step->action == APMU_FORMULA_CONSTANT && !(stack[n] > 0)) {
            return APMU_FORMULA_NO_CONSTANT;
        }
        if ((step->action == APMU_FORMULA_DIVIDE && !(right < 0 || right > 0)) || !(stack[n] - stack[n] >= 0)) {
            return APMU_FORMULA_DIVISION_BY_ZERO; /* the difference is not a number if the value is infinite */
        }
        n++;
    }
    *value = stack[0];
    return APMU_FORMULA_DEFINED;
}

#ifdef __cplusplus
}
#endif
#endif
