/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions: nesting, recursion, wrong order, and the cost of measuring. */
#include "driver.h"

#define EVENTS 2
#define DEPTH 4

static struct driver_bench b;
static struct apmu_session s;
static struct apmu_region *stack[DEPTH];
static struct apmu_region_span spans[DEPTH * EVENTS];
static struct apmu_reading now[EVENTS];
static struct apmu_region_count counts[3][EVENTS];
static struct apmu_region_cost costs[EVENTS];
static struct apmu_region outer, inner, third;
static struct apmu_regions r;

static void work(uint64_t instructions, uint64_t branches)
{
    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, instructions, 1, NULL);
    apmu_event(&b.model, &b.program_pe, APMU_EV_BR_RETIRED, branches, 1, NULL);
}

static bool begin(const struct apmu_reg_ops *ops)
{
    static const struct apmu_wish wishes[EVENTS] = {
        {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY},
        {.event = APMU_EV_BR_RETIRED, .counter = APMU_COUNTER_ANY},
    };
    bool ok = bench_init(&b, P1_FEATURES, 4);

    memset(counts, 0, sizeof counts);
    outer = (struct apmu_region){.name = "outer", .counts = counts[0]};
    inner = (struct apmu_region){.name = "inner", .counts = counts[1]};
    third = (struct apmu_region){.name = "third", .counts = counts[2]};
    r = (struct apmu_regions){.session = &s, .depth = DEPTH, .stack = stack, .spans = spans, .now = now};
    b.dev.ops = ops;
    ok &= apmu_session_open(&s, &b.dev, &b.pmu, wishes, EVENTS, NULL) == APMU_OK;
    return ok && apmu_session_start(&s) == APMU_OK;
}

static bool in(struct apmu_region *region)
{
    return apmu_region_begin(&r, region) == APMU_OK;
}

static bool out(struct apmu_region *region)
{
    return apmu_region_end(&r, region) == APMU_OK;
}

static bool is(const struct apmu_region *region, size_t i, uint64_t self, uint64_t total, uint64_t min, uint64_t max)
{
    const struct apmu_region_count *c = &region->counts[i];
    const bool same = c->self == self && c->total == total && c->min == min && c->max == max;

    if (!same) {
        printf("# %s: self %llu, total %llu, min %llu, max %llu\n", region->name, (unsigned long long)c->self,
               (unsigned long long)c->total, (unsigned long long)c->min, (unsigned long long)c->max);
    }
    return same;
}

static void nesting(void)
{
    bool ok = begin(&apmu_model_ops) && in(&outer);

    work(10, 1);
    for (uint64_t i = 1; i <= 3; i++) {
        ok &= in(&inner);
        work(100 * i, 2);
        ok &= in(&third);
        work(7, 0);
        ok &= out(&third) && out(&inner);
        work(1, 0);
    }
    ok &= out(&outer);
    work(1000, 1000); /* outside all regions */
    ok &= outer.calls == 1 && inner.calls == 3 && third.calls == 3 && r.open == 0;
    ok &= is(&outer, 0, 13, 13 + 621, 634, 634) && is(&inner, 0, 600, 621, 107, 307) && is(&third, 0, 21, 21, 7, 7);
    ok &= is(&outer, 1, 1, 7, 7, 7) && is(&inner, 1, 6, 6, 2, 2) && is(&third, 1, 0, 0, 0, 0);
    check("region: nested regions count with and without what is inside", ok && outer.doubts == 0);
}

static void recurse(unsigned depth)
{
    (void)in(&outer);
    work(10, 1);
    if (depth > 1) {
        recurse(depth - 1);
    }
    work(1, 0);
    (void)out(&outer);
}

static void recursion(void)
{
    bool ok = begin(&apmu_model_ops);

    recurse(3);
    recurse(1);
    ok &= outer.calls == 4 && outer.open == 0 && is(&outer, 0, 44, 44, 11, 33) && is(&outer, 1, 4, 4, 1, 3);
    check("region: a region inside itself is counted once", ok);
}

