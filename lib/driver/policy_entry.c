/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the values of the Secure policy: after a reset, and at entries to protected states. */
#include "internal.h"

#include <armpmu/policy.h>

/* Returns whether a boot row writes @reg. */
static bool has_boot_row(const struct apmu_policy_row *rows, size_t count, enum apmu_reg reg)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].hold == APMU_HOLD_BOOT && rows[i].reg == reg) {
            return true;
        }
    }
    return false;
}

enum apmu_error apmu_policy_apply(const struct apmu_dev *dev, const struct apmu_policy_row *rows, size_t count)
{
    static const enum apmu_reg order[] = {
        APMU_REG_PMCR_EL0, APMU_REG_MDCR_EL3, APMU_REG_SDER32_EL3, APMU_REG_MDCR_EL2,
    };
    struct io io = {.dev = dev};

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (has_boot_row(rows, count, order[i])) {
            const uint64_t old = io_read(&io, order[i], 0);
            io_write(&io, order[i], 0, apmu_policy_value(rows, count, APMU_HOLD_BOOT, order[i], old));
        }
    }
    io_sync(&io);
    return io.error;
}

void apmu_policy_entry(const struct apmu_policy_row *rows, size_t count, struct apmu_policy_entry *entry)
{
    *entry = (struct apmu_policy_entry){0};
    for (size_t i = 0; i < count; i++) {
        if (rows[i].hold == APMU_HOLD_ENTRY && rows[i].reg == APMU_REG_PMCR_EL0) {
            entry->pmcr_el0_mask |= rows[i].mask;
            entry->pmcr_el0 |= rows[i].value;
        } else if (rows[i].hold == APMU_HOLD_ENTRY && rows[i].reg == APMU_REG_MDCR_EL2) {
            entry->mdcr_el2_mask |= rows[i].mask;
            entry->mdcr_el2 |= rows[i].value;
        }
    }
}

/* Writes PMCR_EL0 first: it stops most counters, and these do not count what follows. */
enum apmu_error apmu_policy_enter(const struct apmu_dev *dev, const struct apmu_policy_row *rows, size_t count,
                                  struct apmu_policy_saved *saved)
{
    struct io io = {.dev = dev};
    struct apmu_policy_entry entry;

    apmu_policy_entry(rows, count, &entry);
    *saved = (struct apmu_policy_saved){0};
    if (entry.pmcr_el0_mask != 0) {
        saved->pmcr_el0 = io_read(&io, APMU_REG_PMCR_EL0, 0);
        io_write(&io, APMU_REG_PMCR_EL0, 0, (saved->pmcr_el0 & ~entry.pmcr_el0_mask) | entry.pmcr_el0);
    }
    const enum apmu_error pmcr = io.error;

    if (entry.mdcr_el2_mask != 0) {
        saved->mdcr_el2 = io_read(&io, APMU_REG_MDCR_EL2, 0);
        io_write(&io, APMU_REG_MDCR_EL2, 0, (saved->mdcr_el2 & ~entry.mdcr_el2_mask) | entry.mdcr_el2);
    }
    io_sync(&io);
    if (io.error != APMU_OK && pmcr == APMU_OK && entry.pmcr_el0_mask != 0) {
        (void)dev->ops->write(dev->ctx, APMU_REG_PMCR_EL0, 0, saved->pmcr_el0); /* as it was */
    }
    return io.error;
}

enum apmu_error apmu_policy_leave(const struct apmu_dev *dev, const struct apmu_policy_row *rows, size_t count,
                                  const struct apmu_policy_saved *saved)
{
    struct io io = {.dev = dev, .try_all = true};
    struct apmu_policy_entry entry;

    apmu_policy_entry(rows, count, &entry);
    if (entry.mdcr_el2_mask != 0) {
        io_write(&io, APMU_REG_MDCR_EL2, 0, saved->mdcr_el2);
    }
    if (entry.pmcr_el0_mask != 0) {
        io_write(&io, APMU_REG_PMCR_EL0, 0, saved->pmcr_el0);
    }
    io_sync(&io);
    return io.error;
}
