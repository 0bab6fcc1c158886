/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells a core of the core model (<armpmu/core.h>) what a vCPU of an emulator executes.
 *
 * An emulator translates code in blocks and knows when it enters one, and what it loads and stores.  A core wants
 * fetches, instructions, accesses and branches in program order.  This is what lies between:
 *
 *     when a block is translated                      when it is executed
 *     --------------------------                      -------------------
 *     stream_describe()  -> struct stream_block  ---> stream_enter(s, block, pc)     ends the block before
 *     stream_access_of() -> struct stream_access ---> stream_access(s, access, address, size, store)
 *                                                     stream_interrupt(s, pc, true)  an exception, not a branch
 *                                                     stream_flush(s)                the thread ends
 *
 * What the core is told depends on the program alone, and not on where the emulator cuts blocks:
 *   - A fetch is told for the bytes of an instruction that are in another line of L1I than the byte fetched last, and
 *     for each instruction behind a taken branch or an exception.
 *   - An instruction is told after its fetch and before its accesses.  Instructions are told late: with the next access
 *     or fetch, or at the end of their block.  So the core lags at most a block behind.
 *   - An access is what one instruction loads or stores: a pair, a structure, or the registers of an LDM are one
 *     access, even if the emulator makes several.  An instruction that reads and writes memory is a load and a store.
 *     Accesses whose size an encoding does not give (SVE, SME, memory copies) are told as the emulator makes them.
 *   - A branch is told when the next block is entered: then it is known whether it was taken, and where it led.  A
 *     branch to the next instruction counts as taken.
 *   - An access that faults is not told, nor is what its block would have executed behind it.
 *
 * An emulator that wants to know what each instruction made the core count gives the stream a watcher, and each
 * instruction of its blocks a ticket.  Then instructions are told one at a time, and the watcher is called after each
 * call of the core.
 *
 * The description of a block is memory of the emulator, which lasts as long as the block may be executed.  A stream
 * belongs to one thread at a time.  Where cores of a chip share levels of cache, the streams of the chip share a lock,
 * which is taken for accesses that the model cannot answer at once.
 */
#ifndef ARMPMU_QEMU_CORE_STREAM_H
#define ARMPMU_QEMU_CORE_STREAM_H

#include <stdio.h>

#include <armpmu/core_near.h>

/* ---------------------------------------------------------------------------------------------------------------
 * What is known when a block is translated.
 */

/** Instruction sets. */
enum stream_isa { STREAM_A64, STREAM_A32, STREAM_T32 };

/** An instruction of a block.  Traits are those of qemu/classify/traits.h. */
struct stream_insn {
    uint64_t traits;
    uint64_t address; /**< of its first byte, as L1I sees it */
    uint32_t word;    /**< 32-bit T32 has its first halfword on top */
    uint8_t bytes;
};

/** The instructions of a block. */
struct stream_code {
    enum stream_isa isa;
    uint32_t line_shift; /**< log2 of the size of a line of L1I */
    const struct stream_insn *insns;
    size_t count; /**< from 1 */
};

/** Bytes of an instruction that are in another line than the byte before them. */
struct stream_line {
    uint64_t address;
    uint32_t index; /**< of the instruction in its block */
    uint32_t size;
};

#define STREAM_NO_BRANCH 255
#define STREAM_COPIES    4 /* the most copies of registers between two loads that are followed */

/** What instructions that do not load do to registers that were loaded. */
struct stream_moves {
    uint32_t written; /**< registers that they write, a set */
    uint32_t copied;  /**< registers that they copy, a set */
    struct {
        uint8_t from, to;
    } copy[STREAM_COPIES]; /**< registers that they copy, all at once; from == to ends the list */
};

/** Fills *@moves for instructions @from to @to - 1 of @code. */
void stream_moves_of(const struct stream_code *code, size_t from, size_t to, struct stream_moves *moves);

/** What an instruction does to memory, as bits of a set. */
enum stream_does { STREAM_LOADS = 1, STREAM_STORES = 2 };

