/* SPDX-License-Identifier: BSD-2-Clause */
/* armpmu stat: an engine runs the program, its totals flow through model PMUs, and counters are read. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bank.h"
#include "print.h"

#define INTERVAL_MAX_MS 3600000
#define NS_PER_MS UINT64_C(1000000)

static const char *const engines[] = {"qemu-user"};

struct request {
    struct selection selection;
    struct printer printer;
    const char *output;   /* NULL: stderr */
    const char *sysroot;
    unsigned interval_ms; /* 0: none */
    bool append, el0, list_engines;
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

static int parse_engine(const struct cli_verb *verb, const char *name, struct request *r)
{
    if (strcmp(name, "help") == 0) {
        r->list_engines = true;
        return CLI_YES;
    }
    if (strcmp(name, "auto") == 0) {
        return CLI_YES;
    }
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        if (strcmp(name, engines[i]) == 0) {
            return CLI_YES;
        }
    }
    cli_complain(verb, "option --engine: no engine is named %s; --engine=help lists them", name);
    return CLI_USAGE;
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

static int parse_request(const struct cli_args *args, struct request *r)
{
    const struct cli_verb *verb = args->verb;
    bool json = false;
    int status = CLI_YES;

    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        const char *value = args->given[i].value;

        switch (args->given[i].id) {
        case CLI_EVENT: status = select_events(&r->selection, verb, value); break;
        case CLI_SEPARATOR: status = parse_separator(verb, value, &r->printer); break;
        case CLI_INTERVAL: status = parse_interval(verb, value, &r->interval_ms); break;
        case CLI_ENGINE: status = parse_engine(verb, value, r); break;
        case CLI_JSON: json = true; break;
        case CLI_OUTPUT: r->output = value; break;
        case CLI_APPEND: r->append = true; break;
        case CLI_EL0: r->el0 = true; break;
        case CLI_SYSROOT: r->sysroot = value; break;
        default: break;
        }
    }
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
    if (args->operands[0] == NULL) {
        cli_complain(verb, "PROGRAM is missing; usage: armpmu stat [OPTION...] %s", verb->operands);
        return CLI_USAGE;
    }
    r->printer.format = json ? FORMAT_JSON : r->printer.separator != NULL ? FORMAT_FIELDS : FORMAT_TEXT;
    r->printer.intervals = r->interval_ms != 0;
    r->printer.selection = &r->selection;
    r->printer.argv = args->operands;
    return r->selection.count == 0 ? select_default(&r->selection, verb) : CLI_YES;
}

/* Opens what the results go to, before the program starts. */
static int open_output(const struct cli_verb *verb, struct request *r)
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

static void leave_to_program(int signal_number)
{
    (void)signal_number;
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
    struct bank bank;
    uint64_t totals[APMU_SOURCE_COUNT]; /* fed so far */
    uint64_t *counts, *printed;         /* of the selection: now, and when it was last printed */
    uint64_t printed_ns;
};

static int print_now(const struct cli_verb *verb, const struct request *r, struct counting *c, struct apmu_run *run,
                     uint64_t at_ns)
{
    uint64_t totals[APMU_SOURCE_COUNT], delta[APMU_SOURCE_COUNT];
    enum apmu_error error;

    apmu_run_totals(run, totals);
    for (size_t i = 0; i < APMU_SOURCE_COUNT; i++) {
        delta[i] = totals[i] - c->totals[i];
    }
    memcpy(c->totals, totals, sizeof totals);
    bank_feed(&c->bank, delta);
    error = bank_read(&c->bank, c->counts);
    if (error != APMU_OK) {
        cli_complain(verb, "PMU: %s; %s", apmu_error_text(error), apmu_error_cure(error));
        return CLI_CANNOT;
    }
    for (size_t i = 0; i < r->selection.count; i++) {
        const uint64_t now = c->counts[i];

        c->counts[i] = now - c->printed[i];
        c->printed[i] = now;
    }
    print_counts(&r->printer, c->counts, at_ns, at_ns - c->printed_ns);
    c->printed_ns = at_ns;
    return CLI_YES;
}

/* As perf stat says it, before the counts. */
static void say_signal(const struct apmu_run_status *st, const char *program)
{
    if (WIFSIGNALED(st->wait_status)) {
        fprintf(stderr, "%s: %s\n", program, strsignal(WTERMSIG(st->wait_status)));
    }
}

