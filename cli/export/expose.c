/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints counts and metrics as OpenMetrics, or in Prometheus's older text format. */
#define _GNU_SOURCE
#include "expose.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <armpmu/version.h>

#define NS_PER_S UINT64_C(1000000000)

struct writer {
    FILE *out;
    enum expose_form form;
    const struct gather *gather;
    const struct metrics *metrics;
};

/* A family of samples: @name is without the suffix _total of counters and _info of infos. */
struct family {
    const char *name, *type, *unit, *help;
    /* Prints the sample of event @n of part @i, or nothing if there is none.  NULL: the family is not one of events. */
    void (*print)(const struct writer *w, const struct family *f, size_t i, size_t n);
};

static bool is_counter(const struct family *f)
{
    return strcmp(f->type, "counter") == 0;
}

/* Prints the lines that begin a family.  In the older format a counter's name has its suffix there, too. */
static void begin_family(const struct writer *w, const struct family *f)
{
    const bool open = w->form == EXPOSE_OPENMETRICS;
    const bool info = strcmp(f->type, "info") == 0;
    const char *suffix = open ? "" : is_counter(f) ? "_total" : info ? "_info" : "";

    fprintf(w->out, "# HELP %s%s %s\n# TYPE %s%s %s\n", f->name, suffix, f->help, f->name, suffix,
            info && !open ? "gauge" : f->type);
    if (open && f->unit[0] != '\0') {
        fprintf(w->out, "# UNIT %s %s\n", f->name, f->unit);
    }
}

/* Prints NAME="@value", after a comma unless it is the first.  What is not printable ASCII becomes a question mark. */
static void print_label(const struct writer *w, bool first, const char *name, const char *value)
{
    fprintf(w->out, "%s%s=\"", first ? "" : ",", name);
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\') {
            fputc('\\', w->out);
        }
        fputc(*value >= ' ' && *value <= '~' ? *value : '?', w->out);
    }
    fputc('"', w->out);
}

/*
 * Writes to @name, of @size bytes, the name of an event or metric without its core: @full is it, or, on a machine with
 * several kinds of cores, "CORE/NAME/MODIFIER".
 */
static void take_name(const char *full, const char *core, char *name, size_t size)
{
    const size_t prefix = strlen(core);
    char *slash;

    if (prefix == 0 || strncmp(full, core, prefix) != 0 || full[prefix] != '/') {
        snprintf(name, size, "%s", full);
        return;
    }
    snprintf(name, size, "%s", full + prefix + 1);
    slash = strrchr(name, '/');
    if (slash != NULL) {
        *slash = slash[1] == '\0' ? '\0' : ':';
    }
}

/* Returns the kind of core number @provider, or NULL if it is not known. */
static const struct count_core *find_core(const struct writer *w, unsigned provider)
{
    for (size_t i = 0; i < w->metrics->core_count; i++) {
        if (w->metrics->cores[i].provider == provider) {
            return &w->metrics->cores[i];
        }
    }
    return NULL;
}

static const char *core_label(const struct count_core *core)
{
    return core == NULL ? "" : core->name[0] != '\0' || core->info == NULL ? core->name : core->info->name;
}

/* Prints the label that says what part @i is: a CPU, a cgroup, or processes. */
static void print_part(const struct writer *w, bool first, size_t i)
{
    char number[24];

    if (w->gather->job->all_cpus) {
        snprintf(number, sizeof number, "%zu", i);
        print_label(w, first, "cpu", number);
    } else if (w->gather->pattern_count != 0) {
        print_label(w, first, "cgroup", w->gather->parts[i]->of.name);
    } else {
        print_label(w, first, "pid", w->gather->job->pids);
    }
}

