/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of a register as a view shows them, with what a value means: for decode and encode. */
#ifndef ARMPMU_CLI_STATE_FIELDS_H
#define ARMPMU_CLI_STATE_FIELDS_H

#include "names.h"
#include "state.h"

#define FIELDS_MAX 64

/** A field in the bits of the view. */
struct fields_row {
    const char *name;   /**< "RES0" of a reserved one */
    const char *text;
    uint8_t msb, lsb;
    bool reserved;      /**< RES0, also by the configuration */
    bool res1;          /**< RES1: by the configuration, it is not implemented */
    bool writable;
    const char *unless; /**< of .reserved and .res1: NULL, or the condition that does not hold */
    const char *only_if; /**< NULL, or the condition that it is implemented under, where nothing decides it */
};

struct fields_of {
    char name[24], where[64];
    const char *text;
    const char *absent; /**< NULL, or the condition that the register is implemented under and that does not hold */
    struct names_place place;
    const struct apmu_core_info *core; /**< whose names events have; NULL: the common ones */
    unsigned bits;      /**< of the view: 32 or 64 */
    unsigned count;
    struct fields_row rows[FIELDS_MAX];
};

/** What is known of the configuration. */
struct fields_config {
    const struct apmu_config *cfg; /**< NULL: nothing */
    uint64_t undecided;            /**< features of it that may be otherwise */
    const struct apmu_core_info *core; /**< NULL: not known */
};

/** The fields at @place, from the top. */
void fields_list(const struct names_place *place, const struct fields_config *config, struct fields_of *out);

/** The value of @row in @value, a value of the view. */
static inline uint64_t fields_get(const struct fields_row *row, uint64_t value)
{
    return (value & APMU_BITS(row->msb, row->lsb)) >> row->lsb;
}

/**
 * What the value @value of @row of @f is beyond its number: the name of an event, counters of a set, a core.
 * Returns @buf, "" if the number says it all.
 */
const char *fields_meaning(const struct fields_of *f, const struct fields_row *row, uint64_t value, char *buf,
                           size_t size);

/** Is it the number of an event? */
bool fields_is_event(const struct names_place *place, const struct fields_row *row);

#endif
