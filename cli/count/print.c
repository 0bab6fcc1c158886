/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the counts in the three formats of perf stat. */
#include "print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#define NANO UINT64_C(1000000000)

/* Prints @ns nanoseconds as seconds, "1.000000000", with at least @width characters before the point. */
static void print_seconds(FILE *out, int width, uint64_t ns)
{
    fprintf(out, "%*" PRIu64 ".%09" PRIu64, width, ns / NANO, ns % NANO);
}

/* Writes @value with groups of thousands, 1,234,567, to the end of @buf.  Returns where in @buf it begins. */
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

/* Prints what was counted, in the words of perf stat. */
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
    if (p->format != PRINT_TEXT) {
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

/* Returns the count if the event had a counter all the time, else an estimate of what it would have been then. */
static uint64_t estimate(const struct tally *t)
{
    if (t->running_ns == 0 || t->running_ns >= t->enabled_ns) {
        return t->count;
    }
    return (uint64_t)((double)t->count * ((double)t->enabled_ns / (double)t->running_ns) + 0.5);
}

/* Returns whether the event was counted for only a part of the time. */
static bool is_partial(const struct tally *t)
{
    return t->running_ns < t->enabled_ns || t->missed_ns != 0;
}

/* Returns for how much of the time the event was counted, 0 to 100. */
static double percentage(const struct tally *t)
{
    if (!is_partial(t)) {
        return t->counted ? 100 : 0;
    }
    return 100 * (double)t->running_ns / (double)(t->enabled_ns + t->missed_ns);
}

#define NOT_COUNTED "<not counted>" /* as perf prints it: the event never had a counter, or nothing ran */

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
    fprintf(p->out, "%s%s%s%s%" PRIu64 "%s%.2f%s%s%s\n", s, s, event->name, s, t->running_ns, s, percentage(t), s, s,
            event->mark);
}

/* Prints a JSON object.  perf stat -j writes a count as a string with six decimals, so this does too. */
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
    json_object_set_new(object, "event-runtime", json_integer((json_int_t)t->running_ns));
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
        case PRINT_TEXT: print_text(p, event, &tallies[i], at_ns); break;
        case PRINT_FIELDS: print_fields(p, event, &tallies[i], at_ns); break;
        case PRINT_JSON: print_json(p, event, &tallies[i], at_ns); break;
        }
    }
}

/* Prints "1 thread" or "2 threads".  @what is the singular. */
static void print_number(FILE *out, unsigned number, const char *what)
{
    fprintf(out, "%u %s%s", number, what, number == 1 ? "" : strcmp(what, "process") == 0 ? "es" : "s");
}

/* Prints @before and then how many processes, threads and execs the counts cover, if the engine knows. */
static void print_coverage(FILE *out, const char *before, const struct count_status *status)
{
    if (status->processes == 0) { /* the engine does not know */
        return;
    }
    fprintf(out, "%s covers ", before);
    print_number(out, status->processes, "process");
    fprintf(out, " and ");
    print_number(out, status->threads, "thread");
    if (status->execs != 0) {
        fprintf(out, ", with ");
        print_number(out, status->execs, "exec");
    }
    fprintf(out, ", at EL0\n");
}

/* Prints @before and then how it was counted, if --verbose asks for it. */
static void print_method(const struct printer *p, FILE *out, const char *before, const struct count_status *status)
{
    if (p->verbose && status->method[0] != '\0') {
        fprintf(out, "%s ", before);
        cli_print(out, status->method, strlen(status->method));
        fputc('\n', out);
    }
}

/* Prints each line of @remarks, with @before in front of it. */
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

void print_end(const struct printer *p, const struct count_status *status)
{
    if (p->format != PRINT_TEXT) { /* a program reads the results, so people are told on stderr */
        print_method(p, stderr, "armpmu:", status);
        print_remarks(stderr, "armpmu: remark:", status->remarks);
        return;
    }
    if (p->intervals) {
        print_coverage(p->out, "#", status);
        print_method(p, p->out, "#", status);
        print_remarks(p->out, "# remark:", status->remarks);
        return;
    }
    fputc('\n', p->out);
    print_seconds(p->out, 8, status->elapsed_ns);
    fprintf(p->out, " seconds time elapsed\n\n");
    if (!p->job->all_cpus && p->job->pids == NULL && p->job->tids == NULL) {
        print_seconds(p->out, 8, status->user_ns);
        fprintf(p->out, " seconds user\n");
        print_seconds(p->out, 8, status->system_ns);
        fprintf(p->out, " seconds sys\n\n");
    }
    print_coverage(p->out, "", status);
    print_method(p, p->out, "", status);
    print_remarks(p->out, " remark:", status->remarks);
    fputc('\n', p->out);
}
