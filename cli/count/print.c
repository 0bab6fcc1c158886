/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the counts in the three formats of perf stat. */
#include "print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "topdown.h"

#define NANO UINT64_C(1000000000)

/* Prints @ns nanoseconds as seconds, "1.000000000", with at least @width characters before the point. */
static void print_seconds(FILE *out, int width, uint64_t ns)
{
    fprintf(out, "%*" PRIu64 ".%09" PRIu64, width, ns / NANO, ns % NANO);
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
    if (p->series != NULL) {
        fprintf(p->out, " (%u run%s)", p->series->runs, p->series->runs == 1 ? "" : "s");
    }
    fprintf(p->out, ":\n\n");
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

/* What is printed at the end of the line of a count: a metric, or the mark of the event, or nothing. */
struct note {
    const struct metric_reading *reading; /* NULL: not a metric */
    const char *mark;                     /* "": no mark */
};

/* Writes the value of a metric with four digits or more, "nan" if it has none. */
static void write_value(const struct metric_reading *r, char *buf, size_t size)
{
    const double size_of_value = r->value < 0 ? -r->value : r->value;

    if (!r->defined) {
        snprintf(buf, size, "nan");
    } else {
        snprintf(buf, size, "%.*f", size_of_value < 1 ? 4 : 2, r->value);
    }
}

static void print_time(const struct printer *p, uint64_t at_ns)
{
    if (p->intervals) {
        print_seconds(p->out, 6, at_ns);
        fputs(p->format == PRINT_FIELDS ? p->separator : " ", p->out);
    }
}

/* Returns the sample of @event over the runs; NULL if there is one run only or no count. */
static const struct sample *sample_of(const struct printer *p, const struct event_choice *event, const struct tally *t)
{
    if (p->series == NULL || event == NULL || !t->counted) {
        return NULL;
    }
    return &p->series->counts[event - p->job->selection.events];
}

/* Prints the spread of a count over the runs, and its least and greatest if they differ. */
static void print_sample(FILE *out, const struct sample *s)
{
    struct cli_number least, greatest;

    fprintf(out, "  ( +-%6.2f%% )", series_spread(s));
    if (s->least != s->greatest) {
        fprintf(out, " [%s..%s]", cli_grouped(s->least, &least), cli_grouped(s->greatest, &greatest));
    }
}

static void print_text(const struct printer *p, const struct event_choice *event, const struct tally *t,
                       const struct note *note, uint64_t at_ns)
{
    const bool partial = t != NULL && t->counted && is_partial(t);
    const struct sample *sample = sample_of(p, event, t);
    char buf[32], line[512] = "";
    struct cli_number number;

    print_time(p, at_ns);
    if (note->reading != NULL) {
        write_value(note->reading, buf, sizeof buf);
        snprintf(line, sizeof line, " # %10s %s", buf, note->reading->label);
    } else if (note->mark[0] != '\0') {
        snprintf(line, sizeof line, " # %s", note->mark);
    }
    fprintf(p->out, "%18s      ", t == NULL ? "" : t->counted ? cli_grouped(engine_estimate(t), &number) : NOT_COUNTED);
    if (line[0] != '\0' || partial || sample != NULL) {
        fprintf(p->out, "%-26s%-*s", event == NULL ? "" : event->name, partial || sample != NULL ? 17 : 0, line);
    } else {
        fputs(event->name, p->out);
    }
    if (sample != NULL) {
        print_sample(p->out, sample);
    }
    if (partial) {
        fprintf(p->out, " (%.2f%%)", percentage(t));
    }
    fputc('\n', p->out);
}

static void print_fields(const struct printer *p, const struct event_choice *event, const struct tally *t,
                         const struct note *note, uint64_t at_ns)
{
    const struct sample *sample = sample_of(p, event, t);
    const char *s = p->separator;
    char value[32] = "";

    print_time(p, at_ns);
    if (t == NULL) {
        fprintf(p->out, "%s%s%s%s%s", s, s, s, s, p->series != NULL ? s : "");
    } else if (t->counted) {
        fprintf(p->out, "%" PRIu64, engine_estimate(t));
    } else {
        fputs(NOT_COUNTED, p->out);
    }
    if (t != NULL) {
        fprintf(p->out, "%s%s%s%s", s, s, event->name, s);
        if (p->series != NULL) { /* perf stat -r has the spread here */
            fprintf(p->out, "%.2f%%%s", sample != NULL ? series_spread(sample) : 0, s);
        }
        fprintf(p->out, "%" PRIu64 "%s%.2f", t->running_ns, s, percentage(t));
    }
    if (note->reading != NULL) {
        write_value(note->reading, value, sizeof value);
    }
    fprintf(p->out, "%s%s%s%s", s, value, s, note->reading != NULL ? note->reading->label : note->mark);
    if (sample != NULL) {
        fprintf(p->out, "%s%" PRIu64 "%s%" PRIu64, s, sample->least, s, sample->greatest);
    }
    fputc('\n', p->out);
}

/* Adds the spread of a count over the runs to @object; "variance" is the name that perf stat -j has for it. */
static void set_sample(json_t *object, const struct sample *s, const struct series *series)
{
    if (s != NULL) {
        json_object_set_new(object, "variance", json_real(series_spread(s)));
        json_object_set_new(object, "min", json_integer((json_int_t)s->least));
        json_object_set_new(object, "max", json_integer((json_int_t)s->greatest));
        json_object_set_new(object, "runs", json_integer((json_int_t)series->runs));
    }
}

/* Prints a JSON object.  perf stat -j writes a count as a string with six decimals, so this does too. */
static void print_json(const struct printer *p, const struct event_choice *event, const struct tally *t,
                       const struct note *note, uint64_t at_ns)
{
    const struct metric_reading *r = note->reading;
    char value[40] = NOT_COUNTED;
    json_t *object = json_object();

    if (p->intervals) {
        json_object_set_new(object, "interval", json_real((double)at_ns / (double)NANO));
    }
    if (t != NULL) {
        if (t->counted) {
            snprintf(value, sizeof value, "%" PRIu64 ".000000", engine_estimate(t));
        }
        json_object_set_new(object, "counter-value", json_string(value));
        json_object_set_new(object, "unit", json_string(""));
        json_object_set_new(object, "event", json_string(event->name));
        set_sample(object, sample_of(p, event, t), p->series);
        json_object_set_new(object, "event-runtime", json_integer((json_int_t)t->running_ns));
        json_object_set_new(object, "pcnt-running", json_real(percentage(t)));
    }
    json_object_set_new(object, "metric-value", r == NULL ? json_real(0) : r->defined ? json_real(r->value)
                                                                                     : json_null());
    json_object_set_new(object, "metric-unit", json_string(r == NULL ? note->mark : r->label));
    json_object_set_new(object, "trust", json_string(t != NULL ? event->trust : r->trust));
    json_dumpf(object, p->out, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
    fputc('\n', p->out);
    json_decref(object);
}

/* Prints a line: of an event with a note, or, where @event and @t are NULL, of a note alone. */
static void print_line(const struct printer *p, const struct event_choice *event, const struct tally *t,
                       const struct note *note, uint64_t at_ns)
{
    switch (p->format) {
    case PRINT_TEXT: print_text(p, event, t, note, at_ns); break;
    case PRINT_FIELDS: print_fields(p, event, t, note, at_ns); break;
    case PRINT_JSON: print_json(p, event, t, note, at_ns); break;
    case PRINT_REMARKS: break;
    }
}

/*
 * Prints the line of event @i, and one for each metric beside it but the first, which the event's line has.  If the
 * event has a mark, its line has that; but in text a metric with the same mark says it as well.
 */
static void print_event(const struct printer *p, size_t i, const struct tally *tallies, uint64_t at_ns,
                        uint64_t since_ns)
{
    const struct event_choice *event = &p->job->selection.events[i];
    const struct note mark = {.mark = event->mark};
    struct metric_reading reading;
    bool printed = false;

    for (size_t k = 0; k < p->metrics->count; k++) {
        if (p->metrics->uses[k].beside == i) {
            metrics_value(p->metrics, p->job, &p->metrics->uses[k], tallies, since_ns, &reading);
            if (!printed && event->mark[0] != '\0' &&
                (p->format != PRINT_TEXT || strcmp(reading.mark, event->mark) != 0)) {
                print_line(p, event, &tallies[i], &mark, at_ns);
                printed = true;
            }
            print_line(p, printed ? NULL : event, printed ? NULL : &tallies[i],
                       &(struct note){.reading = &reading, .mark = ""}, at_ns);
            printed = true;
        }
    }
    if (!printed) {
        print_line(p, event, &tallies[i], &mark, at_ns);
    }
}

void print_counts(const struct printer *p, const struct tally *tallies, uint64_t at_ns, uint64_t since_ns)
{
    for (size_t i = 0; i < p->job->selection.count; i++) {
        print_event(p, i, tallies, at_ns, since_ns);
    }
    if (p->metrics->topdown && p->format == PRINT_TEXT && !p->intervals) {
        topdown_print(p->out, p->metrics, p->job, tallies, since_ns);
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

void print_remarks(FILE *out, const char *before, const char *remarks)
{
    while (*remarks != '\0') {
        const size_t length = strcspn(remarks, "\n");

        fprintf(out, "%s ", before);
        cli_print(out, remarks, length);
        fputc('\n', out);
        remarks += length + (remarks[length] == '\n');
    }
}

/* Prints the metrics that cannot be given, a line for each cause, with @before in front of it. */
static void print_gaps(FILE *out, const char *before, const struct metrics *m)
{
    for (size_t i = 0; i < m->gap_count; i++) {
        fprintf(out, "%s metrics left out: %s: %.*s\n", before, m->gaps[i].names,
                (int)strcspn(m->gaps[i].cause, ";"), m->gaps[i].cause);
    }
}

/* Prints @ns, or the mean over the runs of @s if there are several, and then @what. */
static void print_time_of(const struct printer *p, uint64_t ns, const struct sample *s, const char *what)
{
    print_seconds(p->out, 8, s == NULL ? ns : (uint64_t)s->mean);
    fprintf(p->out, " %s", what);
    if (s != NULL) {
        fprintf(p->out, "  ( +-%6.2f%% )", series_spread(s));
    }
    fputc('\n', p->out);
}

static void print_times(const struct printer *p, const struct count_status *status)
{
    const struct series *s = p->series;

    fputc('\n', p->out);
    print_time_of(p, status->elapsed_ns, s == NULL ? NULL : &s->elapsed, "seconds time elapsed");
    fputc('\n', p->out);
    if (!p->job->all_cpus && p->job->pids == NULL && p->job->tids == NULL) {
        print_time_of(p, status->user_ns, s == NULL ? NULL : &s->user, "seconds user");
        print_time_of(p, status->system_ns, s == NULL ? NULL : &s->system, "seconds sys");
        fputc('\n', p->out);
    }
}

void print_end(const struct printer *p, const struct count_status *status)
{
    if (p->format != PRINT_TEXT) { /* a program reads the results, so people are told on stderr */
        print_method(p, stderr, "armpmu:", status);
        print_remarks(stderr, "armpmu: remark:", status->remarks);
        print_gaps(stderr, "armpmu: remark:", p->metrics);
        return;
    }
    if (p->intervals) {
        print_coverage(p->out, "#", status);
        print_method(p, p->out, "#", status);
        print_remarks(p->out, "# remark:", status->remarks);
        print_gaps(p->out, "# remark:", p->metrics);
        return;
    }
    print_times(p, status);
    print_coverage(p->out, "", status);
    print_method(p, p->out, "", status);
    print_remarks(p->out, " remark:", status->remarks);
    print_gaps(p->out, " remark:", p->metrics);
    fputc('\n', p->out);
}
