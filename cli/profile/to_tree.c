/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes frames, stacks and samples of a profile. */
#include <stdlib.h>
#include <string.h>

#include "to_pairs.h"
#include "to_tree.h"

enum { FEW_SLOTS = 1024 };

/* Finds the rows of a table by their keys. */
struct index {
    uint32_t *slots; /* numbers of rows plus 1; 0: free */
    size_t slot_count;
};

struct builder {
    const struct profile *profile;
    const struct recording *r;
    enum to_detail detail;
    struct to_tree *tree;
    size_t frame_room, stack_room, sample_room;
    struct index frame_index, stack_index;
    uint32_t *contexts; /* for each node, the stack of its callers */
};

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_frame(const struct to_tree *t, uint32_t row)
{
    const struct to_frame *f = &t->frames[row];

    return mix(mix(mix(1, f->function), f->map), f->address);
}

static uint64_t hash_stack(const struct to_tree *t, uint32_t row)
{
    return mix(mix(2, t->stacks[row].caller), t->stacks[row].frame);
}

static bool same_frame(const struct to_tree *t, uint32_t a, uint32_t b)
{
    const struct to_frame *f = &t->frames[a], *g = &t->frames[b];

    return f->function == g->function && f->map == g->map && f->address == g->address &&
           (f->function != PROFILE_NONE || f->file == g->file);
}

static bool same_stack(const struct to_tree *t, uint32_t a, uint32_t b)
{
    return t->stacks[a].caller == t->stacks[b].caller && t->stacks[a].frame == t->stacks[b].frame;
}

/* What differs between the tables of frames and of stacks. */
struct to_kind {
    uint64_t (*hash)(const struct to_tree *t, uint32_t row);
    bool (*same)(const struct to_tree *t, uint32_t a, uint32_t b);
};
static const struct to_kind frame_kind = {hash_frame, same_frame}, stack_kind = {hash_stack, same_stack};

/* Returns the slot of the row that equals row @row, or the free slot where it belongs. */
static uint32_t *find_slot(const struct index *index, const struct to_kind *kind, const struct to_tree *t, uint32_t row)
{
    size_t slot = (size_t)kind->hash(t, row) & (index->slot_count - 1);

    while (index->slots[slot] != 0 && !kind->same(t, index->slots[slot] - 1, row)) {
        slot = (slot + 1) & (index->slot_count - 1);
    }
    return &index->slots[slot];
}

/* Makes room for row @count in the index.  Returns false if there is no memory. */
static bool make_slots(struct index *index, const struct to_kind *kind, const struct to_tree *t, size_t count)
{
    if (2 * (count + 1) <= index->slot_count) {
        return true;
    }
    struct index larger = {.slot_count = index->slot_count == 0 ? FEW_SLOTS : 2 * index->slot_count};

    larger.slots = count < TO_NONE / 4 ? calloc(larger.slot_count, sizeof *larger.slots) : NULL;
    if (larger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        *find_slot(&larger, kind, t, (uint32_t)i) = (uint32_t)i + 1;
    }
    free(index->slots);
    *index = larger;
    return true;
}

/* Makes room for one more row of @size bytes at @rows.  Returns false if there is no memory. */
static bool make_room(void **rows, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return true;
    }
    const size_t more = *room == 0 ? 256 : 2 * *room;
    void *larger = realloc(*rows, more * size);

    if (larger == NULL) {
        return false;
    }
    *rows = larger;
    *room = more;
    return true;
}

/* Returns the number of the frame @frame; TO_NONE if there is no memory. */
static uint32_t add_frame(struct builder *b, const struct to_frame *frame)
{
    struct to_tree *t = b->tree;
    void *rows = t->frames;
    const bool good = make_room(&rows, t->frame_count, &b->frame_room, sizeof *t->frames);

    t->frames = rows;
    if (!good || !make_slots(&b->frame_index, &frame_kind, t, t->frame_count)) {
        return TO_NONE;
    }
    t->frames[t->frame_count] = *frame;
    uint32_t *slot = find_slot(&b->frame_index, &frame_kind, t, (uint32_t)t->frame_count);

    if (*slot == 0) {
        *slot = (uint32_t)++t->frame_count;
    }
    return *slot - 1;
}

