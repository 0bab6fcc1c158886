/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: programs that call perf_event_open(). */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "code.h"

static const struct code_perf_value *field(const struct code_case *k, enum code_perf_field f)
{
    return &k->c->perf->fields[f];
}

/* Returns true if the member is never written, or only as 0. */
static bool is_off(const struct code_perf_value *v)
{
    return v->line == 0 || (v->zero && !v->nonzero && !v->unknown);
}

static void add(struct code_case *k, enum why_cause_id cause, enum suspect_confidence sure, uint32_t line,
                unsigned weight, const char *text, const char *cure)
{
    char quote[120], because[400];
    struct suspect *s;

    reading_quote(k->r, line, quote, sizeof quote);
    snprintf(because, sizeof because, "%s%s%.270s", quote, quote[0] != '\0' ? " -- " : "", text);
    s = suspect_add(k->all, cause, sure, line, because, cure);
    s->weight = weight;
}

static uint32_t line_of(const struct code_case *k, enum code_perf_field f)
{
    const struct code_perf *p = k->c->perf;

    return field(k, f)->line != 0 ? field(k, f)->line
           : p->open_line != 0    ? p->open_line
                                  : field(k, CODE_PERF_CONFIG)->line;
}

/* Returns true if the text gives a perf_event_paranoid that lets users count programs and the kernel. */
static bool is_permissive(const struct code_case *k)
{
    const struct clue *level = reading_find(k->r, CLUE_linux_paranoid);
    const struct clue *said = reading_find(k->r, CLUE_words_paranoid_level);

    return (level != NULL && (int64_t)level->values[0] <= 1) || (said != NULL && said->values[0] <= 2);
}

bool code_perf_fails(const struct code_case *k)
{
    static const char *const words[] = {"EINVAL", "ENOENT", "ENODEV", "EOPNOTSUPP", "ENOSPC", "E2BIG", "errno 22",
                                        "errno = 22", "errno 2", "errno 95", "Invalid argument", "ENOSYS", "ESRCH",
                                        "EMFILE", "EBADF"};

    return code_says_any(k, words, sizeof words / sizeof words[0]);
}

/* Copies the name that ends before @end in @text, and returns its length; 0 if there is none. */
static size_t name_before(const char *text, const char *end, char name[32])
{
    const char *last = end, *first;

    while (last > text && last[-1] == ' ') {
        last--;
    }
    first = last;
    while (first > text && last - first < 32 && (isalnum((unsigned char)first[-1]) || first[-1] == '_')) {
        first--;
    }
    if (first == last || last - first >= 32 || isdigit((unsigned char)*first)) {
        return 0;
    }
    memcpy(name, first, (size_t)(last - first));
    name[last - first] = '\0';
    return (size_t)(last - first);
}

enum { NEAR = 200, HITS = 40 }; /* characters that are looked at before a place, and places that are looked at */

/* Returns true if each ioctl() of @text that enables an event names another than @leader, and there is one. */
static bool enables_others(const char *text, const char *leader)
{
    unsigned hits = 0;
    char name[32];

    for (const char *p = text; hits < HITS && (p = strstr(p, "PERF_EVENT_IOC_ENABLE")) != NULL; p++, hits++) {
        const char *comma = p;

        while (comma > text && p - comma < NEAR && *comma != ',' && *comma != ';') {
            comma--;
        }
        if (*comma != ',' || name_before(text, comma, name) == 0 || strcmp(name, leader) == 0) {
            return false;
        }
    }
    return hits > 0 && hits < HITS;
}

