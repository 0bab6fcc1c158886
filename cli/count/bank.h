/* SPDX-License-Identifier: BSD-2-Clause */
/* As many model PMUs as the events need, each programmed and read through the driver's registers. */
#ifndef ARMPMU_CLI_BANK_H
#define ARMPMU_CLI_BANK_H

#include <armpmu/driver.h>
#include <armpmu/model.h>

#include "select.h"

struct bank {
    struct apmu_pe driver_pe;  /* EL1: from where the driver programs */
    struct apmu_pe program_pe; /* EL0, Non-secure: where the program runs */
    struct apmu *pmus;
    struct bank_unit *units; /* beside each PMU, what the driver keeps of it */
    size_t count;            /* PMUs */
};

/**
 * Makes PMUs that count @s at EL0, and starts them.  @el0: the first lets EL0 use it, and its cycle counter counts too.
 * Returns APMU_OK; else *@event is the number of the event concerned.
 */
enum apmu_error bank_open(struct bank *b, const struct selection *s, bool el0, size_t *event);

/** What happened in @delta happens to every PMU. */
void bank_feed(struct bank *b, const uint64_t delta[APMU_SOURCE_COUNT]);

/** Reads the counters of the events, in their order, into @counts. */
enum apmu_error bank_read(struct bank *b, uint64_t *counts);

void bank_close(struct bank *b);

#endif
