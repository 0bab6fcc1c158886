/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains why an open failed: the object, the cause and the cure. */
#include <stdio.h>
#include <string.h>

#include <armpmu/events.h>

#include "internal.h"

#define OBJECT 128

/* Writes the object that the refusal concerns. */
static void name_object(const struct apmu_perf_refusal *no, char *text)
{
    const struct apmu_event_info *event = apmu_event_by_number(no->event);

    switch (no->error) {
    case APMU_E_PERF_PMU:
    case APMU_E_PERF_PMUS: snprintf(text, OBJECT, "PMU"); return;
    case APMU_E_PERF_ABSENT: snprintf(text, OBJECT, "perf_event_open"); return;
    case APMU_E_PERF_FILES:
    case APMU_E_NO_COUNTER: snprintf(text, OBJECT, "session"); return;
    case APMU_E_PERF_TARGET:
        if (no->cpu >= 0) {
            snprintf(text, OBJECT, "CPU %d", no->cpu);
        } else {
            snprintf(text, OBJECT, "thread %d", no->thread);
        }
        return;
    default: snprintf(text, OBJECT, "event %s (0x%04X)", event == NULL ? "without a name" : event->name, no->event);
    }
}

/* Writes the names of the filter bits in @filter. */
static void name_filters(uint64_t filter, char *text, size_t size)
{
    static const struct {
        uint64_t bit;
        const char *name;
    } bits[] = {
#define BIT(field) {APMU_FILTER(field), #field}
        BIT(P), BIT(U), BIT(NSK), BIT(NSU), BIT(NSH), BIT(M), BIT(SH), BIT(RLK), BIT(RLU), BIT(RLH), BIT(VS),
#undef BIT
    };
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof bits / sizeof bits[0] && used < size; i++) {
        if ((filter & bits[i].bit) != 0) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", bits[i].name);
            filter &= ~bits[i].bit;
        }
    }
    if (filter != 0 && used < size) {
        snprintf(text + used, size - used, "%s0x%llx", used == 0 ? "" : ", ", (unsigned long long)filter);
    }
}

/* Explains APMU_E_PERF_PERMISSION. */
static void explain_permission(const struct apmu_perf_refusal *no, const char *object, char *text, size_t size)
{
    const char *whom = no->cpu >= 0 ? "everything on a CPU" : no->needed == 2 ? "an application" : "the kernel";
    /* Above 2, the kernels of Debian and Ubuntu refuse a process with CAP_PERFMON, too. */
    const char *or_else = no->paranoid <= 2 ? "or give the process CAP_PERFMON"
                          : no->needed < 2 ? "or to 2 and give the process CAP_PERFMON"
                                           : "or give the process CAP_SYS_ADMIN, as CAP_PERFMON may not do above 2";

    if (no->paranoid > 2 && no->perfmon && no->needed == 2) {
        snprintf(text, size,
                 "%s: kernel.perf_event_paranoid is %d, and above 2 this kernel asks for CAP_SYS_ADMIN, though the "
                 "process has CAP_PERFMON; lower it (sysctl kernel.perf_event_paranoid=2)",
                 object, no->paranoid);
    } else if (no->paranoid > no->needed) {
        snprintf(text, size,
                 "%s: kernel.perf_event_paranoid is %d, and to count %s it may be at most %d; lower it "
                 "(sysctl kernel.perf_event_paranoid=%d), %s%s",
                 object, no->paranoid, whom, no->needed, no->needed, or_else,
                 no->needed == 1 && no->paranoid == 2 ? ", or filter by P" : "");
    } else if (no->thread > 0) {
        snprintf(text, size,
                 "%s: thread %d is another's; run as its owner, or give the process CAP_PERFMON and CAP_SYS_PTRACE",
                 object, no->thread);
    } else if (no->needed == INT32_MAX) {
        snprintf(text, size,
                 "%s: a container's seccomp filter or a security module forbids perf_event_open to this process, which "
                 "has the capability for it; run outside of it, or have it allow the call",
                 object);
    } else {
        snprintf(text, size,
                 "%s: a container's seccomp filter or a security module forbids perf_event_open, because "
                 "kernel.perf_event_paranoid, %d, does not; run outside of it, or have it allow the call",
                 object, no->paranoid);
    }
}

void apmu_perf_explain(const struct apmu_perf *perf, char *text, size_t size)
{
    const struct apmu_perf_refusal *no = &perf->refusal;
    char object[OBJECT], filters[64];

    name_object(no, object);
    switch (no->error) {
    case APMU_E_PERF_PERMISSION: explain_permission(no, object, text, size); return;
    case APMU_E_PERF_PMUS:
        snprintf(text, size, "%s: %s: %s; %s", object, apmu_error_text(no->error), no->pmus,
                 apmu_error_cure(no->error));
        return;
    case APMU_E_PERF_FILTER:
        name_filters(no->filter, filters, sizeof filters);
        snprintf(text, size, "%s: %s as %s; %s", object, apmu_error_text(no->error), filters,
                 apmu_error_cure(no->error));
        return;
    case APMU_E_PERF_GROUP:
        snprintf(text, size, "%s: it is wish %zu, and the kernel takes %u of these at once; %s", object, no->wish + 1,
                 no->counters, apmu_error_cure(no->error));
        return;
    case APMU_E_PERF_TARGET:
        if (no->cpu >= 0 && perf->pmu.cpus[0] != '\0') {
            snprintf(text, size,
                     "%s: it is none of the CPUs of %s, %s, that are online; name one of them, or another PMU", object,
                     perf->pmu.name, perf->pmu.cpus);
            return;
        }
        break;
    case APMU_E_NO_EVENT:
        snprintf(text, size, "%s: the kernel does not list it among the events of %s; use one of " SYS "/" PERF_DEVICES
                             "/%s/events, or set the wish's unlisted", object, perf->pmu.name, perf->pmu.name);
        return;
    case APMU_E_PERF_EVENT:
    case APMU_E_PERF_SYSTEM:
        snprintf(text, size, "%s: %s (%s); %s", object, apmu_error_text(no->error), strerror(no->system_error),
                 apmu_error_cure(no->error));
        return;
    default: break;
    }
    snprintf(text, size, "%s: %s; %s", object, apmu_error_text(no->error), apmu_error_cure(no->error));
}
