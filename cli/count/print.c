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

/* What was counted, as perf stat says it. */
static void print_target(const struct printer *p)
{
    const struct count_job *job = p->job;

    if (job->all_cpus) {
        fprintf(p->out, "'system wide'");
    } else if (job->pids != NULL || job->tids != NULL) {
        fprintf(p->out, "%s id '%s'", job->pids != NULL ? "process" : "thread",
                job->pids != NULL ? job->pids : job->tids);
    } else {
        fputc('\'', p->out);
        for (size_t i = 0; job->argv[i] != NULL; i++) {
            fputs(i == 0 ? "" : " ", p->out);
            cli_print(p->out, job->argv[i], strlen(job->argv[i]));
        }
        fputc('\'', p->out);
    }
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
    fprintf(p->out, "\n Performance counter stats for ");
    print_target(p);
    fprintf(p->out, ":\n\n");
}

/* What it would have been with a counter all the time. */
static uint64_t estimate(const struct tally *t)
{
    if (t->running == 0 || t->running >= t->enabled) {
        return t->count;
    }
    return (uint64_t)((double)t->count * ((double)t->enabled / (double)t->running) + 0.5);
}

/* Was it counted in a part of the time only? */
static bool is_partial(const struct tally *t)
{
    return t->running < t->enabled || t->missed != 0;
}

static double percentage(const struct tally *t)
{
    return !is_partial(t) ? (t->counted ? 100 : 0) : 100 * (double)t->running / (double)(t->enabled + t->missed);
}

#define NOT_COUNTED "<not counted>" /* as perf says it: no time for it, or it never ran */

static void print_text(const struct printer *p, const struct event_choice *event, const struct tally *t, uint64_t at_ns)
{
    const bool partial = t->counted && is_partial(t);
    char buf[32];

    if (p->intervals) {
        print_seconds(p->out, 6, at_ns);
        fputc(' ', p->out);
    }
    fprintf(p->out, "%18s      ", t->counted ? grouped(estimate(t), buf) : NOT_COUNTED);
    if (event->mark[0] != '\0') {
        fprintf(p->out, "%-26s # %s\n", event->name, event->mark);
    } else if (partial) {
        fprintf(p->out, "%-44s (%.2f%%)\n", event->name, percentage(t));
    } else {
        fprintf(p->out, "%s\n", event->name);
    }
}

static void print_fields(const struct printer *p, const struct event_choice *event, const struct tally *t,
                         uint64_t at_ns)
{
    const char *s = p->separator;

    if (p->intervals) {
        print_seconds(p->out, 6, at_ns);
        fputs(s, p->out);
    }
    if (t->counted) {
        fprintf(p->out, "%" PRIu64, estimate(t));
    } else {
        fputs(NOT_COUNTED, p->out);
    }
    fprintf(p->out, "%s%s%s%s%" PRIu64 "%s%.2f%s%s%s\n", s, s, event->name, s, t->running, s, percentage(t), s, s,
            event->mark);
}

/* perf writes a count as a string with six decimals. */
static void print_json(const struct printer *p, const struct event_choice *event, const struct tally *t, uint64_t at_ns)
{
    char value[40] = NOT_COUNTED;
    json_t *object = json_object();

    if (t->counted) {
        snprintf(value, sizeof value, "%" PRIu64 ".000000", estimate(t));
    }
    if (p->intervals) {
        json_object_set_new(object, "interval", json_real((double)at_ns / (double)NANO));
    }
    json_object_set_new(object, "counter-value", json_string(value));
    json_object_set_new(object, "unit", json_string(""));
    json_object_set_new(object, "event", json_string(event->name));
    json_object_set_new(object, "event-runtime", json_integer((json_int_t)t->running));
    json_object_set_new(object, "pcnt-running", json_real(percentage(t)));
    json_object_set_new(object, "metric-value", json_real(0));
    json_object_set_new(object, "metric-unit", json_string(event->mark));
    json_object_set_new(object, "trust", json_string(event->trust));
    json_dumpf(object, p->out, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
    fputc('\n', p->out);
    json_decref(object);
}

void print_counts(const struct printer *p, const struct tally *tallies, uint64_t at_ns)
{
    for (size_t i = 0; i < p->job->selection.count; i++) {
        const struct event_choice *event = &p->job->selection.events[i];

        switch (p->format) {
        case FORMAT_TEXT: print_text(p, event, &tallies[i], at_ns); break;
        case FORMAT_FIELDS: print_fields(p, event, &tallies[i], at_ns); break;
        case FORMAT_JSON: print_json(p, event, &tallies[i], at_ns); break;
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
    if (st->processes == 0) { /* the kernel does not say */
        return;
    }
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

/* What ran the program, after @before. */
static void print_emulator(FILE *out, const char *before, const struct apmu_run_status *st)
{
    if (st->plugin_interface != 0) {
        fprintf(out, "%s run by ", before);
        cli_print(out, st->emulator, strlen(st->emulator));
        fprintf(out, ", plugin interface %u\n", st->plugin_interface);
    }
}

static void print_remarks(FILE *out, const char *before, const char *remarks)
{
    while (*remarks != '\0') {
        const size_t length = strcspn(remarks, "\n");

        fprintf(out, "%s ", before);
        cli_print(out, remarks, length);
        fputc('\n', out);
        remarks += length + (remarks[length] == '\n');
    }
}

void print_end(const struct printer *p, const struct apmu_run_status *st)
{
    if (p->format != FORMAT_TEXT) { /* the output is for a program: remarks go to people */
        if (p->verbose) {
            print_emulator(stderr, "armpmu:", st);
        }
        print_remarks(stderr, "armpmu: remark:", st->remarks);
        return;
    }
    if (p->intervals) {
        print_coverage(p->out, "#", st);
        if (p->verbose) {
            print_emulator(p->out, "#", st);
        }
        print_remarks(p->out, "# remark:", st->remarks);
        return;
    }
    fputc('\n', p->out);
    print_seconds(p->out, 8, st->elapsed_ns);
    fprintf(p->out, " seconds time elapsed\n\n");
    if (!p->job->all_cpus && p->job->pids == NULL && p->job->tids == NULL) {
        print_seconds(p->out, 8, st->user_ns);
        fprintf(p->out, " seconds user\n");
        print_seconds(p->out, 8, st->system_ns);
        fprintf(p->out, " seconds sys\n\n");
    }
    print_coverage(p->out, "", st);
    if (p->verbose) {
        print_emulator(p->out, "", st);
    }
    print_remarks(p->out, " remark:", st->remarks);
    fputc('\n', p->out);
}
