/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the costs of a profile by function, line, file and so on. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "profile_internal.h"

/* A table while it is filled. */
struct filling {
    struct profile *p;
    enum profile_key key;
    struct profile_table *t;
    struct profile_pairs index; /* from the key's two numbers to the row */
    size_t room, count_room;
};

/* Fills @row and the numbers that name it, for row @code of the recording. */
static void key_of_code(const struct filling *f, size_t code, struct profile_row *row, uint64_t *a, uint64_t *b)
{
    const struct recording *r = f->p->r;
    const struct recording_code *c = &r->code[code];
    const struct profile_place *place = &f->p->places[code];
    const uint32_t image = r->threads[c->thread].image;
    const uint32_t file = c->map == RECORDING_NONE ? PROFILE_NONE : r->maps[c->map].file;
    /* Addresses without a file belong to their process. */
    const bool own = file == PROFILE_NONE || r->files[file].kind != RECORDING_FILE_ELF;

    *row = (struct profile_row){PROFILE_NONE, PROFILE_NONE, PROFILE_NONE, 0, PROFILE_NONE, PROFILE_NONE, 0};
    *a = *b = 0;
    switch (f->key) {
    case PROFILE_BY_FUNCTION: *a = row->function = place->function; break;
    case PROFILE_BY_INLINED: *a = row->function = place->inlined; break;
    case PROFILE_BY_LINE:
        row->source = place->line != 0 ? place->source : PROFILE_NONE;
        row->line = row->source != PROFILE_NONE ? place->line : 0;
        row->function = row->source != PROFILE_NONE ? place->inlined : place->function;
        *a = row->source != PROFILE_NONE ? (uint64_t)row->source << 32 | row->line
                                         : UINT64_MAX << 32 | place->function;
        break;
    case PROFILE_BY_ADDRESS:
        *row = (struct profile_row){place->function, file, place->source, place->line, PROFILE_NONE,
                                    own ? image : PROFILE_NONE, place->offset};
        *a = (uint64_t)file << 32 | row->image;
        *b = place->offset;
        break;
    case PROFILE_BY_FILE: *a = row->file = file; break;
    case PROFILE_BY_THREAD: *a = row->thread = c->thread; row->image = image; break;
    case PROFILE_BY_IMAGE: *a = row->image = image; break;
    }
    if (row->function != PROFILE_NONE) {
        row->file = f->p->functions[row->function].file;
    }
}

/* Returns the index of the row named by (@a, @b), which is added as @row if it is new. */
static uint32_t row_of(struct filling *f, const struct profile_row *row, uint64_t a, uint64_t b)
{
    const size_t events = f->p->r->event_count;
    uint32_t *place = profile_pair_at(&f->index, a, b);

    if (place == NULL || f->t->count >= PROFILE_NONE - 1) {
        return PROFILE_NONE;
    }
    if (*place == PROFILE_NONE) {
        if (!profile_grow((void **)&f->t->rows, f->t->count, &f->room, sizeof *f->t->rows) ||
            !profile_grow((void **)&f->t->self, f->t->count, &f->count_room, events * sizeof *f->t->self)) {
            return PROFILE_NONE;
        }
        f->t->rows[f->t->count] = *row;
        memset(f->t->self + f->t->count * events, 0, events * sizeof *f->t->self);
        *place = (uint32_t)f->t->count++;
    }
    return *place;
}

static bool add_self(struct filling *f)
{
    const struct recording *r = f->p->r;

    for (size_t i = 0; i < r->code_count; i++) {
        struct profile_row row;
        uint64_t a, b;
        uint32_t at;

        key_of_code(f, i, &row, &a, &b);
        at = row_of(f, &row, a, b);
        if (at == PROFILE_NONE) {
            return false;
        }
        /* A line that several functions have belongs to none. */
        if (f->t->rows[at].function != row.function) {
            f->t->rows[at].function = PROFILE_NONE;
        }
        for (size_t e = 0; e < r->event_count; e++) {
            f->t->self[at * r->event_count + e] += r->code_counts[i * r->event_count + e];
        }
    }
    return true;
}

/* Returns the row of the function that node @node of the tree enters; PROFILE_NONE: it enters none, or no memory. */
static uint32_t row_of_node(struct filling *f, const struct profile_node *node, bool *failed)
{
    struct profile_row row = {PROFILE_NONE, PROFILE_NONE, PROFILE_NONE, 0, PROFILE_NONE, PROFILE_NONE, 0};
    uint32_t at;

    if (node->function == PROFILE_NONE) {
        return PROFILE_NONE;
    }
    row.file = f->p->functions[node->function].file;
    if (f->key == PROFILE_BY_FUNCTION) {
        row.function = node->function;
    }
    at = row_of(f, &row, f->key == PROFILE_BY_FUNCTION ? row.function : row.file, 0);
    *failed |= at == PROFILE_NONE;
    return at;
}

/*
 * Adds the costs below each node to its row, unless a node above it has the same row, whose costs contain them.  @rows
 * has the row of each node, and @open, with an element for each row, how many open nodes have it.
 */
