/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on Linux without a PMU: who keeps it back, the hypervisor, the device tree, the kernel's build or the driver.
 */
#include <string.h>

#include "linux.h"

/* Returns true if @event is one that every core of the architecture counts. */
static bool is_basic(const char *event)
{
    return strncmp(event, "cycles", 6) == 0 || strncmp(event, "cpu-cycles", 10) == 0 ||
           strncmp(event, "instructions", 12) == 0 || strstr(event, "cpu_cycles") != NULL || event[0] == '\0';
}

/* Returns the first table of which no event of hardware counts, not even cycles, or NULL. */
static const struct clue *dead_table(const struct linux_view *v)
{
    for (unsigned i = 0; i < v->table_count; i++) {
        const struct linux_table *t = &v->tables[i];
        const struct clue *basic = t->cycles != NULL ? t->cycles : t->instructions;

        if (t->cycles == NULL && linux_counts(v)) {
            continue; /* instructions alone are missing */
        }
        if (t->unsupported > 0 && t->counted + t->uncounted + t->zero == 0 && basic != NULL &&
            strchr(basic->words, '/') == NULL && strstr(basic->words, ":p") == NULL) {
            return basic;
        }
    }
    return NULL;
}

/* Returns the clue that shows that there is no PMU of the cores, or NULL.  *@sure: the kernel itself says so. */
static const struct clue *find_absence(const struct linux_view *v, bool *sure)
{
    const struct clue *c;

    *sure = true;
    if (v->first[CLUE_linux_no_pmu_device] != NULL) {
        return v->first[CLUE_linux_no_pmu_device];
    }
    if (v->first[CLUE_linux_listing] != NULL && v->first[CLUE_linux_listed_pmu] == NULL) {
        return v->first[CLUE_linux_listing];
    }
    *sure = false;
    for (c = v->first[CLUE_linux_event_unsupported]; c != NULL; c = reading_next(v->r, c->kind, c)) {
        if (is_basic(c->words)) {
            return c;
        }
    }
    for (c = v->first[CLUE_linux_refused]; c != NULL; c = reading_next(v->r, c->kind, c)) {
        const bool basic = strstr(c->words, "cpu_cycles") != NULL || strstr(c->words, "(cycles") != NULL ||
                           strstr(c->words, "hw_instructions") != NULL || strstr(c->words, "(instructions") != NULL;
        const bool samples = strstr(c->words, "sample_period=") != NULL && strstr(c->words, "sample_period=0") == NULL;

        if (basic &&
            (c->values[0] == 2 || c->values[0] == 19 || (c->values[0] == 95 && !samples && !linux_counts(v)))) {
            return c;
        }
    }
    c = v->first[CLUE_linux_samples];
    if (c != NULL && strncmp(c->words, "cpu-clock", 9) == 0) {
        return c;
    }
    c = v->first[CLUE_linux_event_unknown];
    if (c != NULL && strncmp(c->words, "armv", 4) == 0 && v->first[CLUE_linux_listed_pmu] == NULL &&
        v->first[CLUE_linux_driver] == NULL) {
        return c;
    }
    c = dead_table(v);
    return c != NULL && v->first[CLUE_linux_driver] == NULL && v->first[CLUE_linux_listed_pmu] == NULL ? c : NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * What the input says in so many words.
 */

/* Returns true if all strings of @compatible are those of ARMv7's PMUs, which a 64-bit kernel does not know. */
static bool is_armv7_only(const char *compatible)
{
    static const char *const cores[] = {"cortex-a5-",  "cortex-a7-",  "cortex-a8-", "cortex-a9-",
                                        "cortex-a12-", "cortex-a15-", "cortex-a17-"};
    bool armv7 = false;

    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        armv7 = armv7 || strstr(compatible, cores[i]) != NULL;
    }
    return armv7 && strstr(compatible, "armv8") == NULL && strchr(compatible, ' ') == NULL;
}

/* Returns true if the input says that the kernel is a 64-bit one. */
static bool is_big_kernel(const struct linux_view *v)
{
    const struct apmu_core_info *core = v->r->machine.core;

    return !v->kernel32 && (v->first[CLUE_linux_kernel64] != NULL || linux_text_has(v, "arm64") ||
                            linux_text_has(v, "aarch64") || (core != NULL && core->pmu == APMU_CORE_PMU_V3));
}

