/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes recordings of a program that the emulator runs.
 *
 *     qemu/user/host/record.h            collect.c                                   recording.h
 *     images, threads, places  ------->  tables of the recording
 *     an instruction, how often, and
 *     what it counts of each source -->  a row for each thread, map, address and     code, code_counts
 *                                        word; its counts are sums over sources
 */
#define _GNU_SOURCE
#include "collect.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "../count/core.h"
#include "../count/emulator.h"
#include "collect_intervals.h"
#include "collect_rows.h"
#include "recorder.h"

#define METHOD_SIZE 4200 /* a path of PATH_MAX bytes and some words */

struct collector {
    const struct count_job *job;
    struct apmu_run *run;
    struct apmu_run_status status;
    struct collect_shares shares;
    struct collect_intervals intervals; /* none of samples, nor where equal runs have equal recordings */
    uint64_t begun_unix;
    char *command;
    char method[METHOD_SIZE];
};

/* ---------------------------------------------------------------------------------------------------------------
 * Tables.
 */

/* A row of the recording, with its counts. */
struct sorted_row {
    struct recording_code row;
    const uint64_t *counts;
};

/* The recording that is made of a record. */
struct recording_maker {
    const struct collector *collector;
    struct recording *r;
    struct collect_rows rows;
    bool failed;     /* there was no memory for a row */
    uint64_t taken[APMU_CORE_RECORDED]; /* with a frequency: the samples of each event of the core */
    const struct apmu_run_record *record;
    uint32_t *files; /* by place; RECORDING_NONE: not added yet */
    uint32_t *maps;  /* by image and place, likewise */
    bool ended;
};

/* Adds what an instruction counted: an apmu_run_visit. */
static void visit(void *context, const struct apmu_run_insn *insn, uint64_t times, const uint16_t *vector)
{
    struct recording_maker *m = context;
    uint64_t *counts = m->failed ? NULL : collect_row(&m->rows, insn);

    if (counts == NULL) {
        m->failed = true;
        return;
    }
    for (size_t i = 0; i < m->collector->shares.count; i++) {
        const struct event_share *share = &m->collector->shares.shares[i];

        counts[share->event] += share->times * vector[share->source] * times;
    }
    for (size_t i = 0; m->collector->job->frequency != 0 && i < m->collector->shares.core_event_count; i++) {
        m->taken[i] += times * vector[APMU_SOURCE_COUNT + m->collector->shares.core_event_count + i];
    }
}

/* Sets the mean periods of the events, whose samples have a frequency. */
static void set_periods(const struct recording_maker *m)
{
    const struct collect_shares *s = &m->collector->shares;

    for (size_t i = 0; i < s->count && m->collector->job->frequency != 0; i++) {
        const uint64_t taken = m->taken[s->shares[i].source - APMU_SOURCE_COUNT];
        struct recording_event *event = &m->r->events[s->shares[i].event];
        const uint64_t sum = recording_sum(m->r, s->shares[i].event);

        event->frequency = m->collector->job->frequency;
        event->period = taken == 0 || sum < taken ? 1 : sum / taken;
    }
}

/* Returns the map of @place in @image, which is added if it is new.  Returns RECORDING_NONE if there is no memory. */
static uint32_t map_of(struct recording_maker *m, uint32_t image, uint32_t place)
{
    static const enum recording_file_kind kinds[] = {
        [APMU_PLACE_FILE] = RECORDING_FILE_ELF, [APMU_PLACE_VDSO] = RECORDING_FILE_VDSO,
        [APMU_PLACE_CODE] = RECORDING_FILE_CODE};
    const struct apmu_code_place *p = &m->record->places[place];
    uint32_t *map = &m->maps[image * m->record->place_count + place], *file = &m->files[place];

    if (*map != RECORDING_NONE || p->kind < APMU_PLACE_FILE || p->kind > APMU_PLACE_CODE) {
        return *map;
    }
    for (size_t i = 0; *file == RECORDING_NONE && i < m->record->place_count; i++) {
        const struct apmu_code_place *other = &m->record->places[i]; /* another part of the same file */

        if (m->files[i] != RECORDING_NONE && other->kind == p->kind && other->removed == p->removed &&
            strcmp(other->path, p->path) == 0) {
            *file = m->files[i];
        }
    }
    if (*file == RECORDING_NONE) {
        char path[APMU_PATH + 16];

        snprintf(path, sizeof path, "%s%s", p->path, p->removed ? " (deleted)" : "");
        *file = collect_file(m->r, kinds[p->kind], p->kind == APMU_PLACE_FILE   ? path
                                                   : p->kind == APMU_PLACE_VDSO ? "[vdso]"
                                                                                : "[generated code]");
    }
    if (*file != RECORDING_NONE) {
        const struct recording_map row = {.image = image, .file = *file, .start = p->start, .end = p->end,
                                          .offset = p->offset};

        *map = recording_add_map(m->r, &row);
    }
    return *map;
}

