/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches and prefetchers of the witness. */
#include "state.h"

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

unsigned witness_latency(const struct witness_core *c, enum apmu_core_level level)
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

/* Looks up a descriptor, from L2 on. */
enum apmu_core_level witness_read_below(struct witness_core *c, uint64_t address)
{
    return obtain(c, below(c, APMU_CORE_LEVEL_L1D), address, APMU_CORE_CAUSE_LOAD);
}

/*
 * Does the accesses of a load, a fetch or a store, and says how long the slowest one took.  The TLBs see each address
 * plus a distance; the bytes in another page than the first one, as they see it, are further on for the caches.
 */
void witness_touch(struct witness_core *c, enum apmu_core_cause cause, uint64_t address, uint32_t size,
                   struct delay *delay)
{
    const bool fetch = cause == APMU_CORE_CAUSE_FETCH;
    const struct witness_place *place = fetch ? &c->code : &c->data;
    const unsigned shift = fetch ? c->l1i.shift : c->l1d.shift;
    const unsigned page_shift = witness_log2(witness_value(c, APMU_CORE_KEY_PAGE));
    const uint64_t bytes = size == 0 ? 1 : size > APMU_CORE_ACCESS_MOST ? APMU_CORE_ACCESS_MOST : size;
    const uint64_t end = address > UINT64_MAX - (bytes - 1) ? UINT64_MAX : address + bytes - 1;
    const enum apmu_core_level first_level = fetch ? APMU_CORE_LEVEL_L1I : APMU_CORE_LEVEL_L1D;
    const uint64_t first_page = (address + place->distance) >> page_shift;
    uint64_t page = first_page;

    *delay = (struct delay){.from = first_level};
    for (uint64_t line = address >> shift; line <= end >> shift; line++) {
        const bool first = line == address >> shift, last = line == end >> shift;
        const uint64_t from = first ? address : line << shift, to = last ? end : ((line + 1) << shift) - 1;
        const uint64_t seen = (from + place->distance) >> page_shift, further = seen != first_page ? place->further : 0;
        struct delay one = {.from = first_level};

        if (first || seen != page) {
            one.page_cycles = witness_translate(c, cause, seen);
            page = seen;
        }
        one.from = cause == APMU_CORE_CAUSE_STORE ? store_line(c, from + further, to + further)
                                                  : obtain(c, first_level, from + further, cause);
        one.line_cycles = witness_latency(c, one.from);
        if (one.page_cycles + one.line_cycles > delay->page_cycles + delay->line_cycles) {
            *delay = one;
        }
    }
}
