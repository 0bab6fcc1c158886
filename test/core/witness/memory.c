/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches, prefetchers, TLBs and walks of the witness. */
#include "state.h"

static unsigned log2_of(unsigned n)
{
    unsigned shift = 0;

    while (n >> shift > 1) {
        shift++;
    }
    return shift;
}

/* Returns the cache at a level, NULL if the row has none there. */
static struct witness_cache *cache_at(struct witness_core *c, enum apmu_core_level level)
{
    struct witness_cache *cache = level == APMU_CORE_LEVEL_L1I   ? &c->l1i
                                  : level == APMU_CORE_LEVEL_L1D ? &c->l1d
                                  : level == APMU_CORE_LEVEL_LAST
                                      ? &c->chip->last
                                      : (witness_value(c, APMU_CORE_KEY_L2_SHARED) ? &c->chip->l2 : &c->l2);

    return cache->lines.there ? cache : NULL;
}

/* Returns the level below: the next one that the row has, or memory. */
static enum apmu_core_level below(struct witness_core *c, enum apmu_core_level level)
{
    if (level < APMU_CORE_LEVEL_L2 && cache_at(c, APMU_CORE_LEVEL_L2) != NULL) {
        return APMU_CORE_LEVEL_L2;
    }
    if (level < APMU_CORE_LEVEL_LAST && cache_at(c, APMU_CORE_LEVEL_LAST) != NULL) {
        return APMU_CORE_LEVEL_LAST;
    }
    return APMU_CORE_LEVEL_MEMORY;
}

static unsigned latency_of(const struct witness_core *c, enum apmu_core_level level)
{
    switch (level) {
    case APMU_CORE_LEVEL_L2:
        return witness_value(c, APMU_CORE_KEY_L2_LATENCY);
    case APMU_CORE_LEVEL_LAST:
        return witness_value(c, APMU_CORE_KEY_LAST_LATENCY);
    case APMU_CORE_LEVEL_MEMORY:
        return witness_value(c, APMU_CORE_KEY_MEMORY_LATENCY);
    default:
        return 0;
    }
}

static enum apmu_core_level obtain(struct witness_core *c, enum apmu_core_level level, uint64_t address,
                                   enum apmu_core_cause cause);
static void write_to(struct witness_core *c, enum apmu_core_level level, uint64_t address);

/* Puts a line that is not there into a level.  The line that gives way is written to the level below if it is dirty. */
static struct shelf_place *put_line(struct witness_core *c, enum apmu_core_level level, uint64_t line, bool ahead)
{
    struct witness_cache *cache = cache_at(c, level);
    struct shelf_place *place = shelf_give(&cache->lines, shelf_set(&cache->lines, line));
    const struct shelf_place old = *place;

    *place = (struct shelf_place){.full = true, .key = line, .ahead = ahead};
    shelf_use(&cache->lines, place);
    if (old.full && (old.dirty[0] || old.dirty[1])) {
        c->levels[level].victims++;
        c->levels[level].dirty_halves += (uint64_t)old.dirty[0] + old.dirty[1];
        write_to(c, below(c, level), old.key << cache->shift);
    }
    return place;
}

/* Asks for a line.  Returns false if it is outside of the page of @from. */
static bool prefetch_line(struct witness_core *c, enum apmu_core_level level, uint64_t from, uint64_t line)
{
    struct witness_cache *cache = cache_at(c, level);
    const unsigned lines_of_page = witness_value(c, APMU_CORE_KEY_PAGE) >> cache->shift;

    if (from / lines_of_page != line / lines_of_page) {
        return false;
    }
    c->levels[level].looked[APMU_CORE_CAUSE_PREFETCH]++;
    if (shelf_find(&cache->lines, shelf_set(&cache->lines, line), line) == NULL) {
        c->levels[level].missed[APMU_CORE_CAUSE_PREFETCH]++;
        c->levels[level].refilled[APMU_CORE_CAUSE_PREFETCH]++;
        obtain(c, below(c, level), line << cache->shift, APMU_CORE_CAUSE_PREFETCH);
        put_line(c, level, line, true);
    }
    return true;
}

