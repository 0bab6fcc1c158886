/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes tests from results of stat and run --jobs, which are lines of JSON (cli/jobs_rows.c). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../count/result.h"
#include "table.h"

#define FILE_MAX ((size_t)1 << 30) /* the most bytes of a file that are read */
#define NO_ROW   "it is no result of a job; give what armpmu stat --jobs, run --jobs or coverage -o wrote"
#define TOO_MANY \
    "there are more than a million tests, 4096 events or 67108864 counts in all; give fewer tests at a time"

/* Takes the counts of @result, which --save of stat wrote. */
static const char *take_counts(struct coverage_table *t, struct coverage_test *test, json_t *result)
{
    const char *cause = NULL;
    struct result r;
    bool fits = true;

    if (!result_take(&r, result, &cause)) {
        return NO_ROW;
    }
    for (size_t i = 0, last = SIZE_MAX; i < r.count && fits; i++) {
        const struct result_event *e = &r.events[i];

        if (e->counted && coverage_is_plain(e->name) && coverage_is_plain(e->trust) && coverage_is_plain(e->mark)) {
            last = coverage_event(t, e->name, e->trust, e->mark, last + 1);
            fits = coverage_store(t, test, last, e->mean);
        }
    }
    result_free(&r);
    return fits ? NULL : TOO_MANY;
}

/* A counter of an image. */
struct row_counter {
    const char *event, *mark;
    json_int_t cpu, value;
};

/*
 * Fills @c from an element of the list of counters.  Returns false if it holds no count: it never counted, it was set
 * to overflow soon (its value is past the range of JSON's integers), or the emulator never raises its event.
 */
static bool take_counter(const json_t *element, struct row_counter *c)
{
    const char *mark = json_string_value(json_object_get(element, "mark"));

    c->event = json_string_value(json_object_get(element, "event"));
    c->mark = mark == NULL ? "" : mark;
    c->cpu = json_integer_value(json_object_get(element, "cpu"));
    c->value = json_integer_value(json_object_get(element, "value"));
    if (c->event == NULL || !coverage_is_plain(c->event) || !coverage_is_plain(c->mark) || c->value < 0 ||
        json_integer_value(json_object_get(element, "counted")) <= 0 || strcmp(c->mark, "silent") == 0) {
        return false;
    }
    if (strcmp(c->event, "cycles") == 0 || strcmp(c->event, "instructions") == 0) { /* no event counter */
        c->event = c->event[0] == 'c' ? "CPU_CYCLES" : "INST_RETIRED";
    }
    return true;
}

/*
 * Takes the counters of an image, which --save of run wrote.  Of the counters of a CPU that count the same event, with
 * different filters, the greatest stands for the event; CPUs are added up.
 */
static const char *take_counters(struct coverage_table *t, struct coverage_test *test, const json_t *list)
{
    const size_t count = json_array_size(list);

    if (count > RESULT_EVENTS) {
        return NO_ROW;
    }
    for (size_t i = 0; i < count; i++) {
        struct row_counter c, other;
        json_int_t most;
        bool first = true;

        if (!take_counter(json_array_get(list, i), &c)) {
            continue;
        }
        most = c.value;
        for (size_t k = 0; k < count; k++) {
            if (k != i && take_counter(json_array_get(list, k), &other) && other.cpu == c.cpu &&
                strcmp(other.event, c.event) == 0) {
                first = first && k > i;
                most = other.value > most ? other.value : most;
            }
        }
        const size_t event = coverage_event(t, c.event, c.mark[0] == '\0' ? "counted" : "modelled", c.mark, i);
        const double before = coverage_count(t, (size_t)(test - t->tests), event);

        if (first && !coverage_store(t, test, event, (before < 0 ? 0 : before) + (double)most)) {
            return TOO_MANY;
        }
    }
    return NULL;
}

const char *coverage_add_row(struct coverage_table *t, json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "job"));
    const char *cause = json_string_value(json_object_get(row, "cause"));
    const json_t *status = json_object_get(row, "status");
    json_t *result = json_object_get(row, "result");
    const char *format = json_string_value(json_object_get(result, "format"));
    const bool failed = json_integer_value(status) != 0;
    struct coverage_test *test;

    if (name == NULL || cause == NULL || !json_is_integer(status) || (!failed && format == NULL)) {
        return NO_ROW;
    }
    test = coverage_add_test(t, name, !failed ? "" : cause[0] == '\0' ? "it failed" : cause);
    if (test == NULL || failed) {
        return test == NULL ? TOO_MANY : NULL;
    }
    return strcmp(format, "armpmu-run") == 0 ? take_counters(t, test, json_object_get(result, "counters"))
                                             : take_counts(t, test, result);
}

int coverage_parse_rows(struct coverage_table *t, const struct cli_verb *verb, const char *name, const char *text,
                        size_t size)
{
    unsigned long number = 0;

    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end == NULL ? size - at : (size_t)(end - (text + at));
        json_t *row = json_loadb(text + at, length, JSON_REJECT_DUPLICATES, NULL);
        const char *wrong = length == 0 ? NULL : row == NULL ? NO_ROW : coverage_add_row(t, row);

        number++;
        json_decref(row);
        if (wrong != NULL) {
            cli_complain(verb, "%s:%lu: %s", name, number, wrong);
            return CLI_CANNOT;
        }
        at += length + 1;
    }
    return CLI_YES;
}

char *coverage_read_file(const struct cli_verb *verb, const char *path, const char *what, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    bool ok = file != NULL;

    *size = 0;
    while (ok && *size == room && room < FILE_MAX) {
        room = room == 0 ? 65536 : room * 2;
        text = cli_allocate(text, room, 1);
        *size += fread(text + *size, 1, room - *size, file);
        ok = !ferror(file);
    }
    if (!ok) {
        cli_complain(verb, "%s: cannot be read: %s; give %s", path, strerror(errno), what);
    } else if (*size == room) {
        cli_complain(verb, "%s: it has more than %zu MB; give %s", path, FILE_MAX >> 20, what);
        ok = false;
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!ok) {
        free(text);
        return NULL;
    }
    text[*size] = '\0';
    return text;
}

int coverage_read_rows(struct coverage_table *t, const struct cli_verb *verb, const char *path)
{
    size_t size;
    char *text = coverage_read_file(verb, path, "results that armpmu stat --jobs or run --jobs wrote", &size);
    const int status = text == NULL ? CLI_CANNOT : coverage_parse_rows(t, verb, path, text, size);

    free(text);
    return status;
}