/* Adds the events of @c.  Returns false if there is no memory. */
static bool add_events(const struct collector *c, struct recording *r)
{
    const struct selection *s = &c->job->selection;
    bool ok = true;

    for (size_t i = 0; i < s->count && ok; i++) {
        ok = recording_add_event(r, s->events[i].name, s->events[i].mark, c->job->period) != RECORDING_NONE;
    }
    return ok;
}

/* Adds the images and threads.  Returns false if there is no memory. */
static bool add_images(const struct recording_maker *m, uint64_t since)
{
    const struct apmu_run_record *record = m->record;
    bool ok = true;

    for (size_t i = 0; i < record->image_count && ok; i++) {
        struct apmu_run_image *from = &record->images[i];
        const struct recording_image image = {.pid = from->pid, .parent = from->parent, .forked = from->forked,
                                              .a32 = from->a32, .name = from->name, .command = from->command,
                                              .start_ns = m->collector->job->deterministic ? 0 : from->start_ns};

        ok = recording_add_image(m->r, &image) != RECORDING_NONE;
        collect_symbols(m->r, (uint32_t)i, from->pid, since);
    }
    for (size_t i = 0; i < record->thread_count && ok; i++) {
        const struct apmu_run_thread *from = &record->threads[i];
        char name[64];

        snprintf(name, sizeof name, "%s", from->name);
        if (from->threads > 1) {
            snprintf(name, sizeof name, "%.15s%sand %u more", from->name, from->name[0] != '\0' ? " " : "",
                     from->threads - 1);
        }
        const struct recording_thread thread = {.image = from->image, .tid = from->tid, .name = name};

        ok = recording_add_thread(m->r, &thread) != RECORDING_NONE;
    }
    return ok;
}

/* Returns true if @counts are all 0.  If the program runs, what was taken back too early becomes 0. */
static bool is_empty(uint64_t *counts, size_t events, bool ended)
{
    bool empty = true;

    for (size_t i = 0; i < events; i++) {
        if (!ended && (int64_t)counts[i] < 0) {
            counts[i] = 0;
        }
        empty &= counts[i] == 0;
    }
    return empty;
}

/* Compares two rows of a recording by their places in it: for qsort(). */
static int by_place(const void *a, const void *b)
{
    const struct sorted_row *x = a, *y = b;

    return x->row.map != y->row.map           ? (x->row.map > y->row.map) - (x->row.map < y->row.map)
           : x->row.address != y->row.address ? (x->row.address > y->row.address) - (x->row.address < y->row.address)
           : x->row.thread != y->row.thread   ? (x->row.thread > y->row.thread) - (x->row.thread < y->row.thread)
                                              : (x->row.word > y->row.word) - (x->row.word < y->row.word);
}

/* Adds the samples of a row: for each event one entry that stands for all of them. */
static bool add_samples(struct recording *r, const struct sorted_row *row)
{
    bool ok = true;

    for (uint32_t event = 0; event < r->event_count && ok; event++) {
        const struct recording_sample sample = {.thread = row->row.thread, .event = event, .node = RECORDING_NONE,
                                                .map = row->row.map, .address = row->row.address,
                                                .period = row->counts[event], .cpu = RECORDING_NONE};

        ok = sample.period == 0 || recording_add_sample(r, &sample) != RECORDING_NONE;
    }
    return ok;
}

