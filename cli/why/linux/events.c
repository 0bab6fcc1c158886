/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on the tables of perf and simpleperf: events that are missing, zero, shared or of another core. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "linux.h"

unsigned linux_counters_there(const struct linux_view *v, bool *known)
{
    const struct clue *driver = v->first[CLUE_linux_driver];
    const struct apmu_core_info *core = v->r->machine.core;

    *known = true;
    if (driver != NULL) {
        return (unsigned)driver->values[0];
    }
    if (core != NULL && core->counters != APMU_CORE_COUNTERS_UNKNOWN && core->counters != 0) {
        return core->counters + 1u;
    }
    *known = false;
    return 7;
}

/* Returns true if the rows of @t name two PMUs and at least one of these counts. */
static bool covers_both_kinds(const struct linux_table *t)
{
    return t->named >= 2 && t->counted > 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events that are not there.
 */

/* Returns true if perf's name @event stands for an event that every PMUv3 must have. */
static bool is_mandatory(const char *event)
{
    static const char *const names[] = {"instructions",
                                        "cycles",
                                        "cpu-cycles",
                                        "branch-misses",
                                        "inst_retired",
                                        "cpu_cycles",
                                        "cache-references",
                                        "cache-misses",
                                        "l1-dcache-loads",
                                        "l1-dcache-load-misses",
                                        "branches",
                                        "branch-instructions",
                                        "br_mis_pred",
                                        "l1d_cache",
                                        "r8",
                                        "r08",
                                        "r11"};
    char bare[96];

    linux_word(event, ":", bare, sizeof bare);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(bare, names[i]) == 0) {
            return true;
        }
    }
    return strstr(event, "inst_retired") != NULL || strstr(event, "br_mis_pred") != NULL;
}

int linux_raw_number(const char *event)
{
    const char *at = strstr(event, "event=");

    if (at != NULL) {
        return (int)(strtoul(at + 6, NULL, 0) & 0xFFFF);
    }
    at = strrchr(event, '/');
    if (at != NULL && at[1] == '\0' && at > event) {
        for (at--; at > event && at[-1] != '/'; at--) {
        }
    } else {
        at = event;
    }
    if (at[0] == 'r' && isxdigit((unsigned char)at[1])) {
        char *end;
        const unsigned long number = strtoul(at + 1, &end, 16);

        return (*end == '\0' || *end == ':' || *end == '/') && number <= 0xFFFF ? (int)number : -1;
    }
    return -1;
}

/* Returns true if the input shows or says that the machine is virtual, and no emulator. */
static bool is_virtual(const struct linux_view *v)
{
    return !v->emulated && (v->here != NULL || (reading_value(&v->r->machine.guest, 0) == 1 && !v->physical));
}

/* Returns true if @raw is an event that each PMUv3 with a cache and a branch predictor has, and each program causes. */
static bool is_common(int raw)
{
    return raw == APMU_EV_L1D_CACHE_REFILL || raw == APMU_EV_L1D_CACHE || raw == APMU_EV_BR_MIS_PRED ||
           raw == APMU_EV_BR_PRED;
}

