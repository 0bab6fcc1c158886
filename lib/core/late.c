/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lookups of L1D and of what lies below it that are made late.
 *
 * The caller's side has the short cuts for lines and the data TLB.  The other side, which may be another thread, has
 * all else.  A word, a visit, goes from one to the other for each line that a short cut does not answer:
 *
 *     caller: page in TLB? -- stamp, line -> short cut -- word -->  L1D -- miss: L2 ... memory -> fill
 *                    no: take an entry ---- word | far -------->    TLB of the second level, walk, then the same
 *
 * Two lines of a set that take turns, as in a copy from one to the other, make no visits: they swap their short cuts.
 *
 * Where nothing but data is simulated, and no time, many visits are looked up at once.  Else the other side does them
 * one by one, between the fetches and instructions around them.
 */
#include "lines.h"

/* Ends all short cuts of L1D. */
static void forget_all(struct apmu_core_lines *l)
{
    memset(lines_cut(l, 0), 0, (size_t)(l->mask + 1) * l->cut_words * sizeof(uint64_t));
}

bool apmu_core_visit_late(struct apmu_core *core)
{
    struct apmu_core_lines *l = &core->l1d;
    const struct apmu_core_pages *t = &core->dtlb;

    if (!l->filtered || l->through || !l->allocate || l->halves ||
        l->prefetch != APMU_CORE_PREFETCH_NONE || t->distance != 0 || t->shift < l->shift) {
        return false;
    }
    forget_all(l); /* no visit has noted the way of the line that a set used last */
    return true;
}

/* Makes the line that @set used last but one the one used last. */
static void swap_first(struct apmu_core_lines *l, uint64_t set)
{
    uint64_t *words = lines_words(l, set);

    if (l->replacement == APMU_CORE_LRU) {
        lines_move_to_front(words, 1);
        return;
    }
    uint8_t *pair = APMU_CORE_AT(uint8_t, l, l->pairs) + 2 * set;
    const uint8_t way = pair[1];

    pair[1] = pair[0];
    pair[0] = way;
    lines_turn_tree(l, set, way);
}

void apmu_core_visit_now(struct apmu_core *core)
{
    struct apmu_core_lines *l = &core->l1d;

    for (uint64_t set = 0; set <= l->mask; set++) {
        if (lines_cut(l, set)[APMU_CORE_CUT_SWAPPED] != 0) {
            swap_first(l, set);
        }
    }
    forget_all(l);
}

/* Notes that a visit used way @way of @set, if that is needed to swap. */
static APMU_CORE_FOLDED void note_way(struct apmu_core_lines *l, uint64_t set, uint32_t way)
{
    if (l->replacement == APMU_CORE_PLRU) {
        uint8_t *pair = APMU_CORE_AT(uint8_t, l, l->pairs) + 2 * set;

        pair[1] = pair[0] != way ? pair[0] : pair[1];
        pair[0] = (uint8_t)way;
    }
}

/* Makes the short cut of @set its second one, unless it leads to the line that ends at @end. */
static void keep_second(struct apmu_core_lines *l, uint64_t set, uint64_t end)
{
    uint64_t *cut = lines_cut(l, set);

    if (l->seconds && cut[APMU_CORE_CUT_RECENT] != end) {
        memcpy(cut + APMU_CORE_CUT_SECOND, cut, (APMU_CORE_CUT_STORED + 1) * sizeof *cut);
    }
}

/* Makes the line of @word the one that its set used last, with its page if there is a TLB.  Returns the visit. */
static struct apmu_core_visit shorten(struct apmu_core *core, uint64_t word, uint64_t address)
{
    struct apmu_core_lines *l = &core->l1d;
    struct apmu_core_pages *t = &core->dtlb;
    const uint64_t page = address >> t->shift, set = apmu_core_set(l, word >> 4), end = lines_end(l, word >> 4);
    uint64_t *swapped = lines_cut(l, set) + APMU_CORE_CUT_SWAPPED;
    struct apmu_core_visit visit = {word, 0, 0, (uint16_t)(*swapped >> 16)};

