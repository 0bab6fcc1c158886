/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translation: the TLBs of the first level, the unified one behind them, and walks of the tables.
 *
 * A TLB of the first level is fully associative.  Each use of an entry stamps it, so the short cut for a page that was
 * used lately, its slot, need not search.  The short cut for a line leads to the stamp, too, and ends with the entry.
 */
#include "lines.h"

/* Marks entry @i as used, and makes the slot of its page lead to it. */
static void use_entry(struct apmu_core_pages *t, uint64_t page, uint32_t i)
{
    APMU_CORE_AT(uint64_t, t, t->stamps)[i] = ++t->clock;
    t->used = i;
    if (t->filtered) {
        uint64_t *slot = APMU_CORE_AT(uint64_t, t, t->slots) + 2 * (page & (APMU_CORE_SLOTS - 1));

        slot[0] = page + 1;
        slot[1] = i;
    }
}

/* Returns the entry that a new page takes. */
static uint32_t choose_entry(struct apmu_core_pages *t)
{
    const uint64_t *entries = APMU_CORE_SEEN(uint64_t, t, t->entries);
    const uint64_t *stamps = APMU_CORE_SEEN(uint64_t, t, t->stamps);
    uint32_t oldest = 0;
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; t->taken < t->count && i < t->count; i++) {
        if (entries[i] == 0) {
            return i;
        }
    }
    if (t->replacement == APMU_CORE_RANDOM) {
        return apmu_core_random(&t->random, t->count);
    }
    for (uint32_t i = 0; i < t->count; i++) {
        oldest = stamps[i] < least ? i : oldest;
        least = stamps[i] < least ? stamps[i] : least;
    }
    return oldest;
}

/* Returns the number of zeros below the lowest bit that is set in @bits, which has one. */
static uint32_t zeros_below(uint64_t bits)
{
#if defined(__GNUC__) && defined(__LP64__)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t n = 0;

    for (uint32_t half = 32; half != 0; half /= 2) {
        if ((bits & ((UINT64_C(1) << half) - 1)) == 0) {
            bits >>= half;
            n += half;
        }
    }
    return n;
#endif
}

/* Empties the short cuts of L1D for all lines in @page: where caches are looked up late none is noted. */
static void forget_lines(struct apmu_core *core, uint64_t page)
{
    const struct apmu_core_lines *l = &core->l1d;
    const uint32_t bits = core->dtlb.shift - l->shift, shift = bits + 4, fold = l->fold;
    const uint64_t mask = l->mask, first = page << bits, lines = UINT64_C(1) << bits;
    uint64_t *recent = APMU_CORE_AT(uint64_t, &core->l1d, l->recent);

    if (fold == 63 && lines <= mask + 1) { /* they are one behind the other */
        recent += 2 * (first & mask);
        for (uint64_t i = 0; i < 2 * lines; i += 2) {
            recent[i] = recent[i] >> shift == page ? 0 : recent[i];
        }
        return;
    }
    for (uint64_t line = first; line != first + lines; line++) {
        uint64_t *word = &recent[2 * ((line ^ line >> fold) & mask)];

        *word = *word >> shift == page ? 0 : *word;
    }
}

/* Empties the short cuts for the lines in the page of entry @i. */
static void unnote(struct apmu_core *core, struct apmu_core_pages *t, uint64_t i)
{
    struct apmu_core_lines *l = t == &core->dtlb ? &core->l1d : &core->l1i;
    const uint64_t page = APMU_CORE_AT(uint64_t, t, t->entries)[i] - 1;
    const uint32_t shift = apmu_core_noted_shift(t, l), lines = t->shift > l->shift ? t->shift - l->shift : 0;
    uint64_t *noted = APMU_CORE_AT(uint64_t, t, t->noted) + i, *recent = APMU_CORE_AT(uint64_t, l, l->recent);
    const uint64_t line = (page << t->shift >> l->shift) & ~((UINT64_C(1) << lines) - 1);

    for (uint32_t bit = 0; *noted != 0; bit++) {
        const uint32_t skipped = zeros_below(*noted >> bit);

        bit += skipped;
        *noted &= ~(UINT64_C(1) << bit);
        for (uint64_t n = line + ((uint64_t)bit << shift), end = n + (UINT64_C(1) << shift); n < end; n++) {
            uint64_t *word = &recent[2 * apmu_core_set(l, n)];

            *word = (*word | APMU_CORE_DIRTY) == (n << 4 | APMU_CORE_VALID | APMU_CORE_DIRTY) ? 0 : *word;
        }
    }
}

void apmu_core_remove_page(struct apmu_core *core, struct apmu_core_pages *t, uint64_t i)
{
    uint64_t *entry = APMU_CORE_AT(uint64_t, t, t->entries) + i;
    const uint64_t at = (*entry - 1) & (APMU_CORE_SLOTS - 1);
    uint64_t *slot = APMU_CORE_AT(uint64_t, t, t->slots) + 2 * at;

    slot[0] = slot[0] == *entry ? 0 : slot[0];
    APMU_CORE_AT(uint32_t, t, t->sharing)[at]--;
    t->taken--;
    if (t->late) {
        forget_lines(core, *entry - 1);
    } else {
        unnote(core, t, i);
    }
    *entry = 0;
}

