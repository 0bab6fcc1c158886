/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares a table with one that was saved before. */
#include "change.h"

#include <stdlib.h>
#include <string.h>

/* What the comparison knows: for each event of one table its index in the other, or SIZE_MAX. */
struct change_search {
    struct coverage_changes *changes;
    struct coverage_saved *before;
    const struct coverage_table *now;
    size_t *now_of; /* by the event of the table before */
};

const char *changes_word(enum coverage_change_kind kind)
{
    static const char *const words[CHANGE_KINDS] = {
        [CHANGE_TEST_LOST] = "test lost",
        [CHANGE_TEST_FAILS] = "test fails now",
        [CHANGE_EVENT_LOST] = "event lost",
        [CHANGE_INTENT_MISSED] = "intent missed now",
        [CHANGE_NOT_REACHED] = "no longer reached",
        [CHANGE_COUNT_FELL] = "count fell",
        [CHANGE_EVENT_APART] = "not compared",
        [CHANGE_TEST_NEW] = "new test",
        [CHANGE_EVENT_NEW] = "new event",
        [CHANGE_INTENT_MET] = "intent met now",
    };

    return words[kind];
}

static void add(struct coverage_changes *c, enum coverage_change_kind kind, const struct coverage_change *change)
{
    if (c->count == c->room) {
        c->room = c->room == 0 ? 64 : 2 * c->room;
        c->list = cli_allocate(c->list, c->room, sizeof *c->list);
    }
    c->list[c->count] = *change;
    c->list[c->count++].kind = kind;
    c->tally[kind]++;
}

/* Returns the event of @t called @name with @mark, or SIZE_MAX. */
static size_t find_event(const struct coverage_table *t, const char *name, const char *mark)
{
    for (size_t e = 0; e < t->event_count; e++) {
        if (strcmp(t->events[e].name, name) == 0 && (mark == NULL || strcmp(t->events[e].mark, mark) == 0)) {
            return e;
        }
    }
    return SIZE_MAX;
}

static void compare_events(struct change_search *s)
{
    const struct coverage_table *old = &s->before->table, *now = s->now;

    for (size_t e = 0; e < old->event_count; e++) {
        const struct coverage_event *event = &old->events[e];
        size_t found = find_event(now, event->name, event->mark);

        found = found != SIZE_MAX && now->events[found].sum < 0 ? SIZE_MAX : found;
        s->now_of[e] = found;
        if (event->sum < 0) {
            s->now_of[e] = SIZE_MAX; /* no test counted it before */
        } else if (found == SIZE_MAX) {
            add(s->changes, CHANGE_EVENT_APART, &(struct coverage_change){
                .test = "", .event = event->name, .intent = "", .before = (double)event->tests, .now = -1,
                .cause = find_event(now, event->name, NULL) == SIZE_MAX ? "it is not counted now"
                                                                        : "it is counted otherwise now"});
        } else if ((event->tests > 0) != (now->events[found].tests > 0)) {
            const bool lost = event->tests > 0;

            add(s->changes, lost ? CHANGE_EVENT_LOST : CHANGE_EVENT_NEW, &(struct coverage_change){
                .test = lost ? old->tests[event->most].name : now->tests[now->events[found].most].name,
                .event = event->name, .intent = "", .cause = "", .before = (double)event->tests,
                .now = (double)now->events[found].tests});
        }
    }
}

/* Compares what the test counted that is @old before and @new now. */
static void compare_counts(struct change_search *s, size_t old, size_t new, double tolerance)
{
    const struct coverage_table *before = &s->before->table;

    for (size_t e = 0; e < before->event_count; e++) {
        const size_t found = s->now_of[e];
        const double was = coverage_count(before, old, e), is = found == SIZE_MAX ? -1
                                                                                 : coverage_count(s->now, new, found);

        if (was < 0 || is < 0) {
            continue;
        }
        const bool unreached = was >= before->reached && is < before->reached;
        const bool lost = unreached && s->now->events[found].tests == 0; /* compare_events() has told it */

        s->changes->apart = false;
        if (!lost && (unreached || was - is > tolerance * was)) {
            add(s->changes, unreached ? CHANGE_NOT_REACHED : CHANGE_COUNT_FELL, &(struct coverage_change){
                .test = before->tests[old].name, .event = before->events[e].name, .intent = "", .cause = "",
                .before = was, .now = is});
        }
    }
}

