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
    APMU_CORE_AT(uint64_t, t, t->stamps)[i] = apmu_core_stamp(t);
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

/* Returns the number of zeros below the lowest bit that is set in @bits, of which one is. */
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

/* Returns what is noted for an entry, whose words are @noted, as bits side by side.  Nothing is noted then. */
static uint64_t take_noted(uint64_t *noted)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < APMU_CORE_NOTED / 8; i++) {
        bits |= (noted[i] * UINT64_C(0x0102040810204080) >> 56) << 8 * i; /* the bytes of a word are 0 or 1 */
        noted[i] = 0;
    }
    return bits;
}

/*
 * Ends the short cuts at @cut, of a set, that lead to a line in @page, whose size is 1 << @shift.  Which do is hard to
 * predict, so nothing here jumps for it.
 */
static APMU_CORE_FOLDED void forget_cuts(uint64_t *cut, uint32_t words, uint64_t page, uint32_t shift)
{
    for (uint32_t i = 0; i < words; i += APMU_CORE_CUT_SECOND) {
        const uint64_t kept = cut[i] >> shift == page ? 0 : UINT64_MAX;

        cut[i] &= kept;
        if (words == APMU_CORE_CUT_ACCESS) {
            cut[i + APMU_CORE_CUT_STORED] &= kept;
        }
    }
}

/* Ends the short cuts for the lines in the page of entry @i.  @words: of a short cut. */
static APMU_CORE_FOLDED void forget_lines(struct apmu_core_pages *t, struct apmu_core_lines *l, uint64_t i,
                                          uint32_t words)
{
    const uint64_t page = APMU_CORE_AT(uint64_t, t, t->entries)[i] - 1, mask = l->mask;
    const uint32_t shift = apmu_core_noted_shift(t, l), lines = t->shift > l->shift ? t->shift - l->shift : 0;
    const uint32_t fold = l->fold, page_shift = t->shift;
    const uint64_t first = (page << page_shift >> l->shift) & ~((UINT64_C(1) << lines) - 1);
    uint64_t bits = take_noted(APMU_CORE_AT(uint64_t, t, t->noted) + i * APMU_CORE_NOTED / 8);
    uint64_t *cuts = lines_cut(l, 0);

    for (; bits != 0; bits &= bits - 1) {
        const uint64_t line = first + ((uint64_t)zeros_below(bits) << shift);

        for (uint64_t n = line; n >> shift == line >> shift; n++) {
            forget_cuts(cuts + ((n ^ n >> fold) & mask) * words, words, page, page_shift);
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
    if (t == &core->dtlb) {
        forget_lines(t, &core->l1d, i, APMU_CORE_CUT_ACCESS);
    } else {
        forget_lines(t, &core->l1i, i, APMU_CORE_CUT_FETCH);
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
