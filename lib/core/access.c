/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads, stores and fetches in the first level. */
#include <armpmu/core_near.h>

#include "lines.h"

/* An access to the first level. */
struct first_level {
    struct apmu_core_lines *lines;
    struct apmu_core_pages *pages;
    enum apmu_core_level level;
    enum apmu_core_cause cause;
};

/* Returns the page of @address as the TLB sees it. */
static uint64_t page_of(const struct first_level *in, uint64_t address)
{
    return (address + in->pages->distance) >> in->pages->shift;
}

/* Counts a use of a line that a prefetcher brought. */
static bool used_first(struct apmu_core *core, const struct first_level *in, uint64_t *word)
{
    if ((*word & APMU_CORE_PREFETCHED) == 0) {
        return false;
    }
    *word &= ~APMU_CORE_PREFETCHED;
    core->tally.first_use[in->level][in->cause]++;
    return true;
}

/* Passes a store on to the level below. */
static void pass_on(struct apmu_core *core, const struct first_level *in, uint64_t line)
{
    core->tally.passed++;
    apmu_core_write_below(core, APMU_CORE_LEVEL_L2, line << in->lines->shift);
}

/* Notes that @line was used last in its set and, with a TLB, which entry its page has. */
static inline void note(struct apmu_core *core, const struct first_level *in, uint64_t line, uint64_t word)
{
    struct apmu_core_lines *l = in->lines;
    struct apmu_core_pages *t = in->pages;

    if (!l->filtered) {
        return;
    }
    const uint64_t set = apmu_core_set(l, line);

    lines_make_recent(l, set, (word & APMU_CORE_PREFETCHED) != 0 ? 0 : lines_end(l, line),
                      (word & APMU_CORE_DIRTY) == APMU_CORE_DIRTY);
    if (t->there) {
        lines_note_stamp(core, l, set, t);
        apmu_core_note_line(t, t->used, l, line);
    }
}

/*
 * Does an access within a line that changes little: its page is known, and the first level has the line, or with
 * @answer, which says so, L2.  Returns false if it did nothing.
 */
static APMU_CORE_FOLDED bool access_simply(struct apmu_core *core, const struct first_level *in, uint64_t address,
                                           uint32_t size, struct apmu_core_answer *answer)
{
    struct apmu_core_lines *l = in->lines;
    struct apmu_core_pages *t = in->pages;
    const uint64_t line = address >> l->shift, last = address + size - 1, page = page_of(in, address);
    const bool store = in->cause == APMU_CORE_CAUSE_STORE;

    if (!l->filtered || (store && l->through) || last >> l->shift != line || size == 0) {
        return false;
    }
    const uint64_t *slot =
        t->there ? APMU_CORE_SEEN(uint64_t, t, t->slots) + 2 * (page & (APMU_CORE_SLOTS - 1)) : NULL;

    if (slot != NULL && slot[0] != page + 1) {
        return false;
    }
    const uint64_t set = apmu_core_set(l, line);
    uint64_t *words = lines_words(l, set);
    uint32_t way = lines_find(l, words, line);

    if (way == APMU_CORE_NO_WAY && answer != NULL) {
        const bool can = l->prefetch == APMU_CORE_PREFETCH_NONE && (!store || l->allocate);

        way = can ? lines_refill_simply(core, in->level, l, in->cause, line, set, answer) : APMU_CORE_NO_WAY;
    }
    if (way == APMU_CORE_NO_WAY || (words[way] & APMU_CORE_PREFETCHED) != 0) {
        return false;
    }
    uint64_t *word = lines_use_way(l, set, words, way);

    if (slot != NULL) {
        t->used = slot[1];
        APMU_CORE_AT(uint64_t, t, t->stamps)[t->used] = apmu_core_stamp(t);
    }
    *word |= store ? apmu_core_halves(l, address, last) : 0;
    note(core, in, line, *word);
    return true;
}

bool apmu_core_load_near(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct first_level in = {&core->l1d, &core->dtlb, APMU_CORE_LEVEL_L1D, APMU_CORE_CAUSE_LOAD};
    const bool near = access_simply(core, &in, address, size, NULL);

    core->tally.loads += near;
    return near;
}

