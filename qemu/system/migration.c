/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saves and loads the PMU's state, for savevm and migration. */
#include "vcpu.h"

#include "internals.h"
#include "migration/vmstate.h"
#include "qemu/error-report.h"
#include "system/runstate.h"

static int before_save(void *opaque)
{
    struct armpmu_vcpu *v = opaque;

    vcpu_flush(v, vcpu_retired(v));
    if (!v->is_arm11) {
        apmu_save(&v->pmu, v->saved, sizeof v->saved);
    }
    return 0;
}

/*
 * Takes the state of the PMU from .saved.  Refuses that of a PMU with another configuration, and a damaged one.  The
 * choices of the implementation stay: the version that saved the state may have made others.
 */
static bool load_pmu(struct armpmu_vcpu *v)
{
    struct apmu loaded;
    const char *fault = apmu_load(&loaded, v->saved, sizeof v->saved);

    if (fault != NULL) {
        error_report("armpmu: the PMU's state: %s", fault);
        return false;
    }
    if (loaded.cfg.features != v->pmu.cfg.features || loaded.cfg.counters != v->pmu.cfg.counters) {
        error_report("armpmu: the PMU has other features or another number of event counters (%u, saved with %u): "
                     "use the same -cpu", v->pmu.cfg.counters, loaded.cfg.counters);
        return false;
    }
    loaded.cfg = v->pmu.cfg;
    apmu_settle(&loaded);
    if (!apmu_check(&loaded)) {
        error_report("armpmu: the PMU's state is not one that this PMU can have: use the same -cpu");
        return false;
    }
    v->pmu = loaded;
    return true;
}

static int after_load(void *opaque, int version)
{
    struct armpmu_vcpu *v = opaque;

    if (!v->is_arm11 && !load_pmu(v)) {
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

static const VMStateDescription vcpu_state = {
    .name = "armpmu",
    .version_id = 2,
    .minimum_version_id = 2,
    .pre_save = before_save,
    .post_load = after_load,
    .fields = (const VMStateField[]){
        VMSTATE_BUFFER_TEST(saved, struct armpmu_vcpu, has_pmuv3),
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
