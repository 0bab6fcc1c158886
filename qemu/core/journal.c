/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread notes in its journal, and how a visit in it is told. */
#include "journal.h"

bool journal_begin(struct stream *s, struct journal *room, journal_taker *taker, uint32_t **next_block,
                   struct apmu_core_visit **next_visit)
{
    if (!s->late || s->shared->locks || !apmu_core_visit_late(s->core)) {
        return false;
    }
    s->journal = room;
    s->taker = taker;
    s->next_block = next_block;
    s->next_visit = next_visit;
    *next_block = room->block;
    *next_visit = &room->visit[1];
    return true;
}

bool journal_has_any(const struct stream *s)
{
    return *s->next_block != s->journal->block || *s->next_visit != &s->journal->visit[1];
}

void journal_end(struct stream *s)
{
    s->journal->blocks = (uint32_t)(*s->next_block - s->journal->block);
    s->journal->visits = (uint32_t)(*s->next_visit - s->journal->visit);
    s->taker(s);
    *s->next_block = s->journal->block;
    *s->next_visit = &s->journal->visit[1];
}

void journal_stop(struct stream *s)
{
    if (s->journal != NULL) {
        apmu_core_visit_now(s->core);
    }
    s->journal = NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The thread's side.
 */

/* Appends @count visits of one access, of instruction @index.  Their words and flags are there. */
static void append(struct stream *s, uint32_t index, struct apmu_core_visit *visits, uint32_t count)
{
    if (*s->next_visit + count > s->journal->visit + JOURNAL_VISITS) {
        journal_end(s);
    }
    for (uint32_t i = 0; i < count; i++) {
        visits[i].place = (uint32_t)(uintptr_t)*s->next_block;
        visits[i].index = (uint16_t)index;
        visits[i].flags |= i + 1 < count ? JOURNAL_MORE : 0;
        *(*s->next_visit)++ = visits[i];
    }
}

void journal_load(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    struct apmu_core_visit visits[APMU_CORE_VISITS_MOST];
    const uint32_t count = apmu_core_load_late(s->core, address, size, visits);

    append(s, index, visits, count);
}

void journal_store(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    struct apmu_core_visit visits[APMU_CORE_VISITS_MOST];
    const uint32_t count = apmu_core_store_late(s->core, address, size, visits);

    append(s, index, visits, count);
}

/* Appends the load @a, with the visits that it makes, if any: whether it depends on a load before it is to be told. */
static void append_depending(struct stream *s, const struct stream_access *a, uint64_t address, uint32_t size)
{
    struct apmu_core_visit visits[APMU_CORE_VISITS_MOST + 1];
    const bool fast = apmu_core_load_fast(s->core, address, size);
    const uint32_t count = fast ? 0 : apmu_core_load_late(s->core, address, size, visits + 1);

    visits[0] = (struct apmu_core_visit){(uintptr_t)a, 0, 0, JOURNAL_LOAD};
    append(s, a->index, visits, count + 1);
}

void journal_access(struct stream *s, const struct stream_access *a, uint64_t address, uint32_t size, bool store)
{
    const uint32_t made = stream_makes(s, a, &address, &size, store);

    if ((made & STREAM_LOADS) != 0 && (s->parts & APMU_CORE_TIMING) != 0) {
        append_depending(s, a, address, size);
    } else if ((made & STREAM_LOADS) != 0 && !apmu_core_load_fast(s->core, address, size)) {
        journal_load(s, a->index, address, size);
    }
    if ((made & STREAM_STORES) != 0 && !apmu_core_store_fast(s->core, address, size)) {
        journal_store(s, a->index, address, size);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The other side.
 */

/* Tells that the load @a, whose @count visits are @visit, has come. */
static void tell_depending(struct stream *s, const struct stream_access *a, const struct apmu_core_visit *visit,
                           uint32_t count)
{
    if (s->load_next < a->index) {
        stream_reach_loads(s, a->index);
    }
    const bool after = stream_depends(s, a);

    if (count == 0 && !after) {
        return;
    }
    stream_reach(s, a->index + 1u);
    if (count == 0) {
        apmu_core_load_chained(s->core);
    } else {
        apmu_core_visit_load(s->core, visit, count, after);
    }
    stream_make_room(s);
}

void journal_hold(struct stream *s, const struct journal *j)
{
    s->held = &j->visit[1];
    s->held_end = j->visit + j->visits;
    s->list = (uint32_t)(uintptr_t)j->block;
    s->entered = 0;
}

void journal_tell_held(struct stream *s, uint32_t index)
{
    const uint32_t here = s->entered * (uint32_t)sizeof(uint32_t);
    const struct apmu_core_visit *v = s->held;

    while (v != s->held_end && (v->place - s->list < here || (v->place - s->list == here && v->index < index))) {
        v++;
    }
    apmu_core_visit(s->core, s->held, (size_t)(v - s->held));
    s->held = v;
}

const struct apmu_core_visit *journal_tell(struct stream *s, const struct apmu_core_visit *visit)
{
    const struct apmu_core_visit *end = visit + 1;

    while ((end[-1].flags & JOURNAL_MORE) != 0) {
        end++;
    }
    if ((visit->flags & JOURNAL_LOAD) != 0) {
        tell_depending(s, (const void *)(uintptr_t)visit->word, visit + 1, (uint32_t)(end - visit - 1));
        return end;
    }
    const bool store = (visit->word & APMU_CORE_DIRTY) != 0;
    const bool after = !store && stream_reach_load(s, visit->index);

    stream_reach_access(s, visit->index);
    if (store) {
        apmu_core_visit_store(s->core, visit, (size_t)(end - visit));
    } else {
        apmu_core_visit_load(s->core, visit, (size_t)(end - visit), after);
    }
    stream_make_room(s);
    return end;
}
