/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on direct reads of the counters in Linux: undefined instructions, user access, and what comes between two
 * reads. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "../../read/exception.h"
#include "linux.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Undefined instructions.
 */

/* Returns true if @opcode, A64 or A32, accesses the PMU. */
static bool is_pmu_opcode(uint64_t opcode)
{
    const unsigned crn = (unsigned)(opcode >> 12 & 15), crm = (unsigned)(opcode >> 8 & 15);

    if ((opcode & 0xFFC00000) == 0xD5000000 && (opcode >> 19 & 3) == 3) {
        return crn == 9 || (crn == 14 && crm >= 8);
    }
    /* MRC and MCR p15: CRn is bits 19:16, CRm bits 3:0. */
    if ((opcode & 0x0F000F10) == 0x0E000F10) {
        const unsigned n = (unsigned)(opcode >> 16 & 15), m = (unsigned)(opcode & 15);

        return (n == 9 && m >= 12) || (n == 14 && m >= 8) || (n == 15 && m == 12);
    }
    return (opcode & 0x0FF00F00) == 0x0C500F00; /* MRRC p15 */
}

/* Returns true if the instruction that faulted is known, and is none of the PMU's. */
static bool is_other_instruction(const struct linux_view *v)
{
    const struct clue *c =
        v->first[CLUE_linux_opcode] != NULL ? v->first[CLUE_linux_opcode] : v->first[CLUE_exception_opcode];

    return c != NULL && c->values[0] != 0 && !is_pmu_opcode(c->values[0]);
}

/* Returns true if the input names a register of the PMU, or another thing that only direct reads need. */
static bool names_pmu(const struct linux_view *v)
{
    static const char *const words[] = {
        "pmccntr",     "pmevcntr",     "pmxevcntr",   "pmuserenr",        "pmcr",          "pmcnten",    "pmselr",
        "rdpmc",       "c9, c13",      "c9,c13",      "perf_user_access", "cycle counter", "el0 access", "ccnt",
        "user access", "pmu register", "direct read", "user-mode access", "s3_3_c9"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (linux_text_has(v, words[i])) {
            return true;
        }
    }
    return false;
}

static const char apple_cure[] =
    "Apple's cores have counters of their own (S3_2_C15_C0_0 and on), and no PMUv3 registers: use "
    "perf with the kernel's apple_*_pmu driver, or Instruments and kperf on macOS";

static void add_oops(struct linux_view *v)
{
    const struct clue *c =
        v->first[CLUE_linux_oops] != NULL ? v->first[CLUE_linux_oops] : v->first[CLUE_linux_el2_trap];

    if (c == NULL || is_other_instruction(v)) {
        return;
    }
    if (v->apple) {
        linux_suspect(v, WHY_apple_not_pmuv3, SUSPECT_CERTAIN, 80, c, apple_cure);
    } else if (v->here != NULL || c->kind == CLUE_linux_el2_trap) {
        linux_suspect(
            v, WHY_hypervisor_gives_no_pmu, SUSPECT_LIKELY, 85, v->here != NULL ? v->here : c,
            "the hypervisor gives this guest no PMU, so its registers are UNDEFINED: start the guest with a vPMU "
            "(QEMU/KVM: -cpu host,pmu=on; libvirt <pmu state='on'/>)");
        linux_suspect(v, WHY_el2_traps_pmu, SUSPECT_LIKELY, 75, c,
                      "the hypervisor traps the access (MDCR_EL2.TPM): give the guest a vPMU");
        suspect_clear(v->all, WHY_el0_access_off);
    }
}

static uint64_t setting(const struct clue *c, uint64_t otherwise)
{
    return c == NULL ? otherwise : c->values[0];
}

