/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the fields of a register as a view shows them, and says what their values mean, for decode and encode. */
#ifndef ARMPMU_CLI_STATE_FIELDS_H
#define ARMPMU_CLI_STATE_FIELDS_H

#include "names.h"
#include "state.h"

#define FIELDS_MAX 64 /* one for each bit of a register */

/** A field of a register. */
struct fields_row {
    const char *name;    /**< "RES0" if it is always reserved */
    const char *text;    /**< what it does */
    uint8_t msb, lsb;    /**< its bits in the view's value */
    bool reserved;       /**< RES0, always or in this configuration */
    bool res1;           /**< RES1, because this configuration does not implement it */
    bool writable;
    const char *unless;  /**< for .reserved and .res1: NULL, or the condition that does not hold */
    const char *only_if; /**< NULL, or the condition under which it is implemented, if that is not known */
};

/** A register with its fields. */
struct fields_register {
    char name[24], where[64]; /**< as names_spell() and names_where() give them */
    const char *text;   /**< what the register is for */
    const char *absent; /**< NULL, or the condition that does not hold, without which there is no such register */
    struct names_place place;
    const struct apmu_core_info *core; /**< the core whose names events have; NULL for the common names */
    unsigned bits;      /**< the width of the view's value: 32 or 64 */
    unsigned count;
    struct fields_row rows[FIELDS_MAX];
};

/** What is known of the configuration of the PMU whose registers are listed. */
struct fields_config {
    const struct apmu_config *cfg;     /**< NULL if nothing is known */
    uint64_t undecided;                /**< features that are assumed in .cfg, as in struct state_model */
    const struct apmu_core_info *core; /**< NULL if it is not known */
};

/** Lists the fields of the register at @place, the highest bits first. */
void fields_list(const struct names_place *place, const struct fields_config *config, struct fields_register *out);

/** Returns the value of field @row in @value, which is a value of the view. */
static inline uint64_t fields_get(const struct fields_row *row, uint64_t value)
{
    return (value & APMU_BITS(row->msb, row->lsb)) >> row->lsb;
}

/**
 * Writes what @value means as the value of field @row of @f: the name of an event, or the members of a set of events or
 * counters.  Writes "" if the number says it all.  Returns @buf, which has @size bytes; a longer text is truncated.
 */
const char *fields_meaning(const struct fields_register *f, const struct fields_row *row, uint64_t value, char *buf,
                           size_t size);

/** Returns true if the field holds the number of an event. */
bool fields_is_event(const struct names_place *place, const struct fields_row *row);

#endif
