/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on Linux' texts that show nothing wrong, or too little. */
#include <string.h>

#include "linux.h"

/* Returns true if all events of the table count, all the time or on one of two kinds of core. */
static bool is_good_table(const struct linux_table *t)
{
    const bool both = t->named >= 2 && t->named >= t->counted + t->zero + t->uncounted;

    return t->counted > 0 && t->unsupported == 0 && (both || (t->uncounted == 0 && t->zero == 0));
}

static bool is_good_driver(const struct linux_view *v)
{
    return v->first[CLUE_linux_driver] != NULL && v->first[CLUE_linux_driver]->values[0] >= 2;
}

/* Returns true if the device tree has a pmu node with which the driver can work. */
static bool is_good_tree(const struct linux_view *v)
{
    const struct clue *pmu = v->first[CLUE_linux_tree_pmu];

    return pmu != NULL && v->first[CLUE_linux_tree_no_irqs] == NULL && v->first[CLUE_linux_tree_unknown] == NULL &&
           v->first[CLUE_linux_tree_disabled] == NULL;
}

static bool is_good_interrupt(const struct linux_view *v)
{
    uint64_t used = 0;
    const struct clue *row = v->first[CLUE_linux_interrupt];

    for (; row != NULL; row = reading_next(v->r, CLUE_linux_interrupt, row)) {
        used |= row->values[1];
    }
    return (used & (used - 1)) != 0;
}

/* Returns true if something in the input shows that the PMU works for Linux. */
static bool is_fine(const struct linux_view *v)
{
    const struct clue *samples = v->last[CLUE_linux_samples];

    if (v->first[CLUE_linux_sigill] != NULL || v->first[CLUE_linux_user_undefined] != NULL ||
        v->first[CLUE_linux_oops] != NULL || v->first[CLUE_linux_no_samples] != NULL) {
        return false;
    }
    if (v->first[CLUE_linux_permission] != NULL && v->last[CLUE_linux_paranoid] == NULL) {
        return false;
    }
    for (const struct clue *c = v->first[CLUE_linux_refused]; c != NULL;
         c = reading_next(v->r, CLUE_linux_refused, c)) {
        if (c->values[0] == 1 || c->values[0] == 13) {
            return false; /* EPERM, EACCES */
        }
        if (c->values[0] == 22 && strstr(c->words, "perf_event_open({") == NULL) {
            return false; /* EINVAL, and not one of the probes that a trace shows */
        }
    }
    if (samples != NULL && (samples->values[0] == 0 || (samples->values[0] < 50 && linux_wonders(v)))) {
        return false;
    }
    for (unsigned i = 0; i < v->table_count; i++) {
        const struct linux_table *t = &v->tables[i];

        if (t->zero != 0 && t->counted == 0 && t->unsupported + t->uncounted == 0) {
            return false; /* the events are open, and each of them is 0 */
        }
        if (t->unsupported != 0 && v->all->count == 0 && v->emulated) {
            return false; /* the emulator lacks what no rule explains */
        }
    }
    if (v->reads && (linux_text_has(v, "insmod") || linux_text_has(v, "user_access"))) {
        return true;
    }
    if (v->last[CLUE_linux_rdpmc] != NULL && v->last[CLUE_linux_rdpmc]->values[0] == 1) {
        return true;
    }
    if (v->first[CLUE_linux_opened] != NULL && v->first[CLUE_linux_refused] == NULL &&
        linux_text_has(v, "ioc_enable") && !linux_reads_zero(v, v->first[CLUE_linux_opened])) {
        return true;
    }
    for (unsigned i = 0; i < v->table_count; i++) {
        if (is_good_table(&v->tables[i])) {
            return true;
        }
    }
    return (samples != NULL && strncmp(samples->words, "cpu-clock", 9) != 0) || is_good_driver(v) || is_good_tree(v) ||
           is_good_interrupt(v);
}

/* Returns true if the text is what programs print alone: nobody says anything beside. */
static bool is_output_only(const struct linux_view *v)
{
    const struct text *t = &v->r->text;

    for (size_t i = 0; i < t->count && i < 5000; i++) {
        const char *text = t->lines[i].text, *comment = strstr(text, " # ");

        comment = comment != NULL ? comment : strstr(text, "/*");
        comment = comment != NULL ? comment : strstr(text, "<-");
        if (comment != NULL && linux_count_words(comment + 2) >= 3) {
            return false;
        }
        if (!text_is_claimed(t, i, TEXT_LINUX) && linux_count_words(text) >= 4) {
            return false;
        }
    }
    return v->r->said == NULL;
}

/* Clears what no rule on Linux' texts found.  Other rules have nothing to go by but the same lines. */
static void clear_others(struct linux_view *v)
{
    for (unsigned cause = 0; cause < WHY_CAUSE_IDS; cause++) {
        if (suspect_find(v->all, (enum why_cause_id)cause) == NULL) {
            suspect_clear(v->all, (enum why_cause_id)cause);
        }
    }
}

