/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs instructions with call chains. */
#include <stdlib.h>
#include <string.h>

#include "to_pairs.h"

/* A row of either half that still has counts. */
struct half {
    uint32_t thread;
    uint32_t key; /* only rows of equal thread and key are paired */
    uint32_t function;
    uint32_t row;
};

/* A part of an event's count that a pair has. */
struct part {
    uint32_t code, node; /* indices of struct halves */
    uint32_t event;
    uint64_t count;
};

struct pairing {
    const struct profile *profile;
    const struct recording *r;
    bool (*visit)(void *context, const struct to_pair *pair);
    void *context;
    struct half *code, *nodes;
    uint64_t *code_left, *node_left; /* the counts that are in no pair yet, by row */
    uint32_t *keys;                  /* the key of each function at this level */
    struct part *parts;
    size_t part_count, part_room;
    uint64_t *counts; /* of one pair */
};

/* The levels at which keys are compared, in their order. */
enum level { SAME_FUNCTION, SAME_STEM, SAME_FILE, SAME_THREAD, LEVELS };

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_halves(const void *first, const void *second)
{
    const struct half *a = first, *b = second;
    int order = compare_numbers(a->thread, b->thread);

    if (order == 0) {
        order = compare_numbers(a->key, b->key);
    }
    return order != 0 ? order : compare_numbers(a->row, b->row);
}

static int compare_parts(const void *first, const void *second)
{
    const struct part *a = first, *b = second;
    int order = compare_numbers(a->code, b->code);

    if (order == 0) {
        order = compare_numbers(a->node, b->node);
    }
    return order != 0 ? order : compare_numbers(a->event, b->event);
}

/* Notes that @count of event @event belongs to the code @code and the node @node. */
static bool add_part(struct pairing *pairing, size_t code, size_t node, size_t event, uint64_t count)
{
    if (pairing->part_count == pairing->part_room) {
        const size_t room = pairing->part_room == 0 ? 256 : 2 * pairing->part_room;
        struct part *parts = realloc(pairing->parts, room * sizeof *parts);

        if (parts == NULL) {
            return false;
        }
        pairing->parts = parts;
        pairing->part_room = room;
    }
    pairing->parts[pairing->part_count++] =
        (struct part){.code = (uint32_t)code, .node = (uint32_t)node, .event = (uint32_t)event, .count = count};
    return true;
}

/* Lays the code from @code to @code_end against the nodes from @node to @node_end, for one event. */
static bool match_event(struct pairing *pairing, size_t code, size_t code_end, size_t node, size_t node_end,
                        size_t event)
{
    const size_t events = pairing->r->event_count;

    while (code < code_end && node < node_end) {
        uint64_t *const a = &pairing->code_left[pairing->code[code].row * events + event];
        uint64_t *const b = &pairing->node_left[pairing->nodes[node].row * events + event];
        const uint64_t count = *a < *b ? *a : *b;

        if (count != 0 && !add_part(pairing, code, node, event, count)) {
            return false;
        }
        *a -= count;
        *b -= count;
        if (*a == 0) {
            code++;
        } else {
            node++;
        }
    }
    return true;
}

/* Visits the pairs that the parts make, and drops the parts. */
static bool visit_parts(struct pairing *pairing)
{
    const size_t events = pairing->r->event_count;

    if (pairing->part_count > 0) {
        qsort(pairing->parts, pairing->part_count, sizeof *pairing->parts, compare_parts);
    }
    for (size_t i = 0; i < pairing->part_count;) {
        const struct part *first = &pairing->parts[i];

        memset(pairing->counts, 0, events * sizeof *pairing->counts);
        for (; i < pairing->part_count && pairing->parts[i].code == first->code &&
               pairing->parts[i].node == first->node; i++) {
            pairing->counts[pairing->parts[i].event] += pairing->parts[i].count;
        }
        const struct to_pair pair = {.code = pairing->code[first->code].row, .node = pairing->nodes[first->node].row,
                                     .counts = pairing->counts};

        if (!pairing->visit(pairing->context, &pair)) {
            return false;
        }
    }
    pairing->part_count = 0;
    return true;
}

/* Sets the keys of @halves from their functions and sorts them. */
static void sort_halves(const struct pairing *pairing, struct half *halves, size_t count)
{
    const size_t functions = profile_function_count(pairing->profile);

    for (size_t i = 0; i < count; i++) {
        halves[i].key = halves[i].function < functions ? pairing->keys[halves[i].function] : PROFILE_NONE;
    }
    if (count > 0) {
        qsort(halves, count, sizeof *halves, compare_halves);
    }
}

/* Returns the end of the rows from @first on that have the same thread and key. */
static size_t group_end(const struct half *halves, size_t count, size_t first)
{
    size_t end = first;

    while (end < count && halves[end].thread == halves[first].thread && halves[end].key == halves[first].key) {
        end++;
    }
    return end;
}

/* Keeps those of the @count rows of @halves that have counts left.  Returns how many there are. */
static size_t keep_left(struct half *halves, size_t count, const uint64_t *left, size_t events)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        bool some = false;

        for (size_t e = 0; e < events; e++) {
            some |= left[halves[i].row * events + e] != 0;
        }
        if (some) {
            halves[kept++] = halves[i];
        }
    }
    return kept;
}

