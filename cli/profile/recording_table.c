/* SPDX-License-Identifier: BSD-2-Clause */
/* The description of a recording's tables, and the functions that follow it. */
#define _GNU_SOURCE
#include "recording_table.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MEMBER(row, member, kind_) {.name = #member, .kind = RECORDING_MEMBER_##kind_, \
                                    .offset = offsetof(struct row, member)}
#define CHOICE(row, member, most_) {.name = #member, .kind = RECORDING_MEMBER_ENUM, \
                                    .offset = offsetof(struct row, member), \
                                    .width = sizeof((struct row *)0)->member, .most = (most_)}
#define INDEX(row, member, to_, optional_) {.name = #member, .kind = RECORDING_MEMBER_INDEX, \
                                            .offset = offsetof(struct row, member), .to = (to_), \
                                            .optional = (optional_)}

static const struct recording_member head_members[] = {
    MEMBER(recording, tool, TEXT),
    MEMBER(recording, engine, TEXT),
    MEMBER(recording, emulator, TEXT),
    MEMBER(recording, command, TEXT),
    MEMBER(recording, sysroot, TEXT),
    MEMBER(recording, core, TEXT),
    MEMBER(recording, remarks, TEXT),
    MEMBER(recording, complete, FLAG),
    MEMBER(recording, sampled, FLAG),
    MEMBER(recording, call_graph, FLAG),
    MEMBER(recording, wait_status, I32),
    MEMBER(recording, begun_unix, U64),
    MEMBER(recording, elapsed_ns, U64),
};

static const struct recording_member event_members[] = {
    MEMBER(recording_event, name, TEXT),
    MEMBER(recording_event, mark, TEXT),
    MEMBER(recording_event, period, U64),
    MEMBER(recording_event, frequency, U64),
};

static const struct recording_member file_members[] = {
    CHOICE(recording_file, kind, RECORDING_FILE_UNKNOWN),
    MEMBER(recording_file, path, TEXT),
    MEMBER(recording_file, build_id_length, BUILD_ID),
};

static const struct recording_member image_members[] = {
    MEMBER(recording_image, pid, I32),
    INDEX(recording_image, parent, RECORDING_IMAGES, true),
    MEMBER(recording_image, forked, FLAG),
    MEMBER(recording_image, a32, FLAG),
    MEMBER(recording_image, start_ns, U64),
    MEMBER(recording_image, name, TEXT),
    MEMBER(recording_image, command, TEXT),
};

static const struct recording_member thread_members[] = {
    INDEX(recording_thread, image, RECORDING_IMAGES, false),
    MEMBER(recording_thread, tid, I32),
    MEMBER(recording_thread, name, TEXT),
};

static const struct recording_member map_members[] = {
    INDEX(recording_map, image, RECORDING_IMAGES, false),
    INDEX(recording_map, file, RECORDING_FILES, false),
    MEMBER(recording_map, start, U64),
    MEMBER(recording_map, end, U64),
    MEMBER(recording_map, offset, U64),
};

static const struct recording_member symbol_members[] = {
    INDEX(recording_symbol, image, RECORDING_IMAGES, false),
    MEMBER(recording_symbol, start, U64),
    MEMBER(recording_symbol, size, U64),
    MEMBER(recording_symbol, name, TEXT),
};

static const struct recording_member code_members[] = {
    INDEX(recording_code, thread, RECORDING_THREADS, false),
    INDEX(recording_code, map, RECORDING_MAPS, true),
    MEMBER(recording_code, address, U64),
    MEMBER(recording_code, word, U32),
    MEMBER(recording_code, length, U8),
};

static const struct recording_member node_members[] = {
    INDEX(recording_node, thread, RECORDING_THREADS, false),
    INDEX(recording_node, parent, RECORDING_NODES, true),
    INDEX(recording_node, entry_map, RECORDING_MAPS, true),
    INDEX(recording_node, site_map, RECORDING_MAPS, true),
    MEMBER(recording_node, entry, U64),
    MEMBER(recording_node, site, U64),
    MEMBER(recording_node, calls, U64),
    CHOICE(recording_node, kind, RECORDING_CALL_ROOT),
};

static const struct recording_member sample_members[] = {
    INDEX(recording_sample, thread, RECORDING_THREADS, false),
    INDEX(recording_sample, event, RECORDING_EVENTS, false),
    INDEX(recording_sample, node, RECORDING_NODES, true),
    INDEX(recording_sample, map, RECORDING_MAPS, true),
    MEMBER(recording_sample, address, U64),
    MEMBER(recording_sample, time_ns, U64),
    MEMBER(recording_sample, period, U64),
    MEMBER(recording_sample, cpu, U32),
};

static const struct recording_member interval_members[] = {
    MEMBER(recording_interval, start_ns, U64),
    MEMBER(recording_interval, end_ns, U64),
};

/*
 * TABLE("SAMP", "sample", sample, samples) is the table of struct recording_sample in samples and sample_count.
 * COUNTED(...) is one whose rows have counts:
 *
 *     COUNTED("CODE", "instruction", code, code, code_count, code_counts)
 */
