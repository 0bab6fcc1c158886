/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts records of perf_event in the order of time, and makes tables of them. */
#define _GNU_SOURCE
#include "sample_tables.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "sample_processes.h"

#define CALL_BYTES 4u /* of a call; a BLX of T32, which has two, then counts for the instruction before it */

/* The name of a thread, as long as Linux has them. */
struct thread_name {
    char text[16];
};

/* An address of a call chain. */
struct chain_frame {
    uint64_t address;
    bool kernel;
};

/* A record that waits, in the bytes that wait. */
struct waiting_record {
    uint64_t time_ns;
    size_t at, size;
};

struct sample_tables {
    struct sample_options options;
    struct recording *r;           /* with all but events and code; its nodes have no counts */
    struct sample_processes processes;
    struct profile_pairs threads;  /* (tid, 0) to the row of the thread */
    struct profile_pairs named;    /* (tid, 0) to its name */
    struct thread_name *names;
    size_t name_count, name_room;
    struct profile_pairs events;   /* (identifier, 0) to the event */
    struct profile_pairs sites;    /* (parent node or thread, call site) to a number */
    struct profile_pairs nodes;    /* (number of the site, entry) to the node */
    uint32_t site_count;
    struct chain_frame frames[SAMPLE_RECORD_MOST / 8];
    uint64_t *sums;                /* of the periods of each event */
    uint8_t *bytes;
    size_t byte_count, byte_room;
    struct waiting_record *waiting;
    size_t waiting_count, waiting_room;
    uint64_t latest_ns;
    struct sample_losses losses;
};

/* Returns the value of (@a, @b) in @t: PROFILE_NONE if it is new. */
static uint32_t *value_of(struct profile_pairs *t, uint64_t a, uint64_t b)
{
    uint32_t *value = profile_pair_at(t, a, b);

    sample_need(value != NULL);
    return value;
}

struct sample_tables *sample_tables_new(const struct sample_options *options)
{
    struct sample_tables *t = cli_allocate(NULL, 1, sizeof *t);

    t->options = *options;
    t->sums = cli_allocate(NULL, options->event_count + 1, sizeof *t->sums);
    t->r = recording_new();
    sample_need(t->r != NULL);
    sample_need(recording_add_event(t->r, "", "", 0) != RECORDING_NONE); /* nodes need room for a count */
    sample_processes_begin(&t->processes, t->r);
    return t;
}

void sample_tables_free(struct sample_tables *t)
{
    if (t != NULL) {
        recording_free(t->r);
        sample_processes_free(&t->processes);
        free(t->threads.slots);
        free(t->named.slots);
        free(t->names);
        free(t->sums);
        free(t->events.slots);
        free(t->sites.slots);
        free(t->nodes.slots);
        free(t->bytes);
        free(t->waiting);
        free(t);
    }
}

void sample_tables_event(struct sample_tables *t, uint64_t id, uint32_t event)
{
    *value_of(&t->events, id, 0) = event;
}

uint64_t sample_tables_latest(const struct sample_tables *t)
{
    return t->latest_ns;
}

size_t sample_tables_count(const struct sample_tables *t)
{
    return t->r->sample_count;
}