/* Prints until the program has ended.  Fills @st. */
static int watch(const struct cli_verb *verb, const struct request *r, struct counting *c, struct apmu_run *run,
                 struct apmu_run_status *st)
{
    const uint64_t step_ns = r->interval_ms * NS_PER_MS;
    uint64_t next_ns = step_ns;
    int status = CLI_YES;

    if (r->interval_ms == 0) {
        apmu_run_wait(run, -1, st);
        say_signal(st, r->printer.argv[0]);
        print_begin(&r->printer);
        return print_now(verb, r, c, run, st->elapsed_ns);
    }
    print_begin(&r->printer);
    apmu_run_wait(run, 0, st);
    for (;;) {
        while (!st->ended && st->elapsed_ns < next_ns) {
            apmu_run_wait(run, (int)((next_ns - st->elapsed_ns + NS_PER_MS - 1) / NS_PER_MS), st);
        }
        if (st->ended) {
            say_signal(st, r->printer.argv[0]);
        }
        if (status == CLI_YES) {
            status = print_now(verb, r, c, run, st->elapsed_ns);
            fflush(r->printer.out);
        }
        if (st->ended) {
            return status;
        }
        next_ns = (st->elapsed_ns / step_ns + 1) * step_ns;
    }
}

static int count(const struct cli_verb *verb, struct request *r, struct counting *c)
{
    struct apmu_run_options options = {.size = sizeof options, .argv = r->printer.argv, .sysroot = r->sysroot};
    struct apmu_refusal no = {0};
    struct apmu_run_status st = {0};
    struct apmu_run *run;
    int status;

    for (size_t i = 0; i < r->selection.count; i++) {
        const enum apmu_source source = r->selection.events[i].source;

        if (apmu_source_info[source].cost == APMU_COST_OUTCOME) {
            options.outcomes |= UINT64_C(1) << source;
        }
    }
    options.el0_pmu = r->el0 ? &c->bank.pmus[0] : NULL;
    handle_signals();
    run = apmu_run_start(&options, &no);
    if (run == NULL) {
        cli_complain(verb, "%s%s%s", no.cause, no.cure[0] == '\0' ? "" : "; ", no.cure);
        return no.status;
    }
    program_pid = apmu_run_pid(run);
    if (pending_signal != 0) {
        pass_on(pending_signal);
    }
    status = watch(verb, r, c, run, &st);
    program_pid = 0;
    if (status == CLI_YES) {
        status = WIFSIGNALED(st.wait_status) ? CLI_SIGNALLED + WTERMSIG(st.wait_status) : WEXITSTATUS(st.wait_status);
        print_end(&r->printer, &st);
        status = cli_flush(verb, r->printer.out, r->output == NULL ? "stderr" : r->output, status);
    }
    apmu_run_free(run);
    return status;
}

static int prepare_and_count(const struct cli_verb *verb, struct request *r)
{
    struct counting c = {.counts = cli_allocate(NULL, r->selection.count, sizeof *c.counts),
                         .printed = cli_allocate(NULL, r->selection.count, sizeof *c.printed)};
    size_t event = 0;
    int status = open_output(verb, r);

    if (status == CLI_YES) {
        const enum apmu_error error = bank_open(&c.bank, &r->selection, r->el0, &event);

        if (error != APMU_OK) {
            cli_complain(verb, "event %s: %s; %s", event_name(r->selection.events[event].number),
                         apmu_error_text(error), apmu_error_cure(error));
            status = CLI_CANNOT;
        } else {
            status = count(verb, r, &c);
        }
        bank_close(&c.bank);
    }
    free(c.counts);
    free(c.printed);
    if (r->printer.out != NULL && r->printer.out != stderr && fclose(r->printer.out) != 0) {
        cli_complain(verb, "%s: the results could not be written: %s; make room", r->output, strerror(errno));
        status = CLI_CANNOT;
    }
    return status;
}

int cli_stat(const struct cli_args *args)
{
    struct request r = {.output = NULL};
    int status = parse_request(args, &r);

    if (status == CLI_YES && r.list_engines) {
        for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
            printf("%s\n", engines[i]);
        }
        status = cli_flush(args->verb, stdout, "stdout", CLI_YES);
    } else if (status == CLI_YES) {
        status = prepare_and_count(args->verb, &r);
    }
    selection_free(&r.selection);
    return status;
}
