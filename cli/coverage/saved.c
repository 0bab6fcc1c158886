/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what --save wrote (document.c says what it is). */
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "document.h"

#define NO_DOCUMENT "it is no result of armpmu coverage"

static char *copy_of(const json_t *text)
{
    const char *value = json_string_value(text);

    return strcpy(cli_allocate(NULL, strlen(value) + 1, 1), value);
}

/* Returns whether the members @keys of @object, of which NULL ends the list, are texts without control characters. */
static bool are_texts(const json_t *object, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        const char *text = json_string_value(json_object_get(object, *keys));

        if (text == NULL || !coverage_is_plain(text)) {
            return false;
        }
    }
    return true;
}

/* Takes the name of the test that was subtracted.  Returns NULL, or what is wrong. */
static const char *take_minus(struct coverage_table *t, const json_t *name)
{
    if (name == NULL || json_is_null(name)) {
        return NULL; /* none was subtracted, or the document is older than that */
    }
    if (!json_is_string(name) || !coverage_is_plain(json_string_value(name))) {
        return "what was subtracted is no name of a test";
    }
    t->minus = copy_of(name);
    return NULL;
}

/* Takes the events.  Returns NULL, or what is wrong. */
static const char *take_events(struct coverage_table *t, const json_t *list)
{
    static const char *const keys[] = {"event", "trust", "mark", NULL};
    const size_t count = json_array_size(list);

    if (!json_is_array(list) || count > COVERAGE_EVENTS) {
        return "it has no list of events";
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *event = json_array_get(list, i);

        if (!are_texts(event, keys) ||
            coverage_event(t, json_string_value(json_object_get(event, "event")),
                           json_string_value(json_object_get(event, "trust")),
                           json_string_value(json_object_get(event, "mark")), i) != i) {
            return "it has an event twice, or one without a name";
        }
    }
    return NULL;
}

static const char *take_tests(struct coverage_table *t, const json_t *list)
{
    static const char *const keys[] = {"test", "cause", NULL};

    if (!json_is_array(list) || json_array_size(list) > COVERAGE_TESTS) {
        return "it has no list of tests, or more than a million";
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i), *counts = json_object_get(object, "counts");

        if (!are_texts(object, keys) || !json_is_array(counts) || json_array_size(counts) > t->event_count) {
            return "one of its tests lacks a name or has more counts than there are events";
        }
        struct coverage_test *test = coverage_add_test(t, json_string_value(json_object_get(object, "test")),
                                                       json_string_value(json_object_get(object, "cause")));

        for (size_t e = 0; e < json_array_size(counts) && test != NULL; e++) {
            const json_t *count = json_array_get(counts, e);

            if (!json_is_null(count) && (!json_is_number(count) || !(json_number_value(count) >= 0))) {
                return "one of its counts is no number";
            }
            if (json_is_number(count) && !coverage_store(t, test, e, json_number_value(count))) {
                return "it has too many counts";
            }
        }
    }
    return coverage_sort(t) == NULL ? NULL : "it has a test twice";
}

static const char *take_intents(struct coverage_saved *s, const json_t *list)
{
    static const char *const keys[] = {"test", "intent", "verdict", NULL};

    s->outcomes = cli_allocate(NULL, json_array_size(list) + 1, sizeof *s->outcomes);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);

        if (!are_texts(object, keys)) {
            return "one of its intents lacks a test or a verdict";
        }
        s->outcomes[s->outcome_count++] = (struct coverage_outcome){
            .test = copy_of(json_object_get(object, "test")), .intent = copy_of(json_object_get(object, "intent")),
            .met = strcmp(json_string_value(json_object_get(object, "verdict")), intents_word(INTENT_MET)) == 0};
    }
    return NULL;
}

int coverage_parse_saved(struct coverage_saved *s, const struct cli_verb *verb, const char *path, const char *text,
                         size_t size)
{
    json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const char *format = json_string_value(json_object_get(document, "format")), *wrong = NO_DOCUMENT;

    *s = (struct coverage_saved){.path = path};
    if (format != NULL && strcmp(format, DOCUMENT_FORMAT) == 0) {
        wrong = json_integer_value(json_object_get(document, "version")) != DOCUMENT_VERSION
                    ? "a version of armpmu wrote it whose results this one does not read" : NULL;
        wrong = wrong != NULL ? wrong : take_minus(&s->table, json_object_get(document, "minus"));
        wrong = wrong != NULL ? wrong : take_events(&s->table, json_object_get(document, "events"));
        wrong = wrong != NULL ? wrong : take_tests(&s->table, json_object_get(document, "tests"));
        wrong = wrong != NULL ? wrong : take_intents(s, json_object_get(document, "intents"));
    }
    json_decref(document);
    if (wrong != NULL) {
        cli_complain(verb, "%s: %s; make it anew with armpmu coverage --save", path, wrong);
        coverage_saved_free(s);
        return CLI_CANNOT;
    }
    return CLI_YES;
}

int coverage_read_saved(struct coverage_saved *s, const struct cli_verb *verb, const char *path)
{
    size_t size;
    char *text = coverage_read_file(verb, path, "a file that armpmu coverage --save wrote", &size);
    int status = CLI_CANNOT;

    *s = (struct coverage_saved){.path = path};
    if (text != NULL) {
        status = coverage_parse_saved(s, verb, path, text, size);
    }
    free(text);
    return status;
}

void coverage_saved_free(struct coverage_saved *s)
{
    for (size_t i = 0; i < s->outcome_count; i++) {
        free(s->outcomes[i].test);
        free(s->outcomes[i].intent);
    }
    free(s->outcomes);
    coverage_free(&s->table);
    *s = (struct coverage_saved){.path = NULL};
}
