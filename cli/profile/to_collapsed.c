/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collapsed stacks: a line for each call stack, the outermost frame first, and its count.
 *
 *      bash;main;f;g 70
 */
#include <stdlib.h>
#include <string.h>

#include "to_formats.h"

void to_collapsed(struct to_out *out, struct profile *p, const struct to_options *options)
{
    const struct recording *r = profile_recording(p);
    const uint32_t event = to_first(options);
    struct to_tree *t = to_tree_new(p, TO_BY_FUNCTION, true);
    uint32_t *frames = calloc(TO_DEPTH, sizeof *frames);

    if (t == NULL || frames == NULL) {
        to_fail(out, "there is not enough memory");
    }
    for (size_t i = 0; !out->failed && i < t->sample_count; i++) {
        const uint64_t count = t->counts[i * r->event_count + event];

        if (count == 0) {
            continue;
        }
        struct to_label label;
        size_t depth = to_stack_frames(t, t->samples[i].stack, frames);

        to_line(out, to_thread_name(r, t->samples[i].thread), ';');
        while (depth-- > 0) {
            to_put(out, ";", 1);
            to_line(out, to_label(p, t->frames[frames[depth]].function, &label), ';');
        }
        to_put(out, " ", 1);
        to_number(out, count);
        to_put(out, "\n", 1);
    }
    free(frames);
    to_tree_free(t);
}
