/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMU's state for savevm and migration. */
#include "vcpu.h"

#include "internals.h"
#include "migration/vmstate.h"
#include "qemu/error-report.h"
#include "system/runstate.h"

static int before_save(void *opaque)
{
    struct armpmu_vcpu *v = opaque;

    vcpu_flush(v, vcpu_retired(v));
    v->saved_features = v->pmu.cfg.features;
    v->saved_counters = v->pmu.cfg.counters;
    return 0;
}

/* Refuses the state of a PMU with another configuration, and, as damaged, a state that no PMU can be in. */
static int after_load(void *opaque, int version)
{
    struct armpmu_vcpu *v = opaque;

    if (v->saved_features != v->pmu.cfg.features || v->saved_counters != v->pmu.cfg.counters) {
        error_report("armpmu: the PMU has other features or another number of event counters (%u, saved with %u): "
                     "use the same -cpu", v->pmu.cfg.counters, v->saved_counters);
        return -EINVAL;
    }
    if (!v->is_arm11) {
        apmu_settle(&v->pmu);
    }
    if (!v->is_arm11 && !apmu_check(&v->pmu)) {
        error_report("armpmu: the PMU's state is not one that this PMU can have: use the same -cpu");
        return -EINVAL;
    }
    v->flushed = vcpu_retired(v);
    return 0; /* PMUIRQ and the deadline are set when the machine runs: run_state_changed() */
}

static bool has_pmuv3(void *opaque, int version)
{
    return !((struct armpmu_vcpu *)opaque)->is_arm11;
}

static bool has_arm11(void *opaque, int version)
{
    return ((struct armpmu_vcpu *)opaque)->is_arm11;
}

/* A member of struct apmu of 64 bits. */
#define WORD(member) VMSTATE_UINT64_TEST(pmu.member, struct armpmu_vcpu, has_pmuv3)

static const VMStateDescription vcpu_state = {
    .name = "armpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = before_save,
    .post_load = after_load,
    .fields = (const VMStateField[]){
        VMSTATE_UINT64(saved_features, struct armpmu_vcpu),
        VMSTATE_UINT8(saved_counters, struct armpmu_vcpu),
        WORD(pmcr), WORD(cnten), WORD(inten), WORD(ovs), WORD(selr), WORD(userenr), WORD(uacr), WORD(ecr), WORD(iar),
        WORD(sscr), WORD(ccr), WORD(pcsr), WORD(vcidsr), WORD(ccidsr), WORD(pcsctl), WORD(itctrl),
        WORD(derived.events), /* the rest of .derived follows from the configuration */
        VMSTATE_UINT64_ARRAY(pmu.cntr, struct armpmu_vcpu, APMU_COUNTERS),
        VMSTATE_UINT64_ARRAY(pmu.typer, struct armpmu_vcpu, APMU_COUNTERS),
        VMSTATE_UINT64_ARRAY(pmu.svr, struct armpmu_vcpu, APMU_COUNTERS),
        VMSTATE_UINT32_ARRAY(pmu.filter2, struct armpmu_vcpu, APMU_COUNTERS),
        VMSTATE_BOOL(pmu.locked, struct armpmu_vcpu),
        VMSTATE_UINT32(pmu.last_threshold, struct armpmu_vcpu),
        VMSTATE_UINT8(pmu.divider, struct armpmu_vcpu),
        VMSTATE_BOOL(pmu.sync_overflowed, struct armpmu_vcpu),
        VMSTATE_UINT32_TEST(arm11.pmnc, struct armpmu_vcpu, has_arm11),
        VMSTATE_UINT32_ARRAY(arm11.count, struct armpmu_vcpu, APMU_ARM11_COUNTERS),
        VMSTATE_UINT8(arm11.divider, struct armpmu_vcpu),
        VMSTATE_BOOL(user_v, struct armpmu_vcpu),
        VMSTATE_UINT64(hdfgrtr2, struct armpmu_vcpu),
        VMSTATE_UINT64(hdfgwtr2, struct armpmu_vcpu),
        VMSTATE_UINT64(executed, struct armpmu_vcpu),
        VMSTATE_END_OF_LIST(),
    },
};

/*
 * Flushes when the machine stops, and sets PMUIRQ and the deadline then and when it runs again.
 *
 * When the machine stops, a counter may have overflowed whose timer has not run, because the virtual clock stops too.
 * The overflow is flushed here, before anything is saved.  So its interrupt is either in the state of the vCPU and in
 * that of the interrupt controller, or in neither.
 *
 * When the machine runs again, both are loaded.  PMUIRQ must not change before that: an interrupt controller that is
 * not loaded yet would withdraw the interrupt from a vCPU that is.  The deadline is not in the saved state.
 */
static void run_state_changed(void *opaque, bool running, RunState state)
{
    struct armpmu_vcpu *v = opaque;

    if (!running) {
        vcpu_flush(v, vcpu_retired(v));
    }
    vcpu_update(v);
}

void migration_register(struct armpmu_vcpu *v)
{
    qemu_add_vm_change_state_handler(run_state_changed, v);
    vmstate_register(NULL, (uint32_t)CPU(v->cpu)->cpu_index, &vcpu_state, v);
}