/** How an instruction accesses memory. */
struct stream_access {
    uint16_t index; /**< of the instruction in its block */
    uint16_t size;  /**< the bytes of the whole access; 0: they are known only when the emulator makes it */
    uint8_t does;   /**< enum stream_does; 0: it accesses nothing */
    uint8_t parts;  /**< the emulator may split the access in several: wait for all of them */
    uint32_t from;  /**< A64: the registers of a load's address, a set; the stack pointer is left out */
    uint32_t into;  /**< A64: general-purpose registers that it loads, a set */
    struct stream_moves moves; /**< between the load before it in its block, or the block's begin, and it */
};

/**
 * The description of a block.  It has no addresses of the program's but those of lines, so it also serves emulators
 * whose blocks do not depend on the pc.
 */
struct stream_block {
    uint64_t address; /**< of its first instruction, as L1I sees it */
    uint64_t end;     /**< the address behind its last instruction */
    uint64_t target;  /**< of a direct branch, as L1I sees it; else UINT64_MAX, which no block begins at */
    int32_t reach;    /**< of a direct branch: its target less the pc of the block */
    uint32_t bytes;   /**< of all its instructions */
    uint16_t insns;   /**< that retire: not a last one that raises an exception and returns to itself */
    uint8_t kind;     /**< of the branch at its end, as apmu_core_branch() takes it; STREAM_NO_BRANCH */
    uint8_t direct;   /**< 1: the branch's target is in the instruction */
    uint8_t skips;    /**< 1: the branch is direct and has a condition */
    uint8_t anywhere; /**< 1: the branch's target is not in the instruction */
    uint8_t last;     /**< the bytes of the last instruction */
    uint8_t first;    /**< the bytes of the first one that are in its first line */
    uint8_t fixed;    /**< the bytes of each instruction; 0: they differ */
    uint32_t line_count;
    uint32_t load_count;  /**< loads that stream_add_loads() added */
    uint32_t loads_place; /**< where they are, in bytes from the begin of this structure */
    uint32_t memo_place;  /**< where a struct stream_memo of theirs is */
    uint32_t tickets_place; /**< where the tickets of its instructions are, uint32_t each, if the stream is watched */
    struct stream_moves moves; /**< behind its last load */
    struct stream_line lines[];
};

/** Returns the bytes that the description of a block of @count instructions may take. */
static inline size_t stream_room(size_t count)
{
    return sizeof(struct stream_block) + 2 * count * sizeof(struct stream_line);
}

/** Describes the block of @code in *@block, which has stream_room() bytes.  Returns the bytes that it took. */
size_t stream_describe(const struct stream_code *code, struct stream_block *block);

/** Fills *@access for instruction @index of @code.  Returns false if it accesses no memory. */
bool stream_access_of(const struct stream_code *code, size_t index, struct stream_access *access);

/**
 * What the loads of a block did the last time that all of them were told: this follows from the registers alone.  Where
 * more than one core is in use, threads share it: then the first one writes it, and it stays as it is.
 */
struct stream_memo {
    uint32_t before[3], behind[3]; /**< struct stream.loaded */
    uint64_t after;                /**< loads that depend on loads before them, a set */
    uint64_t known;                /**< one of enum stream_memo_known */
};

enum stream_memo_known {
    STREAM_MEMO_UNKNOWN, /**< they were not told yet */
    STREAM_MEMO_WRITTEN, /**< a thread is writing it */
    STREAM_MEMO_KNOWN,
};

#define STREAM_LOADS_MOST 64 /* the most loads of a block that stream_add_loads() takes */

/**
 * Returns whether the loads of instruction @index of @code may be told with their block, when stream_add_loads() added
 * them: if it is executed it loads once, so it either faults, or was answered at once, or is told by
 * stream_load_late().
 */
bool stream_loads_surely(const struct stream_code *code, size_t index);

/**
 * Adds to @block, which takes *@size bytes of @room, the loads of @code for which stream_loads_surely() is true.
 * *@size becomes the bytes that it takes then; behind these it needs a struct stream_memo of zeros.  Returns false, and
 * adds nothing, if there are too many.
 */
bool stream_add_loads(const struct stream_code *code, struct stream_block *block, size_t *size, size_t room);

/* ---------------------------------------------------------------------------------------------------------------
 * What happens when it is executed.
 */