    *swapped = 0;
    if (t->there && !apmu_core_has_page(t, page)) {
        apmu_core_add_page(core, t, page); /* it may end short cuts */
        visit.word |= APMU_CORE_VISIT_FAR;
    }
    keep_second(l, set, end);
    if (t->there) {
        lines_note_stamp(core, l, set, t);
        apmu_core_note_line(t, t->used, l, word >> 4);
    }
    lines_make_recent(l, set, end, (word & APMU_CORE_DIRTY) != 0);
    return visit;
}

/* Makes the access of @cause to the @size bytes at @address on the caller's side. */
static uint32_t access_late(struct apmu_core *core, enum apmu_core_cause cause, uint64_t address, uint32_t size,
                            struct apmu_core_visit visits[APMU_CORE_VISITS_MOST])
{
    const struct apmu_core_lines *l = &core->l1d;
    const struct apmu_core_pages *t = &core->dtlb;
    const uint32_t most = size > APMU_CORE_ACCESS_MOST ? APMU_CORE_ACCESS_MOST : size;
    const uint64_t behind = address + (most == 0 ? 1 : most), last = behind - 1 < address ? UINT64_MAX : behind - 1;
    const uint64_t flags = APMU_CORE_VALID | (cause == APMU_CORE_CAUSE_STORE ? APMU_CORE_DIRTY : 0);
    uint64_t line = address >> l->shift, page = address >> t->shift;
    uint32_t count = 0;

    visits[count++] = shorten(core, line << 4 | flags, address);
    while (line++ != last >> l->shift) {
        const uint64_t from = line << l->shift;

        if (t->there && from >> t->shift != page) {
            page = from >> t->shift;
            core->tally.dtlb_more[cause == APMU_CORE_CAUSE_STORE]++;
        }
        core->tally.lookup[APMU_CORE_LEVEL_L1D][cause]++;
        visits[count++] = shorten(core, line << 4 | flags, from);
    }
    return count;
}

uint32_t apmu_core_load_late(struct apmu_core *core, uint64_t address, uint32_t size,
                             struct apmu_core_visit visits[APMU_CORE_VISITS_MOST])
{
    core->tally.loads++;
    return access_late(core, APMU_CORE_CAUSE_LOAD, address, size, visits);
}

uint32_t apmu_core_store_late(struct apmu_core *core, uint64_t address, uint32_t size,
                              struct apmu_core_visit visits[APMU_CORE_VISITS_MOST])
{
    core->tally.stores++;
    return access_late(core, APMU_CORE_CAUSE_STORE, address, size, visits);
}

static enum apmu_core_cause cause_of(uint64_t word)
{
    return (word & APMU_CORE_DIRTY) != 0 ? APMU_CORE_CAUSE_STORE : APMU_CORE_CAUSE_LOAD;
}

/* Looks up the line of @word, which L1D lacks.  Adds the latency to @answer. */
static APMU_CORE_APART void visit_below(struct apmu_core *core, uint64_t word, struct apmu_core_answer *answer)
{
    struct apmu_core_lines *l = &core->l1d;
    const uint64_t line = word >> 4;
    const enum apmu_core_cause cause = cause_of(word);

    core->tally.miss[APMU_CORE_LEVEL_L1D][cause]++;
    apmu_core_read_below(core, APMU_CORE_LEVEL_L2, line << l->shift, cause, answer);
    apmu_core_fill(core, APMU_CORE_LEVEL_L1D, l, line, word & APMU_CORE_DIRTY);
    if (l->replacement == APMU_CORE_PLRU) {
        const uint64_t set = apmu_core_set(l, line);

        note_way(l, set, lines_find(l, lines_words(l, set), line));
    }
}

/* What does not change of an array while its lines are looked up. */
struct constant_lines {
    uint64_t *words;
    uint8_t *hints; /* NULL: there are none */
    uint64_t mask, hint_mask;
    uint32_t fold, ways;
};

static APMU_CORE_FOLDED struct constant_lines constant_of(struct apmu_core_lines *l)
{
    return (struct constant_lines){APMU_CORE_AT(uint64_t, l, l->words),
                                   l->hints != 0 ? APMU_CORE_AT(uint8_t, l, l->hints) : NULL,
                                   l->mask, l->hint_mask, l->fold, l->ways};
}

