/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on counts in Linux' texts that look odd: who else counts, what is counted besides, what is biased. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "linux.h"

/* Adds ID_AA64DFR0_EL1, whose PMUVer Linux hides from programs, where the PMU works. */
static void add_hidden_id(struct linux_view *v)
{
    bool works = v->first[CLUE_linux_driver] != NULL || v->first[CLUE_linux_listed_pmu] != NULL;

    for (unsigned i = 0; i < v->table_count; i++) {
        works = works || v->tables[i].counted > 0;
    }
    if (works && (linux_text_has(v, "id_aa64dfr0") || linux_text_has(v, "pmuver")) &&
        (linux_text_has(v, "pmuver") || linux_text_has(v, "0x6") || linux_text_has(v, "0006"))) {
        struct suspect *s = linux_suspect(
            v, WHY_id_register_hidden_from_el0, SUSPECT_CERTAIN, 80, NULL,
            "ID_AA64DFR0_EL1 read in a program is the kernel's emulation, which hides PMUVer: ask perf, dmesg "
            "or /sys/bus/event_source/devices whether there is a PMU");
        suspect_clear(v->all, WHY_hypervisor_gives_no_pmu);
        suspect_clear(v->all, WHY_pmuver_none_or_impdef);
        snprintf(s->because, sizeof s->because, "PMUVer reads as 0 at EL0, and the kernel has a PMU");
    }
}

/* Adds another profiler that runs at the same time, by its process or messages. */
static void add_neighbour(struct linux_view *v)
{
    static const char *const names[] = {"atord",          "oprofiled",    "streamline", "operf", "simpleperf record",
                                        "perf record -a", "perf top",     "hiperf",     "pcp-",  "pmdaperfevent",
                                        "telegraf",       "node_exporter"};
    const struct clue *row = NULL;

    for (unsigned i = 0; i < v->table_count && row == NULL; i++) {
        row = v->tables[i].first_uncounted != NULL ? v->tables[i].first_uncounted : v->tables[i].first_shared;
    }
    for (size_t i = 0; row != NULL && i < sizeof names / sizeof names[0]; i++) {
        if (linux_text_has(v, names[i]) &&
            !(strncmp(names[i], "perf ", 5) == 0 && linux_text_has(v, "perf record: "))) {
            char cure[400];

            linux_suspect(v, WHY_somebody_else_programs_pmu, SUSPECT_LIKELY, 82, row,
                          suspect_text(cure,
                                       "stop the other user of the counters (%s) while you measure, or count fewer "
                                       "events",
                                       i == 0 ? "gatord" : names[i]));
            return;
        }
    }
}

/* Adds values that are no counts: biased by perf, or the difference of two CPUs' counters. */
static void add_values(struct linux_view *v)
{
    if (linux_text_has(v, "18446744071") || linux_text_has(v, "0xffffffff8") || linux_text_has(v, "0xffffffff9")) {
        linux_suspect(
            v, WHY_perf_bias_upper_half, SUSPECT_LIKELY, 65, NULL,
            "use the lower 32 bits only (mask by pmc_width in perf's mmap page, and add its offset), or open the "
            "event with config1 bit 0 (long) for 64 bits");
    } else if (linux_text_has(v, "1844674407")) {
        linux_suspect(
            v, WHY_migrated_between_reads, SUSPECT_LIKELY, 60, NULL,
            "pin the thread (taskset -c N, pthread_setaffinity_np()) so that both reads are of one CPU's counter");
    }
}

/* Adds cycles that were counted in two ways. */
static void add_two_cycles(struct linux_view *v)
{
    for (unsigned i = 0; i < v->table_count; i++) {
        const struct clue *cycles = NULL, *event = NULL;

        for (const struct clue *c = v->tables[i].first_counted; c != NULL && c->kind == CLUE_linux_counted;
             c = reading_next(v->r, CLUE_linux_counted, c)) {
            if (strncmp(c->words, "cycles", 6) == 0 || strncmp(c->words, "cpu-cycles", 10) == 0) {
                cycles = c;
            } else if (strcmp(c->words, "r11") == 0 || strcmp(c->words, "r0011") == 0 ||
                       strcmp(c->words, "r011") == 0 || strstr(c->words, "cpu_cycles") != NULL ||
                       strstr(c->words, "event=0x11") != NULL) {
                event = c;
            }
        }
        if (cycles != NULL && event != NULL && v->tables[i].shared == 0 && cycles->values[0] != event->values[0] &&
            linux_wonders(v)) {
            linux_suspect(
                v, WHY_two_cycle_counts_differ, SUSPECT_LIKELY, 70, event,
                "the cycle counter (PMCCNTR) and the event CPU_CYCLES are two counters that start one after the "
                "other: use one of them throughout");
        }
    }
}

