/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JSON of speedscope: a table of frames, and for each event a list of stacks with their counts.  The thread is the
 * outermost frame if there are several.
 */
#include <stdlib.h>

#include "to_formats.h"

static void write_frames(struct to_out *out, const struct profile *p, const struct to_tree *t)
{
    const struct recording *r = profile_recording(p);

    to_text(out, "\"shared\":{\"frames\":[");
    for (size_t i = 0; i < t->frame_count; i++) {
        const struct to_frame *f = &t->frames[i];
        struct to_label label;

        to_text(out, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
        to_json(out, to_label(p, f->function, &label));
        to_text(out, ",\"file\":");
        to_json(out, f->source[0] != '\0' ? f->source : to_file_path(r, f->file));
        if (f->line != 0) {
            to_printf(out, ",\"line\":%u", f->line);
        }
        to_put(out, "}", 1);
    }
    for (size_t i = 0; i < r->thread_count; i++) {
        to_text(out, t->frame_count + i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
        to_json(out, to_thread_name(r, (uint32_t)i));
        to_put(out, "}", 1);
    }
    to_text(out, "]}");
}

static bool is_counted(const struct to_tree *t, size_t events, size_t sample, uint32_t event)
{
    return t->counts[sample * events + event] != 0;
}

static void write_event(struct to_out *out, const struct recording *r, const struct to_tree *t, uint32_t event,
                        uint32_t *frames)
{
    const size_t events = r->event_count;
    uint64_t sum = 0;

    to_text(out, "{\"type\":\"sampled\",\"name\":");
    to_json(out, recording_title(&r->events[event]).text);
    to_text(out, ",\"unit\":\"none\",\"samples\":[");
    const char *before = "\n[";

    for (size_t i = 0; !out->failed && i < t->sample_count; i++) {
        if (!is_counted(t, events, i, event)) {
            continue;
        }
        size_t depth = to_stack_frames(t, t->samples[i].stack, frames);

        sum += t->counts[i * events + event];
        to_text(out, before);
        before = ",\n[";
        if (r->thread_count > 1) {
            to_number(out, t->frame_count + t->samples[i].thread);
            to_put(out, ",", 1);
        }
        while (depth-- > 0) {
            to_number(out, frames[depth]);
            to_put(out, depth > 0 ? "," : "]", 1);
        }
    }
    to_text(out, "],\"weights\":[");
    before = "";
    for (size_t i = 0; i < t->sample_count; i++) {
        if (is_counted(t, events, i, event)) {
            to_text(out, before);
            to_number(out, t->counts[i * events + event]);
            before = ",";
        }
    }
    to_text(out, "],\"startValue\":0,\"endValue\":");
    to_number(out, sum);
    to_put(out, "}", 1);
}

void to_speedscope(struct to_out *out, struct profile *p, const struct to_options *options)
{
    const struct recording *r = profile_recording(p);
    struct to_tree *t = to_tree_new(p, TO_BY_FUNCTION, true);
    uint32_t *frames = calloc(TO_DEPTH, sizeof *frames);

    if (t == NULL || frames == NULL) {
        to_fail(out, "there is not enough memory");
    } else {
        to_text(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":");
        to_json(out, r->tool);
        to_text(out, ",\n\"name\":");
        to_json(out, r->command);
        to_text(out, ",\n\"activeProfileIndex\":0,\n");
        write_frames(out, p, t);
        to_text(out, ",\n\"profiles\":[");
        const char *before = "\n";

        for (uint32_t e = 0; e < r->event_count; e++) {
            if (to_wants(options, e)) {
                to_text(out, before);
                write_event(out, r, t, e, frames);
                before = ",\n";
            }
        }
        to_text(out, "]}\n");
    }
    free(frames);
    to_tree_free(t);
}
