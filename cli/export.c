/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu export`: counts as long as it runs, and gives the counts to Prometheus. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "count/engine.h"
#include "count/metrics.h"
#include "count/signals.h"
#include "export/cgroups.h"
#include "export/expose.h"
#include "export/gather.h"
#include "export/serve.h"
#include "export/textfile.h"

#define DEFAULT_ADDRESS "127.0.0.1:9876"
#define DEFAULT_INTERVAL_S 10
#define INTERVAL_MAX_S 3600
#define LONGEST_WAIT_MS 500 /* a signal that comes just before a wait is seen after it */

struct exporter {
    struct count_job job;
    struct metrics metrics;
    const char *address;  /* NULL: no server */
    const char *textfile; /* NULL: none */
    unsigned interval_s;
    const char **patterns; /* of cgroups */
    size_t pattern_count;
    struct gather gather;
    int status; /* of the last reading that a request asked for */
};

/* ---------------------------------------------------------------------------------------------------------------
 * The command line.
 */

static int parse_interval(const struct cli_verb *verb, const char *text, unsigned *seconds)
{
    uint64_t value;

    if (!cli_decimal(text, 1, INTERVAL_MAX_S, &value)) {
        cli_complain(verb, "--interval: %s is not an interval; give seconds, 1 to %d", text, INTERVAL_MAX_S);
        return CLI_USAGE;
    }
    *seconds = (unsigned)value;
    return CLI_YES;
}

/* Checks what is to be counted, and has the engine check it. */
static int check(const struct cli_args *args, struct exporter *x)
{
    if (args->operands[0] != NULL) {
        cli_complain(args->verb, "%s: export takes no operand; for a program there is armpmu stat", args->operands[0]);
        return CLI_USAGE;
    }
    if (x->job.all_cpus + (x->job.pids != NULL) + (x->pattern_count != 0) > 1) {
        cli_complain(args->verb, "--all-cpus, --cgroup, --pid: they exclude each other; give one of them");
        return CLI_USAGE;
    }
    x->job.all_cpus = x->job.pids == NULL && x->pattern_count == 0;
    x->job.cgroup = x->pattern_count != 0 ? x->patterns[0] : NULL; /* for the engine's check */
    if (x->job.engine == NULL) {
        x->job.engine = engine_choose(&x->job);
    }
    if (x->job.all_cpus && x->job.engine->read_cpus == NULL) {
        cli_complain(args->verb, "engine %s: it tells no CPUs apart; choose another engine", x->job.engine->name);
        return CLI_CANNOT;
    }
    return x->job.engine->check(&x->job);
}

/* Selects the events of --event and --metrics, or else the usual ones. */
static int choose_events(const struct cli_args *args, struct exporter *x)
{
    int status = CLI_YES;

    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        if (args->given[i].id == CLI_EVENT) {
            status = select_events(&x->job.selection, args->verb, x->job.engine, args->given[i].value);
        }
    }
    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        if (args->given[i].id == CLI_METRICS) {
            status = metrics_choose(&x->metrics, &x->job, args->given[i].value);
        }
    }
    if (status == CLI_YES && x->job.selection.count == 0) {
        status = select_usual(&x->job.selection, args->verb, x->job.engine);
    }
    if (status == CLI_YES) {
        metrics_bind(&x->metrics, &x->job);
    }
    return status;
}

static int parse(const struct cli_args *args, struct exporter *x)
{
    int status = CLI_YES;

    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        const char *value = args->given[i].value;

        switch (args->given[i].id) {
        case CLI_ALL_CPUS: x->job.all_cpus = true; break;
        case CLI_PID: x->job.pids = value; break;
        case CLI_CGROUP:
            x->patterns = cli_allocate(x->patterns, x->pattern_count + 1, sizeof *x->patterns);
            x->patterns[x->pattern_count++] = value;
            status = cgroups_check(args->verb, value);
            break;
        case CLI_LISTEN: x->address = value; break;
        case CLI_TEXTFILE: x->textfile = value; break;
        case CLI_INTERVAL: status = parse_interval(args->verb, value, &x->interval_s); break;
        default: break;
        }
    }
    if (x->address == NULL && x->textfile == NULL) {
        x->address = DEFAULT_ADDRESS;
    }
    if (status == CLI_YES) {
        status = check(args, x);
    }
    return status == CLI_YES ? choose_events(args, x) : status;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Running.
 */

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Reads the counts and makes the text that a request asks for. */
static char *make_text(void *context, enum expose_form form, size_t *length)
{
    struct exporter *x = context;

    x->status = gather_read(&x->gather);
    return x->status == CLI_YES ? expose_text(&x->gather, &x->metrics, form, length) : NULL;
}

/* Writes the counts that were read last to the file of --textfile, if there is one. */
static int write_textfile(const struct exporter *x)
{
    size_t length = 0;
    char *text;
    int status;

    if (x->textfile == NULL) {
        return CLI_YES;
    }
    text = expose_text(&x->gather, &x->metrics, EXPOSE_PLAIN, &length);
    if (text == NULL) {
        cli_complain(x->job.verb, "out of memory; free some");
        return CLI_CANNOT;
    }
    status = textfile_write(x->job.verb, x->textfile, text, length);
    free(text);
    return status;
}

/* Answers requests and closes windows, until a signal asks for the end or all processes have ended. */
static int work(struct exporter *x, struct serve *server)
{
    const uint64_t step_ms = x->interval_s * UINT64_C(1000);
    uint64_t next_ms = now_ms() + step_ms;
    int status = write_textfile(x);

    while (status == CLI_YES && signals_interrupted == 0 && !x->gather.ended) {
        const uint64_t now = now_ms();

        if (now >= next_ms) {
            next_ms += ((now - next_ms) / step_ms + 1) * step_ms; /* after a suspension, many at once */
            status = gather_close(&x->gather);
            if (status == CLI_YES) {
                status = write_textfile(x);
            }
        } else {
            const int wait_ms = next_ms - now < LONGEST_WAIT_MS ? (int)(next_ms - now) : LONGEST_WAIT_MS;

            if (server != NULL) {
                serve_run(server, wait_ms);
            } else {
                (void)poll(NULL, 0, wait_ms);
            }
            status = x->status == CLI_YES ? gather_look(&x->gather) : x->status;
        }
    }
    return status;
}

static int run(struct exporter *x)
{
    const struct serve_source source = {.make = make_text, .context = x};
    struct serve *server = NULL;
    int status;

    signals_handle();
    x->job.signalled = &signals_pending;
    status = gather_begin(&x->gather, &x->job, x->patterns, x->pattern_count);
    if (status == CLI_YES && x->address != NULL) {
        server = serve_begin(x->job.verb, x->address, &source, &status);
    }
    if (status == CLI_YES) {
        status = work(x, server);
        if (x->textfile != NULL) {
            unlink(x->textfile); /* counts that do not grow any more would look like those of a machine that sleeps */
        }
    }
    serve_end(server);
    gather_end(&x->gather);
    return status;
}

int cli_export(const struct cli_args *args)
{
    struct exporter x = {.job = {.verb = args->verb, .argv = args->operands}, .interval_s = DEFAULT_INTERVAL_S};
    int status = parse(args, &x);

    if (status == CLI_YES) {
        status = run(&x);
    }
    free(x.patterns);
    metrics_free(&x.metrics);
    select_free(&x.job.selection);
    return status;
}