/* Does what the prefetcher of a level does after a demand access to a line that missed, or that it had brought. */
static void run_prefetcher(struct witness_core *c, enum apmu_core_level level, uint64_t line)
{
    struct witness_cache *cache = cache_at(c, level);
    const uint64_t page = line / (witness_value(c, APMU_CORE_KEY_PAGE) >> cache->shift);
    struct side_cell *cell = &cache->cells[page % SIDE_CELLS];
    int64_t distance = 1;
    bool go = cache->prefetch == APMU_CORE_PREFETCH_NEXT;

    if (cache->prefetch == APMU_CORE_PREFETCH_STRIDE) {
        if (!cell->known || cell->page != page) {
            *cell = (struct side_cell){.known = true, .page = page, .last = line};
        } else if (cell->last != line) {
            distance = (int64_t)(line - cell->last);
            go = distance == cell->distance;
            cell->last = line;
            cell->distance = distance;
        }
    }
    for (unsigned i = 1; go && i <= cache->degree; i++) {
        go = prefetch_line(c, level, line, line + (uint64_t)distance * i);
    }
}

/* Looks up the line of an address for a read, down to the level that has it, which is returned. */
static enum apmu_core_level obtain(struct witness_core *c, enum apmu_core_level level, uint64_t address,
                                   enum apmu_core_cause cause)
{
    const bool demanded = cause != APMU_CORE_CAUSE_PREFETCH;

    if (level == APMU_CORE_LEVEL_MEMORY) {
        c->bus_reads++;
        return level;
    }
    struct witness_cache *cache = cache_at(c, level);
    struct level_log *log = &c->levels[level];
    const uint64_t line = address >> cache->shift;
    struct shelf_place *place = shelf_find(&cache->lines, shelf_set(&cache->lines, line), line);

    log->looked[cause]++;
    if (place != NULL) {
        shelf_use(&cache->lines, place);
        if (demanded && place->ahead) {
            place->ahead = false;
            log->used_ahead[cause]++;
            run_prefetcher(c, level, line);
        }
        return level;
    }
    log->missed[cause]++;
    log->refilled[cause]++;
    const enum apmu_core_level from = obtain(c, below(c, level), address, cause);

    put_line(c, level, line, !demanded);
    if (demanded) {
        run_prefetcher(c, level, line);
    }
    return from;
}

/* Writes data of the level above. */
static void write_to(struct witness_core *c, enum apmu_core_level level, uint64_t address)
{
    if (level == APMU_CORE_LEVEL_MEMORY) {
        c->bus_writes++;
        return;
    }
    struct witness_cache *cache = cache_at(c, level);
    struct level_log *log = &c->levels[level];
    const uint64_t line = address >> cache->shift;
    struct shelf_place *place = shelf_find(&cache->lines, shelf_set(&cache->lines, line), line);

    log->looked[APMU_CORE_CAUSE_WRITE]++;
    if (place != NULL) {
        shelf_use(&cache->lines, place);
        log->used_ahead[APMU_CORE_CAUSE_WRITE] += place->ahead;
        place->ahead = false;
    } else {
        log->missed[APMU_CORE_CAUSE_WRITE]++;
        if (cache->allocates) {
            log->taken_unread++;
            place = put_line(c, level, line, false);
        }
    }
    if (place != NULL && !cache->through) {
        place->dirty[0] = place->dirty[1] = true;
    } else {
        write_to(c, below(c, level), address);
    }
}

/* Marks what bytes @first to @last of a line make dirty. */
static void soil(const struct witness_cache *cache, struct shelf_place *place, uint64_t first, uint64_t last)
{
    const unsigned half = cache->shift - 1;

    if (!cache->through) {
        place->dirty[first >> half & 1] = true;
        place->dirty[last >> half & 1] = true;
        if (!cache->halves) {
            place->dirty[0] = place->dirty[1] = true;
        }
    }
}

/* Stores bytes @first to @last, all of one line.  Returns the level that had the line. */
static enum apmu_core_level store_line(struct witness_core *c, uint64_t first, uint64_t last)
{
    const enum apmu_core_level level = APMU_CORE_LEVEL_L1D, next = below(c, level);
    struct witness_cache *cache = &c->l1d;
    struct level_log *log = &c->levels[level];
    const uint64_t line = first >> cache->shift;
    struct shelf_place *place = shelf_find(&cache->lines, shelf_set(&cache->lines, line), line);
    enum apmu_core_level from = level;
    bool go = false;

