/* SPDX-License-Identifier: BSD-2-Clause */
/* The plain core model: caches, TLBs and walks. */
#include <string.h>

#include "plain_state.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Records.
 */

static uint64_t set_of(const struct plain_cache *c, uint64_t what)
{
    return (c->hashed ? what % c->sets ^ what / c->sets % c->sets : what) % c->sets;
}

/* Returns the record of @what, or NULL. */
static struct plain_record *look(struct plain_cache *c, uint64_t what)
{
    struct plain_record *set = c->records + set_of(c, what) * c->ways;

    for (uint32_t i = 0; i < c->ways; i++) {
        if (set[i].there && set[i].what == what) {
            return &set[i];
        }
    }
    return NULL;
}

/* Marks a record as used. */
static void use(struct plain_cache *c, const struct plain_record *record)
{
    const uint64_t place = (uint64_t)(record - c->records), set = place / c->ways;
    uint32_t from = 0, to = c->ways;
    const uint32_t way = (uint32_t)(place % c->ways);

    ((struct plain_record *)record)->used = ++c->now;
    while (c->replacement == APMU_CORE_PLRU && to - from > 1) {
        const uint32_t middle = (from + to) / 2;
        bool *points_right = &c->turned[set * PLAIN_WAYS + middle];

        *points_right = way < middle;
        from = way < middle ? from : middle;
        to = way < middle ? middle : to;
    }
}

static uint32_t next_random(struct plain_cache *c)
{
    c->random ^= c->random << 13;
    c->random ^= c->random >> 17;
    c->random ^= c->random << 5;
    return (uint32_t)(((uint64_t)c->random * c->ways) >> 32);
}

/* Returns the record that gives way to @what. */
static struct plain_record *give_way(struct plain_cache *c, uint64_t what)
{
    const uint64_t set = set_of(c, what);
    struct plain_record *of = c->records + set * c->ways, *oldest = of;
    uint32_t from = 0, to = c->ways;

