/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a profile's rows for programs: fields with a separator, or JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "report.h"

void view_print_name(const struct view_options *v, FILE *out, const char *text)
{
    char *printable = terminal_printable(text);

    for (const char *at = printable; at != NULL && *at != '\0';) {
        if (v->separator[0] != '\0' && strncmp(at, v->separator, strlen(v->separator)) == 0) {
            fputc('_', out); /* so that every line has the same number of fields */
            at += strlen(v->separator);
        } else {
            fputc(*at++, out);
        }
    }
    free(printable);
}

/* Prints the fields of what a row is called, each after a separator. */
static void print_names(const struct report_view *report, const struct view_names *n)
{
    const struct view_options *v = &report->view;
    FILE *out = report->terminal.out;
    const char *const texts[] = {n->function, n->file, n->source};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fputs(v->separator, out);
        view_print_name(v, out, texts[i]);
    }
    fputs(v->separator, out);
    if (n->line != 0) {
        fprintf(out, "%" PRIu32, n->line);
    }
    fputs(v->separator, out);
    if (n->has_offset) {
        fprintf(out, "0x%" PRIx64, n->offset);
    }
    fputs(v->separator, out);
    if (n->thread[0] != '\0') {
        fprintf(out, "%" PRId32, n->tid);
    }
    fputs(v->separator, out);
    if (n->process[0] != '\0') {
        fprintf(out, "%" PRId32, n->pid);
    }
}

void report_fields(const struct report_view *report, const struct report_rows *rows)
{
    const struct recording *r = profile_recording(report->profile);
    const struct profile_table *t = &rows->table;
    FILE *out = report->terminal.out;
    const char *s = report->view.separator;

    for (size_t i = 0; i < rows->count; i++) {
        const struct view_names n = view_names(report->profile, &t->rows[rows->order[i]], report->key);

        for (size_t e = 0; e < report->event_count; e++) {
            const size_t at = rows->order[i] * r->event_count + report->events[e];

            view_print_name(&report->view, out, recording_title(&r->events[report->events[e]]).text);
            fprintf(out, "%s%" PRIu64 "%s%.4f%s", s, t->self[at], s, view_percent(t->self[at], report->sums[e]), s);
            if (t->total != NULL) {
                fprintf(out, "%" PRIu64 "%s%.4f", t->total[at], s, view_percent(t->total[at], report->sums[e]));
            } else {
                fputs(s, out);
            }
            print_names(report, &n);
            fputc('\n', out);
        }
    }
}

json_t *view_json_text(const char *text)
{
    char *printable = terminal_printable(text); /* what is no UTF-8 is escaped */
    json_t *value = printable == NULL ? NULL : json_string(printable);

    free(printable);
    return value;
}

json_t *view_json_count(uint64_t count)
{
    return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text[0] != '\0') {
        json_object_set_new(object, key, view_json_text(text));
    }
}

/* Returns the names of a row: only those that apply. */
static json_t *make_names(const struct view_names *n, enum profile_key key)
{
    json_t *object = json_object();
    char offset[24];

    json_object_set_new(object, "by", json_string(view_key_name(key)));
    set_text(object, "function", n->function);
    if (strcmp(n->function, n->symbol) != 0) {
        set_text(object, "symbol", n->symbol);
    }
    set_text(object, "file", n->file);
    set_text(object, "source", n->source);
    if (n->line != 0) {
        json_object_set_new(object, "line", json_integer(n->line));
    }
    if (n->has_offset) {
        snprintf(offset, sizeof offset, "0x%" PRIx64, n->offset);
        json_object_set_new(object, "address", json_string(offset));
    }
    if (n->thread[0] != '\0') {
        set_text(object, "thread", n->thread);
        json_object_set_new(object, "tid", json_integer(n->tid));
    }
    if (n->process[0] != '\0') {
        set_text(object, "process", n->process);
        json_object_set_new(object, "pid", json_integer(n->pid));
    }
    return object;
}

void report_json(const struct report_view *report, const struct report_rows *rows)
{
    const struct recording *r = profile_recording(report->profile);
    const struct profile_table *t = &rows->table;

    for (size_t i = 0; i < rows->count; i++) {
        const struct view_names n = view_names(report->profile, &t->rows[rows->order[i]], report->key);
        json_t *object = make_names(&n, report->key), *events = json_object();

        for (size_t e = 0; e < report->event_count; e++) {
            const size_t at = rows->order[i] * r->event_count + report->events[e];
            json_t *counts = json_object();

            json_object_set_new(counts, "self", view_json_count(t->self[at]));
            json_object_set_new(counts, "self-percent", json_real(view_percent(t->self[at], report->sums[e])));
            if (t->total != NULL) {
                json_object_set_new(counts, "total", view_json_count(t->total[at]));
                json_object_set_new(counts, "total-percent", json_real(view_percent(t->total[at], report->sums[e])));
            }
            json_object_set_new(events, r->events[report->events[e]].name, counts);
        }
        json_object_set_new(object, "events", events);
        view_json_marks(object, r, report->events, report->event_count);
        json_dumpf(object, report->terminal.out, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
        fputc('\n', report->terminal.out);
        json_decref(object);
    }
}
