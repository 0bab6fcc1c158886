/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Engine qemu-user.  The emulator of qemu/user runs the program and gives totals: how often each source occurred.  The
 * differences between totals are fed to model PMUs as events, and the driver reads their counters.
 */
#include "emulator.h"

#include <stdlib.h>
#include <string.h>

#include <armpmu/events.h>

#include "../../qemu/user/host/run.h"
#include "bank.h"
#include "engine.h"

#define METHOD_SIZE 4200 /* a path of PATH_MAX bytes and some words */

struct emulation {
    const struct count_job *job;
    struct bank bank;
    uint64_t totals[APMU_SOURCE_COUNT]; /* how often each source occurred until the last reading; the bank counted it */
    uint64_t *counts;                   /* one for each event of the selection */
    struct apmu_run *run;
    struct apmu_run_status status; /* from the last wait_for(); struct count_status points to its remarks */
    char method[METHOD_SIZE];
};

const char *emulator_trust_word(enum apmu_trust trust)
{
    return trust == APMU_EXACT ? "exact" : trust == APMU_RETIRED ? "retired" : "modelled";
}

static bool is_available(void)
{
    return true; /* begin() says what is missing */
}

static bool is_asked_for(const struct count_job *job)
{
    return job->el0 || job->sysroot != NULL;
}