/* Adds the count of the measurement itself: an empty program has one. */
static void add_overhead(struct linux_view *v)
{
    for (unsigned i = 0; i < v->table_count; i++) {
        const struct linux_table *t = &v->tables[i];
        const size_t length = strlen(t->command);
        const bool empty = (length > 5 && strcmp(t->command + length - 5, " true") == 0) ||
                           linux_text_has(v, "empty") || linux_text_has(v, "does nothing") ||
                           linux_text_has(v, "return 0");

        if (t->counted > 0 && t->unsupported + t->uncounted + t->zero + t->shared == 0 && empty &&
            (v->r->sees[READING_large] || linux_text_has(v, "empty") || linux_text_has(v, "does nothing"))) {
            linux_suspect(
                v, WHY_measures_itself, SUSPECT_LIKELY, 65, t->first_counted,
                "the count has exec, the dynamic loader and exit in it: measure an empty program and subtract it, "
                "or count the region alone (ioctl PERF_EVENT_IOC_ENABLE and DISABLE)");
        }
    }
}

/* Adds what follows from a kernel at EL2 for code that programs the filters itself. */
/* Returns a row of a table that counts :h as much as :k, so that both are the kernel of a host with VHE; or NULL. */
static const struct clue *counts_kernel_twice(const struct linux_view *v)
{
    for (unsigned i = 0; i < v->table_count; i++) {
        const struct clue *h = NULL, *k = NULL;

        for (const struct clue *c = v->tables[i].first_counted; c != NULL && c->kind == CLUE_linux_counted;
             c = reading_next(v->r, CLUE_linux_counted, c)) {
            const char *levels = strrchr(c->words, ':');

            h = levels != NULL && strcmp(levels, ":h") == 0 ? c : h;
            k = levels != NULL && strcmp(levels, ":k") == 0 ? c : k;
        }
        if (h != NULL && k != NULL && h->values[0] / 20 * 19 < k->values[0] && k->values[0] / 20 * 19 < h->values[0]) {
            return h;
        }
    }
    return NULL;
}

static void add_vhe(struct linux_view *v)
{
    const struct clue *twice = linux_wonders(v) ? counts_kernel_twice(v) : NULL;
    const struct clue *vhe = v->first[CLUE_linux_vhe];
    const bool own = v->first[CLUE_linux_module_set_up] != NULL || linux_text_has(v, "module") ||
                     linux_text_has(v, "insmod") || linux_text_has(v, "pmevtyper") || linux_text_has(v, "pmccfiltr");

    if (vhe != NULL && twice != NULL) {
        linux_suspect(v, WHY_vhe_kernel_counted, SUSPECT_LIKELY, 78, twice,
                      "this kernel runs at EL2 (VHE), so :h and :k name one level: count with one of them, do not add "
                      "the two; guests' kernels are counted with :G or in the guest");
        return;
    }
    if (vhe == NULL || !own || v->first[CLUE_linux_sigill] != NULL || v->first[CLUE_linux_oops] != NULL) {
        return;
    }
    if (v->r->sees[READING_zero] || v->r->sees[READING_small] || v->r->sees[READING_stuck]) {
        linux_suspect(
            v, WHY_nsh_clear_at_el2, SUSPECT_LIKELY, 75, vhe,
            "this kernel runs at EL2 (VHE): set NSH, bit 27 of PMEVTYPER<n>_EL0 and PMCCFILTR_EL0, to count it");
    } else if (v->r->sees[READING_large]) {
        linux_suspect(v, WHY_vhe_kernel_counted, SUSPECT_LIKELY, 75, vhe,
                      "this kernel runs at EL2 (VHE), so P does not exclude it: clear NSH (bit 27), too");
    }
}

/* Returns true if the MIDR of the boot, or cpuinfo, is that of a Neoverse N2 before r0p3. */
static bool is_early_n2(const struct linux_view *v)
{
    const struct apmu_core_info *core = v->r->machine.core;

    return core != NULL && strcmp(core->name, "Neoverse N2") == 0 &&
           (linux_text_has(v, "410fd490") || linux_text_has(v, "410fd491") || linux_text_has(v, "410fd492") ||
            linux_text_has(v, "r0p0") || linux_text_has(v, "r0p1") || linux_text_has(v, "r0p2"));
}

/* Returns the first message on an erratum that concerns counters, or NULL. */
static const struct clue *counter_erratum(const struct linux_view *v)
{
    static const char *const words[] = {"count", "pmu", "amu", "event"};

    for (const struct clue *c = v->first[CLUE_linux_erratum]; c != NULL;
         c = reading_next(v->r, CLUE_linux_erratum, c)) {
        char line[200];

        reading_quote(v->r, c->line, line, sizeof line);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (strcasestr(line, words[i]) != NULL) {
                return c;
            }
        }
    }
    return NULL;
}