    log->looked[APMU_CORE_CAUSE_STORE]++;
    if (place != NULL) {
        shelf_use(&cache->lines, place);
        go = place->ahead;
        log->used_ahead[APMU_CORE_CAUSE_STORE] += go;
        place->ahead = false;
    } else {
        log->missed[APMU_CORE_CAUSE_STORE]++;
        if (cache->allocates) {
            log->refilled[APMU_CORE_CAUSE_STORE]++;
            from = obtain(c, next, first, APMU_CORE_CAUSE_STORE);
            place = put_line(c, level, line, false);
            go = true;
        }
    }
    if (place != NULL) {
        soil(cache, place, first, last);
    }
    if (place == NULL || cache->through) {
        c->passed++;
        write_to(c, next, first);
    }
    if (go) {
        run_prefetcher(c, level, line);
    }
    return from;
}

/* Walks the tables for a page.  Returns the cycles. */
static unsigned walk(struct witness_core *c, uint64_t page, struct page_log *log)
{
    const unsigned bits = log2_of(witness_value(c, APMU_CORE_KEY_PAGE)) - 3;
    const uint64_t table = page >> bits;
    struct shelf_place *known = c->tables.there ? shelf_find(&c->tables, 0, table) : NULL;
    unsigned cycles = 0;

    log->walked++;
    if (known != NULL) {
        shelf_use(&c->tables, known);
    }
    for (unsigned n = known != NULL ? 1 : witness_value(c, APMU_CORE_KEY_WALK_LEVELS); n-- > 0;) {
        const uint64_t address = (UINT64_C(1) << 63) + ((uint64_t)n << 56) + 8 * (page >> n * bits);
        const enum apmu_core_level from = obtain(c, below(c, APMU_CORE_LEVEL_L1D), address, APMU_CORE_CAUSE_LOAD);

        log->steps++;
        cycles += latency_of(c, from);
    }
    log->walk_cycles += cycles;
    if (known == NULL) {
        shelf_put(&c->tables, 0, table);
    }
    return cycles;
}

/* Translates a page.  Returns the cycles. */
static unsigned translate(struct witness_core *c, enum apmu_core_cause cause, uint64_t page)
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

/* Does the accesses of a load, a fetch or a store, and says how long the slowest one took. */
void witness_touch(struct witness_core *c, enum apmu_core_cause cause, uint64_t address, uint32_t size,
                   struct delay *delay)
{
    const bool fetch = cause == APMU_CORE_CAUSE_FETCH;
    const unsigned shift = fetch ? c->l1i.shift : c->l1d.shift;
    const unsigned page_shift = log2_of(witness_value(c, APMU_CORE_KEY_PAGE));
    const uint64_t bytes = size == 0 ? 1 : size > APMU_CORE_ACCESS_MOST ? APMU_CORE_ACCESS_MOST : size;
    const uint64_t end = address > UINT64_MAX - (bytes - 1) ? UINT64_MAX : address + bytes - 1;
    const enum apmu_core_level first_level = fetch ? APMU_CORE_LEVEL_L1I : APMU_CORE_LEVEL_L1D;

    *delay = (struct delay){.from = first_level};
    for (uint64_t line = address >> shift; line <= end >> shift; line++) {
        const bool first = line == address >> shift, new_page = line << shift >> page_shift !=
                                                                (line - 1) << shift >> page_shift;
        const uint64_t from = first ? address : line << shift;
        const uint64_t to = line == end >> shift ? end : ((line + 1) << shift) - 1;
        struct delay one = {.from = first_level};

        if (first || new_page) {
            one.page_cycles = translate(c, cause, from >> page_shift);
        }
        one.from = cause == APMU_CORE_CAUSE_STORE ? store_line(c, from, to) : obtain(c, first_level, from, cause);
        one.line_cycles = latency_of(c, one.from);
        if (one.page_cycles + one.line_cycles > delay->page_cycles + delay->line_cycles) {
            *delay = one;
        }
    }
}
