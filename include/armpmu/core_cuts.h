/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of lines and pages of the core model, and their short cuts.
 *
 * All of it is internal to <armpmu/core.h>, which includes it: the functions that answer an access at once are inline.
 * Emulators whose translated code answers accesses need to know the short cuts, too (<armpmu/core_near.h>).
 */
#ifndef ARMPMU_CORE_CUTS_H
#define ARMPMU_CORE_CUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/inline.h>

#ifdef __cplusplus
extern "C" {
#endif

#define APMU_CORE_AT(type, object, place)   ((type *)(void *)((char *)(object) + (place)))
#define APMU_CORE_SEEN(type, object, place) ((const type *)(const void *)((const char *)(object) + (place)))

/* Bits of a line's word below its number. */
#define APMU_CORE_VALID      UINT64_C(1)
#define APMU_CORE_PREFETCHED UINT64_C(2)  /* brought by a prefetcher and not used since */
#define APMU_CORE_DIRTY      UINT64_C(12) /* a bit for each half */

/** The words of a short cut.  One of L1I has the first two. */
enum apmu_core_cut {
    APMU_CORE_CUT_RECENT,     /* the address of the last byte of the line used last; 0: using it changes something */
    APMU_CORE_CUT_STAMP,      /* where its page is stamped, in bytes from the start of the core */
    APMU_CORE_CUT_STORED,     /* as APMU_CORE_CUT_RECENT, of a store */
    APMU_CORE_CUT_SWAPPED,    /* APMU_CORE_VISIT_SWAPPED << 16 if the next visit must say so, or 0 */
    APMU_CORE_CUT_SECOND,     /* from here on the first three words for the line used before: apmu_core_visit_late() */
    APMU_CORE_CUT_FETCH = 2,  /* the words of a short cut of L1I */
    APMU_CORE_CUT_ACCESS = 8  /* and of L1D */
};

/** A set-associative array.  Places are offsets in bytes from the start of this structure. */
struct apmu_core_lines {
    uint64_t mask, hint_mask; /* sets - 1; of hints */
    int64_t cuts;    /* a short cut for each set: cut_words words, which enum apmu_core_cut names */
    int64_t pairs;   /* PLRU, for each set: the ways that visits used last and before that, 8 bits each */
    int64_t words;   /* ways words for each set */
    int64_t trees;   /* PLRU: 32 bits for each set */
    int64_t strides; /* the table of the stride prefetcher */
    int64_t hints;   /* in which way a line was found last, at its number & hint_mask; 0: that is not noted */
    uint32_t shift;  /* log2 of the size of a line */
    uint32_t fold;   /* the hash: line >> fold; 63: none */
    uint32_t ways;
    uint32_t random;
    uint32_t latency; /* cycles */
    uint32_t cut_words;
    uint8_t replacement, prefetch, degree, through, allocate, halves, filtered, there;
    uint8_t seconds; /* the line used last but one is there, too, so it may have a short cut */
};

/** A fully associative TLB.  Places as above. */
struct apmu_core_pages {
    int64_t slots;   /* APMU_CORE_SLOTS pairs: page + 1, its entry */
    int64_t entries; /* page + 1; 0: free */
    int64_t stamps;  /* the time of the last use of each entry */
    int64_t noted;   /* for each entry APMU_CORE_NOTED bytes of words, for some lines of its page each: 0 or 1, in which
                        case one of them may have a short cut */
    int64_t sharing; /* for each slot, how many entries have a page that it may lead to */
    uint64_t used, taken; /* the entry used last; entries that are not free */
    uint64_t clock, step; /* the clock, from which stamps are taken, moves on by step */
    uint64_t distance, further; /* of apmu_core_map() */
    uint32_t shift, count, random;
    uint8_t replacement, filtered, there;
};
#define APMU_CORE_SLOTS     256u
#define APMU_CORE_NOTED     64u

/** Returns the set of line number @line. */
APMU_INLINE uint64_t apmu_core_set(const struct apmu_core_lines *l, uint64_t line)
{
    return (line ^ line >> l->fold) & l->mask;
}

/** Returns the halves of its line that an access within it touches, as bits of APMU_CORE_DIRTY. */
APMU_INLINE uint64_t apmu_core_halves(const struct apmu_core_lines *l, uint64_t first, uint64_t last)
{
    const uint64_t half = l->shift - 1;

    if (!l->halves) {
        return APMU_CORE_DIRTY;
    }
    return UINT64_C(4) << (first >> half & 1) | UINT64_C(4) << (last >> half & 1);
}

/** Returns the logarithm of the number of lines of @l in a page that share a bit of apmu_core_pages.noted. */
APMU_INLINE uint32_t apmu_core_noted_shift(const struct apmu_core_pages *t, const struct apmu_core_lines *l)
{
    return t->shift > l->shift + 6 ? t->shift - l->shift - 6 : 0;
}

/** Returns the stamp of a use of an entry of @t. */
APMU_INLINE uint64_t apmu_core_stamp(struct apmu_core_pages *t)
{
    const uint64_t now = t->clock + 1;

    t->clock += t->step;
    return now;
}

/** Returns true if @address is in a page whose entry is known, which it marks as used. */
APMU_INLINE bool apmu_core_page_fast(struct apmu_core_pages *t, uint64_t address)
{
    const uint64_t page = (address + t->distance) >> t->shift;
    const uint64_t *slot = APMU_CORE_SEEN(uint64_t, t, t->slots) + 2 * (page & (APMU_CORE_SLOTS - 1));

    if (slot[0] != page + 1) {
        return false;
    }
    APMU_CORE_AT(uint64_t, t, t->stamps)[slot[1]] = apmu_core_stamp(t);
    return true;
}

/** Returns the short cut of @set. */
APMU_INLINE const uint64_t *apmu_core_cut(const struct apmu_core_lines *l, uint64_t set)
{
    return APMU_CORE_SEEN(uint64_t, l, l->cuts) + set * l->cut_words;
}

/** Returns the address of the last byte of the line that has the byte at @address. */
APMU_INLINE uint64_t apmu_core_line_end(const struct apmu_core_lines *l, uint64_t address)
{
    return address | ((UINT64_C(1) << l->shift) - 1);
}

/** Returns true if all @size bytes at @address are in the line that its set used last, and using it changes nothing. */
APMU_INLINE bool apmu_core_line_fast(const struct apmu_core_lines *l, uint64_t address, uint32_t size, bool store)
{
    const uint64_t line = address >> l->shift, last = address + size - 1;

    return last >> l->shift == line && size != 0 &&
           apmu_core_cut(l, apmu_core_set(l, line))[store ? APMU_CORE_CUT_STORED : APMU_CORE_CUT_RECENT] ==
               apmu_core_line_end(l, last);
}

#ifdef __cplusplus
}
#endif
#endif
