/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu list --metrics`: lists the metrics of a core, or those that hold for every core. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <armpmu/metrics.h>
#include <jansson.h>

#include "cli.h"

/* What is listed, and what was so far. */
struct metric_listing {
    char *const *words; /* NULL ends them */
    const struct apmu_core_info *core;
    const struct apmu_metric_set *set;
    json_t *array;  /* NULL: print text */
    size_t printed;
};

/* Returns whether each of @words, which NULL ends, is in a text of the metric or is one of its groups. */
static bool has_words(const struct apmu_metric *metric, char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcasestr(metric->name, *words) == NULL && strcasestr(metric->text, *words) == NULL &&
            strcasestr(metric->formula, *words) == NULL && !apmu_metric_in_group(metric, *words)) {
            return false;
        }
    }
    return true;
}

/* Returns whether the manual of @core lists the events of @formula.  NULL lists all. */
static bool has_events(const struct apmu_core_info *core, const struct apmu_formula *formula)
{
    for (uint32_t i = 0; i < formula->event_count && core != NULL && core->pmu != APMU_CORE_PMU_ARM11; i++) {
        if (!apmu_core_lists_event(core, formula->events[i].number)) {
            return false;
        }
    }
    return true;
}

/* Returns an array of the words of @text, which have blanks between them. */
static json_t *split(const char *text)
{
    json_t *array = json_array();

    while (*text != '\0') {
        const size_t length = strcspn(text, " ");

        json_array_append_new(array, json_stringn(text, length));
        text += length + strspn(text + length, " ");
    }
    return array;
}

/* Returns the slots of a cycle if @formula needs them and they are known, else 0. */
static unsigned slots_of(const struct metric_listing *l, const struct apmu_formula *formula)
{
    return (formula->constants >> APMU_FORMULA_SLOTS & 1) != 0 ? l->set->slots : 0;
}

/* Returns the row of the decision tree that @metric decides, or NULL. */
static const struct apmu_topdown *row_of(const struct metric_listing *l, const struct apmu_metric *metric)
{
    const struct apmu_topdown *row = NULL;

    for (size_t i = 0; (row = apmu_topdown_at(l->set, i)) != NULL && strcmp(row->metric, metric->name) != 0; i++) {
    }
    return row;
}

static json_t *make_json(const struct metric_listing *l, const struct apmu_metric *metric,
                         const struct apmu_formula *formula)
{
    const struct apmu_topdown *row = row_of(l, metric);
    json_t *object = json_object(), *events = json_array();

    for (uint32_t i = 0; i < formula->event_count; i++) {
        json_array_append_new(events, json_string(formula->events[i].name));
    }
    json_object_set_new(object, "metric", json_string(metric->name));
    json_object_set_new(object, "unit", json_string(metric->unit));
    json_object_set_new(object, "groups", split(metric->groups));
    json_object_set_new(object, "formula", json_string(metric->formula));
    json_object_set_new(object, "events", events);
    if (slots_of(l, formula) != 0) {
        json_object_set_new(object, "slots", json_integer(slots_of(l, formula)));
    }
    if (row != NULL) {
        json_object_set_new(object, "root", json_boolean(row->root));
        json_object_set_new(object, "next", split(row->next));
        json_object_set_new(object, "sample", split(row->sample));
    }
    json_object_set_new(object, "text", json_string(metric->text));
    return object;
}

static void list_metric(struct metric_listing *l, const struct apmu_metric *metric)
{
    const struct apmu_topdown *row = row_of(l, metric);
    struct apmu_formula formula;

    if (apmu_formula_parse(metric->formula, l->core, &formula, NULL) != APMU_OK || !has_events(l->core, &formula) ||
        !has_words(metric, l->words)) {
        return;
    }
    l->printed++;
    if (l->array != NULL) {
        json_array_append_new(l->array, make_json(l, metric, &formula));
    } else {
        printf("%-36s  %-20s  %s\n        %s\n        = %s", metric->name, metric->unit, metric->groups, metric->text,
               metric->formula);
        if (slots_of(l, &formula) != 0) {
            printf("; slots = %u", slots_of(l, &formula));
        }
        putchar('\n');
        if (row != NULL && row->next[0] != '\0') {
            printf("        if it is large, look at: %s\n", row->next);
        }
    }
}

int cli_list_metrics(const struct cli_args *args, const struct apmu_core_info *core, uint32_t midr, bool json)
{
    const struct apmu_metric_set *set = apmu_metric_set_of(core, midr);
    struct metric_listing l = {.words = args->operands, .core = core, .set = set,
                               .array = json ? json_array() : NULL};
    struct apmu_metric metric;

    for (size_t i = 0; apmu_metric_at(set, i, &metric); i++) {
        list_metric(&l, &metric);
    }
    if (json) {
        json_dumpf(l.array, stdout, JSON_PRESERVE_ORDER | JSON_INDENT(1));
        putchar('\n');
        json_decref(l.array);
    }
    if (l.printed == 0 && args->operands[0] == NULL) {
        cli_complain(args->verb, "%s: no metric follows from the events in its list; armpmu list --metrics lists those "
                     "that follow from common events", core == NULL ? "PMUv3" : core->name);
    } else if (l.printed == 0) {
        cli_complain(args->verb, "no metric has all of these words; armpmu list --metrics lists them all");
    }
    return cli_flush(args->verb, stdout, "stdout", l.printed == 0 ? CLI_NO : CLI_YES);
}