static void compare_tests(struct change_search *s, double tolerance)
{
    const struct coverage_table *old = &s->before->table, *now = s->now;
    struct coverage_change change = {.event = "", .intent = "", .before = -1, .now = -1};

    for (size_t i = 0; i < old->test_count; i++) {
        const size_t found = coverage_find(now, old->tests[i].name);

        change.test = old->tests[i].name;
        change.cause = "";
        if (found == now->test_count) {
            add(s->changes, CHANGE_TEST_LOST, &change);
        } else if (now->tests[found].cause[0] != '\0' && old->tests[i].cause[0] == '\0') {
            change.cause = now->tests[found].cause;
            add(s->changes, CHANGE_TEST_FAILS, &change);
        } else {
            compare_counts(s, i, found, tolerance);
        }
    }
    for (size_t i = 0; i < now->test_count; i++) {
        if (coverage_find(old, now->tests[i].name) == old->test_count) {
            change.test = now->tests[i].name;
            change.cause = now->tests[i].cause;
            add(s->changes, CHANGE_TEST_NEW, &change);
        }
    }
}

/* Orders outcomes by test and intent. */
static int compare_outcomes(const void *a, const void *b)
{
    const struct coverage_outcome *x = a, *y = b;
    const int order = strcmp(x->test, y->test);

    return order != 0 ? order : strcmp(x->intent, y->intent);
}

static void compare_intents(struct change_search *s, const struct intents *in)
{
    const struct coverage_saved *before = s->before;

    if (before->outcome_count == 0) {
        return;
    }
    for (size_t i = 0; i < in->verdict_count; i++) {
        const struct intent_verdict *v = &in->verdicts[i];
        const struct coverage_outcome key = {.test = (char *)(uintptr_t)v->name, .intent = in->list[v->intent].text};
        const struct coverage_outcome *was = bsearch(&key, before->outcomes, before->outcome_count, sizeof key,
                                                     compare_outcomes);

        if (was != NULL && was->met != (v->outcome == INTENT_MET)) {
            add(s->changes, was->met ? CHANGE_INTENT_MISSED : CHANGE_INTENT_MET, &(struct coverage_change){
                .test = was->test, .event = "", .intent = was->intent, .cause = v->cause, .before = -1,
                .now = v->outcome == INTENT_UNDECIDED ? -1 : v->left});
        }
    }
}

/* Returns how far a count fell, as a part of it. */
static double fall_of(const struct coverage_change *c)
{
    return c->before > 0 ? (c->before - c->now) / c->before : 0;
}

static int compare_changes(const void *a, const void *b)
{
    const struct coverage_change *x = a, *y = b;
    int order;

    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->kind == CHANGE_COUNT_FELL && (fall_of(x) < fall_of(y) || fall_of(x) > fall_of(y))) {
        return fall_of(x) > fall_of(y) ? -1 : 1;
    }
    order = strcmp(x->test, y->test);
    order = order != 0 ? order : strcmp(x->event, y->event);
    return order != 0 ? order : strcmp(x->intent, y->intent);
}

void changes_find(struct coverage_changes *c, struct coverage_saved *before, const struct coverage_table *now,
                  const struct intents *in, double tolerance)
{
    struct change_search s = {.changes = c, .before = before, .now = now};

    *c = (struct coverage_changes){.apart = true};
    before->table.reached = now->reached;
    coverage_add_up(&before->table);
    s.now_of = cli_allocate(NULL, before->table.event_count + 1, sizeof *s.now_of);
    if (before->outcome_count > 0) {
        qsort(before->outcomes, before->outcome_count, sizeof *before->outcomes, compare_outcomes);
    }
    compare_events(&s);
    compare_tests(&s, tolerance);
    compare_intents(&s, in);
    if (c->count > 0) {
        qsort(c->list, c->count, sizeof *c->list, compare_changes);
    }
    free(s.now_of);
}

size_t changes_losses(const struct coverage_changes *c)
{
    size_t losses = 0;

    for (unsigned kind = 0; kind < CHANGE_LOSSES; kind++) {
        losses += c->tally[kind];
    }
    return losses;
}

void changes_free(struct coverage_changes *c)
{
    free(c->list);
    *c = (struct coverage_changes){.list = NULL};
}
