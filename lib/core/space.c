/* SPDX-License-Identifier: BSD-2-Clause */
/* Address spaces: walks of true tables, what software invalidates, and the parts that are simulated. */
#include <armpmu/core_space.h>

#include "internal.h"

/* Returns whether the TLB has @page. */
static bool has_page(const struct apmu_core_pages *t, uint64_t page)
{
    const uint64_t *entries = APMU_CORE_SEEN(uint64_t, t, t->entries);

    for (uint32_t i = 0; i < t->count; i++) {
        if (entries[i] == page + 1) {
            return true;
        }
    }
    return false;
}

bool apmu_core_would_walk(const struct apmu_core *core, bool code, uint64_t address)
{
    const struct apmu_core_pages *t = code ? &core->itlb : &core->dtlb;
    const uint64_t page = address >> t->shift;

    return t->there && !has_page(t, page) && !(core->tlb2.there && apmu_core_has(&core->tlb2, page));
}

void apmu_core_give_walk(struct apmu_core *core, uint64_t address, const uint64_t *descriptors, unsigned count,
                         unsigned tail)
{
    struct apmu_core_walk *walk = &core->given[0];

    core->given[1] = core->given[0];
    walk->page = (address >> core->dtlb.shift) + 1;
    walk->count = count < APMU_CORE_WALK_MOST ? count : APMU_CORE_WALK_MOST;
    walk->tail = tail < walk->count ? tail : walk->count;
    memcpy(walk->at, descriptors, (size_t)walk->count * sizeof *descriptors);
}

/* Forgets the pages of a first TLB that agree with @page in the bits of @mask. */
static void forget(struct apmu_core *core, struct apmu_core_pages *t, uint64_t page, uint64_t mask)
{
    const uint64_t *entries = APMU_CORE_SEEN(uint64_t, t, t->entries);

    if (t->entries == 0) {
        return;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        if (entries[i] != 0 && (((entries[i] - 1) ^ page) & mask) == 0) {
            apmu_core_remove_page(core, t, i);
        }
    }
}

void apmu_core_forget_where(struct apmu_core *core, uint64_t address, uint64_t mask)
{
    const uint32_t shift = core->dtlb.shift, table = 2 * shift - 3; /* a table has the descriptors of 2^table bytes */

    forget(core, &core->dtlb, address >> shift, mask >> shift);
    forget(core, &core->itlb, address >> shift, mask >> shift);
    apmu_core_drop(&core->tlb2, address >> shift, mask >> shift);
    apmu_core_drop(&core->walks, address >> table, mask >> table);
}

void apmu_core_forget_pages(struct apmu_core *core)
{
    apmu_core_forget_where(core, 0, 0);
}

void apmu_core_use_parts(struct apmu_core *core, uint32_t parts)
{
    const uint32_t used = parts & apmu_core_chip(core)->parts & ~(uint32_t)APMU_CORE_UNFILTERED;

    core->parts = used | (apmu_core_chip(core)->parts & APMU_CORE_UNFILTERED);
    core->l1i.there = core->l1i.words != 0 && (used & APMU_CORE_L1I) != 0;
    core->l1d.there = core->l1d.words != 0 && (used & APMU_CORE_L1D) != 0;
    core->l2.there = core->l2.words != 0 && (used & APMU_CORE_L2) != 0;
    core->itlb.there = core->itlb.entries != 0 && (used & APMU_CORE_ITLB) != 0;
    core->dtlb.there = core->dtlb.entries != 0 && (used & APMU_CORE_DTLB) != 0;
    core->l1i.filtered = core->l1i.there && (core->parts & APMU_CORE_UNFILTERED) == 0;
    core->l1d.filtered = core->l1d.there && (core->parts & APMU_CORE_UNFILTERED) == 0;
    if ((used & APMU_CORE_TIMING) == 0) {
        core->limit = UINT64_MAX;
        core->time.limits.count = core->time.loads.count = core->time.stores.count = 0;
    }
}
