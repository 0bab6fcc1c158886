/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of the system emulator (qemu/system/observe.c), line by line. */
#include "report.h"

#include <inttypes.h>
#include <string.h>

#include <armpmu/arm11.h>
#include <armpmu/events.h>
#include <armpmu/model.h>

/* Where a counter stood still for more different reasons than these, the rest is one line. */
#define STAYS 8

struct report_counter {
    unsigned n, event;
    uint64_t value, counted, still;
    bool was_enabled;
    bool silent; /* the emulator never raises its event */
    struct {
        uint64_t cycles, why;
    } stay[STAYS];
    unsigned stays;
    uint64_t others;
};

static const struct {
    const char *text;
} reasons[APMU_REASON_COUNT] = {
#define APMU_REASON(id, rule, cure, text) {text},
#include <armpmu/tables/reasons.def>
#undef APMU_REASON
};

/* A kind of PMU: what its counters, their events and its reasons are called. */
struct pmu_kind {
    const char *id; /* in the report */
    const char *(*name)(unsigned n, char buf[24]);
    const char *(*event)(const struct report_counter *c); /* NULL: the number has no name */
    const char *(*reason)(unsigned bit);
    unsigned reasons;
    uint64_t disabled; /* the reason that a counter nobody uses has */
};

static const char *name_pmuv3(unsigned n, char buf[24])
{
    return n < APMU_EVENT_COUNTERS
               ? apmu_reg_name(APMU_REG_PMEVCNTR_EL0, n, buf)
               : apmu_reg_name(n == APMU_CYCLE ? APMU_REG_PMCCNTR_EL0 : APMU_REG_PMICNTR_EL0, 0, buf);
}

static const char *event_pmuv3(const struct report_counter *c)
{
    const struct apmu_event_info *info = apmu_event_by_number(c->event);

    if (c->n >= APMU_EVENT_COUNTERS) {
        return c->n == APMU_CYCLE ? "cycles" : "instructions";
    }
    return info != NULL ? info->name : NULL;
}

static const char *reason_pmuv3(unsigned bit)
{
    return reasons[bit].text;
}

static const char *name_arm11(unsigned n, char buf[24])
{
    (void)buf;
    return apmu_arm11_reg_info(n == APMU_ARM11_PMN0   ? APMU_ARM11_REG_PMN0
                               : n == APMU_ARM11_PMN1 ? APMU_ARM11_REG_PMN1
                                                      : APMU_ARM11_REG_CCNT)
        ->name;
}

static const char *event_arm11(const struct report_counter *c)
{
    const struct apmu_arm11_event_info *info = apmu_arm11_event_by_number(c->event);

    if (c->n == APMU_ARM11_CCNT) {
        return "cycles";
    }
    return info != NULL ? info->name : NULL;
}

static const char *reason_arm11(unsigned bit)
{
    return apmu_arm11_reason_info((enum apmu_arm11_reason)bit)->text;
}

static const struct pmu_kind kinds[] = {
    {"pmuv3", name_pmuv3, event_pmuv3, reason_pmuv3, APMU_REASON_COUNT, APMU_WHY(CNTEN)},
    {"arm11", name_arm11, event_arm11, reason_arm11, APMU_ARM11_REASON_COUNT, APMU_ARM11_WHY(PMNC_E)},
};

static const struct pmu_kind *kind_of(const char *id)
{
    for (size_t i = 1; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].id, id) == 0) {
            return &kinds[i];
        }
    }
    return &kinds[0];
}

/* For so many cycles all of these at once. */
static void print_stay(FILE *out, const struct pmu_kind *kind, uint64_t cycles, uint64_t why)
{
    bool first = true;

    for (unsigned i = 0; i < kind->reasons; i++) {
        if ((why >> i & 1) == 0) {
            continue;
        }
        if (first) {
            fprintf(out, "      %14" PRIu64 "  %s\n", cycles, kind->reason(i));
        } else {
            fprintf(out, "      %14s  %s\n", "", kind->reason(i));
        }
        first = false;
    }
}

