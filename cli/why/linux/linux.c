/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on what Linux and its tools print: the view that they share, and their order. */
#include <stdlib.h>
#include <string.h>

#include "linux.h"

uint32_t linux_line_of(const struct clue *c)
{
    return c == NULL ? 0 : c->line;
}

bool linux_is_software(const char *event)
{
    static const char *const names[] = {
        "task-clock",    "cpu-clock", "context-switches", "cs",           "cpu-migrations",   "migrations",
        "page-faults",   "faults",    "minor-faults",     "major-faults", "alignment-faults", "emulation-faults",
        "duration_time", "user_time", "system_time",      "dummy",        "bpf-output",       "cgroup-switches"};
    char bare[96];

    linux_word(event, ":", bare, sizeof bare);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(bare, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Quotes the line of @c; a line that is only a number with the command that printed it. */
static void quote_line(const struct linux_view *v, const struct clue *c, char quote[300])
{
    const struct clue *command = NULL;
    char line[120];

    reading_quote(v->r, linux_line_of(c), line, sizeof line);
    snprintf(quote, 300, "%s", line);
    if (c == NULL || strlen(line) > 6) {
        return;
    }
    for (const struct clue *next = reading_find(v->r, CLUE_linux_command); next != NULL && next->line < c->line;
         next = reading_next(v->r, CLUE_linux_command, next)) {
        command = next;
    }
    if (command != NULL) {
        snprintf(quote, 300, "%.150s: %s", command->words, line);
    }
}

/* What to look at on Linux to be sure of a cause. */
static const struct {
    enum why_cause_id cause;
    const char *look;
} looks[] = {
    {WHY_hypervisor_gives_no_pmu, "dmesg | grep -i perfevents, in the guest and on the host; lscpu | grep -i hyper"},
    {WHY_hypervisor_filters_events,
     "ls /sys/bus/event_source/devices/armv8*/events: inst_retired, l1d_cache or br_mis_pred is missing"},
    {WHY_no_pmu_device, "ls /proc/device-tree | grep pmu; zcat /proc/config.gz | grep -e ARM_PMU -e PERF_EVENTS"},
    {WHY_aarch32_kernel_on_v8_core, "uname -m; grep part /proc/cpuinfo; cat /proc/device-tree/pmu/compatible"},
    {WHY_pmu_irq_request_failed, "cat /proc/interrupts; dmesg | grep -i -e perfevents -e pmu"},
    {WHY_pmu_node_without_interrupts, "ls /proc/device-tree/pmu; grep -i pmu /proc/interrupts"},
    {WHY_dt_missing_interrupt_affinity,
     "grep -i pmu /proc/interrupts while perf record runs: each row counts on its CPU"},
    {WHY_irq_line_shared, "grep -i pmu /proc/interrupts while perf record runs: one row, and one CPU counts"},
    {WHY_counters_kept_back, "dmesg | grep perfevents with other firmware, or on the host"},
    {WHY_big_little_other_core, "cat /sys/bus/event_source/devices/*/cpus; taskset -pc PID"},
    {WHY_wrong_pmu_type, "grep . /sys/bus/event_source/devices/*/type /sys/bus/event_source/devices/*/cpus"},
    {WHY_perf_paranoid, "cat /proc/sys/kernel/perf_event_paranoid; grep CapEff /proc/self/status"},
    {WHY_container_forbids_perf, "grep Seccomp /proc/self/status; the same command outside of the container"},
    {WHY_power_lost_reset_values, "read PMCR and PMUSERENR before and after: they are back at their reset values"},
    {WHY_perf_takes_el0_access_away, "run the program, then perf stat true, then the program again"},
    {WHY_somebody_else_programs_pmu, "ps aux; cat /proc/sys/kernel/nmi_watchdog; lsmod"},
    {WHY_el0_access_off, "gdb -batch -ex run -ex 'x/i $pc' PROGRAM; sysctl kernel.perf_user_access"},
    {WHY_perf_user_access_0, "sysctl kernel.perf_user_access; cap_user_rdpmc in perf's mmap page"},
    {WHY_qemu_no_icount, "the command line of QEMU: ps aux | grep qemu, on the host"},
    {WHY_emulator_counts_little, "the command line of QEMU: ps aux | grep qemu, on the host"},
};

struct suspect *linux_suspect(struct linux_view *v, enum why_cause_id cause, enum suspect_confidence confidence,
                              unsigned weight, const struct clue *c, const char *cure)
{
    char quote[300];
    const uint32_t line = linux_line_of(c);
    struct suspect *s = suspect_find(v->all, cause);

    if (s != NULL && (s->confidence > confidence || (s->confidence == confidence && s->weight >= weight))) {
        v->all->unused = *s;
        return &v->all->unused;
    }
    quote_line(v, c, quote);
    if (s == NULL) {
        s = suspect_add(v->all, cause, confidence, line, quote[0] != '\0' ? quote : NULL, cure);
    } else {
        s->confidence = confidence;
        s->line = line;
        snprintf(s->because, sizeof s->because, "%s", quote[0] != '\0' ? quote : why_causes[cause].sign);
        snprintf(s->cure, sizeof s->cure, "%s", cure != NULL ? cure : why_causes[cause].cure);
    }
    s->weight = weight;
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        if (looks[i].cause == cause) {
            snprintf(s->look, sizeof s->look, "%s", looks[i].look);
        }
    }
    return s;
}

bool linux_counts(const struct linux_view *v)
{
    for (unsigned i = 0; i < v->table_count; i++) {
        if (v->tables[i].counted > 0) {
            return true;
        }
    }
    return false;
}

unsigned linux_count_words(const char *text)
{
    unsigned words = 0;

    while (*text != '\0' && words < 8) {
        const size_t length = strcspn(text, " \t");
        size_t letters = 0;

        while (letters < length &&
               ((text[letters] >= 'a' && text[letters] <= 'z') || (text[letters] >= 'A' && text[letters] <= 'Z') ||
                (letters > 0 && strchr(",.?!'", text[letters]) != NULL))) {
            letters++;
        }
        words += letters == length && length > 1;
        text += length + strspn(text + length, " \t");
    }
    return words;
}

/* Returns true if line @number is what a program printed, without a comment: its words are no one's complaint. */
static bool is_output(const struct linux_view *v, uint32_t number)
{
    const size_t i = number == 0 ? v->r->text.count : text_find(&v->r->text, number);

    return i < v->r->text.count && text_is_claimed(&v->r->text, i, TEXT_LINUX) &&
           strchr(v->r->text.lines[i].text, '#') == NULL && strstr(v->r->text.lines[i].text, "/*") == NULL &&
           strstr(v->r->text.lines[i].text, "//") == NULL && strstr(v->r->text.lines[i].text, "<-") == NULL;
}

/* Returns true if a line that no program printed has one of @words, which NULL ends. */
static bool somebody_says(const struct linux_view *v, const char *const words[])
{
    for (size_t i = 0; i < v->r->text.count && i < 2000; i++) {
        const struct text_line *line = &v->r->text.lines[i];

        if (text_is_claimed(&v->r->text, i, TEXT_LINUX) && strpbrk(line->text, "#?") == NULL) {
            continue;
        }
        for (size_t k = 0; words[k] != NULL; k++) {
            if (strstr(line->text, words[k]) != NULL) {
                return true;
            }
        }
    }
    return false;
}

/* Returns true if symptom @s is what somebody says will come, and the writer asks if that is right. */
static bool is_claim(const struct linux_view *v, enum reading_symptom s)
{
    char line[160];

    reading_quote(v->r, v->r->symptoms[s], line, sizeof line);
    return s == READING_one_cpu && v->r->sees[READING_question] && strstr(line, " will ") != NULL &&
           strchr(line, '?') != NULL;
}

bool linux_complains(const struct linux_view *v)
{
    static const char *const words[] = {"wrong",     "incorrect",   "impossible", "too few",    "too many",
                                        "too small", "too low",     "too high",   "too large",  "not work",
                                        "n't work",  "implausible", "nonsense",   "unreliable", NULL};

    for (enum reading_symptom s = 0; s < READING_SYMPTOMS; s++) {
        const bool refuted = s == READING_few_counters && suspect_is_cleared(v->all, WHY_counters_kept_back);

        if (v->r->sees[s] && s != READING_good && s != READING_question && !refuted && !is_claim(v, s) &&
            !is_output(v, v->r->symptoms[s])) {
            return true;
        }
    }
    return somebody_says(v, words);
}

bool linux_wonders(const struct linux_view *v)
{
    static const char *const words[] = {"expect", "should", " why", "?", "strange", "odd", "but ", "!!", NULL};

    return v->r->sees[READING_question] || linux_complains(v) || somebody_says(v, words);
}

bool linux_text_has(const struct linux_view *v, const char *word)
{
    for (const char *at = strstr(v->lower, word); at != NULL; at = strstr(at + 1, word)) {
        if (!text_denies(v->lower, (size_t)(at - v->lower))) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Tables.
 */

/* Begins a table, which @command printed. */
static void begin_table(struct linux_view *v, const struct clue *command)
{
    if (v->table_count < LINUX_TABLES) {
        v->tables[v->table_count++] = (struct linux_table){
            .command = command == NULL ? "" : command->words,
            .command_line = linux_line_of(command),
            .least_share = LINUX_WHOLE,
        };
    }
}

static void keep_first(const struct clue **place, const struct clue *c)
{
    *place = *place == NULL ? c : *place;
}

/* Adds the row @c to a table. */
static void add_to_table(struct linux_table *t, const struct clue *c)
{
    if (linux_is_software(c->words)) {
        t->software += c->kind == CLUE_linux_counted;
        return;
    }
    t->named += strchr(c->words, '/') != NULL;
    if (strncmp(c->words, "cycles", 6) == 0 || strncmp(c->words, "cpu-cycles", 10) == 0 ||
        strstr(c->words, "/cycles/") != NULL || strstr(c->words, "cpu_cycles") != NULL) {
        keep_first(&t->cycles, c);
    } else if (strncmp(c->words, "instructions", 12) == 0 || strstr(c->words, "/instructions/") != NULL ||
               strstr(c->words, "inst_retired") != NULL) {
        keep_first(&t->instructions, c);
    }
    if (c->kind == CLUE_linux_not_supported) {
        t->unsupported++;
        keep_first(&t->first_unsupported, c);
    } else if (c->kind == CLUE_linux_not_counted) {
        t->uncounted++;
        keep_first(&t->first_uncounted, c);
    } else {
        t->counted += c->values[0] != 0;
        t->zero += c->values[0] == 0;
        keep_first(c->values[0] == 0 ? &t->first_zero : &t->first_counted, c);
        t->share_sum += c->values[1];
        if (c->values[1] < 9900) {
            t->shared++;
            keep_first(&t->first_shared, c);
        }
        t->least_share = c->values[1] < t->least_share ? c->values[1] : t->least_share;
    }
}

static bool is_row(const struct clue *c)
{
    return c->kind == CLUE_linux_counted || c->kind == CLUE_linux_not_supported || c->kind == CLUE_linux_not_counted;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The view.
 */

/* Returns true if @c is about another machine than the one that the input is about: the host of a guest. */
static bool is_outside(const struct linux_view *v, const struct clue *c, enum linux_where where)
{
    if (!v->inside || where != LINUX_ON_HOST) {
        return false;
    }
    switch (c->kind) {
    case CLUE_linux_driver:
    case CLUE_linux_listed_pmu:
    case CLUE_linux_listing:
    case CLUE_linux_counted:
    case CLUE_linux_samples:
    case CLUE_linux_physical:
    case CLUE_linux_vhe:
        return true;
    default:
        return false;
    }
}

static void scan_clues(struct linux_view *v)
{
    const struct clue *command = NULL;
    enum linux_where where = LINUX_ANYWHERE;
    bool table = false;

    for (size_t i = 0; i < v->r->clue_count; i++) {
        const struct clue *c = &v->r->clues[i];

        if (c->kind == CLUE_linux_command) {
            command = c;
            where = (enum linux_where)c->values[0];
            table = false;
        } else if (c->kind == CLUE_linux_statistics) {
            table = false;
        }
        if (is_outside(v, c, where)) {
            v->works_outside = c->kind == CLUE_linux_counted && c->values[0] != 0 ? c : v->works_outside;
            continue;
        }
        keep_first(&v->first[c->kind], c);
        v->last[c->kind] = c;
        v->counts[c->kind]++;
        if (is_row(c)) {
            if (!table) {
                begin_table(v, command);
                table = true;
            }
            if (v->table_count > 0) {
                add_to_table(&v->tables[v->table_count - 1], c);
            }
        }
    }
}

/* Finds what says that the machine is virtual. */
static void find_host(struct linux_view *v)
{
    const struct clue *cloud = v->first[CLUE_linux_cloud];

    v->here = v->first[CLUE_linux_hypervisor];
    if (v->here == NULL && cloud != NULL && cloud->values[0] == 0) {
        v->here = cloud;
    }
    if (v->here == NULL) {
        v->here = v->first[CLUE_linux_wsl];
    }
    for (const struct clue *c = v->first[CLUE_linux_command]; v->here == NULL && c != NULL;
         c = reading_next(v->r, CLUE_linux_command, c)) {
        v->here = c->values[0] == LINUX_IN_GUEST ? c : NULL;
    }
    v->here = v->here != NULL ? v->here : v->first[CLUE_linux_filter];
    v->emulated = v->first[CLUE_linux_tcg] != NULL || v->r->machine.emulator.value > READING_EMULATOR_NONE;
    if (v->here == NULL && !v->emulated) {
        v->here = v->first[CLUE_linux_vm_command];
    }
    v->physical = v->first[CLUE_linux_physical] != NULL || (cloud != NULL && cloud->values[0] == 1) ||
                  (v->here == NULL && v->r->machine.board[0] != '\0');
    if (v->first[CLUE_linux_physical] != NULL && v->here != NULL && v->here->kind == CLUE_linux_cloud) {
        v->here = NULL;
    }
}

void linux_view_init(struct linux_view *v, const struct rules_input *in, struct suspects *all)
{
    const struct reading_machine *m = &in->r->machine;

    v->in = in;
    v->r = in->r;
    v->all = all;
    for (const struct clue *c = reading_find(v->r, CLUE_linux_command); c != NULL;
         c = reading_next(v->r, CLUE_linux_command, c)) {
        v->inside = v->inside || c->values[0] == LINUX_IN_GUEST || c->values[0] == LINUX_IN_CONTAINER;
        v->android = v->android || c->values[0] == LINUX_ON_ANDROID || strncmp(c->words, "adb ", 4) == 0 ||
                     strncmp(c->words, "simpleperf", 10) == 0;
    }
    scan_clues(v);
    find_host(v);
    v->container = m->container.known && m->container.value == 1;
    v->android =
        v->android || (m->linux_os.known && m->linux_os.value == 2) || v->first[CLUE_linux_perf_harden] != NULL;
    v->apple = (m->pmu.known && m->pmu.value == READING_PMU_APPLE) || (m->core != NULL && m->core->implementer == 0x61);
    v->kernel32 = v->first[CLUE_linux_kernel32] != NULL;
    v->paranoid = v->last[CLUE_linux_paranoid];
    v->level = v->paranoid == NULL ? 100 : (int64_t)v->paranoid->values[0];
}

/* Returns true if the input has anything of Linux. */
static bool has_clues(const struct linux_view *v)
{
    for (size_t i = 0; i < v->r->clue_count; i++) {
        if (v->r->clues[i].kind >= CLUE_linux_command && v->r->clues[i].kind <= CLUE_linux_tree_no_node) {
            return true;
        }
    }
    return false;
}

#define LOWER_MOST 262144 /* bytes that linux_text_has() looks at */

/* Returns the beginning of the text in lower case.  The caller frees it. */
static char *lower_text(const struct reading *r)
{
    const size_t length = r->text.length < LOWER_MOST ? r->text.length : LOWER_MOST;
    char *lower = cli_allocate(NULL, length + 1, 1);

    for (size_t i = 0; i < length; i++) {
        const char c = r->text.joined[i];

        lower[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    lower[length] = '\0';
    return lower;
}

void rules_linux(const struct rules_input *in, struct suspects *all)
{
    struct linux_view *v = cli_allocate(NULL, 1, sizeof *v);

    v->lower = lower_text(in->r);
    linux_view_init(v, in, all);
    linux_rules_manifest(v);
    linux_add_refused_group(v);
    if (v->first[CLUE_linux_other_arch] != NULL && in->r->machine.core == NULL) {
        linux_rules_fine(v); /* another processor: ask for the Arm machine */
    } else if (has_clues(v)) {
        linux_rules_absent(v);
        linux_rules_interrupt(v);
        linux_rules_counters(v);
        linux_rules_events(v);
        linux_rules_counts(v);
        linux_rules_refused(v);
        linux_rules_user(v);
        linux_rules_story(v);
        linux_rules_clear(v);
        linux_rules_fine(v);
    }
    free(v->lower);
    free(v);
}

bool linux_watchdog_before(const struct linux_view *v, const struct clue *row)
{
    const struct clue *c = v->first[CLUE_linux_nmi_watchdog];
    bool on = c != NULL && c->values[0] == 1;

    for (; c != NULL && c->line < row->line; c = reading_next(v->r, CLUE_linux_nmi_watchdog, c)) {
        on = c->values[0] == 1;
    }
    return on;
}
