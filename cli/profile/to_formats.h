/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the table of formats in to.c, each in the file of its name. */
#ifndef ARMPMU_CLI_TO_FORMATS_H
#define ARMPMU_CLI_TO_FORMATS_H

#include "to.h"
#include "to_out.h"
#include "to_tree.h"

void to_callgrind(struct to_out *out, struct profile *p, const struct to_options *options);
void to_perf_data(struct to_out *out, struct profile *p, const struct to_options *options);
void to_pprof(struct to_out *out, struct profile *p, const struct to_options *options);
void to_collapsed(struct to_out *out, struct profile *p, const struct to_options *options);
void to_speedscope(struct to_out *out, struct profile *p, const struct to_options *options);
void to_firefox(struct to_out *out, struct profile *p, const struct to_options *options);
void to_perfetto(struct to_out *out, struct profile *p, const struct to_options *options);
void to_perf_script(struct to_out *out, struct profile *p, const struct to_options *options);

/** Returns whether event @event is to be written. */
static inline bool to_wants(const struct to_options *options, uint32_t event)
{
    for (size_t i = 0; i < options->event_count; i++) {
        if (options->events[i] == event) {
            return true;
        }
    }
    return options->event_count == 0;
}

/** Returns the first event that is to be written. */
static inline uint32_t to_first(const struct to_options *options)
{
    return options->event_count == 0 ? 0 : options->events[0];
}

#endif
