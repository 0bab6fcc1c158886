/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which call of the core model is the reason for time that is lost.
 *
 * This header is for emulators and tracers that say what each instruction cost.  Most events follow from one call: the
 * difference of apmu_core_read() before and after it.  Time does not.  A load that misses stops dispatch some
 * operations later, in another call.  So a caller gives each call a ticket, a number of its own, and after each call
 * takes what was lost, with the ticket of the call that is the reason.
 *
 * @code
 * #include <stdio.h>
 * #include <stdlib.h>
 * #include <armpmu/core.h>
 *
 * int main(void)
 * {
 *     struct apmu_core_row row;
 *
 *     if (!apmu_core_row_by_name("cortex-a72", &row)) {
 *         return 1;
 *     }
 *     const size_t size = apmu_chip_size(&row, APMU_CORE_ALL, 1);
 *     struct apmu_chip *chip = malloc(size);
 *
 *     if (chip == NULL || apmu_chip_init(chip, size, &row, APMU_CORE_ALL, 1) != NULL) {
 *         return 1;
 *     }
 *     struct apmu_core *core = apmu_chip_core(chip, 0);
 *
 *     apmu_core_blame_begin(&core->blame);
 *     for (uint64_t i = 1; i <= 1000; i++) {
 *         core->blame.ticket = i;
 *         apmu_core_instructions(core, 1);
 *         if (i == 10) {
 *             apmu_core_load(core, 0x100000, 8);
 *         }
 *         for (uint32_t n = 0; n < core->blame.count; n++) {
 *             printf("call %u waits %u slots for call %u\n", (unsigned)i, (unsigned)core->blame.lost[n].slots,
 *                    (unsigned)core->blame.lost[n].ticket);
 *         }
 *         core->blame.count = 0;
 *     }
 *     free(chip);
 *     return 0;
 * }
 * @endcode
 */
#ifndef ARMPMU_CORE_BLAME_H
#define ARMPMU_CORE_BLAME_H

#include <stdbool.h>
#include <stdint.h>

#include <armpmu/inline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An access that takes time and has not ended: a reason for which slots may be lost. */
struct apmu_core_pending {
    uint64_t limit; /* the number of operations at which dispatch waits for it */
    uint64_t end;   /* slots */
    uint64_t loss, ticket; /* enum apmu_core_loss; of the call that made it */
};

#define APMU_CORE_PENDING 64u

/** Such accesses in order. */
struct apmu_core_ring {
    uint32_t first, count;
    struct apmu_core_pending at[APMU_CORE_PENDING];
};

/** An access that takes time, as it was answered: it is noted, for time that passes late (<armpmu/core_near.h>). */
struct apmu_core_timed {
    uint32_t operations; /* apmu_core.operations then, modulo 2^32 */
    uint32_t translation, cache;
    uint8_t level, kind;
};

#define APMU_CORE_NOTES 255u /* a byte counts them */

/** Slots of dispatch that were lost, and the call that is the reason. */
struct apmu_core_lost {
    uint64_t ticket, slots;
    uint32_t loss; /**< enum apmu_core_loss */
};

#define APMU_CORE_BLAME_MOST 128u /* more than one call can lose */

/** What a core lost since the caller took it last.  The caller sets ticket before a call and count to 0 after it. */
struct apmu_core_blame {
    uint64_t ticket; /**< of the calls that follow */
    uint32_t count;
    bool begun;
    struct apmu_core_lost lost[APMU_CORE_BLAME_MOST]; /**< @count of them, in the order of time */
};

/** Has a core note from now on what it loses. */
APMU_INLINE void apmu_core_blame_begin(struct apmu_core_blame *blame)
{
    blame->begun = true;
    blame->count = 0;
}

#ifdef __cplusplus
}
#endif
#endif