/* Finds "leader = open(..., -1)" and "member = open(..., leader)", where only the member is enabled. */
static void check_leader(struct code_case *k)
{
    const struct code_perf_value *disabled = field(k, CODE_PERF_DISABLED);
    const char *text = k->r->text.joined, *p = text;
    char leader[32], member[40];

    if ((!disabled->nonzero && !disabled->unknown) || k->c->perf->enable_group_line != 0 || !k->sees[READING_zero]) {
        return;
    }
    for (unsigned hits = 0; hits < HITS && (p = strstr(p, "-1")) != NULL; p += 2, hits++) {
        const char *line = p, *equals;

        while (line > text && p - line < NEAR && line[-1] != '\n' && line[-1] != ';') {
            line--;
        }
        equals = memchr(line, '=', (size_t)(p - line));
        if (equals == NULL || memchr(equals, '(', (size_t)(p - equals)) == NULL ||
            name_before(line, equals, leader) == 0) {
            continue;
        }
        snprintf(member, sizeof member, ", %s)", leader);
        if (strstr(text, member) == NULL) {
            snprintf(member, sizeof member, ", %s, 0)", leader);
        }
        if (strstr(text, member) != NULL && enables_others(text, leader)) {
            add(k, WHY_perf_event_never_enabled, SUSPECT_CERTAIN, disabled->line, 76,
                "the leader of the group is opened disabled and never enabled, and a member does not count without it",
                "enable the whole group at its leader: ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP)");
            return;
        }
    }
}