/* Returns the way of @line among @words, of its set; APMU_CORE_NO_WAY if it is not there. */
static APMU_CORE_FOLDED uint32_t find(const struct constant_lines *c, const uint64_t *words, uint64_t line)
{
    if (c->hints != NULL) {
        const uint32_t hint = c->hints[line & c->hint_mask];

        if (lines_match(words[hint], line)) {
            return hint;
        }
    }
    for (uint32_t way = 0; way < c->ways; way++) {
        if (lines_match(words[way], line)) {
            if (c->hints != NULL) {
                c->hints[line & c->hint_mask] = (uint8_t)way;
            }
            return way;
        }
    }
    return APMU_CORE_NO_WAY;
}

/* What visits look up, and what they count. */
struct visited {
    struct apmu_core *core;
    struct apmu_core_lines *l1, *l2; /* l2: NULL if it is not simulated */
    struct constant_lines first, second;
    uint32_t up, down, page_shift; /* from a word to its line in L2, and to its page */
    uint64_t missed[2]; /* lines of loads and stores that L1D lacked and L2 had */
};

/* Makes way @way of @set the one used last. */
static APMU_CORE_FOLDED void use(struct visited *v, uint64_t set, uint64_t *words, uint32_t way,
                                 enum apmu_core_replacement replacement)
{
    if (replacement == APMU_CORE_LRU) {
        lines_move_to_front(words, way);
    } else if (replacement == APMU_CORE_PLRU) {
        lines_turn_tree(v->l1, set, way);
        note_way(v->l1, set, way);
    }
}

/*
 * Takes the line of @word into @set of L1D, if L2 has it and that is all that happens: no dirty line gives way.
 * Returns false if it did nothing.
 */
static APMU_CORE_FOLDED bool refill(struct visited *v, uint64_t word, uint64_t set, uint64_t *words,
                                    enum apmu_core_replacement replacement)
{
    const uint64_t line = word >> 4, line2 = line << v->up >> v->down;
    const uint64_t set2 = (line2 ^ line2 >> v->second.fold) & v->second.mask;
    uint64_t *words2 = v->second.words + set2 * v->second.ways;
    const uint32_t way2 = find(&v->second, words2, line2);
    uint32_t way = v->first.ways - 1, random = v->l1->random;

    if (way2 == APMU_CORE_NO_WAY || (words2[way2] & APMU_CORE_PREFETCHED) != 0) {
        return false;
    }
    if (replacement != APMU_CORE_LRU || words[way] == 0) {
        way = lines_choose_way(v->l1, set, words, &random);
    }
    if ((words[way] & APMU_CORE_DIRTY) != 0) {
        return false;
    }
    v->l1->random = random;
    if (v->l2->replacement != APMU_CORE_RANDOM) {
        lines_use_way(v->l2, set2, words2, way2);
    }
    v->missed[(word & APMU_CORE_DIRTY) != 0]++;
    words[way] = word;
    if (v->first.hints != NULL) {
        v->first.hints[line & v->first.hint_mask] = (uint8_t)way;
    }
    use(v, set, words, way, replacement);
    return true;
}

/* Looks up the lines of @count words, in a cache with this replacement. */
static APMU_CORE_FOLDED void visit_all(struct visited *v, const struct apmu_core_visit *visits, size_t count,
                                       enum apmu_core_replacement replacement)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t w = visits[i].word & ~APMU_CORE_VISIT_FAR, line = w >> 4;
        const uint64_t set = (line ^ line >> v->first.fold) & v->first.mask;
        uint64_t *words = v->first.words + set * v->first.ways;

        if (replacement != APMU_CORE_RANDOM && (visits[i].flags & APMU_CORE_VISIT_SWAPPED) != 0) {
            swap_first(v->l1, set);
        }
        if (w != visits[i].word) {
            apmu_core_translate_below(v->core, &v->core->dtlb, w >> v->page_shift, cause_of(w));
        }
        const uint32_t way = find(&v->first, words, line);

        if (way != APMU_CORE_NO_WAY) {
            words[way] |= w & APMU_CORE_DIRTY;
            use(v, set, words, way, replacement);
        } else if (v->l2 == NULL || !refill(v, w, set, words, replacement)) {
            struct apmu_core_answer answer = {0, 0, APMU_CORE_LEVEL_L1D};

            visit_below(v->core, w, &answer);
        }
    }
}

