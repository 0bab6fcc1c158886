/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMU of ARM1136, ARM1156 and ARM1176: four registers in (coproc == 0b1111), CRn c15, CRm c12. */
#include "core_feed.h"
#include "observe.h"

#include "cpregs.h"
#include "internals.h"
#include "qemu/timer.h"

/* The registers, by opc2. */
static const struct {
    const char *name;
    enum apmu_arm11_reg reg;
} rows[] = {
    {"PMNC", APMU_ARM11_REG_PMNC}, {"CCNT", APMU_ARM11_REG_CCNT},
    {"PMN0", APMU_ARM11_REG_PMN0}, {"PMN1", APMU_ARM11_REG_PMN1},
};

static enum apmu_arm11_reg which(const ARMCPRegInfo *row)
{
    return rows[row->opc2].reg;
}

static CPAccessResult may_access(CPUARMState *env, const ARMCPRegInfo *row, bool reads)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);

    pe_refresh(v);
    v->access = apmu_arm11_access(&v->arm11, &v->pe11, which(row), !reads);
    if (v->access.outcome != APMU_ACCESS_UNDEFINED) {
        return CP_ACCESS_OK;
    }
    if (observe_active) {
        trace_access(v, !reads, "arm11", row->name, 0);
    }
    return CP_ACCESS_UNDEFINED;
}

static uint64_t read_row(CPUARMState *env, const ARMCPRegInfo *row)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);

    vcpu_flush_before(v, MRS_READ);
    const uint32_t value = apmu_arm11_peek(&v->arm11, which(row));

    if (observe_active) {
        trace_access(v, false, "arm11", row->name, value);
    }
    return value;
}

static void write_row(CPUARMState *env, const ARMCPRegInfo *row, uint64_t value)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);

    vcpu_flush(v, vcpu_retired(v));
    if (observe_active) {
        trace_access(v, true, "arm11", row->name, (uint32_t)value);
    }
    apmu_arm11_poke(&v->arm11, which(row), (uint32_t)value, NULL);
    vcpu_update(v);
}

static void reset_row(CPUARMState *env, const ARMCPRegInfo *row)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);

    apmu_arm11_on_reset(&v->arm11);
    if (observe_active) {
        trace_reset(v);
    }
    v->user_v = false;
    vcpu_restart(v);
    vcpu_update(v);
}

/*
 * The Secure User and Non-secure Access Validation Control Register, which QEMU lacks.  Its V bit lets User mode access
 * the PMU.
 */
static uint64_t read_validation(CPUARMState *env, const ARMCPRegInfo *row)
{
    return vcpu_of_env(env)->user_v;
}

static void write_validation(CPUARMState *env, const ARMCPRegInfo *row, uint64_t value)
{
    vcpu_of_env(env)->user_v = (value & 1) != 0;
}

static const ARMCPRegInfo validation = {
    .name = "VALIDATION", .cp = 15, .opc1 = 0, .crn = 15, .crm = 9, .opc2 = 0, .access = PL1_RW,
    .readfn = read_validation, .writefn = write_validation, .type = ARM_CP_NO_RAW | ARM_CP_OVERRIDE,
};

#define PART_NUMBER(midr) ((midr) >> 4 & 0xFFF)
#define PART_ARM1136 0xB36u
#define PART_ARM1156 0xB56u

void arm11_define(struct armpmu_vcpu *v)
{
    const unsigned part = PART_NUMBER(v->cpu->midr);
    const struct apmu_arm11_config cfg = {
        .size = sizeof cfg,
        .part = part == PART_ARM1136 ? APMU_ARM1136 : part == PART_ARM1156 ? APMU_ARM1156 : APMU_ARM1176,
    };

    v->is_arm11 = true;
    if (core_feed_row.size != 0) {
        v->feed = g_new0(struct core_feed, 1);
    }
    apmu_arm11_init(&v->arm11, &cfg);
    arm_register_pre_el_change_hook(v->cpu, pmu_pre_el_change, NULL);
    arm_register_el_change_hook(v->cpu, pmu_post_el_change, NULL);
    v->cpu->pmu_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, arm_pmu_timer_cb, v->cpu);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const ARMCPRegInfo row = {
            .name = rows[i].name, .cp = 15, .opc1 = 0, .crn = 15, .crm = 12, .opc2 = (uint8_t)i,
            .access = PL0_RW, .accessfn = may_access, .readfn = read_row, .writefn = write_row,
            .type = ARM_CP_IO | ARM_CP_NO_RAW | ARM_CP_OVERRIDE,
            .resetfn = rows[i].reg == APMU_ARM11_REG_PMNC ? reset_row : NULL,
        };

        define_one_arm_cp_reg(v->cpu, &row);
    }
    define_one_arm_cp_reg(v->cpu, &validation);
}
