/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A journal: what a thread executed, in order, to be told to its stream later, by another thread if there is one.
 *
 * It has two lists.  Translated code appends the place of each block that it enters to one, and each visit of a line
 * that no short cut answers (apmu_core_visit_late()) to the other.  A visit notes where the list of blocks went on, so
 * the two can be put in order again:
 *
 *     thread:  block A   block B   load that no short cut answers   block C
 *     blocks:  A         B         |                                C
 *     visits:                      `-- line, 2 blocks entered
 *     told:    A entered, B entered, the load's line looked up in L1D, C entered
 *
 * The thread needs nothing of what lies behind its short cuts, so it never waits for an answer.
 */
#ifndef ARMPMU_QEMU_CORE_JOURNAL_H
#define ARMPMU_QEMU_CORE_JOURNAL_H

#include "stream.h"

#define JOURNAL_BLOCKS 1024u
#define JOURNAL_VISITS 512u /* the first one is free, so that a list that goes on at a multiple of its size is full */

/** What the flags of a visit say. */
enum journal_flag {
    JOURNAL_MORE = 1, /**< the next one belongs to the same access */
    JOURNAL_LOAD = 2, /**< no visit: the word is the address of a load's struct stream_access, and its visits follow */
};

/** The lists, each aligned to its size. */
struct journal {
    _Alignas(sizeof(struct apmu_core_visit) * JOURNAL_VISITS) struct apmu_core_visit visit[JOURNAL_VISITS];
    uint32_t block[JOURNAL_BLOCKS]; /**< places of descriptions, in units of STREAM_PLACE */
    uint32_t visits, blocks;        /**< how many are on them, with the free one, when the thread has ended it */
};

/**
 * Takes s->journal, which was ended, to be told behind all that were taken before, and puts another one in its place.
 */
typedef void journal_taker(struct stream *s);

/**
 * Lets @s keep a journal, @room, if its core can (apmu_core_visit_late()).  *@next_block and *@next_visit say where the
 * lists go on.  Who fills the list of blocks, or finds the list of visits full, calls journal_end().  Returns false if
 * it cannot.
 */
bool journal_begin(struct stream *s, struct journal *room, journal_taker *taker, uint32_t **next_block,
                   struct apmu_core_visit **next_visit);

/** Ends the journal in progress and begins another one. */
void journal_end(struct stream *s);

/** Returns whether the journal in progress has anything in it. */
bool journal_has_any(const struct stream *s);

/** Keeps no more journals.  All were told. */
void journal_stop(struct stream *s);

/**
 * Tells the load or store of @size bytes at @address by instruction @index of the block in progress, which no short cut
 * answered.
 */
void journal_load(struct stream *s, uint32_t index, uint64_t address, uint32_t size);
void journal_store(struct stream *s, uint32_t index, uint64_t address, uint32_t size);

/** As stream_access(), and like it for any access. */
void journal_access(struct stream *s, const struct stream_access *a, uint64_t address, uint32_t size, bool store);

/**
 * Holds the visits of @j back.  The blocks of @j are told next, all of them, and visits only before a fetch that sees
 * what lies below L1I: nothing else tells in which order fetches and visits were made, where time is not modelled.
 */
void journal_hold(struct stream *s, const struct journal *j);

/** Tells the visits that were held back and made before instruction @index of the block in progress. */
void journal_tell_held(struct stream *s, uint32_t index);

/** Tells the access of which @visit is the first visit.  Returns the visit behind it. */
const struct apmu_core_visit *journal_tell(struct stream *s, const struct apmu_core_visit *visit);

#endif