static int check(const struct count_job *job)
{
    if (job->all_cpus || job->pids != NULL || job->tids != NULL) {
        cli_complain(job->verb, "--%s: the emulator counts a program that it runs; count what runs already "
                                "with --engine=perf on an Arm machine",
                     job->all_cpus ? "all-cpus" : job->pids != NULL ? "pid" : "tid");
        return CLI_USAGE;
    }
    if (job->argv[0] == NULL) {
        cli_complain(job->verb, "PROGRAM is missing; usage: armpmu stat [OPTION...] %s", job->verb->operands);
        return CLI_USAGE;
    }
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events.
 */

static bool supports(uint16_t number)
{
    return apmu_source_of_event(number) >= 0;
}

static int add(struct selection *s, const struct cli_verb *verb, const struct event_word *word)
{
    static const char *const marks[] = {
        [APMU_EXACT] = "", [APMU_RETIRED] = "retired for speculated", [APMU_MODELLED] = "modelled"};
    const int number = apmu_event_parse(word->text);
    struct event_choice choice = {.number = (uint16_t)number, .modified = word->modifier[0] != '\0',
                                  .filter = APMU_FILTER(P), .group = word->group};
    int source;

    if (number < 0) {
        return select_complain_unknown(verb, word);
    }
    if (choice.modified && strcmp(word->modifier, "u") != 0) {
        cli_complain(verb, "event %s:%s: the emulator runs EL0 only; write %s, or count with --engine=perf on an Arm "
                           "machine", word->text, word->modifier, word->text);
        return CLI_CANNOT;
    }
    source = apmu_source_of_event((uint16_t)number);
    if (source < 0) {
        cli_complain(verb, "event %s: the emulator does not count it (0x%04X); armpmu list exact and armpmu list "
                           "retired list those that it counts", word->text, (unsigned)number);
        return CLI_CANNOT;
    }
    choice.provider = (unsigned)source;
    choice.trust = emulator_trust_word(apmu_source_info[source].trust);
    choice.mark = marks[apmu_source_info[source].trust];
    snprintf(choice.name, sizeof choice.name, "%s%s", apmu_event_by_number((uint32_t)number)->name,
             choice.modified ? ":u" : "");
    return select_add(s, verb, word, &choice);
}

/* ---------------------------------------------------------------------------------------------------------------
 * What metrics ask for.
 */

static size_t find_cores(const struct count_job *job, struct count_core *cores, size_t room)
{
    (void)job;
    if (room > 0) {
        cores[0] = (struct count_core){.name = ""};
    }
    return 1;
}

/* A metric is not computed from a cycle for each instruction: it would look like that of a machine. */
static const char *refuse(const struct count_job *job, const struct count_core *core, uint16_t number)
{
    const int source = apmu_source_of_event(number);

    (void)job;
    (void)core;
    if (source < 0) {
        return "the emulator does not count this; count with --engine=perf on an Arm machine";
    }
    if (apmu_source_info[source].trust == APMU_MODELLED) {
        return "the emulator counts one for each instruction; count with --engine=perf on an Arm machine";
    }
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The run.
 */

static void end(void *run)
{
    struct emulation *e = run;

    apmu_run_free(e->run);
    bank_close(&e->bank);
    free(e->counts);
    free(e);
}

/* Opens the bank and starts the program.  Returns false after a complaint, with the exit status in *@status. */
static bool start(struct emulation *e, int *status)
{
    const struct count_job *job = e->job;
    const struct selection *s = &job->selection;
    struct apmu_run_options options = {.size = sizeof options, .argv = job->argv, .sysroot = job->sysroot,
                                       .signalled = job->signalled};
    struct apmu_refusal refusal = {0};
    size_t event = 0;
    const enum apmu_error error = bank_open(&e->bank, s, job->el0, &event);

    if (error != APMU_OK) {
        cli_complain(job->verb, "%s%s: %s; %s", event < s->count ? "event " : "PMU",
                     event < s->count ? s->events[event].name : "", apmu_error_text(error), apmu_error_cure(error));
        *status = CLI_CANNOT;
        return false;
    }
    for (size_t i = 0; i < s->count; i++) {
        const unsigned source = s->events[i].provider;

        if (apmu_source_info[source].cost == APMU_COST_OUTCOME) {
            options.outcomes |= UINT64_C(1) << source;
        }
    }
    options.el0_pmu = job->el0 ? &e->bank.pmus[0] : NULL;
    e->run = apmu_run_start(&options, &refusal);
    if (e->run == NULL) {
        cli_complain(job->verb, "%s%s%s", refusal.cause, refusal.cure[0] == '\0' ? "" : "; ", refusal.cure);
        *status = refusal.status;
    }
    return e->run != NULL;
}

static void *begin(struct count_job *job, int *status)
{
    struct emulation *e = cli_allocate(NULL, 1, sizeof *e);

    e->job = job;
    e->counts = cli_allocate(NULL, job->selection.count, sizeof *e->counts);
    if (!start(e, status)) {
        end(e);
        return NULL;
    }
    return e;
}

static int pid(void *run)
{
    return apmu_run_pid(((struct emulation *)run)->run);
}

static void wait_for(void *run, int timeout_ms, struct count_status *status)
{
    struct emulation *e = run;
    const struct apmu_run_status *s = &e->status;

    apmu_run_wait(e->run, timeout_ms, &e->status);
    if (s->plugin_interface != 0) {
        snprintf(e->method, sizeof e->method, "run by %s, plugin interface %u", s->emulator, s->plugin_interface);
    }
    *status = (struct count_status){.ended = s->ended, .wait_status = s->wait_status, .elapsed_ns = s->elapsed_ns,
                                    .user_ns = s->user_ns, .system_ns = s->system_ns, .processes = s->processes,
                                    .threads = s->threads, .execs = s->execs, .method = e->method,
                                    .remarks = s->remarks};
}

static int read_counts(void *run, uint64_t elapsed_ns, struct tally *tallies)
{
    struct emulation *e = run;
    uint64_t totals[APMU_SOURCE_COUNT], delta[APMU_SOURCE_COUNT];
    struct apmu_refusal refusal = {0};
    enum apmu_error error;

    if (!apmu_run_totals(e->run, totals, &refusal)) {
        cli_complain(e->job->verb, "%s; %s", refusal.cause, refusal.cure);
        return refusal.status;
    }
    for (size_t i = 0; i < APMU_SOURCE_COUNT; i++) {
        delta[i] = totals[i] - e->totals[i];
    }
    memcpy(e->totals, totals, sizeof totals);
    bank_feed(&e->bank, delta);
    error = bank_read(&e->bank, e->counts);
    if (error != APMU_OK) {
        cli_complain(e->job->verb, "PMU: %s; %s", apmu_error_text(error), apmu_error_cure(error));
        return CLI_CANNOT;
    }
    for (size_t i = 0; i < e->job->selection.count; i++) {
        tallies[i] = (struct tally){.count = e->counts[i], .enabled_ns = elapsed_ns, .running_ns = elapsed_ns,
                                    .counted = true};
    }
    return CLI_YES;
}

const struct engine emulator_engine = {
    .name = "qemu-user",
    .usual = "INST_RETIRED,CPU_CYCLES,LD_RETIRED,ST_RETIRED,DP_RETIRED,VFP_RETIRED,ASE_RETIRED,CRYPTO_RETIRED,"
             "PRF_RETIRED,BR_RETIRED,BR_COND_RETIRED,BR_UNCOND_RETIRED,BR_IMMED_RETIRED,BR_IND_RETIRED,"
             "BR_RETURN_RETIRED,BL_TAKEN_RETIRED,LDREX_SPEC,STREX_SPEC,DMB_SPEC,EXC_TAKEN,EXC_SVC",
    .is_available = is_available, .is_asked_for = is_asked_for, .check = check, .supports = supports,
    .cores = find_cores, .refuses = refuse, .add = add,
    .begin = begin, .pid = pid, .wait = wait_for, .read = read_counts, .end = end,
};