/* Adds what the guest's or emulator's PMU lacks.  @row is a mandatory event that is not there, while others count. */
static void add_filter(struct linux_view *v, const struct linux_table *t, const struct clue *row)
{
    static const char icount[] =
        "start QEMU with -icount shift=0, or run under KVM: TCG counts instructions "
        "only with -icount";

    if (v->emulated) {
        const bool instructions = strncmp(row->words, "inst", 4) == 0 || linux_raw_number(row->words) == 8;

        if (instructions && v->first[CLUE_linux_icount] == NULL) {
            linux_suspect(v, WHY_qemu_no_icount, SUSPECT_CERTAIN, 80, row, icount);
        }
        if (instructions && linux_text_has(v, "shift=auto")) {
            linux_suspect(v, WHY_qemu_no_icount, SUSPECT_LIKELY, 80, row,
                          "start QEMU with a fixed -icount shift=0 (up to 10): shift=auto is the adaptive mode, in "
                          "which TCG has no event of instructions");
        }
        linux_suspect(
            v, WHY_emulator_counts_little, instructions ? SUSPECT_POSSIBLE : SUSPECT_LIKELY, 50, row,
            "QEMU counts cycles, and instructions with -icount, and few other events: use hardware, KVM, or armpmu "
            "stat");
        return;
    }
    if (is_virtual(v) || v->first[CLUE_linux_listed_event] != NULL) {
        linux_suspect(
            v, WHY_hypervisor_filters_events, SUSPECT_LIKELY, 80, row,
            "the hypervisor's filter (KVM_ARM_VCPU_PMU_V3_FILTER) leaves these events out: ask the operator of the "
            "host or the provider to allow them; use the events that are left");
        if (strncmp(row->words, "instructions", 12) == 0 && v->here != NULL && linux_text_has(v, "qemu")) {
            linux_suspect(v, WHY_qemu_no_icount, SUSPECT_POSSIBLE, 50, row, icount);
        }
        return;
    }
    if (strncmp(row->words, "instructions", 12) == 0 && t->cycles != NULL && t->cycles->kind == CLUE_linux_counted) {
        linux_suspect(v, WHY_qemu_no_icount, SUSPECT_POSSIBLE, 55, row, icount);
        linux_suspect(v, WHY_hypervisor_filters_events, SUSPECT_POSSIBLE, 50, row, NULL);
    }
}

static bool add_group(struct linux_view *v, const struct linux_table *t, const struct clue *row)
{
    char cure[400], because[400], quote[120];
    bool known, cycles;
    const unsigned group = linux_largest_group(t->command, &cycles), there = linux_counters_there(v, &known);
    const unsigned counters = there - (!cycles && there > 1); /* the cycle counter counts cycles only */
    const unsigned watchdog = v->first[CLUE_linux_watchdog] != NULL || linux_watchdog_before(v, row);

    if (group == 0 || group + watchdog <= counters) {
        return false;
    }
    for (unsigned i = 0; i < v->table_count && group <= counters; i++) {
        if (v->tables[i].counted >= group && strcmp(v->tables[i].command, t->command) == 0) {
            suspect_clear(v->all, WHY_group_larger_than_counters); /* it was counted at another time */
        }
    }
    if (group <= counters) { /* it fits without the watchdog */
        linux_suspect(v, WHY_somebody_else_programs_pmu, SUSPECT_CERTAIN, 82, row,
                      suspect_text(cure, "the NMI watchdog holds one of the %u counters: sysctl -w "
                                         "kernel.nmi_watchdog=0, or make the group smaller by one event", counters));
    }
    suspect_text(because, "%s: the group has %u events%s, there are %u %scounters%s",
                 reading_quote(v->r, row->line, quote, sizeof quote), group, cycles ? "" : " and none is cycles",
                 counters, cycles ? "" : "event ",
                 known    ? ""
                 : cycles ? " (6 and the cycle counter) on most cores"
                          : " on most cores");
    suspect_text(cure, "make groups of at most %u events, or leave out the braces: perf then multiplexes",
                 counters - watchdog);
    struct suspect *s =
        linux_suspect(v, WHY_group_larger_than_counters, known ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 80, row, cure);

    snprintf(s->because, sizeof s->because, "%s", because);
    return true;
}

