/* SPDX-License-Identifier: BSD-2-Clause */
/* TLBs and walks of the witness, and what an operating system says of them. */
#include <string.h>

#include "state.h"

unsigned witness_log2(unsigned n)
{
    unsigned shift = 0;

    while (n >> shift > 1) {
        shift++;
    }
    return shift;
}

/* Takes the walk for @page out of those given, the last given first.  Returns false if there is none. */
static bool take_given(struct witness_core *c, uint64_t page, struct given_walk *walk)
{
    for (unsigned i = 0; i < 2; i++) {
        if (c->given[i].there && c->given[i].page == page) {
            *walk = c->given[i];
            c->given[i].there = false;
            return true;
        }
    }
    return false;
}

/* Lists the descriptors of a walk at invented addresses, from the top. */
static void invent_walk(const struct witness_core *c, uint64_t page, struct given_walk *walk)
{
    const unsigned bits = witness_log2(witness_value(c, APMU_CORE_KEY_PAGE)) - 3;

    walk->count = 0;
    walk->tail = 1;
    for (unsigned n = witness_value(c, APMU_CORE_KEY_WALK_LEVELS); n-- > 0;) {
        walk->at[walk->count++] = (UINT64_C(1) << 63) + ((uint64_t)n << 56) + 8 * (page >> n * bits);
    }
}

/* Walks the tables for a page.  Returns the cycles. */
static unsigned walk(struct witness_core *c, uint64_t page, struct page_log *log)
{
    const uint64_t table = page >> (witness_log2(witness_value(c, APMU_CORE_KEY_PAGE)) - 3);
    struct shelf_place *known = c->tables.there ? shelf_find(&c->tables, 0, table) : NULL;
    struct given_walk walk;
    unsigned cycles = 0;

    log->walked++;
    if (!take_given(c, page, &walk)) {
        invent_walk(c, page, &walk);
    }
    if (known != NULL) {
        shelf_use(&c->tables, known);
    }
    for (unsigned i = known != NULL && walk.tail < walk.count ? walk.count - walk.tail : 0; i < walk.count; i++) {
        log->steps++;
        cycles += witness_latency(c, witness_read_below(c, walk.at[i]));
    }
    log->walk_cycles += cycles;
    if (known == NULL) {
        shelf_put(&c->tables, 0, table);
    }
    return cycles;
}

/* Translates a page.  Returns the cycles. */
unsigned witness_translate(struct witness_core *c, enum apmu_core_cause cause, uint64_t page)
{
    struct shelf *first = cause == APMU_CORE_CAUSE_FETCH ? &c->itlb : &c->dtlb;
    struct page_log *log = &c->pages[cause];
    struct shelf_place *place = shelf_find(first, 0, page);
    unsigned cycles = 0;

    log->looked++;
    if (place != NULL) {
        shelf_use(first, place);
        return 0;
    }
    log->missed++;
    if (c->tlb2.there) {
        const unsigned set = shelf_set(&c->tlb2, page);

        log->looked_second++;
        cycles += witness_value(c, APMU_CORE_KEY_TLB2_LATENCY);
        place = shelf_find(&c->tlb2, set, page);
        if (place != NULL) {
            shelf_use(&c->tlb2, place);
        } else {
            cycles += walk(c, page, log);
            shelf_put(&c->tlb2, set, page);
        }
    } else {
        cycles += walk(c, page, log);
    }
    shelf_put(first, 0, page);
    return cycles;
}

void witness_forget_where(struct witness *w, unsigned n, uint64_t address, uint64_t mask)
{
    struct witness_core *c = &w->core[n];
    const unsigned shift = witness_log2(witness_value(c, APMU_CORE_KEY_PAGE));

    shelf_empty(&c->itlb, shift, address, mask);
    shelf_empty(&c->dtlb, shift, address, mask);
    shelf_empty(&c->tlb2, shift, address, mask);
    shelf_empty(&c->tables, 2 * shift - 3, address, mask);
}

void witness_forget_pages(struct witness *w, unsigned n)
{
    witness_forget_where(w, n, 0, 0);
}

void witness_map(struct witness *w, unsigned n, bool code, uint64_t distance, uint64_t further)
{
    *(code ? &w->core[n].code : &w->core[n].data) = (struct witness_place){distance, further};
}

bool witness_would_walk(struct witness *w, unsigned n, bool code, uint64_t address)
{
    struct witness_core *c = &w->core[n];
    const uint64_t page = address >> witness_log2(witness_value(c, APMU_CORE_KEY_PAGE));

    return shelf_find(code ? &c->itlb : &c->dtlb, 0, page) == NULL &&
           (!c->tlb2.there || shelf_find(&c->tlb2, shelf_set(&c->tlb2, page), page) == NULL);
}

void witness_give_walk(struct witness *w, unsigned n, uint64_t address, const uint64_t *descriptors, unsigned count,
                       unsigned tail)
{
    struct witness_core *c = &w->core[n];
    struct given_walk *walk = &c->given[0];

    c->given[1] = *walk;
    walk->there = true;
    walk->page = address >> witness_log2(witness_value(c, APMU_CORE_KEY_PAGE));
    walk->count = count > APMU_CORE_WALK_MOST ? APMU_CORE_WALK_MOST : count;
    walk->tail = tail;
    memcpy(walk->at, descriptors, walk->count * sizeof walk->at[0]);
}
