/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of `armpmu run --html`.  It makes tracks of the signals of the run's wave: EL, PMUIRQ, and for each counter
 * its value, and the reasons why it does not count.
 *
 * A wave may have millions of changes, and a picture has a thousand pixels.  So a track merges changes that are closer
 * than a step, which is a part of the time of the run.  A step shows what held longest; a signal of one bit is 1 in a
 * step if it ever was.  The times for which a counter stood still are summed up before that, so they are exact.
 */
#include "run_page.h"

#include <stdlib.h>
#include <string.h>

#include "profile/page.h"
#include "run_report.h"
#include "run_wave.h"

#define STEPS 1000u /* the steps of a track */

/* What the page shows of a signal. */
struct page_track {
    enum wave_kind kind;
    uint64_t value, since;
    bool known;    /* `value` holds */
    uint64_t *times, *values;
    size_t count, room;
    uint64_t best;  /* the longest span of the last step */
    bool merged;    /* the last point is a step of merged changes */
    uint64_t still[WAVE_CAUSES]; /* WAVE_WHY: the time for which each reason held */
};

struct page_run {
    struct wave wave;
    struct page_track *tracks; /* by the number of the signal */
    uint64_t step;
};

/* Appends a point to @t. */
static void add_point(struct page_track *t, uint64_t time, uint64_t value)
{
    if (t->count == t->room) {
        t->room = t->room == 0 ? 16 : 2 * t->room;
        t->times = cli_allocate(t->times, t->room, sizeof *t->times);
        t->values = cli_allocate(t->values, t->room, sizeof *t->values);
    }
    t->times[t->count] = time;
    t->values[t->count++] = value;
}

/* Adds a span in which @t had @value, shorter than a step, to the step that is open, or opens one. */
static void merge_span(struct page_track *t, uint64_t since, uint64_t until, uint64_t value, uint64_t step)
{
    const uint64_t length = until - since;

    if (!t->merged || since >= t->times[t->count - 1] + step) {
        add_point(t, since, value);
        t->merged = true;
        t->best = length;
    } else if (t->kind == WAVE_PULSE) {
        t->values[t->count - 1] |= value;
    } else if (length > t->best) {
        t->values[t->count - 1] = value;
        t->best = length;
    }
}

/* Ends the span of @t that lasted until @until. */
static void end_span(struct page_track *t, uint64_t until, uint64_t step)
{
    const uint64_t length = until - t->since;

    if (!t->known || length == 0) {
        return;
    }
    if (t->kind == WAVE_WHY) {
        for (unsigned bit = 0; bit < WAVE_CAUSES; bit++) {
            t->still[bit] += (t->value >> bit & 1) != 0 ? length : 0;
        }
    }
    if (length < step) {
        merge_span(t, t->since, until, t->value, step);
    } else if (t->count == 0 || t->values[t->count - 1] != t->value || t->merged) {
        add_point(t, t->since, t->value);
        t->merged = false;
    }
}

/* Takes a new value of a counter: a point, or within a step of the last one its new value. */
static void move_counter(struct page_track *t, uint64_t now, uint64_t value, uint64_t step)
{
    if (t->count != 0 && now < t->times[t->count - 1] + step) {
        t->values[t->count - 1] = value;
    } else {
        add_point(t, now, value);
    }
}

/* Takes a change of the wave: a callback of wave_read(). */
static void change(void *context, size_t signal, uint64_t time, uint64_t value)
{
    struct page_run *run = context;
    struct page_track *t = &run->tracks[signal];

    switch (t->kind) {
    case WAVE_OTHER:
    case WAVE_TYPE: return;
    case WAVE_COUNTER: move_counter(t, time, value, run->step); break;
    default:
        end_span(t, time, run->step);
        t->since = time;
        break;
    }
    t->value = value;
    t->known = true;
}

static json_t *times_of(const struct page_track *t)
{
    json_t *times = json_array();

    for (size_t i = 0; i < t->count; i++) {
        json_array_append_new(times, json_integer((json_int_t)t->times[i]));
    }
    return times;
}

/* Returns a track whose values are numbers.  A counter that is set to overflow soon is negative: its value - 2^64. */
static json_t *numbers(const struct page_track *t)
{
    json_t *values = json_array();

    for (size_t i = 0; i < t->count; i++) {
        json_array_append_new(values, json_integer((json_int_t)t->values[i]));
    }
    return json_pack("{s:o, s:o}", "times", times_of(t), "values", values);
}

/* Returns a track whose values are arrays of reasons' numbers. */
static json_t *sets(const struct page_track *t)
{
    json_t *values = json_array();

    for (size_t i = 0; i < t->count; i++) {
        json_t *set = json_array();

        for (unsigned bit = 0; bit < WAVE_CAUSES; bit++) {
            if ((t->values[i] >> bit & 1) != 0) {
                json_array_append_new(set, json_integer((json_int_t)bit));
            }
        }
        json_array_append_new(values, set);
    }
    return json_pack("{s:o, s:o}", "times", times_of(t), "values", values);
}

