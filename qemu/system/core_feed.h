/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The feed: what a vCPU executes, told to a core of the core model (<armpmu/core.h>), whose events the PMU then counts.
 *
 *    translation: core_code.c       execution: core_feed.c                 model
 *    ------------------------       ----------------------                 -----
 *    a block's description    --->  armpmu_core_enter()    \  stream.h
 *    an access's description  --->  armpmu_core_access()   /  --------->   caches, TLBs, predictor, time
 *                                   core_space.c: where it is physically, and in which address space
 *                                   core_feed_take()       <----------     events since the last flush
 *
 * Nothing of this is done while no counter counts an event of the model: the plan of translated code (column_plan.h)
 * says whether blocks and accesses call.  What is simulated follows from the events that enabled counters ask for,
 * whether their filters let them count now or not: caches hold what the kernel used, too, when user events are counted.
 *
 * An access is told before it is made, if it will not fault.  So if it overflows a counter, the vCPU leaves translated
 * code there, and takes the interrupt before the instruction; when it executes the instruction at last, the access is
 * not told again.
 *
 * QEMU makes some accesses in functions of its own: those of SVE and SME, DC ZVA, and memory copies and sets.  edit.py
 * has these functions call armpmu_own_access() and the like, where the access might fault.  So the instruction can be
 * left there, too; what it has told is not told again when it is executed the next time.
 */
#ifndef ARMPMU_QEMU_CORE_FEED_H
#define ARMPMU_QEMU_CORE_FEED_H

#include "vcpu.h"

#include <armpmu/core_space.h>

#include "core_filter.h"

#include "armpmu-qemu/core/stream.h" /* qemu/core/, as edit.py copies it */

/* What translated code tells, as bits of column_plan.core. */
enum core_told { CORE_BLOCKS = 1, CORE_ACCESSES = 2 };

#define MAX_CORE_EVENTS APMU_COUNTERS

/* The events of the model that enabled counters ask for. */
struct core_wishes {
    uint16_t event[MAX_CORE_EVENTS];
    unsigned count;
    uint32_t parts; /* what must be simulated for them */
    bool cycles;    /* CPU_CYCLES is one of them: the model says how many cycles pass */
};

/* Where a translation belongs (core_space.c). */
struct core_space {
    uint64_t own, global; /* numbers, in the high bits of an address as the TLBs see it */
};

/* The descriptors that a walk reads. */
struct core_walk_list {
    uint64_t at[APMU_CORE_WALK_MOST];
    unsigned count, last_stage1; /* the number of the last one of stage 1 */
};

/* What an instruction has told of accesses in functions of QEMU's own. */
struct core_own {
    uint64_t pc;    /* of the instruction; only of one that was left */
    bool there;     /* likewise */
    unsigned skip;  /* so many of the elements to come were told before */
    unsigned count; /* elements */
    struct {
        uint64_t from, to; /* bytes; equal: none */
    } range[2];            /* of loads, and of stores */
};

/* The feed of a vCPU.  v->feed is NULL if no core was chosen. */
struct core_feed {
    struct apmu_core *core; /* NULL: nothing was asked for yet */
    struct stream stream;
    struct core_wishes wishes;
    GArray *asked; /* of uint16_t: the events that were ever asked for */
    bool active;
    bool looks;                      /* an overflow interrupts or freezes: see limit */
    uint64_t base[MAX_CORE_EVENTS];  /* the count of each event up to which it is flushed */
    uint64_t limit[MAX_CORE_EVENTS]; /* the count of each event with which a counter overflows */
    struct core_filter filter;
    int64_t quiet;                   /* so many accesses that hit in the first level cannot overflow a counter */
    struct {
        uint64_t pc, address;
        bool there;
    } told;                     /* the access that overflowed a counter and was not made yet */
    struct core_own own;        /* of the instruction in progress */
    struct core_own left;       /* of the one that was left because it overflowed a counter */
    uint64_t code_page, code_physical; /* what apmu_core_map() was told last about code */
    struct core_space space;    /* of the present regime */
    struct {
        bool stale;          /* it may have changed */
        unsigned el;         /* the Exception level that it belongs to */
        GHashTable *numbers; /* from regime, VMID and ASID to a number */
    } regime;
};

/*
 * The word of env, a struct core_site *, that says which instruction makes accesses in a function of QEMU's own.  Its
 * lowest bit is set when the instruction has made one.
 */
#define CORE_SITE 3
#define CORE_SITE_USED UINT64_C(1)

