/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads what a recorded run counted, by instruction: apmu_run_options.record has it recorded.
 *
 *     struct apmu_run_record record;
 *     if (apmu_run_record(run, &record, &no)) {
 *         apmu_run_record_each(&record, add_row, rows);
 *         apmu_run_record_free(&record);
 *     }
 */
#ifndef ARMPMU_QEMU_USER_HOST_RECORD_H
#define ARMPMU_QEMU_USER_HOST_RECORD_H

#include "../code.h"
#include "run.h"

/** A program that a process executed. */
struct apmu_run_image {
    int32_t pid;
    uint32_t parent;      /**< the index of the image that forked it or became it; UINT32_MAX: none */
    bool forked, a32;
    uint64_t start_ns;    /**< since the start of the run */
    char name[64];        /**< the last part of the program's path */
    char command[1024];   /**< its arguments, with blanks between */
};

/** A thread, or several that had the same row of counters. */
struct apmu_run_thread {
    uint32_t image;
    int32_t tid;          /**< of the first */
    unsigned threads;     /**< how many */
    bool rest;            /**< it is all threads beyond those that have a row */
    char name[16];        /**< "": the program's */
};

/** What a run counted until now. */
struct apmu_run_record {
    struct apmu_run_image *images; /**< by the time when they began */
    size_t image_count;
    struct apmu_run_thread *threads;
    size_t thread_count;
    const struct apmu_code_place *places; /**< the run's: they last until the next apmu_run_record() */
    size_t place_count;
    uint64_t totals[APMU_SOURCE_COUNT]; /**< of each source; what apmu_run_record_each() gives adds up to them */
    uint64_t core[APMU_RUN_CORE_EVENTS]; /**< of each event of the modelled core, likewise once the program has ended */
    bool full;            /**< not all code could be told apart, because a table was full */
    const struct apmu_run *run;
    struct record_count *counts;
    size_t count_count;
};

/** An instruction that a thread executed. */
struct apmu_run_insn {
    uint32_t thread;
    uint32_t place;   /**< UINT32_MAX: not known */
    uint64_t address; /**< in the program; 0: not known */
    uint32_t word;    /**< its encoding; T32 with the first halfword in the upper half if it has two */
    uint8_t length;   /**< 2 or 4 bytes; 0: not known */
};

/**
 * Receives that something happened @times at @insn, each time with the occurrences of sources in @vector, behind which
 * are those of the modelled core's events, in the order of apmu_run_options.core_events.  @times may
 * be negative, modulo 2^64: that is taken back from what another call said of the instruction.  Instructions come in no
 * order, each as often as its counters.
 */
typedef void apmu_run_visit(void *context, const struct apmu_run_insn *insn, uint64_t times,
                            const uint16_t vector[APMU_SHAPE_ELEMENTS]);

/**
 * Reads what @run counted until now.  May be called at any time; while the program runs, counts are those of about the
 * same time.  Returns false and fills @no if the counts are not whole.  The caller frees @record.
 */
bool apmu_run_record(struct apmu_run *run, struct apmu_run_record *record, struct apmu_refusal *no);

/** Calls @visit for every instruction of @record. */
void apmu_run_record_each(const struct apmu_run_record *record, apmu_run_visit *visit, void *context);

/** Frees what @record has. */
void apmu_run_record_free(struct apmu_run_record *record);

#endif
