/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The short way of an access, without a translation: virtual lines whose use changes nothing but a count.
 *
 * A cell says that a virtual line is the one that its set of L1D used last, which it stays until another line of the
 * set is used.  So a set owns at most one cell.  Whatever changes a translation empties all cells: QEMU's own TLB is
 * flushed then, and edit.py has that call core_feed_translations_changed().  Where a TLB is simulated, the use of its
 * entry is stamped, as apmu_core_page_fast() does it, and a refill of the TLB empties all cells.  Where it is simulated
 * without L1D, a cell stands for a page of 4096 bytes.
 *
 * Time must look at each load, so there is no short way with it.
 */
#ifndef ARMPMU_QEMU_CORE_FILTER_H
#define ARMPMU_QEMU_CORE_FILTER_H

#include "vcpu.h"

#include <armpmu/core_space.h>

#define FILTER_CELLS 512u

struct core_filter {
    bool on, used;                 /* .used: some cell is not empty */
    bool pages;                    /* a cell stands for a page */
    uint32_t shift;                /* log2 of the size of a line or page */
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
    filter->pages = !core->l1d.there && core->dtlb.there;
    filter->on = (core->l1d.filtered || filter->pages) && (core->parts & APMU_CORE_TIMING) == 0;
    filter->shift = filter->pages ? 12 : core->l1d.shift;
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
        *filter->stamp[i] = apmu_core_stamp(&core->dtlb);
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

/* Notes that the access at @address, which is at @physical, may take the short way next time.  It is in one cell. */
static inline void core_filter_fill(struct core_filter *filter, struct apmu_core *core, uint64_t address,
                                    uint64_t physical)
{
    const struct apmu_core_lines *l = &core->l1d;
    const uint64_t line = physical >> l->shift, set = filter->pages ? 0 : apmu_core_set(l, line);
    const uint64_t end = apmu_core_line_end(l, physical);
    const unsigned i = (unsigned)(address >> filter->shift & (FILTER_CELLS - 1));
    uint64_t *stamp = core->dtlb.there ? core_filter_stamp(core, physical) : NULL;

    if ((filter->pages || apmu_core_cut(l, set)[APMU_CORE_CUT_RECENT] == end) && (stamp != NULL || !core->dtlb.there)) {
        const bool dirty = filter->pages || apmu_core_cut(l, set)[APMU_CORE_CUT_STORED] == end;

        filter->line[i] = address >> filter->shift << 2 | 1 | (dirty ? 2 : 0);
        filter->stamp[i] = stamp;
        filter->owned[set] = (uint16_t)i;
        filter->used = true;
    }
}

/* Notes that the access at @address, which is at @physical, was told the long way. */
static inline void core_filter_note(struct core_filter *filter, struct apmu_core *core, uint64_t address,
                                    uint64_t physical, uint32_t size)
{
    const struct apmu_core_lines *l = &core->l1d;
    const uint64_t refills = core->tally.tlb_miss[APMU_CORE_CAUSE_LOAD] + core->tally.tlb_miss[APMU_CORE_CAUSE_STORE];
    const uint64_t first = physical >> filter->shift, last = (physical + size - 1) >> filter->shift;

    if (!filter->on) {
        return;
    }
    if (refills != filter->refills || last - first > 1) {
        filter->refills = refills;
        core_filter_empty(filter);
    }
    for (uint64_t n = first; !filter->pages && n <= last && last - first <= 1; n++) {
        filter->line[filter->owned[apmu_core_set(l, n)]] = 0;
    }
    if (last == first) {
        core_filter_fill(filter, core, address, physical);
    }
}

#endif
