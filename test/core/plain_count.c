/* SPDX-License-Identifier: BSD-2-Clause */
/* The plain core model: the events of lookups, under all their names. */
#include "plain_state.h"

void plain_happen(struct plain_core *c, const uint16_t *events)
{
    while (*events != 0) {
        c->counts[*events++]++;
    }
}

/* NAMED(L2D) makes an array of the events of a data or unified cache, in the order of enum plain_event. */
#define NAMED(level) \
    { \
        APMU_EV_##level##_CACHE_RD, APMU_EV_##level##_CACHE_WR, APMU_EV_##level##_CACHE_HIT_RD, \
            APMU_EV_##level##_CACHE_HIT_WR, APMU_EV_##level##_CACHE_HIT, APMU_EV_##level##_CACHE_HIT_RW, \
            APMU_EV_##level##_CACHE_HWPRF, APMU_EV_##level##_CACHE_PRF, APMU_EV_##level##_CACHE_REFILL_HWPRF, \
            APMU_EV_##level##_CACHE_REFILL_PRF, APMU_EV_##level##_CACHE, APMU_EV_##level##_CACHE_RW \
    }
enum plain_event { RD, WR, HIT_RD, HIT_WR, HIT, HIT_RW, HWPRF, PRF, REFILL_HWPRF, REFILL_PRF, ALL, RW };
static const uint16_t named[4][12] = {NAMED(L1D), NAMED(L2D), NAMED(L3D), NAMED(LL)};

/* Counts a lookup of @cause, 'L', 'F', 'S', 'W' or 'P', under the names of one level. */
static void count_lookup(struct plain_core *c, const uint16_t *names, char cause, bool hit)
{
    const bool reads = cause == 'L' || cause == 'F';

    if (cause == 'P') {
        HAPPEN(c, names[HWPRF], names[PRF]);
        if (!hit) {
            HAPPEN(c, names[REFILL_HWPRF], names[REFILL_PRF]);
        }
        return;
    }
    HAPPEN(c, names[ALL], names[RW], names[reads ? RD : WR]);
    if (hit) {
        HAPPEN(c, names[HIT], names[HIT_RW], names[reads ? HIT_RD : HIT_WR]);
    }
}

static void count_l1i(struct plain_core *c, char cause, bool hit)
{
    c->arm11[APMU_ARM11_EV_ICACHE_MISS] += !hit && cause == 'F';
    if (cause == 'P') {
        HAPPEN(c, APMU_EV_L1I_CACHE_HWPRF, APMU_EV_L1I_CACHE_PRF);
        if (!hit) {
            HAPPEN(c, APMU_EV_L1I_CACHE_REFILL_HWPRF, APMU_EV_L1I_CACHE_REFILL_PRF);
        }
    } else {
        HAPPEN(c, APMU_EV_L1I_CACHE, APMU_EV_L1I_CACHE_RD);
        if (hit) {
            HAPPEN(c, APMU_EV_L1I_CACHE_HIT, APMU_EV_L1I_CACHE_HIT_RD);
        } else {
            HAPPEN(c, APMU_EV_L1I_CACHE_REFILL, APMU_EV_L1I_CACHE_LMISS);
        }
    }
}

static void count_l1d(struct plain *p, struct plain_core *c, char cause, bool hit)
{
    const bool refills = cause == 'L' || plain_value(p, APMU_CORE_KEY_L1D_ALLOCATE) != 0;

    if (cause != 'P') {
        c->arm11[APMU_ARM11_EV_DCACHE_ACCESS]++;
        c->arm11[APMU_ARM11_EV_DCACHE_ACCESS_CACHEABLE]++;
        c->arm11[APMU_ARM11_EV_DCACHE_MISS] += !hit;
        c->arm11[APMU_ARM11_EV_EXPL_D_ACCESS] += !hit && refills;
    }
    count_lookup(c, named[0], cause, hit);
    if (!hit && cause != 'P') {
        HAPPEN(c, APMU_EV_L1D_CACHE_MISS);
        if (cause == 'L') {
            HAPPEN(c, APMU_EV_L1D_CACHE_REFILL, APMU_EV_L1D_CACHE_REFILL_RD, APMU_EV_L1D_CACHE_LMISS_RD);
        } else if (refills) {
            HAPPEN(c, APMU_EV_L1D_CACHE_REFILL, APMU_EV_L1D_CACHE_REFILL_WR);
        }
    }
}

