/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: programs at EL0 that reach for the PMU, and set-up that one CPU alone does. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <limits.h>
#include <string.h>

#include "code.h"

/* Returns the first access that a program at EL0 may not do unless the kernel grants it; SIZE_MAX if there is none. */
static size_t first_access(const struct code_case *k, bool write)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if ((s->act == CODE_WRITE || (s->act == CODE_READ && !write)) && (s->flags & CODE_MEMORY) == 0 &&
            code_is_pmu(s->reg)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Returns true if the program calls a function whose name says that it sets a PMU up. */
static bool calls_set_up(const struct code_case *k)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->act == CODE_WORK && (s->flags & CODE_STATEMENT) == 0 &&
            (code_line_says(k, s->line, "pmu_init") || code_line_says(k, s->line, "pmu") ||
             code_line_says(k, s->line, "perfmon") || code_line_says(k, s->line, "platform_pmu_init") ||
             code_line_says(k, s->line, "pmu_start") || code_line_says(k, s->line, "init_pmu") ||
             code_line_says(k, s->line, "pmu_setup") || code_line_says(k, s->line, "pmu_enable") ||
             code_line_says(k, s->line, "init_perfcounters"))) {
            return true;
        }
    }
    return false;
}

/* Finds a plain program that uses System registers of the PMU. */
static void check_user(struct code_case *k)
{
    const size_t any = first_access(k, false), write = first_access(k, true);
    char because[400], name[32];
    const bool fault = k->sees[READING_fault];
    const bool other = code_complains(k) && !fault;
    const char *cure =
        "let the kernel grant the access: a module sets PMUSERENR_EL0.EN on each CPU, or for reads "
        "kernel.perf_user_access=1 and perf_event_open() with config1 bit 1; or let perf_event_open() count";
    enum suspect_confidence sure;

    if (!k->user || any == SIZE_MAX || k->m_profile || k->c->perf != NULL) {
        return;
    }
    if (k->granted && !fault) {
        return;
    }
    if (write == SIZE_MAX && !fault && calls_set_up(k)) {
        return;
    }
    if (write == SIZE_MAX && other) {
        return; /* it reads, and something else is seen: the access works */
    }
    sure = fault || (write != SIZE_MAX && !k->granted) ? SUSPECT_CERTAIN : SUSPECT_LIKELY;
    suspect_text(because, "a program at EL0 accesses %s, and Linux keeps PMUSERENR%s at 0, so it ends in SIGILL",
                 code_name_text(k, k->c->steps[any].reg, k->c->steps[any].n, name), k->aarch32 ? "" : "_EL0");
    if (k->arm11) {
        code_suspect(k, WHY_arm11_v_bit_clear, sure, any, "User mode may not reach the counters while the V bit is 0",
                     "a privileged mode sets V: MCR p15, 0, Rt, c15, c9, 0 with Rt = 1")
            ->weight = 80;
        return;
    }
    if (k->aarch32) {
        code_suspect(k, WHY_el0_access_off_aarch32, sure, any, because,
                     "the kernel sets PMUSERENR.EN: MCR p15, 0, Rt, c9, "
                     "c14, 0 with Rt = 1 on each CPU, in a module; or let perf_event_open() count")
            ->weight = 80;
        code_suspect(k, WHY_el0_access_off, SUSPECT_LIKELY, any, because, cure)->weight = 79;
    } else {
        code_suspect(k, WHY_el0_access_off, sure, any, because, cure)->weight = 80;
    }
    code_suspect(k, WHY_perf_user_access_0, SUSPECT_POSSIBLE, any,
                 "reads alone can be granted by perf, which needs perf_user_access",
                 "sysctl kernel.perf_user_access=1, and "
                 "open the event with config1 = 2 and mmap it");
    suspect_clear(k->all, WHY_pmcr_e_clear);
    suspect_clear(k->all, WHY_counter_not_enabled);
}

/* Returns true if the comment names EL0, and not only a register whose name ends so. */
static bool names_el0(const struct code_comment *c)
{
    for (const char *p = memmem(c->text, c->length, "EL0", 3); p != NULL;
         p = memmem(p + 3, c->length - (size_t)(p + 3 - c->text), "EL0", 3)) {
        if (p == c->text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_')) {
            return true;
        }
    }
    return false;
}

