/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes JSON of the results. */
#include "document.h"

#include <stdlib.h>
#include <string.h>

#include <armpmu/version.h>

#define WHOLE_MAX 9007199254740992.0 /* 2 to the 53rd: whole numbers up to here are exact */

/* Returns @text as a string; bytes that are no UTF-8 become "?". */
static json_t *string_of(const char *text)
{
    json_t *string = json_string(text);

    if (string == NULL) {
        char *copy = cli_allocate(NULL, strlen(text) + 1, 1);

        for (size_t i = 0; text[i] != '\0'; i++) {
            copy[i] = (unsigned char)text[i] >= 0x80 ? '?' : text[i];
        }
        string = json_string(copy);
        free(copy);
    }
    return string;
}

/* Returns @value as an integer if it is one, or null if it is negative. */
static json_t *count_of(double value)
{
    const json_int_t whole = value < WHOLE_MAX ? (json_int_t)value : -1;

    if (value < 0) {
        return json_null();
    }
    return (double)whole < value || (double)whole > value ? json_real(value) : json_integer(whole);
}

static json_t *events_of(const struct coverage_table *t)
{
    json_t *list = json_array();

    for (size_t e = 0; e < t->event_count; e++) {
        const struct coverage_event *event = &t->events[e];
        json_t *o = json_object();

        json_object_set_new(o, "event", string_of(event->name));
        json_object_set_new(o, "group", json_string(event->group));
        json_object_set_new(o, "trust", string_of(event->trust));
        json_object_set_new(o, "mark", string_of(event->mark));
        json_object_set_new(o, "tests", json_integer((json_int_t)event->tests));
        json_object_set_new(o, "sum", count_of(event->sum));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *tests_of(const struct coverage_table *t, const struct coverage_rank *rank)
{
    size_t *adds = cli_allocate(NULL, t->test_count + 1, sizeof *adds);
    json_t *list = json_array();

    for (size_t i = 0; i < rank->count; i++) {
        adds[rank->order[i]] = rank->adds[i];
    }
    for (size_t i = 0; i < t->test_count; i++) {
        json_t *o = json_object(), *counts = json_array();

        for (size_t e = 0; e < t->tests[i].count; e++) {
            json_array_append_new(counts, count_of(t->tests[i].counts[e]));
        }
        json_object_set_new(o, "test", string_of(t->tests[i].name));
        json_object_set_new(o, "cause", string_of(t->tests[i].cause));
        json_object_set_new(o, "adds", json_integer((json_int_t)adds[i]));
        json_object_set_new(o, "counts", counts);
        json_array_append_new(list, o);
    }
    free(adds);
    return list;
}

static json_t *names_of(const struct coverage_table *t, const size_t *tests, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, string_of(t->tests[tests[i]].name));
    }
    return list;
}

static json_t *intents_of(const struct intents *in)
{
    json_t *list = json_array();

    for (size_t i = 0; i < in->verdict_count; i++) {
        const struct intent_verdict *v = &in->verdicts[i];
        const bool decided = v->outcome != INTENT_UNDECIDED;
        json_t *o = json_object();

        json_object_set_new(o, "test", string_of(v->name));
        json_object_set_new(o, "line", json_integer(in->list[v->intent].line));
        json_object_set_new(o, "intent", string_of(in->list[v->intent].text));
        json_object_set_new(o, "verdict", json_string(intents_word(v->outcome)));
        json_object_set_new(o, "left", decided ? json_real(v->left) : json_null());
        json_object_set_new(o, "right", decided ? json_real(v->right) : json_null());
        json_object_set_new(o, "cause", string_of(v->cause));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *changes_of(const struct coverage_changes *c, const char *path)
{
    json_t *whole = json_object(), *list = json_array();

    for (size_t i = 0; i < c->count; i++) {
        const struct coverage_change *change = &c->list[i];
        json_t *o = json_object();

        json_object_set_new(o, "kind", json_string(changes_word(change->kind)));
        json_object_set_new(o, "loss", json_boolean(change->kind < CHANGE_LOSSES));
        json_object_set_new(o, "test", string_of(change->test));
        json_object_set_new(o, "event", string_of(change->event));
        json_object_set_new(o, "intent", string_of(change->intent));
        json_object_set_new(o, "before", count_of(change->before));
        json_object_set_new(o, "now", count_of(change->now));
        json_object_set_new(o, "cause", string_of(change->cause));
        json_array_append_new(list, o);
    }
    json_object_set_new(whole, "file", string_of(path));
    json_object_set_new(whole, "changes", list);
    return whole;
}

json_t *coverage_document(const struct coverage_results *r)
{
    const struct coverage_table *t = r->table;
    json_t *o = json_object();

    json_object_set_new(o, "format", json_string(DOCUMENT_FORMAT));
    json_object_set_new(o, "version", json_integer(DOCUMENT_VERSION));
    json_object_set_new(o, "armpmu", json_string(APMU_VERSION));
    json_object_set_new(o, "reached", count_of(t->reached));
    json_object_set_new(o, "minus", t->minus == NULL ? json_null() : string_of(t->minus));
    json_object_set_new(o, "events", events_of(t));
    json_object_set_new(o, "tests", tests_of(t, r->rank));
    json_object_set_new(o, "order", names_of(t, r->rank->order, r->rank->count));
    json_object_set_new(o, "set", names_of(t, r->rank->set, r->rank->set_count));
    json_object_set_new(o, "set_at_least", json_integer((json_int_t)r->rank->bound));
    json_object_set_new(o, "intents", intents_of(r->intents));
    json_object_set_new(o, "baseline", r->changes == NULL ? json_null() : changes_of(r->changes, r->baseline));
    return o;
}
