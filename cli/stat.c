/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu stat`: parses the command line; count/runs.c does what it asks for. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/core.h"
#include "count/engine.h"
#include "count/runs.h"
#include "jobs.h"
#include "timeline/timeline.h"

#define INTERVAL_MAX_MS 3600000
#define RUNS_MAX 1000000

/* ---------------------------------------------------------------------------------------------------------------
 * The command line.
 */

static int parse_interval(const struct cli_verb *verb, const char *text, unsigned *ms)
{
    uint64_t value;

    if (!cli_decimal(text, 1, INTERVAL_MAX_MS, &value)) {
        cli_complain(verb, "--interval-print: %s is not an interval; give milliseconds, 1 to %d", text,
                     INTERVAL_MAX_MS);
        return CLI_USAGE;
    }
    *ms = (unsigned)value;
    return CLI_YES;
}

static int parse_runs(const struct cli_verb *verb, const char *text, unsigned *runs)
{
    uint64_t value;

    if (!cli_decimal(text, 1, RUNS_MAX, &value)) {
        cli_complain(verb, "--repeat: %s is no number of runs; give 1 to %d", text, RUNS_MAX);
        return CLI_USAGE;
    }
    *runs = (unsigned)value;
    return CLI_YES;
}

/*
 * Sets o->job.engine to the engine @name, or to NULL for "auto"; "help" sets o->list_engines.  @origin is the option or
 * the variable that gave the name, for a complaint.  Returns CLI_YES, or CLI_USAGE after a complaint.
 */
static int parse_engine(const struct cli_verb *verb, const char *origin, const char *name, struct stat_options *o)
{
    o->list_engines = strcmp(name, "help") == 0;
    o->job.engine = engine_find(name);
    if (o->job.engine == NULL && !o->list_engines && strcmp(name, "auto") != 0) {
        cli_complain(verb, "%s: no engine is named %s; --engine=help lists them", origin, name);
        return CLI_USAGE;
    }
    return CLI_YES;
}

static int parse_separator(const struct cli_verb *verb, const char *text, struct printer *p)
{
    if (strcmp(text, "\\t") == 0) {
        text = "\t";
    }
    if (text[0] == '\0' || strchr(text, '\n') != NULL) {
        cli_complain(verb, "--field-separator: %s; give a text like , or \\t",
                     text[0] == '\0' ? "it is empty" : "it has a newline");
        return CLI_USAGE;
    }
    p->separator = text;
    return CLI_YES;
}

static int parse_events(const struct cli_args *args, struct count_job *job)
{
    int status = CLI_YES;

    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        if (args->given[i].id == CLI_EVENT) {
            status = select_events(&job->selection, job->verb, job->engine, args->given[i].value);
        }
    }
    return status;
}

/* Adds the events of --event and those that the metrics of --metrics need, or else the usual ones. */
static int choose(const struct cli_args *args, struct stat_options *o)
{
    int status = parse_events(args, &o->job);

    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        if (args->given[i].id == CLI_METRICS) {
            status = metrics_choose(&o->metrics, &o->job, args->given[i].value);
        }
    }
    if (status == CLI_YES && o->job.selection.count == 0) {
        status = select_usual(&o->job.selection, o->job.verb, o->job.engine);
    }
    if (status == CLI_YES) {
        metrics_bind(&o->metrics, &o->job);
    }
    return status;
}

static int parse_options(const struct cli_args *args, struct stat_options *o, bool *json)
{
    const struct cli_verb *verb = args->verb;
    const char *engine = getenv("ARMPMU_ENGINE");
    int status = CLI_YES;

    if (engine != NULL && engine[0] != '\0') {
        status = parse_engine(verb, "ARMPMU_ENGINE", engine, o);
    }
    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        const char *value = args->given[i].value;

        switch (args->given[i].id) {
        case CLI_SEPARATOR: status = parse_separator(verb, value, &o->printer); break;
        case CLI_INTERVAL: status = parse_interval(verb, value, &o->interval_ms); break;
        case CLI_ENGINE: status = parse_engine(verb, "--engine", value, o); break;
        case CLI_JSON: *json = true; break;
        case CLI_CORE: status = core_choose(verb, value, false, &o->job.selection, &o->core); break;
        case CLI_CORE_FILE: status = core_choose(verb, value, true, &o->job.selection, &o->core); break;
        case CLI_TO:
            status = timeline_format(verb, value, &o->list_formats);
            o->timeline = true;
            break;
        case CLI_OUTPUT: o->output = value; break;
        case CLI_APPEND: o->append = true; break;
        case CLI_EL0: o->job.el0 = true; break;
        case CLI_SYSROOT: o->job.sysroot = value; break;
        case CLI_VERBOSE: o->printer.verbose = true; break;
        case CLI_ALL_CPUS: o->job.all_cpus = true; break;
        case CLI_PID: o->job.pids = value; break;
        case CLI_TID: o->job.tids = value; break;
        case CLI_REPEAT: status = parse_runs(verb, value, &o->runs); break;
        case CLI_SAVE: o->save = value; break;
        case CLI_BASELINE: o->baseline = value; break;
        case CLI_MARKDOWN: o->markdown = value; break;
        case CLI_FAIL_ABOVE: status = compare_limits_parse(&o->limits, verb, value); break;
        case CLI_DETERMINISTIC: o->job.deterministic = true; break;
        case CLI_ENV: status = variables_add(&o->variables, verb, value); break;
        default: break;
        }
    }
    return status;
}

/* Returns CLI_YES if the options of @o agree with each other, or CLI_USAGE after a complaint. */
static int check_options(const struct cli_args *args, const struct stat_options *o, bool json)
{
    const struct {
        bool wrong;
        const char *complaint;
    } rules[] = {
        {json && o->printer.separator != NULL,
         "--json-output, --field-separator: both choose the form of the results; give one of them"},
        {o->timeline && (json || o->printer.separator != NULL),
         "--to, --json-output, --field-separator: each chooses the form of the results; give one of them"},
        {o->timeline && o->interval_ms == 0, "--to: a timeline has intervals; give their length, such as -I 100"},
        {o->timeline && (o->output == NULL || o->append), "--to: it is no text and a file of its own; name it by -o"},
        {o->timeline && o->baseline != NULL,
         "--to, --baseline: a comparison has no such form; give one of the two"},
        {o->append && o->output == NULL, "--append: there is no file to append to; give -o FILE too"},
        {o->runs > 1 && o->interval_ms != 0,
         "--repeat, --interval-print: intervals are those of one run; give one of the two"},
        {o->runs > 1 && args->operands[0] == NULL, "--repeat: there is no PROGRAM to run again; give one"},
        {o->baseline != NULL && o->printer.separator != NULL,
         "--baseline, --field-separator: a comparison has no such form; give -j, or no form"},
        {o->baseline == NULL && o->limits.given,
         "--fail-above: there is no baseline to compare with; give --baseline FILE too"},
        {o->baseline == NULL && o->markdown != NULL,
         "--markdown: there is no baseline to compare with; give --baseline FILE too"},
        {o->variables.count != 0 && !o->job.deterministic,
         "--env: without --deterministic the program has the environment of armpmu; set the variable there"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].wrong) {
            cli_complain(args->verb, "%s", rules[i].complaint);
            return CLI_USAGE;
        }
    }
    return jobs_check_absent(args);
}

/* Reads the baseline, if there is one, before the program runs. */
static int read_baseline(struct stat_options *o)
{
    int status = o->baseline == NULL ? CLI_YES : result_read(&o->before, o->job.verb, o->baseline);

    return status == CLI_YES ? compare_limits_check(&o->limits, o->job.verb, &o->job.selection) : status;
}

static int parse(const struct cli_args *args, struct stat_options *o)
{
    const struct cli_verb *verb = args->verb;
    bool json = false;
    int status = parse_options(args, o, &json);

    if (status == CLI_YES && o->list_engines && args->operands[0] != NULL) {
        cli_complain(verb, "%s: --engine=help lists the engines and runs no program; give one of the two",
                     args->operands[0]);
        return CLI_USAGE;
    }
    if (status != CLI_YES || o->list_engines || o->list_formats) {
        return status;
    }
    status = check_options(args, o, json);
    if (status != CLI_YES) {
        return status;
    }
    o->job.verb = verb;
    o->job.argv = args->operands;
    o->job.variables = o->variables.list;
    if (o->job.engine == NULL) {
        o->job.engine = engine_choose(&o->job);
    }
    o->printer.format = json                           ? PRINT_JSON
                        : o->timeline                  ? PRINT_REMARKS
                        : o->printer.separator != NULL ? PRINT_FIELDS
                                                       : PRINT_TEXT;
    o->printer.intervals = o->interval_ms != 0;
    o->printer.job = &o->job;
    o->printer.metrics = &o->metrics;
    status = o->job.engine->check(&o->job);
    if (status == CLI_YES) {
        status = choose(args, o);
    }
    return status == CLI_YES ? read_baseline(o) : status;
}

int cli_stat(const struct cli_args *args)
{
    struct stat_options o = {.runs = 1};
    int status;

    if (jobs_wanted(args)) {
        return jobs_conduct(args);
    }
    status = parse(args, &o);

    if (status == CLI_YES && o.list_engines) {
        for (size_t i = 0; engine_list[i] != NULL; i++) {
            printf("%s\n", engine_list[i]->name);
        }
        status = cli_flush(args->verb, stdout, "stdout", CLI_YES);
    } else if (status == CLI_YES && !o.list_formats) {
        status = runs_conduct(&o);
    }
    result_free(&o.before);
    compare_limits_free(&o.limits);
    variables_free(&o.variables);
    metrics_free(&o.metrics);
    select_free(&o.job.selection);
    return status;
}
