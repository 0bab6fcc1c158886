/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The format of a trace of calls of the core model: what an emulator told the cores of a chip.  Tests replay it.
 *
 * A file is a head and then records until its end, in the order of the calls, the cores of the chip mixed.  A number is
 * little-endian.  The file may end within a record if the process was killed: that record does not count.  The user
 * emulator's plugin writes a file "core.PID.N" for each image of each process into the folder that the environment
 * variable ARMPMU_CORE_TRACE names; N tells images of one process apart, by exec, from 0.
 */
#ifndef ARMPMU_QEMU_CORE_TRACE_H
#define ARMPMU_QEMU_CORE_TRACE_H

#include <stdio.h>

#include <armpmu/core.h>

#define CORE_TRACE_MAGIC   "APMUCORE"
#define CORE_TRACE_VERSION 1u

/** The head of a trace. */
struct core_trace_head {
    char magic[8];         /**< CORE_TRACE_MAGIC, without a 0 at its end */
    uint32_t version;      /**< CORE_TRACE_VERSION */
    uint32_t bytes;        /**< of this head: records begin there */
    uint32_t record_bytes; /**< of each record */
    uint32_t parts;        /**< the parts of the chip, a set of enum apmu_core_part; all calls are recorded for these */
    uint32_t keys;         /**< APMU_CORE_KEY_COUNT of the writer */
    uint32_t zero;
    char name[32];                       /**< of the row */
    uint32_t value[APMU_CORE_KEY_COUNT]; /**< its parameters */
};

/** The calls.  The comments say what the members of a record are. */
enum core_trace_call {
    CORE_TRACE_LOAD = 1,     /**< apmu_core_load(): address, size */
    CORE_TRACE_LOAD_AFTER,   /**< apmu_core_load_after(): address, size */
    CORE_TRACE_STORE,        /**< apmu_core_store(): address, size */
    CORE_TRACE_FETCH,        /**< apmu_core_fetch(): address, size */
    CORE_TRACE_INSTRUCTIONS, /**< apmu_core_instructions(): more is their number */
    CORE_TRACE_BRANCH,       /**< apmu_core_branch(): address is the pc, more the target; kind; size is 1 if taken */
    CORE_TRACE_CALLS
};

/** A record. */
struct core_trace_record {
    uint64_t address, more;
    uint32_t size;
    uint16_t core; /**< the number of the core in its chip; a core that was not seen before begins cold */
    uint8_t call;  /**< enum core_trace_call */
    uint8_t kind;  /**< of a branch: enum apmu_core_branch_kind with what is added to it */
};

/** Writes the head of a trace of a chip of @row with @parts to @file. */
void core_trace_begin(FILE *file, const struct apmu_core_row *row, uint32_t parts);

#endif