#define TABLE(tag_, name_, row, rows_) \
    {tag_, name_, sizeof(struct recording_##row), offsetof(struct recording, rows_), \
     offsetof(struct recording, row##_count), 0, row##_members, COUNT(row##_members)}
#define COUNTED(tag_, name_, row, rows_) \
    {tag_, name_, sizeof(struct recording_##row), offsetof(struct recording, rows_), \
     offsetof(struct recording, row##_count), offsetof(struct recording, row##_counts), row##_members, \
     COUNT(row##_members)}

const struct recording_table recording_tables[RECORDING_TABLES] = {
    [RECORDING_EVENTS] = TABLE("EVNT", "event", event, events),
    [RECORDING_FILES] = TABLE("FILE", "file", file, files),
    [RECORDING_IMAGES] = TABLE("IMAG", "image", image, images),
    [RECORDING_THREADS] = TABLE("THRD", "thread", thread, threads),
    [RECORDING_MAPS] = TABLE("MAPS", "map", map, maps),
    [RECORDING_SYMBOLS] = TABLE("SYMB", "symbol", symbol, symbols),
    [RECORDING_CODE] = COUNTED("CODE", "instruction", code, code),
    [RECORDING_NODES] = COUNTED("NODE", "node", node, nodes),
    [RECORDING_SAMPLES] = TABLE("SAMP", "sample", sample, samples),
    [RECORDING_INTERVALS] = COUNTED("TIME", "interval", interval, intervals),
};

const struct recording_table recording_head = {
    .tag = "HEAD", .name = "recording", .row_size = sizeof(struct recording), .members = head_members,
    .member_count = COUNT(head_members),
};

size_t recording_table_count(const struct recording *r, const struct recording_table *t)
{
    size_t count;

    memcpy(&count, (const char *)r + t->count, sizeof count);
    return count;
}

/* Returns the pointer that is kept at @offset of @r. */
static void *pointer_at(const struct recording *r, size_t offset)
{
    void *pointer;

    memcpy(&pointer, (const char *)r + offset, sizeof pointer);
    return pointer;
}

void *recording_table_row(const struct recording *r, const struct recording_table *t, size_t row)
{
    return (char *)pointer_at(r, t->rows) + row * t->row_size;
}

uint64_t *recording_table_counts(const struct recording *r, const struct recording_table *t, size_t row)
{
    return t->counts == 0 ? NULL : (uint64_t *)pointer_at(r, t->counts) + row * r->event_count;
}

char **recording_member_text(const struct recording_member *m, void *row)
{
    return (char **)(void *)((char *)row + m->offset);
}

/* Returns the size in memory of a number. */
static size_t width_of(const struct recording_member *m)
{
    switch (m->kind) {
    case RECORDING_MEMBER_U8: return 1;
    case RECORDING_MEMBER_FLAG: return sizeof(bool);
    case RECORDING_MEMBER_ENUM: return m->width;
    case RECORDING_MEMBER_U64: return 8;
    default: return 4;
    }
}

uint64_t recording_member_number(const struct recording_member *m, const void *row)
{
    const char *at = (const char *)row + m->offset;
    uint8_t byte;
    uint32_t word;
    uint64_t value;

    switch (width_of(m)) {
    case 1:
        memcpy(&byte, at, sizeof byte);
        return byte;
    case 4:
        memcpy(&word, at, sizeof word);
        return word;
    default:
        memcpy(&value, at, sizeof value);
        return value;
    }
}

void recording_member_set(const struct recording_member *m, void *row, uint64_t value)
{
    char *at = (char *)row + m->offset;
    const uint8_t byte = (uint8_t)value;
    const uint32_t word = (uint32_t)value;

    switch (width_of(m)) {
    case 1: memcpy(at, &byte, sizeof byte); break;
    case 4: memcpy(at, &word, sizeof word); break;
    default: memcpy(at, &value, sizeof value); break;
    }
}

/*
 * Makes room at the pointer at @offset of @r for element @count of @size bytes.  There is room for 16 elements or the
 * next power of two, so it grows only where @count is a power of two.
 */
static bool make_room(struct recording *r, size_t offset, size_t count, size_t size)
{
    const size_t room = count == 0 ? 16 : 2 * count;
    void *memory;

    if (count != 0 && (count < 16 || (count & (count - 1)) != 0)) {
        return true;
    }
    memory = reallocarray(pointer_at(r, offset), room, size == 0 ? 1 : size);
    if (memory == NULL) {
        return false;
    }
    memcpy((char *)r + offset, &memory, sizeof memory);
    return true;
}

uint32_t recording_table_add(struct recording *r, const struct recording_table *t, const void *row,
                             const uint64_t *counts)
{
    size_t count = recording_table_count(r, t);

    if (count >= RECORDING_NONE || !make_room(r, t->rows, count, t->row_size) ||
        (t->counts != 0 && !make_room(r, t->counts, count, r->event_count * sizeof *counts))) {
        return RECORDING_NONE;
    }
    memcpy(recording_table_row(r, t, count), row, t->row_size);
    if (t->counts != 0 && r->event_count != 0) {
        memcpy(recording_table_counts(r, t, count), counts, r->event_count * sizeof *counts);
    }
    count++;
    memcpy((char *)r + t->count, &count, sizeof count);
    return (uint32_t)(count - 1);
}

void recording_row_free(const struct recording_table *t, void *row)
{
    for (size_t i = 0; i < t->member_count; i++) {
        if (t->members[i].kind == RECORDING_MEMBER_TEXT) {
            free(*recording_member_text(&t->members[i], row));
        }
    }
}