/* Adds the rows in their order.  Returns false if there is no memory. */
static bool add_rows(struct recording_maker *m)
{
    const struct collect_rows *t = &m->rows;
    struct sorted_row *rows = malloc((t->count + 1) * sizeof *rows);
    bool ok = !m->failed && rows != NULL;
    size_t count = 0;

    for (size_t i = 0; i < t->count && ok; i++) {
        const struct apmu_run_insn *key = &t->keys[i];

        if (!is_empty(&t->counts[i * t->events], t->events, m->ended)) {
            const bool known = key->place < m->record->place_count;
            const uint32_t map = known ? map_of(m, m->r->threads[key->thread].image, key->place) : RECORDING_NONE;

            rows[count++] = (struct sorted_row){.counts = &t->counts[i * t->events],
                                                .row = {.thread = key->thread, .map = map, .address = key->address,
                                                        .word = key->word, .length = key->length}};
        }
    }
    if (ok) {
        qsort(rows, count, sizeof *rows, by_place);
    }
    for (size_t i = 0; i < count && ok; i++) {
        ok = recording_add_code(m->r, &rows[i].row, rows[i].counts) != RECORDING_NONE &&
             (!m->r->sampled || add_samples(m->r, &rows[i]));
    }
    free(rows);
    return ok;
}

/* Returns an array of @count times RECORDING_NONE, or NULL if there is no memory. */
static uint32_t *nones(size_t count)
{
    uint32_t *array = malloc((count + 1) * sizeof *array);

    if (array != NULL) {
        memset(array, 255, (count + 1) * sizeof *array);
    }
    return array;
}

/* Adds all tables.  Returns false if there is no memory. */
static bool add_tables(const struct collector *c, struct recording_maker *m)
{
    m->files = nones(m->record->place_count);
    m->maps = nones(m->record->place_count * m->record->image_count);
    const bool ok = m->files != NULL && m->maps != NULL && add_events(c, m->r) && add_images(m, c->begun_unix) &&
                    add_rows(m);

    free(m->files);
    free(m->maps);
    return ok;
}

/* Fills in what @r says of the run.  Returns false if there is no memory. */
static bool describe(const struct collector *c, bool full, struct recording *r)
{
    static const char text[] = "code for which the tables had no room has its counts in rows without an address";
    const struct apmu_run_status *st = &c->status;
    char *remarks = NULL;

    if (asprintf(&remarks, "%s%s%s", st->remarks, st->remarks[0] != '\0' && full ? "\n" : "",
                 full ? text : "") < 0) {
        return false;
    }
    r->complete = st->ended;
    r->wait_status = st->ended ? st->wait_status : 0;
    if (!c->job->deterministic) { /* otherwise equal runs have equal recordings */
        r->begun_unix = c->begun_unix;
        r->elapsed_ns = st->elapsed_ns;
    }
    const bool ok = recording_set_text(&r->engine, "qemu-user") && recording_set_text(&r->emulator, c->method) &&
                    recording_set_text(&r->command, c->command) && recording_set_text(&r->remarks, remarks) &&
                    recording_set_text(&r->core, c->job->selection.core != NULL ? c->job->selection.core->name : "") &&
                    recording_set_text(&r->sysroot, c->job->sysroot != NULL ? c->job->sysroot : "");

    free(remarks);
    return ok;
}

/* Compares the @sums of the counts of all @what with @totals, and complains of the first that differs. */
static bool is_equal(const struct collector *c, const struct recording *r, const uint64_t *sums,
                     const uint64_t *totals, const char *what)
{
    for (size_t i = 0; i < r->event_count; i++) {
        if (sums[i] != totals[i]) {
            cli_complain(c->job->verb,
                         "event %s: the counts of all %s are %llu, but the program's is %llu; please report this as a "
                         "fault of armpmu", r->events[i].name, what, (unsigned long long)sums[i],
                         (unsigned long long)totals[i]);
            return false;
        }
    }
    return true;
}

/*
 * Fills @totals with what stat counts of each event.  An event of the core has the sum of its rows, @sums, if threads
 * may have been stopped between a call of the model and its row.
 */