static void add_device_tree(struct linux_view *v)
{
    char cure[400];
    const struct clue *c = v->first[CLUE_linux_tree_no_node];

    if (c != NULL && v->here == NULL) {
        linux_suspect(v, WHY_no_pmu_device, SUSPECT_CERTAIN, 80, c,
                      "add a node to the device tree: pmu { compatible = \"arm,armv8-pmuv3\"; interrupts = <GIC_PPI 7 "
                      "IRQ_TYPE_LEVEL_LOW>; }; with the number of the PMU's interrupt from the SoC's manual");
        snprintf(v->all->list[v->all->count - 1].because, sizeof v->all->list[0].because,
                 "the whole device tree, %u CPUs, has no node whose compatible is that of a CPU's PMU",
                 (unsigned)c->values[0]);
    }
    c = v->first[CLUE_linux_tree_disabled];
    if (c != NULL) {
        linux_suspect(v, WHY_no_pmu_device, SUSPECT_CERTAIN, 90, c,
                      suspect_text(cure,
                                   "status = \"okay\" in the pmu node (%s) of the device tree, or delete its "
                                   "status property",
                                   c->words));
    }
    c = v->first[CLUE_linux_tree_unknown];
    if (c != NULL) {
        const bool apple = strstr(c->words, "apple") != NULL;

        linux_suspect(
            v, WHY_no_pmu_device, apple ? SUSPECT_LIKELY : SUSPECT_CERTAIN, 70, c,
            "write a compatible string that the driver knows in the pmu node of the device tree: \"arm,armv8-pmuv3\" "
            "behind that of the core, such as \"arm,cortex-a53-pmu\"");
    }
    c = v->first[CLUE_linux_tree_pmu];
    if (c != NULL && is_armv7_only(c->words) && is_big_kernel(v)) {
        linux_suspect(
            v, WHY_no_pmu_device, SUSPECT_CERTAIN, 78, c,
            "a 64-bit kernel knows no ARMv7 PMU: write compatible = \"arm,armv8-pmuv3\" in the pmu node, behind "
            "that of the core, such as \"arm,cortex-a57-pmu\"");
    }
    c = v->first[CLUE_linux_no_pmu_node];
    if (c != NULL && v->here == NULL) {
        linux_suspect(
            v, WHY_no_pmu_device, SUSPECT_LIKELY, 85, c,
            "add a pmu node to the device tree: compatible = \"arm,armv8-pmuv3\" and the PMU's interrupts; the "
            "kernel needs CONFIG_ARM_PMUV3 (before 6.4 CONFIG_HW_PERF_EVENTS)");
    }
}

/* Returns true if the input is code that accesses the PMU itself, for which it is well that the kernel does not. */
static bool uses_registers(const struct linux_view *v)
{
    const struct code *code = v->r->code;

    for (size_t i = 0; code != NULL && code->perf == NULL && i < code->step_count; i++) {
        if (code->steps[i].act == CODE_WRITE) {
            return true;
        }
    }
    return false;
}

/* Adds the kernel that is built without the driver. */
static void add_config(struct linux_view *v)
{
    char cure[400];
    const struct clue *c = v->first[CLUE_linux_config_off];

    if (reading_find(v->r, CLUE_words_grants) != NULL && v->table_count == 0) {
        return; /* a module of the writer's programs the PMU, and needs no driver */
    }
    for (; c != NULL; c = reading_next(v->r, CLUE_linux_config_off, c)) {
        const bool v7 = strstr(c->words, "v7") != NULL || strstr(c->words, "v6") != NULL || strstr(c->words, "xscale");
        const bool acpi = strstr(c->words, "acpi") != NULL || strstr(c->words, "apple") != NULL;

        if (!acpi && !(v7 && !v->kernel32) && !uses_registers(v)) {
            char name[48];
            size_t n = 0;

            for (; c->words[n] != '\0' && n + 1 < sizeof name; n++) {
                name[n] = (char)(c->words[n] >= 'a' && c->words[n] <= 'z' ? c->words[n] - 32 : c->words[n]);
            }
            name[n] = '\0';
            linux_suspect(v, WHY_no_pmu_device, SUSPECT_CERTAIN, 88, c,
                          suspect_text(cure,
                                       "build the kernel with CONFIG_%s=y (and CONFIG_PERF_EVENTS, "
                                       "CONFIG_HW_PERF_EVENTS, CONFIG_ARM_PMU, CONFIG_ARM_PMUV3)",
                                       name));
            return;
        }
    }
    for (c = v->first[CLUE_linux_refused]; c != NULL; c = reading_next(v->r, CLUE_linux_refused, c)) {
        if (c->values[0] == 38 && !v->container) {
            linux_suspect(v, WHY_no_pmu_device, SUSPECT_LIKELY, 70, c,
                          "ENOSYS: build the kernel with CONFIG_PERF_EVENTS=y and CONFIG_HW_PERF_EVENTS=y");
            return;
        }
    }
}

