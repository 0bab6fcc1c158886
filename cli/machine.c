/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of the system emulator (engine/qemu-system/observe.c), line by line. */
#include "machine.h"

#include <inttypes.h>

#include <armpmu/events.h>
#include <armpmu/model.h>

/* Where a counter stood still for more different reasons than these, the rest is one line. */
#define STAYS 8

struct counter {
    unsigned n, event;
    uint64_t value, counted, still;
    bool was_enabled;
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

static const char *counter_name(unsigned n, char buf[24])
{
    return n < APMU_EVENT_COUNTERS
               ? apmu_reg_name(APMU_REG_PMEVCNTR_EL0, n, buf)
               : apmu_reg_name(n == APMU_CYCLE ? APMU_REG_PMCCNTR_EL0 : APMU_REG_PMICNTR_EL0, 0, buf);
}

static void print_event(FILE *out, const struct counter *c)
{
    const struct apmu_event_info *info = apmu_event_by_number(c->event);

    if (c->n >= APMU_EVENT_COUNTERS) {
        fprintf(out, "  %-24s", c->n == APMU_CYCLE ? "cycles" : "instructions");
    } else if (info != NULL) {
        fprintf(out, "  %-24s", info->name);
    } else {
        fprintf(out, "  r%-23x", c->event);
    }
}

/* For so many cycles all of these at once. */
static void print_stay(FILE *out, uint64_t cycles, uint64_t why)
{
    bool first = true;

    for (unsigned i = 0; i < APMU_REASON_COUNT; i++) {
        if ((why >> i & 1) == 0) {
            continue;
        }
        if (first) {
            fprintf(out, "      %14" PRIu64 "  %s\n", cycles, reasons[i].text);
        } else {
            fprintf(out, "      %14s  %s\n", "", reasons[i].text);
        }
        first = false;
    }
}

static void print_counter(FILE *out, const struct counter *c)
{
    char buf[24];

    fprintf(out, "  %-14s", counter_name(c->n, buf));
    print_event(out, c);
    fprintf(out, " %20" PRIu64 " %14" PRIu64 " %14" PRIu64 "\n", c->value, c->counted, c->still);
    for (unsigned i = 0; i < c->stays; i++) {
        print_stay(out, c->stay[i].cycles, c->stay[i].why);
    }
    if (c->others != 0) {
        fprintf(out, "      %14" PRIu64 "  other reasons\n", c->others);
    }
}

/* The counters that nobody ever enabled share a line. */
struct idle {
    unsigned n[APMU_COUNTERS], count;
};

static void print_idle(FILE *out, struct idle *idle)
{
    char buf[24];

    for (unsigned i = 0; i < idle->count; i++) {
        fprintf(out, "%s%s", i == 0 ? "  never enabled: " : ", ", counter_name(idle->n[i], buf));
    }
    if (idle->count != 0) {
        fputc('\n', out);
    }
    idle->count = 0;
}

static void end_counter(FILE *out, struct counter *c, struct idle *idle)
{
    if (c->was_enabled || c->value != 0) {
        print_counter(out, c);
    } else if (c->still != 0 && idle->count < APMU_COUNTERS) {
        idle->n[idle->count++] = c->n;
    }
    *c = (struct counter){.n = 0};
}

static void add_stay(struct counter *c, uint64_t cycles, uint64_t why)
{
    c->was_enabled |= (why & APMU_WHY(CNTEN)) == 0;
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

int machine_print(FILE *out, const char *name)
{
    FILE *in = fopen(name, "re");
    char line[256];
    struct counter c = {.n = 0}, next;
    struct idle idle = {.count = 0};
    uint64_t number, why;
    unsigned cpu;

    if (in == NULL || !has_run(in)) {
        if (in != NULL) {
            fclose(in);
        }
        return CLI_CANNOT;
    }
    while (fgets(line, sizeof line, in) != NULL) {
        next = (struct counter){.n = 0};
        if (sscanf(line, "limit %" SCNu64, &number) == 1) {
            fprintf(out, "\nended by --limit\n");
        } else if (sscanf(line, "cpu %u %" SCNu64, &cpu, &number) == 2) {
            end_counter(out, &c, &idle);
            print_idle(out, &idle);
            fprintf(out, "\nCPU %u: %" PRIu64 " instructions, a cycle each\n\n", cpu, number);
            fprintf(out, "  %-14s  %-24s %20s %14s %14s\n", "counter", "event", "value", "counted for", "stood still");
        } else if (sscanf(line, "counter %u %x %" SCNu64, &next.n, &next.event, &next.value) == 3) {
            end_counter(out, &c, &idle);
            c = next;
        } else if (sscanf(line, "stay %" SCNu64 " %" SCNx64, &number, &why) == 2) {
            add_stay(&c, number, why);
        }
    }
    end_counter(out, &c, &idle);
    print_idle(out, &idle);
    fclose(in);
    return CLI_YES;
}