/** What the streams of a chip have in common. */
struct stream_shared {
    uint32_t lock;   /**< 1: taken */
    bool locks;      /**< take it: more than one core is in use */
    bool branches;   /**< tell branches: a part or an event needs them */
    FILE *trace;     /**< where calls are recorded (trace.h), or NULL */
};

/** What the core was told last, for a watcher. */
enum stream_told {
    STREAM_TOLD_INSTRUCTION,
    STREAM_TOLD_LOAD, /**< one that is answered at once: it changes nothing but the number of loads */
    STREAM_TOLD_STORE,
    STREAM_TOLD_FETCH,
    STREAM_TOLD_BRANCH,
    STREAM_TOLD_OTHER /**< an access that may have changed anything */
};
struct stream;
/** Is called after each call of the core; its ticket is in core->blame.ticket. */
typedef void stream_watcher(struct stream *s, enum stream_told told);

/**
 * Replays s->batch, which was ended, behind all that were given before.  With @all that was done when it returns;
 * otherwise it may leave it to another thread, and changes s->batch to other room.
 */
typedef void stream_teller(struct stream *s, bool all);

/** What one vCPU executes.  All members are internal to this folder. */
struct stream {
    struct apmu_core *core; /* NULL: nothing is told */
    struct stream_shared *shared;
    uint32_t parts;                   /* those of the core, or 0 */
    uint32_t number;                  /* of the core in its chip */
    const struct stream_block *block; /* the block in progress, or the one whose branch is open; NULL: neither */
    uint64_t pc;        /* of the block */
    uint64_t line;      /* the line fetched last; STREAM_NO_LINE */
    uint32_t done;      /* instructions of the block that were told */
    uint32_t line_next; /* the instruction of the block at which another line begins; UINT32_MAX: none is left */
    uint32_t line_at;   /* its number in block->lines */
    uint32_t load_next; /* the instruction of the block whose load is told next; UINT32_MAX: none is left */
    uint32_t load_at;   /* its number in the loads of the block */
    uint32_t line_shift;
    uint32_t loaded[3]; /* registers whose value was loaded, from an address that was loaded, and so on */
    stream_watcher *watcher; /* NULL: there is none */
    const uint64_t *context; /* the lower half becomes the upper one of tickets; NULL: 0 */
    bool odd;           /* there is no core, calls are recorded, or the stream is watched */
    bool branches;      /* tell branches */
    bool plain;         /* calls are not recorded, and the TLBs see the addresses of the caches */
    bool fetches;       /* tell fetches */
    bool apart;         /* accesses depend on no fetch, no time and no watcher: nothing is told before them */
    bool late;          /* see stream_tell_late() */
    struct apmu_core_batch *batch; /* what is told late */
    stream_teller *teller;         /* NULL: this thread replays it */
    struct apmu_core_batch room;
    struct journal *journal; /* journal.h; NULL: none is kept */
    const struct apmu_core_visit *held; /* see journal_hold(): the first visit that was not told, */
    const struct apmu_core_visit *held_end; /* the end of its list, */
    uint32_t list;    /* the lower half of the address of the list of blocks, */
    uint32_t entered; /* and how many blocks of it were entered */
    void (*taker)(struct stream *s);
    uint32_t **next_block;
    struct apmu_core_visit **next_visit;
    struct { /* where a journal is kept, of the thread that keeps it, else of the one that tells */
        uint64_t first, next;               /* the access so far, and where it goes on */
        const void *access; /* which one it is; NULL: none is incomplete */
        bool store;
    } split;
};

#define STREAM_NO_LINE UINT64_MAX

/** Makes @s a stream that tells @core, core @number of its chip; NULL: it tells nobody.  It has entered no block. */
void stream_init(struct stream *s, struct apmu_core *core, unsigned number, struct stream_shared *shared);

/**
 * Has @watcher called for @s from now on.  The upper half of a ticket is then the lower one of *@context as it was at
 * the call, or 0 if @context is NULL.  Call it before stream_tell_late(), if at all.
 */
void stream_watch(struct stream *s, stream_watcher *watcher, const uint64_t *context);

/**
 * Lets @s tell branches late, many at a time, and lets time pass then, unless the stream is watched or calls are
 * recorded.  Call stream_tell_batch() then before counts are read.
 */
