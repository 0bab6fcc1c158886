/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds blocks in their table, and adds them.  All processes of a run share the table without a lock, as they do the
 * table of shapes.
 *
 * A slot of the hash table holds the number of a block in the low bits and a part of its hash above them.  The search
 * for blocks of one page of the program begins in one stretch of slots, so a small program touches little of the table.
 * Numbers are handed out in the order of translation, so blocks that run together have counters close together.
 *
 * A search looks at SEARCH slots at most.  So code that is rewritten again and again at one address takes a bounded
 * number of counters; further blocks there use the counters of their shapes.
 */
#include "plugin.h"

#define PAGE_BITS 12
#define STRETCH 256u /* slots of a page: a page has 1024 instructions, and fewer blocks than that */
#define SEARCH 1024u
#define NUMBER_BITS 19
#define NUMBER_MASK ((UINT32_C(1) << NUMBER_BITS) - 1)

_Static_assert(APMU_BLOCKS <= NUMBER_MASK, "a slot holds the number of a block + 1");
_Static_assert(APMU_BLOCK_SLOTS % STRETCH == 0, "stretches fill the table");

/* Returns a hash of @x. */
static uint64_t mix(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

/* Returns the slot at which the search for a block at @address begins. */
static uint32_t first_slot(uint64_t address)
{
    const uint32_t stretch = (uint32_t)(mix(address >> PAGE_BITS) % (APMU_BLOCK_SLOTS / STRETCH));
    return stretch * STRETCH + (uint32_t)(address >> 4) % STRETCH;
}

/* Adds a block that no slot names yet, and returns its number.  Returns NO_SHAPE if there is no entry or no room. */
static uint32_t add(uint64_t address, uint32_t shape)
{
    static uint32_t last = NO_SHAPE; /* the page of the table that has room; QEMU translates under a lock */
    const uint32_t in_page = 4096 / sizeof(struct apmu_block);
    const uint32_t number = shapes_take(&plugin.shapes->head.counters, 0, APMU_BLOCKS);

    if (number == NO_SHAPE) {
        return NO_SHAPE;
    }
    struct apmu_block *b = &plugin.shapes->block[number];
    if (number / in_page != last && !image_has_room(b, sizeof *b)) {
        return NO_SHAPE;
    }
    last = number / in_page;
    *b = (struct apmu_block){address, (uint64_t)shape + 1};
    return number;
}

/* Makes room for the counter @number, and returns @number. */
static uint32_t reserved(uint32_t number)
{
    image_reserve(number);
    return number;
}

uint32_t blocks_counter(uint64_t address, uint32_t shape)
{
    struct apmu_shapes *sh = plugin.shapes;
    const uint32_t part = (uint32_t)mix(address ^ mix(shape)) & ~NUMBER_MASK;
    uint32_t mine = NO_SHAPE, slot = first_slot(address);

    if (plugin.setup->el0) {
        return shape; /* an access to the PMU reads all counters, so there must be few */
    }
    for (uint32_t n = 0; n < SEARCH; n++, slot = (slot + 1) % APMU_BLOCK_SLOTS) {
        uint32_t found = __atomic_load_n(&sh->block_slot[slot], __ATOMIC_ACQUIRE);
        if (found == 0) {
            if (mine == NO_SHAPE) {
                mine = add(address, shape);
                if (mine == NO_SHAPE) {
                    return shape;
                }
            }
            if (__atomic_compare_exchange_n(&sh->block_slot[slot], &found, part | (mine + 1), false, __ATOMIC_RELEASE,
                                            __ATOMIC_ACQUIRE)) {
                return reserved(APMU_SHAPES + mine);
            }
        }
        const struct apmu_block *b = &sh->block[(found & NUMBER_MASK) - 1];
        if ((found & ~NUMBER_MASK) == part && b->address == address && b->shape == shape + 1) {
            return reserved(APMU_SHAPES + (found & NUMBER_MASK) - 1);
        }
    }
    return shape;
}
