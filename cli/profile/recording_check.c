/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks what the rows of a recording say of each other, for the writer and the reader. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "recording_table.h"

/* Where a fault is described. */
struct complaint {
    const struct recording *r;
    char *text;
    size_t size;
};

/* Describes a fault of row @row of table @id.  Returns false. */
__attribute__((format(printf, 4, 5)))
static bool refuse(const struct complaint *c, enum recording_table_id id, size_t row, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(c->text, c->size, "%s %zu: ", recording_tables[id].name, row);

    if (used > 0 && (size_t)used < c->size) {
        va_start(arguments, format);
        vsnprintf(c->text + used, c->size - (size_t)used, format, arguments);
        va_end(arguments);
    }
    return false;
}

/* Checks that the indexes of all rows name rows, and earlier ones in their own table. */
static bool check_indexes(const struct complaint *c, enum recording_table_id id)
{
    const struct recording_table *t = &recording_tables[id];
    const size_t count = recording_table_count(c->r, t);

    for (size_t i = 0; i < t->member_count; i++) {
        const struct recording_member *m = &t->members[i];

        if (m->kind != RECORDING_MEMBER_INDEX) {
            continue;
        }
        const size_t there = recording_table_count(c->r, &recording_tables[m->to]);

        for (size_t row = 0; row < count; row++) {
            const uint64_t to = recording_member_number(m, recording_table_row(c->r, t, row));

            if (to == RECORDING_NONE && m->optional) {
                continue;
            }
            if (to >= there) {
                return refuse(c, id, row, "its %s is %" PRIu64 ", and there are %zu", m->name, to, there);
            }
            if (m->to == id && to >= row) {
                return refuse(c, id, row, "its %s is %" PRIu64 ", which does not come before it", m->name, to);
            }
        }
    }
    return true;
}

/* Checks that @address of row @row of table @id, a row of @thread, is in @map. */
static bool check_address(const struct complaint *c, enum recording_table_id id, size_t row, uint32_t thread,
                          uint32_t map, uint64_t address)
{
    if (map == RECORDING_NONE) {
        return true;
    }
    const struct recording_map *m = &c->r->maps[map];

    if (m->image != c->r->threads[thread].image) {
        return refuse(c, id, row, "map %" PRIu32 " is of another image than thread %" PRIu32, map, thread);
    }
    if (address < m->start || address >= m->end) {
        return refuse(c, id, row, "the address 0x%" PRIx64 " is outside of map %" PRIu32, address, map);
    }
    return true;
}

static bool check_places(const struct complaint *c)
{
    for (size_t i = 0; i < c->r->map_count; i++) {
        const struct recording_map *m = &c->r->maps[i];

        if (m->start >= m->end || m->offset + (m->end - m->start) < m->offset) {
            return refuse(c, RECORDING_MAPS, i, "it ends before it begins, or its file does");
        }
    }
    for (size_t i = 0; i < c->r->symbol_count; i++) {
        if (c->r->symbols[i].start + c->r->symbols[i].size < c->r->symbols[i].start) {
            return refuse(c, RECORDING_SYMBOLS, i, "it ends before it begins");
        }
    }
    for (size_t i = 0; i < c->r->interval_count; i++) {
        if (c->r->intervals[i].start_ns > c->r->intervals[i].end_ns) {
            return refuse(c, RECORDING_INTERVALS, i, "it ends before it begins");
        }
    }
    return true;
}

static bool check_code(const struct complaint *c)
{
    const struct recording_code *before = NULL;

    for (size_t i = 0; i < c->r->code_count; i++) {
        const struct recording_code *code = &c->r->code[i];

        if (code->length != 0 && code->length != 2 && code->length != 4) {
            return refuse(c, RECORDING_CODE, i, "its length is %u, and no instruction has this length",
                          (unsigned)code->length);
        }
        if (!check_address(c, RECORDING_CODE, i, code->thread, code->map, code->address)) {
            return false;
        }
        if (before != NULL && (code->map < before->map || (code->map == before->map &&
            (code->address < before->address ||
             (code->address == before->address && code->thread < before->thread))))) {
            return refuse(c, RECORDING_CODE, i, "it belongs before the one above it");
        }
        before = code;
    }
    return true;
}

