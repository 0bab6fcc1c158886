/* SPDX-License-Identifier: BSD-2-Clause */
/* A bank of model PMUs: as many as the events need, each programmed and read by the driver through its registers. */
#ifndef ARMPMU_CLI_BANK_H
#define ARMPMU_CLI_BANK_H

#include <armpmu/driver.h>
#include <armpmu/model.h>

#include "../../qemu/classify/sources.h"
#include "select.h"

struct bank {
    struct apmu_pe driver_pe;  /* EL1: where the driver runs */
    struct apmu_pe program_pe; /* Non-secure EL0: where the program runs */
    struct apmu *pmus;
    struct bank_driver *drivers; /* one for each PMU */
    size_t count;                /* of PMUs */
};

/**
 * Makes PMUs that count the events of @s at EL0, and starts them.  With @el0 the first PMU gives EL0 access, and its
 * cycle counter counts too.  Returns APMU_OK, or an error with the index of the event concerned in *@event (@s->count:
 * none is).  In both cases bank_close() frees @b.
 */
enum apmu_error bank_open(struct bank *b, const struct selection *s, bool el0, size_t *event);

/** Lets the occurrences in @delta happen on every PMU. */
void bank_feed(struct bank *b, const uint64_t delta[APMU_SOURCE_COUNT]);

/** Reads the counters into @counts, one for each event, in their order. */
enum apmu_error bank_read(struct bank *b, uint64_t *counts);

void bank_close(struct bank *b);

#endif
