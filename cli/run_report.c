/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the report of a run on the system emulator, which qemu/system/observe.c writes.  Its lines are:
 *
 *      armpmu-report 1
 *      limit INSTRUCTIONS                      --limit ended the run; absent otherwise
 *      cpu NUMBER INSTRUCTIONS pmuv3|arm11     the lines below belong to this CPU
 *      core NAME                               the core of the core model whose events it counts
 *      core_event 0xEVENT COUNT                what that core counted in all while a counter asked for it
 *      counter N 0xEVENT VALUE [WORD]          a counter; silent: the emulator never raises its event;
 *                                              modelled:NAME: the core of that name counts it
 *      reason_time CYCLES 0xREASONS            the cycles in which exactly this set of reasons kept it from counting;
 *                                              0: it counted.  The longest time comes first.
 */
#include "run_report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <jansson.h>

#include <armpmu/arm11.h>
#include <armpmu/events.h>
#include <armpmu/model.h>

#define REPORT_VERSION   "1"
#define REASON_TIMES_MAX 8 /* sets of reasons that are printed for a counter; the others share a line */

struct report_counter {
    unsigned n, event;
    uint64_t value;
    uint64_t counted, still; /* cycles in which it counted, and in which it stood still */
    bool was_enabled;
    bool silent; /* the emulator never raises its event */
    char modelled[40]; /* "modelled:NAME" if a core counts it */
    struct {
        uint64_t cycles, why;
    } reason_times[REASON_TIMES_MAX];
    unsigned reason_time_count;
    uint64_t others; /* cycles of the sets of reasons beyond REASON_TIMES_MAX */
};

static const struct {
    const char *text;
} reasons[APMU_REASON_COUNT] = {
#define APMU_REASON(id, rule, cure, text) {text},
#include <armpmu/tables/reasons.def>
#undef APMU_REASON
};

/* A kind of PMU, and the names of its counters, events and reasons. */
struct pmu_kind {
    const char *id; /* its word in the report */
    const char *(*name)(unsigned n, char buf[24]);
    const char *(*event)(const struct report_counter *c); /* returns NULL for a number without a name */
    const char *(*reason)(unsigned bit);
    unsigned reasons;
    uint64_t disabled; /* the reason that keeps a counter from counting if it is not enabled */
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

const char *run_report_reason(bool arm11, unsigned bit)
{
    const struct pmu_kind *kind = &kinds[arm11 ? 1 : 0];

    return bit < kind->reasons ? kind->reason(bit) : NULL;
}

static const struct pmu_kind *find_kind(const char *id)
{
    for (size_t i = 1; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].id, id) == 0) {
            return &kinds[i];
        }
    }
    return &kinds[0];
}

/* Prints the reasons in @why, a line each, the first with the number of cycles in which all of them held. */
static void print_reason_time(FILE *out, const struct pmu_kind *kind, uint64_t cycles, uint64_t why)
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
    if (c->modelled[0] != '\0') {
        fprintf(out, "      %14s  %s\n", "", c->modelled);
    }
    if (c->silent) {
        fprintf(out, "      %14s  this event never occurs on the emulator\n", "");
    }
    for (unsigned i = 0; i < c->reason_time_count; i++) {
        print_reason_time(out, kind, c->reason_times[i].cycles, c->reason_times[i].why);
    }
    if (c->others != 0) {
        fprintf(out, "      %14" PRIu64 "  other reasons\n", c->others);
    }
}

/* The counters that were never enabled; they share a line. */
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

/* Ends a counter whose lines are all read: prints @c, or adds it to @idle, and empties it for the next counter. */
static void end_counter(FILE *out, const struct pmu_kind *kind, struct report_counter *c, struct idle_counters *idle)
{
    if (c->was_enabled || c->value != 0) {
        print_counter(out, kind, c);
    } else if (c->still != 0 && idle->count < APMU_COUNTERS) {
        idle->n[idle->count++] = c->n;
    }
    *c = (struct report_counter){.n = 0};
}

/* Adds a line "reason_time" to @c. */
static void add_reason_time(struct report_counter *c, const struct pmu_kind *kind, uint64_t cycles, uint64_t why)
{
    c->was_enabled |= (why & kind->disabled) == 0;
    if (why == 0) {
        c->counted += cycles;
        return;
    }
    c->still += cycles;
    if (c->reason_time_count < REASON_TIMES_MAX) {
        c->reason_times[c->reason_time_count].cycles = cycles;
        c->reason_times[c->reason_time_count++].why = why;
    } else {
        c->others += cycles;
    }
}

/* Checks the version in the first line of the report.  Returns false after it complained. */
static bool check_version(const struct cli_verb *verb, FILE *in)
{
    char version[16] = "";

    if (fscanf(in, "armpmu-report %15s\n", version) == 1 && strcmp(version, REPORT_VERSION) != 0) {
        cli_complain(verb, "the emulator's report has version %s, and this armpmu reads version " REPORT_VERSION
                     "; build both from one checkout: make && make qemu", version);
        return false;
    }
    rewind(in);
    return true;
}

/* Returns whether any CPU of the report executed an instruction.  Rewinds @in. */
static bool any_cpu_ran(FILE *in)
{
    char line[256];
    uint64_t instructions;
    bool ran = false;

    while (!ran && fgets(line, sizeof line, in) != NULL) {
        ran = sscanf(line, "cpu %*u %" SCNu64, &instructions) == 1 && instructions != 0;
    }
    rewind(in);
    return ran;
}

/* The state of reading a report. */
struct report_reader {
    FILE *out;
    const struct pmu_kind *kind; /* the kind of PMU of the CPU whose lines are read */
    struct report_counter counter;
    struct idle_counters idle;
};