static bool check_nodes(const struct complaint *c)
{
    for (size_t i = 0; i < c->r->node_count; i++) {
        const struct recording_node *n = &c->r->nodes[i];

        if (n->parent != RECORDING_NONE && c->r->nodes[n->parent].thread != n->thread) {
            return refuse(c, RECORDING_NODES, i, "its parent %" PRIu32 " is of another thread", n->parent);
        }
        if (!check_address(c, RECORDING_NODES, i, n->thread, n->entry_map, n->entry) ||
            !check_address(c, RECORDING_NODES, i, n->thread, n->site_map, n->site)) {
            return false;
        }
    }
    for (size_t i = 0; i < c->r->sample_count; i++) {
        const struct recording_sample *s = &c->r->samples[i];

        if (s->node != RECORDING_NONE && c->r->nodes[s->node].thread != s->thread) {
            return refuse(c, RECORDING_SAMPLES, i, "its node %" PRIu32 " is of another thread", s->node);
        }
        if (!check_address(c, RECORDING_SAMPLES, i, s->thread, s->map, s->address)) {
            return false;
        }
    }
    return true;
}

/* Adds up event @event over all rows of table @id.  Returns false if the sum has no 64 bits. */
static bool add_up(const struct recording *r, enum recording_table_id id, size_t event, uint64_t *sum)
{
    const struct recording_table *t = &recording_tables[id];
    const size_t count = recording_table_count(r, t);

    *sum = 0;
    for (size_t row = 0; row < count; row++) {
        if (__builtin_add_overflow(*sum, recording_table_counts(r, t, row)[event], sum)) {
            return false;
        }
    }
    return true;
}

static bool check_sums(const struct complaint *c)
{
    const struct recording *r = c->r;
    uint64_t calls = 0;

    for (size_t i = 0; i < r->node_count; i++) {
        if (__builtin_add_overflow(calls, r->nodes[i].calls, &calls)) {
            return refuse(c, RECORDING_NODES, i, "the sum of all calls has more than 64 bits");
        }
    }
    for (size_t event = 0; event < r->event_count; event++) {
        uint64_t code, nodes, intervals;

        if (!add_up(r, RECORDING_CODE, event, &code) || !add_up(r, RECORDING_NODES, event, &nodes) ||
            !add_up(r, RECORDING_INTERVALS, event, &intervals)) {
            return refuse(c, RECORDING_EVENTS, event, "the sum of its counts has more than 64 bits");
        }
        if (r->call_graph && r->complete && !r->sampled && nodes != code) {
            return refuse(c, RECORDING_EVENTS, event, "the nodes have %" PRIu64 " of it, and the instructions %" PRIu64,
                          nodes, code);
        }
    }
    return true;
}

bool recording_check(const struct recording *r, char *why, size_t size)
{
    const struct complaint c = {r, why, size};

    if (r->event_count == 0 || r->event_count > RECORDING_EVENTS_MOST) {
        snprintf(why, size, "it has %zu events, not 1 to %d", r->event_count, RECORDING_EVENTS_MOST);
        return false;
    }
    if ((!r->call_graph && r->node_count != 0) || (!r->sampled && r->sample_count != 0)) {
        snprintf(why, size, "it has nodes without a call graph, or samples without sampling");
        return false;
    }
    for (int id = 0; id < RECORDING_TABLES; id++) {
        if (!check_indexes(&c, (enum recording_table_id)id)) {
            return false;
        }
    }
    return check_places(&c) && check_code(&c) && check_nodes(&c) && check_sums(&c);
}
