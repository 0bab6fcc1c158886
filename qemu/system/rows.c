/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The System registers of the PMU in both Execution states: one of QEMU's rows (ARMCPRegInfo) for each register of the
 * tables.
 *
 * An MSR of such a register takes this way.  Translated code calls the row's access function, may_access(), which
 * reads the PE (pe_refresh()) and asks the model (apmu_access()).  If the model traps the access or makes it UNDEFINED,
 * QEMU raises that exception, and no more.  Otherwise QEMU takes its lock and calls write_row().  That flushes
 * what the vCPU executed, the MSR included (vcpu_flush()), has the model write the register (apmu_poke()), and calls
 * vcpu_update(), which drives PMUIRQ, chooses what translated code counts and sets the next deadline.  An MRS flushes
 * what came before it and calls apmu_peek().  Other registers that decide what the PMU counts are in control.c.
 */
#include "observe.h"

#include "cpregs.h"
#include "internals.h"

/* The register of a row, and its copy, are kept in .resetvalue, which QEMU uses only for a row with a field in env. */
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

/* Returns the model's decision @a in QEMU's terms. */
static CPAccessResult access_result(const struct apmu_access *a)
{
    switch (a->outcome) {
    case APMU_ACCESS_UNDEFINED:
        return CP_ACCESS_UNDEFINED;
    case APMU_ACCESS_TRAP:
        if (a->ec == 0) { /* an UNDEFINED exception, which HCR.TGE routes to Hyp mode: so does QEMU */
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
    if (observe_active && access_result(&v->access) != CP_ACCESS_OK) {
        trace_access(v, !reads, view(row), row->name, 0);
    }
    return access_result(&v->access);
}

static uint64_t read_row(CPUARMState *env, const ARMCPRegInfo *row)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);
    uint64_t value = 0;

    vcpu_flush_before(v, MRS_READ);
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

    vcpu_flush(v, vcpu_retired(v)); /* the MSR itself counts under the old settings */
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

/* Returns to a debugger, while the vCPU is stopped, what the highest Exception level reads. */
static uint64_t debugger_read_row(CPUARMState *env, const ARMCPRegInfo *row)
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

static void ignore_raw_write(CPUARMState *env, const ARMCPRegInfo *row, uint64_t value)
{
    (void)env, (void)row, (void)value; /* migration.c migrates the PMU as a whole */
}

#define ROW {.accessfn = may_access, .readfn = read_row, .writefn = write_row, .raw_readfn = debugger_read_row, \
             .raw_writefn = ignore_raw_write, .type = ARM_CP_IO | ARM_CP_ALIAS | ARM_CP_OVERRIDE}

/*
 * Makes @row the one whose reset resets the PMU.  QEMU does not reset an alias.  It would migrate a row that is no
 * alias, unless that is NO_RAW and so hidden from debuggers.  PMSWINC, which is write-only, has nothing to show them.
 */
static void add_reset(ARMCPRegInfo *row)
{
    row->resetfn = reset_row;
    row->type = (row->type & ~ARM_CP_ALIAS) | ARM_CP_NO_RAW;
}

static void define_a64(struct armpmu_vcpu *v, enum apmu_reg reg, unsigned n)
{
    const unsigned key = apmu_reg_info(reg)->key + n; /* the encodings of a bank's copies are consecutive */
    char name[24];
    ARMCPRegInfo row = ROW;

    row.state = ARM_CP_STATE_AA64;
    row.name = apmu_reg_name(reg, n, name);
    row.opc0 = key >> 14 & 3;
    row.opc1 = key >> 11 & 7;
    row.crn = key >> 7 & 15;
    row.crm = key >> 3 & 15;
    row.opc2 = key & 7;
    row.access = row.opc1 == 0 ? PL1_RW : PL0_RW; /* QEMU asserts this much; the model decides the rest */
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
