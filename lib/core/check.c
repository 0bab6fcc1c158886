/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks rows of parameters: each one for its range, and those that must fit each other. */
#include <armpmu/sized.h>

#include "internal.h"

/* What is wrong with a parameter that is out of its range. */
static const char *const out_of_range[APMU_CORE_KEY_COUNT] = {
#define APMU_CORE_KEY(id, name, lowest, highest, words, text) \
    sizeof words > 1 ? name ": the value has no name; use one of: " words \
                     : name ": the value is outside of " #lowest " to " #highest "; choose one within",
#include <armpmu/tables/core_keys.def>
};

/* The parameters of a cache or TLB that must fit each other. */
struct core_fit {
    unsigned size, ways, line, replacement;
    const char *not_line, *not_size, *not_tree;
};

/*
 * FIT("l1i", L1I, L1I_SIZE, L1I_LINE) makes an element: the keys L1I_SIZE, L1I_WAYS, L1I_LINE and L1I_REPLACEMENT, and
 * the sentences that say "l1i.line: ..." and so on.
 */
#define FIT(name, id, size, line) \
    { \
        APMU_CORE_KEY_##size, APMU_CORE_KEY_##id##_WAYS, APMU_CORE_KEY_##line, APMU_CORE_KEY_##id##_REPLACEMENT, \
            name ".line: it is no power of two; use 32, 64 or the like", \
            name ".ways: the number of sets, size / (ways * line), is no power of two; change size or ways", \
            name ".replacement: a tree needs a power of two of ways; use lru or random, or change the ways" \
    }

/* A TLB has no line: KEY_COUNT stands for 1. */
#define APMU_CORE_KEY_NO_LINE APMU_CORE_KEY_COUNT

static const struct core_fit fits[] = {
    FIT("l1i", L1I, L1I_SIZE, L1I_LINE),     FIT("l1d", L1D, L1D_SIZE, L1D_LINE),      FIT("l2", L2, L2_SIZE, L2_LINE),
    FIT("last", LAST, LAST_SIZE, LAST_LINE), FIT("tlb2", TLB2, TLB2_ENTRIES, NO_LINE),
};

