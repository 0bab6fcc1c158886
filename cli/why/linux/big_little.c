/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on two kinds of core: the task and its events on different ones. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../kinds.h"
#include "linux.h"

/* Returns the CPUs of the PMU that @event names, as /sys lists them; 0: not known. */
static uint64_t pmu_cpus(const struct linux_view *v, const char *event)
{
    for (const struct clue *c = v->first[CLUE_linux_pmu_cpus]; c != NULL;
         c = reading_next(v->r, CLUE_linux_pmu_cpus, c)) {
        if (strstr(event, c->words) != NULL) {
            return c->values[0];
        }
    }
    return 0;
}

bool linux_is_big_little(const struct linux_view *v)
{
    const struct reading_machine *m = &v->r->machine;

    return (m->big_little.known && m->big_little.value == 1) || v->counts[CLUE_linux_listed_pmu] > 1 ||
           v->counts[CLUE_linux_pmu_cpus] > 1;
}

/* Writes the event of @row for each PMU of the machine, "-e A/cycles/,B/cycles/", to @list. */
static void list_pmus(const struct linux_view *v, const struct clue *row, char list[160])
{
    struct kinds kinds;
    char event[32] = "cycles";
    const char *slash = strchr(row->words, '/');
    size_t used = 0;

    if (slash != NULL && strcspn(slash + 1, "/") > 0 && strcspn(slash + 1, "/") < sizeof event) {
        snprintf(event, sizeof event, "%.*s", (int)strcspn(slash + 1, "/"), slash + 1);
    }

    kinds_find(v->r, &kinds);
    for (size_t i = 0; i < kinds.count && kinds.count > 1 && used < 120; i++) {
        used += (size_t)snprintf(list + used, 160 - used, "%s%.40s/%s/", used == 0 ? "-e " : ",", kinds.pmus[i], event);
    }
    if (used == 0) {
        snprintf(list, 160, "-e %s/%s/ and the same of the other PMU; ls /sys/bus/event_source/devices names both",
                 kinds.count == 1 ? kinds.pmus[0] : "PMU", event);
    }
}

static const char *other_core_cure(char cure[400], const struct linux_view *v, const struct clue *row,
                                    uint64_t task)
{
    char cpus[120] = "", events[160] = "";

    list_pmus(v, row, events);
    for (unsigned cpu = 0; cpu < 64 && strlen(cpus) < 70; cpu++) {
        if ((task >> cpu & 1) != 0) {
            snprintf(cpus + strlen(cpus), sizeof cpus - strlen(cpus), "%s%u", cpus[0] == '\0' ? "" : ",", cpu);
        }
    }
    for (const struct clue *c = v->first[CLUE_linux_pmu_cpus]; c != NULL && task != 0;
         c = reading_next(v->r, CLUE_linux_pmu_cpus, c)) {
        if ((c->values[0] & task) == task) {
            snprintf(cpus + strlen(cpus), sizeof cpus - strlen(cpus), ": %.40s", c->words);
            break;
        }
    }
    return suspect_text(cure,
                        "open the event on the PMU of the CPUs where the task runs%s%s%s, or on each PMU (%s); or pin "
                        "the task (taskset -c) to the CPUs of the PMU that is counted%s",
                        cpus[0] == '\0' ? "" : " (", cpus, cpus[0] == '\0' ? "" : ")", events,
                        v->android ? "; simpleperf stat without --cpu" : "");
}

void linux_add_other_core(struct linux_view *v, const struct linux_table *t, const struct clue *row)
{
    char cure[400];
    const uint64_t task = linux_task_cpus(v, t->command);
    const uint64_t named = linux_counted_cpus(t->command), counted = named != 0 ? named : pmu_cpus(v, row->words);
    const bool generic = strchr(row->words, '/') == NULL;

    if (task != 0 && counted != 0 && (task & counted) == 0) {
        linux_suspect(v, WHY_big_little_other_core, SUSPECT_CERTAIN, 80, row, other_core_cure(cure, v, row, task));
    } else if (linux_is_big_little(v) || (strchr(row->words, '/') != NULL && strstr(row->words, "cortex") != NULL)) {
        const bool raw = generic && row->words[0] == 'r' && isxdigit((unsigned char)row->words[1]);

        linux_suspect(v, WHY_big_little_other_core, SUSPECT_LIKELY, raw ? 70 : 80, row,
                      other_core_cure(cure, v, row, task));
        if (generic) {
            linux_suspect(v, WHY_wrong_pmu_type, SUSPECT_LIKELY, raw ? 75 : 60, row,
                          "name the PMU of the core: -e PMU/event=0x11/, or attr.type from "
                          "/sys/bus/event_source/devices/PMU/type");
        }
    }
}

bool linux_add_disjoint(struct linux_view *v, const struct linux_table *t, const struct clue *row)
{
    char cure[400];
    const uint64_t own = strchr(row->words, '/') != NULL ? pmu_cpus(v, row->words) : 0;
    const uint64_t named = linux_counted_cpus(t->command);
    const uint64_t asked = named != 0 ? named : linux_task_cpus(v, t->command);

    if (own == 0 || asked == 0 || (own & asked) != 0) {
        return false;
    }
    linux_suspect(v, WHY_big_little_other_core, SUSPECT_CERTAIN, 80, row, other_core_cure(cure, v, row, asked));
    return true;
}

bool linux_reads_zero(const struct linux_view *v, const struct clue *opened)
{
    bool zero = false;

    for (const struct clue *c = v->first[CLUE_linux_call]; c != NULL; c = reading_next(v->r, CLUE_linux_call, c)) {
        if (opened != NULL && c->values[0] == opened->values[0] && c->values[1] != 0) {
            zero = c->values[1] == 2;
        }
    }
    return zero;
}

/* Writes what attr.type must be for the event @opened to @cure: the type of the PMU of the CPUs where the task runs. */
static const char *type_cure(char cure[400], const struct linux_view *v, const struct clue *opened)
{
    uint64_t task = 0;

    for (const struct clue *c = v->first[CLUE_linux_command]; c != NULL && c->line < opened->line;
         c = reading_next(v->r, CLUE_linux_command, c)) {
        task = linux_task_cpus(v, c->words);
    }
    for (const struct clue *c = v->first[CLUE_linux_pmu_cpus]; c != NULL && task != 0;
         c = reading_next(v->r, CLUE_linux_pmu_cpus, c)) {
        if ((c->values[0] & task) == task) {
            return suspect_text(cure,
                                "attr.type = the number in /sys/bus/event_source/devices/%.40s/type: that is the PMU "
                                "of the CPUs where the task runs; the plain type is taken by another one", c->words);
        }
    }
    return suspect_text(cure,
                        "each core PMU has a type of its own: cat /sys/bus/event_source/devices/armv8_*/type, and open "
                        "one event for each; this type is taken by one PMU alone");
}

void linux_add_plain_type(struct linux_view *v)
{
    const struct clue *c = v->first[CLUE_linux_opened];
    const bool plain = c != NULL && (strstr(c->words, "type=perf_type_raw") != NULL ||
                                     strstr(c->words, "type=perf_type_hardware") != NULL);
    char cure[400];

    if (plain && linux_is_big_little(v) && (v->r->sees[READING_zero] || linux_reads_zero(v, c)) &&
        (strstr(c->words, "disabled=0") != NULL || linux_text_has(v, "ioc_enable"))) {
        linux_suspect(v, WHY_wrong_pmu_type, SUSPECT_LIKELY, 82, c, type_cure(cure, v, c));
    }
}
