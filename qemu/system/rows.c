/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every System register of the PMU, in both Execution states: QEMU's rows, expanded from the tables. */
#include "observe.h"

#include "cpregs.h"
#include "internals.h"

/* Which register a row is, kept where QEMU has the value that a field of its own resets to: a row without one has none. */
#define A32 0x10000u
#define WHICH(reg, n, a32) ((a32) | (unsigned)(reg) << 8 | (n))

static unsigned which(const ARMCPRegInfo *row)
{
    return (unsigned)row->resetvalue;
}

static unsigned copy(const ARMCPRegInfo *row)
{
    return which(row) & 0xFF;
}

static unsigned number(const ARMCPRegInfo *row)
{
    return (which(row) & ~A32) >> 8;
}

static CPAccessResult answer(const struct apmu_access *a)
{
    switch (a->outcome) {
    case APMU_ACCESS_UNDEFINED:
        return CP_ACCESS_UNDEFINED;
    case APMU_ACCESS_TRAP:
        if (a->ec == 0) { /* an UNDEFINED exception that HCR.TGE routes to Hyp mode, as QEMU does */
            return CP_ACCESS_UNDEFINED;
        }
        return a->el == 3 ? CP_ACCESS_TRAP_EL3 : a->el == 2 ? CP_ACCESS_TRAP_EL2 : CP_ACCESS_TRAP_EL1;
    default:
        return CP_ACCESS_OK;
    }
}

static const char *view(const ARMCPRegInfo *row)
{
    return (which(row) & A32) != 0 ? "a32" : "a64";
}

static CPAccessResult may_access(CPUARMState *env, const ARMCPRegInfo *row, bool reads)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);

    pe_refresh(v);
    v->access = (which(row) & A32) != 0
                    ? apmu_access_a32(&v->pmu, &v->pe, (enum apmu_reg32)number(row), copy(row), !reads)
                    : apmu_access(&v->pmu, &v->pe, (enum apmu_reg)number(row), copy(row), !reads);
    if (observe_active && answer(&v->access) != CP_ACCESS_OK) {
        trace_access(v, !reads, view(row), row->name, 0);
    }
    return answer(&v->access);
}

static uint64_t read_row(CPUARMState *env, const ARMCPRegInfo *row)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);

    uint64_t value = 0;

    vcpu_flush(v, vcpu_retired(v) - 1); /* the instruction that reads has not retired yet */
    if (v->access.outcome == APMU_ACCESS_OK) {
        value = (which(row) & A32) != 0 ? apmu_peek_a32(&v->pmu, &v->pe, (enum apmu_reg32)number(row), copy(row))
                                        : apmu_peek(&v->pmu, &v->pe, (enum apmu_reg)number(row), copy(row));
    }
    if (observe_active) {
        trace_access(v, false, view(row), row->name, value);
    }
    return value;
}

static void write_row(CPUARMState *env, const ARMCPRegInfo *row, uint64_t value)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);
    const bool was_quiet = batch_is_quiet(v);

    vcpu_flush(v, vcpu_retired(v)); /* the instruction that writes counts as things are before it */
    if (observe_active) {
        trace_access(v, true, view(row), row->name, value);
    }
    if (v->access.outcome != APMU_ACCESS_OK) {
        return;
    }
    if ((which(row) & A32) != 0) {
        apmu_poke_a32(&v->pmu, &v->pe, (enum apmu_reg32)number(row), copy(row), value, NULL);
    } else {
        apmu_poke(&v->pmu, &v->pe, (enum apmu_reg)number(row), copy(row), value, NULL);
    }
    vcpu_check(v, row->name);
    if (!was_quiet || !batch_is_quiet(v)) {
        vcpu_update(v);
    }
}

static void reset_row(CPUARMState *env, const ARMCPRegInfo *row)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);

    apmu_on_reset(&v->pmu, APMU_RESET_COLD);
    if (observe_active) {
        trace_reset(v);
    }
    vcpu_restart(v);
    vcpu_update(v);
}

