/* SPDX-License-Identifier: BSD-2-Clause */
/* Has an engine count while a program runs, once or several times, and prints, saves and compares the counts. */
#define _GNU_SOURCE
#include "runs.h"
#include "intervals.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS UINT64_C(1000000)

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
    if (o->printer.format != PRINT_JSON && !o->timeline) { /* perf stat -o writes this line too; JSON has no comments */
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
    struct intervals intervals; /* with --to */
    struct series series;  /* the runs that ended */
    unsigned number;       /* the run under way, from 1 */
    int first_status;      /* the exit status of the first run */
};

/* Reads the counts @at_ns after the start, and prints or writes how much they grew since that was done last. */
static int print_now(const struct stat_options *o, struct counting *c, uint64_t at_ns)
{
    const int status = o->timeline ? intervals_read(&c->intervals, c->run, at_ns, c->tallies)
                                   : o->job.engine->read(c->run, at_ns, c->tallies);

    if (status != CLI_YES) {
        return status;
    }
    for (size_t i = 0; i < o->job.selection.count; i++) {
        const struct tally now = c->tallies[i];

        intervals_subtract(&now, &c->printed[i], &c->tallies[i]);
    }
    if (o->timeline) {
        intervals_write(&c->intervals, c->tallies, at_ns, at_ns - c->printed_ns);
    } else {
        if (!c->begun) {
            print_begin(&o->printer);
            c->begun = true;
        }
        print_counts(&o->printer, c->tallies, at_ns, at_ns - c->printed_ns);
    }
    c->printed_ns = at_ns;
    return CLI_YES;
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
        return o->runs > 1 ? engine->read(c->run, st->elapsed_ns, c->tallies) : print_now(o, c, st->elapsed_ns);
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

/* Says that the last run did not end as the first one did, so that the results are those of the runs before. */
static void print_odd_run(const struct counting *c, int exit_status)
{
    fprintf(stderr, "armpmu: remark: run %u ended with status %d, and those before with %d: ", c->number, exit_status,
            c->first_status);
    fprintf(stderr, c->series.runs == 1 ? "the counts are of 1 run\n" : "the counts are of %u runs\n", c->series.runs);
}

/* Prints the means of all runs.  @st is the status of the last one. */
static void print_series(struct stat_options *o, struct counting *c, const struct count_status *st)
{
    const uint64_t elapsed_ns = (uint64_t)c->series.elapsed.mean;

    o->printer.series = &c->series;
    series_means(&c->series, c->tallies);
    print_begin(&o->printer);
    print_counts(&o->printer, c->tallies, elapsed_ns, elapsed_ns);
    print_end(&o->printer, st);
}

/* Writes the comparison to the file of --markdown. */
static int write_markdown(const struct stat_options *o, const struct result_comparison *c)
{
    FILE *file = fopen(o->markdown, "we");

    if (file != NULL) {
        compare_print_markdown(file, c);
    }
    if (file == NULL || ferror(file) || fclose(file) != 0) {
        cli_complain(o->job.verb, "%s: cannot be written: %s; choose another file for --markdown", o->markdown,
                     strerror(errno));
        return CLI_CANNOT;
    }
    return CLI_YES;
}

/* Compares @now with the baseline and prints what differs.  Returns the exit status. */
static int judge(const struct stat_options *o, const struct result *now)
{
    struct result_comparison c;
    int status;

    compare(&c, o->baseline, &o->before, now, &o->limits);
    (o->printer.format == PRINT_JSON ? compare_print_json : compare_print_text)(o->printer.out, &c);
    status = compare_status(&c);
    if (c.refusal[0] != '\0') {
        cli_complain(o->job.verb, "%s: %s; count a new baseline with --save", o->baseline, c.refusal);
    } else if (status == CLI_CANNOT) {
        cli_complain(o->job.verb, "%s: an event with a limit of its own cannot be compared; count a new baseline with "
                                  "--save", o->baseline);
    }
    if (o->markdown != NULL && write_markdown(o, &c) != CLI_YES) {
        status = CLI_CANNOT;
    }
    compare_free(&c);
    return status;
}

/* Saves and compares the result, as the options ask for.  @exit_status is the program's.  Returns the tool's. */
static int use_result(struct stat_options *o, const struct counting *c, const struct count_status *st, int exit_status)
{
    const struct result_parts parts = {.job = &o->job, .metrics = &o->metrics, .series = &c->series, .status = st,
                                       .exit_status = c->first_status};
    struct result now;
    int status = CLI_YES, judged = CLI_YES;

    if (o->save == NULL && o->baseline == NULL) {
        return exit_status;
    }
    result_make(&now, &parts);
    if (o->save != NULL) {
        status = result_write(&now, o->job.verb, o->save);
    }
    if (o->baseline != NULL) {
        judged = judge(o, &now);
    }
    result_free(&now);
    return exit_status != CLI_YES ? exit_status : status != CLI_YES ? status : judged;
}

/* Ends a run, which ended as @st says, and if it was the last one prints the results.  Returns the exit status. */
static int end_run(struct stat_options *o, struct counting *c, const struct count_status *st, bool *last)
{
    int status = WIFSIGNALED(st->wait_status) ? CLI_SIGNALLED + WTERMSIG(st->wait_status)
                                              : WEXITSTATUS(st->wait_status);

    if (c->number == 1) {
        c->first_status = status;
    }
    *last = c->number >= o->runs || status != c->first_status || signals_interrupted != 0;
    if (status == c->first_status) {
        series_add(&c->series, o->runs > 1 ? c->tallies : c->printed, st);
    } else {
        print_odd_run(c, status);
    }
    if (!*last) {
        return CLI_YES;
    }
    if (o->runs > 1) {
        print_series(o, c, st);
    } else {
        print_end(&o->printer, st);
    }
    status = use_result(o, c, st, status != CLI_YES ? status : c->first_status);
    return cli_flush(o->job.verb, o->printer.out, o->output == NULL ? "stderr" : o->output, status);
}

/*
 * Runs the engine from its begin() to its end().  *@last: there is no further run.  Returns the exit status: the
 * program's own, if it was counted.
 */
static int count(struct stat_options *o, struct counting *c, bool *last)
{
    struct count_status st = {0};
    int status = CLI_YES;

    *last = true;
    o->job.signalled = &signals_pending;
    c->run = o->job.engine->begin(&o->job, &status);
    if (c->run == NULL) {
        return status;
    }
    signals_begin(o->job.engine->pid(c->run));
    if (o->timeline) {
        intervals_begin(&c->intervals, &o->job, &o->metrics, c->run, o->printer.out);
    }
    status = watch(o, c, &st);
    o->job.engine->wait(c->run, 0, &st); /* again: reading may have added remarks */
    signals_end();
    if (o->timeline) {
        intervals_end(&c->intervals);
    }
    if (status == CLI_YES) {
        status = end_run(o, c, &st, last);
    }
    o->job.engine->end(c->run);
    return status;
}

int runs_conduct(struct stat_options *o)
{
    struct counting c = {.tallies = cli_allocate(NULL, o->job.selection.count, sizeof *c.tallies),
                         .printed = cli_allocate(NULL, o->job.selection.count, sizeof *c.printed)};
    int status = open_output(o->job.verb, o);
    bool last = false;

    o->job.identify = o->save != NULL || o->baseline != NULL;
    series_init(&c.series, o->job.selection.count);
    signals_handle();
    while (status == CLI_YES && !last) {
        c.number++;
        status = count(o, &c, &last);
    }
    series_free(&c.series);
    free(c.tallies);
    free(c.printed);
    if (o->printer.out != NULL && o->printer.out != stderr && fclose(o->printer.out) != 0) {
        cli_complain(o->job.verb, "%s: the results could not be written: %s; make room", o->output, strerror(errno));
        status = CLI_CANNOT;
    }
    return status;
}