static bool is_power(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Returns whether @value is @unit times a power of two. */
static bool is_power_times(uint64_t value, uint64_t unit)
{
    while (unit < value) {
        unit *= 2;
    }
    return unit == value;
}

static const char *check_fit(const uint32_t *v, const struct core_fit *fit)
{
    const uint64_t line = fit->line == APMU_CORE_KEY_COUNT ? 1 : v[fit->line];

    if (v[fit->size] == 0) {
        return NULL;
    }
    if (!is_power(line)) {
        return fit->not_line;
    }
    if (!is_power_times(v[fit->size], line * v[fit->ways])) {
        return fit->not_size;
    }
    return v[fit->replacement] == APMU_CORE_PLRU && !is_power(v[fit->ways]) ? fit->not_tree : NULL;
}

/* Checks that no level has shorter lines, or is faster, than the one above it. */
static const char *check_order(const uint32_t *v)
{
    const bool l2 = v[APMU_CORE_KEY_L2_SIZE] != 0, last = v[APMU_CORE_KEY_LAST_SIZE] != 0;
    const uint32_t l1i = v[APMU_CORE_KEY_L1I_LINE], l1d = v[APMU_CORE_KEY_L1D_LINE];
    const uint32_t above = l1i > l1d ? l1i : l1d, line = l2 ? v[APMU_CORE_KEY_L2_LINE] : above;
    const uint32_t latency = v[l2 ? APMU_CORE_KEY_L2_LATENCY : APMU_CORE_KEY_L1D_LATENCY];

    if (line < above) {
        return "l2.line: it is shorter than that of the first level; make it as long";
    }
    if (last && v[APMU_CORE_KEY_LAST_LINE] < line) {
        return "last.line: it is shorter than that of the level above; make it as long";
    }
    if (l2 && latency <= v[APMU_CORE_KEY_L1D_LATENCY]) {
        return "l2.latency: it is not above l1d.latency; both are cycles from load to use";
    }
    if (last && v[APMU_CORE_KEY_LAST_LATENCY] <= latency) {
        return "last.latency: it is not above that of the level above; both are cycles from load to use";
    }
    if (v[APMU_CORE_KEY_MEMORY_LATENCY] <= (last ? v[APMU_CORE_KEY_LAST_LATENCY] : latency)) {
        return "memory.latency: it is not above that of the last cache; both are cycles from load to use";
    }
    return NULL;
}

/* Checks TLBs and predictor. */
static const char *check_others(const uint32_t *v)
{
    const uint32_t page = v[APMU_CORE_KEY_PAGE], direction = v[APMU_CORE_KEY_BRANCH_DIRECTION];

    if (page != 4096 && page != 16384 && page != 65536) {
        return "page: there is no such page; use 4K, 16K or 64K";
    }
    if (v[APMU_CORE_KEY_ITLB_REPLACEMENT] == APMU_CORE_PLRU || v[APMU_CORE_KEY_DTLB_REPLACEMENT] == APMU_CORE_PLRU) {
        return "itlb.replacement, dtlb.replacement: a TLB of the first level has no tree; use lru or random";
    }
    if (v[APMU_CORE_KEY_BTB_ENTRIES] != 0 &&
        (!is_power(v[APMU_CORE_KEY_BTB_ENTRIES]) || !is_power(v[APMU_CORE_KEY_BTB_WAYS]) ||
         v[APMU_CORE_KEY_BTB_WAYS] > v[APMU_CORE_KEY_BTB_ENTRIES])) {
        return "btb.entries: entries and ways are no powers of two, or ways are more than entries; change them";
    }
    if (direction == APMU_CORE_GSHARE && v[APMU_CORE_KEY_BRANCH_HISTORY] > v[APMU_CORE_KEY_BRANCH_BITS]) {
        return "branch.history: it is longer than branch.bits, so its oldest outcomes would be lost; shorten it";
    }
    if (direction == APMU_CORE_TAGE &&
        (uint64_t)v[APMU_CORE_KEY_TAGE_SHORTEST] << (v[APMU_CORE_KEY_TAGE_TABLES] - 1) >= APMU_CORE_HISTORY) {
        return "tage.shortest: the last table would look back further than 511 outcomes; lower it, or tage.tables";
    }
    if (v[APMU_CORE_KEY_TIMING_REFILL] > v[APMU_CORE_KEY_TIMING_MISPREDICT]) {
        return "timing.refill: it is a part of timing.mispredict and cannot be more; lower it";
    }
    return NULL;
}

/* Returns whether parameter @key matters: not if what it describes is not there. */
static bool matters(const uint32_t *v, unsigned key)
{
    if (key > APMU_CORE_KEY_L2_SIZE && key <= APMU_CORE_KEY_L2_SHARED) {
        return v[APMU_CORE_KEY_L2_SIZE] != 0;
    }
    if (key > APMU_CORE_KEY_LAST_SIZE && key <= APMU_CORE_KEY_LAST_LATENCY) {
        return v[APMU_CORE_KEY_LAST_SIZE] != 0;
    }
    if (key > APMU_CORE_KEY_TLB2_ENTRIES && key <= APMU_CORE_KEY_TLB2_LATENCY) {
        return v[APMU_CORE_KEY_TLB2_ENTRIES] != 0;
    }
    if (key >= APMU_CORE_KEY_TAGE_TABLES && key <= APMU_CORE_KEY_TAGE_SHORTEST) {
        return v[APMU_CORE_KEY_BRANCH_DIRECTION] == APMU_CORE_TAGE;
    }
    return key != APMU_CORE_KEY_BTB_WAYS || v[APMU_CORE_KEY_BTB_ENTRIES] != 0;
}

static const char *check_ranges(const uint32_t *v)
{
    for (unsigned key = 0; key < APMU_CORE_KEY_COUNT; key++) {
        const struct apmu_core_key_info *info = apmu_core_key_info(key);

        if (matters(v, key) && (v[key] < info->lowest || v[key] > info->highest)) {
            return out_of_range[key];
        }
    }
    return NULL;
}

void apmu_core_row_take(struct apmu_core_row *known, const struct apmu_core_row *row)
{
    apmu_sized_take(known, sizeof *known, row);
}

const char *apmu_core_row_check(const struct apmu_core_row *row)
{
    struct apmu_core_row known;
    const char *wrong = NULL;

    switch (apmu_sized_check(row, sizeof known, APMU_CORE_ROW_SIZE_FIRST)) {
    case APMU_SIZED_SMALL:
        return "size: it is not that of a row; set it to sizeof(struct apmu_core_row)";
    case APMU_SIZED_NEWER:
        return "size: the row has parameters that this library does not know; use a newer library";
    default:
        break;
    }
    apmu_core_row_take(&known, row);
    if (known.name[0] == 0 || known.name[sizeof known.name - 1] != 0) {
        return "name: it is empty or longer than 27 characters; give the row a short name";
    }
    wrong = check_ranges(known.value);
    for (size_t i = 0; i < sizeof fits / sizeof fits[0] && wrong == NULL; i++) {
        wrong = check_fit(known.value, &fits[i]);
    }
    wrong = wrong != NULL ? wrong : check_order(known.value);
    wrong = wrong != NULL ? wrong : check_others(known.value);
    if (wrong == NULL && apmu_core_bytes(&known) > APMU_CORE_MOST) {
        wrong = "l2.size, last.size: the core needs more than 8 MB of state; make a cache smaller or its lines longer";
    }
    return wrong;
}
