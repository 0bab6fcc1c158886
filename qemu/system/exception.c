/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exceptions and exception returns as events.  They occur at the Exception level that is left.  An exception is taken
 * locally if it goes to the level that it comes from, from EL0 to EL1, or where HCR_EL2.TGE is 1 from EL0 to EL2.
 */
#include "observe.h"

#include "internals.h"
#include "syndrome.h"

#define EXC_TAKEN 0x0009
#define EXC_RETURN 0x000A
#define EXC_UNDEF 0x0081
#define EXC_SVC 0x0082
#define EXC_PABORT 0x0083
#define EXC_DABORT 0x0084
#define EXC_IRQ 0x0086
#define EXC_FIQ 0x0087
#define EXC_SMC 0x0088
#define EXC_HVC 0x008A
#define EXC_TRAP_PABORT 0x008B
#define EXC_TRAP_DABORT 0x008C
#define EXC_TRAP_OTHER 0x008D
#define EXC_TRAP_IRQ 0x008E
#define EXC_TRAP_FIQ 0x008F

/* The event besides EXC_TAKEN. */
static uint16_t event_of_exception(int exception, bool locally)
{
    switch (exception) {
    case EXCP_SWI:
        return locally ? EXC_SVC : EXC_TRAP_OTHER;
    case EXCP_HVC:
        return EXC_HVC;
    case EXCP_SMC:
        return EXC_SMC;
    case EXCP_PREFETCH_ABORT:
        return locally ? EXC_PABORT : EXC_TRAP_PABORT;
    case EXCP_DATA_ABORT:
    case EXCP_VSERR:
        return locally ? EXC_DABORT : EXC_TRAP_DABORT;
    case EXCP_IRQ:
    case EXCP_VIRQ:
    case EXCP_NMI:
    case EXCP_VINMI:
        return locally ? EXC_IRQ : EXC_TRAP_IRQ;
    case EXCP_FIQ:
    case EXCP_VFIQ:
    case EXCP_VFNMI:
        return locally ? EXC_FIQ : EXC_TRAP_FIQ;
    default:
        return locally ? EXC_UNDEF : EXC_TRAP_OTHER;
    }
}

bool exception_of_instruction(const struct armpmu_vcpu *v)
{
    const unsigned ec = syn_get_ec(v->cpu->env.exception.syndrome);

    switch (CPU(v->cpu)->exception_index) {
    case EXCP_SWI: /* these three retire */
    case EXCP_HVC:
    case EXCP_SMC:
    case EXCP_IRQ: /* and these come from elsewhere */
    case EXCP_VIRQ:
    case EXCP_NMI:
    case EXCP_VINMI:
    case EXCP_FIQ:
    case EXCP_VFIQ:
    case EXCP_VFNMI:
    case EXCP_VSERR:
        return false;
    case EXCP_UDEF: /* a step ends before the next instruction begins */
        return ec != EC_SOFTWARESTEP && ec != EC_SOFTWARESTEP_SAME_EL;
    default:
        return CPU(v->cpu)->exception_index >= 0; /* -1: an exception return */
    }
}

static void occur(struct armpmu_vcpu *v, uint16_t event)
{
    apmu_event(&v->pmu, &v->pe, event, 1, 1, NULL);
    if (observe_active) {
        trace_event(v, event, 1);
    }
}

/* Before the Exception level changes, for whichever reason; what was executed before is told. */
void exception_taken(struct armpmu_vcpu *v)
{
    const int exception = CPU(v->cpu)->exception_index;
    const unsigned from = v->pe.el, to = v->cpu->env.exception.target_el;
    const bool tge = (v->pe.hcr_el2 & HCR_TGE) != 0;

    if (v->plan == 0) {
        return; /* nothing counts */
    }
    if (exception < 0) {
        occur(v, EXC_RETURN);
        return;
    }
    occur(v, EXC_TAKEN);
    occur(v, event_of_exception(exception, to == from || (from == 0 && to == (tge ? 2 : 1))));
}

bool exception_counts(uint16_t event)
{
    return event == EXC_TAKEN || event == EXC_RETURN ||
           (event >= EXC_UNDEF && event <= EXC_TRAP_FIQ && event != 0x0085 && event != 0x0089);
}
