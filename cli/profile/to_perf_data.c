/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of perf.data, its events, and its features. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <armpmu/events.h>

#include "to_perf_data.h"

enum {
    HEADER_SIZE = 104,
    ATTRIBUTE_SIZE = 112,             /* of struct perf_event_attr */
    ATTRIBUTE_ROW = ATTRIBUTE_SIZE + 16, /* with the place of its ids */
    SECTION_SIZE = 16,
    TYPE_RAW = 4,
};

/* Bits of struct perf_event_attr. */
enum {
    ATTR_EXCLUDE_KERNEL = 1 << 5,
    ATTR_MMAP = 1 << 8,
    ATTR_COMM = 1 << 9,
    ATTR_TASK = 1 << 13,
    ATTR_SAMPLE_ID_ALL = 1 << 18,
    ATTR_MMAP2 = 1 << 23,
    ATTR_COMM_EXEC = 1 << 24,
};

enum feature { FEATURE_BUILD_ID = 2, FEATURE_VERSION = 5, FEATURE_ARCH = 6, FEATURE_CMDLINE = 11,
               FEATURE_EVENT_DESC = 12, FEATURE_SAMPLE_TIME = 21 };
enum { MISC_BUILD_ID_SIZE = 1 << 15 };

/* Returns how many events are written. */
static uint32_t event_count(const struct to_perf *perf)
{
    uint32_t count = 0;

    for (uint32_t e = 0; e < perf->r->event_count; e++) {
        count += to_wants(perf->options, e);
    }
    return count;
}

/* Writes struct perf_event_attr of event @event: a raw event with Arm's number; the name is in a feature. */
static void write_attribute(struct to_perf *perf, uint32_t event)
{
    const struct recording_event *e = &perf->r->events[event];
    const struct apmu_event_info *info = apmu_event_by_name(e->name);

    to_u32(perf->out, TYPE_RAW);
    to_u32(perf->out, ATTRIBUTE_SIZE);
    to_u64(perf->out, info != NULL ? info->number : 0);
    to_u64(perf->out, e->period != 0 ? e->period : 1);
    to_u64(perf->out, perf->sample_type);
    to_u64(perf->out, 0); /* the format of counts that are read */
    to_u64(perf->out, ATTR_EXCLUDE_KERNEL | ATTR_MMAP | ATTR_COMM | ATTR_TASK | ATTR_SAMPLE_ID_ALL | ATTR_MMAP2 |
                          ATTR_COMM_EXEC);
    to_zeros(perf->out, ATTRIBUTE_SIZE - 48);
}

static void write_padded(struct to_out *out, const char *text)
{
    const size_t length = strlen(text);
    const size_t padded = (length + PERF_NAME_ALIGN) / PERF_NAME_ALIGN * PERF_NAME_ALIGN;

    to_u32(out, (uint32_t)padded);
    to_put(out, text, length);
    to_zeros(out, padded - length);
}

static void write_build_ids(struct to_perf *perf)
{
    bool *written = calloc(perf->r->file_count + 1, sizeof *written);

    if (written == NULL) {
        to_fail(perf->out, "there is not enough memory");
        return;
    }
    for (size_t i = 0; i < perf->r->map_count; i++) {
        const struct recording_map *m = &perf->r->maps[i];
        const struct recording_file *f = &perf->r->files[m->file];

        if (f->build_id_length == 0 || written[m->file]) {
            continue;
        }
        const char *name = to_perf_file(perf, m->file, m->image);
        const size_t length = strnlen(name, PERF_NAME_ALIGN * PERF_NAME_ALIGN - 1);
        const size_t padded = (length + PERF_NAME_ALIGN) / PERF_NAME_ALIGN * PERF_NAME_ALIGN;

        written[m->file] = true;
        to_u32(perf->out, 0);
        to_u16(perf->out, PERF_CPUMODE_USER | MISC_BUILD_ID_SIZE);
        to_u16(perf->out, (uint16_t)(8 + 4 + 24 + padded));
        to_u32(perf->out, UINT32_MAX); /* of any process */
        to_put(perf->out, f->build_id, f->build_id_length);
        to_zeros(perf->out, PERF_BUILD_ID - f->build_id_length);
        to_u32(perf->out, f->build_id_length); /* and three reserved bytes */
        to_put(perf->out, name, length);
        to_zeros(perf->out, padded - length);
    }
    free(written);
}

static void write_event_names(struct to_perf *perf)
{
    to_u32(perf->out, event_count(perf));
    to_u32(perf->out, ATTRIBUTE_SIZE);
    for (uint32_t e = 0; e < perf->r->event_count; e++) {
        if (to_wants(perf->options, e)) {
            write_attribute(perf, e);
            to_u32(perf->out, 1);
            write_padded(perf->out, recording_title(&perf->r->events[e]).text);
            to_u64(perf->out, e + 1);
        }
    }
}

/* Returns perf's name of the architecture: 32-bit Arm only if no program was of 64 bits. */
static const char *architecture(const struct recording *r)
{
    for (size_t i = 0; i < r->image_count; i++) {
        if (!r->images[i].a32) {
            return "aarch64";
        }
    }
    return "armv7l";
}

static void write_version(struct to_perf *perf)
{
    write_padded(perf->out, perf->r->tool);
}

