/* SPDX-License-Identifier: BSD-2-Clause */
/* A bank of model PMUs: as many as the events need, each programmed and read by the driver through its registers. */
#ifndef ARMPMU_CLI_BANK_H
#define ARMPMU_CLI_BANK_H

#include <armpmu/driver.h>
#include <armpmu/model.h>

#include "../../qemu/classify/feed.h"
#include "select.h"

struct bank {
    struct apmu_pe driver_pe;  /* EL1: where the driver runs */
    struct apmu_pe program_pe; /* Non-secure EL0: where the program runs */
    struct apmu *pmus;
    struct bank_driver *drivers; /* one for each PMU */
    size_t count;                /* the number of PMUs */
    uint16_t numbers;            /* what is added to the number of an event: see bank_number() */
};

/**
 * Makes PMUs that count the events of @s at EL0, and starts them.  With @el0 the first PMU gives EL0 access, and its
 * cycle counter counts too.  After an error, *@event is the index in @s of the event that it concerns, or @s->count if
 * it concerns none.  In both cases bank_close() frees @b.
 */
enum apmu_error bank_open(struct bank *b, const struct selection *s, bool el0, size_t *event);

/** Returns the number by which the PMUs count event @number of the selection: ARM11's have others. */
static inline uint16_t bank_number(const struct bank *b, uint16_t number)
{
    return (uint16_t)(b->numbers + number);
}

/**
 * Has every PMU count what happened since the last call: @delta of each source, and @count other @events, whose numbers
 * are those of bank_number().
 */
void bank_feed(struct bank *b, const uint64_t delta[APMU_SOURCE_COUNT], const struct apmu_occurred *events,
               size_t count);

/** Reads the counters into @counts, which has room for one count for each event of the selection, in its order. */
enum apmu_error bank_read(struct bank *b, uint64_t *counts);

/** Closes the driver's sessions and frees the PMUs. */
void bank_close(struct bank *b);

#endif
