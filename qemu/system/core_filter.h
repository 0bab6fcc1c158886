/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The short way of an access, without a translation: virtual lines whose use changes nothing but a count.
 *
 * A cell says that a virtual line is the one that its set of L1D used last, where it stays until another line of the set
 * is used.  So a set owns at most one cell.  Whatever changes a translation empties all cells: QEMU's own TLB is flushed
 * then, and edit.py has that call core_filter_empty().  Where a TLB is simulated, the use of its entry is stamped, as
 * apmu_core_page_fast() does it, and a refill of the TLB empties all cells.
 *
 * Time must look at each load, so there is no short way with it.
 */
#ifndef ARMPMU_QEMU_CORE_FILTER_H
#define ARMPMU_QEMU_CORE_FILTER_H

#include "vcpu.h"

#include <armpmu/core_space.h>

#define FILTER_CELLS 512u

struct core_filter {
    bool on, used; /* .used: some cell is not empty */
    uint32_t shift;                /* log2 of the size of a line */
    uint64_t line[FILTER_CELLS];   /* virtual line << 2, 1, and 2 if it is dirty */
    uint64_t *stamp[FILTER_CELLS]; /* of its page, if a TLB is simulated */
    uint16_t *owned;               /* for each set, the number of its cell */
    uint64_t refills;              /* of the TLB, when it was looked at last */
};

/* Makes all cells empty. */
static inline void core_filter_empty(struct core_filter *filter)
{
    if (filter->used) {
        memset(filter->line, 0, sizeof filter->line);
        filter->used = false;
    }
}

/* Begins a filter for the parts that @core uses now. */
static inline void core_filter_begin(struct core_filter *filter, const struct apmu_core *core)
{
    filter->on = core->l1d.filtered && (core->parts & APMU_CORE_TIMING) == 0;
    filter->shift = core->l1d.shift;
    if (filter->owned == NULL && filter->on) {
        filter->owned = g_new0(uint16_t, core->l1d.mask + 1);
    }
    core_filter_empty(filter);
}

/* Tells an access if it can take the short way.  Returns false if it did nothing. */
static inline bool core_filter_tell(struct core_filter *filter, struct apmu_core *core, uint64_t address, uint32_t size,
                                    bool store)
{
    const uint64_t line = address >> filter->shift, last = address + size - 1;
    const unsigned i = line & (FILTER_CELLS - 1);
    const uint64_t word = filter->line[i];

    if (last >> filter->shift != line || (word | 2) != (line << 2 | 3) || (store && (word & 2) == 0)) {
        return false;
    }
    if (core->dtlb.there) {
        *filter->stamp[i] = ++core->dtlb.clock;
    }
    *(store ? &core->tally.stores : &core->tally.loads) += 1;
    return true;
}

/* Returns the stamp of the page of the access at @physical, NULL if it is not known. */
static inline uint64_t *core_filter_stamp(struct apmu_core *core, uint64_t physical)
{
    struct apmu_core_pages *t = &core->dtlb;
    const uint64_t page = (physical + t->distance) >> t->shift;
    const uint64_t *slot = APMU_CORE_SEEN(uint64_t, t, t->slots) + 2 * (page & (APMU_CORE_SLOTS - 1));

    return slot[0] == page + 1 ? APMU_CORE_AT(uint64_t, t, t->stamps) + slot[1] : NULL;
}

/* Notes that the access at @address, which is at @physical, was told the long way. */
static inline void core_filter_note(struct core_filter *filter, struct apmu_core *core, uint64_t address,
                                    uint64_t physical, uint32_t size)
{
    const struct apmu_core_lines *l = &core->l1d;
    const uint64_t refills = core->tally.tlb_miss[APMU_CORE_CAUSE_LOAD] + core->tally.tlb_miss[APMU_CORE_CAUSE_STORE];
    const uint64_t line = physical >> l->shift, last = (physical + size - 1) >> l->shift;

    if (!filter->on) {
        return;
    }
    if (refills != filter->refills || last - line > 1) {
        filter->refills = refills;
        core_filter_empty(filter);
    }
    for (uint64_t n = line; n <= last && last - line <= 1; n++) {
        filter->line[filter->owned[apmu_core_set(l, n)]] = 0;
    }
    if (last == line) {
        const uint64_t word = APMU_CORE_SEEN(uint64_t, l, l->recent)[apmu_core_set(l, line)];
        const unsigned i = (unsigned)(address >> l->shift & (FILTER_CELLS - 1));
        uint64_t *stamp = core->dtlb.there ? core_filter_stamp(core, physical) : NULL;

        if ((word | APMU_CORE_DIRTY) == (line << 4 | APMU_CORE_VALID | APMU_CORE_DIRTY) &&
            (stamp != NULL || !core->dtlb.there)) {
            const bool dirty = (word & APMU_CORE_DIRTY) == APMU_CORE_DIRTY;

            filter->line[i] = address >> l->shift << 2 | 1 | (dirty ? 2 : 0);
            filter->stamp[i] = stamp;
            filter->owned[apmu_core_set(l, line)] = (uint16_t)i;
            filter->used = true;
        }
    }
}

#endif