const struct sample_losses *sample_tables_losses(const struct sample_tables *t)
{
    return &t->losses;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Threads.
 */

/* Returns the name of thread @tid, which is "" if it is new. */
static char *name_of(struct sample_tables *t, int32_t tid)
{
    uint32_t *number = value_of(&t->named, (uint32_t)tid, 0);

    if (*number == PROFILE_NONE) {
        if (t->name_count == t->name_room) {
            t->name_room = t->name_room * 2 + 64;
            t->names = cli_allocate(t->names, t->name_room, sizeof *t->names);
        }
        t->names[t->name_count].text[0] = '\0';
        *number = (uint32_t)t->name_count++;
    }
    return t->names[*number].text;
}

static void set_name(struct sample_tables *t, int32_t tid, const char *name)
{
    snprintf(name_of(t, tid), sizeof t->names->text, "%s", name);
}

/* Returns the row of thread @tid of process @pid: another one if the process executes another program. */
static uint32_t thread_of(struct sample_tables *t, int32_t pid, int32_t tid)
{
    const uint32_t image = sample_process_image(&t->processes, pid);
    uint32_t *row = value_of(&t->threads, (uint32_t)tid, 0);

    if (*row == PROFILE_NONE || t->r->threads[*row].image != image) {
        char *name = name_of(t, tid);
        const bool same = strcmp(name, t->r->images[image].name) == 0;
        const struct recording_thread thread = {.image = image, .tid = tid, .name = same ? (char[]){""} : name};

        *row = recording_add_thread(t->r, &thread);
        sample_need(*row != RECORDING_NONE);
    }
    return *row;
}

/* Sets the name of a thread, also in its row if it has one. */
static void name_thread(struct sample_tables *t, int32_t tid, const char *name)
{
    const uint32_t row = *value_of(&t->threads, (uint32_t)tid, 0);

    set_name(t, tid, name);
    if (row != PROFILE_NONE) {
        const char *program = t->r->images[t->r->threads[row].image].name;

        sample_need(recording_set_text(&t->r->threads[row].name, strcmp(name, program) == 0 ? "" : name_of(t, tid)));
    }
}

void sample_tables_process(struct sample_tables *t, int32_t pid, const char *name, const char *command)
{
    sample_process_execute(&t->processes, pid, name, command, 0);
}

void sample_tables_map(struct sample_tables *t, int32_t pid, uint64_t start, uint64_t end, uint64_t offset,
                       const char *path)
{
    const struct sample_place place = {.start = start, .end = end, .offset = offset};

    sample_process_map(&t->processes, pid, &place, path);
}

void sample_tables_thread(struct sample_tables *t, int32_t tid, const char *name)
{
    name_thread(t, tid, name);
}

/* Takes the name of a thread, or of the program that its process executes. */
static void take_name(struct sample_tables *t, const struct sample_record *s, uint64_t time_ns)
{
    if (s->executes) {
        char *command = t->options.command != NULL ? t->options.command(s->pid) : NULL;

        sample_process_execute(&t->processes, s->pid, s->name, command, time_ns);
        set_name(t, s->tid, "");
        free(command);
    } else {
        name_thread(t, s->tid, s->name);
    }
}

/* Takes a fork: a process, or a thread, which has no row before it has a sample or a name. */
static void take_fork(struct sample_tables *t, const struct sample_record *s, uint64_t time_ns)
{
    const struct thread_name name = *(struct thread_name *)name_of(t, s->parent_tid);

    set_name(t, s->tid, name.text);
    *value_of(&t->threads, (uint32_t)s->tid, 0) = PROFILE_NONE;
    if (s->pid != s->parent_pid) {
        sample_process_fork(&t->processes, s->parent_pid, s->pid, time_ns);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Call chains.
 */

/* Returns the node of @row, which is added if it is new. */
static uint32_t node_of(struct sample_tables *t, const struct recording_node *row)
{
    const uint64_t above = row->parent == RECORDING_NONE ? UINT64_C(1) << 32 | row->thread : row->parent;
    uint32_t *site = value_of(&t->sites, above, row->site);

    if (*site == PROFILE_NONE) {
        *site = t->site_count++;
    }
    uint32_t *node = value_of(&t->nodes, *site, row->entry);

    if (*node == PROFILE_NONE) {
        *node = recording_add_node(t->r, row, (uint64_t[]){0});
        sample_need(*node != RECORDING_NONE);
    }
    return *node;
}

/*
 * Fills t->frames with the addresses of the call chain of @s, the innermost first, and returns how many there are.
 * Return addresses become those of the calls.  What follows a mark is where that side was interrupted.
 */
static size_t find_frames(struct sample_tables *t, const struct sample_record *s)
{
    bool kernel = s->kernel, returns = false;
    size_t count = 0;

    for (size_t i = 0; i < s->chain_length; i++) {
        uint64_t address = sample_record_chain(s, i);

        if (address >= PERF_CONTEXT_MAX) {
            kernel = address != PERF_CONTEXT_USER && address != PERF_CONTEXT_GUEST_USER;
            returns = false;
            continue;
        }
        if (returns && address >= CALL_BYTES) {
            address = (address & ~UINT64_C(1)) - CALL_BYTES; /* T32's have bit 0 set */
        }
        returns = true;
        t->frames[count++] = (struct chain_frame){address, kernel};
    }
    return count;
}

/*
 * Returns the node of the call chain of @s.  Chains say where calls are, and not where functions begin, so the entry of
 * a node is an address in its function.
 */
static uint32_t take_chain(struct sample_tables *t, const struct sample_record *s, uint32_t thread)
{
    struct recording_node row = {.thread = thread, .parent = RECORDING_NONE, .entry_map = RECORDING_NONE,
                                 .site_map = RECORDING_NONE, .kind = RECORDING_CALL_ROOT};

    for (size_t i = find_frames(t, s); i-- > 0;) { /* from the outermost */
        row.entry = t->frames[i].address;
        row.entry_map = sample_process_place(&t->processes, s->pid, row.entry, t->frames[i].kernel);
        row.parent = node_of(t, &row);
        row.kind = RECORDING_CALL;
        row.site = row.entry;
        row.site_map = row.entry_map;
    }
    return row.parent;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Records.
 */

static void take_sample(struct sample_tables *t, const struct sample_record *s, uint64_t time_ns)
{
    const uint32_t event = *value_of(&t->events, s->id, 0);
    uint64_t sum;

    if (event >= t->options.event_count || __builtin_add_overflow(t->sums[event], s->period, &sum)) {
        t->losses.broken++;
        return;
    }
    t->sums[event] = sum;
    const uint32_t thread = thread_of(t, s->pid, s->tid);
    const struct recording_sample row = {
        .thread = thread, .event = event, .node = t->options.call_graph ? take_chain(t, s, thread) : RECORDING_NONE,
        .map = sample_process_place(&t->processes, s->pid, s->address, s->kernel), .address = s->address,
        .time_ns = time_ns, .period = s->period, .cpu = s->cpu};

    sample_need(recording_add_sample(t->r, &row) != RECORDING_NONE);
}

static void take_record(struct sample_tables *t, const struct sample_record *s)
{
    const uint64_t time_ns = s->time_ns < t->options.start_ns ? 0 : s->time_ns - t->options.start_ns;

    switch (s->kind) {
    case SAMPLE_TAKEN: take_sample(t, s, time_ns); break;
    case SAMPLE_MAP: sample_tables_map(t, s->pid, s->address, s->address + s->size, s->offset, s->name); break;
    case SAMPLE_NAME: take_name(t, s, time_ns); break;
    case SAMPLE_FORK: take_fork(t, s, time_ns); break;
    default: break;
    }
}

void sample_tables_put(struct sample_tables *t, const uint8_t *bytes, size_t size)
{
    struct sample_record s;

    if (!sample_record_parse(bytes, size, t->options.call_graph, &s)) {
        t->losses.broken++;
        return;
    }
    t->losses.lost += s.kind == SAMPLE_LOST ? s.period : 0;
    t->losses.throttled += s.kind == SAMPLE_THROTTLED;
    if (s.kind >= SAMPLE_LOST) {
        return;
    }
    while (t->byte_room - t->byte_count < size) {
        t->byte_room = t->byte_room * 2 + SAMPLE_RECORD_MOST;
        t->bytes = cli_allocate(t->bytes, t->byte_room, 1);
    }
    if (t->waiting_count == t->waiting_room) {
        t->waiting_room = t->waiting_room * 2 + 1024;
        t->waiting = cli_allocate(t->waiting, t->waiting_room, sizeof *t->waiting);
    }
    memcpy(t->bytes + t->byte_count, bytes, size);
    t->waiting[t->waiting_count++] = (struct waiting_record){s.time_ns, t->byte_count, size};
    t->byte_count += size;
    t->latest_ns = s.time_ns > t->latest_ns ? s.time_ns : t->latest_ns;
}

/* Compares two records by time, then by the order in which they were read. */
static int by_time(const void *a, const void *b)
{
    const struct waiting_record *x = a, *y = b;

    return x->time_ns != y->time_ns ? (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns)
                                    : (x->at > y->at) - (x->at < y->at);
}

void sample_tables_settle(struct sample_tables *t, uint64_t until_ns)
{
    size_t done = 0, kept = 0;

    if (t->waiting_count == 0) {
        return;
    }
    qsort(t->waiting, t->waiting_count, sizeof *t->waiting, by_time);
    for (; done < t->waiting_count && t->waiting[done].time_ns < until_ns; done++) {
        const struct waiting_record *w = &t->waiting[done];
        struct sample_record s;

        if (sample_record_parse(t->bytes + w->at, w->size, t->options.call_graph, &s)) {
            take_record(t, &s);
        }
    }
    uint8_t *bytes = cli_allocate(NULL, t->byte_room, 1);

    for (size_t i = done; i < t->waiting_count; i++) {
        const struct waiting_record w = t->waiting[i];

        memcpy(bytes + kept, t->bytes + w.at, w.size);
        t->waiting[i - done] = (struct waiting_record){w.time_ns, kept, w.size};
        kept += w.size;
    }
    free(t->bytes);
    t->bytes = bytes;
    t->byte_count = kept;
    t->waiting_count -= done;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The recording.
 */

/* Adds copies of the rows that others refer to. */
static bool copy_rows(const struct recording *from, struct recording *to)
{
    bool ok = true;

    for (size_t i = 0; i < from->file_count && ok; i++) {
        ok = recording_add_file(to, from->files[i].kind, from->files[i].path, NULL, 0) != RECORDING_NONE;
    }
    for (size_t i = 0; i < from->image_count && ok; i++) {
        ok = recording_add_image(to, &from->images[i]) != RECORDING_NONE;
    }
    for (size_t i = 0; i < from->thread_count && ok; i++) {
        ok = recording_add_thread(to, &from->threads[i]) != RECORDING_NONE;
    }
    for (size_t i = 0; i < from->map_count && ok; i++) {
        ok = recording_add_map(to, &from->maps[i]) != RECORDING_NONE;
    }
    return ok;
}

/* Compares two samples by the row of code to which they belong: for qsort(). */
static int by_code(const void *a, const void *b)
{
    const struct recording_sample *x = *(struct recording_sample *const *)a, *y = *(struct recording_sample *const *)b;

    return x->map != y->map           ? (x->map > y->map) - (x->map < y->map)
           : x->address != y->address ? (x->address > y->address) - (x->address < y->address)
                                      : (x->thread > y->thread) - (x->thread < y->thread);
}

/* Adds up the samples by thread and instruction. */
static bool add_code(const struct recording *from, struct recording *to)
{
    const struct recording_sample **sorted = cli_allocate(NULL, from->sample_count + 1, sizeof *sorted);
    uint64_t *counts = cli_allocate(NULL, to->event_count + 1, sizeof *counts);
    bool ok = true;

    for (size_t i = 0; i < from->sample_count; i++) {
        sorted[i] = &from->samples[i];
    }
    qsort(sorted, from->sample_count, sizeof *sorted, by_code);
    for (size_t i = 0; i < from->sample_count && ok; i++) {
        const struct recording_sample *s = sorted[i];

        counts[s->event] += s->period;
        if (i + 1 == from->sample_count || by_code(&sorted[i], &sorted[i + 1]) != 0) {
            const struct recording_code row = {.thread = s->thread, .map = s->map, .address = s->address};

            ok = recording_add_code(to, &row, counts) != RECORDING_NONE;
            memset(counts, 0, to->event_count * sizeof *counts);
        }
    }
    free(sorted);
    free(counts);
    return ok;
}

/* Adds the nodes, each with the counts of the samples that end there. */
static bool add_nodes(const struct recording *from, struct recording *to)
{
    uint64_t *counts = cli_allocate(NULL, from->node_count * to->event_count + 1, sizeof *counts);
    bool ok = true;

    for (size_t i = 0; i < from->sample_count; i++) {
        if (from->samples[i].node != RECORDING_NONE) {
            counts[from->samples[i].node * to->event_count + from->samples[i].event] += from->samples[i].period;
        }
    }
    for (size_t i = 0; i < from->node_count && ok; i++) {
        ok = recording_add_node(to, &from->nodes[i], &counts[i * to->event_count]) != RECORDING_NONE;
    }
    free(counts);
    return ok;
}

/* Adds the samples.  The period of an event whose period adapts is the mean. */
static bool add_samples(const struct recording *from, struct recording *to)
{
    uint64_t *taken = cli_allocate(NULL, to->event_count + 1, sizeof *taken);
    bool ok = true;

    for (size_t i = 0; i < from->sample_count && ok; i++) {
        taken[from->samples[i].event]++;
        ok = recording_add_sample(to, &from->samples[i]) != RECORDING_NONE;
    }
    for (uint32_t event = 0; event < to->event_count && ok; event++) {
        if (to->events[event].frequency != 0) {
            to->events[event].period = taken[event] == 0 ? 1 : recording_sum(to, event) / taken[event];
        }
    }
    free(taken);
    return ok;
}

bool sample_tables_recording(const struct sample_tables *t, struct recording *r)
{
    r->sampled = true;
    r->call_graph = t->options.call_graph;
    return copy_rows(t->r, r) && add_code(t->r, r) && add_nodes(t->r, r) && add_samples(t->r, r);
}