/* Ends a CPU whose lines are all read: prints its last counter and its idle counters. */
static void end_cpu(struct report_reader *r)
{
    end_counter(r->out, r->kind, &r->counter, &r->idle);
    print_idle(r->out, r->kind, &r->idle);
}

/* Notes what the last word of its line says of the counter @c; "": there is none. */
static void note_word(struct report_counter *c, const char *word)
{
    c->silent = strcmp(word, "silent") == 0;
    snprintf(c->modelled, sizeof c->modelled, "%s", c->silent ? "" : word);
}

static void read_line(struct report_reader *r, const char *line)
{
    struct report_counter counter = {.n = 0};
    char word[40];
    uint64_t number, why;
    unsigned cpu;
    int words;

    if (sscanf(line, "limit %" SCNu64, &number) == 1) {
        fprintf(r->out, "\nended by --limit\n");
    } else if (sscanf(line, "cpu %u %" SCNu64 " %39s", &cpu, &number, word) == 3) {
        end_cpu(r);
        r->kind = find_kind(word);
        fprintf(r->out, "\nCPU %u: %" PRIu64 " instructions, a cycle each\n\n", cpu, number);
        fprintf(r->out, "  %-14s  %-24s %20s %14s %14s\n", "counter", "event", "value", "counted for", "stood still");
    } else if ((words = sscanf(line, "counter %u %x %" SCNu64 " %39s", &counter.n, &counter.event, &counter.value,
                               word)) >= 3) {
        end_counter(r->out, r->kind, &r->counter, &r->idle);
        r->counter = counter;
        note_word(&r->counter, words == 4 ? word : "");
    } else if (sscanf(line, "reason_time %" SCNu64 " %" SCNx64, &number, &why) == 2) {
        add_reason_time(&r->counter, r->kind, number, why);
    }
}

int run_report_print(const struct cli_verb *verb, FILE *out, const char *name)
{
    FILE *in = fopen(name, "re");
    struct report_reader r = {.out = out, .kind = &kinds[0]};
    char line[256];

    if (in == NULL) {
        return CLI_CANNOT;
    }
    if (!check_version(verb, in)) {
        fclose(in);
        return CLI_NO;
    }
    if (!any_cpu_ran(in)) {
        fclose(in);
        return CLI_CANNOT;
    }
    while (fgets(line, sizeof line, in) != NULL) {
        read_line(&r, line);
    }
    end_cpu(&r);
    fclose(in);
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The same as JSON.
 */

/* The counter whose lines are read, and the list that gets it. */
struct report_saver {
    json_t *list;
    const struct pmu_kind *kind;
    unsigned cpu;
    uint64_t instructions;
    bool has_counter;
    struct report_counter counter;
};

/* Adds the counter whose lines are all read to the list. */
static void save_counter(struct report_saver *s)
{
    const char *event = s->has_counter ? s->kind->event(&s->counter) : NULL;
    char number[16], name[24];
    json_t *o;

    if (!s->has_counter) {
        return;
    }
    snprintf(number, sizeof number, "r%x", s->counter.event);
    o = json_object();
    json_object_set_new(o, "cpu", json_integer(s->cpu));
    json_object_set_new(o, "instructions", json_integer((json_int_t)s->instructions));
    json_object_set_new(o, "counter", json_string(s->kind->name(s->counter.n, name)));
    json_object_set_new(o, "event", json_string(event != NULL ? event : number));
    json_object_set_new(o, "value", json_integer((json_int_t)s->counter.value));
    json_object_set_new(o, "counted", json_integer((json_int_t)s->counter.counted));
    json_object_set_new(o, "still", json_integer((json_int_t)s->counter.still));
    json_object_set_new(o, "mark", json_string(s->counter.silent ? "silent" : s->counter.modelled));
    json_array_append_new(s->list, o);
    s->has_counter = false;
}

static void save_line(struct report_saver *s, const char *line)
{
    struct report_counter counter = {.n = 0};
    uint64_t number, why;
    char word[40];
    unsigned cpu;
    int words;

    if (sscanf(line, "cpu %u %" SCNu64 " %39s", &cpu, &number, word) == 3) {
        save_counter(s);
        s->kind = find_kind(word);
        s->cpu = cpu;
        s->instructions = number;
    } else if ((words = sscanf(line, "counter %u %x %" SCNu64 " %39s", &counter.n, &counter.event, &counter.value,
                               word)) >= 3) {
        save_counter(s);
        s->counter = counter;
        note_word(&s->counter, words == 4 ? word : "");
        s->has_counter = counter.n < APMU_COUNTERS;
    } else if (sscanf(line, "reason_time %" SCNu64 " %" SCNx64, &number, &why) == 2) {
        add_reason_time(&s->counter, s->kind, number, why);
    }
}

int run_report_save(const struct cli_verb *verb, const char *name, const char *path)
{
    struct report_saver s = {.list = json_array(), .kind = &kinds[0]};
    json_t *whole = json_object();
    FILE *in = fopen(name, "re");
    char line[256];
    int status = CLI_YES;

    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        save_line(&s, line);
    }
    save_counter(&s);
    if (in != NULL) {
        fclose(in);
    }
    json_object_set_new(whole, "format", json_string("armpmu-run"));
    json_object_set_new(whole, "version", json_integer(1));
    json_object_set_new(whole, "counters", s.list);
    if (json_dump_file(whole, path, JSON_PRESERVE_ORDER | JSON_INDENT(2)) != 0) {
        cli_complain(verb, "%s: cannot be written: %s; choose another file for --save", path, strerror(errno));
        status = CLI_CANNOT;
    }
    json_decref(whole);
    return status;
}