void stream_tell_late(struct stream *s);

/** Lets @teller replay the batches of @s, if it tells late.  @room: for the first one. */
void stream_tell_by(struct stream *s, stream_teller *teller, struct apmu_core_batch *room);

/** Tells what was not told yet.  Without @all the teller may do it later. */
void stream_tell_batch(struct stream *s, bool all);

/** Tells the batch if there is no room for the next access that takes time. */
static inline void stream_make_room(struct stream *s)
{
    if (s->core->notes.count == APMU_CORE_NOTES) {
        stream_tell_batch(s, false);
    }
}

/* stream.c and late.c: the parts that are not answered at once.  @index: of the instruction in its block. */
void stream_load_slow(struct stream *s, uint32_t index, uint64_t address, uint32_t size, bool after);
void stream_store_slow(struct stream *s, uint32_t index, uint64_t address, uint32_t size);
void stream_fetch_slow(struct stream *s, uint32_t index, uint64_t address, uint32_t size);
void stream_instructions_slow(struct stream *s, uint32_t index, uint32_t n);
void stream_branch_slow(struct stream *s, unsigned kind, uint64_t pc, uint64_t target, bool taken);
void stream_reach_lines(struct stream *s, uint32_t count);
void stream_reach_loads(struct stream *s, uint32_t count);
void stream_leave_slow(struct stream *s, uint64_t next, bool partway);

/** Notes that @block is in progress, of which the first line was fetched. */
void stream_begin(struct stream *s, const struct stream_block *block);

/**
 * Tells the loads of @block, which is complete, if they do what they did the last time and none depends on another one.
 * Returns false if it did nothing.
 */
bool stream_repeat_block(struct stream *s, const struct stream_block *block);

static inline const struct stream_access *stream_loads_of(const struct stream_block *block)
{
    return APMU_CORE_SEEN(struct stream_access, block, block->loads_place);
}

/* depend.c: which registers were loaded. */
void stream_move_slow(struct stream *s, const struct stream_moves *moves);

static inline void stream_move(struct stream *s, const struct stream_moves *moves)
{
    if ((s->loaded[0] & (moves->written | moves->copied)) != 0) {
        stream_move_slow(s, moves);
    }
}

/** Tells a fetch of @size bytes at @address, of instruction @index of the block. */
static inline void stream_fetch(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    if (s->odd || (!apmu_core_fetch_fast(s->core, address, size) && !apmu_core_fetch_near(s->core, address, size))) {
        stream_fetch_slow(s, index, address, size);
    }
    s->line = (address + size - 1) >> s->line_shift;
}

/** Tells that the first @count instructions of the block have retired, but not their loads. */
static inline void stream_reach_but_loads(struct stream *s, uint32_t count)
{
    if (s->line_next < count) {
        stream_reach_lines(s, count);
    }
    if (s->done < count) {
        if (s->odd) {
            stream_instructions_slow(s, s->done, count - s->done);
        } else {
            apmu_core_instructions(s->core, count - s->done);
        }
        s->done = count;
    }
}

/** Tells that the first @count instructions of the block have retired, or are about to access memory. */
static inline void stream_reach(struct stream *s, uint32_t count)
{
    if (s->load_next < count) {
        stream_reach_loads(s, count);
    }
    stream_reach_but_loads(s, count);
}

/** Returns the target of the direct branch at the end of the block in progress. */
static inline uint64_t stream_target(const struct stream *s)
{
    return s->pc + (uint64_t)(int64_t)s->block->reach;
}

/** Tells a branch, or notes it to be told late. */
static inline void stream_branch(struct stream *s, unsigned kind, uint64_t pc, uint64_t target, bool taken)
{
    if (s->late) {
        apmu_core_add_branch(s->core, s->batch, kind, pc, target, taken);
        if (s->batch->branches == APMU_CORE_BATCH) {
            stream_tell_batch(s, false);
        }
    } else if (s->odd) {
        stream_branch_slow(s, kind, pc, target, taken);
    } else {
        apmu_core_branch(s->core, kind, pc, target, taken);
    }
}

/** Forgets the parts of an access that the emulator splits, at the end of a block.  A journal has no part of one. */
static inline void stream_end_split(struct stream *s)
{
    if (s->journal == NULL) {
        s->split.access = NULL;
    }
}

