/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the tables of metrics as data, and looks up metrics, their groups and the decision trees. */
#include <armpmu/metrics.h>

#include "../events/internal.h"

#define NEAREST_MAX 8 /* apmu_metric_nearest() gives no more */

/* The index of each set, and its bit. */
enum set_index {
#define APMU_METRIC_SET(id, core, from, slots, name) INDEX_##id,
#include <armpmu/tables/metrics.def>
    INDEX_ARM11,
    SETS
};

enum set_bit {
#define APMU_METRIC_SET(id, core, from, slots, name) id = 1 << INDEX_##id,
#include <armpmu/tables/metrics.def>
    ARM11 = 1 << INDEX_ARM11
};

static const struct apmu_metric_set sets[SETS] = {
#define APMU_METRIC_SET(id, core, from, slots, name) {name, slots, from, id, core},
#include <armpmu/tables/metrics.def>
    {"ARM11", 0, 0, ARM11, ""},
};

enum metric {
#define APMU_METRIC(name, unit, groups, text) METRIC_##name,
#include <armpmu/tables/metrics.def>
    METRICS
};

static const struct {
    const char *name, *unit, *groups, *text;
} metrics[METRICS] = {
#define APMU_METRIC(name, unit, groups, text) {#name, unit, groups, text},
#include <armpmu/tables/metrics.def>
};

static const struct {
    uint16_t metric;
    uint32_t sets;
    const char *formula;
} formulas[] = {
#define APMU_METRIC_FORMULA(name, sets, formula) {METRIC_##name, sets, formula},
#include <armpmu/tables/metrics.def>
};
#define FORMULAS (sizeof formulas / sizeof formulas[0])

/* The metrics of ARM11, each of two counts. */
#define FORMULA_RATIO(a, b)      #a " / " #b
#define FORMULA_COMPLEMENT(a, b) "1 - " #a " / " #b
#define FORMULA_DIFFERENCE(a, b) #a " - " #b

static const struct apmu_metric arm11_metrics[] = {
#define APMU_ARM11_METRIC(id, kind, a, b, unit, groups, text) {#id, unit, groups, FORMULA_##kind(a, b), text},
#include <armpmu/tables/metrics_arm11.def>
};
#define ARM11_METRICS (sizeof arm11_metrics / sizeof arm11_metrics[0])

#define KIND_ROOT true
#define KIND_NODE false

static const struct {
    uint32_t sets;
    struct apmu_topdown row;
} trees[] = {
#define APMU_TOPDOWN(metric, sets, kind, next, sample) {sets, {#metric, KIND_##kind, next, sample}},
#include <armpmu/tables/topdown.def>
};
#define TREES (sizeof trees / sizeof trees[0])

const struct apmu_metric_set *apmu_metric_set_at(size_t i)
{
    return i < SETS ? &sets[i] : NULL;
}

const struct apmu_metric_set *apmu_metric_set_of(const struct apmu_core_info *core, uint32_t midr)
{
    const uint32_t revision = midr == 0 ? UINT8_MAX : (midr >> 16 & 0xF0) | (midr & 0xF);
    const struct apmu_metric_set *found = &sets[INDEX_COMMON];

    if (core != NULL && core->pmu == APMU_CORE_PMU_ARM11) {
        return &sets[INDEX_ARM11];
    }
    for (size_t i = 0; i < SETS && core != NULL; i++) {
        if (apmu_same_name(sets[i].core, core->name) && sets[i].from <= revision) {
            found = &sets[i]; /* a later revision has a later row */
        }
    }
    return found;
}

/* Returns the formula of @metric in @set, or else the one of common events; NULL if it has none. */
static const char *formula_of(const struct apmu_metric_set *set, enum metric metric)
{
    const char *common = NULL;

    for (size_t i = 0; i < FORMULAS; i++) {
        if (formulas[i].metric == metric && (formulas[i].sets & set->bit) != 0) {
            return formulas[i].formula;
        }
        if (formulas[i].metric == metric && (formulas[i].sets & COMMON) != 0) {
            common = formulas[i].formula;
        }
    }
    return common;
}

