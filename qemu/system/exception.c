/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exceptions and exception returns as events.  They occur at the Exception level that is left.  An exception is taken
 * locally if it goes to the level that it comes from, from EL0 to EL1, or, if HCR_EL2.TGE is 1, from EL0 to EL2.
 */
#include "observe.h"

#include "internals.h"
#include "syndrome.h"

/* Returns the event that occurs together with EXC_TAKEN.  @exception is QEMU's number of the exception. */
static uint16_t event_of_exception(int exception, bool locally)
{
    switch (exception) {
    case EXCP_SWI:
        return locally ? APMU_EV_EXC_SVC : APMU_EV_EXC_TRAP_OTHER;
    case EXCP_HVC:
        return APMU_EV_EXC_HVC;
    case EXCP_SMC:
        return APMU_EV_EXC_SMC;
    case EXCP_PREFETCH_ABORT:
        return locally ? APMU_EV_EXC_PABORT : APMU_EV_EXC_TRAP_PABORT;
    case EXCP_DATA_ABORT:
    case EXCP_VSERR:
        return locally ? APMU_EV_EXC_DABORT : APMU_EV_EXC_TRAP_DABORT;
    case EXCP_IRQ:
    case EXCP_VIRQ:
    case EXCP_NMI:
    case EXCP_VINMI:
        return locally ? APMU_EV_EXC_IRQ : APMU_EV_EXC_TRAP_IRQ;
    case EXCP_FIQ:
    case EXCP_VFIQ:
    case EXCP_VFNMI:
        return locally ? APMU_EV_EXC_FIQ : APMU_EV_EXC_TRAP_FIQ;
    default:
        return locally ? APMU_EV_EXC_UNDEF : APMU_EV_EXC_TRAP_OTHER;
    }
}

bool exception_of_instruction(const struct armpmu_vcpu *v)
{
    const unsigned ec = syn_get_ec(v->cpu->env.exception.syndrome);

    switch (CPU(v->cpu)->exception_index) {
    case EXCP_SWI: /* SVC, HVC and SMC retire */
    case EXCP_HVC:
    case EXCP_SMC:
    case EXCP_IRQ: /* no instruction raises an asynchronous exception */
    case EXCP_VIRQ:
    case EXCP_NMI:
    case EXCP_VINMI:
    case EXCP_FIQ:
    case EXCP_VFIQ:
    case EXCP_VFNMI:
    case EXCP_VSERR:
        return false;
    case EXCP_UDEF: /* a Software Step exception is raised before the next instruction begins */
        return ec != EC_SOFTWARESTEP && ec != EC_SOFTWARESTEP_SAME_EL;
    default:
        return CPU(v->cpu)->exception_index >= 0; /* -1: an exception return */
    }
}

static void count_event(struct armpmu_vcpu *v, uint16_t event)
{
    apmu_event(&v->pmu, &v->pe, event, 1, 1, NULL);
    if (observe_active) {
        trace_event(v, event, 1);
    }
}

void exception_taken(struct armpmu_vcpu *v)
{
    const int exception = CPU(v->cpu)->exception_index;
    const unsigned from = v->pe.el, to = v->cpu->env.exception.target_el;
    const bool tge = (v->pe.hcr_el2 & HCR_TGE) != 0;

    if (v->plan == 0) {
        return; /* no counter counts */
    }
    if (exception < 0) {
        count_event(v, APMU_EV_EXC_RETURN);
        return;
    }
    count_event(v, APMU_EV_EXC_TAKEN);
    count_event(v, event_of_exception(exception, to == from || (from == 0 && to == (tge ? 2 : 1))));
}

bool exception_counts(uint16_t event)
{
    switch (event) {
    case APMU_EV_EXC_TAKEN:
    case APMU_EV_EXC_RETURN:
    case APMU_EV_EXC_UNDEF:
    case APMU_EV_EXC_SVC:
    case APMU_EV_EXC_PABORT:
    case APMU_EV_EXC_DABORT:
    case APMU_EV_EXC_IRQ:
    case APMU_EV_EXC_FIQ:
    case APMU_EV_EXC_SMC:
    case APMU_EV_EXC_HVC:
    case APMU_EV_EXC_TRAP_PABORT:
    case APMU_EV_EXC_TRAP_DABORT:
    case APMU_EV_EXC_TRAP_OTHER:
    case APMU_EV_EXC_TRAP_IRQ:
    case APMU_EV_EXC_TRAP_FIQ:
        return true;
    default:
        return false;
    }
}