void apmu_core_visit(struct apmu_core *core, const struct apmu_core_visit *visits, size_t count)
{
    struct visited v = {.core = core, .l1 = &core->l1d, .l2 = lines_of_l2(core), .up = core->l1d.shift};

    if (count == 0) {
        return;
    }
    v.first = constant_of(v.l1);
    v.second = v.l2 != NULL ? constant_of(v.l2) : v.first;
    v.down = v.l2 != NULL ? v.l2->shift : 0;
    v.page_shift = core->dtlb.shift - v.l1->shift + 4;
    switch (v.l1->replacement) {
    case APMU_CORE_LRU:
        visit_all(&v, visits, count, APMU_CORE_LRU);
        break;
    case APMU_CORE_PLRU:
        visit_all(&v, visits, count, APMU_CORE_PLRU);
        break;
    default:
        visit_all(&v, visits, count, APMU_CORE_RANDOM);
        break;
    }
    core->tally.miss[APMU_CORE_LEVEL_L1D][APMU_CORE_CAUSE_LOAD] += v.missed[0];
    core->tally.miss[APMU_CORE_LEVEL_L1D][APMU_CORE_CAUSE_STORE] += v.missed[1];
    core->tally.lookup[APMU_CORE_LEVEL_L2][APMU_CORE_CAUSE_LOAD] += v.missed[0];
    core->tally.lookup[APMU_CORE_LEVEL_L2][APMU_CORE_CAUSE_STORE] += v.missed[1];
}

/* ---------------------------------------------------------------------------------------------------------------
 * Visits between fetches and instructions.
 */

/* Looks up the line of @visit.  Returns what it took. */
static APMU_CORE_FOLDED struct apmu_core_answer visit_line(struct apmu_core *core, const struct apmu_core_visit *visit)
{
    struct apmu_core_lines *l = &core->l1d;
    uint64_t word = visit->word;
    const uint64_t line = word >> 4, set = apmu_core_set(l, line);
    uint64_t *words = lines_words(l, set);
    struct apmu_core_answer answer = {0, 0, APMU_CORE_LEVEL_L1D};

    if ((visit->flags & APMU_CORE_VISIT_SWAPPED) != 0) {
        swap_first(l, set);
    }
    if ((word & APMU_CORE_VISIT_FAR) != 0) {
        answer.translation = apmu_core_translate_below(
            core, &core->dtlb, line >> (core->dtlb.shift - l->shift), cause_of(word));
        word &= ~APMU_CORE_VISIT_FAR;
    }
    uint32_t way = lines_find(l, words, line);

    if (way == APMU_CORE_NO_WAY) {
        way = lines_refill_simply(core, APMU_CORE_LEVEL_L1D, l, cause_of(word), line, set, &answer);
    }
    if (way != APMU_CORE_NO_WAY) {
        note_way(l, set, way);
        *lines_use_way(l, set, words, way) |= word & APMU_CORE_DIRTY;
    } else {
        visit_below(core, word, &answer);
    }
    return answer;
}

/* Looks up the lines of one access.  Returns the answer of the one that takes longest. */
static APMU_CORE_FOLDED struct apmu_core_answer visit_access(struct apmu_core *core,
                                                             const struct apmu_core_visit *visits, size_t count)
{
    struct apmu_core_answer all = visit_line(core, &visits[0]);

    for (size_t i = 1; i < count; i++) {
        const struct apmu_core_answer one = visit_line(core, &visits[i]);

        if (one.translation + one.cache > all.translation + all.cache) {
            all = one;
        }
    }
    return all;
}

void apmu_core_visit_load(struct apmu_core *core, const struct apmu_core_visit *visits, size_t count, bool after)
{
    const struct apmu_core_answer answer = visit_access(core, visits, count);

    if ((core->parts & APMU_CORE_TIMING) != 0) {
        apmu_core_time_load(core, &answer, after);
    }
}

void apmu_core_visit_store(struct apmu_core *core, const struct apmu_core_visit *visits, size_t count)
{
    const struct apmu_core_answer answer = visit_access(core, visits, count);

    if ((core->parts & APMU_CORE_TIMING) != 0) {
        apmu_core_time_store(core, &answer);
    }
}
