/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what the PMU borrows from the PE out of QEMU's state of the vCPU. */
#include "observe.h"

#include "cpregs.h"
#include "internals.h"

#define SDER_SUNIDEN 2u
#define OSLSR_OSLK 2u
#define OSDLR_DLK 1u

void pe_refresh(struct armpmu_vcpu *v)
{
    CPUARMState *env = &v->cpu->env;

    if (v->is_arm11) {
        v->pe11 = (struct apmu_arm11_pe){
            .user = arm_current_el(env) == 0,
            .user_v = v->user_v,
            .secure = arm_is_secure(env),
            .spniden = true, /* so that software of a board that never leaves the Secure world can count */
            .suniden = (env->cp15.sder & SDER_SUNIDEN) != 0,
        };
        if (observe_active) {
            trace_pe(v);
        }
        return;
    }
    v->pe = (struct apmu_pe){
        .el = (uint8_t)arm_current_el(env),
        .a32 = !is_a64(env),
        .sm = FIELD_EX64(env->svcr, SVCR, SM) != 0,
        .os_lock = (env->cp15.oslsr_el1 & OSLSR_OSLK) != 0,
        .double_lock = (env->cp15.osdlr_el1 & OSDLR_DLK) != 0,
        /* As on a shipped product: debug of the Non-secure world is enabled, of the Secure world it is not. */
        .dbgen = true,
        .niden = true,
        .mdcr_el2 = env->cp15.mdcr_el2,
        .mdcr_el3 = env->cp15.mdcr_el3,
        .hcr_el2 = env->cp15.hcr_el2,
        .scr_el3 = env->cp15.scr_el3,
        .sder32_el3 = env->cp15.sder,
        .hstr_el2 = env->cp15.hstr_el2,
        .hdfgrtr_el2 = env->cp15.fgt_read[FGTREG_HDFGRTR],
        .hdfgwtr_el2 = env->cp15.fgt_write[FGTREG_HDFGWTR],
        .hdfgrtr2_el2 = v->hdfgrtr2,
        .hdfgwtr2_el2 = v->hdfgwtr2,
    };
    if (observe_active) {
        trace_pe(v);
    }
}
