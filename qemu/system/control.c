/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control registers: System registers of the PE that decide what the PMU counts.
 *
 * A guest's MSR of a control register keeps QEMU's access function and QEMU's write.  write_control() surrounds that
 * write: pmu_op_start() flushes what was executed under the old value, and pmu_op_finish() reads the PE again and
 * begins the next batch.  rows.c describes an MSR of the PMU's own registers.  The registers of FEAT_FGT2, which QEMU
 * lacks, are added here where the PMU has that feature.
 */
#include "vcpu.h"

#include "cpregs.h"
#include "internals.h"
#include "qemu/main-loop.h"

/*
 * The names in both Execution states.  QEMU appends "_S" to one of the two names of a register banked by Security
 * state.
 */
static const char *const controls[] = {
    "MDCR_EL2", "MDCR_EL3", "SDCR", "HCR_EL2", "HCR", "HCR2", "SCR_EL3", "SCR", "SDER32_EL3", "SDER",
    "OSLAR_EL1", "OSDLR_EL1", "SVCR",
};

static GHashTable *plain_writes; /* from a row to QEMU's write function; one thread creates all vCPUs */

static void write_control(CPUARMState *env, const ARMCPRegInfo *row, uint64_t value)
{
    CPWriteFn *const plain = g_hash_table_lookup(plain_writes, row);
    struct armpmu_vcpu *v = vcpu_of_env(env);

    pmu_op_start(env);
    plain(env, row, value);
    if (strcmp(row->name, "SCR_EL3") == 0 && (v->pmu.cfg.features & APMU_FEAT(FGT2)) != 0) {
        /* QEMU does not know this field, and drops it. */
        env->cp15.scr_el3 = (env->cp15.scr_el3 & ~APMU_MASK(SCR_EL3, FGTEn2)) | (value & APMU_MASK(SCR_EL3, FGTEn2));
    }
    pmu_op_finish(env);
}

/* Puts write_control() around the write of a row if it is a control register's. */
static void surround(gpointer key, gpointer value, gpointer opaque)
{
    ARMCPRegInfo *row = value;
    const size_t length = strlen(row->name) - (g_str_has_suffix(row->name, "_S") ? 2 : 0);

    for (size_t i = 0; i < ARRAY_SIZE(controls); i++) {
        if (strlen(controls[i]) == length && strncmp(row->name, controls[i], length) == 0 &&
            (row->type & ARM_CP_SPECIAL_MASK) == 0) {
            CPWriteFn *const plain = row->writefn != NULL ? row->writefn : raw_write;

            g_hash_table_insert(plain_writes, row, plain);
            if (row->raw_writefn == NULL) {
                row->raw_writefn = plain; /* migration flushes nothing */
            }
            row->writefn = write_control;
            row->type |= ARM_CP_IO; /* under -icount, the number of executed instructions is exact there */
        }
    }
}

/* Flushes before SMSTART or SMSTOP, which write PSTATE.SM without an MSR.  Each of them ends its block. */
void armpmu_control_begins(CPUARMState *env)
{
    bql_lock();
    pmu_op_start(env);
}

/* Updates after them. */
void armpmu_control_ends(CPUARMState *env)
{
    pmu_op_finish(env);
    bql_unlock();
}

static CPAccessResult may_access_fgt2(CPUARMState *env, const ARMCPRegInfo *row, bool reads)
{
    return arm_current_el(env) == 2 && arm_feature(env, ARM_FEATURE_EL3) &&
                   APMU_GET(SCR_EL3, FGTEn2, env->cp15.scr_el3) == 0
               ? CP_ACCESS_TRAP_EL3
               : CP_ACCESS_OK;
}

static uint64_t *storage(CPUARMState *env, const ARMCPRegInfo *row)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);

    return row->opc2 == 0 ? &v->hdfgrtr2 : &v->hdfgwtr2;
}

static uint64_t read_fgt2(CPUARMState *env, const ARMCPRegInfo *row)
{
    return *storage(env, row);
}

static void write_fgt2(CPUARMState *env, const ARMCPRegInfo *row, uint64_t value)
{
    *storage(env, row) = value;
}

static void reset_fgt2(CPUARMState *env, const ARMCPRegInfo *row)
{
    *storage(env, row) = 0;
}

/*
 * The registers of FEAT_FGT2.  The first two have traps of the PMU.  What the other three trap does not exist here, so
 * they are 0.
 */
static const struct {
    const char *name;
    uint8_t op2;
    bool constant;
} fgt2[] = {
    {"HDFGRTR2_EL2", 0, false}, {"HDFGWTR2_EL2", 1, false},
    {"HFGRTR2_EL2", 2, true},   {"HFGWTR2_EL2", 3, true},   {"HFGITR2_EL2", 7, true},
};

void control_define(struct armpmu_vcpu *v)
{
    if (plain_writes == NULL) {
        plain_writes = g_hash_table_new(NULL, NULL);
    }
    g_hash_table_foreach(v->cpu->cp_regs, surround, NULL);
    if ((v->pmu.cfg.features & APMU_FEAT(FGT2)) == 0 || !arm_feature(&v->cpu->env, ARM_FEATURE_EL2)) {
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(fgt2); i++) {
        const ARMCPRegInfo row = {
            .name = fgt2[i].name, .state = ARM_CP_STATE_AA64, .opc0 = 3, .opc1 = 4, .crn = 3, .crm = 1,
            .opc2 = fgt2[i].op2, .access = PL2_RW, .accessfn = may_access_fgt2,
            .type = fgt2[i].constant ? ARM_CP_CONST : ARM_CP_NO_RAW,
            .readfn = fgt2[i].constant ? NULL : read_fgt2,
            .writefn = fgt2[i].constant ? NULL : write_fgt2,
            .resetfn = fgt2[i].constant ? NULL : reset_fgt2,
        };

        define_one_arm_cp_reg(v->cpu, &row);
    }
}
