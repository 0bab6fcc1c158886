/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records samples of this machine's counters by perf_event.
 *
 *     sample_events.c     opens events and rings
 *     sample_record.c     parses what the rings have
 *     sample_tables.c     orders it by time and makes tables of it; sample_processes.c follows processes
 *     sample_running.c    adds what runs already, as /proc has it
 *
 * The rings are read every tenth of a second.  What one round finds waits for the next one: until then an earlier
 * record may come from a ring that was read before.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect.h"
#include "recorder.h"
#include "sample_events.h"
#include "sample_running.h"

#define ROUND_MS 100            /* between readings of the rings */
#define USUAL_FREQUENCY 4000u   /* samples in a second without -c and -F, as perf has it */
#define NS_PER_S UINT64_C(1000000000)

struct sampling {
    struct count_job *job;
    struct launch launch;
    struct count_status status;
    struct sample_events events;
    struct sample_tables *tables;
    uint64_t settled_ns; /* records from before this time can be ordered at the next round */
    uint64_t broken;     /* rings that made no sense */
    uint64_t begun_unix;
    char *command;
    char *remarks;
    uint8_t scratch[SAMPLE_RECORD_MOST];
};

static int check(struct count_job *job)
{
    if (job->clock != 0) {
        cli_complain(job->verb, "--clock: it is that of a modelled core, and this machine has time; leave it out");
        return CLI_USAGE;
    }
    if (job->period == 0 && job->frequency == 0) {
        job->frequency = USUAL_FREQUENCY;
    }
    job->selection.sampled = true;
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The run.
 */

static void end(void *run)
{
    struct sampling *s = run;

    sample_events_close(&s->events);
    launch_end(&s->launch);
    sample_tables_free(s->tables);
    free(s->command);
    free(s->remarks);
    free(s);
}

/* Returns the present time on the clock of the samples. */
static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Returns what is recorded, in words. */
static char *describe(const struct count_job *job)
{
    char *text = NULL;

    if (job->argv[0] != NULL) {
        return cli_join(job->argv);
    }
    if (asprintf(&text, "%s%s%s", job->all_cpus ? "every CPU" : job->pids != NULL ? "process " : "thread ",
                 job->all_cpus ? "" : job->pids != NULL ? job->pids : job->tids,
                 !job->all_cpus && job->pids != NULL && job->tids != NULL ? " and threads" : "") < 0) {
        return strdup("");
    }
    return text;
}

static void *begin(struct count_job *job, int *status)
{
    struct sampling *s = cli_allocate(NULL, 1, sizeof *s);

    s->job = job;
    s->begun_unix = (uint64_t)time(NULL);
    s->command = describe(job);
    *status = launch_prepare(&s->launch, job);
    if (*status == CLI_YES) {
        *status = sample_events_open(&s->events, job, &s->launch);
    }
    if (*status != CLI_YES) {
        end(s);
        return NULL;
    }
    const struct sample_options options = {.start_ns = now_ns(), .call_graph = job->call_graph,
                                           .event_count = job->selection.count, .command = sample_running_command};

    s->tables = sample_tables_new(&options);
    for (size_t i = 0; i < s->events.event_count; i++) {
        if (!s->events.events[i].tracks) {
            sample_tables_event(s->tables, s->events.events[i].id, s->events.events[i].event);
        }
    }
    return s;
}

static int start(void *run)
{
    struct sampling *s = run;
    int status = CLI_YES;

    if (s->launch.pid != 0) {
        sample_tables_process(s->tables, s->launch.pid, "armpmu", NULL); /* until it executes the program */
    }
    if (s->job->all_cpus) {
        sample_running_all(s->tables);
    } else if (s->launch.thread_count != 0) {
        sample_running_threads(s->tables, s->launch.threads, s->launch.thread_count);
    }
    if (s->job->all_cpus || s->launch.thread_count != 0) {
        status = sample_events_start(&s->events);
    }
    return status == CLI_YES ? launch_go(&s->launch, s->job) : status;
}

static int pid(const void *run)
{
    return ((const struct sampling *)run)->launch.pid;
}

/* Reads all rings.  Records from before the previous round are in order now; with @all, all are. */
static void read_rings(struct sampling *s, bool all)
{
    for (unsigned cpu = 0; cpu < s->events.cpu_count; cpu++) {
        struct sample_cpu *c = &s->events.cpus[cpu];
        const uint8_t *bytes;
        size_t size;

        if (c->page == NULL) {
            continue;
        }
        struct sample_ring ring = sample_events_ring(c);

        while ((bytes = sample_ring_next(&ring, s->scratch, &size, &s->broken)) != NULL) {
            sample_tables_put(s->tables, bytes, size);
        }
        sample_events_read(c, ring.tail);
    }
    sample_tables_settle(s->tables, all ? UINT64_MAX : s->settled_ns);
    s->settled_ns = sample_tables_latest(s->tables);
}

static void wait_for(void *run, int timeout_ms, struct count_status *status)
{
    struct sampling *s = run;

    do {
        const int step = timeout_ms < 0 || timeout_ms > ROUND_MS ? ROUND_MS : timeout_ms;

        launch_wait(&s->launch, step, &s->status);
        if (s->status.ended) {
            sample_events_stop(&s->events);
        }
        read_rings(s, s->status.ended);
        timeout_ms -= timeout_ms < 0 ? 0 : step;
    } while (!s->status.ended && timeout_ms != 0);
    s->status.method = "";
    *status = s->status;
}

static double progress(void *run)
{
    return (double)sample_tables_count(((struct sampling *)run)->tables);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The recording.
 */

/* Writes what the samples leave out to s->remarks. */
static bool remark(struct sampling *s)
{
    const struct sample_losses *no = sample_tables_losses(s->tables);
    char lost[160] = "", throttled[160] = "", broken[96] = "";

    if (no->lost != 0) {
        snprintf(lost, sizeof lost, "%" PRIu64 " records were lost, because they came faster than they were read; take "
                                    "fewer samples\n", no->lost);
    }
    if (no->throttled != 0) {
        snprintf(throttled, sizeof throttled, "the kernel held sampling back %" PRIu64 " times, because there were too "
                                              "many samples; take fewer\n", no->throttled);
    }
    if (no->broken + s->broken != 0) {
        snprintf(broken, sizeof broken, "%" PRIu64 " records made no sense, and were left out\n",
                 no->broken + s->broken);
    }
    free(s->remarks);
    if (asprintf(&s->remarks, "%s%s%s", lost, throttled, broken) < 0) {
        s->remarks = NULL;
        return false;
    }
    s->remarks[strlen(s->remarks) - (s->remarks[0] != '\0')] = '\0'; /* lines have '\n' between */
    return true;
}

/* Adds the events to @r, and what it says of the run.  Returns false if there is no memory. */
static bool add_head(const struct sampling *s, struct recording *r)
{
    const struct selection *chosen = &s->job->selection;
    bool ok = recording_set_text(&r->engine, "perf") && recording_set_text(&r->command, s->command);

    for (size_t i = 0; i < chosen->count && ok; i++) {
        ok = recording_add_event(r, chosen->events[i].name, chosen->events[i].mark,
                                 s->job->period != 0 ? s->job->period : 1) != RECORDING_NONE;
        if (ok) {
            r->events[i].frequency = s->job->frequency;
        }
    }
    r->sampled = true;
    r->call_graph = s->job->call_graph;
    r->complete = s->status.ended;
    r->wait_status = s->status.ended ? s->status.wait_status : 0;
    r->begun_unix = s->begun_unix;
    r->elapsed_ns = s->status.elapsed_ns;
    return ok;
}

static struct recording *nothing(const void *run)
{
    const struct sampling *s = run;
    struct recording *r = recording_new();

    if (r == NULL || !add_head(s, r)) {
        cli_complain(s->job->verb, "there is no memory for a recording; end other programs");
        recording_free(r);
        return NULL;
    }
    return r;
}

/* Adds what files say: build ids, whether programs are 32-bit ones, names of generated code and of the kernel. */
static void ask_files(const struct sampling *s, struct recording *r)
{
    bool kernel = false;

    for (size_t i = 0; i < r->file_count; i++) {
        collect_build_id(&r->files[i]);
        kernel |= r->files[i].kind == RECORDING_FILE_KERNEL;
    }
    for (size_t i = r->map_count; i-- > 0;) { /* the first map with a file has the last word */
        if (r->files[r->maps[i].file].kind == RECORDING_FILE_ELF) {
            r->images[r->maps[i].image].a32 = collect_is_32(r->files[r->maps[i].file].path);
        }
    }
    for (size_t i = 0; i < r->image_count; i++) {
        collect_symbols(r, (uint32_t)i, r->images[i].pid, s->begun_unix);
    }
    if (kernel) {
        sample_running_kernel(r);
    }
}

static struct recording *read_samples(void *run, int *status)
{
    struct sampling *s = run;
    struct recording *r = recording_new();

    *status = CLI_YES;
    if (r == NULL || !remark(s) || !add_head(s, r) || !sample_tables_recording(s->tables, r) ||
        !recording_set_text(&r->remarks, s->remarks)) {
        cli_complain(s->job->verb, "the recording needs more memory than there is; record for a shorter time");
        *status = CLI_CANNOT;
        recording_free(r);
        return NULL;
    }
    ask_files(s, r);
    return r;
}

const struct recorder sample_recorder = {
    .engine = &perf_engine, .usual = "CPU_CYCLES", .unit = "samples",
    .check = check, .begin = begin, .start = start, .pid = pid, .wait = wait_for, .progress = progress,
    .nothing = nothing, .read = read_samples, .end = end,
};
