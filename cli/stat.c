/* SPDX-License-Identifier: BSD-2-Clause */
/* armpmu stat: an engine counts while a program runs, and this prints. */
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

#include "count/engine.h"
#include "count/print.h"

#define INTERVAL_MAX_MS 3600000
#define NS_PER_MS UINT64_C(1000000)

static const struct engine *const engines[] = {&perf_engine, &emulator_engine}; /* auto takes the first that is here */
#define ENGINES (sizeof engines / sizeof engines[0])

struct stat_options {
    struct count_job job;
    struct printer printer;
    const char *output;   /* NULL: stderr */
    unsigned interval_ms; /* 0: none */
    bool append, list_engines;
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
        cli_complain(verb, "option --interval-print: %s is no interval; give milliseconds, 1 to %d", text,
                     INTERVAL_MAX_MS);
        return CLI_USAGE;
    }
    *ms = (unsigned)value;
    return CLI_YES;
}

/* @origin is where @name was given. */
static int parse_engine(const struct cli_verb *verb, const char *origin, const char *name, struct stat_options *r)
{
    r->list_engines = strcmp(name, "help") == 0;
    r->job.engine = NULL;
    if (r->list_engines || strcmp(name, "auto") == 0) {
        return CLI_YES;
    }
    for (size_t i = 0; i < ENGINES; i++) {
        if (strcmp(name, engines[i]->name) == 0) {
            r->job.engine = engines[i];
            return CLI_YES;
        }
    }
    cli_complain(verb, "%s: no engine is named %s; --engine=help lists them", origin, name);
    return CLI_USAGE;
}

/* What only one of them can do chooses it; otherwise this machine does. */
static const struct engine *choose_engine(const struct count_job *job)
{
    size_t i = 0;

    if (job->all_cpus || job->pids != NULL || job->tids != NULL) {
        return &perf_engine;
    }
    if (job->el0 || job->sysroot != NULL) {
        return &emulator_engine;
    }
    while (i + 1 < ENGINES && !engines[i]->is_here()) {
        i++;
    }
    return engines[i];
}

static int parse_separator(const struct cli_verb *verb, const char *text, struct printer *p)
{
    if (strcmp(text, "\\t") == 0) {
        text = "\t";
    }
    if (text[0] == '\0' || strchr(text, '\n') != NULL) {
        cli_complain(verb, "option --field-separator: %s; give a text like , or \\t",
                     text[0] == '\0' ? "it is empty" : "it has a newline");
        return CLI_USAGE;
    }
    p->separator = text;
    return CLI_YES;
}