/* An access of an instruction (core_code.c). */
struct core_site {
    struct stream_access access;
    uint32_t offset; /* of the instruction from the begin of its block */
    uint16_t size;   /* of the emulator's access, bytes */
    uint8_t mmu_idx;
    bool store;
    bool plain; /* it either loads or stores */
};

/* ---------------------------------------------------------------------------------------------------------------
 * core_feed.c
 */

/* The core that the user chose; .size is 0 if he chose none. */
extern struct apmu_core_row core_feed_row;

/* Returns true if the chosen core counts @event. */
bool core_feed_counts(uint16_t event);
/* Fills *@wishes for the enabled counters of @v. */
void core_feed_wish(const struct armpmu_vcpu *v, struct core_wishes *wishes);
/* Returns what translated code must tell for @wishes, a set of enum core_told. */
uint8_t core_feed_tells(const struct core_wishes *wishes);
/* Takes up the wishes of the enabled counters, and, with @looks, where they overflow. */
void core_feed_update(struct armpmu_vcpu *v, bool looks);
/* Returns true if the model counted something that is not flushed. */
bool core_feed_pending(struct armpmu_vcpu *v);
/*
 * Fills @ev with what the model counted since the last flush.  Returns the number of events.  If the model counts
 * cycles, stores in *@cycles how many passed.
 */
unsigned core_feed_take(struct armpmu_vcpu *v, struct apmu_occurrence *ev, uint64_t *cycles);
/* Writes a line "core NAME", and a line "core_event 0xEVENT COUNT" for each event that was ever asked for. */
void core_feed_report(struct armpmu_vcpu *v, FILE *file);
/* Notes that translations changed, or with them the regime. */
void core_feed_translations_changed(struct core_feed *f);
/* Notes that the Exception level changed. */
void core_feed_level_changed(struct armpmu_vcpu *v);
/* Tells that an exception is taken, at the pc of env. */
void core_feed_exception(struct armpmu_vcpu *v);
/* Tells that the block in progress was left before its instruction @index. */
void core_feed_left(struct armpmu_vcpu *v, unsigned index);
/* Forgets the block in progress: QEMU throws its translated code away. */
void core_feed_no_blocks(void);
/*
 * Tell accesses that QEMU makes in a function of its own (edit.py), before it makes them, if they do not fault: one;
 * what an instruction does to a range of memory; and what a copy does.  Ranges are told in pieces of at most 64 bytes,
 * which end at multiples of 64.  What the instruction told before is not told again.  @ra is where translated code
 * called QEMU's function, or 0 if that has changed what the instruction reads: then an overflow interrupts before the
 * next access or block.
 */
void armpmu_own_access(CPUARMState *env, uint64_t address, unsigned size, bool store, int mmu_idx, uintptr_t ra);
void armpmu_own_range(CPUARMState *env, uint64_t address, uint64_t size, bool store, int mmu_idx, uintptr_t ra);
void armpmu_own_copy(CPUARMState *env, uint64_t to, uint64_t from, uint64_t size, int to_idx, int from_idx,
                     uintptr_t ra);

/* ---------------------------------------------------------------------------------------------------------------
 * core_space.c
 */

/* Finds the address space of the present regime, which may have changed. */
void core_space_refresh(struct core_feed *f, CPUARMState *env);
/*
 * Says where an access of @size bytes at @address is.  Returns its physical address in *@physical; false if it would
 * fault, or is not in memory.
 */
bool core_space_map_data(struct core_feed *f, CPUARMState *env, uint64_t address, uint32_t size,
                         const struct core_site *site, uint64_t *physical);
/* Returns true if a load, or with @store a store, at @address neither faults nor leaves memory. */
bool core_space_is_memory(CPUARMState *env, uint64_t address, bool store, int mmu_idx);
/* Returns true if the model knows where the code of a block is, and the first TLB has its page. */
static inline bool core_space_knows_code(const struct core_feed *f, uint64_t pc, uint64_t physical)
{
    return ((pc ^ f->code_page) | (physical ^ f->code_physical)) < 4096 &&
           apmu_core_page_known(f->core, true, physical + f->core->itlb.distance);
}
/* Says where the code of a block is. */
void core_space_map_code(struct core_feed *f, CPUARMState *env, uint64_t pc, uint64_t physical);
/* Returns the physical address of the code at @pc, or @pc if it is not in memory. */
uint64_t core_space_of_code(CPUARMState *env, uint64_t pc);
/* Surrounds the instructions that invalidate TLBs. */
void core_space_define(struct armpmu_vcpu *v);

#endif
