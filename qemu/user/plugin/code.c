/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes the instructions of counters, in a run that is recorded. */
#define _GNU_SOURCE
#include "plugin.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool code_open(void)
{
    struct stat st;

    if (!plugin.setup->record || plugin.dir[0] == '\0') {
        return true;
    }
    const int fd = image_open_shared(APMU_CODE_FILE, O_RDWR);
    if (fd < 0) {
        return false;
    }
    void *map = MAP_FAILED;
    if (fstat(fd, &st) == 0 && st.st_size == (off_t)sizeof *plugin.code) {
        map = mmap(NULL, sizeof *plugin.code, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    close(fd);
    if (map == MAP_FAILED) {
        return false;
    }
    plugin.code = map;
    return plugin.code->head.magic == APMU_PROTOCOL_MAGIC && plugin.code->head.version == APMU_PROTOCOL_VERSION;
}

/* Returns memory for @count instructions, or NULL.  QEMU translates under a lock. */
static struct apmu_code_insn *room_for(size_t count)
{
    static struct apmu_code_insn *insns;
    static size_t room;

    if (count > room) {
        struct apmu_code_insn *more = realloc(insns, count * sizeof *insns);
        if (more == NULL) {
            return NULL;
        }
        insns = more;
        room = count;
    }
    return insns;
}

struct code_span code_span(uint64_t address, const struct isa_insn *in, size_t count)
{
    struct code_span span = {.address = address};
    struct apmu_code_insn *insns = plugin.code != NULL ? room_for(count) : NULL;

    if (insns == NULL) {
        return span;
    }
    for (size_t i = 0; i < count; i++) {
        insns[i] = (struct apmu_code_insn){in[i].word, shapes_mark_insn(in[i].traits)};
    }
    span.place = places_at(address);
    span.count = (uint32_t)count;
    span.t32 = isa_now() == STREAM_T32;
    span.insns = insns;
    return span;
}

uint32_t code_counter(uint64_t address, const struct isa_insn *in, uint32_t shape)
{
    if (shape == NO_SHAPE || plugin.code == NULL) {
        return shape;
    }
    struct apmu_code_insn insn = {in->word, shape + 1};
    const struct code_span span = {.address = address, .place = places_at(address), .count = 1,
                                   .t32 = isa_now() == STREAM_T32, .insns = &insn};
    return blocks_counter(&span, shape);
}

uint32_t code_own_counter(uint64_t address, const struct isa_insn *in, uint32_t shape)
{
    const struct code_span span = {.address = address};

    return plugin.code != NULL || shape == NO_SHAPE ? code_counter(address, in, shape) : blocks_counter(&span, shape);
}

uint32_t code_counter_again(uint64_t address, const uint32_t *words, size_t count, uint32_t shape)
{
    struct apmu_code_insn insns[CODE_LONGEST];

    if (shape == NO_SHAPE || plugin.code == NULL || count > CODE_LONGEST) {
        return shape;
    }
    for (size_t i = 0; i < count; i++) {
        uint16_t vector[APMU_SOURCE_COUNT] = {0};
        apmu_traits_add(apmu_a64_traits(words[i]), vector);
        insns[i] = (struct apmu_code_insn){words[i], shapes_mark(vector)};
    }
    const struct code_span span = {.address = address, .place = places_known(address), .count = (uint32_t)count,
                                   .insns = insns};
    return blocks_counter(&span, shape);
}

void code_lock(void)
{
    blocks_lock();
    places_lock();
}

void code_unlock(void)
{
    places_unlock();
    blocks_unlock();
}

void code_child(void)
{
    code_unlock();
    places_child();
}
