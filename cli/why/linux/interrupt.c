/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on the PMU's interrupts in Linux, and on how many counters it found. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "linux.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Messages.
 */

static const char without_interrupts[] =
    "give the pmu node its interrupts (a PPI: interrupts = <GIC_PPI 7 IRQ_TYPE_LEVEL_LOW>; or one SPI a CPU with "
    "interrupt-affinity); until then use perf stat, or sample with perf record -e cpu-clock";

/* Writes the name of the driver that has the interrupt, from "genirq: Flags mismatch irq 34. F (arm-pmu) vs. F (NAME)",
 * to @name of @size bytes.  It is "" if the line of @c names none. */
static void holder_of(const struct linux_view *v, const struct clue *c, char *name, size_t size)
{
    char line[240];
    const char *from = strcasestr(reading_quote(v->r, c->line, line, sizeof line), " vs. ");
    const char *open = from == NULL ? NULL : strchr(from, '(');
    const char *close = open == NULL ? NULL : strchr(open, ')');

    if (close == NULL) {
        name[0] = '\0';
    } else {
        snprintf(name, size, "%.*s", (int)(close - open - 1), open + 1);
    }
}

/* Writes to @cure what to do about an interrupt that the driver does not get, with its number and holder where @c and
 * the other messages name them. */
static const char *free_interrupt(const struct linux_view *v, const struct clue *c, char cure[400])
{
    const struct clue *conflict = v->first[CLUE_linux_irq_conflict];
    const uint64_t number = c->values[0] != 0 ? c->values[0] : conflict != NULL ? conflict->values[0] : 0;
    char which[40] = "the interrupt (IRQ)", holder[64] = "";

    if (number != 0) {
        snprintf(which, sizeof which, "IRQ %llu", (unsigned long long)number);
    }
    if (conflict != NULL && (c->values[0] == 0 || conflict->values[0] == c->values[0])) {
        holder_of(v, conflict, holder, sizeof holder);
    }
    if (holder[0] == '\0' || strcasestr(holder, "pmu") != NULL) { /* two drivers of the PMU, or one line for two CPUs */
        return suspect_text(cure,
                            "see who has %s (cat /proc/interrupts), and correct its number and type in the pmu node's "
                            "interrupts property, or unload the driver that holds it", which);
    }
    return suspect_text(cure,
                        "%s has %s: unload that driver (rmmod, or leave it out of the kernel), or, where the interrupt "
                        "is not the PMU's, correct its number and type in the pmu node's interrupts property",
                        holder, which);
}

static void add_requests(struct linux_view *v)
{
    char cure[400];
    const struct clue *c = v->first[CLUE_linux_irq_request];

    if (c == NULL) {
        c = v->first[CLUE_linux_pmu_reserved];
    }
    if (c != NULL) {
        linux_suspect(
            v, WHY_pmu_irq_request_failed, SUSPECT_CERTAIN, 80, c,
            c->kind == CLUE_linux_irq_request
                ? free_interrupt(v, c, cure)
                : "unload what holds the PMU (rmmod oprofile; a vendor's profiler), or correct the interrupt of the "
                  "board's PMU device (/proc/interrupts), then try again");
        suspect_clear(v->all, WHY_no_pmu_device);
    }
    c = v->first[CLUE_linux_irq_conflict];
    if (c != NULL) {
        const bool same_cpu = linux_text_has(v, "for the same cpu");

        linux_suspect(
            v, same_cpu ? WHY_dt_missing_interrupt_affinity : WHY_pmu_irq_request_failed, SUSPECT_CERTAIN, 82, c,
            same_cpu
                ? "interrupt-affinity must name each CPU once, in the order of the interrupts: <&cpu0>, <&cpu1>, ..."
                : free_interrupt(v, c, cure));
        suspect_clear(v->all, WHY_no_pmu_device);
    }
}

/* Adds an interrupt that the controller does not take, where the PMU's driver fails. */
static void add_mapping(struct linux_view *v)
{
    const struct clue *c = v->first[CLUE_linux_irq_mapping];

    if (c == NULL || v->first[CLUE_linux_probe_failed] == NULL) {
        return;
    }
    linux_suspect(v, WHY_pmu_irq_request_failed, SUSPECT_CERTAIN, 84, c,
                  "correct interrupts of the pmu node in the device tree: its kind, number and type are those of "
                  "another device, or no interrupt of the controller (a PPI is <1 7 4> on most "
                  "SoCs, an SPI <0 n 4> with n = "
                  "INTID - 32)");
    suspect_clear(v->all, WHY_no_pmu_device);
    suspect_clear(v->all, WHY_irq_line_shared);
}