/* Returns true if the comment says what is counted, or what is not there, and not where the code runs. */
static bool tells_of_counting(const struct code_comment *c)
{
    static const char *const words[] = {"without",  "exclud",    "filter",  "must not", " not ",   "counted",
                                        "counts ",  "counting",  "count the", "no user", "no EL0",  "not EL0",
                                        "not user", "leave out", "left out",  "leaves out", "skip"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (memmem(c->text, c->length, words[i], strlen(words[i])) != NULL) {
            return true;
        }
    }
    return false;
}

/* The comments that name a level: the user's or the kernel's. */
struct place_levels {
    size_t count;
    uint32_t lines[2000];
    bool user[2000];
    bool whole[2000]; /* it is the head of a file, or of a part of one, and concerns all that follows */
};

/* Returns true if the comment names a file, or is a line across the page: "---- user/bench.c, EL0". */
static bool is_head(const struct code_comment *c)
{
    static const char *const marks[] = {"----", "====", "####", ".c", ".rs", ".S", ".s", ".cpp", ".cc"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const size_t length = strlen(marks[i]);
        const char *p = memmem(c->text, c->length, marks[i], length);

        if (p != NULL && (*p != '.' || (p > c->text && isalnum((unsigned char)p[-1]) &&
                                        !isalnum((unsigned char)p[length])))) {
            return true;
        }
    }
    return false;
}

static void find_levels(const struct code_case *k, struct place_levels *levels)
{
    levels->count = 0;
    for (size_t i = 0; i < k->c->comment_count && i < 2000; i++) {
        const struct code_comment *c = &k->c->comments[i];
        const bool el0 = names_el0(c) || memmem(c->text, c->length, "user", 4) != NULL ||
                         memmem(c->text, c->length, "User", 4) != NULL ||
                         memmem(c->text, c->length, "SIGILL", 6) != NULL ||
                         memmem(c->text, c->length, "the program", 11) != NULL;
        const bool el1 =
            memmem(c->text, c->length, "EL1", 3) != NULL || memmem(c->text, c->length, "kernel", 6) != NULL;

        if (el0 != el1 && !(el0 && tells_of_counting(c))) {
            levels->lines[levels->count] = c->line;
            levels->whole[levels->count] = is_head(c);
            levels->user[levels->count++] = el0;
        }
    }
}

/* Returns true if a name or a comment before it says that the function at @step is the part of a program at EL0. */
static bool is_called_user(const struct code_case *k, const struct place_levels *levels, size_t step)
{
    const unsigned f = k->c->steps[step].function;
    const uint32_t line = f < k->c->function_count ? k->c->functions[f].line : 0;
    size_t last = levels->count;

    if (code_function_says(k, f, "user") || code_function_says(k, f, "el0") || code_function_says(k, f, "EL0")) {
        return !code_function_says(k, f, "for_user") && !code_function_says(k, f, "enable") &&
               !code_function_says(k, f, "grant") && !code_function_says(k, f, "allow") &&
               !code_function_says(k, f, "init");
    }
    while (last > 0 && levels->lines[last - 1] > k->c->steps[step].line) {
        last--;
    }
    if (line != 0 && last > 0 && levels->user[last - 1] && levels->lines[last - 1] + 3 >= line) {
        return true;
    }
    while (last > 0 && !levels->whole[last - 1]) {
        last--;
    }
    if (line != 0 && last > 0 && levels->user[last - 1]) {
        return true;
    }
    return code_function_says(k, f, "main") && k->c->facts[CODE_HAS_STDIO] != 0 && k->last.userenr.line != 0 &&
           k->c->function_count > 2;
}

/* Returns true if the function at @step is the part of a program at EL0. */
static bool is_user_part(const struct code_case *k, const struct place_levels *levels, size_t step)
{
    const unsigned f = k->c->steps[step].function;

    if (!is_called_user(k, levels, step)) {
        return false;
    }
    for (size_t i = 0; i < k->c->step_count; i++) { /* EL0 cannot write PMUSERENR */
        if (code_does(&k->c->steps[i], CODE_WRITE, CODE_PMUSERENR) &&
            (k->c->steps[i].function == f || code_is_of_granter(k, f, k->c->steps[i].function))) {
            return false;
        }
    }
    return true;
}

/* Returns true if the comments say that the code is a program's. */
static bool says_user(const struct code_case *k)
{
    return code_says(k, "user side") || code_says(k, "user code") || code_says(k, "EL0") || code_says(k, "user") ||
           code_says(k, "userspace") || code_says(k, "user space") || code_says(k, "task") || code_says(k, "SIGILL");
}