/* Returns true if attr.enable_on_exec is set and nothing says that no program is executed. */
static bool enables_on_exec(const struct code_case *k)
{
    static const char *const words[] = {"execv", "execl", "exec(", "posix_spawn", "fork(", "Command::new", "system("};
    const char *text = k->r->text.joined;

    if (!field(k, CODE_PERF_ENABLE_ON_EXEC)->nonzero || !k->sees[READING_zero] || strstr(text, "main(") == NULL) {
        return field(k, CODE_PERF_ENABLE_ON_EXEC)->nonzero;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(text, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static void check_enable(struct code_case *k)
{
    const struct code_perf *p = k->c->perf;
    const struct code_perf_value *disabled = field(k, CODE_PERF_DISABLED), *group = field(k, CODE_PERF_GROUP);

    if ((!disabled->nonzero && (!disabled->unknown || k->c->facts[CODE_HAS_LICENCE] != 0)) || p->enable_line != 0 ||
        enables_on_exec(k)) {
        if (disabled->nonzero && !disabled->zero && !disabled->unknown && p->enable_line != 0 &&
            p->enable_group_line == 0 &&
            ((group->unknown && p->events > 1) || (group->known && (int64_t)group->value >= 0)) &&
            (k->sees[READING_zero] || p->events > 1)) {
            add(k, WHY_perf_event_never_enabled, SUSPECT_LIKELY, disabled->line, 60,
                "every event of the group is disabled, and only "
                "the leader is enabled",
                "disabled = 1 for the leader only, or ioctl(leader, PERF_EVENT_IOC_ENABLE, "
                "PERF_IOC_FLAG_GROUP)");
        }
        return;
    }
    if (strstr(k->r->text.joined, ".enable(") != NULL || strstr(k->r->text.joined, "enable()") != NULL ||
        (p->read_line == 0 && code_perf_fails(k))) {
        return; /* the event is not even open */
    }
    add(k, WHY_perf_event_never_enabled, disabled->nonzero && p->read_line != 0 ? SUSPECT_CERTAIN : SUSPECT_LIKELY,
        disabled->line, p->read_line != 0 ? 75 : 50,
        field(k, CODE_PERF_ENABLE_ON_EXEC)->nonzero
            ? "the event is opened disabled, and enable_on_exec waits for an exec() that never comes"
            : "the event is opened disabled, and nothing enables it",
        p->in_kernel ? "perf_event_enable(event) after perf_event_create_kernel_counter(), or attr.disabled = 0"
                     : "ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) before the region, or disabled = 0");
}

/* Returns true if the program has threads.  A container of something else is filled by emplace_back(), too. */
static bool has_threads(const struct code_case *k)
{
    static const char *const words[] = {"thread", "async", "worker", "omp", "fork", "pool", "task"};
    const char *text = k->r->text.joined;

    if (k->c->facts[CODE_HAS_THREADS] == 0 || strstr(text, "emplace_back") == NULL) {
        return k->c->facts[CODE_HAS_THREADS] != 0;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasestr(text, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static void check_inherit(struct code_case *k)
{
    static const char *const words[] = {"threads", "thread", "workers", "worker",    "children",
                                        "child",   "OpenMP", "fork",    "processes", "pool"};
    const struct code_perf_value *pid = field(k, CODE_PERF_PID), *cpu = field(k, CODE_PERF_CPU);
    bool threads = has_threads(k);

    if (code_says(k, "one thread") || code_says(k, "single thread") || code_says(k, "single-threaded") ||
        code_says(k, "per-thread") || code_says(k, "per thread")) {
        return;
    }
    if (strstr(k->r->text.joined, "panicked at") != NULL && code_perf_fails(k)) {
        return; /* "thread 'main' panicked": the event is not even open */
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        threads |= code_says(k, words[i]) && (k->sees[READING_small] || k->sees[READING_zero] || code_complains(k));
    }
    if (!threads || !is_off(field(k, CODE_PERF_INHERIT)) || (cpu->known && (int64_t)cpu->value >= 0) ||
        (pid->known && (int64_t)pid->value < 0) || k->c->perf->direct_line != 0 ||
        (!pid->known && field(k, CODE_PERF_ENABLE_ON_EXEC)->nonzero)) { /* of a child that executes a program */
        return;
    }
    add(k, WHY_perf_inherit_missing, code_complains(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY, line_of(k, CODE_PERF_PID),
        66, "the event counts the thread that opens it; inherit is 0, so threads and children are left out",
        "attr.inherit = 1 before perf_event_open(), which comes before the threads start; or an event for each thread");
}

static unsigned counters_of(const struct code_case *k)
{
    const unsigned n = (unsigned)reading_value(&k->r->machine.counters, 0);

    return n != 0 ? n : k->core != NULL && k->core->counters < 32 ? k->core->counters : 6;
}

static const char *group_text(const struct code_case *k, char cure[400])
{
    return suspect_text(
        cure, "split it into two groups of at most %u events each: a group is scheduled as a whole or not at all",
        counters_of(k));
}

/* Returns true if the program opens more events than there are counters. */
static bool opens_many(const struct code_case *k)
{
    const char *text = k->r->text.joined;
    const bool cycles =
        strstr(text, "0x11") != NULL || strstr(text, "CYCLES") != NULL || strstr(text, "cycles") != NULL;

    return k->c->perf->events > counters_of(k) + (cycles ? 1u : 0u);
}

static void check_number(struct code_case *k)
{
    const struct code_perf *p = k->c->perf;
    const struct code_perf_value *group = field(k, CODE_PERF_GROUP), *format = field(k, CODE_PERF_READ_FORMAT);
    const bool grouped = group->unknown || (group->nonzero && group->zero) ||
                         (group->known && (int64_t)group->value >= 0 && group->line != 0) ||
                         (format->known && (format->value & 8) != 0);
    const bool scaled = p->scaled_line != 0;
    const bool invalid = code_says(k, "EINVAL") || code_says(k, "Invalid argument") || code_says(k, "errno 22") ||
                         code_says(k, "errno = 22");
    char because[400], cure[400];

    if (!opens_many(k)) {
        if (p->loop && grouped && invalid) { /* how many events the loop opens need not be known */
            add(k, WHY_group_larger_than_counters, SUSPECT_LIKELY, line_of(k, CODE_PERF_GROUP), 66,
                "EINVAL for a member of a group that a loop opens: the group has more events than there are counters",
                group_text(k, cure));
            suspect_clear(k->all, WHY_counters_kept_back);
        }
        return;
    }
    suspect_text(because, "%u events, and the PMU has about %u event counters and the cycle counter", p->events,
                 counters_of(k));
    if (grouped || invalid) {
        add(k, WHY_group_larger_than_counters, invalid ? SUSPECT_CERTAIN : SUSPECT_LIKELY,
            line_of(k, CODE_PERF_GROUP), 66, because,
            group_text(k, cure));
    } else if (!scaled) {
        add(k, WHY_multiplexed_unscaled, code_complains(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY,
            line_of(k, CODE_PERF_CONFIG), 66, because,
            "read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING, and scale by "
            "time_enabled / time_running; or open fewer events at a time");
    }
}

/* Adds that the event includes the kernel, which the level of perf_event_paranoid refuses. */
static void add_kernel_included(struct code_case *k, const char *level)
{
    char because[400];

    suspect_text(because, "the event includes the kernel, which perf_event_paranoid 2, %s, refuses to users", level);
    add(k, WHY_exclude_kernel_missing, SUSPECT_LIKELY, line_of(k, CODE_PERF_EXCLUDE_KERNEL), 70, because,
        "attr.exclude_kernel = 1 (and exclude_hv = 1), or CAP_PERFMON, or kernel.perf_event_paranoid = 1");
    suspect_clear(k->all, WHY_perf_event_never_enabled);
}

/* Finds an event that includes the kernel, where the comments say that a user opens it at perf_event_paranoid 2. */
static void check_level(struct code_case *k)
{
    static const char *const users[] = {"as user", "as a user", "ordinary user", "normal user", "regular user",
                                        "plain user", "unprivileged", "non-root", "without root", "without sudo",
                                        "no root", "no sudo", "not root", "not as root", "a user's shell"};
    static const char *const roots[] = {"root", "sudo", "CAP_PERFMON", "CAP_SYS_ADMIN", "setcap", "privileged",
                                        "superuser", "capability"};
    const struct clue *level = reading_find(k->r, CLUE_linux_paranoid);
    const struct clue *said = reading_find(k->r, CLUE_words_paranoid_level);
    const bool restricts = (level != NULL && (int64_t)level->values[0] == 2) || (said != NULL && said->values[0] == 3);
    const bool user = code_says_any(k, users, sizeof users / sizeof users[0]);

    if (!restricts || !is_off(field(k, CODE_PERF_EXCLUDE_KERNEL)) || code_complains(k) ||
        strstr(k->r->text.joined, "uid()") != NULL || /* of geteuid(): the program wants to be root */
        (!user && code_says_any(k, roots, sizeof roots / sizeof roots[0]))) {
        return;
    }
    add_kernel_included(k, "as the comment says");
}

static void check_refused(struct code_case *k)
{
    static const char *const words[] = {
        "EACCES", "EPERM",       "Permission denied",       "errno 13",           "errno = 13",
        "-13",    "errno is 13", "Operation not permitted"};
    const bool refused = k->r->sees[READING_refused] || code_says_any(k, words, sizeof words / sizeof words[0]) ||
                         (code_says(k, "perf_event_paranoid") && code_complains(k));

    if (is_permissive(k) || code_perf_fails(k)) {
        return;
    }
    if (!refused || k->c->facts[CODE_HAS_LICENCE] != 0 || reading_find(k->r, CLUE_linux_selinux) != NULL) {
        return;
    }
    if (is_off(field(k, CODE_PERF_EXCLUDE_KERNEL))) {
        add_kernel_included(k, "the default");
    } else {
        add(k, WHY_perf_paranoid, SUSPECT_LIKELY, line_of(k, CODE_PERF_PID), 60,
            "the kernel refuses the event although it excludes the "
            "kernel",
            "sysctl kernel.perf_event_paranoid=2 or lower (Debian and Ubuntu have 3 and 4), or CAP_PERFMON");
    }
}

static void check_type(struct code_case *k)
{
    static const char *const words[] = {"big.LITTLE",    "big core", "little core", "big cores", "little cores",
                                        "big",           "LITTLE",   "A76",         "A72 cores", "hybrid",
                                        "both clusters", "clusters", "DynamIQ"};
    const struct code_perf_value *type = field(k, CODE_PERF_TYPE), *cpu = field(k, CODE_PERF_CPU);
    bool two = reading_value(&k->r->machine.big_little, 0) == 1;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        two |= i != 7 && code_says(k, words[i]) && code_complains(k);
    }
    if (!two || !type->known || (type->value != 0 && type->value != 4) || type->unknown ||
        (type->nonzero && type->value == 0) || (cpu->known && (int64_t)cpu->value >= 0 && !code_complains(k))) {
        return;
    }
    add(k, WHY_wrong_pmu_type, code_complains(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY, type->line, 68,
        "this type is taken by one of the core "
        "PMUs, so the event counts on one kind of core only",
        "open one event for each PMU, with attr.type from "
        "/sys/bus/event_source/devices/armv8_cortex_*/type (config of PERF_TYPE_HARDWARE: type << 32 | config), and "
        "add them");
    add(k, WHY_big_little_other_core, SUSPECT_LIKELY, type->line, 50, "the thread ran on the other kind of core",
        "open an event for each core PMU and add them, or bind the thread to the cores of one");
}

static void check_direct(struct code_case *k)
{
    const struct code_perf *p = k->c->perf;
    const struct code_perf_value *config1 = field(k, CODE_PERF_CONFIG1);

    if (p->direct_line == 0 || (p->mmap_line == 0 && p->cap_line == 0) || strstr(k->r->text.joined, "__x86") != NULL) {
        return;
    }
    if (config1->line == 0 || (config1->known && (config1->value & 2) == 0 && !config1->unknown)) {
        add(k, WHY_perf_user_access_not_requested, SUSPECT_CERTAIN, line_of(k, CODE_PERF_CONFIG1), 74,
            "config1 does not have bit 1 "
            "(rdpmc), so the kernel gives no direct reads of this event",
            "attr.config1 |= 2 before perf_event_open(), and "
            "kernel.perf_user_access=1; cap_user_rdpmc then is 1");
    } else if (p->open_line > p->direct_line && (k->r->sees[READING_fault] || code_says(k, "SIGILL"))) {
        add(k, WHY_el0_access_off, SUSPECT_CERTAIN, p->direct_line, 72,
            "this reads before the event is open, and EL0 may read only while it is",
            "open and mmap the event first, and read while it is open");
        suspect_clear(k->all, WHY_perf_user_access_0);
    } else if (k->r->sees[READING_fault] || code_says(k, "SIGILL") || code_says(k, "cap_user_rdpmc is 0") ||
               code_says(k, "cap_user_rdpmc = 0") || code_says(k, "index is 0")) {
        add(k, WHY_perf_user_access_0, SUSPECT_LIKELY, config1->line, 66,
            "the event asks for direct reads, so the kernel does not allow "
            "them",
            "sysctl kernel.perf_user_access=1");
    }
}

/* Checks the event's number against its type and the words beside it. */
static void check_config(struct code_case *k)
{
    const struct code_perf_value *type = field(k, CODE_PERF_TYPE), *config = field(k, CODE_PERF_CONFIG);
    const bool named = config->line != 0 && code_line_says(k, config->line, "PERF_COUNT_HW");

    if (!type->known || !config->known || type->unknown || (type->zero && type->nonzero) || config->unknown) {
        return;
    }
    if (type->value == 4 && named) {
        add(k, WHY_event_counts_other_than_thought, SUSPECT_CERTAIN, config->line, 64,
            "PERF_TYPE_RAW takes the event's number of the "
            "architecture, and PERF_COUNT_HW_* is a number of perf's: 1 counts instruction cache refills",
            "type = PERF_TYPE_HARDWARE with PERF_COUNT_HW_*, or PERF_TYPE_RAW with 0x08 (INST_RETIRED), 0x11 "
            "(CPU_CYCLES)");
    } else if (type->value == 0 && !named && config->value >= 8 && config->value < 0x100 && config->value >> 32 == 0) {
        add(k, WHY_event_counts_other_than_thought, SUSPECT_LIKELY, config->line, 64,
            "this is the number of an event of the architecture, "
            "and PERF_TYPE_HARDWARE takes numbers of perf's",
            "type = PERF_TYPE_RAW for event numbers of the architecture");
    } else if (type->value == 4 && k->c->perf->opens <= 1) {
        code_check_event_words(k, config->line, config->column, (unsigned)(config->value & 0xFFFF), true, false);
    }
}

void rules_code_perf(struct code_case *k)
{
    if (k->c->perf == NULL || k->c->perf->open_line == 0) {
        return;
    }
    check_leader(k);
    check_enable(k);
    check_number(k);
    if (!k->c->perf->in_kernel) { /* the kernel is refused nothing, and counts CPUs or tasks that it names */
        check_inherit(k);
        check_refused(k);
        check_level(k);
        check_type(k);
        check_direct(k);
    }
    check_config(k);
}