/* Returns the times for which each reason held, the longest first. */
static json_t *stillness(const struct page_track *t)
{
    uint64_t left[WAVE_CAUSES];
    json_t *rows = json_array();

    memcpy(left, t->still, sizeof left);
    for (;;) {
        unsigned most = 0;

        for (unsigned bit = 1; bit < WAVE_CAUSES; bit++) {
            most = left[bit] > left[most] ? bit : most;
        }
        if (left[most] == 0) {
            return rows;
        }
        json_array_append_new(rows, json_pack("{s:i, s:I}", "cause", (int)most, "ns", (json_int_t)left[most]));
        left[most] = 0;
    }
}

/* Adds the signal @i of the wave to what the page shows of its CPU. */
static void add_track(const struct page_run *run, size_t i, json_t *tracks, json_t *counters, json_t *idle)
{
    const struct wave_variable *s = &run->wave.signals[i];
    const struct page_track *t = &run->tracks[i];
    char events[256];

    if (s->kind == WAVE_LEVEL || s->kind == WAVE_PULSE) {
        json_t *track = numbers(t);

        json_object_set_new(track, "name", json_string(s->name));
        if (s->kind == WAVE_LEVEL) {
            const char *const *texts = wave_levels(s);

            json_object_set_new(track, "texts", json_pack("[ssss]", texts[0], texts[1], texts[2], texts[3]));
        }
        json_array_append_new(tracks, track);
    } else if (s->kind == WAVE_COUNTER && !s->used) {
        json_array_append_new(idle, json_string(s->name));
    } else if (s->kind == WAVE_COUNTER) {
        const struct page_track *why = &run->tracks[s->why];

        wave_events(&run->wave, i, events);
        json_array_append_new(counters, json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", s->name, "event", events,
                                                  "value", numbers(t), "why", sets(why), "still", stillness(why)));
    }
}

static json_t *cpus_of(const struct page_run *run)
{
    json_t *cpus = json_array();

    for (unsigned cpu = 0; cpu < run->wave.cpus; cpu++) {
        json_t *tracks = json_array(), *counters = json_array(), *idle = json_array();
        char name[24];

        for (size_t i = 0; i < run->wave.count; i++) {
            if (run->wave.signals[i].cpu == cpu) {
                add_track(run, i, tracks, counters, idle);
            }
        }
        snprintf(name, sizeof name, "CPU %u", cpu);
        json_array_append_new(cpus, json_pack("{s:s, s:o, s:o, s:o}", "name", name, "tracks", tracks, "counters",
                                              counters, "idle", idle));
    }
    return cpus;
}

static json_t *page_data(const struct page_run *run, const char *title)
{
    json_t *causes = json_array();

    for (unsigned bit = 0; run_report_reason(run->wave.arm11, bit) != NULL; bit++) {
        json_array_append_new(causes, json_string(run_report_reason(run->wave.arm11, bit)));
    }
    return json_pack("{s:i, s:s, s:{s:s, s:I, s:o, s:o}}", "format", PAGE_FORMAT, "kind", "run", "run", "title", title,
                     "end_ns", (json_int_t)run->wave.end, "causes", causes, "cpus", cpus_of(run));
}

int run_page_write(const struct cli_verb *verb, const char *wave, const char *title, const char *page)
{
    struct recording_refusal no;
    struct page_run run = {.tracks = NULL};
    int status = wave_open(&run.wave, verb, wave);

    if (status == CLI_YES) {
        run.tracks = cli_allocate(NULL, run.wave.count, sizeof *run.tracks);
        run.step = run.wave.end / STEPS;
        for (size_t i = 0; i < run.wave.count; i++) {
            run.tracks[i].kind = run.wave.signals[i].kind;
        }
        wave_read(&run.wave, change, &run);
        for (size_t i = 0; i < run.wave.count; i++) {
            if (run.tracks[i].kind != WAVE_COUNTER && run.tracks[i].kind != WAVE_TYPE) {
                end_span(&run.tracks[i], run.wave.end, run.step);
            }
        }
        json_t *data = page_data(&run, title);

        if (!page_write(page, title, data, &no)) {
            cli_complain(verb, "%s", no.text);
            status = CLI_CANNOT;
        }
        json_decref(data);
    }
    for (size_t i = 0; i < run.wave.count && run.tracks != NULL; i++) {
        free(run.tracks[i].times);
        free(run.tracks[i].values);
    }
    free(run.tracks);
    wave_close(&run.wave);
    return status;
}