/* Returns the first message that an event of a core cannot sample, or NULL.  PMUs of the interconnect never can. */
static const struct clue *core_overflow(const struct linux_view *v)
{
    static const char *const others[] = {"dsu", "cmn", "ddr", "smmu", "cci", "ccn", "hisi", "uncore", "imx"};
    const struct clue *c = v->first[CLUE_linux_no_overflow];

    for (; c != NULL; c = reading_next(v->r, CLUE_linux_no_overflow, c)) {
        char line[200];
        bool other = false;

        reading_quote(v->r, c->line, line, sizeof line);
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            other = other || strstr(line, others[i]) != NULL;
        }
        if (!other) {
            break;
        }
    }
    return c;
}

static void add_missing(struct linux_view *v)
{
    const struct clue *c = v->first[CLUE_linux_acpi_no_irq];

    if (c != NULL) {
        linux_suspect(
            v, WHY_pmu_node_without_interrupts, SUSPECT_CERTAIN, 80, c,
            "newer firmware, or a newer hypervisor: the MADT's GICC entries need the Performance Interrupt (GSIV "
            "23 where it is PPI 7)");
        suspect_clear(v->all, WHY_no_pmu_device);
    }
    c = v->first[CLUE_linux_no_irqs];
    if (c != NULL && v->first[CLUE_linux_probe_failed] != NULL && !linux_text_has(v, "no irqs") &&
        !linux_text_has(v, "sampling events")) {
        linux_suspect(
            v, WHY_pmu_irq_request_failed, SUSPECT_CERTAIN, 82, c,
            "the pmu node gives fewer interrupts than the driver asks for: one entry of interrupts for each entry "
            "of interrupt-affinity, with the right interrupt-parent");
        suspect_clear(v->all, WHY_dt_missing_interrupt_affinity);
    } else if (c != NULL) {
        linux_suspect(v, WHY_pmu_node_without_interrupts, SUSPECT_CERTAIN, 80, c, without_interrupts);
    }
    c = v->first[CLUE_linux_tree_no_irqs];
    if (c != NULL && v->first[CLUE_linux_tree_disabled] == NULL) {
        linux_suspect(v, WHY_pmu_node_without_interrupts, SUSPECT_CERTAIN, 75, c, without_interrupts);
    }
    c = core_overflow(v);
    if (c == NULL) {
        for (c = v->first[CLUE_linux_refused]; c != NULL; c = reading_next(v->r, CLUE_linux_refused, c)) {
            const bool samples = strstr(c->words, "sample_") != NULL && strstr(c->words, "sample_period=0") == NULL;

            if (c->values[0] == 95 && (samples || (linux_counts(v) && linux_text_has(v, "perf record")))) {
                break;
            }
        }
    }
    if (c != NULL && suspect_find(v->all, WHY_hypervisor_gives_no_pmu) == NULL &&
        suspect_find(v->all, WHY_no_pmu_device) == NULL) {
        linux_suspect(v, WHY_pmu_node_without_interrupts, SUSPECT_LIKELY, 80, c, without_interrupts);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Affinity.
 */

static const char affinity_cure[] = "add interrupt-affinity = <&cpu0>, <&cpu1>, ...; to the pmu node, one entry for "
                                    "each interrupt in their order; where "
                                    "there are two kinds of core, each pmu node names its own CPUs";

static const char shared_cure[] =
    "give each CPU its own interrupt in the pmu node (one SPI a CPU with interrupt-affinity, or a PPI) if the SoC has "
    "them; "
    "if it has one line only, count with perf stat, or pin perf record and the task to one CPU";

static void add_tree_affinity(struct linux_view *v)
{
    const struct clue *pmu = v->first[CLUE_linux_tree_pmu], *spi = v->first[CLUE_linux_tree_spi];
    const struct clue *tree = v->first[CLUE_linux_tree], *c = v->first[CLUE_linux_tree_same_spi];
    const uint64_t cpus = tree == NULL ? 0 : tree->values[0];

    if (c != NULL) {
        linux_suspect(v, WHY_irq_line_shared, SUSPECT_CERTAIN, 80, c, shared_cure);
    }
    if (v->first[CLUE_linux_tree_affinity] != NULL) {
        linux_suspect(v, WHY_dt_missing_interrupt_affinity, SUSPECT_CERTAIN, 78, v->first[CLUE_linux_tree_affinity],
                      affinity_cure);
    }
    if (v->first[CLUE_linux_tree_odd_ppi] != NULL) {
        linux_suspect(
            v, WHY_pmu_irq_request_failed, SUSPECT_CERTAIN, 86, v->first[CLUE_linux_tree_odd_ppi],
            "write the PMU's own interrupt: GIC_PPI 7 (INTID 23) on most SoCs; PPIs 10 to 14 are the timers', and a "
            "PPI's number in a device tree is the INTID less 16");
    }
    for (; spi != NULL; spi = reading_next(v->r, CLUE_linux_tree_spi, spi)) {
        const struct clue *node = pmu;

        for (const struct clue *n = pmu; n != NULL; n = reading_next(v->r, CLUE_linux_tree_pmu, n)) {
            node = n->line <= spi->line || node == NULL ? n : node;
        }
        const bool lists = node != NULL && node->values[1] != 0;

        if (spi->values[1] == 1 && !lists && cpus != 1) {
            const bool one = cpus > 1 || v->r->sees[READING_one_cpu];

            linux_suspect(v, WHY_irq_line_shared, one ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 80, spi, shared_cure);
        } else if (spi->values[1] == 1 && node != NULL && node->values[1] == 1 && v->r->sees[READING_one_cpu]) {
            linux_suspect(v, WHY_irq_line_shared, SUSPECT_LIKELY, 70, spi, shared_cure);
        } else if (spi->values[1] == 1 && node != NULL && node->values[1] > 1) {
            linux_suspect(v, WHY_irq_line_shared, SUSPECT_CERTAIN, 70, spi, shared_cure);
        } else if (spi->values[1] > 1 && !lists) {
            linux_suspect(v, WHY_dt_missing_interrupt_affinity, SUSPECT_CERTAIN, 70, spi, affinity_cure);
        }
    }
}

/* Returns the number of bits of @set. */
static unsigned bits_of(uint64_t set)
{
    unsigned count = 0;

    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

/* Returns true if the row of /proc/interrupts is one of a PPI.  @v's clues are in the order of the lines. */
static bool is_ppi(const struct linux_view *v, const struct clue *row)
{
    const struct clue *number = reading_next(v->r, CLUE_linux_interrupt_number, row);

    return number != NULL && number->line == row->line && number->values[0] < 32;
}

static void add_interrupt_rows(struct linux_view *v)
{
    const struct clue *row = v->first[CLUE_linux_interrupt], *first = row;
    uint64_t all = 0, columns = 0;
    unsigned rows = 0, crowded = 0;

    for (; row != NULL; row = reading_next(v->r, CLUE_linux_interrupt, row)) {
        rows++;
        columns = row->values[0];
        crowded += (all & row->values[1]) != 0;
        all |= row->values[1];
    }
    if (rows == 0 || columns < 2) {
        return;
    }
    const bool ppi = is_ppi(v, first);
    const bool wants_samples = v->r->sees[READING_no_interrupt] || v->first[CLUE_linux_no_samples] != NULL ||
                               (v->first[CLUE_linux_samples] != NULL && v->first[CLUE_linux_samples]->values[0] == 0);

    if (rows == 1 && !ppi && (bits_of(all) == 1 || wants_samples)) {
        linux_suspect(v, WHY_irq_line_shared, bits_of(all) == 1 ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 70, first,
                      shared_cure);
    } else if (rows > 1 && !ppi && crowded > 0 && bits_of(all) < rows) {
        linux_suspect(v, WHY_dt_missing_interrupt_affinity, SUSPECT_LIKELY, 70, first, affinity_cure);
        linux_suspect(v, WHY_irq_line_shared, SUSPECT_POSSIBLE, 50, first, shared_cure);
    } else if (all == 0 && !wants_samples) {
        suspect_ask(v->all, 65, "perf stat -e cycles:u true, whether it counts; and perf record -e cycles:u sleep 1, "
                                "then /proc/interrupts again: a PMU that nobody samples with interrupts nobody");
    } else if (all == 0) {
        suspect_ask(v->all, 90,
                    "which interrupt the PMU has: the interrupts of the pmu node (dtc -I fs /proc/device-tree) "
                    "against the SoC's manual; dmesg | grep -i -e pmu -e GIC; PMINTENSET_EL1 and PMOVSSET_EL0 "
                    "while perf record runs");
    }
}

static void add_affinity(struct linux_view *v)
{
    const struct clue *c = v->first[CLUE_linux_affinity_guess];

    if (c != NULL) {
        linux_suspect(v, WHY_dt_missing_interrupt_affinity, SUSPECT_CERTAIN, 70, c, affinity_cure);
    }
    c = v->first[CLUE_linux_irq_affinity];
    if (c != NULL) {
        linux_suspect(v, WHY_irq_line_shared, SUSPECT_LIKELY, 75, c, shared_cure);
        linux_suspect(v, WHY_dt_missing_interrupt_affinity, SUSPECT_POSSIBLE, 50, c, affinity_cure);
    }
    c = v->first[CLUE_linux_irq_nobody];
    if (c != NULL && linux_text_has(v, "pmu")) {
        linux_suspect(v, WHY_irq_line_shared, SUSPECT_LIKELY, 70, c, shared_cure);
    }
}

void linux_rules_interrupt(struct linux_view *v)
{
    add_requests(v);
    add_mapping(v);
    add_missing(v);
    add_affinity(v);
    add_tree_affinity(v);
    add_interrupt_rows(v);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The number of counters.
 */

/* Returns how many counters the driver should find, with the cycle counter; 0: not known. */
static unsigned expected_counters(const struct linux_view *v, const struct clue *driver)
{
    const struct apmu_core_info *core = v->r->machine.core;

    for (size_t i = 0; i < apmu_core_count(); i++) {
        char name[48];
        size_t n = 0;

        for (const char *c = apmu_core_at(i)->name; *c != '\0' && n + 1 < sizeof name; c++) {
            name[n++] = *c == '-' || *c == ' ' ? '_' : (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
        }
        name[n] = '\0';
        const char *at = strstr(driver->words, name);

        if (at != NULL) {
            const char end = at[n];

            core = (end < '0' || end > '9') && (end < 'a' || end > 'z') ? apmu_core_at(i) : core;
        }
    }
    if (core != NULL && core->counters != APMU_CORE_COUNTERS_UNKNOWN && core->counters != 0) {
        return core->counters + 1u;
    }
    return 0;
}

void linux_rules_counters(struct linux_view *v)
{
    const struct clue *wanted = v->first[CLUE_words_hpmn_wanted];

    for (const struct clue *c = v->first[CLUE_linux_driver]; c != NULL; c = reading_next(v->r, CLUE_linux_driver, c)) {
        /* Linux's driver of Apple's cores tells all counters, of which two are fixed. */
        const unsigned expected = strncmp(c->words, "apple", 5) == 0 ? 0 : expected_counters(v, c);
        const unsigned there = c->values[1] != 0 ? bits_of(c->values[1]) : (unsigned)c->values[0];
        const bool v8 = strncmp(c->words, "armv8", 5) == 0;
        char cure[400];

        if ((expected != 0 && there >= expected) || (wanted != NULL && there == wanted->values[0] + 1)) {
            suspect_clear(v->all, WHY_counters_kept_back);
            continue;
        }
        if (expected != 0 && there < expected) {
            linux_suspect(v, WHY_counters_kept_back, SUSPECT_CERTAIN, 60, c,
                          suspect_text(cure,
                                       "use the %u event counters that are left, or newer firmware: %s sets "
                                       "MDCR_EL2.HPMN (PMCR_EL0.N) to %u, the core has %u",
                                       there - 1, v->here != NULL ? "the hypervisor" : "firmware or a hypervisor",
                                       there - 1, expected - 1));
        } else if (expected == 0 && v8 && !v->apple && there < 5) {
            linux_suspect(v, WHY_counters_kept_back, SUSPECT_LIKELY, 60, c,
                          suspect_text(cure,
                                       "use the %u event counters that are left, or newer firmware: it or the "
                                       "hypervisor sets MDCR_EL2.HPMN to %u, and most cores have 6",
                                       there - 1, there - 1));
        }
    }
}
