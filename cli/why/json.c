/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the answers of armpmu why as JSON. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <armpmu/cores.h>

#include "why.h"

static void put(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, json_string(text));
}

int why_dump(const struct cli_args *args, json_t *object)
{
    json_dumpf(object, stdout, JSON_PRESERVE_ORDER | JSON_INDENT(1));
    putchar('\n');
    json_decref(object);
    return cli_flush(args->verb, stdout, "stdout", CLI_YES);
}

json_t *why_json_cause(const struct why_cause *c)
{
    json_t *object = json_object();

    json_object_set_new(object, "number", json_integer(c->number));
    put(object, "symptom", why_symptom_id(c->symptom));
    put(object, "text", c->text);
    put(object, "tell", c->sign);
    put(object, "check", c->check);
    put(object, "cure", c->cure);
    json_object_set_new(object, "registers", json_boolean(c->test != NULL));
    return object;
}

json_t *why_json_causes(const struct why_cause_list *list)
{
    json_t *array = json_array();

    for (size_t i = 0; i < list->count; i++) {
        json_array_append_new(array, why_json_cause(list->causes[i]));
    }
    return array;
}

static json_t *known_json(enum apmu_truth known)
{
    return known == APMU_UNKNOWN ? json_null() : json_boolean(known == APMU_YES);
}

static json_t *counter_json(unsigned n)
{
    return n < APMU_CYCLE ? json_integer(n) : json_string(n == APMU_CYCLE ? "cycle" : "instr");
}

static json_t *readers_json(const struct why *w, unsigned n, enum apmu_state state, bool a32)
{
    static const char *const outcomes[] = {"yes", "zero", "ignored", "undefined", "unpredictable", "trap", "error"};
    json_t *array = json_array();
    const struct apmu_reach reach = w->reach[a32][n][state];

    for (size_t i = 0; i < reach.count; i++) {
        json_t *one = json_object();

        put(one, "outcome", outcomes[reach.answers[i].outcome]);
        if (reach.answers[i].outcome == APMU_ACCESS_TRAP) {
            json_object_set_new(one, "el", json_integer(reach.answers[i].el));
        }
        put(one, "control", reach.answers[i].control);
        json_array_append_new(array, one);
    }
    return array;
}

static json_t *state_json(const struct why *w, unsigned n, enum apmu_state state)
{
    static const char *const answers[] = {"counts", "no", "depends"};
    const struct apmu_verdict *v = &w->verdicts[n][state];
    json_t *object = json_object(), *always = json_array(), *maybe = json_array();

    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        if ((v->always >> r & 1) != 0) {
            json_array_append_new(always, json_string(apmu_reason_info((enum apmu_reason)r)->name));
        }
        if ((v->maybe >> r & 1) != 0) {
            json_array_append_new(maybe, json_string(apmu_reason_info((enum apmu_reason)r)->name));
        }
    }
    put(object, "answer", answers[v->is]);
    json_object_set_new(object, "always", always);
    json_object_set_new(object, "maybe", maybe);
    if ((w->in_use >> n & 1) != 0 && why_has_a64(w, state)) {
        json_object_set_new(object, "read", readers_json(w, n, state, false));
    }
    if ((w->in_use >> n & 1) != 0 && why_has_a32(w, state)) {
        json_object_set_new(object, "read_aarch32", readers_json(w, n, state, true));
    }
    return object;
}

static json_t *row_json(const struct why *w, unsigned n)
{
    const struct apmu_counter_setup *setup = &w->setups[n];
    const char *event = setup->event_known ? apmu_core_event_name(w->state->core, setup->event) : NULL;
    json_t *object = json_object(), *states = json_object();

    json_object_set_new(object, "counter", counter_json(n));
    json_object_set_new(object, "in_use", json_boolean((w->in_use >> n & 1) != 0));
    json_object_set_new(object, "event", setup->event_known ? json_integer(setup->event) : json_null());
    json_object_set_new(object, "event_name", event != NULL ? json_string(event) : json_null());
    json_object_set_new(object, "implemented", known_json(setup->implemented));
    json_object_set_new(object, "bits", json_integer(setup->width));
    json_object_set_new(object, "overflow_bits",
                        setup->overflow_width == 0 ? json_null() : json_integer(setup->overflow_width));
    json_object_set_new(object, "overflowed", known_json(setup->overflowed));
    json_object_set_new(object, "interrupt", known_json(setup->interrupts));
    json_object_set_new(object, "chained", known_json(setup->chained));
    json_object_set_new(object, "divided", known_json(setup->divided));
    json_object_set_new(object, "threshold", known_json(setup->threshold));
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        if ((w->states >> s & 1) != 0) {
            json_object_set_new(states, apmu_state_name((enum apmu_state)s), state_json(w, n, (enum apmu_state)s));
        }
    }
    json_object_set_new(object, "states", states);
    return object;
}

static json_t *finding_json(const struct why *w, const struct why_finding *found)
{
    const struct apmu_reason_info *info = apmu_reason_info(found->reason);
    json_t *object = json_object(), *where = json_object();

    put(object, "reason", info->name);
    json_object_set_new(object, "certain", json_boolean(!found->maybe));
    put(object, found->maybe ? "depends" : "fields", found->quote);
    put(object, "origin", found->origin);
    put(object, "text", info->text);
    put(object, "rule", info->rule);
    put(object, "cure", info->cure);
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        json_t *counters = json_array();

        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            if ((w->states >> s & 1) != 0 && (found->where[s] >> n & 1) != 0) {
                json_array_append_new(counters, counter_json(n));
            }
        }
        if (json_array_size(counters) != 0) {
            json_object_set(where, apmu_state_name((enum apmu_state)s), counters);
        }
        json_decref(counters);
    }
    json_object_set_new(object, "where", where);
    return object;
}

void why_json(const struct why *w, json_t *object)
{
    json_t *counters = json_array(), *reasons = json_array(), *assumed = json_array();
    json_t *features = json_array();
    struct why_cause_list causes;
    size_t count;
    struct why_finding *list = why_findings(w, &count);

    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        if ((w->model.cfg.features >> bit & 1) != 0) {
            json_array_append_new(features, json_string(apmu_feature_name(bit)));
        }
    }
    json_object_set_new(object, "features", features);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if ((w->counters >> n & 1) != 0) {
            json_array_append_new(counters, row_json(w, n));
        }
    }
    json_object_set_new(object, "counters", counters);
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(reasons, finding_json(w, &list[i]));
    }
    json_object_set_new(object, "reasons", reasons);
    why_find_causes(w, NULL, &causes);
    json_object_set_new(object, "causes", why_json_causes(&causes));
    for (size_t i = 0; i < w->model.assumed_count; i++) {
        json_array_append_new(assumed, json_string(w->model.assumed[i].text));
    }
    json_object_set_new(object, "assumed", assumed);
    free(list);
}