/* Clears the causes of a program that may access nothing. */
static void clear_denied(struct code_case *k)
{
    suspect_clear(k->all, WHY_el0_access_off);
    suspect_clear(k->all, WHY_el0_access_off_aarch32);
    suspect_clear(k->all, WHY_perf_user_access_0);
    suspect_clear(k->all, WHY_enabled_on_one_cpu_only);
}

/* Checks that PMUSERENR, which is @u, lets EL0 write as step @i does.  Returns false if it does not. */
static bool check_user_write(struct code_case *k, size_t i, const struct code_value *u, const char *name)
{
    const enum code_register reg = k->c->steps[i].reg;
    char because[400], cure[400], text[160];

    if ((reg == CODE_PMSWINC && (u->bits & 2) != 0) || (reg == CODE_PMSELR && (u->bits & 8) != 0)) {
        return true;
    }
    suspect_text(because, "EL0 writes %s, but PMUSERENR is 0x%llx: without EN (bit 0) EL0 may only read", name,
                 (unsigned long long)(u->bits & 15));
    suspect_text(cure, "set EN too: %s; or let the kernel write",
                 code_write_text(k, CODE_PMUSERENR, 0, "value | 1 (EN)", text));
    code_suspect(k, WHY_el0_write_not_allowed, SUSPECT_CERTAIN, i, because, cure)->weight = 70;
    return false;
}

/* Checks what PMUSERENR grants against what the EL0 part does. */
static void check_grant(struct code_case *k)
{
    struct code_value stated = {.known = UINT64_MAX};
    const struct code_value *u = code_granted(k);
    char because[400], cure[400], name[32], text[160];
    struct place_levels levels;
    const bool faults = k->sees[READING_fault] || reading_find(k->r, CLUE_linux_sigill) != NULL;
    const bool is_stated = k->last.userenr.line == 0 && (k->user || says_user(k)) && faults &&
                           code_stated_grant(k, &stated.bits);

    u = is_stated ? &stated : u;
    if ((k->last.userenr.line == 0 && !is_stated) || (u->known & 1) == 0 || (u->bits & 1) != 0) {
        return;
    }
    if (is_stated) {
        clear_denied(k);
    }
    find_levels(k, &levels);
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        bool allowed;

        if ((s->act != CODE_READ && s->act != CODE_WRITE) || !code_is_pmu(s->reg) ||
            (!is_stated && !is_user_part(k, &levels, i))) {
            continue;
        }
        code_name_text(k, s->reg, s->n, name);
        if (s->act == CODE_WRITE) {
            if (!check_user_write(k, i, u, name)) {
                return;
            }
            continue;
        }
        allowed = s->reg == CODE_PMCCNTR                                ? (u->bits & 4) != 0
                  : s->reg == CODE_PMEVCNTR || s->reg == CODE_PMXEVCNTR ? (u->bits & 8) != 0
                                                                        : false;
        if (!allowed && (u->known & 15) == 15) {
            suspect_text(because, "EL0 reads %s, and PMUSERENR is 0x%llx, which does not allow it", name,
                         (unsigned long long)(u->bits & 15));
            suspect_text(cure, "set %s in PMUSERENR%s: %s",
                         s->reg == CODE_PMCCNTR                                ? "CR (bit 2)"
                         : s->reg == CODE_PMEVCNTR || s->reg == CODE_PMXEVCNTR ? "ER (bit 3)"
                                                                               : "EN (bit 0)",
                         k->aarch32 ? "" : "_EL0",
                         code_write_text(k, CODE_PMUSERENR, 0,
                                         s->reg == CODE_PMCCNTR    ? "value | 4"
                                         : s->reg == CODE_PMEVCNTR ? "value | 8"
                                                                   : "value | 1",
                                         text));
            code_suspect(k, k->aarch32 ? WHY_el0_access_off_aarch32 : WHY_el0_access_off, SUSPECT_CERTAIN, i, because,
                         cure)
                ->weight = 70;
            return;
        }
    }
}

/* Adds that EL0 has no access, by step @i; @certain: the text shows EL0's access and its fault. */
static void add_not_granted(struct code_case *k, size_t i, bool certain, const char *because)
{
    char cure[400], text[160];

    suspect_text(cure, "the kernel grants it on each CPU: %s",
                 code_write_text(k, CODE_PMUSERENR, 0, "1 (EN), or 0xC to read only", text));
    code_suspect(k, k->aarch32 ? WHY_el0_access_off_aarch32 : WHY_el0_access_off,
                 certain ? SUSPECT_CERTAIN : SUSPECT_LIKELY, i, because, cure)
        ->weight = 72;
}

