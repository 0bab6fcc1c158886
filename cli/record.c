/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu record`: runs a program, and writes what it counted, by instruction, to a file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "count/core.h"
#include "count/print.h"
#include "count/signals.h"
#include "count/variables.h"
#include "profile/recorder.h"

#define DEFAULT_FILE "armpmu.data"
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_SECOND UINT64_C(1000000000)
#define PROGRESS_MS 1000     /* between lines of progress */
#define LONGEST_INTERVAL 30u /* seconds between states of the file */
#define SAMPLED_CORE "cortex-a72" /* counts samples of events that are the same on each core */
#define FASTEST_CLOCK 1e12 /* Hz */
#define SHARE 20u            /* a state is written at most for one part in SHARE of the time */

struct record_options {
    struct count_job job;
    const struct recorder *recorder;
    const char *output;
    struct variables variables;
    struct apmu_core_row core;
};

/* A recording under way. */
struct record_run {
    const struct record_options *options;
    void *run; /* the recorder's */
    struct count_status status;
    uint64_t next_ns, step_ns; /* when the next state of the file is written, and the time from there to another one */
    bool complained;           /* that the file cannot be written */
    bool shows;                /* stderr is a terminal: progress is shown */
};

/* ---------------------------------------------------------------------------------------------------------------
 * The command line.
 */

/* Parses @text, a number from 1 on, of @option into *@number.  @unit and @example are for the complaint. */
static int parse_number(const struct cli_verb *verb, const char *option, const char *text, const char *unit,
                        const char *example, uint64_t *number)
{
    if (!cli_decimal(text, 1, UINT64_MAX, number)) {
        cli_complain(verb, "%s: %s: no number of %s; give one from 1 on, such as %s %s", option, text, unit, option,
                     example);
        return CLI_USAGE;
    }
    return CLI_YES;
}

/* Parses @text, "1.5GHz" or a number of cycles in a second, into *@clock. */
static int parse_clock(const struct cli_verb *verb, const char *text, uint64_t *clock)
{
    static const struct {
        const char *name;
        double hertz;
    } units[] = {{"", 1}, {"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
    char *end;
    const double number = strtod(text, &end);

    for (size_t i = 0; i < sizeof units / sizeof units[0] && text[0] >= '0' && text[0] <= '9'; i++) {
        const double hertz = number * units[i].hertz;

        if (strcasecmp(end, units[i].name) == 0 && hertz >= 1 && hertz <= FASTEST_CLOCK) {
            *clock = (uint64_t)hertz;
            return CLI_YES;
        }
    }
    cli_complain(verb, "--clock: %s: no clock from 1 Hz to 1000 GHz; give one such as --clock 1.5GHz", text);
    return CLI_USAGE;
}

/* Chooses what records: the emulator, unless the options ask for perf_event.  @name is that of --engine, or NULL. */
static int choose_recorder(const struct cli_verb *verb, const char *name, struct record_options *o)
{
    static const struct recorder *const recorders[] = {&collect_recorder, &sample_recorder};

    o->recorder = name == NULL && perf_engine.is_asked_for(&o->job) ? &sample_recorder : &collect_recorder;
    for (size_t i = 0; name != NULL; i++) {
        if (i == sizeof recorders / sizeof recorders[0]) {
            cli_complain(verb, "--engine: no engine is named %s; there are qemu-user and perf", name);
            return CLI_USAGE;
        }
        if (strcmp(recorders[i]->engine->name, name) == 0) {
            o->recorder = recorders[i];
            break;
        }
    }
    o->job.engine = o->recorder->engine;
    return CLI_YES;
}

/* Returns CLI_YES if the options agree with each other and with what records, or the exit status after a complaint. */
static int check_options(const struct cli_verb *verb, struct record_options *o)
{
    int status = CLI_USAGE;

    o->job.selection.sampled = o->job.period != 0 || o->job.frequency != 0;
    if (o->variables.count != 0 && !o->job.deterministic) {
        cli_complain(verb, "--env: without --deterministic the program has the environment of armpmu; set the variable "
                           "there");
    } else if (o->job.frequency != 0 && o->job.period != 0) {
        cli_complain(verb, "-c, -F: a period is either fixed or adapts to a frequency; give one of the two");
    } else {
        status = o->job.engine->check(&o->job);
        status = status == CLI_YES ? o->recorder->check(&o->job) : status;
    }
    return status;
}

/* Adds the events of --event, or the usual one.  The core that counts some is known. */
static int choose(const struct cli_args *args, struct record_options *o)
{
    struct selection *s = &o->job.selection;
    int status = CLI_YES;

    if (s->sampled && s->core == NULL && o->recorder == &collect_recorder) {
        status = core_by_name(args->verb, SAMPLED_CORE, &o->core);
        s->core = &o->core;
    }
    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        if (args->given[i].id == CLI_EVENT) {
            status = select_events(s, args->verb, o->job.engine, args->given[i].value);
        }
    }
    if (status == CLI_YES && s->count == 0) {
        status = select_events(s, args->verb, o->job.engine, o->recorder->usual);
    }
    return status;
}

static int parse(const struct cli_args *args, struct record_options *o)
{
    struct selection *s = &o->job.selection;
    const char *engine = NULL;
    int status = CLI_YES;

    o->job.verb = args->verb;
    o->job.argv = args->operands;
    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        const char *value = args->given[i].value;

        switch (args->given[i].id) {
        case CLI_CORE: status = core_choose(args->verb, value, false, s, &o->core); break;
        case CLI_CORE_FILE: status = core_choose(args->verb, value, true, s, &o->core); break;
        case CLI_PERIOD:
            status = parse_number(args->verb, "-c", value, "occurrences", "10000", &o->job.period);
            break;
        case CLI_FREQUENCY:
            status = parse_number(args->verb, "-F", value, "samples in a second", "1000", &o->job.frequency);
            break;
        case CLI_CLOCK: status = parse_clock(args->verb, value, &o->job.clock); break;
        case CLI_ENGINE: engine = value; break;
        case CLI_ALL_CPUS: o->job.all_cpus = true; break;
        case CLI_PID: o->job.pids = value; break;
        case CLI_TID: o->job.tids = value; break;
        case CLI_OUTPUT: o->output = value; break;
        case CLI_CALL_GRAPH: o->job.call_graph = true; break;
        case CLI_SYSROOT: o->job.sysroot = value; break;
        case CLI_DETERMINISTIC: o->job.deterministic = true; break;
        case CLI_ENV: status = variables_add(&o->variables, args->verb, value); break;
        default: break;
        }
    }
    o->job.variables = o->variables.list;
    if (status == CLI_YES) {
        status = choose_recorder(args->verb, engine, o);
    }
    if (status == CLI_YES) {
        status = check_options(args->verb, o);
    }
    return status == CLI_YES ? choose(args, o) : status;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The file.
 */

/* Returns CLI_YES if the file may be replaced: there is none, it is empty, or a recording.  Else complains. */
static int check_file(const struct record_options *o)
{
    char magic[sizeof RECORDING_MAGIC - 1];
    struct stat st;
    const int fd = open(o->output, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd < 0 && errno == ENOENT) {
        return CLI_YES;
    }
    const bool fine = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                      (st.st_size == 0 || (read(fd, magic, sizeof magic) == (ssize_t)sizeof magic &&
                                           memcmp(magic, RECORDING_MAGIC, sizeof magic) == 0));

    if (!fine) {
        cli_complain(o->job.verb, "%s: %s; choose another file for -o", o->output,
                     fd < 0 ? strerror(errno) : "it exists and is no recording, so it is not replaced");
    }
    if (fd >= 0) {
        close(fd);
    }
    return fine ? CLI_YES : CLI_CANNOT;
}

/* Writes @r to the file, and frees it.  Returns CLI_YES, or CLI_CANNOT after a complaint. */
static int write_file(const struct record_options *o, struct recording *r)
{
    struct recording_refusal no;
    const bool written = recording_write(r, o->output, &no);

    recording_free(r);
    if (!written) {
        cli_complain(o->job.verb, "%s", no.text);
    }
    return written ? CLI_YES : CLI_CANNOT;
}

/* Returns the time now, in nanoseconds. */
static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_SECOND + (uint64_t)t.tv_nsec;
}

/* Writes the present state to the file, and decides when to do so again.  Only the first failure is told. */
static void write_state(struct record_run *run)
{
    const uint64_t begun = now_ns();
    int status = CLI_YES;
    struct recording *r = run->complained ? NULL : run->options->recorder->read(run->run, &status);

    if (r != NULL) {
        status = write_file(run->options, r);
    }
    run->complained |= status != CLI_YES;
    run->step_ns = run->step_ns * 2 < LONGEST_INTERVAL * NS_PER_SECOND ? run->step_ns * 2
                                                                       : LONGEST_INTERVAL * NS_PER_SECOND;
    const uint64_t took = now_ns() - begun;

    run->next_ns = run->status.elapsed_ns + (took * SHARE > run->step_ns ? took * SHARE : run->step_ns);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Progress.
 */

/* Returns the size of the file in MB. */
static double megabytes(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? (double)st.st_size / 1e6 : 0;
}

/* Shows, on a terminal, how far the run is: on a line that is written over. */
static void show_progress(const struct record_run *run)
{
    if (run->shows) {
        const struct recorder *recorder = run->options->recorder;

        fprintf(stderr, "\r\033[Karmpmu record: %.0f s, %.0f %s, %.1f MB in ", (double)run->status.elapsed_ns / 1e9,
                recorder->progress(run->run), recorder->unit, megabytes(run->options->output));
        cli_print(stderr, run->options->output, strlen(run->options->output));
        fflush(stderr);
    }
}

/* Clears the line of progress. */
static void clear_progress(const struct record_run *run)
{
    if (run->shows) {
        fputs("\r\033[K", stderr);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Recording.
 */

/* Waits until the program ends, and writes states of the file meanwhile. */
static void watch(struct record_run *run)
{
    const uint64_t step = PROGRESS_MS * NS_PER_MS;
    uint64_t shown_ns = 0;

    run->options->recorder->wait(run->run, 0, &run->status);
    while (!run->status.ended) {
        const uint64_t at = run->status.elapsed_ns;
        const uint64_t next = run->shows && shown_ns + step < run->next_ns ? shown_ns + step : run->next_ns;

        if (at < next) {
            run->options->recorder->wait(run->run, (int)((next - at) / NS_PER_MS + 1), &run->status);
            continue;
        }
        if (at >= run->next_ns) {
            write_state(run);
        }
        if (run->shows && at >= shown_ns + step) {
            show_progress(run);
            shown_ns = at;
        }
    }
}

/* Writes the whole recording, when the program has ended.  Returns the exit status. */
static int finish(struct record_run *run)
{
    const struct record_options *o = run->options;
    int status;
    struct recording *r = run->options->recorder->read(run->run, &status);

    if (r == NULL) {
        return status;
    }
    const size_t rows = r->code_count;

    print_remarks(stderr, "armpmu: remark:", r->remarks);
    status = write_file(o, r);
    if (status == CLI_YES && run->shows) {
        fprintf(stderr, "armpmu record: %.3f s, %zu instructions' counts, %.1f MB in ",
                (double)run->status.elapsed_ns / 1e9, rows, megabytes(o->output));
        cli_print(stderr, o->output, strlen(o->output));
        fputc('\n', stderr);
    }
    return status;
}

/* Waits for the program, and writes the recording.  Returns the exit status: the program's own, if it was recorded. */
static int follow(struct record_run *run)
{
    run->shows = isatty(STDERR_FILENO);
    signals_begin(run->options->recorder->pid(run->run));
    watch(run);
    signals_end();
    clear_progress(run);
    signals_print(run->status.wait_status, run->options->job.argv[0]);
    const int status = finish(run), how = run->status.wait_status;

    if (status != CLI_YES) {
        return status;
    }
    return WIFSIGNALED(how) ? CLI_SIGNALLED + WTERMSIG(how) : WEXITSTATUS(how);
}

/* Writes a file without counts before the program starts: later a complaint would come too late. */
static int record(struct record_options *o)
{
    struct record_run run = {.options = o, .step_ns = NS_PER_SECOND, .next_ns = NS_PER_SECOND};
    int status = CLI_YES;

    signals_handle();
    run.run = o->recorder->begin(&o->job, &status);
    if (run.run == NULL) {
        return status;
    }
    struct recording *nothing = o->recorder->nothing(run.run);

    status = nothing != NULL ? write_file(o, nothing) : CLI_CANNOT;
    if (status == CLI_YES) {
        status = o->recorder->start(run.run);
        if (status != CLI_YES) {
            unlink(o->output);
        }
    }
    if (status == CLI_YES) {
        status = follow(&run);
    }
    o->recorder->end(run.run);
    return status;
}

int cli_record(const struct cli_args *args)
{
    struct record_options o = {.output = DEFAULT_FILE};
    int status = parse(args, &o);

    if (status == CLI_YES) {
        status = check_file(&o);
    }
    if (status == CLI_YES) {
        o.job.signalled = &signals_pending;
        status = record(&o);
    }
    select_free(&o.job.selection);
    variables_free(&o.variables);
    return status;
}