static void count_l2(struct plain_core *c, char cause, bool hit)
{
    count_lookup(c, named[1], cause, hit);
    if (cause == 'F') {
        HAPPEN(c, APMU_EV_L2I_CACHE, APMU_EV_L2I_CACHE_RD);
        if (hit) {
            HAPPEN(c, APMU_EV_L2I_CACHE_HIT, APMU_EV_L2I_CACHE_HIT_RD);
        } else {
            HAPPEN(c, APMU_EV_L2I_CACHE_REFILL, APMU_EV_L2I_CACHE_LMISS);
        }
    }
    if (!hit && cause == 'W') {
        return;
    }
    if (!hit && cause != 'P') {
        HAPPEN(c, APMU_EV_L2D_CACHE_MISS, APMU_EV_L2D_CACHE_REFILL);
        if (cause == 'S') {
            HAPPEN(c, APMU_EV_L2D_CACHE_REFILL_WR);
        } else {
            HAPPEN(c, APMU_EV_L2D_CACHE_REFILL_RD, APMU_EV_L2D_CACHE_LMISS_RD);
        }
    }
}

static void count_last(struct plain_core *c, char cause, bool hit)
{
    count_lookup(c, named[2], cause, hit);
    if (!hit && cause != 'P' && cause != 'W') {
        HAPPEN(c, APMU_EV_L3D_CACHE_MISS, APMU_EV_L3D_CACHE_REFILL);
        if (cause == 'S') {
            HAPPEN(c, APMU_EV_L3D_CACHE_REFILL_WR);
        } else {
            HAPPEN(c, APMU_EV_L3D_CACHE_REFILL_RD, APMU_EV_L3D_CACHE_LMISS_RD);
        }
    }
}

static bool is_outermost(const struct plain *p, const struct plain_cache *cache)
{
    return cache->depth == (plain_value(p, APMU_CORE_KEY_LAST_SIZE) != 0 ? 3 : 2);
}

void plain_count(struct plain *p, struct plain_core *c, const struct plain_cache *cache, char cause, bool hit)
{
    switch (cache->depth) {
    case 0:
        count_l1i(c, cause, hit);
        break;
    case 1:
        count_l1d(p, c, cause, hit);
        break;
    case 2:
        count_l2(c, cause, hit);
        break;
    default:
        count_last(c, cause, hit);
        break;
    }
    if (is_outermost(p, cache)) {
        count_lookup(c, named[3], cause, hit);
        if (!hit && cause != 'P' && cause != 'W') {
            HAPPEN(c, APMU_EV_LL_CACHE_MISS, APMU_EV_LL_CACHE_REFILL);
            HAPPEN(c, cause == 'S' ? APMU_EV_LL_CACHE_REFILL_WR : APMU_EV_LL_CACHE_MISS_RD);
        }
    }
}

/* FIRST_USES(L1D) makes an array of the events of first uses, in the order of enum first_event. */
#define FIRST_USES(level) \
    { \
        APMU_EV_##level##_CACHE_HIT_RW_FHWPRF, APMU_EV_##level##_CACHE_HIT_RW_FPRF, \
            APMU_EV_##level##_CACHE_HIT_RD_FHWPRF, APMU_EV_##level##_CACHE_HIT_RD_FPRF, \
            APMU_EV_##level##_CACHE_HIT_WR_FHWPRF, APMU_EV_##level##_CACHE_HIT_WR_FPRF \
    }
