/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user emulators that `make qemu-user` builds have beyond QEMU's plugin interface.  edit.py exports each
 * function that is marked here.  Before the plugin includes this it makes the mark a weak reference, so in another
 * emulator the address of such a function is NULL.
 */
#ifndef ARMPMU_EMULATOR_H
#define ARMPMU_EMULATOR_H

/* Returns the number of these edits.  It grows by one when a function is added or changes its meaning. */
QEMU_PLUGIN_API
unsigned armpmu_emulator_edits(void);

/* Leaves out what QEMU does at each access so that plugins can ask for its value.  Call it before the program runs. */
QEMU_PLUGIN_API
void armpmu_omit_values(void);

/* The outcomes of an instruction with a condition. */
enum armpmu_edge {
    ARMPMU_EDGE_FAILED = 1, /* of a branch: it is not taken */
    ARMPMU_EDGE_PASSED = 2,
};

/*
 * Returns the set of outcomes for which translated code of @insn, in the block that is translated, has a place of its
 * own.  It is empty if the instruction has no condition, or one that is always true.
 */
QEMU_PLUGIN_API
unsigned armpmu_edges(const struct qemu_plugin_insn *insn);

/* Makes translated code add 1 to @entry at @edge, which is one of armpmu_edges(@insn).  There is one add for each. */
QEMU_PLUGIN_API
void armpmu_add_at_edge(struct qemu_plugin_insn *insn, enum armpmu_edge edge, qemu_plugin_u64 entry);

/*
 * Makes translated code add 1 to @entry after each access of @insn, or after its first access only, whose address is
 * no multiple of @alignment, a power of two.  Returns false, and adds nothing, if functions of QEMU may make accesses.
 */
QEMU_PLUGIN_API
bool armpmu_add_unaligned(struct qemu_plugin_insn *insn, unsigned alignment, bool first_only, qemu_plugin_u64 entry);

/*
 * How translated code answers for a modelled core (core_code.c).
 *
 * A callback for memory that is @load or @store is replaced by code that calls @load_whole or @store_whole where the
 * short cut of <armpmu/core.h> does not answer.  Its userdata is a number, whose lowest 16 bits are the bytes of the
 * whole access of the instruction, and so is the access that is called for, even if QEMU splits it.  Where QEMU does
 * not access as many bytes the callback stays.
 *
 * A callback at the entry of a block that is @enter is replaced by code that appends the place of its userdata to a
 * list of 32-bit numbers: its distance from @blocks in units of 8 bytes.  When the list goes on at a multiple of @list
 * bytes, @full is called.
 *
 * The accesses of a block are counted together after its first one.  If a later one faults, those that are not made are
 * taken back.  An access that calls is not counted by code.
 */
struct armpmu_core_code {
    qemu_plugin_vcpu_mem_cb_t load, store, load_whole, store_whole;
    qemu_plugin_vcpu_udata_cb_t enter, full;
    const void *blocks;
    uint32_t list; /* a power of two */
    uint32_t line_shift, sets; /* of L1D; sets: 0 if code answers for no access */
    uint32_t cut_shift; /* log2 of the bytes that the short cut of a set takes */
    int32_t recent, stored, stamp, swapped; /* places in the core: of members of the first short cut */
    int32_t loads, stores; /* places in the core */
    int32_t clock; /* likewise; 0 if uses of pages are not stamped */
    uint32_t step; /* by which the clock moves on: more than the accesses of a block */
    /*
     * Bytes of a list of visits, a power of two.  If it is not 0, an access that is not answered sets the short cut and
     * appends 16 bytes to this list: its word, 64 bits; where the list of blocks goes on, the lower 32 bits of the
     * address; and its userdata without the 16 lowest bits, 32 bits.  @load_whole or @store_whole is called only if it
     * is in two lines, its page has no slot, or the list goes on at a multiple of these bytes.
     */
    uint32_t visits;
    int32_t second; /* bytes from a member of a short cut to the same of its second one; 0: there is none */
    uint32_t swap; /* of the 32 bits that make up index and flags of a visit, the one that member swapped has */
    uint32_t page_shift, slot_count;
    int32_t slots, entry_stamps, noted; /* places in the core */
    uint32_t note_shift, note_mask; /* from an address to the byte that is noted for it */
};

/*
 * Makes code that is translated from now on answer as *@code says, which lasts as long as the process.  Returns false,
 * and changes nothing, if the emulator has no code for this host.
 */
QEMU_PLUGIN_API
bool armpmu_core_answer(const struct armpmu_core_code *code);

/* Gives @vcpu the core at @core.  Returns the place of a pointer, which says where its list goes on. */
QEMU_PLUGIN_API
uint32_t **armpmu_core_give(unsigned vcpu, void *core);

/* Returns the place of a pointer of @vcpu, which says where its list of visits goes on. */
QEMU_PLUGIN_API
void **armpmu_core_visits(unsigned vcpu);

#endif