/* Returns true if a module or perf granted reads, and the instruction that faulted is a write. */
static bool writes_are_refused(const struct linux_view *v)
{
    const struct clue *grant = v->last[CLUE_linux_user_enable], *opcode = v->first[CLUE_linux_opcode];
    const bool by_perf = setting(v->last[CLUE_linux_user_access], 2) == 1;
    bool writes =
        v->first[CLUE_linux_user_write] != NULL || (opcode != NULL && (opcode->values[0] & 0xFFF00000) == 0xD5100000);

    for (const struct clue *c = NULL; (c = reading_next(v->r, CLUE_exception_instruction, c)) != NULL;) {
        writes |= (c->values[0] & EXCEPTION_FAULTED) != 0 && !exception_unpack(c->values[0]).read;
    }

    if (grant == NULL) {
        return writes && by_perf;
    }
    return writes && (grant->values[0] & 1) == 0 && ((grant->values[0] & 0xE) != 0 || by_perf);
}

/* Adds why a program may not read the counters directly.  @c shows that it could not. */
static void add_no_access(struct linux_view *v, const struct clue *c)
{
    static const char open_it[] =
        "read through perf: sysctl -w kernel.perf_user_access=1, open the event with config1 = 2 "
        "(attr.config1 |= 2) and read while it is open; or a module sets PMUSERENR_EL0.EN on each CPU";
    const struct apmu_core_info *core = v->r->machine.core;
    const uint64_t access = setting(v->last[CLUE_linux_user_access], 2);
    const bool narrow = v->kernel32 || (v->r->machine.aarch32.known && v->r->machine.aarch32.value == 1);

    if (v->apple) {
        linux_suspect(v, WHY_apple_not_pmuv3, SUSPECT_CERTAIN, 85, c, apple_cure);
        suspect_clear(v->all, WHY_el0_access_off);
        return;
    }
    if (core != NULL && core->pmu == APMU_CORE_PMU_ARM11) {
        linux_suspect(v, WHY_arm11_v_bit_clear, SUSPECT_LIKELY, 80, c,
                      "the kernel (a module) sets the V bit: MCR p15, 0, r0, c15, c9, 0 with bit 0 set");
        return;
    }
    if (access == 0) {
        linux_suspect(v, WHY_perf_user_access_0, SUSPECT_CERTAIN, 85, v->last[CLUE_linux_user_access],
                      "sysctl -w kernel.perf_user_access=1, and open the event with config1 = 2");
        linux_suspect(v, WHY_el0_access_off, SUSPECT_POSSIBLE, 60, c, open_it);
    } else if (writes_are_refused(v)) {
        linux_suspect(
            v, WHY_el0_write_not_allowed, SUSPECT_LIKELY, 85, c,
            "PMUSERENR_EL0 lets EL0 read only (CR, ER): the kernel sets EN (bit 0), too, or writes the register "
            "itself");
    } else if (access == 1) {
        linux_suspect(
            v, WHY_perf_user_access_not_requested, SUSPECT_LIKELY, 80, v->last[CLUE_linux_user_access],
            "attr.config1 |= 2 before perf_event_open() (bit 1 asks for user access), bind the event to the task, and "
            "read only while it is open and mapped");
        suspect_clear(v->all, WHY_perf_user_access_0);
        linux_suspect(v, WHY_el0_access_off, SUSPECT_POSSIBLE, 60, c, open_it);
    } else if (narrow) {
        linux_suspect(
            v, WHY_el0_access_off_aarch32, SUSPECT_LIKELY, 80, c,
            "the kernel sets PMUSERENR.EN on each CPU (MCR p15, 0, r0, c9, c14, 0 with 1); or use perf_event_open()");
    } else {
        linux_suspect(v, WHY_el0_access_off, SUSPECT_LIKELY, 75, c, open_it);
        linux_suspect(v, WHY_perf_user_access_0, SUSPECT_LIKELY, 60, c,
                      "sysctl -w kernel.perf_user_access=1, and open the event with config1 = 2");
    }
}