/* For a debugger, while the vCPU stands still: what the highest Exception level reads. */
static uint64_t look_at_row(CPUARMState *env, const ARMCPRegInfo *row)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);
    struct apmu_pe pe;

    pe_refresh(v);
    vcpu_flush(v, vcpu_retired(v));
    pe = v->pe;
    pe.el = arm_feature(env, ARM_FEATURE_EL3) ? 3 : arm_feature(env, ARM_FEATURE_EL2) ? 2 : 1;
    return (which(row) & A32) != 0 ? apmu_peek_a32(&v->pmu, &pe, (enum apmu_reg32)number(row), copy(row))
                                   : apmu_peek(&v->pmu, &pe, (enum apmu_reg)number(row), copy(row));
}

static void keep_row(CPUARMState *env, const ARMCPRegInfo *row, uint64_t value)
{
    (void)env, (void)row, (void)value; /* state.c migrates the unit as a whole */
}

#define ROW {.accessfn = may_access, .readfn = read_row, .writefn = write_row, .raw_readfn = look_at_row, \
             .raw_writefn = keep_row, .type = ARM_CP_IO | ARM_CP_ALIAS | ARM_CP_OVERRIDE}

/*
 * QEMU does not reset an alias.  What is none it migrates, or it shows it to no debugger (NO_RAW); of PMSWINC, which is
 * write-only, there is nothing to show.
 */
static void add_reset(ARMCPRegInfo *row)
{
    row->resetfn = reset_row;
    row->type = (row->type & ~ARM_CP_ALIAS) | ARM_CP_NO_RAW;
}

static void define_a64(struct armpmu_vcpu *v, enum apmu_reg reg, unsigned n)
{
    const unsigned key = apmu_reg_info(reg)->key + n; /* the copies of a bank follow each other */
    char name[24];
    ARMCPRegInfo row = ROW;

    row.state = ARM_CP_STATE_AA64;
    row.name = apmu_reg_name(reg, n, name);
    row.opc0 = key >> 14 & 3;
    row.opc1 = key >> 11 & 7;
    row.crn = key >> 7 & 15;
    row.crm = key >> 3 & 15;
    row.opc2 = key & 7;
    row.access = row.opc1 == 0 ? PL1_RW : PL0_RW; /* QEMU asserts it; everything else is the model's */
    row.resetvalue = WHICH(reg, n, 0);
    if (reg == APMU_REG_PMSWINC_EL0) {
        add_reset(&row);
    }
    define_one_arm_cp_reg(v->cpu, &row);
}

static void define_a32(struct armpmu_vcpu *v, enum apmu_reg32 reg, unsigned n)
{
    const unsigned key = apmu_reg32_info(reg)->key + n;
    char name[24];
    ARMCPRegInfo row = ROW;

    row.state = ARM_CP_STATE_AA32;
    row.name = apmu_reg32_name(reg, n, name);
    row.cp = 15;
    row.opc1 = key >> 11 & 7;
    row.crm = key >> 3 & 15;
    if ((key & 0x8000u) != 0) {
        row.type |= ARM_CP_64BIT;
    } else {
        row.crn = key >> 7 & 15;
        row.opc2 = key & 7;
    }
    row.access = PL0_RW;
    row.resetvalue = WHICH(reg, n, A32);
    if (reg == APMU_REG32_PMSWINC && !arm_feature(&v->cpu->env, ARM_FEATURE_AARCH64)) {
        add_reset(&row);
    }
    define_one_arm_cp_reg(v->cpu, &row);
}

void rows_define(struct armpmu_vcpu *v)
{
    if (arm_feature(&v->cpu->env, ARM_FEATURE_AARCH64)) {
        for (enum apmu_reg reg = 0; reg < APMU_REG_COUNT; reg++) {
            for (unsigned n = 0; n < apmu_reg_info(reg)->copies; n++) {
                define_a64(v, reg, n);
            }
        }
    }
    if ((v->pmu.cfg.features & APMU_FEAT(AA32)) != 0) {
        for (enum apmu_reg32 reg = 0; reg < APMU_REG32_COUNT; reg++) {
            const unsigned copies = apmu_reg_info(apmu_reg32_info(reg)->of)->copies;

            for (unsigned n = 0; n < copies; n++) {
                define_a32(v, reg, n);
            }
        }
    }
}