static void print_counter(FILE *out, const struct pmu_kind *kind, const struct report_counter *c)
{
    const char *event = kind->event(c);
    char buf[24];

    fprintf(out, "  %-14s", kind->name(c->n, buf));
    if (event != NULL) {
        fprintf(out, "  %-24s", event);
    } else {
        fprintf(out, "  r%-23x", c->event);
    }
    fprintf(out, " %20" PRIu64 " %14" PRIu64 " %14" PRIu64 "\n", c->value, c->counted, c->still);
    if (c->silent) {
        fprintf(out, "      %14s  this event never occurs on the emulator\n", "");
    }
    for (unsigned i = 0; i < c->stays; i++) {
        print_stay(out, kind, c->stay[i].cycles, c->stay[i].why);
    }
    if (c->others != 0) {
        fprintf(out, "      %14" PRIu64 "  other reasons\n", c->others);
    }
}

/* The counters that nobody ever enabled share a line. */
struct idle_counters {
    unsigned n[APMU_COUNTERS], count;
};

static void print_idle(FILE *out, const struct pmu_kind *kind, struct idle_counters *idle)
{
    char buf[24];

    for (unsigned i = 0; i < idle->count; i++) {
        fprintf(out, "%s%s", i == 0 ? "  never enabled: " : ", ", kind->name(idle->n[i], buf));
    }
    if (idle->count != 0) {
        fputc('\n', out);
    }
    idle->count = 0;
}

static void end_counter(FILE *out, const struct pmu_kind *kind, struct report_counter *c, struct idle_counters *idle)
{
    if (c->was_enabled || c->value != 0) {
        print_counter(out, kind, c);
    } else if (c->still != 0 && idle->count < APMU_COUNTERS) {
        idle->n[idle->count++] = c->n;
    }
    *c = (struct report_counter){.n = 0};
}

static void add_stay(struct report_counter *c, const struct pmu_kind *kind, uint64_t cycles, uint64_t why)
{
    c->was_enabled |= (why & kind->disabled) == 0;
    if (why == 0) {
        c->counted += cycles;
        return;
    }
    c->still += cycles;
    if (c->stays < STAYS) {
        c->stay[c->stays].cycles = cycles;
        c->stay[c->stays++].why = why;
    } else {
        c->others += cycles;
    }
}

/* Did any CPU execute anything? */
static bool has_run(FILE *in)
{
    char line[256];
    uint64_t instructions;
    bool some = false;

    while (!some && fgets(line, sizeof line, in) != NULL) {
        some = sscanf(line, "cpu %*u %" SCNu64, &instructions) == 1 && instructions != 0;
    }
    rewind(in);
    return some;
}

int report_print(FILE *out, const char *name)
{
    FILE *in = fopen(name, "re");
    const struct pmu_kind *kind = &kinds[0];
    char line[256], word[16];
    struct report_counter c = {.n = 0}, next;
    struct idle_counters idle = {.count = 0};
    uint64_t number, why;
    unsigned cpu;
    int words;

    if (in == NULL || !has_run(in)) {
        if (in != NULL) {
            fclose(in);
        }
        return CLI_CANNOT;
    }
    while (fgets(line, sizeof line, in) != NULL) {
        next = (struct report_counter){.n = 0};
        if (sscanf(line, "limit %" SCNu64, &number) == 1) {
            fprintf(out, "\nended by --limit\n");
        } else if (sscanf(line, "cpu %u %" SCNu64 " %15s", &cpu, &number, word) == 3) {
            end_counter(out, kind, &c, &idle);
            print_idle(out, kind, &idle);
            kind = kind_of(word);
            fprintf(out, "\nCPU %u: %" PRIu64 " instructions, a cycle each\n\n", cpu, number);
            fprintf(out, "  %-14s  %-24s %20s %14s %14s\n", "counter", "event", "value", "counted for", "stood still");
        } else if ((words = sscanf(line, "counter %u %x %" SCNu64 " %15s", &next.n, &next.event, &next.value, word)) >=
                   3) {
            end_counter(out, kind, &c, &idle);
            c = next;
            c.silent = words == 4;
        } else if (sscanf(line, "stay %" SCNu64 " %" SCNx64, &number, &why) == 2) {
            add_stay(&c, kind, number, why);
        }
    }
    end_counter(out, kind, &c, &idle);
    print_idle(out, kind, &idle);
    fclose(in);
    return CLI_YES;
}
