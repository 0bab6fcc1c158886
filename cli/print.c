/* SPDX-License-Identifier: BSD-2-Clause */
#include "print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#define NANO UINT64_C(1000000000)

static void print_seconds(FILE *out, int width, uint64_t ns)
{
    fprintf(out, "%*" PRIu64 ".%09" PRIu64, width, ns / NANO, ns % NANO);
}

/* 1234567 as 1,234,567. */
static const char *grouped(uint64_t value, char buf[32])
{
    char *p = &buf[31];
    unsigned digits = 0;

    *p = '\0';
    do {
        if (digits++ % 3 == 0 && digits > 1) {
            *--p = ',';
        }
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return p;
}

void print_begin(const struct printer *p)
{
    if (p->format != FORMAT_TEXT) {
        return;
    }
    if (p->intervals) {
        fprintf(p->out, "#           time             counts unit events\n");
        return;
    }
    fprintf(p->out, "\n Performance counter stats for '");
    for (size_t i = 0; p->argv[i] != NULL; i++) {
        fprintf(p->out, "%s%s", i == 0 ? "" : " ", p->argv[i]);
    }
    fprintf(p->out, "':\n\n");
}

static void print_text(const struct printer *p, const struct event_choice *event, uint64_t count, uint64_t at_ns)
{
    const char *mark = trust_mark(event->trust);
    char buf[32];

    if (p->intervals) {
        print_seconds(p->out, 6, at_ns);
        fputc(' ', p->out);
    }
    fprintf(p->out, "%18s      ", grouped(count, buf));
    if (mark[0] == '\0') {
        fprintf(p->out, "%s\n", event_name(event->number));
    } else {
        fprintf(p->out, "%-26s # %s\n", event_name(event->number), mark);
    }
}

static void print_fields(const struct printer *p, const struct event_choice *event, uint64_t count, uint64_t at_ns,
                         uint64_t counted_ns)
{
    const char *s = p->separator;

    if (p->intervals) {
        print_seconds(p->out, 6, at_ns);
        fputs(s, p->out);
    }
    fprintf(p->out, "%" PRIu64 "%s%s%s%s%" PRIu64 "%s100.00%s%s%s\n", count, s, s, event_name(event->number), s,
            counted_ns, s, s, s, trust_mark(event->trust));
}

/* perf writes a count as a string with six decimals. */
static void print_json(const struct printer *p, const struct event_choice *event, uint64_t count, uint64_t at_ns,
                       uint64_t counted_ns)
{
    char value[40];
    json_t *object = json_object();

    snprintf(value, sizeof value, "%" PRIu64 ".000000", count);
    if (p->intervals) {
        json_object_set_new(object, "interval", json_real((double)at_ns / (double)NANO));
    }
    json_object_set_new(object, "counter-value", json_string(value));
    json_object_set_new(object, "unit", json_string(""));
    json_object_set_new(object, "event", json_string(event_name(event->number)));
    json_object_set_new(object, "event-runtime", json_integer((json_int_t)counted_ns));
    json_object_set_new(object, "pcnt-running", json_real(100));
    json_object_set_new(object, "metric-value", json_real(0));
    json_object_set_new(object, "metric-unit", json_string(trust_mark(event->trust)));
    json_object_set_new(object, "trust", json_string(trust_word(event->trust)));
    json_dumpf(object, p->out, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
    fputc('\n', p->out);
    json_decref(object);
}

void print_counts(const struct printer *p, const uint64_t *counts, uint64_t at_ns, uint64_t counted_ns)
{
    for (size_t i = 0; i < p->selection->count; i++) {
        const struct event_choice *event = &p->selection->events[i];

        switch (p->format) {
        case FORMAT_TEXT: print_text(p, event, counts[i], at_ns); break;
        case FORMAT_FIELDS: print_fields(p, event, counts[i], at_ns, counted_ns); break;
        case FORMAT_JSON: print_json(p, event, counts[i], at_ns, counted_ns); break;
        }
    }
}

static void print_number(FILE *out, unsigned number, const char *what)
{
    fprintf(out, "%u %s%s", number, what, number == 1 ? "" : strcmp(what, "process") == 0 ? "es" : "s");
}

/* What the counts cover, and each remark, after @before. */
static void print_coverage(FILE *out, const char *before, const struct apmu_run_status *st)
{
    fprintf(out, "%s covers ", before);
    print_number(out, st->processes, "process");
    fprintf(out, " and ");
    print_number(out, st->threads, "thread");
    if (st->execs != 0) {
        fprintf(out, ", with ");
        print_number(out, st->execs, "exec");
    }
    fprintf(out, ", at EL0\n");
}

static void print_remarks(FILE *out, const char *before, const char *remarks)
{
    while (*remarks != '\0') {
        const size_t length = strcspn(remarks, "\n");

        fprintf(out, "%s %.*s\n", before, (int)length, remarks);
        remarks += length + (remarks[length] == '\n');
    }
}

void print_end(const struct printer *p, const struct apmu_run_status *st)
{
    if (p->format != FORMAT_TEXT) { /* the output is for a program: remarks go to people */
        print_remarks(stderr, "armpmu: remark:", st->remarks);
        return;
    }
    if (p->intervals) {
        print_coverage(p->out, "#", st);
        print_remarks(p->out, "# remark:", st->remarks);
        return;
    }
    fputc('\n', p->out);
    print_seconds(p->out, 8, st->elapsed_ns);
    fprintf(p->out, " seconds time elapsed\n\n");
    print_seconds(p->out, 8, st->user_ns);
    fprintf(p->out, " seconds user\n");
    print_seconds(p->out, 8, st->system_ns);
    fprintf(p->out, " seconds sys\n\n");
    print_coverage(p->out, "", st);
    print_remarks(p->out, " remark:", st->remarks);
    fputc('\n', p->out);
}
