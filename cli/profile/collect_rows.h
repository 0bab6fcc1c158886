/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of instructions of threads with their counts, while a recording is made. */
#ifndef ARMPMU_CLI_COLLECT_ROWS_H
#define ARMPMU_CLI_COLLECT_ROWS_H

#include "../../qemu/user/host/record.h"

/** The table.  It begins with zeros, but for the number of events. */
struct collect_rows {
    size_t events;
    struct apmu_run_insn *keys;
    uint64_t *counts; /**< @events for each row */
    size_t count, room;
    uint32_t *slots;  /**< a hash table: 1 + the number of a row, or 0 */
    size_t slot_count;
};

/** Returns the counts of the row @key, which is added with zeros if it is new, or NULL if there is no memory. */
uint64_t *collect_row(struct collect_rows *t, const struct apmu_run_insn *key);

/** Frees what @t has. */
void collect_rows_free(struct collect_rows *t);

#endif
