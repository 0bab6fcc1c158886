/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The external view: 4 KiB of the bus for each vCPU, as a memory-mapped component is. */
#include "unit.h"

#include "exec/memattrs.h"
#include "hw/core/cpu.h"

#define FRAME_SIZE 0x1000u
#define FRAME_STRIDE 0x10000u

static enum apmu_pas space_of(MemTxAttrs attrs)
{
    switch (attrs.space) {
    case ARMSS_Root:
        return APMU_PAS_ROOT;
    case ARMSS_Realm:
        return APMU_PAS_REALM;
    default:
        return attrs.secure ? APMU_PAS_SECURE : APMU_PAS_NONSECURE;
    }
}

/* A vCPU that accesses its own frame executes the accessing instruction right now. */
static uint64_t present(struct unit *u)
{
    return unit_retired(u) - (current_cpu == CPU(u->cpu) ? 1 : 0);
}

static MemTxResult frame_read(void *opaque, hwaddr offset, uint64_t *value, unsigned size, MemTxAttrs attrs)
{
    struct unit *u = opaque;
    const struct apmu_ext at = {.offset = offset, .size = size, .pas = space_of(attrs)};

    unit_flush(u, present(u));
    unit_look(u);
    const struct apmu_access access = apmu_access_ext(&u->pmu, &u->pe, &at, false);

    *value = access.outcome == APMU_ACCESS_OK ? apmu_read_ext(&u->pmu, &u->pe, &at) : 0;
    return access.outcome == APMU_ACCESS_ERROR ? MEMTX_ERROR : MEMTX_OK;
}

static MemTxResult frame_write(void *opaque, hwaddr offset, uint64_t value, unsigned size, MemTxAttrs attrs)
{
    struct unit *u = opaque;
    const struct apmu_ext at = {.offset = offset, .size = size, .pas = space_of(attrs)};

    unit_flush(u, unit_retired(u));
    unit_look(u);
    const struct apmu_access access = apmu_access_ext(&u->pmu, &u->pe, &at, true);

    if (access.outcome == APMU_ACCESS_OK) {
        apmu_poke_ext(&u->pmu, &u->pe, &at, value, NULL);
        unit_check(u, "the frame");
        unit_changed(u);
    }
    return access.outcome == APMU_ACCESS_ERROR ? MEMTX_ERROR : MEMTX_OK;
}

/* Sizes that the model answers with an error come to it too. */
static const MemoryRegionOps frame_ops = {
    .read_with_attrs = frame_read,
    .write_with_attrs = frame_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
    .impl = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
};

void unit_map_frame(struct unit *u)
{
    if (armpmu_options.has_frame) {
        const hwaddr base = armpmu_options.frame + (hwaddr)CPU(u->cpu)->cpu_index * FRAME_STRIDE;

        memory_region_init_io(&u->frame, OBJECT(u->cpu), &frame_ops, u, "armpmu", FRAME_SIZE);
        memory_region_add_subregion_overlap(get_system_memory(), base, &u->frame, 1);
    }
}
