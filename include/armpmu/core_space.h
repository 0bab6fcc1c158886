/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core model under an operating system: caches that see physical addresses, TLBs that see virtual ones of several
 * address spaces, and walks of true tables.
 *
 * This header is for authors of emulators of whole machines.  Loads, stores and fetches of <armpmu/core.h> take
 * physical addresses; apmu_core_map() says what the TLBs see of them.  An address of the TLBs is a virtual one with the
 * number of its address space in high bits that virtual addresses leave free: so a switch to another space forgets
 * nothing, and what the software invalidates goes by apmu_core_forget_where().
 *
 * @code
 * #include <stdio.h>
 * #include <stdlib.h>
 * #include <armpmu/core_space.h>
 *
 * int main(void)
 * {
 *     struct apmu_core_row row;
 *
 *     if (!apmu_core_row_by_name("cortex-a53", &row)) {
 *         return 1;
 *     }
 *     const size_t size = apmu_chip_size(&row, APMU_CORE_ALL, 1);
 *     struct apmu_chip *chip = malloc(size);
 *
 *     if (chip == NULL || apmu_chip_init(chip, size, &row, APMU_CORE_ALL, 1) != NULL) {
 *         return 1;
 *     }
 *     struct apmu_core *core = apmu_chip_core(chip, 0);
 *     const uint64_t tables[] = {0x80100000, 0x80101010, 0x80102000};
 *     const uint64_t virtual_address = 0x400000, physical = 0x80001000;
 *
 *     if (apmu_core_would_walk(core, false, virtual_address)) {
 *         apmu_core_give_walk(core, virtual_address, tables, 3, 1);
 *     }
 *     apmu_core_map(core, false, virtual_address - physical, 0);
 *     apmu_core_load(core, physical, 8);
 *     printf("%u refill of the TLB, %u descriptors\n", (unsigned)apmu_core_read(core, APMU_EV_L1D_TLB_REFILL),
 *            (unsigned)apmu_core_read(core, APMU_EV_DTLB_STEP));
 *     free(chip);
 *     return 0;
 * }
 * @endcode
 */
#ifndef ARMPMU_CORE_SPACE_H
#define ARMPMU_CORE_SPACE_H

#include <armpmu/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Says where the next loads and stores of @core, or with @code its next fetches, are: the TLBs see each address plus
 * @distance.  If an access goes on in another page, as the TLBs see it, the caches see its bytes there at @further
 * more.  Both numbers are multiples of 4096, and 0 in a new chip.
 */
APMU_INLINE void apmu_core_map(struct apmu_core *core, bool code, uint64_t distance, uint64_t further)
{
    struct apmu_core_pages *t = code ? &core->itlb : &core->dtlb;

    t->distance = distance;
    t->further = further;
}

/**
 * Returns true if the first TLB is known to have the page of @address, as it sees it, or is not simulated.  It may have
 * the page if this returns false, too.
 */
APMU_INLINE bool apmu_core_page_known(const struct apmu_core *core, bool code, uint64_t address)
{
    const struct apmu_core_pages *t = code ? &core->itlb : &core->dtlb;
    const uint64_t page = address >> t->shift;

    return !t->there || APMU_CORE_SEEN(uint64_t, t, t->slots)[2 * (page & (APMU_CORE_SLOTS - 1))] == page + 1;
}

/** Returns true if a translation of @address, as the TLBs see it, for data or with @code for code, would walk now. */
bool apmu_core_would_walk(const struct apmu_core *core, bool code, uint64_t address);

/**
 * Gives the descriptors that the next walk for the page of @address reads in place of the invented ones: @count of
 * them, physical addresses from the top; of more than APMU_CORE_WALK_MOST, the first ones.  If the walk cache has the
 * last table, only the last @tail are read.  A core keeps what the last two calls gave until it is read.
 */
void apmu_core_give_walk(struct apmu_core *core, uint64_t address, const uint64_t *descriptors, unsigned count,
                         unsigned tail);

/** Forgets all translations of @core, as after a change of the address space.  Counts stay. */
void apmu_core_forget_pages(struct apmu_core *core);

/**
 * Forgets translations, as after an instruction that invalidates TLBs: all pages, and tables in the walk cache, whose
 * addresses, as the TLBs see them, agree with @address in the bits of @mask.  With @mask 0 it is
 * apmu_core_forget_pages().  Counts stay.
 */
void apmu_core_forget_where(struct apmu_core *core, uint64_t address, uint64_t mask);

/**
 * Simulates, from now on, those of @parts that the chip was made with.  What is left out keeps its content and is not
 * looked up.  apmu_core_read() returns 0 for an event that needs a part that is left out; its count stands still.
 */
void apmu_core_use_parts(struct apmu_core *core, uint32_t parts);

#ifdef __cplusplus
}
#endif
#endif
