/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Engine qemu-user.  The emulator of qemu/user runs the program and gives totals: how often each source occurred, and
 * with --core how often each event of the modelled core did.  The differences between totals are fed to model PMUs as
 * events, and the driver reads their counters.
 */
#include "emulator.h"

#include <stdlib.h>
#include <string.h>

#include <armpmu/cores.h>
#include <armpmu/events.h>

#include "../../qemu/user/host/run.h"
#include "bank.h"
#include "core.h"
#include "engine.h"
#include "version.h"

#define METHOD_SIZE 4200 /* a path of PATH_MAX bytes and some words */
#define PROVIDED_BY_CORE ((unsigned)APMU_SOURCE_COUNT) /* the provider of an event that the modelled core counts */

struct emulation {
    const struct count_job *job;
    struct bank bank;
    uint64_t totals[APMU_SOURCE_COUNT]; /* how often each source occurred until the last reading; the bank counted it */
    uint64_t *counts;                   /* one for each event of the selection */
    uint16_t core_events[APMU_RUN_CORE_EVENTS]; /* what the modelled core counts */
    uint64_t core_totals[APMU_RUN_CORE_EVENTS]; /* as totals */
    size_t core_event_count;
    struct apmu_run *run;
    struct apmu_run_status status; /* from the last wait_for(); struct count_status points to its remarks */
    char method[METHOD_SIZE];
    char runner[128]; /* the emulator's version, if job->identify asks for it */
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
    return job->el0 || job->deterministic || job->sysroot != NULL || job->selection.core != NULL;
}

/* Checks what concerns the modelled core alone. */
static int check_core(const struct count_job *job)
{
    if (job->el0) {
        cli_complain(job->verb, "--core, --el0: the PMU that the program sees counts no modelled core; give one of the "
                                "two");
        return CLI_USAGE;
    }
    return CLI_YES;
}

static int check(const struct count_job *job)
{
    if (job->all_cpus || job->cgroup != NULL || job->pids != NULL || job->tids != NULL) {
        cli_complain(job->verb, "--%s: the emulator counts a program that it runs; count what runs already "
                                "with --engine=perf on an Arm machine",
                     job->all_cpus ? "all-cpus" : job->cgroup != NULL ? "cgroup" : job->pids != NULL ? "pid" : "tid");
        return CLI_USAGE;
    }
    if (job->argv[0] == NULL) {
        cli_complain(job->verb, "PROGRAM is missing; usage: armpmu %s [OPTION...] %s", job->verb->name,
                     job->verb->operands);
        return CLI_USAGE;
    }
    return job->selection.core != NULL ? check_core(job) : CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events.
 */

bool emulator_is_modelled(const struct apmu_core_row *row, uint16_t number)
{
    const int source = core_is_arm11(row) ? -1 : apmu_source_of_event(number);

    if (!apmu_core_models(row, number)) {
        return false;
    }
    return source < 0 || (apmu_source_info[source].trust != APMU_EXACT && apmu_core_parts(row, &number, 1) != 0);
}

/* Returns whether samples of event @number can be taken.  Without --core it must be the same on each core. */
static bool samples(const struct selection *s, uint16_t number)
{
    return apmu_core_models(s->core, number) && (s->core_mark[0] != '\0' || apmu_core_parts(s->core, &number, 1) == 0);
}

/* Returns what counts event @number: a source; PROVIDED_BY_CORE, the modelled core; or a negative number. */
static int provider_of(const struct selection *s, uint16_t number)
{
    if (s->sampled) {
        return samples(s, number) ? (int)PROVIDED_BY_CORE : -1;
    }
    if (s->core != NULL && emulator_is_modelled(s->core, number)) {
        return (int)PROVIDED_BY_CORE;
    }
    return core_is_arm11(s->core) ? -1 : apmu_source_of_event(number);
}

static bool supports(const struct selection *s, uint16_t number)
{
    return provider_of(s, number) >= 0;
}

/* Complains that nothing counts event @number, which the user wrote as @word. */
static int complain_not_counted(const struct selection *s, const struct cli_verb *verb, const struct event_word *word,
                                uint16_t number)
{
    struct apmu_core_row row;

    if (s->sampled && s->core_mark[0] == '\0' && apmu_core_models(s->core, number)) {
        cli_complain(verb, "event %s: the model of a core counts it (0x%04X); name one, such as --core cortex-a72",
                     word->text, (unsigned)number);
        return CLI_CANNOT;
    }
    if (s->sampled) {
        cli_complain(verb, "event %s: the model of a core does not count it (0x%04X), so no samples of it are taken; "
                           "record it without -c, which is exact", word->text, (unsigned)number);
        return CLI_CANNOT;
    }
    if (s->core != NULL) {
        cli_complain(verb, "event %s: neither the emulator nor the model of %s counts it (0x%04X); armpmu list --core "
                           "NAME modelled lists what the model of a core counts", word->text, s->core->name,
                     (unsigned)number);
        return CLI_CANNOT;
    }
    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        if (!core_is_arm11(&row) && apmu_core_models(&row, number)) {
            cli_complain(verb, "event %s: the emulator does not count it (0x%04X); the model of a core does, such as "
                               "--core cortex-a72", word->text, (unsigned)number);
            return CLI_CANNOT;
        }
    }
    cli_complain(verb, "event %s: the emulator does not count it (0x%04X); armpmu list exact and armpmu list "
                       "retired list those that it counts", word->text, (unsigned)number);
    return CLI_CANNOT;
}

