/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * armpmu stat with two engines of this test's own, in place of perf.c and emulator.c.  test_engine.sh links it with
 * stat.c and what stat.c calls, and runs it.  `absent` is not available, and is asked for by --pid.  `ticks` counts, at
 * each reading, 10 more for its first event, 20 more for its second, and so on.  An event whose name begins with "both"
 * it counts on two PMUs, in a group for each, as engine perf does on a machine with two kinds of core.  Events that Arm
 * or the core names have their number.
 *
 * Variables of the environment describe a machine for the metrics:
 *     TICKS_CORE     the name of its core
 *     TICKS_MIDR     its MIDR, in hexadecimal
 *     TICKS_SLOTS    the slots of a cycle
 *     TICKS_LINE     the bytes of a line
 *     TICKS_LACKS    the number, in hexadecimal, of an event that it does not count
 *     TICKS_RANDOM   counts follow from the event's number, and are large
 *     TICKS_PART     the event with this number, in hexadecimal, has a counter for half of the time
 *     TICKS_NEVER    the event with this number, in hexadecimal, never has a counter
 *     TICKS_ZERO     the event with this number, in hexadecimal, counts nothing
 *     TICKS_DRIFT    each count of a run is this much larger than in the run before
 *     TICKS_MORE     each count is this much larger
 *     TICKS_STATUS   the exit status of the program; of each run with commas between, of which the last holds on
 *     TICKS_KINDS    there are two kinds of cores: this one, "big", and Cortex-A53, "little"
 *
 * With --all-cpus there are two CPUs, of which the second comes with the second reading.  CPU 1 counts at each reading
 * twice as much as CPU 0, which counts what a program would.
 */
#include "../../cli/count/engine.h"

#include <stdlib.h>
#include <string.h>

#include <armpmu/metrics.h>

/* Returns the number in variable @name in base @base, or -1. */
static long variable(const char *name, int base)
{
    const char *text = getenv(name);

    return text == NULL ? -1 : strtol(text, NULL, base);
}

static const struct apmu_core_info *core(void)
{
    const char *name = getenv("TICKS_CORE");

    return name == NULL ? NULL : apmu_core_by_name(name);
}