static void add_totals(struct filling *f, const struct profile_node *tree, const uint32_t *rows, uint32_t *open)
{
    const size_t events = f->p->r->event_count;
    uint32_t node = 0;
    bool down = true;

    while (node != PROFILE_NONE) {
        const uint32_t row = rows[node];

        if (down && row != PROFILE_NONE && open[row]++ == 0) {
            for (size_t e = 0; e < events; e++) {
                f->t->total[row * events + e] += f->p->tree_total[node * events + e];
            }
        }
        if (down && tree[node].first_child != PROFILE_NONE) {
            node = tree[node].first_child;
            continue;
        }
        if (row != PROFILE_NONE) {
            open[row]--;
        }
        down = tree[node].next_sibling != PROFILE_NONE;
        node = down ? tree[node].next_sibling : tree[node].parent;
    }
}

static bool fill_totals(struct filling *f)
{
    const size_t events = f->p->r->event_count;
    size_t count;
    const struct profile_node *tree = profile_tree(f->p, &count);
    uint32_t *rows = calloc(count + 1, sizeof *rows), *open;
    bool failed = tree == NULL || rows == NULL;

    for (size_t i = 0; !failed && i < count; i++) {
        rows[i] = row_of_node(f, &tree[i], &failed);
    }
    open = calloc(f->t->count + 1, sizeof *open);
    f->t->total = calloc(f->t->count * events + 1, sizeof *f->t->total);
    if (!failed && open != NULL && f->t->total != NULL) {
        add_totals(f, tree, rows, open);
        /* Code that is entered by no call, as a part of a function that was moved away, has its own costs at least. */
        for (size_t i = 0; i < f->t->count * events; i++) {
            f->t->total[i] = f->t->total[i] < f->t->self[i] ? f->t->self[i] : f->t->total[i];
        }
    }
    failed |= open == NULL || f->t->total == NULL;
    free(rows);
    free(open);
    return !failed;
}

/* By what rows are sorted. */
struct order {
    const struct profile *p;
    const struct profile_table *t;
    uint32_t event;
};

static int compare_numbers(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct order *o = context;
    const size_t events = o->p->r->event_count;
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct profile_row *x = &o->t->rows[i], *y = &o->t->rows[j];
    int by = -compare_numbers(o->t->self[i * events + o->event], o->t->self[j * events + o->event]);

    if (by == 0 && o->t->total != NULL) {
        by = -compare_numbers(o->t->total[i * events + o->event], o->t->total[j * events + o->event]);
    }
    if (by == 0 && x->function != y->function && x->function != PROFILE_NONE && y->function != PROFILE_NONE) {
        by = strcmp(o->p->functions[x->function].name, o->p->functions[y->function].name);
    }
    if (by == 0 && x->source != y->source && x->source != PROFILE_NONE && y->source != PROFILE_NONE) {
        by = strcmp(o->p->sources.data[x->source], o->p->sources.data[y->source]);
    }
    if (by == 0) {
        by = compare_numbers(x->line, y->line);
    }
    if (by == 0) {
        by = compare_numbers(x->offset, y->offset);
    }
    return by != 0 ? by : compare_numbers(i, j);
}

/* Replaces *@counts, @size bytes for a row, by those of the rows in @order. */
static bool reorder(void **rows, const uint32_t *order, size_t count, size_t size)
{
    char *sorted = reallocarray(NULL, count + 1, size);

    if (sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(sorted + i * size, (char *)*rows + order[i] * size, size);
    }
    free(*rows);
    *rows = sorted;
    return true;
}

static bool sort(struct profile *p, struct profile_table *t, uint32_t event)
{
    const struct order by = {p, t, event};
    const size_t size = p->r->event_count * sizeof *t->self;
    uint32_t *order = calloc(t->count + 1, sizeof *order);
    bool done = order != NULL;

    for (size_t i = 0; done && i < t->count; i++) {
        order[i] = (uint32_t)i;
    }
    if (done && t->count > 0) {
        qsort_r(order, t->count, sizeof *order, compare_rows, (void *)(uintptr_t)&by);
        done = reorder((void **)&t->rows, order, t->count, sizeof *t->rows) &&
               reorder((void **)&t->self, order, t->count, size) &&
               (t->total == NULL || reorder((void **)&t->total, order, t->count, size));
    }
    free(order);
    return done;
}

bool profile_table(struct profile *p, enum profile_key key, uint32_t event, struct profile_table *t)
{
    struct filling f = {.p = p, .key = key, .t = t};
    const bool inclusive = p->r->node_count != 0 && (key == PROFILE_BY_FUNCTION || key == PROFILE_BY_FILE);
    bool done;

    *t = (struct profile_table){0};
    done = add_self(&f) && (!inclusive || fill_totals(&f)) && sort(p, t, event);
    free(f.index.slots);
    if (!done) {
        profile_table_free(t);
    }
    return done;
}

void profile_table_free(struct profile_table *t)
{
    free(t->rows);
    free(t->self);
    free(t->total);
    *t = (struct profile_table){0};
}
