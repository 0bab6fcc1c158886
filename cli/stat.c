/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu stat`: parses the command line, has an engine count while a program runs, and prints the counts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <armpmu/events.h>

#include "count/core.h"
#include "count/engine.h"
#include "count/print.h"
#include "count/signals.h"

#define INTERVAL_MAX_MS 3600000
#define NS_PER_MS UINT64_C(1000000)

struct stat_options {
    struct count_job job;
    struct printer printer;
    struct metrics metrics;
    const char *output;   /* NULL: stderr */
    unsigned interval_ms; /* 0: print once, at the end */
    bool append;          /* append to the output */
    bool list_engines;    /* list the engines and exit */
    struct apmu_core_row core;
};

/* ---------------------------------------------------------------------------------------------------------------
 * The command line.
 */

static int parse_interval(const struct cli_verb *verb, const char *text, unsigned *ms)
{
    char *end;
    unsigned long value;

    errno = 0;
    value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < 1 || value > INTERVAL_MAX_MS) {
        cli_complain(verb, "--interval-print: %s is not an interval; give milliseconds, 1 to %d", text,
                     INTERVAL_MAX_MS);
        return CLI_USAGE;
    }
    *ms = (unsigned)value;
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

/* Selects those of the engine's usual events that it supports here. */
static int select_usual(struct count_job *job)
{
    const char *usual = job->engine->usual(&job->selection);
    char *copy = strcpy(cli_allocate(NULL, strlen(usual) + 1, 1), usual);
    char *rest = copy, *name;
    int status = CLI_YES;

    while (status == CLI_YES && (name = strsep(&rest, ",")) != NULL) {
        if (job->engine->supports(&job->selection, (uint16_t)apmu_event_parse(name))) {
            status = select_events(&job->selection, job->verb, job->engine, name);
        }
    }
    free(copy);
    return status;
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
        status = select_usual(&o->job);
    }
    if (status == CLI_YES) {
        metrics_bind(&o->metrics, &o->job);
    }
    return status;
}

/* Models the core @name, or that of a file if @is_file. */
static int parse_core(const struct cli_verb *verb, const char *name, bool is_file, struct stat_options *o)
{
    struct selection *s = &o->job.selection;
    int status;

    if (s->core != NULL) {
        cli_complain(verb, "--core, --core-file: more than one core is given; give one of them, once");
        return CLI_USAGE;
    }
    status = is_file ? core_by_file(verb, name, &o->core) : core_by_name(verb, name, &o->core);
    s->core = &o->core;
    snprintf(s->core_mark, sizeof s->core_mark, "modelled:%s", status == CLI_YES ? o->core.name : "");
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
        case CLI_CORE: status = parse_core(verb, value, false, o); break;
        case CLI_CORE_FILE: status = parse_core(verb, value, true, o); break;
        case CLI_OUTPUT: o->output = value; break;
        case CLI_APPEND: o->append = true; break;
        case CLI_EL0: o->job.el0 = true; break;
        case CLI_SYSROOT: o->job.sysroot = value; break;
        case CLI_VERBOSE: o->printer.verbose = true; break;
        case CLI_ALL_CPUS: o->job.all_cpus = true; break;
        case CLI_PID: o->job.pids = value; break;
        case CLI_TID: o->job.tids = value; break;
        default: break;
        }
    }
    return status;
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
    if (status != CLI_YES || o->list_engines) {
        return status;
    }
    if (json && o->printer.separator != NULL) {
        cli_complain(verb, "--json-output, --field-separator: both choose the form of the results; give one of them");
        return CLI_USAGE;
    }
    if (o->append && o->output == NULL) {
        cli_complain(verb, "--append: there is no file to append to; give -o FILE too");
        return CLI_USAGE;
    }
    o->job.verb = verb;
    o->job.argv = args->operands;
    if (o->job.engine == NULL) {
        o->job.engine = engine_choose(&o->job);
    }
    o->printer.format = json ? PRINT_JSON : o->printer.separator != NULL ? PRINT_FIELDS : PRINT_TEXT;
    o->printer.intervals = o->interval_ms != 0;
    o->printer.job = &o->job;
    o->printer.metrics = &o->metrics;
    status = o->job.engine->check(&o->job);
    return status == CLI_YES ? choose(args, o) : status;
}

/* Opens the output, before the program starts.  If stderr is closed, returns CLI_CANNOT without a complaint. */
static int open_output(const struct cli_verb *verb, struct stat_options *o)
{
    const time_t now = time(NULL);
    char date[64] = "";

    o->printer.out = stderr;
    if (o->output == NULL) {
        /* cli_reserve_descriptors() opens it read-only if it was closed: nobody would see counts or a complaint. */
        return (fcntl(STDERR_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY ? CLI_CANNOT : CLI_YES;
    }
    o->printer.out = fopen(o->output, o->append ? "ae" : "we");
    if (o->printer.out == NULL) {
        cli_complain(verb, "%s: cannot be written: %s; choose another file for -o", o->output, strerror(errno));
        return CLI_CANNOT;
    }
    if (o->printer.format != PRINT_JSON) { /* perf stat -o writes this line too; JSON has no comments */
        strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", localtime(&now));
        fprintf(o->printer.out, "# started on %s\n\n", date);
    }
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counting.
 */

struct counting {
    void *run;
    struct tally *tallies; /* one for each event of the selection */
    struct tally *printed; /* the tallies when they were last printed */
    uint64_t printed_ns;   /* the time when they were last printed */
    bool begun;            /* the heading is printed */
};

/* Reads the counts @at_ns after the start, and prints how much they grew since they were last printed. */
static int print_now(const struct stat_options *o, struct counting *c, uint64_t at_ns)
{
    const int status = o->job.engine->read(c->run, at_ns, c->tallies);

    for (size_t i = 0; i < o->job.selection.count && status == CLI_YES; i++) {
        struct tally *now = &c->tallies[i], *before = &c->printed[i];
        const bool ran = before->running_ns == 0 || now->running_ns != before->running_ns;
        const struct tally since = {.count = now->count - before->count,
                                    .enabled_ns = now->enabled_ns - before->enabled_ns,
                                    .running_ns = now->running_ns - before->running_ns,
                                    .missed_ns = now->missed_ns - before->missed_ns,
                                    .counted = now->counted && ran};

        *before = *now;
        *now = since;
    }
    if (status == CLI_YES) {
        if (!c->begun) {
            print_begin(&o->printer);
            c->begun = true;
        }
        print_counts(&o->printer, c->tallies, at_ns, at_ns - c->printed_ns);
        c->printed_ns = at_ns;
    }
    return status;
}

/* Prints the counts at each interval until what is counted has ended, and then once more.  Fills @st. */
static int watch(const struct stat_options *o, struct counting *c, struct count_status *st)
{
    const uint64_t step_ns = o->interval_ms * NS_PER_MS;
    const struct engine *engine = o->job.engine;
    uint64_t next_ns = step_ns;
    int status = CLI_YES;

    if (o->interval_ms == 0) {
        engine->wait(c->run, -1, st);
        signals_print(st->wait_status, o->job.argv[0]);
        return print_now(o, c, st->elapsed_ns);
    }
    engine->wait(c->run, 0, st);
    for (;;) {
        while (!st->ended && st->elapsed_ns < next_ns) {
            engine->wait(c->run, (int)((next_ns - st->elapsed_ns + NS_PER_MS - 1) / NS_PER_MS), st);
        }
        if (st->ended) {
            signals_print(st->wait_status, o->job.argv[0]);
        }
        if (status == CLI_YES) {
            status = print_now(o, c, st->elapsed_ns);
            fflush(o->printer.out);
        }
        if (st->ended) {
            return status;
        }
        next_ns = (st->elapsed_ns / step_ns + 1) * step_ns;
    }
}

/* Runs the engine from its begin() to its end().  Returns the exit status: the program's own, if it was counted. */
static int count(struct stat_options *o, struct counting *c)
{
    struct count_status st = {0};
    int status = CLI_YES;

    signals_handle();
    o->job.signalled = &signals_pending;
    c->run = o->job.engine->begin(&o->job, &status);
    if (c->run == NULL) {
        return status;
    }
    signals_begin(o->job.engine->pid(c->run));
    status = watch(o, c, &st);
    o->job.engine->wait(c->run, 0, &st); /* again: reading may have added remarks */
    signals_end();
    if (status == CLI_YES) {
        status = WIFSIGNALED(st.wait_status) ? CLI_SIGNALLED + WTERMSIG(st.wait_status) : WEXITSTATUS(st.wait_status);
        print_end(&o->printer, &st);
        status = cli_flush(o->job.verb, o->printer.out, o->output == NULL ? "stderr" : o->output, status);
    }
    o->job.engine->end(c->run);
    return status;
}

static int prepare_and_count(struct stat_options *o)
{
    struct counting c = {.tallies = cli_allocate(NULL, o->job.selection.count, sizeof *c.tallies),
                         .printed = cli_allocate(NULL, o->job.selection.count, sizeof *c.printed)};
    int status = open_output(o->job.verb, o);

    if (status == CLI_YES) {
        status = count(o, &c);
    }
    free(c.tallies);
    free(c.printed);
    if (o->printer.out != NULL && o->printer.out != stderr && fclose(o->printer.out) != 0) {
        cli_complain(o->job.verb, "%s: the results could not be written: %s; make room", o->output, strerror(errno));
        status = CLI_CANNOT;
    }
    return status;
}

int cli_stat(const struct cli_args *args)
{
    struct stat_options o = {.output = NULL};
    int status = parse(args, &o);

    if (status == CLI_YES && o.list_engines) {
        for (size_t i = 0; engine_list[i] != NULL; i++) {
            printf("%s\n", engine_list[i]->name);
        }
        status = cli_flush(args->verb, stdout, "stdout", CLI_YES);
    } else if (status == CLI_YES) {
        status = prepare_and_count(&o);
    }
    metrics_free(&o.metrics);
    select_free(&o.job.selection);
    return status;
}
