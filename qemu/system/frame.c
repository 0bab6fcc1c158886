/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The external view: a memory-mapped frame of 4 KiB for each vCPU, at FRAME_STRIDE from the last one's. */
#include "vcpu.h"

#include "exec/memattrs.h"
#include "hw/core/cpu.h"
#include "internals.h"
#include "qapi/error.h"
#include "system/system.h"

#define FRAME_SIZE 0x1000u

/* Returns the physical address space of an access. */
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

static MemTxResult frame_read(void *opaque, hwaddr offset, uint64_t *value, unsigned size, MemTxAttrs attrs)
{
    struct armpmu_vcpu *v = opaque;
    const struct apmu_ext at = {.offset = offset, .size = size, .pas = space_of(attrs)};

    if (current_cpu == CPU(v->cpu)) { /* a vCPU that reads its own frame is executing the load */
        vcpu_flush_before(v, LOAD_READ);
    } else {
        vcpu_flush(v, vcpu_retired(v));
    }
    pe_refresh(v);
    const struct apmu_access access = apmu_access_ext(&v->pmu, &v->pe, &at, false);

    *value = access.outcome == APMU_ACCESS_OK ? apmu_read_ext(&v->pmu, &v->pe, &at) : 0;
    return access.outcome == APMU_ACCESS_ERROR ? MEMTX_ERROR : MEMTX_OK;
}

static MemTxResult frame_write(void *opaque, hwaddr offset, uint64_t value, unsigned size, MemTxAttrs attrs)
{
    struct armpmu_vcpu *v = opaque;
    const struct apmu_ext at = {.offset = offset, .size = size, .pas = space_of(attrs)};

    vcpu_flush(v, vcpu_retired(v));
    pe_refresh(v);
    const struct apmu_access access = apmu_access_ext(&v->pmu, &v->pe, &at, true);

    if (access.outcome == APMU_ACCESS_OK) {
        apmu_poke_ext(&v->pmu, &v->pe, &at, value, NULL);
        vcpu_check(v, "the frame");
        vcpu_update(v);
    }
    return access.outcome == APMU_ACCESS_ERROR ? MEMTX_ERROR : MEMTX_OK;
}

/* Every size and alignment comes to the model, which answers some with an error. */
static const MemoryRegionOps frame_ops = {
    .read_with_attrs = frame_read,
    .write_with_attrs = frame_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
    .impl = {.min_access_size = 1, .max_access_size = 8, .unaligned = true},
};

/* Ends the emulator if the CPU cannot address a frame at @base, or if it would cover memory or a device. */
static void check_address(struct armpmu_vcpu *v, hwaddr base)
{
    CPUState *cpu = CPU(v->cpu);

    if (base < armpmu_options.frame || (base + (FRAME_SIZE - 1)) >> arm_pamax(v->cpu) != 0) {
        error_setg(&error_fatal, "pmu-frame: 0x%" PRIx64 ", where the frame of CPU %d would be, is beyond the %u bits "
                   "of the CPU's physical addresses: use a lower address", base, cpu->cpu_index, arm_pamax(v->cpu));
    }
    for (int index = ARMASIdx_NS; index <= ARMASIdx_S; index++) {
        const AddressSpace *space = address_space_of(cpu, index);
        MemoryRegionSection there = {.mr = NULL};

        if (space != NULL) {
            there = memory_region_find(space->root, base, FRAME_SIZE);
        }
        if (there.mr != NULL) {
            error_setg(&error_fatal, "pmu-frame: 0x%" PRIx64 ", where the frame of CPU %d would be, is taken by '%s' "
                       "of the board: use an address that is free, by the monitor's command `info mtree -f`", base,
                       cpu->cpu_index, memory_region_name(there.mr));
        }
    }
}

/* Maps the frames of all CPUs, once the board is complete. */
static void map_all(Notifier *notifier, void *opaque)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        struct armpmu_vcpu *v = vcpu_of_env(cpu_env(cpu));

        if (v != NULL) {
            const hwaddr base = armpmu_options.frame + (hwaddr)cpu->cpu_index * FRAME_STRIDE;

            check_address(v, base);
            memory_region_init_io(&v->frame, OBJECT(cpu), &frame_ops, v, "armpmu", FRAME_SIZE);
            memory_region_add_subregion(get_system_memory(), base, &v->frame);
        }
    }
}

void frame_map_later(void)
{
    static Notifier once;

    if (armpmu_options.has_frame && once.notify == NULL) {
        once.notify = map_all;
        qemu_add_machine_init_done_notifier(&once);
    }
}
