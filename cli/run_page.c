/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of `armpmu run --html`.  It reads the wave of the run, a Value Change Dump that qemu/system/wave.c wrote,
 * and makes tracks of its signals: EL, PMUIRQ, and for each counter its value, and the reasons why it does not count.
 *
 * A wave may have millions of changes, and a picture has a thousand pixels.  So a track merges changes that are closer
 * than a step, which is a part of the time of the run.  A step shows what held longest; a signal of one bit is 1 in a
 * step if it ever was.  The times for which a counter stood still are summed up before that, so they are exact.
 */
#include "run_page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/arm11.h>
#include <armpmu/events.h>
#include <armpmu/model.h>

#include "profile/page.h"
#include "run_report.h"

#define STEPS       1000u /* the steps of a track */
#define SIGNALS_MAX 8192u
#define CAUSES_MAX  64u

/* What a signal becomes in the page. */
enum track_kind {
    TRACK_NONE,    /* nothing */
    TRACK_LEVEL,   /* a row of colours */
    TRACK_PULSE,   /* a row that is on or off */
    TRACK_COUNTER, /* a plot */
    TRACK_WHY,     /* the reasons of the counter before it */
    TRACK_TYPE,    /* the event of the counter before it */
};

/* A signal of the wave. */
struct wave_track {
    enum track_kind kind;
    unsigned cpu;
    char name[40];
    bool inverted; /* active low */
    uint64_t value, since;
    bool known;    /* `value` holds */
    uint64_t *times, *values;
    size_t count, room;
    uint64_t best;  /* the longest span of the last step */
    bool merged;    /* the last point is a step of merged changes */
    uint64_t still[CAUSES_MAX]; /* TRACK_WHY: the time for which each reason held */
    uint16_t events[4];         /* TRACK_TYPE: the events that it had */
    unsigned event_count;
};

struct wave {
    struct wave_track *tracks; /* by the number of the signal */
    size_t count;
    unsigned cpus;
    bool arm11;
    uint64_t end, now, step;
};

/* Appends a point to @t. */
static void add_point(struct wave_track *t, uint64_t time, uint64_t value)
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
static void merge_span(struct wave_track *t, uint64_t since, uint64_t until, uint64_t value, uint64_t step)
{
    const uint64_t length = until - since;

    if (!t->merged || since >= t->times[t->count - 1] + step) {
        add_point(t, since, value);
        t->merged = true;
        t->best = length;
    } else if (t->kind == TRACK_PULSE) {
        t->values[t->count - 1] |= value;
    } else if (length > t->best) {
        t->values[t->count - 1] = value;
        t->best = length;
    }
}