/* Returns true if the event of row @c, which is not supported, is counted in another table. */
static bool is_counted_elsewhere(const struct linux_view *v, const struct clue *c)
{
    for (const struct clue *k = v->first[CLUE_linux_counted]; k != NULL;
         k = reading_next(v->r, CLUE_linux_counted, k)) {
        if (k->values[0] != 0 && strcmp(k->words, c->words) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Adds the group of the rows of @t that are not supported there and are counted elsewhere.  Returns true if
 * there is one: the core has the event.
 */
static bool add_too_many(struct linux_view *v, const struct linux_table *t)
{
    const struct clue *row = NULL;
    unsigned rows = 0;
    bool cycles;

    for (const struct clue *c = t->first_unsupported; c != NULL && rows < t->unsupported;
         c = reading_next(v->r, CLUE_linux_not_supported, c)) {
        const bool counted = is_counted_elsewhere(v, c);

        rows++;
        row = counted ? c : row;
    }
    if (row == NULL || linux_largest_group(t->command, &cycles) == 0 || !add_group(v, t, row)) {
        return false;
    }
    suspect_clear(v->all, WHY_event_not_implemented);
    suspect_clear(v->all, WHY_event_not_of_this_core);
    suspect_clear(v->all, WHY_perf_generic_event_unmapped);
    suspect_clear(v->all, WHY_hypervisor_filters_events);
    return true;
}

static void add_unsupported(struct linux_view *v, const struct linux_table *t)
{
    char cure[400];

    for (const struct clue *c = t->first_unsupported; c != NULL; c = reading_next(v->r, CLUE_linux_not_supported, c)) {
        const int raw = linux_raw_number(c->words);
        const bool precise = strstr(c->words, ":p") != NULL;

        if (linux_is_software(c->words) || linux_add_disjoint(v, t, c)) {
            continue;
        }
        if (is_mandatory(c->words) && (v->emulated || is_virtual(v) || strncmp(c->words, "inst", 4) == 0)) {
            add_filter(v, t, c);
        } else if (is_mandatory(c->words) && t->instructions != NULL &&
                   t->instructions->kind == CLUE_linux_not_supported) {
            continue; /* as instructions */
        } else if (raw >= 0 || (strchr(c->words, '/') != NULL && !precise)) {
            linux_suspect(v, WHY_event_not_implemented, SUSPECT_LIKELY, 60, c,
                          "the core (or its hypervisor) does not implement this event: choose one of perf list, or of "
                          "/sys/bus/event_source/devices/PMU/events");
        } else if (v->emulated) {
            linux_suspect(
                v, WHY_emulator_counts_little, SUSPECT_LIKELY, 60, c,
                "QEMU counts cycles, and instructions with -icount, and few other events: use hardware, KVM, or "
                "armpmu stat");
        } else {
            linux_suspect(v, WHY_perf_generic_event_unmapped, SUSPECT_LIKELY, 70, c, linux_cure_unmapped(v, c, cure));
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events that do not count.
 */

/* Returns true if the rows of table @t that count are those of one PMU, and each of them counts all the time. */
static bool is_one_pmu(const struct linux_view *v, const struct linux_table *t)
{
    const char *pmu = NULL;
    size_t length = 0;
    unsigned counted = 0;

    for (const struct clue *c = t->first_uncounted; c != NULL; c = reading_next(v->r, CLUE_linux_not_counted, c)) {
        if (strchr(c->words, '/') == NULL) {
            return false;
        }
    }
    for (const struct clue *c = v->first[CLUE_linux_counted]; c != NULL && counted < t->counted;
         c = reading_next(v->r, CLUE_linux_counted, c)) {
        const char *end = strchr(c->words, '/');

        if (end == NULL || (pmu != NULL && strncmp(pmu, c->words, length) != 0)) {
            return false;
        }
        pmu = c->words;
        length = (size_t)(end - pmu) + 1;
        counted++;
    }
    return pmu != NULL && t->shared == 0 && t->zero == 0;
}

static void add_uncounted(struct linux_view *v, const struct linux_table *t)
{
    const struct clue *row = t->first_uncounted;
    const struct clue *watchdog = v->first[CLUE_linux_watchdog];
    const unsigned before = (unsigned)v->all->count;

    if (add_group(v, t, row)) {
        return;
    }
    if (strchr(t->command, '{') != NULL && watchdog == NULL && !linux_is_big_little(v) && t->counted == 0) {
        linux_suspect(v, WHY_group_larger_than_counters, SUSPECT_LIKELY, 60, row, NULL);
        return;
    }
    if (covers_both_kinds(t) && !linux_complains(v) &&
        (reading_find(v->r, CLUE_words_wonders) == NULL || reading_find(v->r, CLUE_words_not_counted) == NULL)) {
        return;
    }
    if (covers_both_kinds(t) && watchdog == NULL && strstr(t->command, "taskset ") != NULL && is_one_pmu(v, t)) {
        v->all->fine = v->all->proven = true; /* the others count nothing of a task that never runs there */
        suspect_clear(v->all, WHY_big_little_other_core);
        return;
    }
    linux_add_other_core(v, t, row);
    if (watchdog != NULL) {
        linux_suspect(v, WHY_somebody_else_programs_pmu, SUSPECT_LIKELY, 75, watchdog,
                      "echo 0 > /proc/sys/kernel/nmi_watchdog: the watchdog holds a counter");
    }
    if (t->shared > 0 || t->counted + t->uncounted > 7) {
        linux_suspect(v, WHY_multiplexed_unscaled, SUSPECT_LIKELY, 65, row,
                      "count fewer events at a time than there are counters (six and cycles), or run longer");
    }
    if (v->all->count == before) {
        v->all->doubtful = true;
        suspect_ask(v->all, 75,
                    "whether the task ran on the CPUs of this PMU: ls /sys/bus/event_source/devices; cat "
                    "/sys/bus/event_source/devices/arm*/cpus; and dmesg | grep perfevents for the counters");
    }
}

/* Returns true if @core lacks event @number. */
static bool lacks_event(const struct apmu_core_info *core, unsigned number)
{
    if (strcmp(core->name, "Cortex-A9") == 0 &&
        (number == APMU_EV_INST_RETIRED || number == APMU_EV_PC_WRITE_RETIRED)) {
        return true;
    }
    return apmu_core_lists_event(core, APMU_EV_SW_INCR) && !apmu_core_lists_event(core, number);
}

static void add_zero(struct linux_view *v, const struct linux_table *t)
{
    const struct clue *row = t->first_zero;
    const int raw = linux_raw_number(row->words);
    const struct apmu_core_info *core = v->r->machine.core;
    const bool instructions = t->instructions == row;
    const unsigned before = (unsigned)v->all->count;
    char cure[400], instead[WHY_INSTEAD];

    if (raw >= 0 && core != NULL && core->pmu != APMU_CORE_PMU_ARM11 && lacks_event(core, (unsigned)raw)) {
        const bool common = apmu_event_by_number((uint32_t)raw) != NULL;

        linux_suspect(v, common ? WHY_event_not_of_this_core : WHY_event_number_unknown, SUSPECT_LIKELY, 75, row,
                      suspect_text(cure, "%s lists no event 0x%X: choose one that perf list or armpmu list --core "
                                         "\"%s\" shows%s%s", core->name, (unsigned)raw, core->name,
                                   why_instead(core, (unsigned)raw, instead) != NULL ? ", such as " : "", instead));
        return;
    }
    if (instructions && (v->emulated || v->here != NULL) && t->cycles != NULL && t->cycles->values[0] != 0) {
        add_filter(v, t, row);
    } else if (is_common(raw) && is_virtual(v) && t->counted > 0) {
        add_filter(v, t, row); /* KVM's filter lets the event be opened, and it counts nothing */
    } else if (v->emulated) {
        linux_suspect(v, WHY_emulator_counts_little, SUSPECT_LIKELY, 70, row,
                      "the emulator does not count this event: use hardware, KVM, or armpmu stat");
    }
    if (!covers_both_kinds(t)) {
        linux_add_other_core(v, t, row);
    }
    if (v->all->count == before && !(t->named > 1 && t->counted > 0)) {
        if (raw >= 0 && t->counted > 0) {
            linux_suspect(v, WHY_event_not_implemented, SUSPECT_POSSIBLE, 60, row, NULL);
        } else if (t->counted == 0) {
            suspect_ask(v->all, 70,
                        "where the counters are and whether the task ran there: ls "
                        "/sys/bus/event_source/devices; lscpu; dmesg | grep -i perfevents");
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events that count for a part of the time.
 */

/* Returns true if the rows that do not count all the time are those of two PMUs, whose shares make up the whole. */
static bool shares_add_up(const struct linux_table *t)
{
    return t->named >= 2 && t->named >= t->counted + t->zero && t->share_sum % LINUX_WHOLE < 300;
}

/* Returns true if the writer has the same counts from runs with fewer events, and has no doubts. */
static bool is_confirmed(const struct linux_view *v)
{
    static const enum reading_symptom others[] = {READING_small, READING_large, READING_noisy, READING_differs,
                                                  READING_sometimes, READING_wraps, READING_absent, READING_refused};
    static const char *const doubts[] = {"but ", "why", "should", "expect", "however", "except"};
    bool doubtful = reading_find(v->r, CLUE_words_same_apart) == NULL || v->r->sees[READING_question] ||
                    reading_find(v->r, CLUE_words_wonders) != NULL;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        doubtful = doubtful || v->r->sees[others[i]];
    }
    for (size_t i = 0; i < sizeof doubts / sizeof doubts[0]; i++) {
        doubtful = doubtful || linux_text_has(v, doubts[i]);
    }
    return !doubtful;
}

static void add_shared(struct linux_view *v, const struct linux_table *t)
{
    char cure[400];
    bool known;
    const unsigned counters = linux_counters_there(v, &known);
    const bool raw = strstr(t->command, "--no-scale") != NULL;

    if (t->named == 1 && t->counted == 1 && t->shared == 1) {
        /* one event has a counter all the time that the task is on its core */
        linux_add_other_core(v, t, t->first_shared);
        return;
    }

    if (shares_add_up(t) || (t->named >= 2 && t->named == t->counted + t->zero + t->uncounted &&
                             t->share_sum <= LINUX_WHOLE + 200 && !linux_complains(v))) {
        return;
    }
    if (!raw && is_confirmed(v)) {
        v->all->fine = true; /* the writer has checked the estimates */
        return;
    }
    if (!raw && reading_find(v->r, CLUE_words_scaled) != NULL && reading_find(v->r, CLUE_words_wonders) == NULL &&
        !v->r->sees[READING_noisy] && !v->r->sees[READING_differs]) {
        v->all->fine = true; /* the writer knows what the percentages say */
        return;
    }
    if (!raw && !linux_complains(v) && (v->r->sees[READING_good] || v->r->sees[READING_question])) {
        return; /* perf stat scales its counts */
    }
    if (t->shared >= 2 || raw || t->counted > counters || linux_complains(v)) {
        linux_suspect(v, WHY_multiplexed_unscaled, SUSPECT_LIKELY, 75, t->first_shared,
                      suspect_text(cure,
                                   "count at most %u events in a run (%u event counters and cycles), in several runs; "
                                   "%s",
                                   counters, counters - 1,
                                   raw ? "or leave out --no-scale, so that perf scales by time_enabled / time_running"
                                       : "perf stat has scaled these by time_enabled / time_running: estimates, not "
                                         "to be scaled again"));
    }
    if (v->first[CLUE_linux_watchdog] != NULL ||
        (v->last[CLUE_linux_nmi_watchdog] != NULL && v->last[CLUE_linux_nmi_watchdog]->values[0] == 1)) {
        linux_suspect(v, WHY_somebody_else_programs_pmu, SUSPECT_LIKELY, t->counted <= counters ? 80 : 60,
                      v->first[CLUE_linux_watchdog] != NULL ? v->first[CLUE_linux_watchdog]
                                                            : v->last[CLUE_linux_nmi_watchdog],
                      "echo 0 > /proc/sys/kernel/nmi_watchdog: the watchdog holds a counter");
    }
}

/* Adds what a command leaves out. */
static void add_options(struct linux_view *v, const struct linux_table *t)
{
    const char *command = t->command;
    const struct clue *row = t->first_counted != NULL ? t->first_counted : t->first_zero;
    char cure[400];

    if (strstr(command, "--no-inherit") != NULL || strstr(command, "stat -i ") != NULL ||
        strstr(command, " -i -e") != NULL) {
        struct suspect *s = linux_suspect(v, WHY_perf_inherit_missing, SUSPECT_LIKELY, 70, row,
                                          "leave out -i (--no-inherit), so that threads and children are counted, too");

        s->line = t->command_line;
        snprintf(s->because, sizeof s->because, "%.200s", suspect_text(cure, "%.200s", command));
    }
    if (strstr(command, " -d -1") != NULL || strstr(command, "--delay -1") != NULL ||
        strstr(command, "--delay=-1") != NULL || v->first[CLUE_linux_events_disabled] != NULL) {
        if (t->counted == 0) {
            linux_suspect(v, WHY_perf_event_never_enabled, SUSPECT_LIKELY, 75, row,
                          "the events begin disabled (-D -1): enable them by --control, or leave out -D");
        }
    }
}

/* Adds the idle machine: cycles of all CPUs fall short of the time. */
static void add_idle(struct linux_view *v, const struct linux_table *t)
{
    const bool whole = strstr(t->command, " -a ") != NULL || strstr(t->command, "--all-cpus") != NULL ||
                       strstr(t->command, " -c ") != NULL;

    if (whole && strstr(t->command, "sleep") != NULL && t->cycles != NULL && t->cycles->kind == CLUE_linux_counted &&
        (v->r->sees[READING_small] || v->r->sees[READING_differs] || linux_text_has(v, "idle") ||
         reading_find(v->r, CLUE_words_wonders) != NULL)) {
        linux_suspect(
            v, WHY_wfi_stops_cycles, SUSPECT_LIKELY, 70, t->cycles,
            "cycles stand still while a CPU idles in WFI: use cnt_cycles (event 0x4004), the generic timer or "
            "cpu-clock for time; boot with cpuidle.off=1 and nohlt to compare");
    }
}

/* Adds raw events whose numbers count something other than people think. */
static void add_other_meaning(struct linux_view *v)
{
    for (const struct clue *c = v->first[CLUE_linux_counted]; c != NULL;
         c = reading_next(v->r, CLUE_linux_counted, c)) {
        const int raw = linux_raw_number(c->words);
        const char *cure =
            raw == 0x0C   ? "0x0C (PC_WRITE_RETIRED) counts taken branches and other writes of the PC: use 0x21, "
                            "BR_RETIRED"
            : raw == 0x1B ? "0x1B (INST_SPEC) counts speculated instructions, too: use 0x08, INST_RETIRED"
            : raw == 0x0B ? "0x0B is CID_WRITE_RETIRED; decimal 11 and hexadecimal 0x11 (CPU_CYCLES) differ: use "
                            "r11"
            : raw == 0x12 ? "0x12 (BR_PRED) counts predictable branches speculatively: use 0x21, BR_RETIRED"
                          : NULL;

        const char *topic = raw == 0x1B ? "instr" : raw == 0x0B ? "cycle" : "branch";
        const bool meant = v->counts[CLUE_linux_counted] <= 2 || linux_text_has(v, topic);

        if (cure != NULL && linux_wonders(v) && !v->all->fine && meant &&
            suspect_find(v->all, WHY_multiplexed_unscaled) == NULL) {
            linux_suspect(v, WHY_event_counts_other_than_thought, SUSPECT_LIKELY, 75, c, cure);
        }
    }
}

/* Returns true if the PMU's events in /sys are listed, and @event is one of them. */
static bool lists_event(const struct linux_view *v, const char *event)
{
    bool listed = false;

    for (const struct clue *c = v->first[CLUE_linux_listed_event]; c != NULL && !listed;
         c = reading_next(v->r, CLUE_linux_listed_event, c)) {
        listed = strcmp(c->words, event) == 0;
    }
    return listed;
}

/* Returns true if the list in /sys has no event of caches and branches, and nothing says that it is a part of it. */
static bool lists_few(const struct linux_view *v)
{
    static const char *const common[] = {"l1d_cache", "l1d_cache_refill", "br_mis_pred", "br_pred"};
    bool few = !linux_text_has(v, "grep inst") && !linux_text_has(v, "grep -e") && !linux_text_has(v, "grep cpu") &&
               !linux_text_has(v, "events/inst_retired") && !linux_text_has(v, "events/cpu_cycles");

    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) {
        few = few && !lists_event(v, common[i]);
    }
    return few;
}

/* Adds what the list of a PMU's events in /sys lacks. */
static void add_listed_events(struct linux_view *v)
{
    const struct clue *c = v->first[CLUE_linux_listed_event];
    const bool retired = lists_event(v, "inst_retired");

    while (c != NULL && c->values[1] != 0) { /* what a command left out says nothing */
        c = reading_next(v->r, CLUE_linux_listed_event, c);
    }
    if (c == NULL || v->apple) {
        return;
    }
    if (retired && lists_event(v, "cpu_cycles") && is_virtual(v) && lists_few(v)) {
        linux_suspect(v, WHY_hypervisor_filters_events, SUSPECT_LIKELY, 82, c,
                      "the hypervisor's filter (KVM_ARM_VCPU_PMU_V3_FILTER) leaves the events of caches and branches "
                      "out, which the core has: ask the operator or provider of the host to allow them; use the events "
                      "that are left");
        suspect_clear(v->all, WHY_perf_generic_event_unmapped);
        suspect_clear(v->all, WHY_event_not_implemented);
        return;
    }
    if (retired) {
        return;
    }
    if (v->emulated) {
        linux_suspect(v, WHY_qemu_no_icount, SUSPECT_LIKELY, 60, c,
                      "start QEMU with -icount shift=0: TCG implements INST_RETIRED only with -icount");
    } else {
        linux_suspect(
            v, WHY_hypervisor_filters_events, SUSPECT_LIKELY, 75, c,
            "the hypervisor's filter (KVM_ARM_VCPU_PMU_V3_FILTER) leaves inst_retired and others out, which every "
            "PMUv3 has: ask the operator or provider of the host to allow them");
    }
}

void linux_rules_events(struct linux_view *v)
{
    add_listed_events(v);
    for (unsigned i = 0; i < v->table_count; i++) {
        const struct linux_table *t = &v->tables[i];
        const bool lives = t->counted + t->uncounted + t->zero > 0 || v->first[CLUE_linux_pmu_cpus] != NULL ||
                           (t->cycles == NULL && linux_counts(v)) || v->first[CLUE_linux_driver] != NULL ||
                           v->first[CLUE_linux_listed_pmu] != NULL;

        add_options(v, t);
        add_idle(v, t);
        if (t->unsupported > 0 && !add_too_many(v, t) && (lives || (t->cycles == NULL && t->instructions == NULL))) {
            add_unsupported(v, t);
        }
        if (t->uncounted > 0) {
            add_uncounted(v, t);
        }
        if (t->zero > 0) {
            add_zero(v, t);
        }
        if (t->shared > 0) {
            add_shared(v, t);
        }
    }
    if (!(v->r->sees[READING_question] && (reading_find(v->r, CLUE_words_percent) != NULL ||
                                           reading_find(v->r, CLUE_words_ratio_1) != NULL)) ||
        linux_complains(v)) {
        add_other_meaning(v); /* the question is not what the share of the time means */
    }
}