bool apmu_core_store_near(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct first_level in = {&core->l1d, &core->dtlb, APMU_CORE_LEVEL_L1D, APMU_CORE_CAUSE_STORE};
    const bool near = access_simply(core, &in, address, size, NULL);

    core->tally.stores += near;
    return near;
}

bool apmu_core_fetch_near(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct first_level in = {&core->l1i, &core->itlb, APMU_CORE_LEVEL_L1I, APMU_CORE_CAUSE_FETCH};
    const bool near = access_simply(core, &in, address, size, NULL);

    core->tally.fetches += near;
    return near;
}

/* Looks up @line.  @dirty: the halves that a store changes, else 0. */
static APMU_CORE_FOLDED void look_up(struct apmu_core *core, const struct first_level *in, uint64_t line,
                                     uint64_t dirty, struct apmu_core_answer *answer)
{
    struct apmu_core_lines *l = in->lines;
    const bool store = in->cause == APMU_CORE_CAUSE_STORE;
    uint64_t *word = apmu_core_use(l, line);
    bool starts = true; /* the prefetcher */

    if (word != NULL) {
        starts = used_first(core, in, word);
        *word |= l->through ? 0 : dirty;
        note(core, in, line, *word);
    } else {
        core->tally.miss[in->level][in->cause]++;
        if (store && !l->allocate) {
            pass_on(core, in, line);
            return;
        }
        apmu_core_read_below(core, APMU_CORE_LEVEL_L2, line << l->shift, in->cause, answer);
        apmu_core_fill(core, in->level, l, line, l->through ? 0 : dirty);
        note(core, in, line, line << 4 | APMU_CORE_VALID | (l->through ? 0 : dirty));
    }
    if (store && l->through) {
        pass_on(core, in, line);
    }
    if (starts && l->prefetch != APMU_CORE_PREFETCH_NONE) {
        apmu_core_prefetch(core, in->level, l, line);
    }
}

/* Makes *@all the answer that takes longer. */
static void take_longer(struct apmu_core_answer *all, const struct apmu_core_answer *one)
{
    if (one->translation + one->cache > all->translation + all->cache) {
        *all = *one;
    }
}

/* Translates @address if the TLB is simulated.  Returns the cycles. */
static uint32_t translate(struct apmu_core *core, const struct first_level *in, uint64_t address)
{
    return in->pages->there ? apmu_core_translate(core, in->pages, address, in->cause) : 0;
}

/* Translates @address, which is in another page than the line before it.  Returns the cycles. */
static uint32_t translate_further(struct apmu_core *core, const struct first_level *in, uint64_t address)
{
    if (in->pages->there) {
        *(in->cause == APMU_CORE_CAUSE_FETCH ? &core->tally.itlb_more
                                             : &core->tally.dtlb_more[in->cause == APMU_CORE_CAUSE_STORE]) += 1;
    }
    return translate(core, in, address);
}

/* Looks up the line of the bytes from @first to @last, if the cache is simulated. */
static APMU_CORE_FOLDED void access_line(struct apmu_core *core, const struct first_level *in, uint64_t first,
                                         uint64_t last, struct apmu_core_answer *answer)
{
    const bool store = in->cause == APMU_CORE_CAUSE_STORE;

    if (in->lines->there) {
        look_up(core, in, first >> in->lines->shift, store ? apmu_core_halves(in->lines, first, last) : 0, answer);
    }
}

/* Accesses the bytes from @first on, which has been looked up with its line, to @last in the lines behind that. */
static void access_further(struct apmu_core *core, const struct first_level *in, uint64_t first, uint64_t last,
                           struct apmu_core_answer *all)
{
    const uint32_t shift = in->lines->shift;
    uint64_t page = page_of(in, first), moved = 0;

    for (uint64_t line = first >> shift; line++ != last >> shift;) {
        const uint64_t from = line << shift, to = from + (UINT64_C(1) << shift) - 1;
        struct apmu_core_answer one = {0, 0, in->level};

        if (page_of(in, from) != page) {
            page = page_of(in, from);
            moved = in->pages->further;
            one.translation = translate_further(core, in, from);
        }
        core->tally.lookup[in->level][in->cause]++;
        access_line(core, in, from + moved, (to < last ? to : last) + moved, &one);
        take_longer(all, &one);
    }
}