/* Ends the span of @t that lasted until @until. */
static void end_span(struct wave_track *t, uint64_t until, uint64_t step)
{
    const uint64_t length = until - t->since;

    if (!t->known || length == 0) {
        return;
    }
    if (t->kind == TRACK_WHY) {
        for (unsigned bit = 0; bit < CAUSES_MAX; bit++) {
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
static void move_counter(struct wave_track *t, uint64_t now, uint64_t value, uint64_t step)
{
    if (t->count != 0 && now < t->times[t->count - 1] + step) {
        t->values[t->count - 1] = value;
    } else {
        add_point(t, now, value);
    }
}

/* Notes that the event of a counter is now @event. */
static void note_event(struct wave_track *t, uint64_t typer)
{
    const uint16_t event = (uint16_t)APMU_GET(PMEVTYPER_EL0, evtCount, typer);

    for (unsigned i = 0; i < t->event_count; i++) {
        if (t->events[i] == event) {
            return;
        }
    }
    if (t->event_count < sizeof t->events / sizeof t->events[0]) {
        t->events[t->event_count++] = event;
    }
}

static void change(struct wave *w, struct wave_track *t, uint64_t value)
{
    value = t->inverted ? value == 0 : value;
    switch (t->kind) {
    case TRACK_NONE: return;
    case TRACK_COUNTER: move_counter(t, w->now, value, w->step); break;
    case TRACK_TYPE: note_event(t, value); break;
    default:
        end_span(t, w->now, w->step);
        t->since = w->now;
        break;
    }
    t->value = value;
    t->known = true;
}

/* Returns whether @text ends with @end. */
static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);

    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Chooses what the signal @t becomes by its name. */
static void classify(struct wave_track *t)
{
    if (strcmp(t->name, "EL") == 0 || strcmp(t->name, "SecurityState") == 0) {
        t->kind = TRACK_LEVEL;
    } else if (strcmp(t->name, "PMUIRQ") == 0 || strcmp(t->name, "User") == 0 || strcmp(t->name, "Secure") == 0) {
        t->kind = TRACK_PULSE;
    } else if (strcmp(t->name, "nPMUIRQ") == 0) {
        strcpy(t->name, "PMUIRQ");
        t->kind = TRACK_PULSE;
        t->inverted = true;
    } else if (ends_with(t->name, "_WHY")) {
        t->kind = TRACK_WHY;
    } else if (strncmp(t->name, "PMEVTYPER", 9) == 0) {
        t->kind = TRACK_TYPE;
    } else if (strncmp(t->name, "PMEVCNTR", 8) == 0 || strcmp(t->name, "PMCCNTR_EL0") == 0 ||
               strcmp(t->name, "PMICNTR_EL0") == 0 || strcmp(t->name, "CCNT") == 0 || strcmp(t->name, "PMN0") == 0 ||
               strcmp(t->name, "PMN1") == 0) {
        t->kind = TRACK_COUNTER;
    }
}

/* Returns the number of the signal whose identifier is @id, or SIZE_MAX: wave.c writes numbers in base 94. */
static size_t signal_of(const char *id)
{
    size_t n = 0, place = 1;

    for (unsigned i = 0; id[i] >= '!' && id[i] <= '~'; i++, place *= 94) {
        if (i == 3) {
            return SIZE_MAX;
        }
        n += (size_t)(id[i] - '!') * place;
    }
    return n;
}

/* Reads the declarations.  Returns false if this is no wave of ours. */
static bool read_declarations(struct wave *w, FILE *in)
{
    char line[512], id[8], name[40];
    unsigned cpu = 0;

    while (fgets(line, sizeof line, in) != NULL) {
        if (strncmp(line, "$enddefinitions", 15) == 0) {
            return w->count != 0;
        }
        if (sscanf(line, "$scope module cpu%u", &cpu) == 1) {
            w->cpus = cpu >= w->cpus ? cpu + 1 : w->cpus;
        } else if (sscanf(line, "$var %*s %*u %7s %39s", id, name) == 2) {
            const size_t n = signal_of(id);

            if (n != w->count || n == SIGNALS_MAX) {
                return false;
            }
            w->tracks = cli_allocate(w->tracks, n + 1, sizeof *w->tracks);
            w->tracks[n] = (struct wave_track){.cpu = cpu};
            strcpy(w->tracks[n].name, name);
            w->arm11 |= strcmp(name, "PMNC") == 0;
            classify(&w->tracks[n]);
            w->count++;
        }
    }
    return false;
}

/* Reads the changes.  A line that is none of ours is passed over. */
static void read_changes(struct wave *w, FILE *in)
{
    char line[128];

    while (fgets(line, sizeof line, in) != NULL) {
        uint64_t value = 0;
        const char *at = line;
        size_t n;

        if (line[0] == '#') {
            const uint64_t time = strtoull(line + 1, NULL, 10);

            w->now = time > w->now ? time : w->now;
            continue;
        }
        if (line[0] == 'b') {
            for (at++; *at == '0' || *at == '1'; at++) {
                value = value << 1 | (uint64_t)(*at - '0');
            }
            at += *at == ' ' ? 1 : 0;
        } else if (line[0] == '0' || line[0] == '1') {
            value = (uint64_t)(line[0] - '0');
            at++;
        } else {
            continue;
        }
        n = signal_of(at);
        if (n < w->count) {
            change(w, &w->tracks[n], value);
        }
    }
    for (size_t i = 0; i < w->count; i++) {
        if (w->tracks[i].kind != TRACK_COUNTER && w->tracks[i].kind != TRACK_TYPE) {
            end_span(&w->tracks[i], w->now, w->step);
        }
    }
}

/* Returns the last time of the wave, from its last lines. */
static uint64_t last_time(FILE *in)
{
    char tail[65536];
    uint64_t last = 0;
    size_t length;

    if (fseek(in, 0, SEEK_END) != 0 || fseek(in, ftell(in) > (long)sizeof tail ? -(long)sizeof tail + 1 : 0,
                                             ftell(in) > (long)sizeof tail ? SEEK_END : SEEK_SET) != 0) {
        return 0;
    }
    length = fread(tail, 1, sizeof tail - 1, in);
    tail[length] = '\0';
    for (const char *at = strchr(tail, '#'); at != NULL; at = strchr(at + 1, '#')) {
        if (at != tail && at[-1] == '\n') {
            last = strtoull(at + 1, NULL, 10);
        }
    }
    rewind(in);
    return last;
}

static json_t *times_of(const struct wave_track *t)
{
    json_t *times = json_array();

    for (size_t i = 0; i < t->count; i++) {
        json_array_append_new(times, json_integer((json_int_t)t->times[i]));
    }
    return times;
}

/* Returns a track whose values are numbers.  A counter that is set to overflow soon is negative: its value - 2^64. */
static json_t *numbers(const struct wave_track *t)
{
    json_t *values = json_array();

    for (size_t i = 0; i < t->count; i++) {
        json_array_append_new(values, json_integer((json_int_t)t->values[i]));
    }
    return json_pack("{s:o, s:o}", "times", times_of(t), "values", values);
}

/* Returns a track whose values are arrays of reasons' numbers. */
static json_t *sets(const struct wave_track *t)
{
    json_t *values = json_array();

    for (size_t i = 0; i < t->count; i++) {
        json_t *set = json_array();

        for (unsigned bit = 0; bit < CAUSES_MAX; bit++) {
            if ((t->values[i] >> bit & 1) != 0) {
                json_array_append_new(set, json_integer((json_int_t)bit));
            }
        }
        json_array_append_new(values, set);
    }
    return json_pack("{s:o, s:o}", "times", times_of(t), "values", values);
}

/* Returns the times for which each reason held, the longest first. */
static json_t *stillness(const struct wave_track *t)
{
    uint64_t left[CAUSES_MAX];
    json_t *rows = json_array();

    memcpy(left, t->still, sizeof left);
    for (;;) {
        unsigned most = 0;

        for (unsigned bit = 1; bit < CAUSES_MAX; bit++) {
            most = left[bit] > left[most] ? bit : most;
        }
        if (left[most] == 0) {
            return rows;
        }
        json_array_append_new(rows, json_pack("{s:i, s:I}", "cause", (int)most, "ns", (json_int_t)left[most]));
        left[most] = 0;
    }
}

/* Returns the names of the events of a counter, "A, B"; @type may be NULL. */
static json_t *events_of(const struct wave_track *counter, const struct wave_track *type)
{
    char text[256] = "";
    size_t used = 0;

    if (type == NULL) {
        return json_string(strstr(counter->name, "CNT") == NULL       ? ""
                           : strncmp(counter->name, "PMICNTR", 7) == 0 ? "instructions"
                                                                       : "cycles");
    }
    for (unsigned i = 0; i < type->event_count; i++) {
        const struct apmu_event_info *info = apmu_event_by_number(type->events[i]);
        char number[16];

        snprintf(number, sizeof number, "r%x", type->events[i]);
        if ((type->events[i] != 0 || type->event_count == 1) && used < sizeof text) { /* 0 is what it has at reset */
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used != 0 ? ", " : "",
                                     info != NULL ? info->name : number);
        }
    }
    return json_string(text);
}

/* Returns whether the counter ever counted or had a value. */
static bool was_used(const struct wave_track *counter, const struct wave_track *why)
{
    bool used = false;

    for (size_t i = 0; i < counter->count; i++) {
        used |= counter->values[i] != 0;
    }
    for (size_t i = 0; why != NULL && i < why->count; i++) {
        used |= why->values[i] == 0;
    }
    return used;
}

/* Adds the track @t of the wave, which begins at number @i, to @cpu. */
static void add_track(const struct wave *w, size_t i, json_t *tracks, json_t *counters, json_t *idle)
{
    static const char *const levels[] = {"EL0", "EL1", "EL2", "EL3"};
    static const char *const states[] = {"Secure", "Non-secure", "Root", "Realm"};
    const struct wave_track *t = &w->tracks[i], *why = NULL, *type = NULL;
    json_t *track;

    if (t->kind == TRACK_LEVEL || t->kind == TRACK_PULSE) {
        track = numbers(t);
        json_object_set_new(track, "name", json_string(t->name));
        if (t->kind == TRACK_LEVEL) {
            const char *const *texts = strcmp(t->name, "EL") == 0 ? levels : states;

            json_object_set_new(track, "texts", json_pack("[ssss]", texts[0], texts[1], texts[2], texts[3]));
        }
        json_array_append_new(tracks, track);
    }
    if (t->kind != TRACK_COUNTER) {
        return;
    }
    for (size_t k = 0; k < w->count; k++) {
        const size_t length = strlen(t->name);

        if (w->tracks[k].cpu == t->cpu && w->tracks[k].kind == TRACK_WHY &&
            strncmp(w->tracks[k].name, t->name, length) == 0 && strcmp(w->tracks[k].name + length, "_WHY") == 0) {
            why = &w->tracks[k];
        }
        if (w->tracks[k].cpu == t->cpu && w->tracks[k].kind == TRACK_TYPE && strncmp(t->name, "PMEVCNTR", 8) == 0 &&
            strcmp(w->tracks[k].name + 9, t->name + 8) == 0) {
            type = &w->tracks[k];
        }
    }
    if (why == NULL || !was_used(t, why)) {
        json_array_append_new(idle, json_string(t->name));
        return;
    }
    json_array_append_new(counters, json_pack("{s:s, s:o, s:o, s:o, s:o}", "name", t->name, "event",
                                              events_of(t, type), "value", numbers(t), "why", sets(why), "still",
                                              stillness(why)));
}

static json_t *cpus_of(const struct wave *w)
{
    json_t *cpus = json_array();

    for (unsigned cpu = 0; cpu < w->cpus; cpu++) {
        json_t *tracks = json_array(), *counters = json_array(), *idle = json_array();
        char name[24];

        for (size_t i = 0; i < w->count; i++) {
            if (w->tracks[i].cpu == cpu) {
                add_track(w, i, tracks, counters, idle);
            }
        }
        snprintf(name, sizeof name, "CPU %u", cpu);
        json_array_append_new(cpus, json_pack("{s:s, s:o, s:o, s:o}", "name", name, "tracks", tracks, "counters",
                                              counters, "idle", idle));
    }
    return cpus;
}

static json_t *page_data(const struct wave *w, const char *title)
{
    json_t *causes = json_array();

    for (unsigned bit = 0; run_report_reason(w->arm11, bit) != NULL; bit++) {
        json_array_append_new(causes, json_string(run_report_reason(w->arm11, bit)));
    }
    return json_pack("{s:i, s:s, s:{s:s, s:I, s:o, s:o}}", "format", PAGE_FORMAT, "kind", "run", "run", "title", title,
                     "end_ns", (json_int_t)w->end, "causes", causes, "cpus", cpus_of(w));
}

int run_page_write(const struct cli_verb *verb, const char *wave, const char *title, const char *page)
{
    struct recording_refusal no;
    struct wave w = {.tracks = NULL};
    FILE *in = fopen(wave, "re");
    int status = CLI_CANNOT;
    json_t *data;

    if (in == NULL) {
        cli_complain(verb, "%s: %s; the page is made from this wave of the run", wave, strerror(errno));
        return CLI_CANNOT;
    }
    w.end = last_time(in);
    w.step = w.end / STEPS;
    if (!read_declarations(&w, in)) {
        cli_complain(verb, "%s: the emulator wrote no wave, because no CPU executed anything or it is of another "
                           "version; build both from one checkout: make && make qemu", page);
    } else {
        read_changes(&w, in);
        data = page_data(&w, title);
        if (page_write(page, title, data, &no)) {
            status = CLI_YES;
        } else {
            cli_complain(verb, "%s", no.text);
        }
        json_decref(data);
    }
    fclose(in);
    for (size_t i = 0; i < w.count; i++) {
        free(w.tracks[i].times);
        free(w.tracks[i].values);
    }
    free(w.tracks);
    return status;
}