/* Notes in *@choice what counts the event, @provider, and how far that can be trusted. */
static void provide(const struct selection *s, unsigned provider, struct event_choice *choice)
{
    static const char *const marks[] = {
        [APMU_EXACT] = "", [APMU_RETIRED] = "retired for speculated", [APMU_MODELLED] = "1 an instruction"};
    const bool by_core = provider == PROVIDED_BY_CORE;
    const enum apmu_trust trust = by_core ? APMU_MODELLED : apmu_source_info[provider].trust;

    choice->provider = provider;
    choice->trust = emulator_trust_word(trust);
    choice->mark = by_core ? s->core_mark : marks[trust];
    if (s->sampled && apmu_core_parts(s->core, &choice->number, 1) == 0) { /* a sum of what the program does */
        choice->trust = emulator_trust_word(APMU_EXACT);
        choice->mark = "";
    }
}

static int add(struct selection *s, const struct cli_verb *verb, const struct event_word *word)
{
    const int number = core_event_number(s->core, word->text);
    struct event_choice choice = {.number = (uint16_t)number, .modified = word->modifier[0] != '\0',
                                  .filter = APMU_FILTER(P), .group = word->group};

    if (number < 0 && core_is_arm11(s->core)) {
        cli_complain(verb, "event %s: the unit of %s has no such event; armpmu list --core %s lists its events",
                     word->text, s->core->name, s->core->name);
        return CLI_USAGE;
    }
    if (number < 0) {
        return select_complain_unknown(verb, word);
    }
    if (choice.modified && strcmp(word->modifier, "u") != 0) {
        cli_complain(verb, "event %s:%s: the emulator runs EL0 only; write %s, or count with --engine=perf on an Arm "
                           "machine", word->text, word->modifier, word->text);
        return CLI_CANNOT;
    }
    if (provider_of(s, choice.number) < 0) {
        return complain_not_counted(s, verb, word, choice.number);
    }
    provide(s, (unsigned)provider_of(s, choice.number), &choice);
    snprintf(choice.name, sizeof choice.name, "%s%s", core_event_name(s->core, choice.number),
             choice.modified ? ":u" : "");
    return select_add(s, verb, word, &choice);
}

/* ---------------------------------------------------------------------------------------------------------------
 * What metrics ask for.
 */