bool code_says_el0(const struct code_case *k)
{
    static const char *const users[] = {"EL0",       "user task",  "user process", "user program", "user thread",
                                        "user mode", "user space", "userspace",    "unprivileged", "lower EL",
                                        "lower-EL",  "process",    "usermode",     "userland",     "user code"};

    return code_says_any(k, users, sizeof users / sizeof users[0]) &&
           (reading_find(k->r, CLUE_words_reads_cycle) != NULL || reading_find(k->r, CLUE_words_reads_event) != NULL);
}

/* Finds a part at EL0 beside a kernel that sets the PMU up, and grants nothing. */
static void check_not_granted(struct code_case *k)
{
    struct place_levels levels;
    char because[400], name[32];
    const size_t set_up = code_last_write(k, CODE_PMCNTENSET);

    if (k->user || !k->set_up || k->last.userenr.line != 0 || k->m_profile || k->arm11 || code_says(k, "PMUSERENR") ||
        code_says(k, "PMUSERENR_EL0")) {
        return;
    }
    find_levels(k, &levels);
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if ((s->act != CODE_READ && s->act != CODE_WRITE) || !code_is_pmu(s->reg) || s->reg >= CODE_MDCR_EL2 ||
            !is_user_part(k, &levels, i)) {
            continue;
        }
        if (set_up != SIZE_MAX && s->function == k->c->steps[set_up].function && s->function < k->c->function_count &&
            k->c->facts[CODE_HAS_KERNEL] != 0) {
            continue; /* it is the kernel's own set-up */
        }
        suspect_text(because, "EL0 accesses %s, and nothing here writes PMUSERENR%s, which is 0 after reset",
                     code_name_text(k, s->reg, s->n, name), k->aarch32 ? "" : "_EL0");
        add_not_granted(k, i, k->sees[READING_fault], because);
        return;
    }
    if (k->sees[READING_fault] && code_says_el0(k) && set_up != SIZE_MAX) {
        suspect_text(because,
                     "EL0 faults when it accesses the PMU, and this set-up never writes PMUSERENR%s, which is 0 after "
                     "reset: the trap goes to EL1",
                     k->aarch32 ? "" : "_EL0");
        add_not_granted(k, set_up, false, because);
    }
}

/* Returns the first write of PMUSERENR that grants something, or SIZE_MAX. */
static size_t first_grant(const struct code_case *k)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        if (code_does(&k->c->steps[i], CODE_WRITE, CODE_PMUSERENR) && (k->c->steps[i].value.bits & 0x1D) != 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Returns true if each read of a counter is in the function of step @at, so on the CPU that made the set-up. */
static bool is_read_there(const struct code_case *k, size_t at)
{
    size_t reads = 0;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (code_does(s, CODE_READ, CODE_PMCCNTR) || code_does(s, CODE_READ, CODE_PMEVCNTR)) {
            if (s->function != k->c->steps[at].function) {
                return false;
            }
            reads++;
        }
    }
    return reads != 0;
}

/* Returns true if the text passes function @function to @caller, "on_each_cpu(". */
static bool calls_by(const struct code_case *k, const char *caller, unsigned function)
{
    const struct code_function *f = &k->c->functions[function];
    char call[120];

    snprintf(call, sizeof call, "%s%.*s", caller, (int)f->length, f->name);
    return function < k->c->function_count && strstr(k->r->text.joined, call) != NULL;
}

/* Returns true if step @at is in a loop over the CPUs, all turns of which run on the CPU that the loop is on. */
static bool is_looped(const struct code_case *k, size_t at)
{
    const struct code_step *s = &k->c->steps[at];
    const uint32_t loop = k->c->facts[CODE_HAS_EACH_CPU];

    return loop != 0 && (s->flags & CODE_IN_LOOP) != 0 && s->function < k->c->function_count && s->line > loop &&
           k->c->functions[s->function].line < loop && k->c->facts[CODE_HAS_AFFINITY] == 0 &&
           code_line_part(k, loop, "for_each");
}

