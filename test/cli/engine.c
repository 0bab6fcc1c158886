/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * armpmu stat with two engines of this test's own, in place of perf.c and emulator.c.  test_engine.sh links it with
 * stat.c and what stat.c calls, and runs it.  `absent` is not available, and is asked for by --pid.  `ticks` counts, at
 * each reading, 10 more for its first event, 20 more for its second, and so on.  An event whose name begins with "both"
 * it counts on two PMUs, in a group for each, as engine perf does on a machine with two kinds of core.
 */
#include "../../cli/count/engine.h"

#include <stdlib.h>
#include <string.h>

struct ticking {
    const struct count_job *job;
    unsigned waits, readings;
};

static bool is_available(void)
{
    return true;
}

static bool is_not_available(void)
{
    return false;
}

static bool is_asked_for_by_pid(const struct count_job *job)
{
    return job->pids != NULL;
}

static bool is_never_asked_for(const struct count_job *job)
{
    (void)job;
    return false;
}

static int check_absent(const struct count_job *job)
{
    cli_complain(job->verb, "engine %s: not here; there is no cure", job->engine->name);
    return CLI_CANNOT;
}

static int check(const struct count_job *job)
{
    (void)job;
    return CLI_YES;
}

static bool supports(uint16_t number)
{
    return number == 0x11; /* of the usual events CPU_CYCLES alone */
}

static int add(struct selection *s, const struct cli_verb *verb, const struct event_word *word)
{
    const unsigned pmus = strncmp(word->text, "both", 4) == 0 ? 2 : 1;
    int status = CLI_YES;

    if (strcmp(word->text, "r10000") == 0) {
        return select_complain_unknown(verb, word);
    }
    for (unsigned i = 0; i < pmus && status == CLI_YES; i++) {
        struct event_choice choice = {.number = (uint16_t)(s->count + 1), .group = word->group * pmus + i,
                                      .provider = i, .trust = "measured", .mark = word->group > 1 ? "odd" : ""};

        snprintf(choice.name, sizeof choice.name, "%.32s@%u", word->text, choice.group);
        status = select_add(s, verb, word, &choice);
    }
    return status;
}

static void *begin(struct count_job *job, int *status)
{
    struct ticking *t = cli_allocate(NULL, 1, sizeof *t);

    (void)status;
    t->job = job;
    return t;
}

static int pid(void *run)
{
    (void)run;
    return 0;
}

/* It ends at the first wait without a limit, or at the third with one.  Each wait takes 100 ms of its own clock. */
static void wait_for(void *run, int timeout_ms, struct count_status *status)
{
    struct ticking *t = run;

    t->waits += timeout_ms != 0;
    *status = (struct count_status){.ended = timeout_ms < 0 || t->waits >= 3, .wait_status = 7 << 8,
                                    .elapsed_ns = t->waits * UINT64_C(100000000), .processes = 2, .threads = 3,
                                    .execs = 1, .method = "counted by a test",
                                    .remarks = t->readings > 1 ? "first\nsecond" : ""};
}

static int read_ticks(void *run, uint64_t elapsed_ns, struct tally *tallies)
{
    struct ticking *t = run;

    t->readings++;
    for (size_t i = 0; i < t->job->selection.count; i++) {
        tallies[i] = (struct tally){.count = 10 * (i + 1) * t->readings, .enabled_ns = elapsed_ns,
                                    .running_ns = elapsed_ns, .counted = true};
    }
    return CLI_YES;
}

/* engine.c lists these two names. */
const struct engine perf_engine = {
    .name = "absent", .usual = "CPU_CYCLES", .is_available = is_not_available, .is_asked_for = is_asked_for_by_pid,
    .check = check_absent,
};

const struct engine emulator_engine = {
    .name = "ticks", .usual = "INST_RETIRED,CPU_CYCLES", .is_available = is_available,
    .is_asked_for = is_never_asked_for, .check = check, .supports = supports, .add = add, .begin = begin, .pid = pid,
    .wait = wait_for, .read = read_ticks, .end = free,
};

/* options.c calls it for --help, which this test does not give. */
void cli_help(FILE *out, const struct cli_verb *verb)
{
    fprintf(out, "%s\n", verb->name);
}

int main(int argc, char **argv)
{
    static const struct cli_option options[] = {
        {CLI_ENGINE, '\0', "engine", "NAME", ""},
        {CLI_EVENT, 'e', "event", "EVENT", ""},
        {CLI_INTERVAL, 'I', "interval-print", "MS", ""},
        {CLI_PID, 'p', "pid", "PID", ""},
        {CLI_SEPARATOR, 'x', "field-separator", "SEP", ""},
        {CLI_VERBOSE, 'v', "verbose", "", ""},
        {.name = NULL},
    };
    static const struct cli_verb verb = {.name = "stat", .operands = "", .options = options, .run = cli_stat};
    struct cli_args args;
    int status;

    if (cli_parse(&verb, argc, argv, &args, &status)) {
        status = cli_stat(&args);
    }
    free(args.given);
    return status;
}