/* Prints the name of the family's sample with @suffix, and the labels of event @n of part @i. */
static void begin_sample(const struct writer *w, const struct family *f, const char *suffix, size_t i, size_t n)
{
    const struct event_choice *e = &w->gather->job->selection.events[n];
    const struct count_core *core = find_core(w, e->provider);
    char name[sizeof e->name];

    take_name(e->name, core == NULL ? "" : core->name, name, sizeof name);
    fprintf(w->out, "%s%s{", f->name, suffix);
    print_label(w, true, "event", name);
    print_part(w, false, i);
    print_label(w, false, "core", core_label(core));
    print_label(w, false, "engine", w->gather->job->engine->name);
    print_label(w, false, "mark", e->mark);
    fputs("} ", w->out);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The samples of events.
 */

static void print_total(const struct writer *w, const struct family *f, size_t i, size_t n)
{
    begin_sample(w, f, "_total", i, n);
    fprintf(w->out, "%" PRIu64 "\n", w->gather->parts[i]->total[n].count);
    if (w->form == EXPOSE_OPENMETRICS) {
        begin_sample(w, f, "_created", i, n);
        fprintf(w->out, "%.3f\n", w->gather->parts[i]->created_s);
    }
}

static void print_seconds(const struct writer *w, const struct family *f, size_t i, size_t n, uint64_t ns)
{
    begin_sample(w, f, "_total", i, n);
    fprintf(w->out, "%" PRIu64 ".%09" PRIu64 "\n", ns / NS_PER_S, ns % NS_PER_S);
}

static void print_enabled(const struct writer *w, const struct family *f, size_t i, size_t n)
{
    print_seconds(w, f, i, n, w->gather->parts[i]->total[n].enabled_ns);
}

static void print_running(const struct writer *w, const struct family *f, size_t i, size_t n)
{
    print_seconds(w, f, i, n, w->gather->parts[i]->total[n].running_ns);
}

static void print_missed(const struct writer *w, const struct family *f, size_t i, size_t n)
{
    print_seconds(w, f, i, n, w->gather->parts[i]->total[n].missed_ns);
}

static void print_valid(const struct writer *w, const struct family *f, size_t i, size_t n)
{
    const struct gather_part *part = w->gather->parts[i];
    const struct tally *t = part->has_window ? &part->window[n] : &part->total[n];

    begin_sample(w, f, "", i, n);
    fprintf(w->out, "%d\n", part->state.counting && t->running_ns == t->enabled_ns && t->missed_ns == 0);
}

static void print_healthy(const struct writer *w, const struct family *f, size_t i, size_t n)
{
    const enum gather_health health = w->gather->parts[i]->health[n];

    if (health != GATHER_UNKNOWN) {
        begin_sample(w, f, "", i, n);
        fprintf(w->out, "%d\n", health == GATHER_MOVES);
    }
}

static const struct family event_families[] = {
    {"armpmu_event", "counter", "", "Occurrences while the event had a counter.", print_total},
    {"armpmu_event_enabled_seconds", "counter", "seconds", "Time in which the event was to be counted.",
     print_enabled},
    {"armpmu_event_running_seconds", "counter", "seconds", "Time in which the event had a counter.", print_running},
    {"armpmu_event_missed_seconds", "counter", "seconds",
     "Further time in which a CPU that had been offline may have run and was not counted.", print_missed},
    {"armpmu_event_valid", "gauge", "", "1: the event had a counter in all of the last window.", print_valid},
    {"armpmu_event_healthy", "gauge", "",
     "0: the CPU was busy in a window, and the counter, which counts what every busy CPU does, stood still.",
     print_healthy},
};

/* Prints all families that have a sample for each event and part. */
static void print_events(const struct writer *w)
{
    const struct gather *g = w->gather;

    for (size_t k = 0; k < sizeof event_families / sizeof event_families[0]; k++) {
        begin_family(w, &event_families[k]);
        for (size_t i = 0; i < g->part_count; i++) {
            for (size_t n = 0; n < g->job->selection.count; n++) {
                /* A CPU that lacks the event, or was offline from the beginning, never counts it. */
                if (!g->job->all_cpus || g->parts[i]->total[n].enabled_ns != 0) {
                    event_families[k].print(w, &event_families[k], i, n);
                }
            }
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Other samples.
 */

static void print_build(const struct writer *w)
{
    static const struct family family = {"armpmu_build", "info", "", "The version of armpmu.", NULL};

    begin_family(w, &family);
    fprintf(w->out, "armpmu_build_info{version=\"%s\"} 1\n", APMU_VERSION);
}

static void print_cpus(const struct writer *w)
{
    static const struct family family = {"armpmu_cpu_online", "gauge", "", "1: the CPU is online.", NULL};

    begin_family(w, &family);
    for (size_t i = 0; i < w->gather->part_count && w->gather->job->all_cpus; i++) {
        fprintf(w->out, "armpmu_cpu_online{");
        print_part(w, true, i);
        fprintf(w->out, "} %d\n", w->gather->parts[i]->state.online);
    }
}

/* Returns whether @part counted every event of @use in the last window. */
static bool has_events(const struct gather_part *part, const struct metric_use *use)
{
    for (uint32_t i = 0; i < use->formula.event_count; i++) {
        if (!part->window[use->events[i]].counted) {
            return false;
        }
    }
    return true;
}

/* Prints metric @use of part @i in the last window, if it has a value. */
static void print_metric(const struct writer *w, const struct family *f, const struct metric_use *use, size_t i)
{
    const struct gather *g = w->gather;
    const struct gather_part *part = g->parts[i];
    const struct count_core *core = &w->metrics->cores[use->core];
    struct metric_reading reading;
    char name[sizeof use->name];

    if (use->name[0] == '\0' || !part->has_window || !has_events(part, use)) {
        return;
    }
    metrics_value(w->metrics, g->job, use, part->window, g->window_ns, &reading);
    if (!reading.defined || !isfinite(reading.value)) {
        return;
    }
    take_name(use->name, core->name, name, sizeof name);
    fprintf(w->out, "%s{", f->name);
    print_label(w, true, "metric", name);
    print_part(w, false, i);
    print_label(w, false, "core", core_label(core));
    print_label(w, false, "per", use->unit);
    fprintf(w->out, "} %.17g\n", reading.value);
}

/* Prints how many cgroups are counted, and how many are not because there are too many. */
static void print_cgroups(const struct writer *w)
{
    static const struct family counted = {"armpmu_cgroups", "gauge", "", "The cgroups that are counted.", NULL};
    static const struct family left = {"armpmu_cgroups_left_out", "gauge", "",
                                       "Further cgroups that match --cgroup and are not counted.", NULL};

    if (w->gather->pattern_count != 0) {
        begin_family(w, &counted);
        fprintf(w->out, "armpmu_cgroups %zu\n", w->gather->part_count);
        begin_family(w, &left);
        fprintf(w->out, "armpmu_cgroups_left_out %zu\n", w->gather->left_out);
    }
}

static void print_metrics(const struct writer *w)
{
    static const struct family family = {"armpmu_metric", "gauge", "", "The metrics of -M in the last window.", NULL};

    begin_family(w, &family);
    for (size_t i = 0; i < w->gather->part_count; i++) {
        for (size_t k = 0; k < w->metrics->count; k++) {
            print_metric(w, &family, &w->metrics->uses[k], i);
        }
    }
}

static void print_cost(const struct writer *w)
{
    static const struct family family = {"armpmu_export_cpu_seconds", "counter", "seconds",
                                         "Processor time that the exporter itself took.", NULL};
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    begin_family(w, &family);
    fprintf(w->out, "armpmu_export_cpu_seconds_total %.6f\n",
            (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
}

char *expose_text(const struct gather *g, const struct metrics *m, enum expose_form form, size_t *length)
{
    char *text = NULL;
    struct writer w = {.out = open_memstream(&text, length), .form = form, .gather = g, .metrics = m};

    if (w.out == NULL) {
        return NULL;
    }
    print_build(&w);
    print_events(&w);
    print_cpus(&w);
    print_cgroups(&w);
    print_metrics(&w);
    print_cost(&w);
    if (form == EXPOSE_OPENMETRICS) {
        fputs("# EOF\n", w.out);
    }
    if (fclose(w.out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