/* Returns true if the code is a part of Linux: it includes its headers, or is a module. */
static bool is_linux(const struct code_case *k)
{
    static const char *const words[] = {"linux/",       "module_init", "MODULE_",  "__init",  "cpuhp_",
                                        "asm/sysreg.h", "platform_",   "kthread_", "pr_info(", "printk(KERN_"};

    for (size_t i = 0; i < sizeof words / sizeof words[0] && k->c->facts[CODE_HAS_KERNEL] != 0; i++) {
        if (strstr(k->r->text.joined, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns true if step @i is in a function that is sent to other CPUs. */
static bool is_sent(const struct code_case *k, size_t i)
{
    return code_is_per_cpu(k, i) || k->c->functions[k->c->steps[i].function].one_cpu;
}

/* Finds a module that sends the reads to each CPU in a loop, but enables counters where it is loaded alone. */
static void check_read_elsewhere(struct code_case *k)
{
    const size_t at = code_last_write(k, CODE_PMCNTENSET);
    bool reads = false;

    if (at == SIZE_MAX || !is_linux(k) || code_runs_alone(k) || strstr(k->r->text.joined, "cpuhp_") != NULL) {
        return;
    }
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if ((code_does(s, CODE_WRITE, CODE_PMCNTENSET) || code_does(s, CODE_WRITE, CODE_PMCR)) && is_sent(k, i)) {
            return;
        }
        reads |= s->act == CODE_READ && code_is_count(s->reg) && is_sent(k, i) && (s->flags & CODE_IN_LOOP) != 0;
    }
    if (reads) {
        code_suspect(k, WHY_enabled_on_one_cpu_only, SUSPECT_LIKELY, at,
                     "the counters of each CPU are read, and this enables those of the CPU that runs it alone",
                     "run the set-up on each CPU: on_each_cpu(setup, NULL, 1), and cpuhp_setup_state() for CPUs that "
                     "come online later")
            ->weight = 55;
    }
}

/* Finds set-up in a module or in boot code that one CPU alone does. */
static void check_one_cpu(struct code_case *k)
{
    const bool seen = k->sees[READING_one_cpu];
    const bool kernel = k->place == READING_PLACE_KERNEL || k->c->facts[CODE_HAS_KERNEL] != 0;
    size_t at = first_grant(k);
    const bool grants = at != SIZE_MAX;
    char because[400];
    bool init = false;

    if (grants && kernel && (k->c->steps[at].value.bits & 1) != 0) {
        suspect_clear(k->all, WHY_el0_access_off);
        suspect_clear(k->all, WHY_perf_user_access_0);
    }

    at = at != SIZE_MAX && grants ? at : code_last_write(k, CODE_PMCNTENSET);
    at = at != SIZE_MAX ? at : code_last_write(k, CODE_PMCR);
    if (at == SIZE_MAX || code_is_per_cpu(k, at) || k->m_profile ||
        (k->c->facts[CODE_HAS_EACH_CPU] != 0 && !is_looped(k, at) && !code_each_cpu_undoes(k))) {
        if (k->c->facts[CODE_HAS_EACH_CPU] != 0 && at != SIZE_MAX && code_is_per_cpu(k, at) &&
            calls_by(k, "smp_call_function(", k->c->steps[at].function) &&
            !calls_by(k, "on_each_cpu(", k->c->steps[at].function)) {
            for (size_t i = 0; i < k->c->step_count; i++) {
                init |= i != at && k->c->steps[i].act == CODE_WRITE && !code_is_per_cpu(k, i);
            }
            if (!init) {
                code_suspect(k, WHY_enabled_on_one_cpu_only, SUSPECT_LIKELY, at,
                             "smp_call_function() runs it on all other "
                             "CPUs, but not on the one that calls",
                             "on_each_cpu(fn, NULL, 1) runs it on all CPUs");
            }
        }
        return;
    }
    if (!seen && !grants && is_read_there(k, at)) {
        return;
    }
    if (code_runs_alone(k) || code_is_outside(k) || (!is_linux(k) && code_sets_up_each_core(k))) {
        suspect_clear(k->all, WHY_enabled_on_one_cpu_only);
        return;
    }
    if (!seen && !grants && k->c->functions[k->c->steps[at].function].one_cpu &&
        (code_says(k, "isolcpus") || code_says(k, "pinned") || code_says(k, "taskset"))) {
        return; /* what is counted stays on the CPU that is set up */
    }
    init = code_function_says(k, k->c->steps[at].function, "init") ||
           code_function_says(k, k->c->steps[at].function, "probe") ||
           code_function_says(k, k->c->steps[at].function, "open") ||
           code_function_says(k, k->c->steps[at].function, "ioctl");
    suspect_text(because, "%s runs this on one CPU only%s, and the registers of the other CPUs stay as they are",
                 kernel ? "the kernel" : "the boot CPU", is_looped(k, at) ? ", once for each of them" : "");
    if (seen || (kernel && grants) || (kernel && k->c->functions[k->c->steps[at].function].one_cpu) ||
        (k->c->facts[CODE_HAS_SMP] != 0 && (kernel || k->c->facts[CODE_HAS_BARE] != 0) && code_complains(k))) {
        code_suspect(
            k, WHY_enabled_on_one_cpu_only, SUSPECT_LIKELY, at, because,
            kernel ? "run the set-up on each CPU: on_each_cpu(setup, NULL, 1), and cpuhp_setup_state() for CPUs that "
                     "come online later"
                   : "call the set-up on each CPU, also in the entry of the secondary CPUs")
            ->weight = seen ? 75 : 55;
    }
}

/* Finds a switch of guests that saves and restores registers of the PMU, but not PMUSERENR. */
static void check_switch(struct code_case *k)
{
    unsigned counted = UINT_MAX; /* the function whose accesses were counted last */

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        unsigned reads = 0, writes = 0;

        if (s->function == counted ||
            (!code_does(s, CODE_READ, CODE_PMCNTENSET) && !code_does(s, CODE_READ, CODE_PMCR))) {
            continue;
        }
        counted = s->function;
        for (size_t j = 0; j < k->c->step_count; j++) {
            const struct code_step *t = &k->c->steps[j];

            if (t->reg == CODE_PMUSERENR) {
                return;
            }
            reads += t->act == CODE_READ && t->function == s->function && code_is_pmu(t->reg);
            writes += t->act == CODE_WRITE && t->function == s->function && code_is_pmu(t->reg) &&
                      t->value.known == 0;
        }
        if (reads >= 2 && writes >= 2 && (code_says(k, "guest") || code_says(k, "guests") || code_says(k, "VM")) &&
            (code_says(k, "EL0") || code_says(k, "PMUSERENR_EL0") || code_says(k, "PMUSERENR"))) {
            code_suspect(k, WHY_guest_cleared_pmuserenr, SUSPECT_CERTAIN, i,
                         "the switch saves and restores other registers, and not PMUSERENR_EL0: a guest runs with the "
                         "value of the one before",
                         "save PMUSERENR_EL0 with the others and restore it: prev->userenr = PMUSERENR_EL0, "
                         "PMUSERENR_EL0 = next->userenr")
                ->weight = 76;
            suspect_clear(k->all, WHY_enabled_on_one_cpu_only);
            suspect_clear(k->all, WHY_el2_traps_pmu);
            return;
        }
    }
}

/* Finds set-up that is made once, where the writer speaks of idle or suspend: a core that loses power forgets it. */
static void check_power(struct code_case *k)
{
    static const char *const words[] = {"idle",         "suspend",   "resume",    "cpuidle",   "power down",
                                        "powered down", "powerdown", "hotplug",   "low power", "deep sleep",
                                        "off and on",   "CPU_OFF",   "retention", "wakes",     "wake up",
                                        "wake-up",      "sleeps",    "C-state",   "offline",   "standby"};
    const size_t at =
        code_last_write(k, CODE_PMCR) != SIZE_MAX ? code_last_write(k, CODE_PMCR) : code_last_write(k, CODE_PMCNTENSET);

    if (!code_says_any(k, words, sizeof words / sizeof words[0]) || at == SIZE_MAX || k->m_profile ||
        !(k->complains || code_says(k, "when") || code_says(k, "after")) ||
        k->c->facts[CODE_HAS_LICENCE] != 0 || code_says(k, "wfi") || code_says(k, "wfe") ||
        reading_find(k->r, CLUE_words_never_idle) != NULL ||
        strstr(k->r->text.joined, "cpu_pm") != NULL) {
        return;
    }
    code_suspect(k, WHY_power_lost_reset_values, SUSPECT_LIKELY, at,
                 "the set-up is made once, and a core that loses power forgets it",
                 "set the PMU up again when the core comes back: a CPU_PM notifier (CPU_PM_EXIT) or cpuhp callback in "
                 "Linux, the "
                 "wake-up path elsewhere; or keep the core out of that state")
        ->weight = 52;
}

void rules_code_place(struct code_case *k)
{
    check_user(k);
    check_grant(k);
    check_not_granted(k);
    check_switch(k);
    check_one_cpu(k);
    check_read_elsewhere(k);
    check_power(k);
}