/* Adds the virtual machine that is configured without a PMU. */
static void add_switched_off(struct linux_view *v)
{
    const struct clue *c = v->first[CLUE_linux_pmu_off];
    const struct clue *vm = v->first[CLUE_linux_vm_command];
    const char *cure = "start QEMU with pmu=on, for instance -cpu host,pmu=on; in libvirt's XML <pmu state='on'/>";

    if (c == NULL) {
        return;
    }
    if (vm != NULL && strcmp(vm->words, "kvmtool") == 0) {
        cure = "lkvm run --pmu: kvmtool gives the guest a PMU only with --pmu";
    } else if (vm != NULL && strcmp(vm->words, "crosvm") == 0) {
        cure = "run crosvm without --no-pmu: it gives the guest a PMU then";
    } else if (linux_text_has(v, "vpmu")) {
        cure = "vpmu = 1 in the configuration of the domain (and vpmu on Xen's command line)";
    } else if (linux_text_has(v, "<domain") || linux_text_has(v, "<feature")) {
        cure = "<features><pmu state='on'/></features> in the domain's XML (virsh edit), then virsh shutdown and start";
    }
    linux_suspect(v, WHY_hypervisor_gives_no_pmu, SUSPECT_CERTAIN, 95, c, cure);
}

/* ---------------------------------------------------------------------------------------------------------------
 * What follows from where the machine runs.
 */

/* Returns what gives this virtual machine a PMU. */
static const char *cure_of_host(const struct linux_view *v)
{
    const enum reading_hypervisor h = (enum reading_hypervisor)reading_value(&v->r->machine.hypervisor, 0);

    if (v->first[CLUE_linux_cloud] != NULL || h == READING_HYPERVISOR_CLOUD) {
        return "take an instance with a PMU, such as the .metal size, or ask the provider of the cloud; until then "
               "count "
               "with software events (perf stat -e task-clock)";
    }
    if (v->first[CLUE_linux_wsl] != NULL || h == READING_HYPERVISOR_HYPERV) {
        return "Hyper-V (and WSL 2) gives Arm guests no PMU: run Linux on the hardware, or in a hypervisor with a vPMU";
    }
    if (h == READING_HYPERVISOR_XEN) {
        return "vpmu = 1 in the configuration of the domain, with a Xen that supports a virtual PMU; or count in a "
               "host "
               "without the hypervisor";
    }
    if (h == READING_HYPERVISOR_KVM || linux_text_has(v, "qemu")) {
        return "the host starts the guest with a PMU: -cpu host,pmu=on (libvirt: <pmu state='on'/>), and its kernel "
               "must "
               "have the PMU itself (dmesg | grep perfevents on the host)";
    }
    return "this hypervisor gives its guests no PMU: switch its virtual PMU on where it has one (QEMU/KVM: pmu=on), or "
           "run "
           "perf on the host or on bare metal";
}

