/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes, writes and reads the results that --save keeps. */
#define _GNU_SOURCE
#include "result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <armpmu/version.h>

#include "digest.h"

#define FORMAT "armpmu-counts"
#define VERSION 1
#define FILE_MAX (16u << 20) /* the most bytes of a file that are read */
#define COUNT_MAX 1.8446744073709552e19 /* 2 to the 64th, beyond the largest count */

/* ---------------------------------------------------------------------------------------------------------------
 * Making.
 */

/* Returns @text as a string of JSON; bytes that are no UTF-8 become "?", as no comparison depends on them. */
static json_t *string_of(const char *text)
{
    json_t *string = json_string(text);
    char *copy;

    if (string != NULL) {
        return string;
    }
    copy = strcpy(cli_allocate(NULL, strlen(text) + 1, 1), text);
    for (char *c = copy; *c != '\0'; c++) {
        if ((unsigned char)*c >= 0x80) {
            *c = '?';
        }
    }
    string = json_string(copy);
    free(copy);
    return string;
}

static json_t *arguments_of(char *const *argv)
{
    json_t *list = json_array();

    for (size_t i = 1; argv[0] != NULL && argv[i] != NULL; i++) {
        json_array_append_new(list, string_of(argv[i]));
    }
    return list;
}

/* Returns the lines of @remarks as a list. */
static json_t *lines_of(const char *remarks)
{
    json_t *list = json_array();

    while (*remarks != '\0') {
        const size_t length = strcspn(remarks, "\n");
        char *line = strndup(remarks, length);

        if (line != NULL) {
            json_array_append_new(list, string_of(line));
        }
        free(line);
        remarks += length + (remarks[length] == '\n');
    }
    return list;
}