struct ticking {
    const struct count_job *job;
    unsigned waits, readings;
    unsigned number; /* of the run, from 0 */
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

static bool supports(const struct selection *s, uint16_t number)
{
    (void)s;
    return number == 0x11; /* of the usual events CPU_CYCLES alone */
}

static int add(struct selection *s, const struct cli_verb *verb, const struct event_word *word)
{
    const unsigned pmus = strncmp(word->text, "both", 4) == 0 || getenv("TICKS_KINDS") != NULL ? 2 : 1;
    struct apmu_formula f;
    const bool named = apmu_formula_parse(word->text, core(), &f, NULL) == APMU_OK && f.event_count == 1;
    int status = CLI_YES;

    if (strcmp(word->text, "r10000") == 0) {
        return select_complain_unknown(verb, word);
    }
    for (unsigned i = 0; i < pmus && status == CLI_YES; i++) {
        struct event_choice choice = {.number = (uint16_t)(0xC000 + s->count), .group = word->group * pmus + i,
                                      .provider = i, .trust = "measured", .mark = ""};

        if (word->only != 0 && word->only != i + 1) {
            continue;
        }
        if (named) {
            choice.number = f.events[0].number;
        } else {
            choice.mark = word->group > 1 ? "odd" : "";
        }
        choice.modified = word->modifier[0] != '\0';
        choice.filter = word->filter;
        if (strcmp(word->text, "BR_PRED") == 0) {
            choice.trust = "modelled";
            choice.mark = "modelled:core";
        }
        snprintf(choice.name, sizeof choice.name, "%.48s@%u", word->text, choice.group);
        status = select_add(s, verb, word, &choice);
    }
    return status;
}

static size_t find_cores(const struct count_job *job, struct count_core *cores, size_t room)
{
    (void)job;
    for (size_t i = 0; i < 2 && i < room; i++) {
        cores[i] = (struct count_core){.info = core(), .provider = (unsigned)i, .timed = true};
        cores[i].midr = variable("TICKS_MIDR", 16) > 0 ? (uint32_t)variable("TICKS_MIDR", 16) : 0;
        cores[i].slots = variable("TICKS_SLOTS", 10) > 0 ? (unsigned)variable("TICKS_SLOTS", 10) : 0;
        cores[i].line = variable("TICKS_LINE", 10) > 0 ? (unsigned)variable("TICKS_LINE", 10) : 0;
    }
    if (getenv("TICKS_KINDS") == NULL) {
        return 1;
    }
    strcpy(cores[0].name, "big");
    strcpy(cores[1].name, "little");
    cores[1].info = apmu_core_by_name("Cortex-A53");
    return 2;
}

static const char *refuse(const struct count_job *job, const struct count_core *of, uint16_t number)
{
    (void)job;
    return variable("TICKS_LACKS", 16) == number && of->provider == 0 ? "ticks does not count this; count another"
                                                                      : NULL;
}

static void *begin(struct count_job *job, int *status)
{
    static unsigned runs;
    struct ticking *t = cli_allocate(NULL, 1, sizeof *t);

    (void)status;
    t->number = runs++;
    t->job = job;
    return t;
}

static int pid(void *run)
{
    (void)run;
    return 0;
}

/* Returns the status with which the run @number ends. */
static int exit_status(unsigned number)
{
    const char *text = getenv("TICKS_STATUS"), *comma;

    if (text == NULL) {
        return 7;
    }
    while (number-- > 0 && (comma = strchr(text, ',')) != NULL) {
        text = comma + 1;
    }
    return atoi(text);
}

/* It ends at the first wait without a limit, or at the third with one.  Each wait takes 100 ms of its own clock. */
static void wait_for(void *run, int timeout_ms, struct count_status *status)
{
    struct ticking *t = run;

    t->waits += timeout_ms != 0;
    *status = (struct count_status){.ended = timeout_ms < 0 || t->waits >= 3,
                                    .wait_status = exit_status(t->number) << 8,
                                    .elapsed_ns = t->waits * UINT64_C(100000000), .processes = 2, .threads = 3,
                                    .execs = 1, .method = "counted by a test",
                                    .remarks = t->readings > 1 ? "first\nsecond" : ""};
}

static int read_ticks(void *run, uint64_t elapsed_ns, struct tally *tallies)
{
    struct ticking *t = run;

    t->readings++;
    for (size_t i = 0; i < t->job->selection.count; i++) {
        const uint16_t number = t->job->selection.events[i].number;

        tallies[i] = (struct tally){.count = 10 * (i + 1) * t->readings, .enabled_ns = elapsed_ns,
                                    .running_ns = elapsed_ns, .counted = true};
        tallies[i].count += variable("TICKS_DRIFT", 10) > 0 ? (uint64_t)variable("TICKS_DRIFT", 10) * t->number : 0;
        tallies[i].count += variable("TICKS_MORE", 10) > 0 ? (uint64_t)variable("TICKS_MORE", 10) : 0;
        if (getenv("TICKS_RANDOM") != NULL) {
            tallies[i].count = (number + UINT64_C(12345)) * 2654435761u % 1000000007u;
        }
        if (variable("TICKS_ZERO", 16) == number) {
            tallies[i].count = 0;
        }
        if (variable("TICKS_PART", 16) == number) {
            tallies[i].running_ns = elapsed_ns / 2;
        }
        if (variable("TICKS_NEVER", 16) == number) {
            tallies[i].running_ns = 0;
            tallies[i].counted = false;
        }
    }
    return CLI_YES;
}

static unsigned cpu_count(void *run)
{
    (void)run;
    return 2;
}

static int read_cpus(void *run, uint64_t elapsed_ns, struct count_cpu *states, struct tally *tallies)
{
    struct ticking *t = run;
    const size_t events = t->job->selection.count;
    const int status = read_ticks(run, elapsed_ns, tallies);

    states[0] = (struct count_cpu){.online = true, .counting = true};
    states[1] = (struct count_cpu){.online = t->readings > 1, .counting = t->readings > 1};
    for (size_t i = 0; i < events; i++) {
        tallies[events + i] = (struct tally){.missed_ns = elapsed_ns};
        if (t->readings > 1) {
            tallies[events + i] = tallies[i];
            tallies[events + i].count = 20 * (i + 1) * (t->readings - 1);
        }
    }
    return status;
}

static const char *usual(const struct selection *s)
{
    (void)s;
    return "INST_RETIRED,CPU_CYCLES";
}

/* engine.c lists these two names. */
const struct engine perf_engine = {
    .name = "absent", .usual = usual, .is_available = is_not_available, .is_asked_for = is_asked_for_by_pid,
    .check = check_absent,
};

const struct engine emulator_engine = {
    .name = "ticks", .usual = usual, .is_available = is_available,
    .is_asked_for = is_never_asked_for, .check = check, .supports = supports,
    .cores = find_cores, .refuses = refuse, .add = add, .begin = begin, .pid = pid,
    .wait = wait_for, .read = read_ticks, .cpus = cpu_count, .read_cpus = read_cpus, .end = free,
};

/* options.c calls it for --help, which this test does not give. */
void cli_help(FILE *out, const struct cli_verb *verb)
{
    fprintf(out, "%s\n", verb->name);
}

int main(int argc, char **argv)
{
    static const struct cli_option options[] = {
        {CLI_ALL_CPUS, 'a', "all-cpus", "", ""},
        {CLI_BASELINE, '\0', "baseline", "FILE", ""},
        {CLI_DETERMINISTIC, '\0', "deterministic", "", ""},
        {CLI_ENV, '\0', "env", "NAME", ""},
        {CLI_FAIL_ABOVE, '\0', "fail-above", "PERCENT", ""},
        {CLI_MARKDOWN, '\0', "markdown", "FILE", ""},
        {CLI_REPEAT, 'r', "repeat", "N", ""},
        {CLI_SAVE, '\0', "save", "FILE", ""},
        {CLI_ENGINE, '\0', "engine", "NAME", ""},
        {CLI_EVENT, 'e', "event", "EVENT", ""},
        {CLI_INTERVAL, 'I', "interval-print", "MS", ""},
        {CLI_JSON, 'j', "json-output", "", ""},
        {CLI_OUTPUT, 'o', "output", "FILE", ""},
        {CLI_TO, '\0', "to", "FORMAT", ""},
        {CLI_METRICS, 'M', "metrics", "METRIC", ""},
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
