/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes, fills, sorts and frees the tables of a recording. */
#define _GNU_SOURCE
#include "recording.h"

#include <stdlib.h>
#include <string.h>

#include <armpmu/version.h>

#include "recording_table.h"

struct recording *recording_new(void)
{
    struct recording *r = calloc(1, sizeof *r);

    if (r == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < recording_head.member_count; i++) {
        const struct recording_member *m = &recording_head.members[i];

        if (m->kind == RECORDING_MEMBER_TEXT && !recording_set_text(recording_member_text(m, r), "")) {
            recording_free(r);
            return NULL;
        }
    }
    if (!recording_set_text(&r->tool, "armpmu " APMU_VERSION)) {
        recording_free(r);
        return NULL;
    }
    return r;
}

void recording_free(struct recording *r)
{
    if (r == NULL) {
        return;
    }
    for (size_t i = 0; i < RECORDING_TABLES; i++) {
        const struct recording_table *t = &recording_tables[i];
        const size_t count = recording_table_count(r, t);

        for (size_t row = 0; row < count; row++) {
            recording_row_free(t, recording_table_row(r, t, row));
        }
    }
    free(r->events);
    free(r->files);
    free(r->images);
    free(r->threads);
    free(r->maps);
    free(r->symbols);
    free(r->code);
    free(r->code_counts);
    free(r->nodes);
    free(r->node_counts);
    free(r->samples);
    free(r->intervals);
    free(r->interval_counts);
    recording_row_free(&recording_head, r);
    free(r);
}

uint64_t recording_sum(const struct recording *r, uint32_t event)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < r->code_count; i++) {
        sum += r->code_counts[i * r->event_count + event];
    }
    return sum;
}

bool recording_set_text(char **member, const char *text)
{
    char *copy = strdup(text);

    if (copy == NULL) {
        return false;
    }
    free(*member);
    *member = copy;
    return true;
}

/* Adds a copy of @row, which is a row of table @id and is changed: its texts become copies. */
static uint32_t add_copy(struct recording *r, enum recording_table_id id, void *row, const uint64_t *counts)
{
    const struct recording_table *t = &recording_tables[id];
    uint32_t index = RECORDING_NONE;
    bool whole = true;

    for (size_t i = 0; i < t->member_count; i++) {
        if (t->members[i].kind == RECORDING_MEMBER_TEXT) {
            char **text = recording_member_text(&t->members[i], row);

            *text = strdup(*text != NULL ? *text : "");
            whole &= *text != NULL;
        }
    }
    if (whole) {
        index = recording_table_add(r, t, row, counts);
    }
    if (index == RECORDING_NONE) {
        recording_row_free(t, row);
    }
    return index;
}

uint32_t recording_add_event(struct recording *r, const char *name, const char *mark, uint64_t period)
{
    /* add_copy() replaces the texts, and writes nothing to them. */
    struct recording_event row = {.name = (char *)(uintptr_t)name, .mark = (char *)(uintptr_t)mark, .period = period};

    if (r->code_count != 0 || r->node_count != 0 || r->interval_count != 0) {
        return RECORDING_NONE; /* their counts have no room for another event */
    }
    return add_copy(r, RECORDING_EVENTS, &row, NULL);
}

struct recording_title recording_title(const struct recording_event *event)
{
    struct recording_title title;

    if (event->mark[0] == '\0') {
        snprintf(title.text, sizeof title.text, "%s", event->name);
    } else {
        snprintf(title.text, sizeof title.text, "%.150s (%.100s)", event->name, event->mark);
    }
    return title;
}

uint32_t recording_add_file(struct recording *r, enum recording_file_kind kind, const char *path,
                            const uint8_t *build_id, size_t build_id_length)
{
    struct recording_file row = {.kind = kind, .path = (char *)(uintptr_t)path};

    row.build_id_length = build_id_length < RECORDING_BUILD_ID ? (uint32_t)build_id_length : RECORDING_BUILD_ID;
    if (row.build_id_length != 0) {
        memcpy(row.build_id, build_id, row.build_id_length);
    }
    return add_copy(r, RECORDING_FILES, &row, NULL);
}

uint32_t recording_add_image(struct recording *r, const struct recording_image *image)
{
    struct recording_image row = *image;

    return add_copy(r, RECORDING_IMAGES, &row, NULL);
}

uint32_t recording_add_thread(struct recording *r, const struct recording_thread *thread)
{
    struct recording_thread row = *thread;

    return add_copy(r, RECORDING_THREADS, &row, NULL);
}

uint32_t recording_add_map(struct recording *r, const struct recording_map *map)
{
    return recording_table_add(r, &recording_tables[RECORDING_MAPS], map, NULL);
}

uint32_t recording_add_symbol(struct recording *r, const struct recording_symbol *symbol)
{
    struct recording_symbol row = *symbol;

    return add_copy(r, RECORDING_SYMBOLS, &row, NULL);
}

uint32_t recording_add_code(struct recording *r, const struct recording_code *code, const uint64_t *counts)
{
    return recording_table_add(r, &recording_tables[RECORDING_CODE], code, counts);
}

uint32_t recording_add_node(struct recording *r, const struct recording_node *node, const uint64_t *counts)
{
    return recording_table_add(r, &recording_tables[RECORDING_NODES], node, counts);
}

uint32_t recording_add_sample(struct recording *r, const struct recording_sample *sample)
{
    return recording_table_add(r, &recording_tables[RECORDING_SAMPLES], sample, NULL);
}

uint32_t recording_add_interval(struct recording *r, const struct recording_interval *interval, const uint64_t *counts)
{
    return recording_table_add(r, &recording_tables[RECORDING_INTERVALS], interval, counts);
}

/* Returns whether row @a of `code` comes before row @b. */
static bool is_before(const struct recording *r, size_t a, size_t b)
{
    const struct recording_code *x = &r->code[a], *y = &r->code[b];

    if (x->map != y->map) {
        return x->map < y->map;
    }
    return x->address != y->address ? x->address < y->address : x->thread < y->thread;
}

static void exchange(struct recording *r, size_t a, size_t b)
{
    const struct recording_code code = r->code[a];

    r->code[a] = r->code[b];
    r->code[b] = code;
    for (size_t i = 0; i < r->event_count; i++) {
        uint64_t *x = &r->code_counts[a * r->event_count + i], *y = &r->code_counts[b * r->event_count + i];
        const uint64_t count = *x;

        *x = *y;
        *y = count;
    }
}

/* Moves row @root down in the heap of the first @count rows, whose parents are not before their children. */
static void sift_down(struct recording *r, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_before(r, child, child + 1)) {
            child++;
        }
        if (!is_before(r, root, child)) {
            return;
        }
        exchange(r, root, child);
    }
}

void recording_sort(struct recording *r)
{
    bool sorted = true;

    for (size_t i = 1; i < r->code_count; i++) {
        sorted &= !is_before(r, i, i - 1);
    }
    if (sorted) {
        return;
    }
    /* A heap sort, as it takes no memory and the counts move with the rows. */
    for (size_t i = r->code_count / 2; i-- > 0;) {
        sift_down(r, i, r->code_count);
    }
    for (size_t count = r->code_count; count-- > 1;) {
        exchange(r, 0, count);
        sift_down(r, 0, count);
    }
}