/* Accesses the @size bytes at @address, whatever that changes. */
static APMU_CORE_FOLDED struct apmu_core_answer access_bytes(struct apmu_core *core, const struct first_level *in,
                                                             uint64_t address, uint32_t size)
{
    const uint32_t shift = in->lines->shift, most = size > APMU_CORE_ACCESS_MOST ? APMU_CORE_ACCESS_MOST : size;
    const uint64_t end = address | ((UINT64_C(1) << shift) - 1); /* of the first line */
    const uint64_t behind = address + (most == 0 ? 1 : most), last = behind - 1 < address ? UINT64_MAX : behind - 1;
    struct apmu_core_answer all = {translate(core, in, address), 0, in->level};

    access_line(core, in, address, last < end ? last : end, &all);
    if (last > end) {
        access_further(core, in, address, last, &all);
    }
    return all;
}

static APMU_CORE_APART struct apmu_core_answer load_bytes(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct first_level in = {&core->l1d, &core->dtlb, APMU_CORE_LEVEL_L1D, APMU_CORE_CAUSE_LOAD};

    return access_bytes(core, &in, address, size);
}

static APMU_CORE_APART struct apmu_core_answer store_bytes(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct first_level in = {&core->l1d, &core->dtlb, APMU_CORE_LEVEL_L1D, APMU_CORE_CAUSE_STORE};

    return access_bytes(core, &in, address, size);
}

static APMU_CORE_APART struct apmu_core_answer fetch_bytes(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct first_level in = {&core->l1i, &core->itlb, APMU_CORE_LEVEL_L1I, APMU_CORE_CAUSE_FETCH};

    return access_bytes(core, &in, address, size);
}

static inline struct apmu_core_answer load(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct first_level in = {&core->l1d, &core->dtlb, APMU_CORE_LEVEL_L1D, APMU_CORE_CAUSE_LOAD};
    struct apmu_core_answer answer = {0, 0, APMU_CORE_LEVEL_L1D};

    core->tally.loads++;
    return access_simply(core, &in, address, size, &answer) ? answer : load_bytes(core, address, size);
}

void apmu_core_load_slow(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct apmu_core_answer answer = load(core, address, size);

    if ((core->parts & APMU_CORE_TIMING) != 0) {
        apmu_core_time_load(core, &answer, false);
    }
}

void apmu_core_load_after(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct apmu_core_answer answer = load(core, address, size);

    if ((core->parts & APMU_CORE_TIMING) != 0) {
        apmu_core_time_load(core, &answer, true);
    }
}

void apmu_core_load_chained(struct apmu_core *core)
{
    const struct apmu_core_answer answer = {0, 0, APMU_CORE_LEVEL_L1D};

    if ((core->parts & APMU_CORE_TIMING) != 0) {
        apmu_core_time_load(core, &answer, true);
    }
}

void apmu_core_store_slow(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct first_level in = {&core->l1d, &core->dtlb, APMU_CORE_LEVEL_L1D, APMU_CORE_CAUSE_STORE};

    struct apmu_core_answer answer = {0, 0, APMU_CORE_LEVEL_L1D};

    core->tally.stores++;
    if (!access_simply(core, &in, address, size, &answer)) {
        answer = store_bytes(core, address, size);
    }

    if ((core->parts & APMU_CORE_TIMING) != 0) {
        apmu_core_time_store(core, &answer);
    }
}

void apmu_core_fetch_slow(struct apmu_core *core, uint64_t address, uint32_t size)
{
    const struct first_level in = {&core->l1i, &core->itlb, APMU_CORE_LEVEL_L1I, APMU_CORE_CAUSE_FETCH};

    struct apmu_core_answer answer = {0, 0, APMU_CORE_LEVEL_L1I};

    core->tally.fetches++;
    if (!access_simply(core, &in, address, size, &answer)) {
        answer = fetch_bytes(core, address, size);
    }

    if ((core->parts & APMU_CORE_TIMING) != 0) {
        apmu_core_time_fetch(core, &answer);
    }
}
