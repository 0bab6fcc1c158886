/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads values of sysctl and properties, listings of /sys and /proc/device-tree, /proc/interrupts, kernel configs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "linux.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Settings.
 */

static const struct {
    const char *name;
    enum clue_kind kind;
} settings[] = {
    {"perf_event_paranoid", CLUE_linux_paranoid},    {"perf_user_access", CLUE_linux_user_access},
    {"nmi_watchdog", CLUE_linux_nmi_watchdog},       {"perf_harden", CLUE_linux_perf_harden},
    {"current paranoid level", CLUE_linux_paranoid}, {"cap_user_rdpmc", CLUE_linux_rdpmc},
};

#define SETTINGS (sizeof settings / sizeof settings[0])

/* Skips what stands between the name of a setting and its value. */
static const char *skip_to_value(const char *at)
{
    static const char *const fillers[] = {"is",  "setting", "to",    "at",        "level", "of",
                                          "now", "set",     "still", "currently", "reads", "says"};

    for (;;) {
        const char *next = at + strspn(at, " \t=:'\"[]");

        for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++) {
            const char *behind = linux_after(next, fillers[i]);

            next = behind != NULL ? behind : next;
        }
        if (next == at) {
            return at;
        }
        if (*next == '$' && isdigit((unsigned char)next[1])) { /* "$1 = 4" of GDB and crash */
            const char *behind = next + 1 + strspn(next + 1, "0123456789");

            next = strncmp(behind, " = ", 3) == 0 ? behind + 3 : next;
        }
        at = next;
    }
}

/* Reads "name = value" of a setting at @at in @text, and "echo value > name". */
static void read_setting(struct linux_input *in, const char *text, const char *name, enum clue_kind kind, bool command)
{
    const char *at = strstr(text, name), *end;
    if (strncmp(text + strspn(text, " \t"), "set /proc", 9) == 0) {
        return; /* what a program advises is not what is set */
    }
    const bool writes = command || strncmp(in->command, "sysctl -w", 9) == 0;

    for (; at != NULL; at = strstr(at + 1, name)) {
        const char *value = skip_to_value(at + strlen(name));

        if (value != at + strlen(name) &&
            (isdigit((unsigned char)*value) || (*value == '-' && isdigit((unsigned char)value[1])))) {
            linux_clue(in, kind, "", linux_number(value, &end), writes);
            return;
        }
    }
    at = strstr(text, name);
    const char *echo = strstr(text, "echo ");

    if (at != NULL && echo != NULL && echo < at && (strchr(echo, '>') != NULL || strstr(echo, "tee") != NULL)) {
        const char *value = echo + 5 + strspn(echo + 5, " '\"");

        if (isdigit((unsigned char)*value) || *value == '-') {
            linux_clue(in, kind, "", linux_number(value, &end), 1);
        }
    }
}

/* Returns the kind of the setting that the @n-th number which the command prints belongs to, or CLUE_KINDS. */
static enum clue_kind printed_kind(const struct linux_input *in, unsigned n)
{
    const char *at = in->command;

    for (unsigned seen = 0;;) {
        const char *first = NULL;
        enum clue_kind kind = CLUE_KINDS;

        for (size_t i = 0; i < SETTINGS; i++) {
            const char *found = strstr(at, settings[i].name);

            if (found != NULL && (first == NULL || found < first)) {
                first = found;
                kind = settings[i].kind;
            }
        }
        if (first == NULL || seen++ == n) {
            return first == NULL ? CLUE_KINDS : kind;
        }
        at = first + 1;
    }
}