static void order(void)
{
    bool ok = begin(&apmu_model_ops);

    ok &= apmu_region_end(&r, &inner) == APMU_E_REGION_ORDER && r.missed == NULL;
    ok &= in(&outer) && in(&inner);
    ok &= apmu_region_end(&r, &outer) == APMU_E_REGION_ORDER && r.missed == &inner &&
          strcmp(r.missed->name, "inner") == 0;
    work(5, 0);
    ok &= out(&inner) && out(&outer) && is(&outer, 0, 0, 5, 5, 5) && is(&inner, 0, 5, 5, 5, 5);
    ok &= in(&outer) && in(&inner) && in(&inner) && in(&third);
    ok &= apmu_region_begin(&r, &third) == APMU_E_REGION_DEPTH && third.open == 1;
    ok &= out(&third) && out(&inner) && out(&inner) && out(&outer);
    ok &= apmu_session_close(&s) == APMU_OK && apmu_region_begin(&r, &outer) == APMU_E_STATE && r.open == 0;
    check("region: one that ends out of order is refused, and the one that has to end first is named", ok);
}

/* The number of instructions that each access of a reading executes. */
static unsigned per_access;

static enum apmu_error costly_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    work(per_access, 0);
    const enum apmu_error error = apmu_model_ops.read(ctx, reg, n, value);

    work(per_access, 1);
    return error;
}

static void calibration(void)
{
    struct apmu_reg_ops ops = apmu_model_ops;
    bool ok;

    ops.read = costly_read;
    per_access = 5;
    ok = begin(&ops);
    ok &= in(&outer) && in(&inner) && out(&inner) && out(&outer);
    ok &= inner.counts[0].total != 0 && outer.counts[0].self != 0;
    check("region: without calibration the cost is in the counts", ok);
    ok = begin(&ops);
    ok &= apmu_regions_calibrate(&r, 3) == APMU_E_UNSUPPORTED;
    r.costs = costs;
    r.depth = 1;
    ok &= apmu_regions_calibrate(&r, 3) == APMU_E_REGION_DEPTH;
    r.depth = DEPTH;
    ok &= in(&outer) && apmu_regions_calibrate(&r, 3) == APMU_E_REGION_ORDER && r.missed == &outer && out(&outer);
    ok &= apmu_session_stop(&s) == APMU_OK && apmu_regions_calibrate(&r, 3) == APMU_E_STATE;
    ok &= apmu_session_start(&s) == APMU_OK;
    check("region: calibration is refused where it is not possible", ok);
    ok = begin(&ops);
    r.costs = costs;
    ok &= apmu_regions_calibrate(&r, 3) == APMU_OK && costs[0].inside != 0 && costs[0].outside != 0 && r.open == 0;
    ok &= in(&outer);
    work(10, 1);
    for (unsigned i = 0; i < 3; i++) {
        ok &= in(&inner);
        work(100, 2);
        ok &= in(&third);
        work(7, 0);
        ok &= out(&third) && out(&inner);
        work(1, 0);
    }
    ok &= out(&outer);
    ok &= is(&outer, 0, 13, 13 + 321, 334, 334) && is(&inner, 0, 300, 321, 107, 107) && is(&third, 0, 21, 21, 7, 7);
    ok &= is(&outer, 1, 1, 7, 7, 7) && is(&inner, 1, 6, 6, 2, 2) && is(&third, 1, 0, 0, 0, 0);
    check("region: calibrated regions count what their own code does", ok);
    per_access = 2; /* cheaper than when it was calibrated: nothing falls below 0 */
    ok = in(&third) && out(&third) && is(&third, 0, 21, 21, 0, 7);
    check("region: no count falls below 0", ok);
}

/* Checks that a reading that fails neither begins nor ends a region. */
static void failures_of_readings(void)
{
    struct apmu_fault fault;
    bool ok = begin(&apmu_model_ops);
    const struct apmu_dev inside = b.dev;

    fault = (struct apmu_fault){.inner = inside, .error = APMU_E_BACKEND, .fail_at = 1};
    s.dev = (struct apmu_dev){.ops = &apmu_fault_ops, .ctx = &fault};
    ok &= apmu_region_begin(&r, &outer) == APMU_E_BACKEND && r.open == 0 && outer.open == 0 && in(&outer);
    work(3, 0);
    fault.fail_at = fault.calls + 1;
    ok &= apmu_region_end(&r, &outer) == APMU_E_BACKEND && r.open == 1 && outer.calls == 0 && out(&outer);
    ok &= is(&outer, 0, 3, 3, 3, 3);
    check("region: a reading that fails changes nothing", ok);
}

int main(void)
{
    nesting();
    recursion();
    order();
    calibration();
    failures_of_readings();
    return failures != 0;
}
