/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records that Linux' perf_event writes into a ring: where one ends and the next begins, and what each says.  This
 * is a parser of bytes and asks nothing of the kernel.
 */
#ifndef ARMPMU_CLI_SAMPLE_RECORD_H
#define ARMPMU_CLI_SAMPLE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_RECORD_MOST 65536u /* bytes of a record; its size has 16 bits */

/** What samples have: perf_event_attr.sample_type of each event, and with call chains that bit, too. */
#define SAMPLE_RECORD_TYPE \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
     PERF_SAMPLE_PERIOD)

/** The part of a ring that has records. */
struct sample_ring {
    const uint8_t *data;
    uint64_t size;       /**< of the ring, a power of two */
    uint64_t head, tail; /**< bytes that were written and read since the beginning */
};

enum sample_kind {
    SAMPLE_TAKEN,     /**< a sample */
    SAMPLE_MAP,       /**< code is mapped */
    SAMPLE_NAME,      /**< a thread has another name; or its process executes another program */
    SAMPLE_FORK,      /**< a process or a thread begins */
    SAMPLE_LOST,      /**< records were lost, because the ring was full */
    SAMPLE_THROTTLED, /**< the kernel takes no samples for a moment, because there were too many */
    SAMPLE_OTHER,
};

struct sample_record {
    enum sample_kind kind;
    int32_t pid, tid;         /**< of a fork, the new ones */
    uint64_t time_ns;
    uint32_t cpu;
    uint64_t id;              /**< of the event */
    uint64_t address;         /**< a sample's PC; where a map begins */
    uint64_t period;          /**< a sample's; how many records were lost */
    bool kernel;              /**< the PC is not the program's */
    const uint8_t *chain;     /**< a sample's call chain, @chain_length numbers of 8 bytes, inner ones first */
    size_t chain_length;
    uint64_t size, offset;    /**< a map's, and where in the file it begins */
    bool executes;            /**< SAMPLE_NAME: another program */
    int32_t parent_pid, parent_tid;
    const char *name;         /**< a map's file, or a thread's name */
};

/**
 * Returns the next record of @ring, of *@size bytes, and moves @ring->tail behind it.  The record lasts until the
 * kernel is told that it was read; one that goes over the end of the ring is in @scratch.  Returns NULL if there is
 * none.  A ring that makes no sense is empty then, and *@broken, the number of such faults, grows.
 */
const uint8_t *sample_ring_next(struct sample_ring *ring, uint8_t scratch[SAMPLE_RECORD_MOST], size_t *size,
                                uint64_t *broken);

/**
 * Parses the record of @size bytes at @bytes.  @chains: samples have call chains.  Texts and chains stay where they
 * are.  Returns false if it makes no sense.
 */
bool sample_record_parse(const uint8_t *bytes, size_t size, bool chains, struct sample_record *record);

/** Returns number @i of the call chain of @record. */
uint64_t sample_record_chain(const struct sample_record *record, size_t i);

#endif