static void find_totals(const struct collector *c, const struct apmu_run_record *record, const uint64_t *sums,
                        uint64_t *totals)
{
    const struct apmu_run_status *st = &c->status;
    const bool whole = st->ended && WIFEXITED(st->wait_status) && st->threads == st->processes;

    for (size_t i = 0; i < c->shares.count; i++) {
        const struct event_share *share = &c->shares.shares[i];

        if (share->source < APMU_SOURCE_COUNT) {
            totals[share->event] += share->times * record->totals[share->source];
        } else {
            totals[share->event] = whole ? record->core[share->source - APMU_SOURCE_COUNT] : sums[share->event];
        }
    }
}

/*
 * Checks that the rows of @r, and the nodes of its call graph, add up to the totals, as stat counts them.  Returns true
 * if they do, or if the program still runs: then rows and totals are read while they grow.
 */
static bool adds_up(const struct collector *c, const struct apmu_run_record *record, const struct recording *r)
{
    const size_t events = r->event_count;
    uint64_t *totals = cli_allocate(NULL, events, sizeof *totals), *sums = cli_allocate(NULL, events, sizeof *sums);
    bool equal = true;

    for (size_t i = 0; i < r->code_count * events; i++) {
        sums[i % events] += r->code_counts[i];
    }
    find_totals(c, record, sums, totals);
    if (c->status.ended && !c->job->selection.sampled) {
        equal = is_equal(c, r, sums, totals, "instructions");
    }
    if (c->status.ended && equal && r->call_graph && WIFEXITED(c->status.wait_status)) {
        memset(sums, 0, events * sizeof *sums);
        for (size_t i = 0; i < r->node_count * events; i++) {
            sums[i % events] += r->node_counts[i];
        }
        equal = is_equal(c, r, sums, totals, "functions");
    }
    free(totals);
    free(sums);
    return equal;
}

/* Returns the recording of @record, or NULL if there is no memory. */
static struct recording *make(const struct collector *c, const struct apmu_run_record *record)
{
    struct recording_maker m = {.collector = c, .r = recording_new(), .rows = {.events = c->job->selection.count},
                                .record = record, .ended = c->status.ended};
    bool ok = m.r != NULL;

