/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the records of a ring of perf_event. */
#include "sample_record.h"

#include <linux/perf_event.h>
#include <string.h>

#define TRAILER 32u /* bytes behind each record but samples: pid, tid, time, CPU, identifier */

/* The bytes of a record that are left to read.  What is beyond them reads as 0, and then it is short. */
struct rest {
    const uint8_t *at;
    size_t size;
    bool is_short;
};

static uint64_t take(struct rest *r, size_t size)
{
    uint32_t half = 0;
    uint64_t whole = 0;

    if (r->size < size) {
        r->is_short = true;
        return 0;
    }
    memcpy(size == 4 ? (void *)&half : (void *)&whole, r->at, size); /* the kernel writes in this machine's order */
    r->at += size;
    r->size -= size;
    return size == 4 ? half : whole;
}

static int32_t take_id(struct rest *r)
{
    return (int32_t)(uint32_t)take(r, 4);
}

/* Takes a text, which fills what is left. */
static const char *take_text(struct rest *r)
{
    const char *text = (const char *)r->at;

    if (memchr(text, '\0', r->size) == NULL) {
        r->is_short = true;
        return "";
    }
    return text;
}

const uint8_t *sample_ring_next(struct sample_ring *ring, uint8_t scratch[SAMPLE_RECORD_MOST], size_t *size,
                                uint64_t *broken)
{
    const uint64_t left = ring->head - ring->tail;
    struct perf_event_header header;
    uint8_t *to = (uint8_t *)&header;

    if (left == 0) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof header; i++) {
        to[i] = ring->data[(ring->tail + i) & (ring->size - 1)];
    }
    if (left > ring->size || left < sizeof header || header.size < sizeof header || header.size > left) {
        ring->tail = ring->head;
        ++*broken;
        return NULL;
    }
    const uint64_t at = ring->tail & (ring->size - 1), until_end = ring->size - at;

    ring->tail += header.size;
    *size = header.size;
    if (header.size <= until_end) {
        return ring->data + at;
    }
    memcpy(scratch, ring->data + at, (size_t)until_end);
    memcpy(scratch + until_end, ring->data, header.size - (size_t)until_end);
    return scratch;
}

static void parse_sample(struct rest *r, bool chains, struct sample_record *s)
{
    s->kind = SAMPLE_TAKEN;
    s->id = take(r, 8);
    s->address = take(r, 8);
    s->pid = take_id(r);
    s->tid = take_id(r);
    s->time_ns = take(r, 8);
    s->cpu = (uint32_t)take(r, 4);
    take(r, 4);
    s->period = take(r, 8);
    if (chains) {
        const uint64_t length = take(r, 8);

        s->chain = r->at;
        s->chain_length = length <= r->size / 8 ? (size_t)length : 0;
        r->is_short |= length > r->size / 8;
    }
}

static void parse_map(struct rest *r, struct sample_record *s)
{
    s->kind = SAMPLE_MAP;
    s->pid = take_id(r);
    s->tid = take_id(r);
    s->address = take(r, 8);
    s->size = take(r, 8);
    s->offset = take(r, 8);
    for (unsigned i = 0; i < 4; i++) { /* the device and the inode, or a build id; protection and flags */
        take(r, 8);
    }
    s->name = take_text(r);
}

static void parse_name(struct rest *r, unsigned misc, struct sample_record *s)
{
    s->kind = SAMPLE_NAME;
    s->pid = take_id(r);
    s->tid = take_id(r);
    s->name = take_text(r);
    s->executes = (misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
}

static void parse_fork(struct rest *r, struct sample_record *s)
{
    s->kind = SAMPLE_FORK;
    s->pid = take_id(r);
    s->parent_pid = take_id(r);
    s->tid = take_id(r);
    s->parent_tid = take_id(r);
}

/* Parses what stands behind each record but samples. */
static void parse_trailer(const uint8_t *at, struct sample_record *s)
{
    struct rest r = {.at = at, .size = TRAILER};

    take(&r, 8);
    s->time_ns = take(&r, 8);
    s->cpu = (uint32_t)take(&r, 4);
    take(&r, 4);
    s->id = take(&r, 8);
}

bool sample_record_parse(const uint8_t *bytes, size_t size, bool chains, struct sample_record *record)
{
    struct perf_event_header header;

    *record = (struct sample_record){.kind = SAMPLE_OTHER, .name = ""};
    if (size < sizeof header) {
        return false;
    }
    memcpy(&header, bytes, sizeof header);
    struct rest r = {.at = bytes + sizeof header, .size = size - sizeof header};
    const unsigned mode = header.misc & PERF_RECORD_MISC_CPUMODE_MASK;

    record->kernel = mode != PERF_RECORD_MISC_USER && mode != PERF_RECORD_MISC_GUEST_USER;
    if (header.type == PERF_RECORD_SAMPLE) {
        parse_sample(&r, chains, record);
        return !r.is_short;
    }
    if (r.size < TRAILER) {
        return false;
    }
    r.size -= TRAILER;
    parse_trailer(r.at + r.size, record);
    switch (header.type) {
    case PERF_RECORD_MMAP2: parse_map(&r, record); break;
    case PERF_RECORD_COMM: parse_name(&r, header.misc, record); break;
    case PERF_RECORD_FORK: parse_fork(&r, record); break;
    case PERF_RECORD_LOST:
        record->kind = SAMPLE_LOST;
        take(&r, 8);
        record->period = take(&r, 8);
        break;
    case PERF_RECORD_LOST_SAMPLES:
        record->kind = SAMPLE_LOST;
        record->period = take(&r, 8);
        break;
    case PERF_RECORD_THROTTLE: record->kind = SAMPLE_THROTTLED; break;
    default: break;
    }
    return !r.is_short;
}

uint64_t sample_record_chain(const struct sample_record *record, size_t i)
{
    uint64_t address;

    memcpy(&address, record->chain + i * sizeof address, sizeof address);
    return address;
}
