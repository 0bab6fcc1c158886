/* SPDX-License-Identifier: GPL-2.0-or-later */
/* savevm and migration. */
#include "unit.h"

#include "internals.h"
#include "migration/vmstate.h"
#include "qemu/error-report.h"
#include "system/runstate.h"

static int before_save(void *opaque)
{
    struct unit *u = opaque;

    unit_flush(u, unit_retired(u));
    u->saved_features = u->pmu.cfg.features;
    u->saved_counters = u->pmu.cfg.counters;
    return 0;
}

/* Refuses the state of a PMU with another configuration, and one that no PMU can have come to: a damaged file. */
static int after_load(void *opaque, int version)
{
    struct unit *u = opaque;

    if (u->saved_features != u->pmu.cfg.features || u->saved_counters != u->pmu.cfg.counters) {
        error_report("armpmu: the PMU has other features or another number of event counters (%u, saved with %u): use the "
                     "same -cpu", u->pmu.cfg.counters, u->saved_counters);
        return -EINVAL;
    }
    if (!u->is_arm11) {
        apmu_settle(&u->pmu);
    }
    if (!u->is_arm11 && !apmu_check(&u->pmu)) {
        error_report("armpmu: the PMU's state is not one that this PMU can have: use the same -cpu");
        return -EINVAL;
    }
    u->told = unit_retired(u);
    return 0; /* what follows from the state waits for when_it_runs_or_stops() */
}

static bool is_pmuv3(void *opaque, int version)
{
    return !((struct unit *)opaque)->is_arm11;
}

static bool is_arm11(void *opaque, int version)
{
    return ((struct unit *)opaque)->is_arm11;
}

#define WORD(member) VMSTATE_UINT64_TEST(pmu.member, struct unit, is_pmuv3)

static const VMStateDescription unit_state = {
    .name = "armpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = before_save,
    .post_load = after_load,
    .fields = (const VMStateField[]){
        VMSTATE_UINT64(saved_features, struct unit),
        VMSTATE_UINT8(saved_counters, struct unit),
        WORD(pmcr), WORD(cnten), WORD(inten), WORD(ovs), WORD(selr), WORD(userenr), WORD(uacr), WORD(ecr), WORD(iar),
        WORD(sscr), WORD(ccr), WORD(pcsr), WORD(vcidsr), WORD(ccidsr), WORD(pcsctl), WORD(itctrl),
        WORD(derived.events), /* what else is derived follows from the configuration, which is the same */
        VMSTATE_UINT64_ARRAY(pmu.cntr, struct unit, APMU_COUNTERS),
        VMSTATE_UINT64_ARRAY(pmu.typer, struct unit, APMU_COUNTERS),
        VMSTATE_UINT64_ARRAY(pmu.svr, struct unit, APMU_COUNTERS),
        VMSTATE_UINT32_ARRAY(pmu.filter2, struct unit, APMU_COUNTERS),
        VMSTATE_BOOL(pmu.locked, struct unit),
        VMSTATE_UINT32(pmu.last_threshold, struct unit),
        VMSTATE_UINT8(pmu.divider, struct unit),
        VMSTATE_BOOL(pmu.sync_overflowed, struct unit),
        VMSTATE_UINT32_TEST(arm11.pmnc, struct unit, is_arm11),
        VMSTATE_UINT32_ARRAY(arm11.count, struct unit, APMU_ARM11_COUNTERS),
        VMSTATE_UINT8(arm11.divider, struct unit),
        VMSTATE_BOOL(user_v, struct unit),
        VMSTATE_UINT64(hdfgrtr2, struct unit),
        VMSTATE_UINT64(hdfgwtr2, struct unit),
        VMSTATE_UINT64(executed, struct unit),
        VMSTATE_END_OF_LIST(),
    },
};

/*
 * When the machine stops, a counter may just have overflowed whose timer has not run, for the virtual clock stands.
 * The overflow is told here, before anything is saved: the interrupt that it raises is in the state of the vCPU and in
 * that of the interrupt controller, or in neither.
 *
 * When it runs again all of them are loaded.  PMUIRQ must not change before that: an interrupt controller that is not
 * loaded yet would take the interrupt away from the vCPU that is.  The next overflow's deadline is not in the state.
 */
static void when_it_runs_or_stops(void *opaque, bool running, RunState state)
{
    struct unit *u = opaque;

    if (!running) {
        unit_flush(u, unit_retired(u));
    }
    unit_changed(u);
}

void unit_register_state(struct unit *u)
{
    qemu_add_vm_change_state_handler(when_it_runs_or_stops, u);
    vmstate_register(NULL, (uint32_t)CPU(u->cpu)->cpu_index, &unit_state, u);
}