    if (ok) {
        m.r->sampled = c->job->selection.sampled;
        apmu_run_record_each(record, visit, &m);
        ok = add_tables(c, &m) && describe(c, record->full, m.r) &&
             collect_intervals_add(&c->intervals, m.r, c->status.elapsed_ns) &&
             (!c->job->call_graph || collect_graphs(m.r, record, c->run, &c->shares));
        set_periods(&m);
    }
    collect_rows_free(&m.rows);
    if (!ok) {
        recording_free(m.r);
        return NULL;
    }
    return m.r;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The run.
 */

static int check(struct count_job *job)
{
    const struct selection *s = &job->selection;
    const char *wrong = NULL;

    if (job->frequency != 0 && (s->core == NULL || job->clock == 0)) {
        wrong = "-F: the seconds are those of a modelled core, as an emulator has no time of its own; name a core and "
                "its clock, such as --core cortex-a72 --clock 1.5GHz, or give -c";
    } else if (job->clock != 0 && job->frequency == 0) {
        wrong = "--clock: it gives -F its seconds, and there is no -F; leave it out, or give -F too";
    } else if (job->frequency > job->clock) {
        wrong = "-F: there are more samples than cycles in a second of --clock; choose a lower frequency";
    } else if (s->sampled && job->call_graph) {
        wrong = "-c, -F, --call-graph: samples of an emulated program have no call graph, and a call graph is exact; "
                "give one of the two";
    }
    if (wrong != NULL) {
        cli_complain(job->verb, "%s", wrong);
        return CLI_USAGE;
    }
    return CLI_YES;
}

static void end(void *run)
{
    struct collector *c = run;

    apmu_run_free(c->run);
    free(c->shares.shares);
    collect_intervals_free(&c->intervals);
    free(c->command);
    free(c);
}

static void *begin(struct count_job *job, int *status)
{
    struct collector *c = cli_allocate(NULL, 1, sizeof *c);

    c->job = job;
    c->command = cli_join(job->argv);
    c->begun_unix = (uint64_t)time(NULL);
    if (!job->selection.sampled && !job->deterministic) {
        collect_intervals_init(&c->intervals, job->selection.count);
    }
    *status = collect_shares_find(&c->shares, job);
    if (*status == CLI_YES && !collect_sources(&c->shares) && job->call_graph) {
        cli_complain(job->verb, "--call-graph: the events count more than %u kinds of instructions; "
                     "choose fewer events", APMU_GRAPH_EVENTS);
        *status = CLI_CANNOT;
    }
    if (*status != CLI_YES) {
        end(c);
        return NULL;
    }
    return c;
}

static int start(void *run)
{
    struct collector *c = run;
    const struct count_job *job = c->job;
    const int cycles = job->frequency != 0 ? core_event_number(job->selection.core, "CPU_CYCLES") : 0;
    const struct apmu_run_options options = {.size = sizeof options, .argv = job->argv, .sysroot = job->sysroot,
                                             .record = true, .outcomes = emulator_outcomes(&job->selection),
                                             .deterministic = job->deterministic, .variables = job->variables,
                                             .graph_sources = c->shares.sources,
                                             .core = job->selection.core, .core_events = c->shares.core_events,
                                             .core_event_count = c->shares.core_event_count, .core_period = job->period,
                                             .core_frequency = job->frequency, .core_clock = job->clock,
                                             .core_cycles = (uint16_t)cycles,
                                             .graph_source_count = job->call_graph ? c->shares.source_count : 0,
                                             .signalled = job->signalled};
    struct apmu_refusal refusal = {0};

    c->run = apmu_run_start(&options, &refusal);
    if (c->run == NULL) {
        cli_complain(job->verb, "%s%s%s", refusal.cause, refusal.cure[0] == '\0' ? "" : "; ", refusal.cure);
        return refusal.status;
    }
    return CLI_YES;
}

static int pid(const void *run)
{
    return apmu_run_pid(((const struct collector *)run)->run);
}

static void wait_for(void *run, int timeout_ms, struct count_status *status)
{
    struct collector *c = run;
    const struct apmu_run_status *s = &c->status;

    collect_intervals_wait(&c->intervals, c->run, &c->shares, timeout_ms, &c->status);
    if (s->plugin_interface != 0) {
        snprintf(c->method, sizeof c->method, "%s, plugin interface %u", s->emulator, s->plugin_interface);
    }
    *status = (struct count_status){.ended = s->ended, .wait_status = s->wait_status, .elapsed_ns = s->elapsed_ns,
                                    .user_ns = s->user_ns, .system_ns = s->system_ns, .processes = s->processes,
                                    .threads = s->threads, .execs = s->execs, .method = c->method,
                                    .remarks = s->remarks};
}

static double progress(void *run)
{
    uint64_t totals[APMU_SOURCE_COUNT];
    struct apmu_refusal ignored;
    const struct collector *c = run;

    return apmu_run_totals(c->run, totals, NULL, &ignored) ? (double)totals[APMU_SOURCE_INST_RETIRED] / 1e6 : 0;
}

static struct recording *nothing(const void *run)
{
    const struct collector *c = run;
    struct recording *r = recording_new();

    if (r != NULL) {
        r->sampled = c->job->selection.sampled;
    }
    if (r == NULL || !add_events(c, r) || !describe(c, false, r)) {
        cli_complain(c->job->verb, "there is no memory for a recording; end other programs");
        recording_free(r);
        return NULL;
    }
    return r;
}

static struct recording *read_counts(void *run, int *status)
{
    struct collector *c = run;
    struct apmu_run_record record;
    struct apmu_refusal refusal = {0};

    if (!apmu_run_record(c->run, &record, &refusal)) {
        cli_complain(c->job->verb, "%s; %s", refusal.cause, refusal.cure);
        *status = refusal.status;
        return NULL;
    }
    struct recording *r = make(c, &record);

    *status = CLI_CANNOT;
    if (r == NULL) {
        cli_complain(c->job->verb, "the recording needs more memory than there is; record fewer events");
    } else if (!adds_up(c, &record, r)) {
        recording_free(r);
        r = NULL;
    } else {
        *status = CLI_YES;
    }
    apmu_run_record_free(&record);
    return r;
}

const struct recorder collect_recorder = {
    .engine = &emulator_engine, .usual = "INST_RETIRED", .unit = "million instructions",
    .check = check, .begin = begin, .start = start, .pid = pid, .wait = wait_for, .progress = progress,
    .nothing = nothing, .read = read_counts, .end = end,
};
