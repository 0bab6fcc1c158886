/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * armpmu export with an engine of this test's own in place of perf.c, and without emulator.c.  test_export.sh links it
 * with export.c and what export.c calls.  The engine reads what it counts from the file that MACHINE names, which the
 * test replaces while the exporter runs, a line for each CPU:
 *     ONLINE COUNTING BUSY-SECONDS COUNT:ENABLED-NS:RUNNING-NS ...
 * with three numbers for each event of the selection.  A run of the engine counts from where it began, and a CPU that
 * was offline is counted on from where it is when it is read again.  Cgroup "pod2" is counted as CPU 2 is, and "podx"
 * cannot be counted; cgroups are in the folder that CGROUPS names.  With ENDED in the environment, the processes have
 * ended when the file that it names exists.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <armpmu/events.h>

#include "../../cli/count/engine.h"
#include "../../cli/export/gather.h"
#include "../../cli/export/host.h"

#define CPUS   4
#define EVENTS 8

struct played_machine {
    unsigned cpus;
    struct count_cpu states[CPUS];
    double busy_s[CPUS];
    struct tally tallies[CPUS][EVENTS];
};

struct playing {
    const struct count_job *job;
    struct played_machine opened; /* what each CPU had when it was opened */
    struct tally past[CPUS][EVENTS]; /* what it counted before */
    bool counting[CPUS];
};

/* Reads the file of MACHINE.  Ends the program if it cannot: the test is wrong. */
static void read_machine(struct played_machine *m)
{
    FILE *file = fopen(getenv("MACHINE"), "re");
    char line[1024];

    memset(m, 0, sizeof *m);
    while (file != NULL && m->cpus < CPUS && fgets(line, sizeof line, file) != NULL) {
        int online, counting, used;
        const char *rest = line;

        if (sscanf(line, "%d %d %lf%n", &online, &counting, &m->busy_s[m->cpus], &used) != 3) {
            exit(99);
        }
        rest += used;
        for (unsigned i = 0; i < EVENTS; i++) {
            unsigned long long count, enabled, running;

            if (sscanf(rest, " %llu:%llu:%llu%n", &count, &enabled, &running, &used) == 3) {
                m->tallies[m->cpus][i] = (struct tally){.count = count, .enabled_ns = enabled, .running_ns = running};
                rest += used;
            }
        }
        m->states[m->cpus++] = (struct count_cpu){.online = online != 0, .counting = counting != 0};
    }
    if (file == NULL) {
        exit(99);
    }
    fclose(file);
}

/* These take the place of host.c. */
void host_read_busy(double *seconds, size_t count)
{
    struct played_machine m;

    read_machine(&m);
    for (size_t i = 0; i < count; i++) {
        seconds[i] = i < m.cpus ? m.busy_s[i] : (double)NAN;
    }
}

void host_read_online(char *text, size_t size)
{
    struct played_machine m;

    read_machine(&m);
    for (size_t i = 0; i + 1 < size && i < m.cpus; i++) {
        text[i] = m.states[i].online ? '1' : '0';
        text[i + 1] = '\0';
    }
}

const char *host_cgroup_root(void)
{
    return getenv("CGROUPS");
}

static bool is_available(void)
{
    return true;
}

static bool is_asked_for(const struct count_job *job)
{
    (void)job;
    return true;
}

static int check(const struct count_job *job)
{
    (void)job;
    return CLI_YES;
}

static const char *usual(const struct selection *s)
{
    (void)s;
    return "CPU_CYCLES,INST_RETIRED,BR_RETIRED";
}

static bool supports(const struct selection *s, uint16_t number)
{
    (void)s;
    return number == 0x11 || number == 0x08;
}

static int add(struct selection *s, const struct cli_verb *verb, const struct event_word *word)
{
    struct event_choice choice = {.group = word->group, .filter = word->filter, .trust = "measured", .mark = ""};
    const int number = apmu_event_parse(word->text);

    if (number < 0) {
        return select_complain_unknown(verb, word);
    }
    choice.number = (uint16_t)number;
    choice.modified = word->modifier[0] != '\0';
    snprintf(choice.name, sizeof choice.name, "%.48s%s%.8s", word->text, choice.modified ? ":" : "", word->modifier);
    return select_add(s, verb, word, &choice);
}

static size_t find_cores(const struct count_job *job, struct count_core *cores, size_t room)
{
    (void)job;
    if (room > 0) {
        cores[0] = (struct count_core){.info = apmu_core_by_name("Cortex-A72"), .timed = true};
    }
    return 1;
}

static const char *refuse(const struct count_job *job, const struct count_core *of, uint16_t number)
{
    (void)job;
    (void)of;
    (void)number;
    return NULL;
}