/* The engine's usual events that it has here. */
static int select_usual(struct count_job *job)
{
    char *copy = strcpy(cli_allocate(NULL, strlen(job->engine->usual) + 1, 1), job->engine->usual);
    char *rest = copy, *name;
    int status = CLI_YES;

    while (status == CLI_YES && (name = strsep(&rest, ",")) != NULL) {
        if (job->engine->has((uint16_t)apmu_event_parse(name))) {
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
    return status == CLI_YES && job->selection.count == 0 ? select_usual(job) : status;
}

static int parse_options(const struct cli_args *args, struct stat_options *r, bool *json)
{
    const struct cli_verb *verb = args->verb;
    const char *engine = getenv("ARMPMU_ENGINE");
    int status = CLI_YES;

    if (engine != NULL && engine[0] != '\0') {
        status = parse_engine(verb, "ARMPMU_ENGINE", engine, r);
    }
    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        const char *value = args->given[i].value;

        switch (args->given[i].id) {
        case CLI_SEPARATOR: status = parse_separator(verb, value, &r->printer); break;
        case CLI_INTERVAL: status = parse_interval(verb, value, &r->interval_ms); break;
        case CLI_ENGINE: status = parse_engine(verb, "option --engine", value, r); break;
        case CLI_JSON: *json = true; break;
        case CLI_OUTPUT: r->output = value; break;
        case CLI_APPEND: r->append = true; break;
        case CLI_EL0: r->job.el0 = true; break;
        case CLI_SYSROOT: r->job.sysroot = value; break;
        case CLI_VERBOSE: r->printer.verbose = true; break;
        case CLI_ALL_CPUS: r->job.all_cpus = true; break;
        case CLI_PID: r->job.pids = value; break;
        case CLI_TID: r->job.tids = value; break;
        default: break;
        }
    }
    return status;
}

static int parse_request(const struct cli_args *args, struct stat_options *r)
{
    const struct cli_verb *verb = args->verb;
    bool json = false;
    int status = parse_options(args, r, &json);

    if (status != CLI_YES || r->list_engines) {
        return status;
    }
    if (json && r->printer.separator != NULL) {
        cli_complain(verb, "options -j and -x: both choose the form of the results; give one of them");
        return CLI_USAGE;
    }
    if (r->append && r->output == NULL) {
        cli_complain(verb, "option --append: there is no file to append to; give -o FILE too");
        return CLI_USAGE;
    }
    r->job.verb = verb;
    r->job.argv = args->operands;
    if (r->job.engine == NULL) {
        r->job.engine = choose_engine(&r->job);
    }
    r->printer.format = json ? FORMAT_JSON : r->printer.separator != NULL ? FORMAT_FIELDS : FORMAT_TEXT;
    r->printer.intervals = r->interval_ms != 0;
    r->printer.job = &r->job;
    status = r->job.engine->check(&r->job);
    return status == CLI_YES ? parse_events(args, &r->job) : status;
}

/* Opens what the results go to, before the program starts. */
static int open_output(const struct cli_verb *verb, struct stat_options *r)
{
    const time_t now = time(NULL);
    char date[64] = "";

    r->printer.out = stderr;
    if (r->output == NULL) {
        /* Closed by the caller (cli_reserve_descriptors()): nobody would see the counts, nor a complaint. */
        return (fcntl(STDERR_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY ? CLI_CANNOT : CLI_YES;
    }
    r->printer.out = fopen(r->output, r->append ? "ae" : "we");
    if (r->printer.out == NULL) {
        cli_complain(verb, "%s: cannot be written: %s; choose another file for -o", r->output, strerror(errno));
        return CLI_CANNOT;
    }
    if (r->printer.format != FORMAT_JSON) { /* as perf stat -o; lines of JSON have no comments */
        strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y", localtime(&now));
        fprintf(r->printer.out, "# started on %s\n\n", date);
    }
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Signals.  Handlers, and not SIG_IGN: exec() gives the program the default back.
 */

static volatile sig_atomic_t program_pid, pending_signal;

static void pass_on(int signal_number)
{
    const int saved = errno;

    if (program_pid > 0) {
        kill((pid_t)program_pid, signal_number);
    } else {
        pending_signal = signal_number; /* the program starts now: passed on when it has */
    }
    errno = saved;
}

/* A terminal sends these to the program too. */
static void leave_to_program(int signal_number)
{
    if (program_pid == 0 && signal_number != SIGPIPE) {
        pending_signal = signal_number;
    }
}

static void handle_signals(void)
{
    static const struct {
        int number;
        void (*handler)(int);
    } signals[] = {
        {SIGINT, leave_to_program}, {SIGQUIT, leave_to_program}, {SIGPIPE, leave_to_program},
        {SIGTERM, pass_on}, {SIGHUP, pass_on},
    };

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction old, new = {.sa_handler = signals[i].handler, .sa_flags = SA_RESTART};

        sigemptyset(&new.sa_mask);
        if (sigaction(signals[i].number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) { /* nohup */
            sigaction(signals[i].number, &new, NULL);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counting.
 */

struct counting {
    void *run;
    struct tally *tallies, *printed; /* of the selection: now, and when it was last printed */
};

static int print_now(const struct stat_options *r, struct counting *c, uint64_t at_ns)
{
    const int status = r->job.engine->read(c->run, at_ns, c->tallies);

    for (size_t i = 0; i < r->job.selection.count && status == CLI_YES; i++) {
        struct tally *now = &c->tallies[i], *before = &c->printed[i];
        const struct tally since = {.count = now->count - before->count, .enabled = now->enabled - before->enabled,
                                    .running = now->running - before->running,
                                    .missed = now->missed - before->missed,
                                    .counted = now->counted && (before->running == 0 || now->running != before->running)};

        *before = *now;
        *now = since;
    }
    if (status == CLI_YES) {
        print_counts(&r->printer, c->tallies, at_ns);
    }
    return status;
}

/* As perf stat says it, before the counts. */
static void say_signal(const struct apmu_run_status *st, const char *program)
{
    if (WIFSIGNALED(st->wait_status)) {
        cli_print(stderr, program, strlen(program));
        fprintf(stderr, ": %s\n", strsignal(WTERMSIG(st->wait_status)));
    }
}

/* Prints until the program has ended.  Fills @st. */
static int watch(const struct stat_options *r, struct counting *c, struct apmu_run_status *st)
{
    const uint64_t step_ns = r->interval_ms * NS_PER_MS;
    const struct engine *engine = r->job.engine;
    uint64_t next_ns = step_ns;
    int status = CLI_YES;

    if (r->interval_ms == 0) {
        engine->wait(c->run, -1, st);
        say_signal(st, r->job.argv[0]);
        print_begin(&r->printer);
        return print_now(r, c, st->elapsed_ns);
    }
    print_begin(&r->printer);
    engine->wait(c->run, 0, st);
    for (;;) {
        while (!st->ended && st->elapsed_ns < next_ns) {
            engine->wait(c->run, (int)((next_ns - st->elapsed_ns + NS_PER_MS - 1) / NS_PER_MS), st);
        }
        if (st->ended) {
            say_signal(st, r->job.argv[0]);
        }
        if (status == CLI_YES) {
            status = print_now(r, c, st->elapsed_ns);
            fflush(r->printer.out);
        }
        if (st->ended) {
            return status;
        }
        next_ns = (st->elapsed_ns / step_ns + 1) * step_ns;
    }
}

static int count(struct stat_options *r, struct counting *c)
{
    struct apmu_run_status st = {0};
    int status = CLI_YES;

    handle_signals();
    r->job.signalled = &pending_signal;
    c->run = r->job.engine->begin(&r->job, &status);
    if (c->run == NULL) {
        return status;
    }
    program_pid = r->job.engine->pid(c->run);
    if (pending_signal != 0 && program_pid != 0) {
        pass_on(pending_signal);
    }
    status = watch(r, c, &st);
    r->job.engine->wait(c->run, 0, &st); /* with what the last reading told */
    program_pid = 0;
    if (status == CLI_YES) {
        status = WIFSIGNALED(st.wait_status) ? CLI_SIGNALLED + WTERMSIG(st.wait_status) : WEXITSTATUS(st.wait_status);
        print_end(&r->printer, &st);
        status = cli_flush(r->job.verb, r->printer.out, r->output == NULL ? "stderr" : r->output, status);
    }
    r->job.engine->end(c->run);
    return status;
}

static int prepare_and_count(struct stat_options *r)
{
    struct counting c = {.tallies = cli_allocate(NULL, r->job.selection.count, sizeof *c.tallies),
                         .printed = cli_allocate(NULL, r->job.selection.count, sizeof *c.printed)};
    int status = open_output(r->job.verb, r);

    if (status == CLI_YES) {
        status = count(r, &c);
    }
    free(c.tallies);
    free(c.printed);
    if (r->printer.out != NULL && r->printer.out != stderr && fclose(r->printer.out) != 0) {
        cli_complain(r->job.verb, "%s: the results could not be written: %s; make room", r->output, strerror(errno));
        status = CLI_CANNOT;
    }
    return status;
}

int cli_stat(const struct cli_args *args)
{
    struct stat_options r = {.output = NULL};
    int status = parse_request(args, &r);

    if (status == CLI_YES && r.list_engines) {
        for (size_t i = 0; i < ENGINES; i++) {
            printf("%s\n", engines[i]->name);
        }
        status = cli_flush(args->verb, stdout, "stdout", CLI_YES);
    } else if (status == CLI_YES) {
        status = prepare_and_count(&r);
    }
    select_free(&r.job.selection);
    return status;
}