/** Leaves the block in progress by its branch, if that can lead to @next.  Returns false if it cannot. */
static inline bool stream_leave(struct stream *s, uint64_t next)
{
    const struct stream_block *b = s->block;
    const uint64_t end = s->pc + b->bytes, target = b->direct ? stream_target(s) : next;
    const bool skips = (b->kind & APMU_CORE_CONDITIONAL) != 0 && next == end && (!b->direct || target != end);

    if (b->kind == STREAM_NO_BRANCH || (next != target && !skips)) {
        return false;
    }
    stream_reach(s, b->insns);
    if ((s->parts & APMU_CORE_TIMING) != 0) {
        stream_move(s, &b->moves);
    }
    if (s->branches) {
        stream_branch(s, b->kind, end - b->last, target, !skips);
    }
    s->line = skips ? s->line : STREAM_NO_LINE;
    stream_end_split(s);
    return true;
}

/** Enters @block at @pc.  The block before it is complete, and its branch led here or was skipped. */
static inline void stream_enter(struct stream *s, const struct stream_block *block, uint64_t pc)
{
    if (s->block != NULL && !stream_leave(s, pc)) {
        stream_leave_slow(s, pc, false);
    }
    s->entered++;
    s->block = block;
    s->pc = pc;
    s->done = 0;
    s->line_at = 0;
    s->line_next = UINT32_MAX;
    s->load_at = 0;
    s->load_next = block->load_count != 0 ? stream_loads_of(block)[0].index : UINT32_MAX;
    if (!s->fetches) {
        return;
    }
    if (block->line_count != 0) {
        s->line_next = block->lines[0].index;
    }
    if (block->address >> s->line_shift != s->line) {
        if (s->plain && apmu_core_fetch_recent(s->core, block->address)) {
            s->line = block->address >> s->line_shift;
        } else {
            stream_fetch(s, 0, block->address, block->first);
        }
    }
}

#define STREAM_PLACE 8u /* the unit of places of descriptions, in bytes */

/** Returns one of 64 bits, chosen by the address. */
static inline uint64_t stream_address_bit(uint64_t address)
{
    return UINT64_C(1) << ((address >> 2 ^ address >> 8 ^ address >> 14) & 63);
}

/**
 * Enters the blocks from @from to @to, places from @blocks on, each at its address, as long as each follows from the
 * branch of the one before it.  An indirect branch leads anywhere but to an address whose stream_address_bit() is in
 * @handlers.  Returns the first one that was not entered.  What it does stream_enter() does, too, for all blocks; this
 * is quicker.
 */
const uint32_t *stream_enter_many(struct stream *s, const uint32_t *from, const uint32_t *to, const char *blocks,
                                  uint64_t handlers);

/** Tells what lies before the access of instruction @index, where that matters to fetches, time or a watcher. */
static inline void stream_reach_access(struct stream *s, uint32_t index)
{
    if (s->line_next <= index || (s->parts & APMU_CORE_TIMING) != 0 || s->watcher != NULL) {
        stream_reach(s, index + 1);
    }
}

/**
 * Tells a load of @size bytes at @address by instruction @index.  What is answered at once changes nothing that a fetch
 * or an instruction sees, so what lies before it is told later.
 */
static inline void stream_load(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    if (s->odd || !apmu_core_load_fast(s->core, address, size)) {
        stream_reach_access(s, index);
        stream_load_slow(s, index, address, size, false);
    }
}

/** Notes the load @a.  Returns whether its address depends on loads before it (depend.c). */
static inline bool stream_depends(struct stream *s, const struct stream_access *a)
{
    stream_move(s, &a->moves);
    const bool depth1 = (s->loaded[0] & a->from) != 0, depth2 = (s->loaded[1] & a->from) != 0;
    const bool depth3 = (s->loaded[2] & a->from) != 0;

    s->loaded[0] |= a->into;
    s->loaded[1] = (s->loaded[1] & ~a->into) | (depth1 ? a->into : 0);
    s->loaded[2] = (s->loaded[2] & ~a->into) | (depth2 ? a->into : 0);
    return depth3;
}