static bool is_probe_failure(const struct linux_view *v)
{
    static const enum clue_kind kinds[] = {CLUE_linux_irq_request, CLUE_linux_irq_conflict, CLUE_linux_pmu_reserved,
                                           CLUE_linux_acpi_no_irq, CLUE_linux_tree_no_irqs};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (v->first[kinds[i]] != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns true if the input shows a 32-bit kernel on a core of Armv8. */
static bool is_small_kernel(const struct linux_view *v)
{
    const struct apmu_core_info *core = v->r->machine.core;

    return v->kernel32 && v->first[CLUE_linux_kernel64] == NULL && core != NULL && core->pmu == APMU_CORE_PMU_V3;
}

static void add_absence(struct linux_view *v, const struct clue *c, bool sure)
{
    const bool message = v->first[CLUE_linux_no_pmu_device] != NULL;

    if (is_small_kernel(v)) {
        linux_suspect(
            v, WHY_aarch32_kernel_on_v8_core, SUSPECT_CERTAIN, 75, v->first[CLUE_linux_kernel32],
            "run a 64-bit (arm64) kernel; or a 32-bit kernel from 6.5 on with CONFIG_ARM_PMUV3; or add a compatible "
            "string that its ARMv7 driver knows, \"arm,cortex-a15-pmu\" or \"arm,cortex-a7-pmu\", to the pmu node");
    } else if (v->here != NULL || (v->emulated && v->first[CLUE_linux_pmu_off] != NULL)) {
        struct suspect *s = linux_suspect(v, WHY_hypervisor_gives_no_pmu, SUSPECT_LIKELY, 90, v->here, cure_of_host(v));

        snprintf(s->look, sizeof s->look, "on the host: dmesg | grep perfevents, and how it starts the guest");
    } else if (v->emulated) {
        linux_suspect(v, WHY_hypervisor_gives_no_pmu, SUSPECT_LIKELY, 60, c,
                      "QEMU gives a guest no PMU here: use -M virt with a -cpu that has one (cortex-a57, max), without "
                      "pmu=off");
        linux_suspect(v, WHY_emulator_counts_little, SUSPECT_POSSIBLE, 50, c, NULL);
    } else if (message || (sure && v->physical) || v->first[CLUE_linux_no_pmu_node] != NULL) {
        linux_suspect(
            v, WHY_no_pmu_device, SUSPECT_LIKELY, 80, c,
            "add a pmu node to the device tree (compatible = \"arm,armv8-pmuv3\", and its interrupts), or build "
            "the kernel with CONFIG_ARM_PMUV3; in a virtual machine give it a PMU");
    } else if (sure || v->physical) {
        linux_suspect(v, WHY_no_pmu_device, SUSPECT_LIKELY, 60, c,
                      "add a pmu node to the device tree, or build the kernel with CONFIG_ARM_PMUV3");
        if (!v->physical) {
            linux_suspect(v, WHY_hypervisor_gives_no_pmu, SUSPECT_POSSIBLE, 50, c, NULL);
        }
    } else {
        suspect_ask(v->all, 80,
                    "whether the kernel has a PMU, and whether the machine is virtual: dmesg | grep -i "
                    "perfevents; ls /sys/bus/event_source/devices; lscpu | grep -i -e model -e hypervisor");
    }
}

/* Adds the PMU that is missing in a virtual machine whose boot messages and lists of perf have nothing of one. */
static void add_silence(struct linux_view *v)
{
    const struct clue *asked = NULL;

    for (const struct clue *c = v->first[CLUE_linux_command]; c != NULL && asked == NULL;
         c = reading_next(v->r, CLUE_linux_command, c)) {
        const size_t next = text_find(&v->r->text, c->line + 1);
        const bool grep = strstr(c->words, "dmesg") != NULL && strstr(c->words, "grep") != NULL &&
                          (strstr(c->words, "pmu") != NULL || strstr(c->words, "perfev") != NULL);
        const bool silent = next >= v->r->text.count || v->r->text.lines[next].length <= 2 ||
                            strpbrk(v->r->text.lines[next].text, "$#") != NULL;

        asked = grep && silent ? c : NULL;
    }
    if (asked != NULL && v->here != NULL && v->first[CLUE_linux_driver] == NULL && !linux_counts(v) &&
        v->all->count == 0 && v->first[CLUE_linux_listed_pmu] == NULL) {
        linux_suspect(v, WHY_hypervisor_gives_no_pmu, SUSPECT_LIKELY, 80, v->here, cure_of_host(v));
    }
}

void linux_rules_absent(struct linux_view *v)
{
    bool sure;
    const struct clue *c = find_absence(v, &sure);

    if (c != NULL && v->android && c->kind == CLUE_linux_event_unsupported &&
        ((v->level >= 3 && v->level < 100) ||
         (v->last[CLUE_linux_perf_harden] != NULL && v->last[CLUE_linux_perf_harden]->values[0] == 1))) {
        c = NULL; /* the kernel refuses every event, which simpleperf takes for a missing PMU */
    }
    add_switched_off(v);
    add_config(v);
    add_device_tree(v);
    if (v->apple && c != NULL && v->here == NULL) {
        linux_suspect(v, WHY_apple_not_pmuv3, SUSPECT_LIKELY, 60, c, NULL);
    } else if (c != NULL && !is_probe_failure(v)) {
        add_absence(v, c, sure);
    }
    if (c == NULL && v->first[CLUE_linux_watchdog_failed] != NULL && v->first[CLUE_linux_driver] == NULL) {
        suspect_ask(v->all, 60, "dmesg | grep -i -e perfevents -e pmu: whether the kernel found a PMU at all");
    }
    if (is_small_kernel(v) && c == NULL && v->first[CLUE_linux_tree_pmu] != NULL &&
        strstr(v->first[CLUE_linux_tree_pmu]->words, "cortex-a1") == NULL &&
        strstr(v->first[CLUE_linux_tree_pmu]->words, "cortex-a7-") == NULL) {
        linux_suspect(v, WHY_aarch32_kernel_on_v8_core, SUSPECT_LIKELY, 70, v->first[CLUE_linux_kernel32], NULL);
    }
    add_silence(v);
    c = v->first[CLUE_linux_probe_failed];
    if (c != NULL && !is_probe_failure(v)) {
        linux_suspect(
            v, is_small_kernel(v) ? WHY_aarch32_kernel_on_v8_core : WHY_pmu_irq_request_failed, SUSPECT_LIKELY, 50, c,
            is_small_kernel(v)
                ? NULL
                : "see the message before it; check the interrupts and interrupt-affinity of the pmu node, and that "
                  "the compatible string is that of the core");
    }
}
