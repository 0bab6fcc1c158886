/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is told late, in batches: branches, time, and accesses that no short cut answers, as words on a list, visits of
 * lines (apmu_core_visit_late()).
 */
#include "stream.h"

void stream_tell_late(struct stream *s)
{
    s->late = !s->odd;
    if (s->late) {
        apmu_core_time_late(s->core);
    }
}

void stream_tell_by(struct stream *s, stream_teller *teller, struct apmu_core_batch *room)
{
    if (s->late) {
        s->teller = teller;
        s->batch = room;
    }
}

void stream_tell_batch(struct stream *s, bool all)
{
    if (!s->late) {
        return;
    }
    apmu_core_end_batch(s->core, s->batch);
    if (s->visit != NULL) {
        s->batch->visits = (uint32_t)(*s->visit - s->batch->visit);
    }
    if (s->teller != NULL) {
        s->teller(s, all);
    } else {
        apmu_core_replay(s->core, s->batch);
    }
    s->batch->branches = s->batch->visits = 0;
    if (s->visit != NULL) {
        *s->visit = s->batch->visit;
    }
}

bool stream_visit_late(struct stream *s, uint64_t **next)
{
    if (!s->late || !s->apart || s->shared->locks || !apmu_core_visit_late(s->core)) {
        return false;
    }
    s->visit = next;
    *next = s->batch->visit;
    return true;
}

void stream_visit_now(struct stream *s)
{
    if (s->visit != NULL) {
        stream_tell_batch(s, true);
        apmu_core_visit_now(s->core);
    }
    s->visit = NULL;
}

void stream_visit(struct stream *s, uint64_t address, uint32_t size, bool store)
{
    uint64_t words[APMU_CORE_VISITS_MOST];
    const uint32_t count = store ? apmu_core_store_late(s->core, address, size, words)
                                 : apmu_core_load_late(s->core, address, size, words);

    for (uint32_t i = 0; i < count; i++) {
        if (((uintptr_t)*s->visit & (STREAM_VISITS * sizeof words[0] - 1)) == 0) {
            stream_tell_batch(s, false);
        }
        *(*s->visit)++ = words[i];
    }
}