/**
 * Tells what lies before the load of instruction @index.  Where time is simulated, also notes that load.  Returns
 * whether its address depends on loads before it.
 */
bool stream_reach_load(struct stream *s, uint32_t index);

/** Tells a load likewise that is not answered at once. */
void stream_load_late(struct stream *s, uint32_t index, uint64_t address, uint32_t size);

/** Tells a store likewise. */
static inline void stream_store_late(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    stream_reach_access(s, index);
    stream_store_slow(s, index, address, size);
}

/**
 * Tells a load of @size bytes at @address if nothing has to be told before it, and no lock to be taken.  Returns false
 * if it did nothing.
 */
static inline bool stream_load_apart(struct stream *s, uint64_t address, uint32_t size)
{
    if (!s->apart || s->shared->locks) {
        return false;
    }
    apmu_core_load_slow(s->core, address, size);
    return true;
}

/** Tells a store likewise. */
static inline bool stream_store_apart(struct stream *s, uint64_t address, uint32_t size)
{
    if (!s->apart || s->shared->locks) {
        return false;
    }
    apmu_core_store_slow(s->core, address, size);
    return true;
}

/** Tells a store likewise. */
static inline void stream_store(struct stream *s, uint32_t index, uint64_t address, uint32_t size)
{
    if (s->odd || !apmu_core_store_fast(s->core, address, size)) {
        stream_reach_access(s, index);
        stream_store_slow(s, index, address, size);
    }
}

/** Tells a load by @a that may depend on a load before it.  Only time cares. */
static inline void stream_load_depending(struct stream *s, const struct stream_access *a, uint64_t address,
                                         uint32_t size)
{
    if (s->load_next < a->index) {
        stream_reach_loads(s, a->index);
    }
    const bool after = stream_depends(s, a);

    if (after || s->odd || !apmu_core_load_fast(s->core, address, size)) {
        stream_reach(s, a->index + 1u);
        stream_load_slow(s, a->index, address, size, after);
    }
}

/** Returns whether stream_access() may be replaced by stream_load() or stream_store(), with the size in @a. */
static inline bool stream_is_plain(const struct stream_access *a, uint32_t parts)
{
    return a->size != 0 && !a->parts && a->does != (STREAM_LOADS | STREAM_STORES) &&
           (a->does != STREAM_LOADS || (parts & APMU_CORE_TIMING) == 0);
}

/**
 * Returns what the part of an access by @a completes, of *@size bytes at *@address: a set of enum stream_does, empty if
 * other parts follow.  *@address and *@size become those of the whole access.
 */
uint32_t stream_makes(struct stream *s, const struct stream_access *a, uint64_t *address, uint32_t *size, bool store);

/**
 * Tells what the emulator reports of the instruction @a: that it loaded or, with @store, stored @size bytes at
 * @address.  An access that reads and writes at once is a store.  Accesses of one instruction come in ascending order.
 */
void stream_access(struct stream *s, const struct stream_access *a, uint64_t address, uint32_t size, bool store);

/**
 * Ends the block in progress because of an exception that returns to @pc.  With @partway the exception is known to come
 * from an instruction of the block, at @pc; otherwise the block was complete, if that is possible.
 */
void stream_interrupt(struct stream *s, uint64_t pc, bool partway);

/**
 * Ends the block in progress before instruction @index: the emulator leaves it there.  If it then goes on there, it
 * enters another block.
 */
void stream_stop(struct stream *s, uint32_t index);

/** A block that was completed, whose branch is open because a signal came. */
struct stream_aside {
    const struct stream_block *block; /**< NULL: no branch is open */
    uint64_t pc;
};

/** Puts the open branch aside.  Call it where a signal's handler begins, if it is unknown where that returns to. */
struct stream_aside stream_put_aside(struct stream *s);

/** Takes an open branch up again, when the handler returns: the next block that is entered tells where it led. */
void stream_take_up(struct stream *s, const struct stream_aside *aside);

/** Returns whether the block in progress may lead to @pc by itself: if not, a block there is entered by a signal. */
bool stream_may_lead_to(const struct stream *s, uint64_t pc);

/** Tells the rest of the block in progress, which is complete.  A branch that is open is not told. */
void stream_flush(struct stream *s);

#endif