/* Returns a count of instructions at EL0 of a Cortex-A53 that is said to be too large, where branches run; or NULL. */
static const struct clue *branch_erratum(const struct linux_view *v)
{
    static const char *const branches[] = {"branch", "b.ne", "b.eq", "b.gt", "b.lt", "cbnz", "cbz", "tbz", "tbnz"};
    const struct apmu_core_info *core = v->r->machine.core;
    const bool large = v->r->sees[READING_large] || linux_text_has(v, "too many") || linux_text_has(v, "extra");
    bool branch = false;

    for (size_t i = 0; i < sizeof branches / sizeof branches[0]; i++) {
        branch = branch || linux_text_has(v, branches[i]);
    }
    for (const struct clue *c = v->first[CLUE_linux_counted]; c != NULL && core != NULL && large && branch;
         c = reading_next(v->r, CLUE_linux_counted, c)) {
        const bool retired = strncmp(c->words, "r08", 3) == 0 || strncmp(c->words, "r8:", 3) == 0 ||
                             strncmp(c->words, "instructions", 12) == 0 || strstr(c->words, "inst_retired") != NULL;

        if (retired && strstr(c->words, ":u") != NULL && strcmp(core->name, "Cortex-A53") == 0) {
            return c;
        }
    }
    return NULL;
}

static void add_errata(struct linux_view *v)
{
    const struct clue *erratum = counter_erratum(v);

    const bool compares = linux_wonders(v) || linux_text_has(v, "faster") || linux_text_has(v, "slower") ||
                          linux_text_has(v, "more than");

    /* Each boot lists errata: one without a word on counters is a cause only where somebody says what is odd. */
    if (erratum == NULL && compares && !linux_counts(v) && v->all->count == 0) {
        erratum = v->first[CLUE_linux_erratum];
    }
    if (erratum != NULL && (compares || !linux_counts(v))) {
        linux_suspect(
            v, WHY_core_erratum, SUSPECT_CERTAIN, 60, erratum,
            "this core counts wrong here, as its errata notice says: use another event or counter (perf's cycles, "
            "the generic timer), or firmware and a kernel with the workaround");
        return;
    }
    erratum = linux_wonders(v) ? branch_erratum(v) : NULL;
    if (erratum != NULL) {
        linux_suspect(v, WHY_core_erratum, SUSPECT_LIKELY, 70, erratum,
                      "Cortex-A53 erratum 855827: INST_RETIRED may count more than was executed where immediate "
                      "branches run: subtract by a calibration of the branches, or use another core or event (r1b)");
        return;
    }
    for (const struct clue *c = v->first[CLUE_linux_counted]; c != NULL;
         c = reading_next(v->r, CLUE_linux_counted, c)) {
        if (is_early_n2(v) &&
            (strstr(c->words, "stall_slot") != NULL || strcmp(c->words, "r3f") == 0 || strcmp(c->words, "r3d") == 0)) {
            linux_suspect(
                v, WHY_core_erratum, SUSPECT_LIKELY, 75, c,
                "STALL_SLOT and STALL_SLOT_FRONTEND are wrong on Neoverse N2 before r0p3: subtract CPU_CYCLES as "
                "the errata notice says, or use perf's corrected metrics");
            return;
        }
    }
}

/* Adds events of EL2 alone, "cycles:h", which count nothing in a guest: it has no EL2. */
static void add_el2_events(struct linux_view *v)
{
    for (unsigned i = 0; i < v->table_count; i++) {
        for (const struct clue *c = v->tables[i].first_zero; c != NULL; c = reading_next(v->r, CLUE_linux_counted, c)) {
            const char *levels = strrchr(c->words, ':');

            if (c->values[0] == 0 && levels != NULL && levels[1] == 'h' &&
                strspn(levels + 1, "hp") == strlen(levels + 1) && v->tables[i].counted > 0 &&
                (v->here != NULL || linux_text_has(v, "started at el1"))) {
                linux_suspect(v, WHY_guest_el2_not_counted, SUSPECT_LIKELY, 86, c,
                              ":h counts at EL2 alone, and here is none: count the guest's kernel with :k and its "
                              "programs with :u, or without a modifier; EL2 is counted on the host");
                return;
            }
        }
    }
}

/* Adds events that count a part of the time only, which a program prints with their values. */
static void add_times(struct linux_view *v)
{
    const bool scaled = linux_text_has(v, "scaled") && !linux_text_has(v, "unscaled");
    char cure[400];

    for (const struct clue *c = v->first[CLUE_linux_times]; c != NULL && !scaled;
         c = reading_next(v->r, CLUE_linux_times, c)) {
        if (c->values[1] < c->values[0] - c->values[0] / 20) {
            linux_suspect(v, WHY_multiplexed_unscaled, SUSPECT_LIKELY, 82, c,
                          suspect_text(cure, "multiply each value by time_enabled / time_running (here by %.2f), or "
                                             "open fewer events at once",
                                       (double)c->values[0] / (double)c->values[1]));
            return;
        }
    }
}

void linux_rules_counts(struct linux_view *v)
{
    add_times(v);
    add_el2_events(v);
    add_hidden_id(v);
    add_neighbour(v);
    add_values(v);
    add_two_cycles(v);
    add_overhead(v);
    add_vhe(v);
    add_errata(v);
}