enum first_event { RW_HW, RW_ANY, RD_HW, RD_ANY, WR_HW, WR_ANY };
static const uint16_t first_uses[4][6] = {FIRST_USES(L1D), FIRST_USES(L2D), FIRST_USES(L3D), FIRST_USES(LL)};

void plain_count_first_use(struct plain *p, struct plain_core *c, const struct plain_cache *cache, char cause)
{
    const bool reads = cause == 'L' || cause == 'F';

    if (cache->depth == 0) {
        HAPPEN(c, APMU_EV_L1I_CACHE_HIT_RD_FHWPRF, APMU_EV_L1I_CACHE_HIT_RD_FPRF);
        return;
    }
    for (int row = cache->depth - 1; row >= 0; row = row != 3 && is_outermost(p, cache) ? 3 : -1) {
        const uint16_t *names = first_uses[row];

        HAPPEN(c, names[RW_HW], names[RW_ANY], names[reads ? RD_HW : WR_HW], names[reads ? RD_ANY : WR_ANY]);
    }
}

void plain_count_victim(struct plain *p, struct plain_core *c, const struct plain_cache *cache,
                        const struct plain_record *old)
{
    c->arm11[APMU_ARM11_EV_DCACHE_WBACK] += cache->depth == 1 ? (uint64_t)old->dirty[0] + old->dirty[1] : 0;
    if (cache->depth == 1) {
        HAPPEN(c, APMU_EV_L1D_CACHE_WB, APMU_EV_L1D_CACHE_WB_VICTIM);
    } else if (cache->depth == 2) {
        HAPPEN(c, APMU_EV_L2D_CACHE_WB, APMU_EV_L2D_CACHE_WB_VICTIM);
    } else {
        HAPPEN(c, APMU_EV_L3D_CACHE_WB, APMU_EV_L3D_CACHE_WB_VICTIM);
    }
    if (is_outermost(p, cache)) {
        HAPPEN(c, APMU_EV_LL_CACHE_WB);
    }
}

void plain_count_second(struct plain_core *c, char cause, bool second, bool hit)
{
    c->arm11[cause == 'F' ? APMU_ARM11_EV_ITLB_MISS : APMU_ARM11_EV_DTLB_MISS]++;
    c->arm11[APMU_ARM11_EV_MAIN_TLB_MISS] += !hit;
    if (cause == 'F') {
        HAPPEN(c, APMU_EV_L1I_TLB_REFILL);
    } else {
        HAPPEN(c, APMU_EV_L1D_TLB_REFILL, cause == 'S' ? APMU_EV_L1D_TLB_REFILL_WR : APMU_EV_L1D_TLB_REFILL_RD);
    }
    if (second) {
        HAPPEN(c, APMU_EV_L2D_TLB, cause == 'S' ? APMU_EV_L2D_TLB_WR : APMU_EV_L2D_TLB_RD);
        c->counts[APMU_EV_L2I_TLB] += cause == 'F';
        if (!hit) {
            HAPPEN(c, APMU_EV_L2D_TLB_REFILL, cause == 'S' ? APMU_EV_L2D_TLB_REFILL_WR : APMU_EV_L2D_TLB_REFILL_RD);
            c->counts[APMU_EV_L2I_TLB_REFILL] += cause == 'F';
        }
    }
    if (!hit && cause == 'F') {
        HAPPEN(c, APMU_EV_ITLB_WALK, APMU_EV_ITLB_WALK_RD, APMU_EV_ITLB_WALK_SMALL, APMU_EV_ITLB_WALK_PAGE);
    } else if (!hit) {
        HAPPEN(c, APMU_EV_DTLB_WALK, APMU_EV_DTLB_WALK_RW, APMU_EV_DTLB_WALK_SMALL, APMU_EV_DTLB_WALK_PAGE);
    }
}
