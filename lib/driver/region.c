/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions: finds what a session counted in named pieces of code, which nest as they are executed. */
#include "internal.h"

/* Returns a - b, or 0 if b is larger. */
static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Returns the spans of the open call at @level, one for each wish. */
static struct apmu_region_span *spans_of(struct apmu_regions *r, size_t level)
{
    return &r->spans[level * r->session->count];
}

enum apmu_error apmu_region_begin(struct apmu_regions *r, struct apmu_region *region)
{
    const size_t count = r->session->count;
    struct apmu_region_span *spans;
    enum apmu_error error;

    if (r->open == r->depth) {
        return APMU_E_REGION_DEPTH;
    }
    spans = spans_of(r, r->open);
    error = apmu_session_read(r->session, r->now);
    if (error != APMU_OK) {
        return error;
    }
    r->stack[r->open++] = region;
    region->open++;
    for (size_t i = 0; i < count; i++) {
        spans[i] = (struct apmu_region_span){.begin = r->now[i].count};
        region->doubts |= r->now[i].doubts;
    }
    return APMU_OK;
}

/* Adds one call with @total events of wish @i, of which @self are its own. */
static void add(struct apmu_region *region, size_t i, uint64_t self, uint64_t total)
{
    struct apmu_region_count *c = &region->counts[i];

    c->self += self;
    c->total += region->open == 0 ? total : 0;
    c->min = region->calls == 0 || total < c->min ? total : c->min;
    c->max = total > c->max ? total : c->max;
}

enum apmu_error apmu_region_end(struct apmu_regions *r, struct apmu_region *region)
{
    const size_t count = r->session->count;
    struct apmu_region_span *spans, *around;
    enum apmu_error error;

    if (r->open == 0 || r->stack[r->open - 1] != region) {
        r->missed = r->open == 0 ? NULL : r->stack[r->open - 1];
        return APMU_E_REGION_ORDER;
    }
    error = apmu_session_read(r->session, r->now);
    if (error != APMU_OK) {
        return error;
    }
    r->open--;
    region->open--;
    spans = spans_of(r, r->open);
    around = r->open == 0 ? NULL : spans_of(r, r->open - 1);
    for (size_t i = 0; i < count; i++) {
        const struct apmu_region_cost cost = r->costs != NULL ? r->costs[i] : (struct apmu_region_cost){0, 0};
        const uint64_t total = less(r->now[i].count - spans[i].begin, cost.inside + spans[i].cost);

        add(region, i, less(total, spans[i].inside), total);
        region->doubts |= r->now[i].doubts;
        if (around != NULL) {
            around[i].inside += total;
            around[i].cost += cost.inside + cost.outside + spans[i].cost;
        }
    }
    region->calls++;
    return APMU_OK;
}

/*
 * Executes one empty region in another; both add to @counts.  Then self is the total of the outer region, and total
 * minus self is that of the inner one.
 */
static enum apmu_error measure(struct apmu_regions *r, struct apmu_region_count *counts)
{
    struct apmu_region outer = {.name = "outer", .counts = counts}, inner = {.name = "inner", .counts = counts};
    enum apmu_error error = apmu_region_begin(r, &outer);

    if (error == APMU_OK) {
        error = apmu_region_begin(r, &inner);
    }
    if (error == APMU_OK) {
        error = apmu_region_end(r, &inner);
    }
    if (error == APMU_OK) {
        error = apmu_region_end(r, &outer);
    }
    r->open = 0;
    return error;
}

/* Sets *@least to @value if that is less, or if it is the first. */
static void keep_least(uint64_t *least, uint64_t value, bool first)
{
    *least = first || value < *least ? value : *least;
}

enum apmu_error apmu_regions_calibrate(struct apmu_regions *r, unsigned rounds)
{
    struct apmu_region_cost *const costs = r->costs;
    const size_t count = r->session->count;
    enum apmu_error error = APMU_OK;

    if (r->open != 0) {
        r->missed = r->stack[r->open - 1];
        return APMU_E_REGION_ORDER;
    }
    if (costs == NULL || count > APMU_COUNTERS) {
        return APMU_E_UNSUPPORTED;
    }
    if (r->depth < 2) {
        return APMU_E_REGION_DEPTH;
    }
    if (r->session->state != APMU_SESSION_RUNNING) {
        return APMU_E_STATE;
    }
    r->costs = NULL;
    for (unsigned round = 0; round < rounds && error == APMU_OK; round++) {
        struct apmu_region_count counts[APMU_COUNTERS] = {{0}};

        error = measure(r, counts);
        for (size_t i = 0; i < count && error == APMU_OK; i++) {
            const uint64_t outer = counts[i].self, inner = counts[i].total - outer;

            keep_least(&costs[i].inside, inner, round == 0);
            keep_least(&costs[i].outside, less(outer, 2 * inner), round == 0);
        }
    }
    r->costs = costs;
    return error;
}