    for (uint32_t i = 0; i < c->ways; i++) {
        if (!of[i].there) {
            return &of[i];
        }
        oldest = of[i].used < oldest->used ? &of[i] : oldest;
    }
    if (c->replacement == APMU_CORE_LRU) {
        return oldest;
    }
    if (c->replacement == APMU_CORE_RANDOM) {
        return of + next_random(c);
    }
    while (to - from > 1) {
        const uint32_t middle = (from + to) / 2;

        if (c->turned[set * PLAIN_WAYS + middle]) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return of + from;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Levels.
 */

/* Where an access ended: in cache number .depth, 4 being memory, after .cycles. */
struct plain_journey {
    uint64_t cycles;
    int depth;
};

static struct plain_journey journey_to_read(struct plain *p, struct plain_core *c, int depth, uint64_t address,
                                            char cause);
static void write_at(struct plain *p, struct plain_core *c, int depth, uint64_t address);

/* Returns the cache at @depth, or the next one below that is there, or NULL for memory. */
static struct plain_cache *cache_at(struct plain *p, struct plain_core *c, int depth)
{
    if (depth <= 2 && plain_value(p, APMU_CORE_KEY_L2_SIZE) != 0) {
        return plain_value(p, APMU_CORE_KEY_L2_SHARED) != 0 ? &p->l2 : &c->l2;
    }
    return depth <= 3 && plain_value(p, APMU_CORE_KEY_LAST_SIZE) != 0 ? &p->last : NULL;
}

static int below(const struct plain_cache *cache)
{
    return cache->depth < 2 ? 2 : cache->depth + 1;
}

/* Puts @line into the cache. */
static struct plain_record *put(struct plain *p, struct plain_core *c, struct plain_cache *cache, uint64_t line,
                                bool brought)
{
    struct plain_record *record = give_way(cache, line);
    const struct plain_record old = *record;

    *record = (struct plain_record){.there = true, .brought = brought, .what = line};
    use(cache, record);
    if (old.there && (old.dirty[0] || old.dirty[1])) {
        plain_count_victim(p, c, cache, &old);
        write_at(p, c, below(cache), old.what * cache->line_bytes);
    }
    return record;
}

static void write_at(struct plain *p, struct plain_core *c, int depth, uint64_t address)
{
    struct plain_cache *cache = cache_at(p, c, depth);

    if (cache == NULL) {
        HAPPEN(c, APMU_EV_BUS_ACCESS, APMU_EV_BUS_ACCESS_WR, APMU_EV_BUS_REQ, APMU_EV_BUS_REQ_WR);
        return;
    }
    struct plain_record *record = look(cache, address / cache->line_bytes);
    bool passes = cache->through;

    plain_count(p, c, cache, 'W', record != NULL);
    if (record != NULL) {
        use(cache, record);
        if (record->brought) {
            record->brought = false;
            plain_count_first_use(p, c, cache, 'W');
        }
    } else if (cache->allocates) {
        HAPPEN(c, cache->depth == 2 ? APMU_EV_L2D_CACHE_ALLOCATE : APMU_EV_L3D_CACHE_ALLOCATE);
        record = put(p, c, cache, address / cache->line_bytes, false);
    } else {
        passes = true;
    }
    if (record != NULL && !cache->through) {
        record->dirty[0] = record->dirty[1] = true;
    }
    if (passes) {
        write_at(p, c, below(cache), address);
    }
}

/* Asks for a line on behalf of the prefetcher of @cache. */
static void ask_for(struct plain *p, struct plain_core *c, struct plain_cache *cache, uint64_t line)
{
    const bool hit = look(cache, line) != NULL;

    plain_count(p, c, cache, 'P', hit);
    if (!hit) {
        journey_to_read(p, c, below(cache), line * cache->line_bytes, 'P');
        put(p, c, cache, line, true);
    }
}

/* Lets the prefetcher act on a demand access to @line. */
static void prefetch(struct plain *p, struct plain_core *c, struct plain_cache *cache, uint64_t line)
{
    const uint64_t per_page = plain_value(p, APMU_CORE_KEY_PAGE) / cache->line_bytes, page = line / per_page;
    struct plain_cell *cell = &cache->cells[page % 16];
    int64_t step = cache->prefetch == APMU_CORE_PREFETCH_NEXT;

    if (cache->prefetch == APMU_CORE_PREFETCH_STRIDE) {
        if (!cell->there || cell->page != page) {
            *cell = (struct plain_cell){true, page, line, 0};
        } else if (line != cell->line) {
            const int64_t distance = (int64_t)line - (int64_t)cell->line;

            step = distance == cell->distance ? distance : 0;
            cell->distance = distance;
            cell->line = line;
        }
    }
    for (uint32_t i = 1; step != 0 && i <= cache->degree; i++) {
        const int64_t place = (int64_t)(line % per_page) + step * (int64_t)i;

        if (place < 0 || place >= (int64_t)per_page) {
            return;
        }
        ask_for(p, c, cache, page * per_page + (uint64_t)place);
    }
}

static struct plain_journey journey_to_read(struct plain *p, struct plain_core *c, int depth, uint64_t address,
                                            char cause)
{
    struct plain_cache *cache = cache_at(p, c, depth);

    if (cache == NULL) {
        HAPPEN(c, APMU_EV_BUS_ACCESS, APMU_EV_BUS_ACCESS_RD, APMU_EV_BUS_REQ, APMU_EV_BUS_REQ_RD);
        return (struct plain_journey){plain_value(p, APMU_CORE_KEY_MEMORY_LATENCY), 4};
    }
    const uint64_t line = address / cache->line_bytes;
    struct plain_record *record = look(cache, line);
    bool starts = cause != 'P';
    struct plain_journey journey = {cache->latency, cache->depth};

    plain_count(p, c, cache, cause, record != NULL);
    if (record == NULL) {
        journey = journey_to_read(p, c, below(cache), address, cause);
        put(p, c, cache, line, cause == 'P');
    } else {
        use(cache, record);
        starts = starts && record->brought;
        if (starts) {
            record->brought = false;
            plain_count_first_use(p, c, cache, cause);
        }
    }
    if (starts) {
        prefetch(p, c, cache, line);
    }
    return journey;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Translation.
 */

/* Reads the descriptors that were given for a walk of @page, the last @tail of them if @short_way.  Adds the cycles. */
static bool walk_given(struct plain *p, struct plain_core *c, uint64_t page, bool short_way, char cause,
                       uint64_t *cycles)
{
    for (int i = 0; i < 2; i++) {
        struct plain_given *given = &c->given[i];

        if (given->there && given->page == page) {
            given->there = false;
            for (unsigned d = short_way ? given->count - given->tail : 0; d < given->count; d++) {
                *cycles += journey_to_read(p, c, 2, given->at[d], 'L').cycles;
                HAPPEN(c, cause == 'F' ? APMU_EV_ITLB_STEP : APMU_EV_DTLB_STEP);
            }
            return true;
        }
    }
    return false;
}

static uint64_t walk(struct plain *p, struct plain_core *c, uint64_t page, char cause)
{
    const bool known_tables = plain_value(p, APMU_CORE_KEY_WALK_ENTRIES) != 0;
    uint64_t per_table = plain_value(p, APMU_CORE_KEY_PAGE) / 8, cycles = 0, levels = 1;
    struct plain_record *table = known_tables ? look(&c->walks, page / per_table) : NULL;

    if (table != NULL) {
        use(&c->walks, table);
    } else {
        levels = plain_value(p, APMU_CORE_KEY_WALK_LEVELS);
    }
    if (walk_given(p, c, page, table != NULL, cause, &cycles)) {
        levels = 0;
    }
    for (uint64_t level = levels; level > 0; level--) {
        uint64_t index = page;

        for (uint64_t up = 1; up < level; up++) {
            index /= per_table;
        }
        cycles +=
            journey_to_read(p, c, 2, 0x8000000000000000 + (level - 1) * 0x100000000000000 + 8 * index, 'L').cycles;
        HAPPEN(c, cause == 'F' ? APMU_EV_ITLB_STEP : APMU_EV_DTLB_STEP);
    }
    if (known_tables && table == NULL) {
        put(p, c, &c->walks, page / per_table, false);
    }
    c->counts[cause == 'F' ? APMU_EV_ITLB_WALK_PERCYC : APMU_EV_DTLB_WALK_PERCYC] += cycles;
    return cycles;
}

static uint64_t translate(struct plain *p, struct plain_core *c, uint64_t address, char cause)
{
    struct plain_cache *tlb = cause == 'F' ? &c->itlb : &c->dtlb;
    const uint64_t page = address / plain_value(p, APMU_CORE_KEY_PAGE);
    struct plain_record *record = look(tlb, page);
    const bool second = plain_value(p, APMU_CORE_KEY_TLB2_ENTRIES) != 0;
    uint64_t cycles = 0;

    if (cause == 'F') {
        HAPPEN(c, APMU_EV_L1I_TLB, APMU_EV_L1I_TLB_RD);
    } else {
        HAPPEN(c, APMU_EV_L1D_TLB, APMU_EV_L1D_TLB_RW, cause == 'S' ? APMU_EV_L1D_TLB_WR : APMU_EV_L1D_TLB_RD);
    }
    if (record != NULL) {
        use(tlb, record);
        return 0;
    }
    struct plain_record *behind = second ? look(&c->tlb2, page) : NULL;

    plain_count_second(c, cause, second, behind != NULL);
    cycles += second ? plain_value(p, APMU_CORE_KEY_TLB2_LATENCY) : 0;
    if (behind != NULL) {
        use(&c->tlb2, behind);
    } else {
        cycles += walk(p, c, page, cause);
        if (second) {
            put(p, c, &c->tlb2, page, false);
        }
    }
    put(p, c, tlb, page, false);
    return cycles;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses.
 */

/* How long an access takes, and what it waits for. */
struct plain_delay {
    uint64_t cycles;
    int reason;
    bool hit; /* in the cache */
};

static int reason_for(uint64_t translation, struct plain_journey journey, bool fetch)
{
    if (translation > journey.cycles) {
        return fetch ? TLB_I : TLB;
    }
    return (fetch ? FROM_L2_I : FROM_L2) + (journey.depth < 3 ? 0 : journey.depth - 2);
}

/* Makes the store of the bytes @from to @to of a line that @record has. */
static void dirty(struct plain_cache *cache, struct plain_record *record, uint64_t from, uint64_t to)
{
    const uint64_t half = cache->line_bytes / 2;

    record->dirty[0] |= !cache->halves || from % cache->line_bytes < half;
    record->dirty[1] |= !cache->halves || to % cache->line_bytes >= half;
}

static void pass_on(struct plain *p, struct plain_core *c, uint64_t address)
{
    c->arm11[APMU_ARM11_EV_EXPL_D_ACCESS]++;
    write_at(p, c, 2, address);
}

/* Accesses the bytes @from to @to, all in one line. */
static struct plain_journey access_line(struct plain *p, struct plain_core *c, uint64_t from, uint64_t to, char cause)
{
    struct plain_cache *cache = cause == 'F' ? &c->l1i : &c->l1d;
    const uint64_t line = from / cache->line_bytes;
    struct plain_record *record = look(cache, line);
    struct plain_journey journey = {0, 1};
    bool starts = true;

    plain_count(p, c, cache, cause, record != NULL);
    if (record != NULL) {
        use(cache, record);
        starts = record->brought;
        if (starts) {
            record->brought = false;
            plain_count_first_use(p, c, cache, cause);
        }
    } else if (cause == 'S' && !cache->allocates) {
        pass_on(p, c, line * cache->line_bytes);
        return journey;
    } else {
        journey = journey_to_read(p, c, 2, line * cache->line_bytes, cause);
        record = put(p, c, cache, line, false);
    }
    if (cause == 'S' && !cache->through) {
        dirty(cache, record, from, to);
    } else if (cause == 'S') {
        pass_on(p, c, line * cache->line_bytes);
    }
    if (starts) {
        prefetch(p, c, cache, line);
    }
    return journey;
}

static struct plain_delay access_bytes(struct plain *p, struct plain_core *c, uint64_t address, uint32_t size,
                                       char cause)
{
    const uint64_t line = cause == 'F' ? c->l1i.line_bytes : c->l1d.line_bytes;
    const uint64_t page = plain_value(p, APMU_CORE_KEY_PAGE);
    const struct plain_map map = cause == 'F' ? c->code : c->data;
    uint64_t moved = 0;
    uint64_t bytes = size == 0 ? 1 : size > 4096 ? 4096 : size, at = address;
    struct plain_delay delay = {0, NOT_SLOW, true};

    if (bytes - 1 > UINT64_MAX - address) {
        bytes = UINT64_MAX - address + 1;
    }
    while (bytes > 0) {
        const uint64_t room = line - at % line, here = bytes < room ? bytes : room;
        const bool new_page = at != address && (at + map.distance) % page == 0;
        const uint64_t translation = new_page || at == address ? translate(p, c, at + map.distance, cause) : 0;

        moved = new_page ? map.further : moved;
        const struct plain_journey journey = access_line(p, c, at + moved, at + moved + here - 1, cause);

        if (translation + journey.cycles > delay.cycles) {
            delay = (struct plain_delay){translation + journey.cycles, reason_for(translation, journey, cause == 'F'),
                                         journey.cycles == 0};
        }
        at += here;
        bytes -= here;
    }
    return delay;
}

/* Returns the cycles of a load or store that took @delay beyond a hit in the cache, or was a hit. */
static uint64_t whole(const struct plain *p, struct plain_delay delay)
{
    return delay.cycles + (delay.hit ? plain_value(p, APMU_CORE_KEY_L1D_LATENCY) : 0);
}

void plain_load(struct plain *p, unsigned n, uint64_t address, uint32_t size, bool after)
{
    struct plain_core *c = &p->core[n];

    HAPPEN(c, APMU_EV_MEM_ACCESS, APMU_EV_MEM_ACCESS_RD, APMU_EV_MEM_ACCESS_RW);
    const struct plain_delay delay = access_bytes(p, c, address, size, 'L');

    plain_time_load(p, c, whole(p, delay), delay.reason == NOT_SLOW ? FROM_L2 : delay.reason, after);
}

void plain_store(struct plain *p, unsigned n, uint64_t address, uint32_t size)
{
    struct plain_core *c = &p->core[n];

    HAPPEN(c, APMU_EV_MEM_ACCESS, APMU_EV_MEM_ACCESS_WR, APMU_EV_MEM_ACCESS_RW);
    plain_time_store(p, c, whole(p, access_bytes(p, c, address, size, 'S')));
}

void plain_fetch(struct plain *p, unsigned n, uint64_t address, uint32_t size)
{
    struct plain_core *c = &p->core[n];
    const struct plain_delay delay = access_bytes(p, c, address, size, 'F');

    plain_time_fetch(p, c, delay.cycles, delay.reason);
}

/* ---------------------------------------------------------------------------------------------------------------
 * What software forgets.
 */

static void forget(struct plain_cache *c)
{
    if (c->records != NULL) {
        memset(c->records, 0, c->sets * c->ways * sizeof c->records[0]);
    }
    if (c->turned != NULL) {
        memset(c->turned, 0, c->sets * PLAIN_WAYS);
    }
}

void plain_map(struct plain *p, unsigned n, bool code, uint64_t distance, uint64_t further)
{
    *(code ? &p->core[n].code : &p->core[n].data) = (struct plain_map){distance, further};
}

bool plain_would_walk(struct plain *p, unsigned n, bool code, uint64_t address)
{
    struct plain_core *c = &p->core[n];
    const uint64_t page = address / plain_value(p, APMU_CORE_KEY_PAGE);

    return look(code ? &c->itlb : &c->dtlb, page) == NULL &&
           (plain_value(p, APMU_CORE_KEY_TLB2_ENTRIES) == 0 || look(&c->tlb2, page) == NULL);
}

void plain_give_walk(struct plain *p, unsigned n, uint64_t address, const uint64_t *descriptors, unsigned count,
                     unsigned tail)
{
    struct plain_given *given = p->core[n].given;

    given[1] = given[0];
    given[0] = (struct plain_given){.page = address / plain_value(p, APMU_CORE_KEY_PAGE), .there = true};
    while (given[0].count < count && given[0].count < APMU_CORE_WALK_MOST) {
        given[0].at[given[0].count] = descriptors[given[0].count];
        given[0].count++;
    }
    given[0].tail = tail > given[0].count ? given[0].count : tail;
}

/* Forgets what of @c agrees with @address, in units of @bytes, where @mask has ones. */
static void forget_some(struct plain_cache *c, uint64_t address, uint64_t mask, uint64_t bytes)
{
    for (uint64_t i = 0; i < c->sets * c->ways; i++) {
        if (((c->records[i].what ^ address / bytes) & (mask / bytes)) == 0) {
            c->records[i].there = false;
        }
    }
}

void plain_forget_where(struct plain *p, unsigned n, uint64_t address, uint64_t mask)
{
    struct plain_core *c = &p->core[n];
    const uint64_t page = plain_value(p, APMU_CORE_KEY_PAGE);

    if (mask / page == 0) {
        plain_forget_pages(p, n);
        return;
    }
    forget_some(&c->itlb, address, mask, page);
    forget_some(&c->dtlb, address, mask, page);
    forget_some(&c->tlb2, address, mask, page);
    forget_some(&c->walks, address, mask, page * (page / 8));
}

void plain_forget_pages(struct plain *p, unsigned n)
{
    forget(&p->core[n].itlb);
    forget(&p->core[n].dtlb);
    forget(&p->core[n].tlb2);
    forget(&p->core[n].walks);
}
