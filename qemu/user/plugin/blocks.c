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

#include <pthread.h>
#include <string.h>

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

/* Returns the slot at which the search for @span begins.  In layers above 0 each instruction has a slot of its own. */
static uint32_t first_slot(const struct code_span *span)
{
    const uint64_t page = mix(span->address >> PAGE_BITS) + mix(span->layer);
    const uint32_t stretch = (uint32_t)(page % (APMU_BLOCK_SLOTS / STRETCH));
    const uint32_t in_page = (uint32_t)(span->address & ((UINT32_C(1) << PAGE_BITS) - 1));

    return (stretch * STRETCH + (span->layer == 0 ? in_page >> 4 : in_page >> 2)) % APMU_BLOCK_SLOTS;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Pages of the file code that this process knows to have room. */
static bool roomy[(sizeof(struct apmu_code) + 4095) / 4096];

/* Returns true if the @size bytes at @at in the file code, which hold zeros, have room. */
static bool has_room(void *at, size_t size)
{
    const size_t begin = (size_t)((char *)at - (char *)plugin.code);

    for (size_t part, done = 0; done < size; done += part) {
        part = 4096 - (begin + done) % 4096;
        if (!roomy[(begin + done) / 4096] && !image_has_room((char *)at + done, 1)) {
            return false;
        }
        roomy[(begin + done) / 4096] = true;
    }
    return true;
}

/* Copies the instructions of @span to the table, as those of the block @number.  Returns false if there is no room. */
static bool add_insns(uint32_t number, const struct code_span *span)
{
    struct apmu_code *code = plugin.code;
    const size_t bytes = span->count * sizeof code->insn[0];
    const uint32_t used = __atomic_load_n(&code->head.insns, __ATOMIC_RELAXED);
    const uint32_t first = used < APMU_INSNS ? __atomic_fetch_add(&code->head.insns, span->count, __ATOMIC_RELAXED)
                                             : APMU_INSNS;

    if (first >= APMU_INSNS || span->count > APMU_INSNS - first ||
        !has_room(&code->insn[first], bytes) || !has_room(&code->block[number], sizeof code->block[0])) {
        return false;
    }
    memcpy(&code->insn[first], span->insns, bytes);
    code->block[number] =
        (struct apmu_code_block){.place = span->place, .first = first, .count = span->count, .t32 = span->t32};
    return true;
}

/* Adds a block that no slot names yet, and returns its number.  Returns NO_SHAPE if there is no entry or no room. */
static uint32_t add(const struct code_span *span, uint32_t shape)
{
    static uint32_t last = NO_SHAPE; /* the page of the table that has room; a lock of QEMU's or ours is held */
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
    if (span->count > 0 && !add_insns(number, span)) {
        return NO_SHAPE;
    }
    b->address = span->address;
    __atomic_store_n(&b->shape, (uint64_t)shape + 1, __ATOMIC_RELEASE);
    return number;
}

/* Makes room for the counter @number, and returns @number. */
static uint32_t reserved(uint32_t number)
{
    image_reserve(number);
    return number;
}

/* Returns the hash of a block. */
static uint64_t hash_of(const struct code_span *span, uint32_t shape)
{
    uint64_t hash = mix(span->address ^ mix(shape));

    for (uint32_t i = 0; i < span->count; i++) {
        hash = mix(hash ^ ((uint64_t)span->insns[i].shape << 32 | span->insns[i].word));
    }
    return span->count > 0 ? mix(hash ^ span->place) : hash;
}

/* Returns true if the block @number is that of @span and @shape. */
static bool is_same(uint32_t number, const struct code_span *span, uint32_t shape)
{
    const struct apmu_block *b = &plugin.shapes->block[number];

    if (b->address != span->address || b->shape != (uint64_t)shape + 1) {
        return false;
    }
    if (span->count == 0) {
        return true;
    }
    const struct apmu_code_block *c = &plugin.code->block[number];
    return c->place == span->place && c->count == span->count && c->t32 == span->t32 &&
           memcmp(&plugin.code->insn[c->first], span->insns, c->count * sizeof *span->insns) == 0;
}

/* Returns the number of the block of @span, or NO_SHAPE if the table is full. */
static uint32_t find_or_add(const struct code_span *span, uint32_t shape)
{
    struct apmu_shapes *sh = plugin.shapes;
    const uint32_t part = (uint32_t)hash_of(span, shape) & ~NUMBER_MASK;
    uint32_t mine = NO_SHAPE, slot = first_slot(span);

    for (uint32_t n = 0; n < SEARCH; n++, slot = (slot + 1) % APMU_BLOCK_SLOTS) {
        uint32_t found = __atomic_load_n(&sh->block_slot[slot], __ATOMIC_ACQUIRE);
        if (found == 0) {
            if (mine == NO_SHAPE) {
                mine = add(span, shape);
                if (mine == NO_SHAPE) {
                    return NO_SHAPE;
                }
            }
            if (__atomic_compare_exchange_n(&sh->block_slot[slot], &found, part | (mine + 1), false, __ATOMIC_RELEASE,
                                            __ATOMIC_ACQUIRE)) {
                return mine;
            }
        }
        if ((found & ~NUMBER_MASK) == part && is_same((found & NUMBER_MASK) - 1, span, shape)) {
            return (found & NUMBER_MASK) - 1;
        }
    }
    return NO_SHAPE;
}

/* Returns true if @span says what each of its instructions counts. */
static bool is_described(const struct code_span *span)
{
    for (uint32_t i = 0; i < span->count; i++) {
        if (span->insns[i].shape == NO_SHAPE) {
            return false;
        }
    }
    return span->count > 0;
}

uint32_t blocks_counter(const struct code_span *span, uint32_t shape)
{
    if (plugin.setup->el0) {
        return shape; /* an access to the PMU reads all counters, so there must be few */
    }
    if (plugin.code != NULL && !is_described(span)) {
        __atomic_store_n(&plugin.code->head.full, 1, __ATOMIC_RELAXED);
        return shape;
    }
    if (plugin.code != NULL) { /* counts are also given back, without QEMU's lock */
        pthread_mutex_lock(&lock);
    }
    const uint32_t number = find_or_add(span, shape);
    if (plugin.code != NULL) {
        pthread_mutex_unlock(&lock);
    }
    if (number == NO_SHAPE && plugin.code != NULL) {
        __atomic_store_n(&plugin.code->head.full, 1, __ATOMIC_RELAXED);
    }
    return number == NO_SHAPE ? shape : reserved(APMU_SHAPES + number);
}

void blocks_lock(void)
{
    pthread_mutex_lock(&lock);
}

void blocks_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
