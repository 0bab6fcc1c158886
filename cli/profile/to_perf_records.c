/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of perf.data: for each image its name, its maps and its samples.
 *
 * perf takes a map to hold from the time of its record on.  A place that was mapped again, or that a later image of the
 * process has, is therefore written after the samples of the former map.  In an exact recording nothing has a time:
 * each sample lasts as many nanoseconds as it has counts.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "to_perf_data.h"

enum record {
    RECORD_COMM = 3,
    RECORD_FORK = 7,
    RECORD_SAMPLE = 9,
    RECORD_MMAP2 = 10,
};
enum {
    HEADER_SIZE = 8,
    MISC_MMAP_BUILD_ID = 1 << 14,
    MISC_COMM_EXEC = 1 << 13,
    PROT_READ_EXEC = 5,
    MAP_PRIVATELY = 2,
    LONGEST_NAME = 4096,
};
#define CONTEXT_USER ((uint64_t)-512)

/* Writes the lowest @size bytes of @number, the lowest first. */
static void to_bytes(struct to_out *out, uint64_t number, size_t size)
{
    uint8_t bytes[8];

    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(number >> 8 * i);
    }
    to_put(out, bytes, size);
}

void to_u16(struct to_out *out, uint16_t number)
{
    to_bytes(out, number, 2);
}

void to_u32(struct to_out *out, uint32_t number)
{
    to_bytes(out, number, 4);
}

void to_u64(struct to_out *out, uint64_t number)
{
    to_bytes(out, number, 8);
}

void to_zeros(struct to_out *out, size_t count)
{
    static const uint8_t zeros[64];

    for (; count > sizeof zeros; count -= sizeof zeros) {
        to_put(out, zeros, sizeof zeros);
    }
    to_put(out, zeros, count);
}

const char *to_perf_file(const struct to_perf *perf, uint32_t file, uint32_t image)
{
    switch (perf->r->files[file].kind) {
    case RECORDING_FILE_VDSO: return "[vdso of the program]"; /* perf would take "[vdso]" for its own */
    case RECORDING_FILE_KERNEL: return "[kernel of the program]";
    case RECORDING_FILE_CODE: /* for "//anon" perf reads /tmp/perf-PID.map */
        return perf->has_symbols[image] ? "//anon" : "[generated code]";
    default: return perf->r->files[file].path;
    }
}

static bool has_cpu(const struct to_perf *perf)
{
    return (perf->sample_type & PERF_SAMPLE_CPU_BIT) != 0;
}

/* Writes the header of a record of @size bytes. */
static void write_header(struct to_perf *perf, enum record type, unsigned misc, size_t size)
{
    to_u32(perf->out, type);
    to_u16(perf->out, (uint16_t)misc);
    to_u16(perf->out, (uint16_t)size);
}

/* The same for a record that write_trailer() ends, whose bytes are not in @size. */
static void write_record(struct to_perf *perf, enum record type, unsigned misc, size_t size)
{
    write_header(perf, type, misc, size + 24 + (has_cpu(perf) ? 8 : 0));
}

/* Writes what follows each record but samples. */
static void write_trailer(struct to_perf *perf, int32_t pid, int32_t tid)
{
    to_u32(perf->out, (uint32_t)pid);
    to_u32(perf->out, (uint32_t)tid);
    to_u64(perf->out, perf->time);
    if (has_cpu(perf)) {
        to_u64(perf->out, 0);
    }
    to_u64(perf->out, perf->any_id);
}

/* Returns the bytes of @text that fit, and in *@padded those that it takes with its end, a multiple of 8. */
static size_t text_size(const char *text, size_t most, size_t *padded)
{
    const size_t length = strnlen(text, most - 1);

    *padded = (length + 8) & ~(size_t)7;
    return length;
}