void apmu_core_add_page(struct apmu_core *core, struct apmu_core_pages *t, uint64_t page)
{
    const uint32_t i = choose_entry(t);
    uint64_t *entries = APMU_CORE_AT(uint64_t, t, t->entries);

    if (entries[i] != 0) {
        apmu_core_remove_page(core, t, i);
    }
    entries[i] = page + 1;
    t->taken++;
    APMU_CORE_AT(uint32_t, t, t->sharing)[page & (APMU_CORE_SLOTS - 1)]++;
    use_entry(t, page, i);
}

/* Returns whether the TLB has @page, which is then the one used last. */
static bool hit_entry(struct apmu_core_pages *t, uint64_t page)
{
    const uint64_t *entries = APMU_CORE_SEEN(uint64_t, t, t->entries), at = page & (APMU_CORE_SLOTS - 1);
    const uint32_t sharing = APMU_CORE_SEEN(uint32_t, t, t->sharing)[at];

    if (sharing == (APMU_CORE_SEEN(uint64_t, t, t->slots)[2 * at] != 0)) { /* the slot leads to all that share it */
        return false;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        if (entries[i] == page + 1) {
            use_entry(t, page, i);
            return true;
        }
    }
    return false;
}

/* Returns the address at which a walk reads the descriptor of @page, @level levels above the last. */
static uint64_t descriptor_at(uint64_t page, uint32_t level, uint32_t bits)
{
    return (UINT64_C(1) << 63) + ((uint64_t)level << 56) + 8 * (level * bits < 64 ? page >> level * bits : 0);
}

/* Returns the descriptors that the caller gave for a walk of @page, which is then over; NULL if it gave none. */
static const struct apmu_core_walk *take_given(struct apmu_core *core, uint64_t page)
{
    for (unsigned i = 0; i < 2; i++) {
        if (core->given[i].page == page + 1) {
            core->given[i].page = 0;
            return &core->given[i];
        }
    }
    return NULL;
}

/* Reads a descriptor. */
static void take_step(struct apmu_core *core, uint64_t address, unsigned side, struct apmu_core_answer *answer)
{
    core->tally.steps[side]++;
    apmu_core_read_below(core, APMU_CORE_LEVEL_L2, address, APMU_CORE_CAUSE_LOAD, answer);
}

/* Walks the tables.  Returns the cycles. */
static uint32_t walk(struct apmu_core *core, const struct apmu_core_pages *t, uint64_t page, unsigned side)
{
    const uint32_t bits = t->shift - 3; /* of the index into a table */
    const uint64_t table = page >> bits;
    const bool known = core->walks.there && apmu_core_use(&core->walks, table) != NULL;
    const struct apmu_core_walk *given = take_given(core, page);
    struct apmu_core_answer answer = {0, 0, APMU_CORE_LEVEL_L1D};

    if (given != NULL) {
        for (uint64_t i = known ? given->count - given->tail : 0; i < given->count; i++) {
            take_step(core, given->at[i], side, &answer);
        }
    } else {
        for (uint32_t level = known ? 1 : apmu_core_value(core, APMU_CORE_KEY_WALK_LEVELS); level-- > 0;) {
            take_step(core, descriptor_at(page, level, bits), side, &answer);
        }
    }
    if (core->walks.there && !known) {
        apmu_core_add(&core->walks, table, 0);
    }
    core->tally.walk_cycles[side] += answer.cache;
    return answer.cache;
}

bool apmu_core_has_page(struct apmu_core_pages *t, uint64_t page)
{
    const uint64_t *slot = APMU_CORE_SEEN(uint64_t, t, t->slots) + 2 * (page & (APMU_CORE_SLOTS - 1));

    if (slot[0] == page + 1) {
        use_entry(t, page, (uint32_t)slot[1]);
        return true;
    }
    return hit_entry(t, page);
}

uint32_t apmu_core_translate_below(struct apmu_core *core, const struct apmu_core_pages *t, uint64_t page,
                                   enum apmu_core_cause cause)
{
    uint32_t cycles = 0;
    bool known = false;

    core->tally.tlb_miss[cause]++;
    if (core->tlb2.there) {
        core->tally.tlb2[cause]++;
        cycles = core->tlb2.latency;
        known = apmu_core_use(&core->tlb2, page) != NULL;
    }
    if (!known) {
        core->tally.tlb2_miss[cause]++;
        cycles += walk(core, t, page, cause == APMU_CORE_CAUSE_FETCH);
        if (core->tlb2.there) {
            apmu_core_add(&core->tlb2, page, 0);
        }
    }
    return cycles;
}

uint32_t apmu_core_translate(struct apmu_core *core, struct apmu_core_pages *t, uint64_t address,
                             enum apmu_core_cause cause)
{
    const uint64_t page = (address + t->distance) >> t->shift;

    if (apmu_core_has_page(t, page)) {
        return 0;
    }
    const uint32_t cycles = apmu_core_translate_below(core, t, page, cause);

    apmu_core_add_page(core, t, page);
    return cycles;
}