/* Returns the core that @row models, for its metrics; NULL if it is one of a user's. */
static const struct apmu_core_info *modelled_core(const struct apmu_core_row *row)
{
    char name[sizeof row->name];

    memcpy(name, row->name, sizeof name);
    for (char *dash = name; apmu_core_by_name(name) == NULL && (dash = strchr(dash, '-')) != NULL;) {
        *dash = ' '; /* "neoverse-n1" is a "Neoverse N1" */
    }
    return apmu_core_by_name(name);
}

static size_t find_cores(const struct count_job *job, struct count_core *cores, size_t room)
{
    const struct apmu_core_row *row = job->selection.core;

    if (room > 0) {
        cores[0] = (struct count_core){.name = ""};
        if (row != NULL) {
            cores[0].info = modelled_core(row);
            cores[0].slots = row->value[APMU_CORE_KEY_TIMING_WIDTH];
            cores[0].line = row->value[APMU_CORE_KEY_L1D_LINE];
        }
    }
    return 1;
}

/* A metric is not computed from a cycle for each instruction: it would look like that of a machine. */
static const char *refuse(const struct count_job *job, const struct count_core *core, uint16_t number)
{
    const int provider = provider_of(&job->selection, number);

    (void)core;
    if (provider < 0 && job->selection.core != NULL) {
        return "the model of the core does not count this; count with --engine=perf on an Arm machine";
    }
    if (provider < 0) {
        return "the emulator does not count this; model a core, --core cortex-a72, or count with --engine=perf on an "
               "Arm machine";
    }
    if (provider != (int)PROVIDED_BY_CORE && apmu_source_info[provider].trust == APMU_MODELLED) {
        return "the emulator counts one for each instruction; model a core, --core cortex-a72, or count with "
               "--engine=perf on an Arm machine";
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

size_t emulator_core_event(const struct event_choice *choice, const uint16_t *events, size_t count)
{
    for (size_t i = 0; choice->provider == PROVIDED_BY_CORE && i < count; i++) {
        if (events[i] == choice->number) {
            return i;
        }
    }
    return APMU_RUN_CORE_EVENTS;
}

/* With and without ":u" it is one event. */
size_t emulator_core_events(const struct selection *s, uint16_t events[APMU_RUN_CORE_EVENTS])
{
    size_t count = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (s->events[i].provider == PROVIDED_BY_CORE && count < APMU_RUN_CORE_EVENTS &&
            emulator_core_event(&s->events[i], events, count) == APMU_RUN_CORE_EVENTS) {
            events[count++] = s->events[i].number; /* there is room for all events that a core models */
        }
    }
    return count;
}

uint64_t emulator_outcomes(const struct selection *s)
{
    uint64_t set = 0;

    for (size_t i = 0; i < s->count; i++) {
        const unsigned provider = s->events[i].provider;

        if (provider != PROVIDED_BY_CORE && apmu_source_info[provider].cost == APMU_COST_OUTCOME) {
            set |= UINT64_C(1) << provider;
        }
    }
    return set;
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
    e->core_event_count = emulator_core_events(s, e->core_events);
    options.outcomes = emulator_outcomes(s);
    options.core = s->core;
    options.core_events = e->core_events;
    options.core_event_count = e->core_event_count;
    options.deterministic = job->deterministic;
    options.variables = job->variables;
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
    if (e->job->identify && e->runner[0] == '\0') {
        version_ask(s->emulator, e->runner, sizeof e->runner);
    }
    *status = (struct count_status){.ended = s->ended, .wait_status = s->wait_status, .elapsed_ns = s->elapsed_ns,
                                    .user_ns = s->user_ns, .system_ns = s->system_ns, .processes = s->processes,
                                    .threads = s->threads, .execs = s->execs, .method = e->method,
                                    .runner = e->runner, .remarks = s->remarks};
}

/* Feeds the bank with what happened since the last reading: the totals are now @totals, and @core of the core. */
static void feed(struct emulation *e, const uint64_t totals[APMU_SOURCE_COUNT], const uint64_t *core)
{
    struct apmu_occurred occurred[APMU_RUN_CORE_EVENTS];
    uint64_t delta[APMU_SOURCE_COUNT];

    for (size_t i = 0; i < APMU_SOURCE_COUNT; i++) {
        delta[i] = totals[i] - e->totals[i];
        e->totals[i] = totals[i];
    }
    for (size_t i = 0; i < e->core_event_count; i++) {
        const int source = core_is_arm11(e->job->selection.core) ? -1 : apmu_source_of_event(e->core_events[i]);

        /* A sum or difference of counts that are read while they grow may seem to go back: it waits. */
        occurred[i].event = bank_number(&e->bank, e->core_events[i]);
        occurred[i].times = core[i] > e->core_totals[i] ? core[i] - e->core_totals[i] : 0;
        e->core_totals[i] += occurred[i].times;
        if (source >= 0) { /* the core counts this event */
            delta[source] = 0;
        }
    }
    bank_feed(&e->bank, delta, occurred, e->core_event_count);
}

static int read_counts(void *run, uint64_t elapsed_ns, struct tally *tallies)
{
    struct emulation *e = run;
    uint64_t totals[APMU_SOURCE_COUNT], core[APMU_RUN_CORE_EVENTS];
    struct apmu_refusal refusal = {0};
    enum apmu_error error;

    if (!apmu_run_totals(e->run, totals, core, &refusal)) {
        cli_complain(e->job->verb, "%s; %s", refusal.cause, refusal.cure);
        return refusal.status;
    }
    feed(e, totals, core);
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

static const char *usual(const struct selection *s)
{
    if (core_is_arm11(s->core)) {
        return "INSTR_EXEC,CPU_CYCLES,IBUF_STALL,DDEP_STALL,LSU_FULL_STALL,BR_EXEC,BR_MISPREDICT,SW_PC_CHANGE,"
               "PROC_CALL_EXEC,PROC_RET_EXEC,PROC_RET_EXEC_PRED_INCORRECT,ICACHE_MISS,ITLB_MISS,"
               "DCACHE_ACCESS_CACHEABLE,DCACHE_MISS,DCACHE_WBACK,DTLB_MISS,MAIN_TLB_MISS,EXPL_D_ACCESS";
    }
    if (s->core != NULL) {
        return "INST_RETIRED,CPU_CYCLES,STALL_FRONTEND,STALL_BACKEND,BR_RETIRED,BR_MIS_PRED_RETIRED,L1I_CACHE,"
               "L1I_CACHE_REFILL,L1I_TLB_REFILL,L1D_CACHE,L1D_CACHE_REFILL,L1D_TLB_REFILL,L2D_CACHE,L2D_CACHE_REFILL,"
               "LL_CACHE_RD,LL_CACHE_MISS_RD,ITLB_WALK,DTLB_WALK";
    }
    return "INST_RETIRED,LD_RETIRED,ST_RETIRED,DP_RETIRED,VFP_RETIRED,ASE_RETIRED,CRYPTO_RETIRED,PRF_RETIRED,"
           "BR_RETIRED,BR_COND_RETIRED,BR_UNCOND_RETIRED,BR_IMMED_RETIRED,BR_IND_RETIRED,BR_RETURN_RETIRED,"
           "BL_TAKEN_RETIRED,LDREX_SPEC,STREX_SPEC,DMB_SPEC,EXC_TAKEN,EXC_SVC";
}

const struct engine emulator_engine = {
    .name = "qemu-user",
    .usual = usual,
    .is_available = is_available, .is_asked_for = is_asked_for, .check = check, .supports = supports,
    .cores = find_cores, .refuses = refuse, .add = add,
    .begin = begin, .pid = pid, .wait = wait_for, .read = read_counts, .end = end,
};