/* Pairs the rows of equal thread and key. */
static bool pair_level(struct pairing *pairing, size_t code_count, size_t node_count)
{
    sort_halves(pairing, pairing->code, code_count);
    sort_halves(pairing, pairing->nodes, node_count);
    for (size_t c = 0, n = 0; c < code_count && n < node_count;) {
        const struct half *code = &pairing->code[c], *node = &pairing->nodes[n];
        int order = compare_numbers(code->thread, node->thread);

        if (order == 0) {
            order = compare_numbers(code->key, node->key);
        }
        const size_t code_end = order <= 0 ? group_end(pairing->code, code_count, c) : c;
        const size_t node_end = order >= 0 ? group_end(pairing->nodes, node_count, n) : n;

        for (size_t e = 0; order == 0 && e < pairing->r->event_count; e++) {
            if (!match_event(pairing, c, code_end, n, node_end, e)) {
                return false;
            }
        }
        if (!visit_parts(pairing)) {
            return false;
        }
        c = code_end;
        n = node_end;
    }
    return true;
}

/* A function by its file and the part of its name before the first '.'. */
struct stem {
    uint32_t file;
    const char *name;
    size_t length;
    uint32_t function;
};

static int compare_stems(const void *first, const void *second)
{
    const struct stem *a = first, *b = second;
    const size_t length = a->length < b->length ? a->length : b->length;
    int order = compare_numbers(a->file, b->file);

    if (order == 0) {
        order = strncmp(a->name, b->name, length);
    }
    return order != 0 ? order : compare_numbers(a->length, b->length);
}

/* Numbers the functions so that those of one stem have the same key. */
static bool set_stem_keys(struct pairing *pairing)
{
    const size_t count = profile_function_count(pairing->profile);
    struct stem *stems = calloc(count + 1, sizeof *stems);

    if (stems == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct profile_function *f = profile_function(pairing->profile, (uint32_t)i);

        stems[i] = (struct stem){.file = f->file, .name = f->symbol, .length = strcspn(f->symbol, "."),
                                 .function = (uint32_t)i};
    }
    qsort(stems, count, sizeof *stems, compare_stems);
    uint32_t key = 0;

    for (size_t i = 0; i < count; i++) {
        key += i > 0 && compare_stems(&stems[i - 1], &stems[i]) != 0;
        pairing->keys[stems[i].function] = key;
    }
    free(stems);
    return true;
}

/* Sets the keys of all functions for a level. */
static bool set_keys(struct pairing *pairing, enum level level)
{
    if (level == SAME_STEM) {
        return set_stem_keys(pairing);
    }
    for (size_t i = 0; i < profile_function_count(pairing->profile); i++) {
        switch (level) {
        case SAME_FUNCTION: pairing->keys[i] = (uint32_t)i; break;
        case SAME_FILE: pairing->keys[i] = profile_function(pairing->profile, (uint32_t)i)->file; break;
        default: pairing->keys[i] = PROFILE_NONE; break;
        }
    }
    return true;
}

/* Fills the tables of rows and of counts. */
static bool begin_pairing(struct pairing *pairing)
{
    const struct recording *r = pairing->r;
    const size_t code_size = r->code_count * r->event_count, node_size = r->node_count * r->event_count;

    pairing->code = calloc(r->code_count + 1, sizeof *pairing->code);
    pairing->nodes = calloc(r->node_count + 1, sizeof *pairing->nodes);
    pairing->code_left = calloc(code_size + 1, sizeof *pairing->code_left);
    pairing->node_left = calloc(node_size + 1, sizeof *pairing->node_left);
    pairing->keys = calloc(profile_function_count(pairing->profile) + 1, sizeof *pairing->keys);
    pairing->counts = calloc(r->event_count + 1, sizeof *pairing->counts);
    if (pairing->code == NULL || pairing->nodes == NULL || pairing->code_left == NULL || pairing->node_left == NULL ||
        pairing->keys == NULL || pairing->counts == NULL) {
        return false;
    }
    for (size_t i = 0; i < r->code_count; i++) {
        pairing->code[i] = (struct half){.thread = r->code[i].thread, .row = (uint32_t)i,
                                         .function = profile_place(pairing->profile, i)->function};
    }
    for (size_t i = 0; i < r->node_count; i++) {
        pairing->nodes[i] = (struct half){.thread = r->nodes[i].thread, .row = (uint32_t)i,
                                          .function = profile_entry(pairing->profile, i)};
    }
    if (code_size > 0) {
        memcpy(pairing->code_left, r->code_counts, code_size * sizeof *pairing->code_left);
    }
    if (node_size > 0) {
        memcpy(pairing->node_left, r->node_counts, node_size * sizeof *pairing->node_left);
    }
    return true;
}

static bool make_pairs(struct pairing *pairing)
{
    const struct recording *r = pairing->r;
    const size_t events = r->event_count;
    size_t code_count = r->code_count, node_count = r->node_count;

    for (enum level level = SAME_FUNCTION; level < LEVELS; level++) {
        code_count = keep_left(pairing->code, code_count, pairing->code_left, events);
        node_count = keep_left(pairing->nodes, node_count, pairing->node_left, events);
        if (code_count == 0 || node_count == 0) {
            break;
        }
        if (!set_keys(pairing, level) || !pair_level(pairing, code_count, node_count)) {
            return false;
        }
    }
    code_count = keep_left(pairing->code, code_count, pairing->code_left, events);
    for (size_t i = 0; i < code_count; i++) {
        const struct to_pair pair = {.code = pairing->code[i].row, .node = RECORDING_NONE,
                                     .counts = &pairing->code_left[pairing->code[i].row * events]};

        if (!pairing->visit(pairing->context, &pair)) {
            return false;
        }
    }
    return true;
}

bool to_pairs(const struct profile *p, bool (*visit)(void *context, const struct to_pair *pair), void *context)
{
    struct pairing pairing = {.profile = p, .r = profile_recording(p), .visit = visit, .context = context};
    const bool good = begin_pairing(&pairing) && make_pairs(&pairing);

    free(pairing.code);
    free(pairing.nodes);
    free(pairing.code_left);
    free(pairing.node_left);
    free(pairing.keys);
    free(pairing.parts);
    free(pairing.counts);
    return good;
}
