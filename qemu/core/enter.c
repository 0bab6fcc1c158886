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

/* Tells a fetch, apart from the code that is executed for every block. */
static __attribute__((noinline)) void fetch_apart(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    stream_fetch(s, index, address, size);
}

/*
 * Fetches the first line of @next, behind a branch.  If it is the line fetched last there is no other fetch: then it is
 * the line that its set used last, and its page the one used last, so a use changes nothing.
 */
static inline void fetch_first(struct stream *s, const struct stream_block *next, bool taken)
{
    const uint64_t line = next->address >> s->line_shift;
    const bool fetches = taken | (line != s->line);

    if (apmu_core_fetch_recent(s->core, next->address)) {
        s->core->tally.fetches -= !fetches;
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
static inline void tell_whole(struct stream *s, const struct stream_block *b)
{
    uint32_t done = 0;

    for (uint32_t i = 0; s->fetches && i < b->line_count; i++) {
        const struct stream_line *line = &b->lines[i];

        apmu_core_instructions(s->core, line->index - done);
        done = line->index;
        if (apmu_core_fetch_recent(s->core, line->address)) {
            s->line = line->address >> s->line_shift;
        } else {
            fetch_apart(s, done, line->address, line->size);
        }
    }
    apmu_core_instructions(s->core, b->insns - done);
}

/* Tells the branch of @b, which led to @next. */
static inline void tell_branch(struct stream *s, const struct stream_block *b, const struct stream_block *next,
                               bool taken)
{
    const uint64_t target = b->direct ? b->address + (uint64_t)(int64_t)b->reach : next->address;

    stream_branch(s, b->kind, b->address + b->bytes - b->last, target, taken);
}

/* As stream_enter_many(), where branches are told late. */
static const uint32_t *enter_late(struct stream *s, const uint32_t *from, const uint32_t *to, const char *blocks,
                                  uint64_t handlers)
{
    const bool time = (s->parts & APMU_CORE_TIMING) != 0;
    const struct stream_block *b = s->block, *next;
    bool begun = true, taken; /* begun: the block is in progress */

    for (; from != to && leads_simply(b, next = block_at(blocks, *from), handlers, &taken); from++, b = next) {
        if (!begun && b->load_count != 0 && !stream_repeat_block(s, b)) {
            stream_begin(s, b);
            begun = true;
        }
        if (begun) {
            stream_reach(s, b->insns);
        } else {
            tell_whole(s, b);
        }
        if (time) {
            stream_move(s, &b->moves);
        }
        if (s->branches) {
            tell_branch(s, b, next, taken);
        }
        s->entered++;
        if (s->fetches) {
            fetch_first(s, next, taken);
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
    return s->late && s->plain && s->block != NULL ? enter_late(s, from, to, blocks, handlers) : from;
}
