/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of lib/core share. */
#ifndef ARMPMU_CORE_INTERNAL_H
#define ARMPMU_CORE_INTERNAL_H

#include <string.h>

#include <armpmu/core_near.h>

/* Hides what several files share from the users of the shared library. */
#if defined(__GNUC__)
#define APMU_CORE_HIDDEN __attribute__((visibility("hidden")))
#else
#define APMU_CORE_HIDDEN
#endif

/* Inlines a function even where it is called several times, each with other constants. */
#if defined(__GNUC__)
#define APMU_CORE_FOLDED inline __attribute__((always_inline))
#else
#define APMU_CORE_FOLDED inline
#endif

/* Keeps a function out of its callers, which are quicker without it. */
#if defined(__GNUC__)
#define APMU_CORE_APART __attribute__((noinline))
#else
#define APMU_CORE_APART
#endif

/* The most bytes of state for each core, and the most cores of a chip. */
#define APMU_CORE_MOST  (UINT64_C(8) << 20)
#define APMU_CHIP_CORES 1024u

/* Where an access was served, and after how long. */
struct apmu_core_answer {
    uint32_t translation, cache; /* cycles; cache: 0 for a hit in the first level */
    enum apmu_core_level level;  /* that had the line */
};

/* A cell of the stride prefetcher. */
struct apmu_core_stride {
    uint64_t page; /* page + 1; 0: free */
    uint64_t line;
    int64_t distance;
};
#define APMU_CORE_STRIDES 16u

static inline uint32_t apmu_core_value(const struct apmu_core *core, enum apmu_core_key key)
{
    return core->row.value[key];
}

/* Returns the chip of @core. */
static inline struct apmu_chip *apmu_core_chip(struct apmu_core *core)
{
    return APMU_CORE_AT(struct apmu_chip, core, core->chip);
}

/* Returns the logarithm of a power of two. */
static inline uint32_t apmu_core_log2(uint64_t power)
{
    uint32_t n = 0;

    while (power > 1) {
        power >>= 1;
        n++;
    }
    return n;
}

/* Returns a number below @n from the generator @state, which moves on. */
static inline uint32_t apmu_core_random(uint32_t *state, uint32_t n)
{
    uint32_t x = *state;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return (uint32_t)((uint64_t)x * n >> 32);
}

/* chip.c: Returns the bytes of a chip with one core of @row and all parts. */
APMU_CORE_HIDDEN uint64_t apmu_core_bytes(const struct apmu_core_row *row);

/* check.c: Copies @row, whose size was checked. */
APMU_CORE_HIDDEN void apmu_core_row_take(struct apmu_core_row *known, const struct apmu_core_row *row);

/* events.c: Returns the whole cycles that have passed. */
APMU_CORE_HIDDEN uint64_t apmu_core_cycles(const struct apmu_core *core);

/* ---------------------------------------------------------------------------------------------------------------
 * lines.c: set-associative arrays (lines.h).
 */

/* Returns whether the array has @line. */
APMU_CORE_HIDDEN bool apmu_core_has(const struct apmu_core_lines *l, uint64_t line);

/* Forgets lines whose numbers agree with @line in the bits of @mask; with 0, all lines and the order of their use. */
APMU_CORE_HIDDEN void apmu_core_drop(struct apmu_core_lines *l, uint64_t line, uint64_t mask);

/* ---------------------------------------------------------------------------------------------------------------
 * below.c: what lies below the first level.
 */

/* Reads the line at @address from @level on.  Adds the latency to @answer and stores the level that had the line. */
APMU_CORE_HIDDEN void apmu_core_read_below(struct apmu_core *core, enum apmu_core_level level, uint64_t address,
                                           enum apmu_core_cause cause, struct apmu_core_answer *answer);

/* Writes to the line at @address, from @level on. */
APMU_CORE_HIDDEN void apmu_core_write_below(struct apmu_core *core, enum apmu_core_level level, uint64_t address);