/* Returns the first fault that a program or the kernel printed, and not somebody told in a sentence; or NULL. */
static const struct clue *find_fault(const struct linux_view *v)
{
    for (const struct clue *c = v->first[CLUE_linux_sigill]; c != NULL; c = reading_next(v->r, CLUE_linux_sigill, c)) {
        const size_t i = text_find(&v->r->text, c->line);

        if (text_is_claimed(&v->r->text, i, TEXT_LINUX) || linux_count_words(v->r->text.lines[i].text) < 5) {
            return c;
        }
    }
    return NULL;
}

void linux_rules_user(struct linux_view *v)
{
    const struct clue *c = v->first[CLUE_linux_user_undefined];
    const struct clue *direct = v->last[CLUE_linux_rdpmc], *access = v->last[CLUE_linux_user_access];

    add_oops(v);
    if (v->first[CLUE_linux_translator] != NULL) {
        linux_suspect(v, WHY_emulator_counts_little, SUSPECT_CERTAIN, 80, v->first[CLUE_linux_translator],
                      "run it without Valgrind, natively: its translator does not know the instruction, whatever the "
                      "CPU allows. Or leave the read out where RUNNING_ON_VALGRIND (valgrind/valgrind.h) is not 0");
        return;
    }
    if (c == NULL) {
        c = find_fault(v);
    }
    if (direct != NULL && direct->values[0] == 0) {
        add_no_access(v, direct);
    } else if (c != NULL && v->first[CLUE_linux_oops] == NULL && !is_other_instruction(v) &&
               (names_pmu(v) || v->first[CLUE_exception_opcode] != NULL || v->first[CLUE_linux_opcode] != NULL)) {
        add_no_access(v, c);
    } else if (access != NULL && access->values[0] == 0 && access->values[1] == 0 && linux_complains(v) &&
               (v->r->sees[READING_fault] || v->r->sees[READING_refused])) {
        add_no_access(v, access);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * What comes between.
 */

/* What happened before now. */
struct story {
    const struct clue *module, *perf, *suspend, *hotplug, *guest, *profiler; /* since it last worked; .module: ever */
    const struct clue *worked;    /* a command that read the counters without a fault */
    char program[64];             /* its name */
    uint64_t good_cpus, bad_cpus; /* CPUs on which taskset ran it */
};

/* Copies the name of the program that reads the counters, "./rd", from @command.  Returns false if it runs none. */
static bool reader_of(const char *command, char *name, size_t size)
{
    const char *at = command;

    if (strncmp(command, "perf ", 5) == 0 || strncmp(command, "sudo perf ", 10) == 0 ||
        strncmp(command, "strace", 6) == 0 || strncmp(command, "gcc", 3) == 0 || strncmp(command, "make", 4) == 0) {
        return false;
    }
    for (at = strstr(command, "./"); at != NULL && at != command && at[-1] != ' ' && at[-1] != ';';
         at = strstr(at + 1, "./")) {
    }
    if (at == NULL || strstr(at, ".ko") != NULL) {
        return false;
    }
    linux_word(at + 2, ";&|", name, size);
    return name[0] != '\0';
}

/* Returns the CPU of "taskset -c N" in @command; 64: none. */
static unsigned pinned_cpu(const char *command)
{
    const char *at = strstr(command, "taskset -c "), *end;

    if (at == NULL) {
        return 64;
    }
    const uint64_t cpu = linux_number(at + 11, &end);

    return end != at + 11 && (*end == ' ' || *end == '\0') && cpu < 64 ? (unsigned)cpu : 64;
}

/* Notes in @s what the command @c changes. */
static void note_command(struct story *s, const struct clue *c)
{
    const char *w = c->words;

    if (strstr(w, "insmod") != NULL || strstr(w, "modprobe") != NULL) {
        s->module = c;
    }
    if (strstr(w, "perf stat") != NULL || strstr(w, "perf record") != NULL || strstr(w, "perf top") != NULL) {
        s->perf = c;
    }
    if (strstr(w, "/power/state") != NULL || strstr(w, "systemctl suspend") != NULL || strstr(w, "rtcwake") != NULL ||
        strstr(w, "pm-suspend") != NULL || strstr(w, "hibernate") != NULL) {
        s->suspend = c;
    }
    if ((strstr(w, "/online") != NULL && strstr(w, "echo") != NULL) || strstr(w, "chcpu -d") != NULL) {
        s->hotplug = c;
    }
    if (strstr(w, "virsh start") != NULL || strstr(w, "qemu-system") != NULL || strstr(w, "lkvm run") != NULL ||
        strstr(w, "xl create") != NULL || strstr(w, "virsh resume") != NULL) {
        s->guest = c;
    }
}

/* Adds the cause of a fault, by what came since the program last worked. */
static bool add_change(struct linux_view *v, const struct story *s, const struct clue *fault, bool worked)
{
    static const char again[] =
        "set PMUSERENR_EL0 and the counters up again after each loss: in the module's CPU_PM notifier "
        "and CPU hotplug callback (cpuhp_setup_state), or load the module again after resume";
    const struct clue *lost = s->suspend != NULL ? s->suspend : s->hotplug;

    if (lost != NULL && (worked || s->module != NULL || v->first[CLUE_linux_module_set_up] != NULL)) {
        linux_suspect(v, WHY_power_lost_reset_values, SUSPECT_CERTAIN, 85, lost, again);
        return true;
    }
    if (worked && s->guest != NULL) {
        linux_suspect(
            v, WHY_guest_cleared_pmuserenr, SUSPECT_LIKELY, 90, s->guest,
            "the hypervisor (KVM) must save and restore PMUSERENR_EL0 with the guest: a newer kernel; or set it "
            "again after the guest ran, or keep guests off these CPUs");
        return true;
    }
    if (s->perf != NULL && (worked || s->module != NULL)) {
        linux_suspect(v, WHY_perf_takes_el0_access_away, worked ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 88, s->perf,
                      "perf writes PMUSERENR_EL0 = 0 when it schedules events: use perf's own user access "
                      "(kernel.perf_user_access=1, config1 = 2), or do not run perf beside the module");
        return true;
    }
    (void)fault;
    return false;
}

/* Adds the access that was granted on some CPUs only. */
static void add_one_cpu(struct linux_view *v, const struct clue *line, enum suspect_confidence confidence)
{
    linux_suspect(
        v, WHY_enabled_on_one_cpu_only, confidence, 86, line,
        "each CPU has its own PMUSERENR_EL0: set it on every one, on_each_cpu(), and for CPUs that come later "
        "cpuhp_setup_state()");
}

/* Returns true if the lines after command @c up to line @end show results and faults, as a loop over CPUs prints them.
 */
static bool is_mixed(const struct linux_view *v, const struct clue *c, uint32_t end)
{
    unsigned faults = 0, results = 0;

    if (strstr(c->words, "taskset") == NULL && strstr(c->words, "for ") == NULL) {
        return false;
    }
    for (size_t i = text_find(&v->r->text, c->line + 1); i < v->r->text.count && faults + results < 200; i++) {
        const struct text_line *line = &v->r->text.lines[i];

        if (line->number >= end) {
            break;
        }
        if (strcasestr(line->text, "illegal") != NULL || strcasestr(line->text, "sigill") != NULL) {
            faults++;
        } else {
            results += strpbrk(line->text, "0123456789") != NULL && strcasestr(line->text, "core dumped") == NULL;
        }
    }
    return faults > 0 && results > 0;
}

/* Returns true if the input says that the set-up was made on every CPU. */
static bool names_all_cpus(const struct linux_view *v)
{
    static const char *const words[] = {"all cpus", "every cpu",  "each cpu", "on_each_cpu", "cpu0 cpu1",
                                        "cpus 0-",  "all 4 cpus", "4 cpus",   "8 cpus",      "2 cpus",
                                        "6 cpus",   "all cores",  "each core"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (linux_text_has(v, words[i])) {
            return true;
        }
    }
    return false;
}

/* Returns the first fault behind clue @i and before the next command, or NULL; *@next is that command's line. */
static const struct clue *fault_after(const struct linux_view *v, size_t i, uint32_t *next)
{
    const struct clue *fault = NULL;

    *next = UINT32_MAX;
    for (size_t k = i + 1; k < v->r->clue_count; k++) {
        const struct clue *c = &v->r->clues[k];

        if (c->kind == CLUE_linux_command) {
            *next = c->line;
            break;
        }
        if ((c->kind == CLUE_linux_sigill || c->kind == CLUE_linux_user_undefined) && fault == NULL) {
            fault = c;
        }
    }
    return fault;
}

/* Puts a run of a program that reads the counters into the story.  Returns true if a cause was found. */
static bool add_run(struct linux_view *v, struct story *s, size_t i, const char *name)
{
    const struct clue *c = &v->r->clues[i], *fault;
    const unsigned cpu = pinned_cpu(c->words);
    const bool same = s->worked != NULL && strcmp(s->program, name) == 0;
    uint32_t next;

    fault = fault_after(v, i, &next);
    if (fault != NULL) {
        if (is_mixed(v, c, next)) {
            if (same && (s->suspend != NULL || s->hotplug != NULL) && add_change(v, s, fault, same)) {
                return true; /* each CPU worked before one lost its power */
            }
            add_one_cpu(v, fault, SUSPECT_CERTAIN);
            return true;
        }
        s->bad_cpus |= cpu < 64 ? UINT64_C(1) << cpu : 0;
        if (add_change(v, s, fault, same)) {
            return true;
        }
    } else {
        s->good_cpus |= cpu < 64 ? UINT64_C(1) << cpu : 0;
        s->worked = c;
        snprintf(s->program, sizeof s->program, "%s", name);
        s->perf = s->suspend = s->hotplug = s->guest = NULL;
    }
    if (s->bad_cpus != 0 && s->good_cpus != 0) {
        add_one_cpu(v, fault != NULL ? fault : v->first[CLUE_linux_sigill], SUSPECT_CERTAIN);
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Commands that are typed again.
 */

/* Returns the last number that command @c printed, before line @end.  Returns false if it printed none. */
static bool last_number(const struct linux_view *v, const struct clue *c, uint32_t end, uint64_t *number)
{
    bool found = false;
    unsigned lines = 0;

    for (size_t i = text_find(&v->r->text, c->line + 1); i < v->r->text.count && lines < 20; i++, lines++) {
        const struct text_line *line = &v->r->text.lines[i];
        const char *at = line->text + line->length, *rest;

        if (line->number >= end || linux_count_words(line->text) > 4) {
            break;
        }
        while (at > line->text && isxdigit((unsigned char)at[-1])) {
            at--;
        }
        if (at > line->text + 1 && at[-1] == 'x') {
            at -= 2;
        }
        if (isdigit((unsigned char)*at)) {
            *number = linux_number(at, &rest);
            found = true;
        }
    }
    return found;
}

#define REPEATED 32 /* commands that are compared */

/* Adds a count that was there before the machine slept or a CPU went off, and is 0 after. */
static void add_repeated(struct linux_view *v)
{
    struct {
        const struct clue *command;
        uint64_t number;
    } seen[REPEATED];
    unsigned count = 0;
    struct story s = {0};

    for (size_t i = 0; i < v->r->clue_count && count < REPEATED; i++) {
        const struct clue *c = &v->r->clues[i];
        uint64_t number;
        uint32_t next;

        if (c->kind != CLUE_linux_command) {
            continue;
        }
        note_command(&s, c);
        (void)fault_after(v, i, &next);
        if (!last_number(v, c, next, &number)) {
            continue;
        }
        for (unsigned k = 0; k < count; k++) {
            if (strcmp(seen[k].command->words, c->words) == 0 && seen[k].number != 0 && number == 0 &&
                (s.suspend != NULL || s.hotplug != NULL)) {
                s.perf = s.guest = NULL;
                add_change(v, &s, c, true);
                return;
            }
        }
        seen[count].command = c;
        seen[count++].number = number;
        if (number == 0 && v->r->machine.big_little.value == 1 &&
            (strstr(c->words, "type 4") != NULL || strstr(c->words, "type=4") != NULL ||
             linux_text_has(v, "perf_type_raw"))) {
            linux_suspect(
                v, WHY_wrong_pmu_type, SUSPECT_LIKELY, 80, c,
                "attr.type = the number in /sys/bus/event_source/devices/PMU/type of the PMU that has the CPU; "
                "PERF_TYPE_RAW (4) takes one of the PMUs");
        }
    }
}

/* Returns true if the text speaks of cores that lose their power, and not of idle states that are off. */
static bool tells_of_idle(const struct linux_view *v)
{
    if (reading_find(v->r, CLUE_words_idle_off) != NULL && reading_find(v->r, CLUE_words_idle_off_fixes) == NULL) {
        return false;
    }
    return linux_text_has(v, "cpuidle") || linux_text_has(v, "was idle") || linux_text_has(v, "idle state") ||
           linux_text_has(v, "power down") || linux_text_has(v, "power-down");
}

/* Adds causes that need no program: a fault or a zero after the machine slept. */
static void add_log(struct linux_view *v, const struct story *s)
{
    const struct clue *slept =
        v->first[CLUE_linux_suspend] != NULL ? v->first[CLUE_linux_suspend] : v->first[CLUE_linux_hotplug];
    const struct clue *fault =
        v->last[CLUE_linux_user_undefined] != NULL ? v->last[CLUE_linux_user_undefined] : v->last[CLUE_linux_sigill];
    struct story told = *s;
    const bool lost = v->r->sees[READING_zero] || v->r->sees[READING_sometimes] || v->r->sees[READING_stuck];

    told.suspend = v->first[CLUE_linux_suspend] != NULL ? v->first[CLUE_linux_suspend] : v->first[CLUE_linux_resume];
    told.hotplug = told.suspend == NULL ? v->first[CLUE_linux_hotplug] : NULL;
    if (fault != NULL && slept != NULL && fault->line > slept->line) {
        told.perf = told.guest = NULL;
        add_change(v, &told, fault, told.module != NULL || v->first[CLUE_linux_module_set_up] != NULL);
    } else if (slept != NULL && v->first[CLUE_linux_suspend] != NULL && lost) {
        add_change(v, &told, slept, true);
    } else if (fault != NULL && v->first[CLUE_linux_module_set_up] != NULL && tells_of_idle(v)) {
        told.suspend = fault;
        add_change(v, &told, fault, true);
    } else if (fault != NULL && v->first[CLUE_linux_guest_started] != NULL &&
               fault->line > v->first[CLUE_linux_guest_started]->line && v->first[CLUE_linux_module_set_up] != NULL) {
        told = (struct story){.guest = v->first[CLUE_linux_guest_started]};
        add_change(v, &told, fault, true);
    }
}

/* Adds the CPUs on which a program faults, where it runs on others. */
static void add_results(struct linux_view *v)
{
    const struct clue *fault = NULL, *good = NULL;

    for (const struct clue *c = v->first[CLUE_linux_cpu_result]; c != NULL;
         c = reading_next(v->r, CLUE_linux_cpu_result, c)) {
        fault = c->values[1] != 0 && fault == NULL ? c : fault;
        good = c->values[1] == 0 ? c : good;
    }
    if (fault != NULL && good != NULL && suspect_find(v->all, WHY_power_lost_reset_values) == NULL) {
        add_one_cpu(v, fault, SUSPECT_CERTAIN);
    }
}

/* Adds the event that a trace shows to be opened and never enabled, or for one thread of several. */
static void add_never_enabled(struct linux_view *v)
{
    const struct clue *c = v->first[CLUE_linux_opened];

    if (c != NULL && strstr(c->words, "disabled=1") != NULL && strstr(c->words, "enable_on_exec=1") == NULL &&
        v->first[CLUE_linux_call] != NULL && v->first[CLUE_linux_refused] == NULL &&
        !linux_text_has(v, "ioc_enable") && !linux_text_has(v, "events_enable")) {
        linux_suspect(v, WHY_perf_event_never_enabled, SUSPECT_LIKELY, 75, c,
                      "ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) before the region, or disabled = 0 in the attributes");
    }
    if (c != NULL && strstr(c->words, "inherit=1") == NULL && strstr(c->words, "}, 0, -1,") != NULL &&
        (linux_text_has(v, "threads") || linux_text_has(v, "clone") || linux_text_has(v, "worker")) &&
        linux_wonders(v)) {
        linux_suspect(v, WHY_perf_inherit_missing, SUSPECT_LIKELY, 78, c,
                      "attr.inherit = 1 before the threads start: without it the event counts the first thread alone");
    }
}

void linux_rules_story(struct linux_view *v)
{
    struct story s = {0};
    bool found = false;

    for (size_t i = 0; i < v->r->clue_count && !found; i++) {
        const struct clue *c = &v->r->clues[i];
        char name[64];

        if (c->kind == CLUE_linux_command) {
            note_command(&s, c);
            found = reader_of(c->words, name, sizeof name) && add_run(v, &s, i, name);
        } else if (c->kind == CLUE_linux_suspend) {
            s.suspend = c;
        } else if (c->kind == CLUE_linux_hotplug) {
            s.hotplug = c;
        } else if (c->kind == CLUE_linux_guest_started) {
            s.guest = c;
        } else if (c->kind == CLUE_linux_module_set_up) {
            s.module = c;
        }
    }
    if (!found) {
        add_log(v, &s);
    }
    linux_add_plain_type(v);
    add_never_enabled(v);
    add_results(v);
    add_repeated(v);
    v->reads = s.worked != NULL && s.bad_cpus == 0 && !found;
    if (!found && v->first[CLUE_linux_sigill] != NULL && s.bad_cpus == 0 && s.module != NULL && !v->apple &&
        !writes_are_refused(v) &&
        !(v->first[CLUE_linux_user_enable] != NULL &&
          (v->first[CLUE_linux_user_enable]->values[0] == 0 ||
           ((v->first[CLUE_linux_user_enable]->values[0] & 9) == 0 && linux_text_has(v, "pmevcntr")))) &&
        !names_all_cpus(v) && v->here == NULL && suspect_find(v->all, WHY_power_lost_reset_values) == NULL) {
        add_one_cpu(v, v->first[CLUE_linux_sigill], SUSPECT_LIKELY);
    }
    if (v->first[CLUE_linux_watchdog] != NULL &&
        (linux_text_has(v, "pmintenset") || linux_text_has(v, "pmccntr_el0")) && linux_text_has(v, "module")) {
        linux_suspect(v, WHY_somebody_else_programs_pmu, SUSPECT_LIKELY, 82, v->first[CLUE_linux_watchdog],
                      "the hard lockup watchdog counts cycles by perf and writes its period and PMINTENSET: echo 0 > "
                      "/proc/sys/kernel/nmi_watchdog (nmi_watchdog=0), or count through perf_event_open()");
        suspect_clear(v->all, WHY_wraps_at_32_bits);
        suspect_clear(v->all, WHY_perf_bias_upper_half);
    }
    if (v->first[CLUE_linux_profiler] != NULL && linux_wonders(v)) {
        linux_suspect(v, WHY_somebody_else_programs_pmu, SUSPECT_LIKELY, 60, v->first[CLUE_linux_profiler], NULL);
    }
}
