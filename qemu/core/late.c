/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told late, in batches: branches and time. */
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
    if (s->teller != NULL) {
        s->teller(s, all);
    } else {
        apmu_core_replay(s->core, s->batch);
    }
    s->batch->branches = 0;
}
