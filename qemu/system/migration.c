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

/*
 * The members of struct apmu that are saved, in the order of the saved state: EACH(arg, kind, member).  The rest of
 * .derived follows from the configuration, which is the same.
 *
 * With EACH = SAVED_FIELD the row WORD, pmcr becomes VMSTATE_UINT64_TEST(pmu.pmcr, struct armpmu_vcpu, has_pmuv3).
 */
#define SAVED_MEMBERS(EACH, arg) \
    EACH(arg, WORD, pmcr) EACH(arg, WORD, cnten) EACH(arg, WORD, inten) EACH(arg, WORD, ovs) EACH(arg, WORD, selr) \
    EACH(arg, WORD, userenr) EACH(arg, WORD, uacr) EACH(arg, WORD, ecr) EACH(arg, WORD, iar) EACH(arg, WORD, sscr) \
    EACH(arg, WORD, ccr) EACH(arg, WORD, pcsr) EACH(arg, WORD, vcidsr) EACH(arg, WORD, ccidsr) \
    EACH(arg, WORD, pcsctl) EACH(arg, WORD, itctrl) EACH(arg, WORD, derived.events) \
    EACH(arg, WORDS, cntr) EACH(arg, WORDS, typer) EACH(arg, WORDS, svr) EACH(arg, HALVES, filter2) \
    EACH(arg, FLAG, locked) EACH(arg, HALF, last_threshold) EACH(arg, BYTE, divider) EACH(arg, FLAG, sync_overflowed)

#define SAVED_WORD(member) VMSTATE_UINT64_TEST(member, struct armpmu_vcpu, has_pmuv3)
#define SAVED_WORDS(member) VMSTATE_UINT64_ARRAY(member, struct armpmu_vcpu, APMU_COUNTERS)
#define SAVED_HALVES(member) VMSTATE_UINT32_ARRAY(member, struct armpmu_vcpu, APMU_COUNTERS)
#define SAVED_HALF(member) VMSTATE_UINT32(member, struct armpmu_vcpu)
#define SAVED_BYTE(member) VMSTATE_UINT8(member, struct armpmu_vcpu)
#define SAVED_FLAG(member) VMSTATE_BOOL(member, struct armpmu_vcpu)
#define SAVED_FIELD(arg, kind, member) SAVED_##kind(pmu.member),

/* Holds the list to the register table: what a register shows is saved, or is part of the configuration. */
#define END_OF(member) (offsetof(struct apmu, member) + sizeof(((struct apmu *)0)->member))
#define IS_AT(at, kind, member) || ((at) >= offsetof(struct apmu, member) && (at) < END_OF(member))
#define IS_SAVED(at) ((at) < END_OF(cfg) SAVED_MEMBERS(IS_AT, at))
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    _Static_assert(IS_SAVED(offsetof(struct apmu, storage)), #id " is saved");
#define APMU_EXTERNAL(id, storage, op, gate, text) \
    _Static_assert(IS_SAVED(offsetof(struct apmu, storage)), #id " is saved");
#include <armpmu/tables/registers.def>

/* Members that are no register's are saved too: nothing else is in the struct but the configuration and .derived. */
#define PADDING 5 /* bytes of struct apmu: 3 after .locked, 2 at its end */
#define PLUS_SIZE(arg, kind, member) + sizeof(((struct apmu *)0)->member)
_Static_assert(sizeof(struct apmu_config) + sizeof(struct apmu_derived) + PADDING +
               (0 SAVED_MEMBERS(PLUS_SIZE, 0)) - sizeof(((struct apmu *)0)->derived.events) == sizeof(struct apmu),
               "every member of struct apmu is saved");

static const VMStateDescription vcpu_state = {
    .name = "armpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = before_save,
    .post_load = after_load,
    .fields = (const VMStateField[]){
        VMSTATE_UINT64(saved_features, struct armpmu_vcpu),
        VMSTATE_UINT8(saved_counters, struct armpmu_vcpu),
        SAVED_MEMBERS(SAVED_FIELD, 0)
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