/* Adds a line to @level, which @l is, and writes the line that gives way to the level below. */
APMU_CORE_HIDDEN void apmu_core_fill(struct apmu_core *core, enum apmu_core_level level, struct apmu_core_lines *l,
                                     uint64_t line, uint64_t flags);

/* Lets the prefetcher of @level act after a demand access to @line that missed or met a prefetched line. */
APMU_CORE_HIDDEN void apmu_core_prefetch(struct apmu_core *core, enum apmu_core_level level, struct apmu_core_lines *l,
                                         uint64_t line);

/* ---------------------------------------------------------------------------------------------------------------
 * pages.c: translation.
 */

/* Notes that @line, whose page has entry @i of @t, may have a short cut. */
static inline void apmu_core_note_line(struct apmu_core_pages *t, uint64_t i, const struct apmu_core_lines *l,
                                       uint64_t line)
{
    const uint64_t lines = UINT64_C(1) << (t->shift > l->shift ? t->shift - l->shift : 0);
    const uint64_t at = (line & (lines - 1)) >> apmu_core_noted_shift(t, l);

    APMU_CORE_AT(uint64_t, t, t->noted)[(i * APMU_CORE_NOTED + at) / 8] |= UINT64_C(1) << at % 8 * 8;
}

/* Removes the page of entry @i, and what leads to it, from the TLB @t. */
APMU_CORE_HIDDEN void apmu_core_remove_page(struct apmu_core *core, struct apmu_core_pages *t, uint64_t i);

/* Returns whether the TLB @t has @page, which is then the one used last. */
APMU_CORE_HIDDEN bool apmu_core_has_page(struct apmu_core_pages *t, uint64_t page);

/* Puts @page, which it lacks, into the TLB @t, as the one used last. */
APMU_CORE_HIDDEN void apmu_core_add_page(struct apmu_core *core, struct apmu_core_pages *t, uint64_t page);

/* Translates @page by what lies behind the TLB @t, which lacks it.  Returns the cycles. */
APMU_CORE_HIDDEN uint32_t apmu_core_translate_below(struct apmu_core *core, const struct apmu_core_pages *t,
                                                    uint64_t page, enum apmu_core_cause cause);

/* Translates @address by the first TLB @t.  Returns the cycles that it took beyond a hit. */
APMU_CORE_HIDDEN uint32_t apmu_core_translate(struct apmu_core *core, struct apmu_core_pages *t, uint64_t address,
                                              enum apmu_core_cause cause);

/* ---------------------------------------------------------------------------------------------------------------
 * timing.c: the pipeline.
 */

/* Where time is modelled: let the time of an access pass, or note it, or that of a branch of @cost. */
APMU_CORE_HIDDEN void apmu_core_time_load(struct apmu_core *core, const struct apmu_core_answer *answer, bool after);
APMU_CORE_HIDDEN void apmu_core_time_store(struct apmu_core *core, const struct apmu_core_answer *answer);
APMU_CORE_HIDDEN void apmu_core_time_fetch(struct apmu_core *core, const struct apmu_core_answer *answer);
APMU_CORE_HIDDEN void apmu_core_time_branch(struct apmu_core *core, unsigned cost);

/* ---------------------------------------------------------------------------------------------------------------
 * predictor.c, tage.c: branches.
 */

/* Executes @count branches in all but time, and fills in what each costs.  This depends on branches alone. */
APMU_CORE_HIDDEN void apmu_core_predict(struct apmu_core *core, struct apmu_core_outcome *branches, size_t count);

/* Begins the predictor's state. */
APMU_CORE_HIDDEN void apmu_core_predictor_init(struct apmu_core *core);

/* Begins the tagged tables' part of it. */
APMU_CORE_HIDDEN void apmu_core_tage_init(struct apmu_core *core);

/* Moves a saturating counter of 0..@most up or down. */
static inline uint8_t apmu_core_count_to(uint8_t counter, bool up, uint8_t most)
{
    if (up) {
        return counter < most ? (uint8_t)(counter + 1) : most;
    }
    return counter > 0 ? (uint8_t)(counter - 1) : 0;
}

#endif