bool apmu_metric_at(const struct apmu_metric_set *set, size_t i, struct apmu_metric *metric)
{
    if (set->bit == ARM11) {
        if (i < ARM11_METRICS) {
            *metric = arm11_metrics[i];
        }
        return i < ARM11_METRICS;
    }
    for (unsigned m = 0; m < METRICS; m++) {
        const char *formula = formula_of(set, (enum metric)m);

        if (formula != NULL && i-- == 0) {
            metric->name = metrics[m].name;
            metric->unit = metrics[m].unit;
            metric->groups = metrics[m].groups;
            metric->formula = formula;
            metric->text = metrics[m].text;
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Names.
 */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns the first character at or after @text that is not '_' or '-'. */
static const char *skip_joints(const char *text)
{
    while (*text == '_' || *text == '-') {
        text++;
    }
    return text;
}

/*
 * Compares the name @a, which ends at @end, with the beginning of @b.  Case, '_' and '-' are ignored.  Returns what
 * follows in @b, or NULL if they differ.
 */
static const char *follow(const char *a, const char *end, const char *b)
{
    for (a = skip_joints(a); a < end; a = skip_joints(a + 1)) {
        b = skip_joints(b);
        if (lower(*a) != lower(*b)) {
            return NULL;
        }
        b++;
    }
    return skip_joints(b);
}

static const char *end_of(const char *text)
{
    while (*text != '\0' && *text != ' ') {
        text++;
    }
    return text;
}

/* Returns whether @b means @a, a text that ends at @end. */
static bool is_same(const char *a, const char *end, const char *b)
{
    const char *rest = follow(a, end, b);

    return rest != NULL && *rest == '\0';
}

bool apmu_metric_by_name(const struct apmu_metric_set *set, const char *name, struct apmu_metric *metric)
{
    for (size_t i = 0; apmu_metric_at(set, i, metric); i++) {
        if (is_same(metric->name, end_of(metric->name), name)) {
            return true;
        }
    }
    return false;
}

bool apmu_metric_in_group(const struct apmu_metric *metric, const char *group)
{
    static const char effectiveness[] = "effectiveness", cache[] = "cacheeffectiveness";

    for (const char *word = metric->groups; *word != '\0';) {
        const char *end = end_of(word);
        const char *rest = follow(word, end, group);

        if (rest != NULL && (*rest == '\0' || is_same(effectiveness, end_of(effectiveness), rest) ||
                             is_same(cache, end_of(cache), rest))) {
            return true;
        }
        word = *end == '\0' ? end : end + 1;
    }
    return false;
}

/* Returns the least cost among the names of @metric and of its groups. */
static unsigned cost_of(const struct apmu_metric *metric, const char *name)
{
    unsigned least = apmu_name_cost(name, metric->name);

    for (const char *word = metric->groups; *word != '\0';) {
        const char *end = end_of(word);
        char group[64];
        size_t n = 0;

        for (; word + n < end && n < sizeof group - 1; n++) {
            group[n] = word[n];
        }
        group[n] = '\0';
        if (apmu_name_cost(name, group) < least) {
            least = apmu_name_cost(name, group);
        }
        word = *end == '\0' ? end : end + 1;
    }
    return least;
}

size_t apmu_metric_nearest(const struct apmu_metric_set *set, const char *name, struct apmu_metric *out, size_t max)
{
    unsigned costs[NEAREST_MAX]; /* of the metrics in @out, ascending */
    struct apmu_metric metric;
    size_t found = 0;

    max = max < NEAREST_MAX ? max : NEAREST_MAX;
    for (size_t i = 0; apmu_metric_at(set, i, &metric); i++) {
        const unsigned its = cost_of(&metric, name);
        size_t at = found < max ? found : max;

        if (at == max && (max == 0 || costs[max - 1] <= its)) {
            continue;
        }
        found += found < max;
        for (at = found - 1; at > 0 && costs[at - 1] > its; at--) {
            costs[at] = costs[at - 1];
            out[at] = out[at - 1];
        }
        costs[at] = its;
        out[at] = metric;
    }
    return found;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Decision trees.
 */

const struct apmu_topdown *apmu_topdown_at(const struct apmu_metric_set *set, size_t i)
{
    uint32_t bit = set->bit == ARM11 ? ARM11 : COMMON;

    for (size_t k = 0; k < TREES; k++) {
        bit = (trees[k].sets & set->bit) != 0 ? set->bit : bit;
    }
    for (size_t k = 0; k < TREES; k++) {
        if ((trees[k].sets & bit) != 0 && i-- == 0) {
            return &trees[k].row;
        }
    }
    return NULL;
}