static void *begin(struct count_job *job, int *status)
{
    struct playing *p = cli_allocate(NULL, 1, sizeof *p);

    *status = CLI_YES;
    if (job->cgroup != NULL && job->cgroup[strlen(job->cgroup) - 1] == 'x') {
        cli_complain(job->verb, "%s: it cannot be counted; leave it out", job->cgroup);
        *status = CLI_CANNOT;
        free(p);
        return NULL;
    }
    p->job = job;
    read_machine(&p->opened);
    for (unsigned cpu = 0; cpu < p->opened.cpus; cpu++) {
        p->counting[cpu] = p->opened.states[cpu].online;
    }
    return p;
}

static int pid(void *run)
{
    (void)run;
    return 0;
}

static void wait_for(void *run, int timeout_ms, struct count_status *status)
{
    const char *ended = getenv("ENDED");

    (void)run;
    (void)timeout_ms;
    *status = (struct count_status){.ended = ended != NULL && access(ended, F_OK) == 0, .remarks = "", .method = ""};
}

static unsigned cpus(void *run)
{
    return ((struct playing *)run)->opened.cpus;
}

/* Opens and closes CPU @cpu as it comes and goes. */
static void follow(struct playing *p, const struct played_machine *now, unsigned cpu)
{
    if (p->counting[cpu] == now->states[cpu].online) {
        return;
    }
    p->counting[cpu] = now->states[cpu].online;
    for (size_t i = 0; i < EVENTS; i++) {
        if (!p->counting[cpu]) {
            p->past[cpu][i].count += now->tallies[cpu][i].count - p->opened.tallies[cpu][i].count;
        }
        p->opened.tallies[cpu][i] = now->tallies[cpu][i];
    }
}

static int read_cpus(void *run, uint64_t elapsed_ns, struct count_cpu *states, struct tally *tallies)
{
    struct playing *p = run;
    const size_t events = p->job->selection.count;
    struct played_machine now;

    (void)elapsed_ns;
    read_machine(&now);
    for (unsigned cpu = 0; cpu < p->opened.cpus; cpu++) {
        follow(p, &now, cpu);
        states[cpu] = now.states[cpu];
        states[cpu].counting &= p->counting[cpu];
        for (size_t i = 0; i < events && i < EVENTS; i++) {
            const struct tally *then = &p->opened.tallies[cpu][i], *t = &now.tallies[cpu][i];

            tallies[cpu * events + i] = (struct tally){.count = p->past[cpu][i].count + t->count - then->count,
                                                       .enabled_ns = t->enabled_ns - then->enabled_ns,
                                                       .running_ns = t->running_ns - then->running_ns,
                                                       .counted = t->running_ns != then->running_ns};
        }
    }
    return CLI_YES;
}

static int read_tallies(void *run, uint64_t elapsed_ns, struct tally *tallies)
{
    struct playing *p = run;
    struct count_cpu states[CPUS];
    const size_t events = p->job->selection.count;
    const char *cgroup = p->job->cgroup;
    const size_t row = cgroup == NULL ? 0 : (size_t)(cgroup[strlen(cgroup) - 1] - '0');
    struct tally *all = cli_allocate(NULL, CPUS * events, sizeof *all);
    const int status = read_cpus(run, elapsed_ns, states, all);

    memcpy(tallies, all + row * events, events * sizeof *tallies);
    free(all);
    return status;
}

/* engine.c lists these two names. */
const struct engine perf_engine = {
    .name = "played", .usual = usual, .is_available = is_available, .is_asked_for = is_asked_for, .check = check,
    .supports = supports, .cores = find_cores, .refuses = refuse, .add = add, .begin = begin, .pid = pid,
    .wait = wait_for, .read = read_tallies, .cpus = cpus, .read_cpus = read_cpus, .end = free,
};

const struct engine emulator_engine = {
    .name = "other", .usual = usual, .is_available = is_available, .is_asked_for = is_asked_for, .check = check,
};

/* options.c calls it for --help, which this test does not give. */
void cli_help(FILE *out, const struct cli_verb *verb)
{
    fprintf(out, "%s\n", verb->name);
}

/* The options are those of the tool. */
extern const struct cli_option verbs_export_options[];

int main(int argc, char **argv)
{
    static const struct cli_verb verb = {.name = "export", .operands = "", .options = verbs_export_options,
                                         .run = cli_export};
    struct cli_args args;
    int status;

    if (cli_parse(&verb, argc, argv, &args, &status)) {
        status = cli_export(&args);
    }
    free(args.given);
    return status;
}
