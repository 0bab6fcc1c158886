/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of engines, and the choice of one. */
#include "engine.h"

#include <string.h>

const struct engine *const engine_list[] = {&perf_engine, &emulator_engine, NULL};

const struct engine *engine_find(const char *name)
{
    for (size_t i = 0; engine_list[i] != NULL; i++) {
        if (strcmp(engine_list[i]->name, name) == 0) {
            return engine_list[i];
        }
    }
    return NULL;
}

const struct engine *engine_choose(const struct count_job *job)
{
    size_t i;

    for (i = 0; engine_list[i] != NULL; i++) {
        if (engine_list[i]->is_asked_for(job)) {
            return engine_list[i];
        }
    }
    for (i = 0; engine_list[i + 1] != NULL && !engine_list[i]->is_available(); i++) {
    }
    return engine_list[i]; /* the last one complains of what it lacks when it begins */
}

uint64_t engine_estimate(const struct tally *t)
{
    if (t->running_ns == 0 || t->running_ns >= t->enabled_ns) {
        return t->count;
    }
    return (uint64_t)((double)t->count * ((double)t->enabled_ns / (double)t->running_ns) + 0.5);
}