/* Returns true if the input has code, registers or exceptions, on which there are other rules. */
static bool has_other_kinds(const struct linux_view *v)
{
    static const enum clue_kind kinds[] = {CLUE_linux_oops, CLUE_linux_user_undefined, CLUE_linux_sigill,
                                           CLUE_linux_opcode, CLUE_linux_el2_trap};
    size_t claims[TEXT_READERS];

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (v->first[kinds[i]] != NULL) {
            return true;
        }
    }
    text_claims(&v->r->text, claims);
    return claims[TEXT_CODE] != 0 || claims[TEXT_REGISTERS] != 0 || claims[TEXT_EXCEPTION] != 0;
}

/* Clears what forbids calls where calls succeed, and the PMU that is absent where it counts. */
static void clear_refuted(struct linux_view *v, bool counts)
{
    static const enum why_cause_id denials[] = {WHY_perf_paranoid, WHY_exclude_kernel_missing, WHY_selinux_denies_perf,
                                                WHY_container_forbids_perf, WHY_android_perf_harden};

    for (size_t i = 0; counts && i < sizeof denials / sizeof denials[0]; i++) {
        if (suspect_find(v->all, denials[i]) == NULL && v->first[CLUE_linux_permission] == NULL) {
            suspect_clear(v->all, denials[i]);
        }
    }
}

/* Clears causes of interrupts that a device tree or /proc/interrupts refutes. */
static void clear_interrupts(struct linux_view *v)
{
    static const enum why_cause_id causes[] = {WHY_pmu_node_without_interrupts, WHY_dt_missing_interrupt_affinity,
                                               WHY_irq_line_shared};
    const bool tree = v->first[CLUE_linux_tree_pmu] != NULL && v->first[CLUE_linux_tree_no_irqs] == NULL;

    for (size_t i = 0; (tree || v->first[CLUE_linux_interrupt] != NULL) && i < (tree ? 3u : 1u); i++) {
        if (suspect_find(v->all, causes[i]) == NULL) {
            suspect_clear(v->all, causes[i]);
        }
    }
}

void linux_rules_clear(struct linux_view *v)
{
    bool counts = v->first[CLUE_linux_driver] != NULL;

    if (is_good_interrupt(v) && v->first[CLUE_linux_no_samples] == NULL) {
        suspect_clear(v->all, WHY_enabled_on_one_cpu_only); /* the CPUs' counters overflow */
    }

    for (unsigned i = 0; i < v->table_count; i++) {
        counts = counts || v->tables[i].counted > 0;
    }
    if (counts && suspect_find(v->all, WHY_no_pmu_device) == NULL &&
        suspect_find(v->all, WHY_hypervisor_gives_no_pmu) == NULL) {
        suspect_clear(v->all, WHY_no_pmu_device);
        suspect_clear(v->all, WHY_hypervisor_gives_no_pmu);
    }
    if (suspect_find(v->all, WHY_android_perf_harden) != NULL) {
        suspect_clear(v->all, WHY_no_pmu_device);
    }
    if (suspect_find(v->all, WHY_hypervisor_gives_no_pmu) != NULL && v->last[CLUE_linux_perf_harden] == NULL) {
        suspect_clear(v->all, WHY_android_perf_harden);
    }
    clear_interrupts(v);
    clear_refuted(v, counts && v->table_count > 0);
    if (is_output_only(v) && !has_other_kinds(v)) {
        clear_others(v);
    }
}

/* Adds the questions for inputs that tell too little. */
static void ask(struct linux_view *v)
{
    const struct clue *samples = v->last[CLUE_linux_samples];
    const bool bare = reading_value(&v->r->machine.place, READING_PLACE_UNKNOWN) == READING_PLACE_BARE;

    if (v->first[CLUE_linux_no_samples] != NULL || v->r->sees[READING_no_interrupt] ||
        (samples != NULL && samples->values[0] < 50)) {
        suspect_ask(v->all, 85,
                    "whether the PMU's interrupt comes: grep -i pmu /proc/interrupts before and after perf record; "
                    "and perf stat -e cycles, and dmesg | grep -i -e perfevents -e pmu");
    }
    if (v->first[CLUE_linux_other_arch] != NULL) {
        suspect_ask(v->all, 90, "the same on the Arm machine: this input is of a %s processor (uname -m, lscpu)",
                    v->first[CLUE_linux_other_arch]->words);
    }
    if (v->first[CLUE_linux_sigill] != NULL || v->first[CLUE_linux_user_undefined] != NULL) {
        suspect_ask(v->all, 60,
                    "the instruction that faulted: gdb -batch -ex run -ex 'x/i $pc' PROGRAM, and sysctl "
                    "kernel.perf_user_access");
    }
    if (v->first[CLUE_linux_throttled] != NULL || v->first[CLUE_linux_watchdog_failed] != NULL) {
        suspect_ask(v->all, 40, "what perf counts: perf stat -e cycles,instructions true; dmesg | grep -i perfevents");
    }
    const bool open = v->all->count == 0 && v->all->question_count == 0 && !v->all->fine;

    if (v->r->machine.linux_os.known || !bare || open) {
        suspect_ask(v->all, bare && open ? 5 : 30,
                    "what Linux and perf see: dmesg | grep -i -e perfevents -e pmu; ls "
                    "/sys/bus/event_source/devices; perf stat -e cycles,instructions true; lscpu");
    }
}

void linux_rules_fine(struct linux_view *v)
{
    if (!linux_complains(v) && v->first[CLUE_linux_other_arch] == NULL && is_fine(v)) {
        v->all->fine = true;
    }
    ask(v);
}
