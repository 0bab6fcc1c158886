/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds shapes in their table, and adds them.  All processes of a run share the table without a lock: ids are handed
 * out by an atomic addition, and a vector is published in the hash table when it is complete.  If a process is killed
 * in between, its id is lost and nothing else.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool shapes_open(void)
{
    struct stat st;
    if (plugin.dir[0] == '\0') { /* the program is not counted: nobody reads the table */
        void *own = mmap(NULL, sizeof *plugin.shapes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        plugin.shapes = own == MAP_FAILED ? NULL : own;
        return plugin.shapes != NULL;
    }
    int fd = image_open_shared(APMU_SHAPES_FILE, O_RDWR);
    if (fd < 0) {
        return false;
    }
    void *map = MAP_FAILED;
    if (fstat(fd, &st) == 0 && st.st_size == (off_t)sizeof *plugin.shapes) {
        map = mmap(NULL, sizeof *plugin.shapes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    close(fd);
    if (map == MAP_FAILED) {
        return false;
    }
    plugin.shapes = map;
    const struct apmu_shapes_head *head = &plugin.shapes->head;
    return head->magic == APMU_PROTOCOL_MAGIC && head->version == APMU_PROTOCOL_VERSION &&
           head->sources == APMU_SOURCE_COUNT;
}

void shapes_lost(int error)
{
    uint32_t none = 0;
    if (plugin.shapes != NULL) {
        __atomic_compare_exchange_n(&plugin.shapes->head.lost, &none, (uint32_t)error, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    }
}

/* Vectors are hashed and added four elements at a time; the last ones, which fill no word, one by one. */
#define LANES (sizeof(uint64_t) / sizeof(uint16_t))
#define WHOLE (APMU_SOURCE_COUNT / LANES * LANES)
#define WHOLE_SHAPE (APMU_SHAPE_ELEMENTS / LANES * LANES)

/* Returns the four elements at @at as a word. */
static uint64_t word_at(const uint16_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static uint64_t hash_step(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static uint32_t hash_of(const uint16_t vector[APMU_SHAPE_ELEMENTS])
{
    uint64_t h = 0;
    for (size_t s = 0; s < WHOLE_SHAPE; s += LANES) {
        h = hash_step(h, word_at(&vector[s]));
    }
    for (size_t s = WHOLE_SHAPE; s < APMU_SHAPE_ELEMENTS; s++) {
        h = hash_step(h, vector[s]);
    }
    return (uint32_t)h % APMU_SHAPE_SLOTS;
}

/* Stops incrementing *@next near its limit, so that it cannot wrap. */
uint32_t shapes_take(uint32_t *next, uint32_t first, uint32_t limit)
{
    if (__atomic_load_n(next, __ATOMIC_RELAXED) >= limit) {
        return NO_SHAPE;
    }
    uint32_t n = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
    return n < limit ? first + n : NO_SHAPE;
}

/* Returns the id of @vector, as shapes_id() does.  Its counter may have no room yet. */
static uint32_t find_or_add(const uint16_t vector[APMU_SHAPE_ELEMENTS], bool block)
{
    struct apmu_shapes *sh = plugin.shapes;
    const size_t bytes = sizeof sh->vector[0];
    uint32_t mine = NO_SHAPE;

    for (uint32_t i = hash_of(vector);; i = (i + 1) % APMU_SHAPE_SLOTS) {
        uint32_t found = __atomic_load_n(&sh->slot[i], __ATOMIC_ACQUIRE);
        if (found == 0) {
            if (mine == NO_SHAPE) {
                mine = block ? shapes_take(&sh->head.blocks, 0, APMU_BLOCK_SHAPES)
                             : shapes_take(&sh->head.insns, APMU_BLOCK_SHAPES, APMU_SHAPES - APMU_BLOCK_SHAPES);
                if (mine == NO_SHAPE || !image_has_room(sh->vector[mine], bytes)) {
                    return NO_SHAPE;
                }
                memcpy(sh->vector[mine], vector, bytes);
            }
            if (__atomic_compare_exchange_n(&sh->slot[i], &found, mine + 1, false, __ATOMIC_RELEASE,
                                            __ATOMIC_ACQUIRE)) {
                return mine;
            }
        }
        if (memcmp(sh->vector[found - 1], vector, bytes) == 0) {
            return found - 1;
        }
    }
}

/* Returns the id of the shape @vector, whose counter has room. */
static uint32_t id_of(const uint16_t vector[APMU_SHAPE_ELEMENTS], bool block)
{
    uint32_t id = find_or_add(vector, block);
    if (id != NO_SHAPE) {
        image_reserve(id);
    }
    return id;
}

uint32_t shapes_id(const uint16_t vector[APMU_SOURCE_COUNT], bool block)
{
    uint16_t shape[APMU_SHAPE_ELEMENTS] = {0};
    memcpy(shape, vector, APMU_SOURCE_COUNT * sizeof shape[0]);
    return id_of(shape, block);
}

uint32_t shapes_core_event(uint32_t event)
{
    uint16_t shape[APMU_SHAPE_ELEMENTS] = {0};
    shape[(uint32_t)APMU_SOURCE_COUNT + event] = 1;
    return id_of(shape, false);
}

/* A cache of what one execution of an instruction counts, by its traits.  QEMU translates under a lock. */
static struct trait_vector {
    uint64_t traits;
    uint32_t mark; /* as shapes_mark() returns it, if marked */
    bool marked;
    uint16_t vector[APMU_SOURCE_COUNT];
} cache[256];

/* Returns the entry of @traits, which is not 0. */
static struct trait_vector *vector_of(uint64_t traits)
{
    struct trait_vector *known = &cache[(traits * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
    if (known->traits != traits) {
        memset(known, 0, sizeof *known);
        apmu_traits_add(traits, known->vector);
        known->traits = traits;
    }
    return known;
}

void shapes_add(uint64_t traits, uint16_t vector[APMU_SOURCE_COUNT])
{
    if (traits == 0) {
        return;
    }
    const struct trait_vector *known = vector_of(traits);
    for (size_t s = 0; s < WHOLE; s += LANES) { /* no element of a block exceeds 16 bits, so none carries over */
        const uint64_t sum = word_at(&vector[s]) + word_at(&known->vector[s]);
        memcpy(&vector[s], &sum, sizeof sum);
    }
    for (size_t s = WHOLE; s < APMU_SOURCE_COUNT; s++) {
        vector[s] = (uint16_t)(vector[s] + known->vector[s]);
    }
}

uint32_t shapes_mark(const uint16_t vector[APMU_SOURCE_COUNT])
{
    static const uint16_t nothing[APMU_SOURCE_COUNT];
    if (memcmp(vector, nothing, sizeof nothing) == 0) {
        return 0;
    }
    const uint32_t shape = shapes_id(vector, false);
    return shape == NO_SHAPE ? NO_SHAPE : shape + 1;
}

uint32_t shapes_mark_insn(uint64_t traits)
{
    if (traits == 0) {
        return 0;
    }
    struct trait_vector *known = vector_of(traits);
    if (!known->marked) {
        known->mark = shapes_mark(known->vector);
        known->marked = true;
    }
    return known->mark;
}

uint32_t shapes_single(uint64_t traits)
{
    uint16_t vector[APMU_SOURCE_COUNT] = {0};
    apmu_traits_add(traits, vector);
    return shapes_id(vector, false);
}
