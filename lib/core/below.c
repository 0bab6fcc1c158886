/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The levels below the first: reads, writes and prefetches that go down to memory.
 *
 * No level includes or excludes what another one has.  A read fills each level on its way back; a dirty line that gives
 * way is written to the level below.
 */
#include "lines.h"

/* Returns the array of @level, L2 or the last one; NULL if the core does not simulate it. */
static struct apmu_core_lines *array_of(struct apmu_core *core, enum apmu_core_level level)
{
    struct apmu_chip *chip = apmu_core_chip(core);
    struct apmu_core_lines *l = level == APMU_CORE_LEVEL_LAST ? &chip->last : core->l2.there ? &core->l2 : &chip->l2;

    return l->there && (core->parts >> level & 1) != 0 ? l : NULL;
}

/* Returns @level, or the first below it that the core of the row has. */
static enum apmu_core_level existing(const struct apmu_core *core, enum apmu_core_level level)
{
    if (level == APMU_CORE_LEVEL_L2 && apmu_core_value(core, APMU_CORE_KEY_L2_SIZE) == 0) {
        level = APMU_CORE_LEVEL_LAST;
    }
    if (level == APMU_CORE_LEVEL_LAST && apmu_core_value(core, APMU_CORE_KEY_LAST_SIZE) == 0) {
        level = APMU_CORE_LEVEL_MEMORY;
    }
    return level;
}

void apmu_core_fill(struct apmu_core *core, enum apmu_core_level level, struct apmu_core_lines *l, uint64_t line,
                    uint64_t flags)
{
    const uint64_t old = apmu_core_add(l, line, flags);

    if ((old & APMU_CORE_DIRTY) != 0) {
        core->tally.victims[level]++;
        if (level == APMU_CORE_LEVEL_L1D) {
            core->tally.halves += (old >> 2 & 1) + (old >> 3 & 1);
        }
        apmu_core_write_below(core, level < APMU_CORE_LEVEL_L2 ? APMU_CORE_LEVEL_L2 : level + 1, old >> 4 << l->shift);
    }
}

void apmu_core_write_below(struct apmu_core *core, enum apmu_core_level level, uint64_t address)
{
    for (level = existing(core, level); level != APMU_CORE_LEVEL_MEMORY; level = existing(core, level + 1)) {
        struct apmu_core_lines *l = array_of(core, level);

        if (l == NULL) {
            return;
        }
        const uint64_t line = address >> l->shift;
        uint64_t *word = apmu_core_use(l, line);

        core->tally.lookup[level][APMU_CORE_CAUSE_WRITE]++;
        if (word != NULL) {
            if ((*word & APMU_CORE_PREFETCHED) != 0) {
                *word &= ~APMU_CORE_PREFETCHED;
                core->tally.first_use[level][APMU_CORE_CAUSE_WRITE]++;
            }
            *word |= l->through ? 0 : APMU_CORE_DIRTY;
        } else {
            core->tally.miss[level][APMU_CORE_CAUSE_WRITE]++;
            if (l->allocate) {
                core->tally.allocated[level]++;
                apmu_core_fill(core, level, l, line, l->through ? 0 : APMU_CORE_DIRTY);
            }
        }
        if (!l->through && (word != NULL || l->allocate)) {
            return;
        }
    }
    core->tally.bus_write++;
}

/* Looks the line up in @level, which has an array.  Returns true if it was there, with what it starts. */
static bool hit_below(struct apmu_core *core, enum apmu_core_level level, struct apmu_core_lines *l, uint64_t line,
                      enum apmu_core_cause cause)
{
    uint64_t *word = apmu_core_use(l, line);

    core->tally.lookup[level][cause]++;
    if (word == NULL) {
        core->tally.miss[level][cause]++;
        return false;
    }
    if (cause != APMU_CORE_CAUSE_PREFETCH && (*word & APMU_CORE_PREFETCHED) != 0) {
        *word &= ~APMU_CORE_PREFETCHED;
        core->tally.first_use[level][cause]++;
        apmu_core_prefetch(core, level, l, line);
    }
    return true;
}

void apmu_core_read_below(struct apmu_core *core, enum apmu_core_level level, uint64_t address,
                          enum apmu_core_cause cause, struct apmu_core_answer *answer)
{
    level = existing(core, level);
    if (level == APMU_CORE_LEVEL_MEMORY) {
        core->tally.bus_read++;
        answer->cache += apmu_core_value(core, APMU_CORE_KEY_MEMORY_LATENCY);
        answer->level = APMU_CORE_LEVEL_MEMORY;
        return;
    }
    struct apmu_core_lines *l = array_of(core, level);

    if (l == NULL) {
        return;
    }
    const uint64_t line = address >> l->shift;

    if (hit_below(core, level, l, line, cause)) {
        answer->cache += l->latency;
        answer->level = level;
        return;
    }
    apmu_core_read_below(core, level + 1, address, cause, answer);
    apmu_core_fill(core, level, l, line, cause == APMU_CORE_CAUSE_PREFETCH ? APMU_CORE_PREFETCHED : 0);
    if (cause != APMU_CORE_CAUSE_PREFETCH && l->prefetch != APMU_CORE_PREFETCH_NONE) {
        apmu_core_prefetch(core, level, l, line);
    }
}

/* Prefetches @line into @level, unless it is there. */
static void prefetch_line(struct apmu_core *core, enum apmu_core_level level, struct apmu_core_lines *l, uint64_t line)
{
    struct apmu_core_answer ignored = {0, 0, level};

    core->tally.lookup[level][APMU_CORE_CAUSE_PREFETCH]++;
    if (apmu_core_has(l, line)) {
        return;
    }
    core->tally.miss[level][APMU_CORE_CAUSE_PREFETCH]++;
    apmu_core_read_below(core, level < APMU_CORE_LEVEL_L2 ? APMU_CORE_LEVEL_L2 : level + 1, line << l->shift,
                         APMU_CORE_CAUSE_PREFETCH, &ignored);
    apmu_core_fill(core, level, l, line, APMU_CORE_PREFETCHED);
    if (l->filtered) {
        lines_make_recent(l, apmu_core_set(l, line), 0, false);
    }
}

/* Returns the distance, in lines, at which the stride prefetcher asks for lines, or 0. */
static int64_t learn_stride(struct apmu_core_lines *l, uint64_t page, uint64_t line)
{
    struct apmu_core_stride *s =
        APMU_CORE_AT(struct apmu_core_stride, l, l->strides) + (page & (APMU_CORE_STRIDES - 1));

    if (s->page != page + 1) {
        *s = (struct apmu_core_stride){page + 1, line, 0};
        return 0;
    }
    const int64_t distance = (int64_t)(line - s->line);
    const bool again = distance == s->distance;

    if (distance == 0) {
        return 0;
    }
    s->distance = distance;
    s->line = line;
    return again ? distance : 0;
}

void apmu_core_prefetch(struct apmu_core *core, enum apmu_core_level level, struct apmu_core_lines *l, uint64_t line)
{
    if (l->prefetch == APMU_CORE_PREFETCH_NONE) {
        return;
    }
    const uint32_t bits = apmu_core_log2(apmu_core_value(core, APMU_CORE_KEY_PAGE)) - l->shift;
    const uint64_t page = line >> bits;
    const int64_t distance = l->prefetch == APMU_CORE_PREFETCH_NEXT ? 1 : learn_stride(l, page, line);

    for (uint32_t i = 0; distance != 0 && i < l->degree; i++) {
        line += (uint64_t)distance;
        if (line >> bits != page) {
            return;
        }
        prefetch_line(core, level, l, line);
    }
}