static void write_comm(struct to_perf *perf, const char *name, int32_t pid, int32_t tid, bool exec)
{
    size_t padded;
    const size_t length = text_size(name, 16, &padded);

    write_record(perf, RECORD_COMM, exec ? MISC_COMM_EXEC : 0, HEADER_SIZE + 8 + padded);
    to_u32(perf->out, (uint32_t)pid);
    to_u32(perf->out, (uint32_t)tid);
    to_put(perf->out, name, length);
    to_zeros(perf->out, padded - length);
    write_trailer(perf, pid, tid);
}

static void write_fork(struct to_perf *perf, int32_t pid, int32_t parent, int32_t tid, int32_t parent_tid)
{
    write_record(perf, RECORD_FORK, 0, HEADER_SIZE + 24);
    to_u32(perf->out, (uint32_t)pid);
    to_u32(perf->out, (uint32_t)parent);
    to_u32(perf->out, (uint32_t)tid);
    to_u32(perf->out, (uint32_t)parent_tid);
    to_u64(perf->out, perf->time);
    write_trailer(perf, pid, tid);
}

static void write_map(struct to_perf *perf, const struct recording_map *m)
{
    const struct recording_file *f = &perf->r->files[m->file];
    const int32_t pid = perf->r->images[m->image].pid;
    const char *name = to_perf_file(perf, m->file, m->image);
    size_t padded;
    const size_t length = text_size(name, LONGEST_NAME, &padded);

    write_record(perf, RECORD_MMAP2, PERF_CPUMODE_USER | (f->build_id_length != 0 ? MISC_MMAP_BUILD_ID : 0),
                 HEADER_SIZE + 64 + padded);
    to_u32(perf->out, (uint32_t)pid);
    to_u32(perf->out, (uint32_t)pid);
    to_u64(perf->out, m->start);
    to_u64(perf->out, m->end - m->start);
    to_u64(perf->out, m->offset);
    if (f->build_id_length != 0) {
        to_u32(perf->out, f->build_id_length); /* and three reserved bytes */
        to_put(perf->out, f->build_id, f->build_id_length);
        to_zeros(perf->out, PERF_BUILD_ID - f->build_id_length);
    } else {
        to_zeros(perf->out, 24); /* device and inode */
    }
    to_u32(perf->out, PROT_READ_EXEC);
    to_u32(perf->out, MAP_PRIVATELY);
    to_put(perf->out, name, length);
    to_zeros(perf->out, padded - length);
    write_trailer(perf, pid, pid);
}

/* Writes sample @sample as one of event @event at @time. */
static void write_sample(struct to_perf *perf, size_t sample, uint32_t event, uint64_t time)
{
    const struct to_tree *t = perf->tree;
    const struct to_sample *s = &t->samples[sample];
    const struct recording_thread *thread = &perf->r->threads[s->thread];
    const bool chain = (perf->sample_type & PERF_SAMPLE_CALLCHAIN_BIT) != 0;
    const bool cpu = has_cpu(perf);
    uint32_t frames[TO_DEPTH];
    const size_t depth = to_stack_frames(t, s->stack, frames);

    write_header(perf, RECORD_SAMPLE, PERF_CPUMODE_USER,
                 HEADER_SIZE + 48 + (cpu ? 8u : 0u) + (chain ? 8 * (depth + 2) : 0));
    to_u64(perf->out, event + 1); /* the id */
    to_u64(perf->out, t->frames[frames[0]].address);
    to_u32(perf->out, (uint32_t)perf->r->images[thread->image].pid);
    to_u32(perf->out, (uint32_t)thread->tid);
    to_u64(perf->out, time);
    if (cpu) {
        to_u64(perf->out, s->cpu == RECORDING_NONE ? 0 : s->cpu);
    }
    to_u64(perf->out, t->counts[sample * perf->r->event_count + event]);
    if (chain) {
        to_u64(perf->out, depth + 1);
        to_u64(perf->out, CONTEXT_USER);
        for (size_t i = 0; i < depth; i++) {
            to_u64(perf->out, t->frames[frames[i]].address);
        }
    }
    to_u64(perf->out, 0); /* there are no branches, but without their number perf tries to unwind the stack of arm64 */
    perf->first = perf->first == 0 || time < perf->first ? time : perf->first;
    perf->last = time > perf->last ? time : perf->last;
}

