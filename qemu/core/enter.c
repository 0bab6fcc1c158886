/* SPDX-License-Identifier: BSD-2-Clause */
/* Enters many blocks at once: most of what a walk of a journal does. */
#include "stream.h"

/*
 * Returns whether the branch of @b simply leads to @next, each at its address; @handlers: as for stream_enter_many().
 * *@taken: whether it was taken then.  Its outcome cannot be predicted, so nothing here jumps.
 */
static inline bool leads_simply(const struct stream_block *b, const struct stream_block *next, uint64_t handlers,
                                bool *taken)
{
    const bool there = next->address == b->address + (uint64_t)(int64_t)b->reach;
    const bool behind = (next->address == b->address + b->bytes) & ((b->kind & APMU_CORE_CONDITIONAL) != 0);
    const bool handler = handlers != 0 && (handlers & stream_address_bit(next->address)) != 0;
    const bool anywhere = !handler & !b->direct & (b->kind != STREAM_NO_BRANCH);

    *taken = anywhere | there;
    return anywhere | (b->direct & (there | behind));
}

/*
 * Copies, for registers, of what changes with every block.  write_back() comes before a call of a function that uses
 * the originals, and reload() after it.
 */
struct cached {
    struct apmu_core *core;
    struct apmu_core_batch *batch;
    uint64_t operations; /* before the block */
    uint32_t branches;   /* in the batch */
};

/* Writes *@c back, where @n instructions of the block have retired. */
static inline void write_back(const struct cached *c, uint32_t n)
{
    c->core->operations = c->operations + n;
    c->batch->branches = c->branches;
}

/* Reads what may have changed since write_back(): the batch may be another one. */
static inline void reload(const struct stream *s, struct cached *c)
{
    c->batch = s->batch;
    c->branches = s->batch->branches;
}

/* Tells a fetch, apart from the code that is executed for every block. */
static __attribute__((noinline)) void fetch_apart(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    stream_fetch(s, index, address, size);
}

/* Tells the fetch by instruction @index of a line of L1I that is not the one which its set used last. */
static inline void fetch_other(struct stream *s, struct cached *c, uint32_t index, uint64_t address, uint32_t size)
{
    write_back(c, index);
    fetch_apart(s, index, address, size);
    reload(s, c);
}

/* Tells the fetch of a line of L1I by instruction @index. */
static inline void fetch_line(struct stream *s, struct cached *c, uint32_t index, uint64_t address, uint32_t size)
{
    if (apmu_core_fetch_recent(c->core, address)) {
        s->line = address >> s->line_shift;
    } else {
        fetch_other(s, c, index, address, size);
    }
}

/*
 * Fetches the first line of @next, behind a branch.  If it is the line fetched last there is no other fetch: then it is
 * the line that its set used last, and its page the one used last, so a use changes nothing.
 */
static inline void fetch_first(struct stream *s, struct cached *c, const struct stream_block *next, bool taken)
{
    const bool fetches = taken | (next->address >> s->line_shift != s->line);

    if (apmu_core_fetch_recent(c->core, next->address)) {
        c->core->tally.fetches -= !fetches;
        s->line = next->address >> s->line_shift;
    } else if (fetches) {
        fetch_other(s, c, 0, next->address, next->first);
    }
}

static const struct stream_block *block_at(const char *blocks, uint32_t place)
{
    return (const void *)(blocks + (size_t)place * STREAM_PLACE);
}

/* Tells all of @b but its loads, its branch and the fetch of its first line, which was told. */
static inline void tell_whole(struct stream *s, struct cached *c, const struct stream_block *b)
{
    for (uint32_t i = 0; s->fetches && i < b->line_count; i++) {
        fetch_line(s, c, b->lines[i].index, b->lines[i].address, b->lines[i].size);
    }
    c->operations += b->insns;
}

/* Tells all of @b, the block in progress, but its branch. */
static inline void tell_rest(struct stream *s, struct cached *c, const struct stream_block *b)
{
    write_back(c, 0);
    stream_reach(s, b->insns);
    c->operations = c->core->operations;
    reload(s, c);
}

/* Tells the branch of @b, which led to @next. */
static inline void tell_branch(struct stream *s, struct cached *c, const struct stream_block *b,
                               const struct stream_block *next, bool taken)
{
    const uint64_t target = b->direct ? b->address + (uint64_t)(int64_t)b->reach : next->address;

    c->batch->branch[c->branches++] = (struct apmu_core_outcome){
        b->address + b->bytes - b->last, target, b->kind, taken, APMU_CORE_COST_NONE,
        (uint8_t)c->core->notes.count, (uint32_t)c->operations};
    if (c->branches == APMU_CORE_BATCH) {
        write_back(c, 0);
        stream_tell_batch(s, false);
        reload(s, c);
    }
}

/* As stream_enter_many(), where branches are told late. */
static const uint32_t *enter_late(struct stream *s, const uint32_t *from, const uint32_t *to, const char *blocks,
                                  uint64_t handlers)
{
    const bool time = (s->parts & APMU_CORE_TIMING) != 0;
    struct cached c = {s->core, s->batch, s->core->operations, s->batch->branches};
    const struct stream_block *b = s->block, *next;
    bool begun = true, taken; /* begun: the block is in progress */

    for (; from != to && leads_simply(b, next = block_at(blocks, *from), handlers, &taken); from++, b = next) {
        if (!begun && b->load_count != 0 && !stream_repeat_block(s, b)) {
            stream_begin(s, b);
            begun = true;
        }
        if (begun) {
            tell_rest(s, &c, b);
        } else {
            tell_whole(s, &c, b);
        }
        if (time) {
            stream_move(s, &b->moves);
        }
        if (s->branches) {
            tell_branch(s, &c, b, next, taken);
        }
        s->entered++;
        if (s->fetches) {
            fetch_first(s, &c, next, taken);
        }
        begun = false;
    }
    write_back(&c, 0);
    if (!begun) {
        stream_begin(s, b);
    }
    return from;
}

const uint32_t *stream_enter_many(struct stream *s, const uint32_t *from, const uint32_t *to, const char *blocks,
                                  uint64_t handlers)
{
    return s->late && s->plain && s->block != NULL ? enter_late(s, from, to, blocks, handlers) : from;
}