static json_t *events_of(const struct result_parts *parts)
{
    json_t *list = json_array();

    for (size_t i = 0; i < parts->series->events; i++) {
        const struct event_choice *event = &parts->job->selection.events[i];
        const struct sample *s = &parts->series->counts[i];
        const bool counted = parts->series->sums[i].counted;
        json_t *object = json_object();

        json_object_set_new(object, "event", string_of(event->name));
        json_object_set_new(object, "trust", json_string(event->trust));
        json_object_set_new(object, "mark", json_string(event->mark));
        json_object_set_new(object, "mean", counted ? json_real(s->mean) : json_null());
        json_object_set_new(object, "min", counted ? json_integer((json_int_t)s->least) : json_null());
        json_object_set_new(object, "max", counted ? json_integer((json_int_t)s->greatest) : json_null());
        json_object_set_new(object, "spread", counted ? json_real(series_spread(s)) : json_null());
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *metrics_of(const struct result_parts *parts)
{
    struct tally *means = cli_allocate(NULL, parts->series->events, sizeof *means);
    json_t *list = json_array();

    series_means(parts->series, means);
    for (size_t i = 0; i < parts->metrics->count; i++) {
        struct metric_reading reading;
        json_t *object = json_object();

        metrics_value(parts->metrics, parts->job, &parts->metrics->uses[i], means,
                      (uint64_t)parts->series->elapsed.mean, &reading);
        json_object_set_new(object, "metric", string_of(reading.label));
        json_object_set_new(object, "trust", json_string(reading.trust));
        json_object_set_new(object, "value", reading.defined ? json_real(reading.value) : json_null());
        json_array_append_new(list, object);
    }
    free(means);
    return list;
}

/* Returns what tells the modelled core from others, also from one of the same name with other parameters. */
static json_t *core_of(const struct apmu_core_row *row)
{
    char text[sizeof row->name + 20];

    if (row == NULL) {
        return json_string("");
    }
    snprintf(text, sizeof text, "%s %016llx", row->name,
             (unsigned long long)digest_bytes(DIGEST_START, row->value, sizeof row->value));
    return json_string(text);
}

static json_t *content_of(const char *program)
{
    char text[20] = "";
    uint64_t digest;

    if (program != NULL && digest_program(program, &digest)) {
        snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
    }
    return json_string(text);
}

static bool take(struct result *r, const char **cause);

void result_make(struct result *r, const struct result_parts *parts)
{
    const struct count_job *job = parts->job;
    const char *cause = NULL;
    json_t *o = json_object();

    memset(r, 0, sizeof *r);
    json_object_set_new(o, "format", json_string(FORMAT));
    json_object_set_new(o, "version", json_integer(VERSION));
    json_object_set_new(o, "armpmu", json_string(APMU_VERSION));
    json_object_set_new(o, "program", string_of(job->argv[0] == NULL ? "" : job->argv[0]));
    json_object_set_new(o, "arguments", arguments_of(job->argv));
    json_object_set_new(o, "content", content_of(job->argv[0]));
    json_object_set_new(o, "status", json_integer(parts->exit_status));
    json_object_set_new(o, "runs", json_integer(parts->series->runs));
    json_object_set_new(o, "engine", json_string(job->engine->name));
    json_object_set_new(o, "emulator", string_of(parts->status->runner == NULL ? "" : parts->status->runner));
    json_object_set_new(o, "core", core_of(job->selection.core));
    json_object_set_new(o, "deterministic", json_boolean(job->deterministic));
    json_object_set_new(o, "remarks", lines_of(parts->status->remarks));
    json_object_set_new(o, "events", events_of(parts));
    json_object_set_new(o, "metrics", metrics_of(parts));
    r->json = o;
    if (!take(r, &cause)) { /* an event's name has no UTF-8: what cannot be written is not compared either */
        r->count = 0;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Reading.
 */

/* Returns the string @key of @object, or NULL. */
static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool number_at(const json_t *object, const char *key, double *value)
{
    const json_t *number = json_object_get(object, key);

    *value = json_number_value(number);
    return json_is_number(number) && *value >= 0 && *value < COUNT_MAX;
}

/* Takes an event.  A count of more than 2 to the 63rd is not one that a program reaches. */
static bool take_event(const json_t *object, struct result_event *e)
{
    double least, greatest;

    e->name = text_at(object, "event");
    e->trust = text_at(object, "trust");
    e->mark = text_at(object, "mark");
    if (e->name == NULL || e->trust == NULL || e->mark == NULL) {
        return false;
    }
    e->counted = !json_is_null(json_object_get(object, "mean"));
    if (!e->counted) {
        return true;
    }
    if (!number_at(object, "mean", &e->mean) || !number_at(object, "spread", &e->spread) ||
        !number_at(object, "min", &least) || !number_at(object, "max", &greatest)) {
        return false;
    }
    e->min = (uint64_t)json_integer_value(json_object_get(object, "min"));
    e->max = (uint64_t)json_integer_value(json_object_get(object, "max"));
    return true;
}

/* Takes the events of r->json.  Returns false, with *@cause, if they are not as --save writes them. */
static bool take_events(struct result *r, const char **cause)
{
    const json_t *list = json_object_get(r->json, "events");

    if (!json_is_array(list) || json_array_size(list) > RESULT_EVENTS) {
        *cause = "it has no list of events";
        return false;
    }
    r->count = json_array_size(list);
    r->events = cli_allocate(NULL, r->count + 1, sizeof *r->events);
    for (size_t i = 0; i < r->count; i++) {
        if (!take_event(json_array_get(list, i), &r->events[i])) {
            *cause = "one of its events lacks a name, a mark or a number";
            return false;
        }
        for (size_t k = 0; k < i; k++) {
            if (strcasecmp(r->events[k].name, r->events[i].name) == 0) {
                *cause = "it has an event twice";
                return false;
            }
        }
    }
    return true;
}

/* Takes the members of r->json.  Returns false, with *@cause, if it is not what --save writes. */
static bool take(struct result *r, const char **cause)
{
    const char *format = text_at(r->json, "format");
    const json_t *runs = json_object_get(r->json, "runs"), *status = json_object_get(r->json, "status");

    if (format == NULL || strcmp(format, FORMAT) != 0) {
        *cause = "it is no result of armpmu stat --save";
        return false;
    }
    if (json_integer_value(json_object_get(r->json, "version")) != VERSION) {
        *cause = "a version of armpmu wrote it whose results this one does not read";
        return false;
    }
    r->version = text_at(r->json, "armpmu");
    r->program = text_at(r->json, "program");
    r->content = text_at(r->json, "content");
    r->engine = text_at(r->json, "engine");
    r->emulator = text_at(r->json, "emulator");
    r->core = text_at(r->json, "core");
    r->deterministic = json_is_true(json_object_get(r->json, "deterministic"));
    if (r->version == NULL || r->program == NULL || r->content == NULL || r->engine == NULL || r->emulator == NULL ||
        r->core == NULL || !json_is_array(json_object_get(r->json, "arguments")) || !json_is_integer(runs) ||
        json_integer_value(runs) < 1 || json_integer_value(runs) > INT32_MAX || !json_is_integer(status) ||
        json_integer_value(status) < 0 || json_integer_value(status) > 255) {
        *cause = "a member that says what was run is missing";
        return false;
    }
    r->runs = (unsigned)json_integer_value(runs);
    r->status = (int)json_integer_value(status);
    return take_events(r, cause);
}

bool result_take(struct result *r, json_t *json, const char **cause)
{
    memset(r, 0, sizeof *r);
    r->json = json_incref(json);
    if (take(r, cause)) {
        return true;
    }
    result_free(r);
    return false;
}

int result_parse(struct result *r, const struct cli_verb *verb, const char *name, const char *text, size_t size)
{
    const char *cause = "it is no JSON";
    json_error_t error;

    memset(r, 0, sizeof *r);
    r->json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (r->json != NULL && take(r, &cause)) {
        return CLI_YES;
    }
    cli_complain(verb, "%s: %s; make it anew with armpmu stat --save", name, cause);
    result_free(r);
    return CLI_CANNOT;
}

int result_read(struct result *r, const struct cli_verb *verb, const char *path)
{
    char *text = cli_allocate(NULL, FILE_MAX + 1, 1);
    FILE *file = fopen(path, "re");
    size_t size = 0;
    int status;

    memset(r, 0, sizeof *r);
    if (file != NULL) {
        size = fread(text, 1, FILE_MAX + 1, file);
    }
    if (file == NULL || ferror(file)) {
        cli_complain(verb, "%s: cannot be read: %s; give a file that armpmu stat --save wrote", path, strerror(errno));
        status = CLI_CANNOT;
    } else if (size > FILE_MAX) {
        cli_complain(verb, "%s: it has more than %u MB; give a file that armpmu stat --save wrote", path,
                     FILE_MAX >> 20);
        status = CLI_CANNOT;
    } else {
        status = result_parse(r, verb, path, text, size);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(text);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Writing.
 */

/* Writes @json to the new file @path.  Returns whether all of it is there. */
static bool write_new(const json_t *json, const char *path)
{
    FILE *file = fopen(path, "we");
    const size_t flags = JSON_PRESERVE_ORDER | JSON_INDENT(2) | JSON_REAL_PRECISION(17);
    bool ok = file != NULL && json_dumpf(json, file, flags) == 0 && fputc('\n', file) != EOF;

    if (file != NULL && fclose(file) != 0) {
        ok = false;
    }
    return ok;
}

int result_write(const struct result *r, const struct cli_verb *verb, const char *path)
{
    char *new = NULL;
    bool ok = asprintf(&new, "%s.new", path) >= 0;

    errno = 0;
    ok = ok && write_new(r->json, new) && rename(new, path) == 0;
    if (!ok) {
        cli_complain(verb, "%s: cannot be written: %s; choose another file for --save", path,
                     errno != 0 ? strerror(errno) : "a text in it is no UTF-8");
        if (new != NULL) {
            unlink(new);
        }
    }
    free(new);
    return ok ? CLI_YES : CLI_CANNOT;
}

const struct result_event *result_find(const struct result *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        if (strcasecmp(r->events[i].name, name) == 0) {
            return &r->events[i];
        }
    }
    return NULL;
}

void result_free(struct result *r)
{
    free(r->events);
    json_decref(r->json);
    memset(r, 0, sizeof *r);
}