/* Writes the samples from @first to @end of @turns, event by event. */
static void write_samples(struct to_perf *perf, const struct to_perf_turns *turns, size_t first, size_t end)
{
    const struct to_tree *t = perf->tree;
    const size_t events = perf->r->event_count;

    for (uint32_t e = 0; e < events; e++) {
        for (size_t i = first; to_wants(perf->options, e) && !perf->out->failed && i < end; i++) {
            const uint32_t sample = turns->rows[i].row;
            const uint64_t count = t->counts[sample * events + e];

            if (count == 0) {
                continue;
            }
            if (perf->r->sampled) {
                write_sample(perf, sample, e, t->samples[sample].time_ns + 1);
            } else {
                write_sample(perf, sample, e, perf->time);
                perf->time += count;
            }
        }
    }
}

/* Writes the beginning of an image: the process if it is new. */
static void write_image(struct to_perf *perf, uint32_t image)
{
    const struct recording *r = perf->r;
    const struct recording_image *i = &r->images[image];

    if (i->forked && i->parent != RECORDING_NONE) {
        write_fork(perf, i->pid, r->images[i->parent].pid, i->pid, r->images[i->parent].pid);
    }
    write_comm(perf, i->name, i->pid, i->pid, !i->forked);
}

static void write_thread(struct to_perf *perf, uint32_t thread)
{
    const struct recording_thread *t = &perf->r->threads[thread];
    const int32_t pid = perf->r->images[t->image].pid;

    if (t->tid != pid) {
        write_fork(perf, pid, pid, t->tid, pid);
    }
    if (t->name[0] != '\0' || t->tid != pid) {
        write_comm(perf, to_thread_name(perf->r, thread), pid, t->tid, false);
    }
}

/* Returns the end of the turns from @first on that are of @image and @epoch. */
static size_t end_of(const struct to_perf_turns *turns, size_t first, uint32_t image, uint32_t epoch)
{
    while (first < turns->count && turns->rows[first].image == image && turns->rows[first].epoch == epoch) {
        first++;
    }
    return first;
}

/* Sets the time of the maps of an epoch, in a sampled recording, to that of its first sample. */
static void set_time(struct to_perf *perf, const struct to_perf_turns *samples, size_t first, size_t end)
{
    uint64_t time = UINT64_MAX;

    for (size_t i = first; i < end; i++) {
        const uint64_t sample = perf->tree->samples[samples->rows[i].row].time_ns + 1;

        time = sample < time ? sample : time;
    }
    perf->time = first < end ? time : perf->time;
}

void to_perf_records(struct to_perf *perf, const struct to_perf_order *order)
{
    const struct recording *r = perf->r;
    size_t sample = 0, map = 0, thread = 0;

    perf->time = 1;
    perf->first = perf->last = 0;
    for (uint32_t image = 0; image < r->image_count; image++) {
        perf->time = r->sampled ? r->images[image].start_ns + 1 : perf->time;
        write_image(perf, image);
        for (; thread < order->threads.count && order->threads.rows[thread].image == image; thread++) {
            write_thread(perf, order->threads.rows[thread].row);
        }
        for (uint32_t epoch = 0; !perf->out->failed; epoch++) {
            const size_t map_end = end_of(&order->maps, map, image, epoch);
            const size_t sample_end = end_of(&order->samples, sample, image, epoch);

            if (epoch > 0 && map == map_end && sample == sample_end) {
                break;
            }
            if (r->sampled && epoch > 0) {
                set_time(perf, &order->samples, sample, sample_end);
            }
            for (; map < map_end; map++) {
                write_map(perf, &r->maps[order->maps.rows[map].row]);
            }
            write_samples(perf, &order->samples, sample, sample_end);
            sample = sample_end;
        }
    }
}
