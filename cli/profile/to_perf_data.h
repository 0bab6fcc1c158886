/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file perf.data, of which to_perf_data.c writes the header and the features, to_perf_records.c the records, and
 * to_perf_order.c finds their order.
 *
 *      header | ids of the events | attributes of the events | records | table of features | features
 */
#ifndef ARMPMU_CLI_TO_PERF_DATA_H
#define ARMPMU_CLI_TO_PERF_DATA_H

#include "to_formats.h"

enum {
    PERF_NAME_ALIGN = 64,     /* of texts in features */
    PERF_BUILD_ID = 20,       /* the bytes of a build id in a record */
    PERF_CPUMODE_USER = 2,    /* in `misc` of a record */
};

/** What the samples of the file have, as bits of sample_type in perf_event_attr. */
enum to_perf_sample {
    PERF_SAMPLE_IP_BIT = 1u << 0,
    PERF_SAMPLE_TID_BIT = 1u << 1,
    PERF_SAMPLE_TIME_BIT = 1u << 2,
    PERF_SAMPLE_CALLCHAIN_BIT = 1u << 5,
    PERF_SAMPLE_CPU_BIT = 1u << 7,
    PERF_SAMPLE_PERIOD_BIT = 1u << 8,
    PERF_SAMPLE_BRANCHES_BIT = 1u << 11,
    PERF_SAMPLE_IDENTIFIER_BIT = 1u << 16,
};

struct to_perf {
    struct to_out *out;
    const struct recording *r;
    const struct to_tree *tree;
    const struct to_options *options;
    uint32_t sample_type;
    uint64_t any_id;      /**< the id of an event of the file; event e has the id e + 1 */
    bool *has_symbols;    /**< of each image: the program named its generated code */
    uint64_t time;        /**< of the next record */
    uint64_t first, last; /**< the times of the first and of the last sample; 0: there is none */
};

void to_u16(struct to_out *out, uint16_t number);
void to_u32(struct to_out *out, uint32_t number);
void to_u64(struct to_out *out, uint64_t number);
/** Writes @count zeros. */
void to_zeros(struct to_out *out, size_t count);

/** Returns the name under which perf looks for file @file of image @image. */
const char *to_perf_file(const struct to_perf *perf, uint32_t file, uint32_t image);

/** A row that is written in its turn: a sample, a map or a thread. */
struct to_perf_turn {
    uint32_t image;
    uint32_t epoch; /**< the number of maps that had the same place, or the place of a sample's instruction, before */
    uint32_t row;
};

struct to_perf_turns {
    struct to_perf_turn *rows; /**< ordered by image, epoch and row */
    size_t count;
};

/** The order of the records. */
struct to_perf_order {
    struct to_perf_turns samples, maps, threads;
};

/** Finds the order of the records.  Returns false if there is no memory.  The caller frees it in both cases. */
bool to_perf_order(const struct recording *r, const struct to_tree *t, struct to_perf_order *order);
void to_perf_order_free(struct to_perf_order *order);

/** Writes the records to @perf->out, and sets the times of the first and of the last sample. */
void to_perf_records(struct to_perf *perf, const struct to_perf_order *order);

#endif
