/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text that `perf script` prints: for each sample a line, and one for each frame, the innermost first.
 *
 *      gzip 812/812 0.000070000:      4096 INST_RETIRED:
 *                  1f30 inflate+0x1c (/usr/bin/gzip)
 *
 * In an exact recording nothing has a time: each sample lasts as many nanoseconds as it has counts.
 */
#include <stdlib.h>
#include <string.h>

#include "to_formats.h"

enum { NANOSECONDS = 1000000000 };

/* Writes the event as one word, as readers of this text expect. */
static void write_event(struct to_out *out, const struct recording_event *event)
{
    struct recording_title title = recording_title(event);

    for (char *s = title.text; (s = strchr(s, ' ')) != NULL; s++) {
        *s = '_';
    }
    to_line(out, title.text, '\0');
}

static void write_frame(struct to_out *out, const struct profile *p, const struct to_frame *f)
{
    const struct recording *r = profile_recording(p);
    const struct recording_map *m = f->map == RECORDING_NONE ? NULL : &r->maps[f->map];

    to_printf(out, "\t%16llx ", (unsigned long long)(m == NULL ? f->address : f->address - m->start + m->offset));
    to_line(out, to_function_name(p, f->function), '\0');
    if (f->function != PROFILE_NONE && profile_function(p, f->function)->end != 0) {
        to_printf(out, "+0x%llx", (unsigned long long)(f->offset - profile_function(p, f->function)->start));
    }
    to_text(out, " (");
    to_line(out, to_file_path(r, f->file), '\0');
    to_text(out, ")\n");
}

static void write_sample(struct to_out *out, const struct profile *p, const struct to_tree *t, size_t sample,
                         uint32_t event, uint64_t time)
{
    const struct recording *r = profile_recording(p);
    const struct to_sample *s = &t->samples[sample];
    const struct recording_thread *thread = &r->threads[s->thread];
    uint32_t frames[TO_DEPTH];
    const size_t depth = to_stack_frames(t, s->stack, frames);

    to_line(out, to_thread_name(r, s->thread), '\0');
    to_printf(out, " %d/%d", r->images[thread->image].pid, thread->tid);
    if (s->cpu != RECORDING_NONE) {
        to_printf(out, " [%03u]", s->cpu);
    }
    to_printf(out, " %llu.%09u: %10llu ", (unsigned long long)(time / NANOSECONDS), (unsigned)(time % NANOSECONDS),
              (unsigned long long)t->counts[sample * r->event_count + event]);
    write_event(out, &r->events[event]);
    to_text(out, ":\n");
    for (size_t i = 0; i < depth; i++) {
        write_frame(out, p, &t->frames[frames[i]]);
    }
    to_put(out, "\n", 1);
}

void to_perf_script(struct to_out *out, struct profile *p, const struct to_options *options)
{
    const struct recording *r = profile_recording(p);
    struct to_tree *t = to_tree_new(p, TO_BY_ADDRESS, false);
    uint64_t time = 0;

    if (t == NULL) {
        to_fail(out, "there is not enough memory");
        return;
    }
    for (uint32_t e = 0; e < r->event_count; e++) {
        for (size_t i = 0; to_wants(options, e) && !out->failed && i < t->sample_count; i++) {
            const uint64_t count = t->counts[i * r->event_count + e];

            if (count != 0) {
                write_sample(out, p, t, i, e, r->sampled ? t->samples[i].time_ns : time);
                time += count;
            }
        }
    }
    to_tree_free(t);
}