static void write_arch(struct to_perf *perf)
{
    write_padded(perf->out, architecture(perf->r));
}

static void write_command(struct to_perf *perf)
{
    to_u32(perf->out, 1);
    write_padded(perf->out, perf->r->command);
}

static void write_sample_time(struct to_perf *perf)
{
    to_u64(perf->out, perf->first);
    to_u64(perf->out, perf->last);
}

/* The features, in the order of their numbers. */
static const struct {
    enum feature number;
    void (*write)(struct to_perf *perf);
} features[] = {
    {FEATURE_BUILD_ID, write_build_ids},      {FEATURE_VERSION, write_version},
    {FEATURE_ARCH, write_arch},               {FEATURE_CMDLINE, write_command},
    {FEATURE_EVENT_DESC, write_event_names},  {FEATURE_SAMPLE_TIME, write_sample_time},
};
enum { FEATURES = sizeof features / sizeof features[0] };

/* Returns how many bytes @write writes. */
static uint64_t measure(struct to_perf *perf, void (*write)(struct to_perf *perf))
{
    struct to_out counter = {.file = NULL}, *const out = perf->out;

    perf->out = &counter;
    write(perf);
    perf->out = out;
    if (counter.failed) {
        to_fail(out, counter.why);
    }
    return counter.size;
}

static void write_section(struct to_out *out, uint64_t offset, uint64_t size)
{
    to_u64(out, offset);
    to_u64(out, size);
}

/* Writes the header and the events, for @data_size bytes of records. */
static void write_header(struct to_perf *perf, uint64_t data_size)
{
    const uint64_t events = event_count(perf), ids = HEADER_SIZE, attributes = ids + 8 * events;
    uint64_t flags = 0;

    for (size_t i = 0; i < FEATURES; i++) {
        flags |= (uint64_t)1 << features[i].number;
    }
    to_put(perf->out, "PERFILE2", 8);
    to_u64(perf->out, HEADER_SIZE);
    to_u64(perf->out, ATTRIBUTE_ROW);
    write_section(perf->out, attributes, events * ATTRIBUTE_ROW);
    write_section(perf->out, attributes + events * ATTRIBUTE_ROW, data_size);
    write_section(perf->out, 0, 0);
    to_u64(perf->out, flags);
    to_zeros(perf->out, 24);
    uint64_t id = ids;

    for (uint32_t e = 0; e < perf->r->event_count; e++) {
        if (to_wants(perf->options, e)) {
            to_u64(perf->out, e + 1);
        }
    }
    for (uint32_t e = 0; e < perf->r->event_count; e++) {
        if (to_wants(perf->options, e)) {
            write_attribute(perf, e);
            write_section(perf->out, id, 8);
            id += 8;
        }
    }
}

static void write_features(struct to_perf *perf)
{
    uint64_t sizes[FEATURES], offset = perf->out->size + FEATURES * SECTION_SIZE;

    for (size_t i = 0; i < FEATURES; i++) {
        sizes[i] = measure(perf, features[i].write);
        write_section(perf->out, offset, sizes[i]);
        offset += sizes[i];
    }
    for (size_t i = 0; i < FEATURES; i++) {
        features[i].write(perf);
    }
}

static bool set_symbols(struct to_perf *perf)
{
    perf->has_symbols = calloc(perf->r->image_count + 1, sizeof *perf->has_symbols);
    for (size_t i = 0; perf->has_symbols != NULL && i < perf->r->symbol_count; i++) {
        perf->has_symbols[perf->r->symbols[i].image] = true;
    }
    return perf->has_symbols != NULL;
}

/* Returns whether a CPU is known for some sample. */
static bool has_cpu(const struct to_tree *t)
{
    for (size_t i = 0; i < t->sample_count; i++) {
        if (t->samples[i].cpu != RECORDING_NONE) {
            return true;
        }
    }
    return false;
}

void to_perf_data(struct to_out *out, struct profile *p, const struct to_options *options)
{
    const struct recording *r = profile_recording(p);
    struct to_tree *t = to_tree_new(p, TO_BY_ADDRESS, false);
    struct to_out counter = {.file = NULL};
    struct to_perf perf = {.out = &counter, .r = r, .tree = t, .options = options};
    struct to_perf_order order = {.samples = {.count = 0}};

    if (t == NULL || !set_symbols(&perf) || !to_perf_order(r, t, &order)) {
        to_fail(out, "there is not enough memory");
    } else {
        perf.any_id = to_first(options) + (uint64_t)1;
        perf.sample_type = PERF_SAMPLE_IP_BIT | PERF_SAMPLE_TID_BIT | PERF_SAMPLE_TIME_BIT | PERF_SAMPLE_PERIOD_BIT |
                           PERF_SAMPLE_BRANCHES_BIT | PERF_SAMPLE_IDENTIFIER_BIT |
                           (r->call_graph ? PERF_SAMPLE_CALLCHAIN_BIT : 0) | (has_cpu(t) ? PERF_SAMPLE_CPU_BIT : 0);
        to_perf_records(&perf, &order); /* counts the bytes, which the header says */
        perf.out = out;
        write_header(&perf, counter.size);
        to_perf_records(&perf, &order);
        write_features(&perf);
    }
    to_perf_order_free(&order);
    free(perf.has_symbols);
    to_tree_free(t);
}