/* Reads a line that is only a number, which a command such as cat prints. */
static bool read_printed_number(struct linux_input *in)
{
    const char *at = in->lower + text_blanks(in->lower), *end;
    const uint64_t value = linux_number(at, &end);
    const enum clue_kind kind = printed_kind(in, in->outputs);

    if (end == at || (*end != '\0' && strncmp(end + text_blanks(end), "#", 1) != 0 && end[0] != ' ')) {
        return false;
    }
    if (kind != CLUE_KINDS) {
        linux_clue(in, kind, "", value, 0);
        in->outputs++;
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * /sys/bus/event_source.
 */

/* Returns true if @name is the PMU of a core. */
static bool is_core_pmu(const char *name)
{
    return strncmp(name, "armv8_", 6) == 0 || strncmp(name, "armv7_", 6) == 0 || strncmp(name, "armv6_", 6) == 0 ||
           strncmp(name, "armv9_", 6) == 0 || strcmp(name, "arm_pmu") == 0 ||
           (strncmp(name, "apple_", 6) == 0 && strstr(name, "_pmu") != NULL);
}

/* Reads the names of a listing of /sys/bus/event_source/devices. */
static void read_listing(struct linux_input *in)
{
    const char *at = in->lower;
    bool found = false;

    while (*at != '\0') {
        char word[96];

        at += strspn(at, " \t/");
        const size_t length = linux_word(at, "/:@,", word, sizeof word);

        if (is_core_pmu(word)) {
            linux_clue(in, CLUE_linux_listed_pmu, word, 0, 0);
        }
        found = found || strcmp(word, "breakpoint") == 0 || strcmp(word, "software") == 0 ||
                strcmp(word, "tracepoint") == 0 || is_core_pmu(word);
        at += length;
        at += strspn(at, "/:@,");
    }
    if (found) {
        linux_clue(in, CLUE_linux_listing, "", 0, 0);
    }
}

/* Returns true if the line lists PMUs, by the names that every kernel has. */
static bool looks_like_listing(const char *lower)
{
    return linux_has_word(lower, "software") + linux_has_word(lower, "tracepoint") +
               linux_has_word(lower, "breakpoint") + linux_has_word(lower, "kprobe") +
               linux_has_word(lower, "uprobe") >=
           2;
}

static void read_event_names(struct linux_input *in)
{
    const char *at = in->lower;

    while (*at != '\0' && strncmp(in->lower, "ls: ", 4) != 0) {
        char word[96];

        at += text_blanks(at);
        const size_t length = linux_word(at, "", word, sizeof word);

        if (length > 1 && isalpha((unsigned char)word[0]) &&
            strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_") == length) {
            linux_clue(in, CLUE_linux_listed_event, word, 0, in->part);
        }
        at += length;
    }
}

/* Reads a list of CPUs, "0-3,5".  Returns false if @text is none. */
static bool read_cpus(const char *text, uint64_t *cpus)
{
    const char *at = text + text_blanks(text), *end;

    *cpus = 0;
    while (isdigit((unsigned char)*at)) {
        uint64_t first = linux_number(at, &end), last = first;

        if (*end == '-' && isdigit((unsigned char)end[1])) {
            last = linux_number(end + 1, &end);
        }
        for (uint64_t cpu = first; cpu <= last && cpu < 64; cpu++) {
            *cpus |= UINT64_C(1) << cpu;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return *cpus != 0 && (*at == '\0' || *at == ' ');
}

/*
 * Returns where the folder ends whose file "cpus" is shown in this line of the output of "cat NAME/{type,cpus}", or
 * NULL.  The lines of the files before it are counted.
 */
static const char *find_braced(struct linux_input *in, const char *line)
{
    const char *brace = strstr(line, "/{"), *end = brace != NULL ? strchr(brace, '}') : NULL;
    const char *cpus = brace != NULL ? strstr(brace, "cpus") : NULL;
    unsigned before = 0;

    if (end == NULL || cpus == NULL || cpus > end) {
        return NULL;
    }
    for (const char *c = brace; c < cpus; c++) {
        before += *c == ',';
    }
    if (in->outputs != before) {
        in->outputs++;
        return NULL;
    }
    return brace;
}

/* Reads the CPUs of a PMU: "/sys/bus/event_source/devices/NAME/cpus:0-3", or the output of cat. */
static bool read_pmu_cpus(struct linux_input *in)
{
    const char *path = linux_find(in, "/cpus:");
    const char *line = in->lower, *value = in->lower, *name;
    char word[96];
    uint64_t cpus;

    if (path != NULL) {
        value = path + 6;
    } else {
        line = in->command;
        path = strstr(line, "/cpus");
        path = path == NULL ? find_braced(in, line) : path;
        for (unsigned i = 0; path != NULL && i < in->outputs && strstr(path + 1, "/cpus") != NULL; i++) {
            path = strstr(path + 1, "/cpus");
        }
        if (path == NULL || strstr(line, "/events") != NULL) {
            return false;
        }
    }
    for (name = path; name > line && name[-1] != '/' && name[-1] != ' '; name--) {
    }
    linux_word(name, "/", word, sizeof word);
    if (!is_core_pmu(word) || !read_cpus(value, &cpus)) {
        return false;
    }
    linux_clue(in, CLUE_linux_pmu_cpus, word, cpus, 0);
    in->outputs++;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * /proc/interrupts, kernel configs, device trees, tasks.
 */

/* Reads a row of /proc/interrupts that is a PMU's. */
static void read_interrupt(struct linux_input *in)
{
    const char *at = in->lower + text_blanks(in->lower), *end;
    unsigned columns = 0;
    uint64_t used = 0;
    char chip[32];

    if (!isdigit((unsigned char)*at) || (strstr(at, "pmu") == NULL && strstr(at, "perf") == NULL) ||
        strstr(at, "smmu") != NULL || strstr(at, "dsu-pmu") != NULL || strstr(at, "dmc") != NULL) {
        return;
    }
    linux_number(at, &end);
    if (*end != ':') {
        return;
    }
    for (at = end + 1 + text_blanks(end + 1); isdigit((unsigned char)*at); columns++) {
        const uint64_t count = linux_number(at, &end);

        used |= columns < 64 && count != 0 ? UINT64_C(1) << columns : 0;
        at = end + text_blanks(end);
    }
    if (columns == 0) {
        return;
    }
    linux_word(at, "", chip, sizeof chip);
    at += strcspn(at, " \t");
    at += text_blanks(at);
    linux_clue(in, CLUE_linux_interrupt, chip, columns, used);
    if (isdigit((unsigned char)*at)) {
        linux_clue(in, CLUE_linux_interrupt_number, "", linux_number(at, &end), 0);
    }
}

static void read_config(struct linux_input *in)
{
    static const char *const options[] = {"config_perf_events", "config_hw_perf_events", "config_arm_pmu",
                                          "config_arm_pmuv3",   "config_arm_pmu_acpi",   "config_arm_v7_pmu",
                                          "config_arm_v6_pmu",  "config_arm_xscale_pmu", "config_apple_m1_cpu_pmu"};
    const char *at = linux_find(in, "config_");
    char word[64];

    if (at == NULL || in->line[at - in->lower] != 'C') {
        return;
    }
    const size_t length = linux_word(at, "=:", word, sizeof word);

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (strcmp(word, options[i]) == 0) {
            if (strstr(at, "is not set") != NULL || strncmp(at + length, "=n", 2) == 0) {
                linux_clue(in, CLUE_linux_config_off, word + 7, 0, 0);
            } else if (at[length] == '=') {
                linux_clue(in, CLUE_linux_config_on, word + 7, 0, 0);
            }
        }
    }
}

/* Reads what a command printed of the nodes below /proc/device-tree. */
static void read_node_listing(struct linux_input *in)
{
    if (strstr(in->command, "device-tree") == NULL || strstr(in->command, "pmu") == NULL) {
        return;
    }
    if (strstr(in->command, "status") != NULL) {
        if (linux_find(in, "disabled") != NULL) {
            linux_clue(in, CLUE_linux_tree_disabled, "pmu", 0, 0);
        }
        return;
    }
    if (linux_find(in, "pmu") == NULL || linux_find(in, "pmu/") != NULL) {
        return;
    }
    linux_clue(in,
               linux_find(in, "no such file") != NULL || linux_find(in, "cannot access") != NULL
                   ? CLUE_linux_no_pmu_node
                   : CLUE_linux_pmu_node,
               "", 0, 0);
}

static void read_allowed(struct linux_input *in)
{
    const char *at = linux_find(in, "cpus_allowed_list:");
    const char *affinity = linux_find(in, "current affinity list: ");
    uint64_t cpus;

    if (at != NULL && read_cpus(at + 18, &cpus)) {
        linux_clue(in, CLUE_linux_cpus_allowed, "", cpus, 0);
    } else if (affinity != NULL && read_cpus(affinity + 23, &cpus)) {
        linux_clue(in, CLUE_linux_cpus_allowed, "", cpus, 0);
    }
}

/* Reads the faulting instruction of "Code: d53b9d00 (d51b9e00)". */
static void read_opcode(struct linux_input *in)
{
    const char *at = linux_find(in, "code: ");
    char *end;

    at = at == NULL ? NULL : strchr(at, '(');
    if (at != NULL && strspn(at + 1, "0123456789abcdef") >= 4) {
        const unsigned long opcode = strtoul(at + 1, &end, 16);

        if (*end == ')') {
            linux_note(in, CLUE_linux_opcode, "", opcode, 0);
        }
    }
}

/* Reads what a program says of a CPU: "cpu2: SIGILL", "core 1: 120331". */
static void read_cpu_result(struct linux_input *in)
{
    const char *at = in->lower + text_blanks(in->lower), *end;
    const bool fault = linux_find(in, "sigill") != NULL || linux_find(in, "illegal instr") != NULL ||
                       linux_find(in, "undefined instr") != NULL;

    at = strncmp(at, "on ", 3) == 0 ? at + 3 : at;
    if (strncmp(at, "cpu", 3) != 0 && strncmp(at, "core", 4) != 0) {
        return;
    }
    at += at[1] == 'p' ? 3 : 4;
    at += strspn(at, " #");
    const uint64_t cpu = linux_number(at, &end);
    const char *value = end + strspn(end, " \t:=-,");

    if (end != at && value != end && (fault || (isdigit((unsigned char)*value) && strlen(value) < 40))) {
        linux_note(in, CLUE_linux_cpu_result, "", cpu, fault);
    }
}

void linux_read_settings(struct linux_input *in, const char *text, bool command)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strstr(text, settings[i].name) != NULL) {
            read_setting(in, text, settings[i].name, settings[i].kind, command);
        }
    }
}

bool linux_expects_values(const char *command)
{
    static const char *const words[] = {"event_source", "detect-virt", "virt-what", "device-tree", "/cpus"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(command, words[i]) != NULL) {
            return true;
        }
    }
    for (size_t i = 0; i < SETTINGS; i++) {
        if (strstr(command, settings[i].name) != NULL) {
            return true;
        }
    }
    return false;
}

void linux_read_file(struct linux_input *in)
{
    read_allowed(in);
    read_opcode(in);
    read_cpu_result(in);
    if (read_pmu_cpus(in) || read_printed_number(in)) {
        return;
    }
    linux_read_settings(in, in->lower, false);
    if (in->listing || looks_like_listing(in->lower)) {
        read_listing(in);
    }
    if (in->events) {
        read_event_names(in);
    }
    read_interrupt(in);
    read_config(in);
    read_node_listing(in);
}