/* Puts @frame inside the stack *@stack, which becomes the result.  Returns false if there is no memory. */
static bool push(struct builder *b, uint32_t *stack, const struct to_frame *frame)
{
    struct to_tree *t = b->tree;
    const uint32_t number = add_frame(b, frame);
    void *rows = t->stacks;
    const bool good = make_room(&rows, t->stack_count, &b->stack_room, sizeof *t->stacks);

    t->stacks = rows;
    if (number == TO_NONE || !good || !make_slots(&b->stack_index, &stack_kind, t, t->stack_count)) {
        return false;
    }
    const struct to_stack *caller = *stack == TO_NONE ? NULL : &t->stacks[*stack];
    const uint32_t depth = caller == NULL ? 1 : caller->depth + 1;

    t->stacks[t->stack_count] =
        (struct to_stack){.caller = *stack, .frame = number, .depth = depth,
                          .outer = depth > TO_DEPTH / 2 ? caller->outer : (uint32_t)t->stack_count};
    uint32_t *slot = find_slot(&b->stack_index, &stack_kind, t, (uint32_t)t->stack_count);

    if (*slot == 0) {
        *slot = (uint32_t)++t->stack_count;
    }
    *stack = *slot - 1;
    return true;
}

/* Returns a row of `code` for @address in @map, of any thread, or RECORDING_NONE. */
static uint32_t find_code(const struct recording *r, uint32_t map, uint64_t address)
{
    size_t low = 0, high = r->code_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct recording_code *c = &r->code[middle];

        if (c->map < map || (c->map == map && c->address < address)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < r->code_count && r->code[low].map == map && r->code[low].address == address ? (uint32_t)low
                                                                                            : RECORDING_NONE;
}

/* Returns the frame of @address in @map, whose function and line @place has. */
static struct to_frame frame_at(const struct builder *b, uint32_t map, uint64_t address,
                                const struct profile_place *place)
{
    struct to_frame f = {.function = place->function, .file = RECORDING_NONE, .map = RECORDING_NONE,
                         .code = RECORDING_NONE, .source = ""};

    if (map != RECORDING_NONE) {
        f.file = b->r->maps[map].file;
    } else if (place->function != PROFILE_NONE) {
        f.file = profile_function(b->profile, place->function)->file;
    }
    if (b->detail == TO_BY_FUNCTION) {
        if (place->function != PROFILE_NONE) {
            const struct profile_function *function = profile_function(b->profile, place->function);

            f.source = function->source;
            f.line = function->line;
        }
        return f;
    }
    f.map = map;
    f.address = address;
    f.offset = place->offset;
    f.code = find_code(b->r, map, address);
    if (place->source != PROFILE_NONE) {
        f.source = profile_source(b->profile, place->source);
        f.line = place->line;
        f.column = place->column;
    }
    return f;
}

/* Puts the function that node @node enters inside the stack. */
static bool push_entry(struct builder *b, uint32_t *stack, uint32_t node)
{
    const struct recording_node *n = &b->r->nodes[node];
    struct profile_place place = {.function = profile_entry(b->profile, node), .source = PROFILE_NONE};

    if (place.function != PROFILE_NONE) {
        place.offset = profile_function(b->profile, place.function)->start;
    }
    struct to_frame f = frame_at(b, n->entry_map, n->entry, &place);

    if (place.function != PROFILE_NONE) {
        f.source = profile_function(b->profile, place.function)->source;
        f.line = profile_function(b->profile, place.function)->line;
    }
    return push(b, stack, &f);
}

/* Sets the stack of the callers of each node. */
static bool set_contexts(struct builder *b)
{
    b->contexts = calloc(b->r->node_count + 1, sizeof *b->contexts);
    if (b->contexts == NULL) {
        return false;
    }
    for (size_t i = 0; i < b->r->node_count; i++) {
        const struct recording_node *n = &b->r->nodes[i];

        b->contexts[i] = n->parent == RECORDING_NONE ? TO_NONE : b->contexts[n->parent];
        if (n->parent == RECORDING_NONE) {
            continue;
        }
        const struct profile_place site = profile_site(b->profile, i);
        const bool known = site.function != PROFILE_NONE;

        if ((!known || site.function != profile_entry(b->profile, n->parent)) &&
            !push_entry(b, &b->contexts[i], n->parent)) {
            return false;
        }
        if (known) {
            const struct to_frame f = frame_at(b, n->site_map, n->site, &site);

            if (!push(b, &b->contexts[i], &f)) {
                return false;
            }
        }
    }
    return true;
}

/* Adds a sample of @thread in @node, with the frame @leaf inside. */
static bool add_sample(struct builder *b, const struct to_sample *sample, uint32_t node, const struct to_frame *leaf,
                       const uint64_t *counts)
{
    struct to_tree *t = b->tree;
    const size_t events = b->r->event_count;
    uint32_t stack = node == RECORDING_NONE ? TO_NONE : b->contexts[node];

    if ((node != RECORDING_NONE && profile_entry(b->profile, node) != leaf->function && !push_entry(b, &stack, node)) ||
        !push(b, &stack, leaf)) {
        return false;
    }
    size_t room = b->sample_room;
    void *rows = t->samples;
    bool good = make_room(&rows, t->sample_count, &room, sizeof *t->samples);

    t->samples = rows;
    rows = t->counts;
    good = good && make_room(&rows, t->sample_count, &b->sample_room, (events + 1) * sizeof *t->counts);
    t->counts = rows;
    if (!good) {
        return false;
    }
    t->samples[t->sample_count] = *sample;
    t->samples[t->sample_count].stack = stack;
    memcpy(&t->counts[t->sample_count * events], counts, events * sizeof *counts);
    t->sample_count++;
    return true;
}

static bool add_pair(void *context, const struct to_pair *pair)
{
    struct builder *b = context;
    const struct recording_code *c = &b->r->code[pair->code];
    const struct to_frame leaf = frame_at(b, c->map, c->address, profile_place(b->profile, pair->code));
    const struct to_sample sample = {.thread = c->thread, .cpu = RECORDING_NONE};

    return add_sample(b, &sample, pair->node, &leaf, pair->counts);
}

/* Adds the samples of a sampled recording. */
static bool add_samples(struct builder *b)
{
    const size_t events = b->r->event_count;
    uint64_t *counts = calloc(events + 1, sizeof *counts);
    bool good = counts != NULL;

    for (size_t i = 0; good && i < b->r->sample_count; i++) {
        const struct recording_sample *s = &b->r->samples[i];
        const uint32_t code = find_code(b->r, s->map, s->address);
        const struct profile_place nowhere = {.function = PROFILE_NONE, .source = PROFILE_NONE};
        const struct to_frame leaf =
            frame_at(b, s->map, s->address, code == RECORDING_NONE ? &nowhere : profile_place(b->profile, code));
        const struct to_sample sample = {.thread = s->thread, .cpu = s->cpu, .time_ns = s->time_ns};

        counts[s->event] = s->period;
        good = add_sample(b, &sample, b->r->call_graph ? s->node : RECORDING_NONE, &leaf, counts);
        counts[s->event] = 0;
    }
    free(counts);
    return good;
}

/* Where a sample was before it is sorted by thread and @key. */
struct to_place {
    uint32_t thread, row;
    uint64_t key;
};

static int compare_places(const void *first, const void *second)
{
    const struct to_place *a = first, *b = second;

    if (a->thread != b->thread) {
        return a->thread < b->thread ? -1 : 1;
    }
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Adds up the samples that have the same thread and stack, and sorts by these. */
static bool merge_samples(struct to_tree *t, size_t events)
{
    struct to_place *places = calloc(t->sample_count + 1, sizeof *places);
    struct to_sample *samples = calloc(t->sample_count + 1, sizeof *samples);
    uint64_t *counts = calloc(t->sample_count * events + 1, sizeof *counts);
    const bool good = places != NULL && samples != NULL && counts != NULL;
    size_t count = 0;

    for (size_t i = 0; good && i < t->sample_count; i++) {
        places[i] = (struct to_place){.thread = t->samples[i].thread, .key = t->samples[i].stack, .row = (uint32_t)i};
    }
    if (good) {
        qsort(places, t->sample_count, sizeof *places, compare_places);
    }
    for (size_t i = 0; good && i < t->sample_count; i++) {
        if (i == 0 || places[i].thread != places[i - 1].thread || places[i].key != places[i - 1].key) {
            samples[count++] = (struct to_sample){.thread = places[i].thread, .stack = (uint32_t)places[i].key,
                                                  .cpu = RECORDING_NONE};
        }
        for (size_t e = 0; e < events; e++) {
            counts[(count - 1) * events + e] += t->counts[(size_t)places[i].row * events + e];
        }
    }
    free(places);
    if (!good) {
        free(samples);
        free(counts);
        return false;
    }
    free(t->samples);
    free(t->counts);
    t->samples = samples;
    t->counts = counts;
    t->sample_count = count;
    return true;
}

struct to_tree *to_tree_new(const struct profile *p, enum to_detail detail, bool merge)
{
    struct to_tree *t = calloc(1, sizeof *t);
    struct builder b = {.profile = p, .r = profile_recording(p), .detail = detail, .tree = t};
    bool good = t != NULL && set_contexts(&b);

    if (good) {
        good = b.r->sampled ? add_samples(&b) : to_pairs(p, add_pair, &b);
    }
    good = good && (!merge || merge_samples(t, b.r->event_count));
    free(b.contexts);
    free(b.frame_index.slots);
    free(b.stack_index.slots);
    if (!good) {
        to_tree_free(t);
        return NULL;
    }
    return t;
}

uint32_t *to_tree_by_thread(const struct to_tree *t)
{
    struct to_place *places = calloc(t->sample_count + 1, sizeof *places);
    uint32_t *rows = calloc(t->sample_count + 1, sizeof *rows);

    if (places == NULL || rows == NULL) {
        free(places);
        free(rows);
        return NULL;
    }
    for (size_t i = 0; i < t->sample_count; i++) {
        places[i] = (struct to_place){.thread = t->samples[i].thread, .key = t->samples[i].time_ns, .row = (uint32_t)i};
    }
    qsort(places, t->sample_count, sizeof *places, compare_places);
    for (size_t i = 0; i < t->sample_count; i++) {
        rows[i] = places[i].row;
    }
    free(places);
    return rows;
}

void to_tree_free(struct to_tree *t)
{
    if (t != NULL) {
        free(t->frames);
        free(t->stacks);
        free(t->samples);
        free(t->counts);
        free(t);
    }
}

const char *to_function_name(const struct profile *p, uint32_t function)
{
    return function == PROFILE_NONE ? "[unknown]" : profile_function(p, function)->name;
}

const char *to_label(const struct profile *p, uint32_t function, struct to_label *label)
{
    const char *name = to_function_name(p, function);
    const uint32_t file = function == PROFILE_NONE ? PROFILE_NONE : profile_function(p, function)->file;

    if (file == PROFILE_NONE || strcmp(name, to_function_name(p, PROFILE_NONE)) != 0) {
        return name;
    }
    const char *path = profile_recording(p)->files[file].path, *slash = strrchr(path, '/');
    const char *base = slash != NULL && slash[1] != '\0' ? slash + 1 : path;

    if (base[0] == '[') {
        return base;
    }
    (void)snprintf(label->text, sizeof label->text, "[%.250s]", base);
    return label->text;
}

const char *to_file_path(const struct recording *r, uint32_t file)
{
    return file == RECORDING_NONE ? "[unknown]" : r->files[file].path;
}

const char *to_thread_name(const struct recording *r, uint32_t thread)
{
    const struct recording_thread *t = &r->threads[thread];

    return t->name[0] != '\0' ? t->name : r->images[t->image].name;
}

size_t to_stack_frames(const struct to_tree *t, uint32_t stack, uint32_t *frames)
{
    size_t count = 0;

    for (uint32_t s = stack; s != TO_NONE; s = t->stacks[s].caller) {
        if (count == TO_DEPTH / 2 && t->stacks[stack].depth > TO_DEPTH) {
            s = t->stacks[stack].outer;
        }
        frames[count++] = t->stacks[s].frame;
    }
    return count;
}
