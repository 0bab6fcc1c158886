/* SPDX-License-Identifier: BSD-2-Clause */
/* Enters many blocks at once: most of what a walk of a journal does. */
#include "stream.h"

/* What does not change while blocks are entered, so that it may stay in registers of the host. */
struct block_walk {
    struct stream *s;
    struct apmu_core *core;
    const uint64_t *cuts;   /* the short cuts of L1I; without any, one that no line has */
    bool stamps;            /* there is an instruction TLB */
    uint64_t mask;          /* see apmu_core_set() */
    uint64_t inside;        /* the bits of an address that lie inside a line */
    uint32_t fold, shift;
    uint64_t handlers; /* as for stream_enter_many() */
};

static struct block_walk begin_walk(struct stream *s, uint64_t handlers)
{
    static const uint64_t no_line = 0;
    struct apmu_core_lines *l = &s->core->l1i;
    struct block_walk w = {.s = s, .core = s->core, .cuts = &no_line, .shift = s->line_shift, .handlers = handlers};

    w.inside = (UINT64_C(1) << w.shift) - 1;
    if (l->filtered) {
        w.cuts = apmu_core_cut(l, 0);
        w.stamps = s->core->itlb.there;
        w.mask = l->mask;
        w.fold = l->fold;
    }
    return w;
}

/*
 * Returns whether the branch of @b simply leads to @next, each at its address.  *@taken becomes whether it was taken
 * then.  The outcome of a direct branch cannot be predicted, so nothing here jumps for it.
 */
static inline bool leads_simply(const struct block_walk *w, const struct stream_block *b,
                                const struct stream_block *next, bool *taken)
{
    const bool there = next->address == b->target, behind = next->address == b->end;

    *taken = there | b->anywhere;
    if (b->anywhere && w->handlers != 0) {
        return (w->handlers & stream_address_bit(next->address)) == 0;
    }
    return there | (behind & b->skips) | b->anywhere;
}

/* Tells a fetch, apart from the code that is executed for every block. */
static __attribute__((noinline)) void fetch_apart(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    stream_fetch(s, index, address, size);
}

/* As apmu_core_fetch_recent(), for a core whose L1I has a short cut, but does not count the fetch. */
static inline bool fetch_is_recent(const struct block_walk *w, uint64_t line)
{
    const uint64_t *cut = w->cuts + APMU_CORE_CUT_FETCH * ((line ^ line >> w->fold) & w->mask);

    if (cut[APMU_CORE_CUT_RECENT] != (line << w->shift | w->inside)) {
        return false;
    }
    if (w->stamps) {
        *APMU_CORE_AT(uint64_t, w->core, cut[APMU_CORE_CUT_STAMP]) = apmu_core_stamp(&w->core->itlb);
    }
    return true;
}

/* Tells the fetch of the first line of @next. */
static inline void fetch_first(const struct block_walk *w, const struct stream_block *next, bool taken)
{
    struct stream *s = w->s;
    const uint64_t line = next->address >> w->shift;
    const bool fetches = taken | (line != s->line);

    /* If it is the line fetched last there may be no fetch: a use of the line and page used last changes nothing. */
    if (fetch_is_recent(w, line)) {
        w->core->tally.fetches += fetches;
        s->line = line;
    } else if (fetches) {
        fetch_apart(s, 0, next->address, next->first);
    }
}

static const struct stream_block *block_at(const char *blocks, uint32_t place)
{
    return (const void *)(blocks + (size_t)place * STREAM_PLACE);
}

/* Tells all of @b but its loads, its branch and the fetch of its first line, which was told. */
static inline void tell_whole(const struct block_walk *w, const struct stream_block *b)
{
    struct stream *s = w->s;
    uint32_t done = 0;

    for (uint32_t i = 0; s->fetches && i < b->line_count; i++) {
        const struct stream_line *line = &b->lines[i];

        apmu_core_instructions(w->core, line->index - done);
        done = line->index;
        if (fetch_is_recent(w, line->address >> w->shift)) {
            w->core->tally.fetches++;
            s->line = line->address >> w->shift;
        } else {
            fetch_apart(s, done, line->address, line->size);
        }
    }
    apmu_core_instructions(w->core, b->insns - done);
}

/*
 * As stream_enter_many(), where branches are told late.  @time and @fetches are constants of each call: whether these
 * are simulated.
 */
static inline __attribute__((always_inline)) const uint32_t *enter_late(struct block_walk w, const uint32_t *from,
                                                                        const uint32_t *to, const char *blocks,
                                                                        bool time, bool fetches)
{
    struct stream *s = w.s;
    const struct stream_block *b = s->block, *next;
    bool begun = true, taken; /* begun: the block is in progress */

    for (; from != to && leads_simply(&w, b, next = block_at(blocks, *from), &taken); from++, b = next) {
        if (time && !begun && b->load_count != 0 && !stream_repeat_block(s, b)) {
            stream_begin(s, b);
            begun = true;
        }
        if (begun) {
            stream_reach(s, b->insns);
        } else {
            tell_whole(&w, b);
        }
        if (time) {
            stream_move(s, &b->moves);
        }
        if (s->branches) {
            stream_branch(s, b->kind, b->end - b->last, b->direct ? b->target : next->address, taken);
        }
        s->entered++;
        if (fetches) {
            fetch_first(&w, next, taken);
        }
        begun = false;
    }
    if (!begun) {
        stream_begin(s, b);
    }
    return from;
}

const uint32_t *stream_enter_many(struct stream *s, const uint32_t *from, const uint32_t *to, const char *blocks,
                                  uint64_t handlers)
{
    if (!s->late || !s->plain || s->block == NULL) {
        return from;
    }
    const struct block_walk w = begin_walk(s, handlers);

    return (s->parts & APMU_CORE_TIMING) != 0 ? enter_late(w, from, to, blocks, true, true)
           : s->fetches                       ? enter_late(w, from, to, blocks, false, true)
                                              : enter_late(w, from, to, blocks, false, false);
}
