/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells commands by their prompts: "$ perf stat ls", "root@board:~# dmesg", "guest$ lscpu", "(gdb) shell lscpu". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "linux.h"

static const char *const programs[] = {
#define PROGRAM(name) name,
#include "linux_programs.def"
};

static bool is_program(const char *command)
{
    char word[32];
    const size_t length = linux_word(command, ";|&(", word, sizeof word);

    if (command[0] == '.' || command[0] == '/' || command[0] == '~') {
        return command[1] != ' ' && length > 2 && strncmp(command, "/*", 2) != 0 && strncmp(command, "//", 2) != 0;
    }
    if (strncmp(word, "qemu-", 5) == 0 || strchr(word, '=') != NULL) {
        return strchr(word, '=') == NULL || isupper((unsigned char)command[0]);
    }
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        if (strcmp(word, programs[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the @length bytes at @text may be a prompt without its last character. */
static bool is_prompt(const char *text, size_t length)
{
    size_t blanks = 0;

    for (size_t i = 0; i < length; i++) {
        blanks += text[i] == ' ';
        if (!isalnum((unsigned char)text[i]) && strchr("@:~/\\._-[]()+ |", text[i]) == NULL) {
            return false;
        }
    }
    return length < 60 && (blanks == 0 || memchr(text, '@', length) != NULL || memchr(text, '/', length) != NULL ||
                           memchr(text, '~', length) != NULL ||
                           (blanks == 1 && (text[length - 1] == ' ' || strncmp(text, "PS ", 3) == 0)));
}

/* Returns the command behind a prompt, or NULL, and stores the length of the prompt. */
static const char *after_prompt(const char *line, size_t *length)
{
    static const char *const debugger[] = {"(gdb) shell ", "(gdb) !", "(lldb) platform shell "};

    for (size_t i = 0; i < sizeof debugger / sizeof debugger[0]; i++) {
        if (strncmp(line, debugger[i], strlen(debugger[i])) == 0) {
            *length = strlen(debugger[i]);
            return line + *length;
        }
    }
    for (const char *at = line; *at != '\0' && at - line < 64; at++) {
        if ((*at == '$' || *at == '#' || *at == '%' || (*at == '>' && at - line > 2)) && at[1] == ' ' &&
            is_prompt(line, (size_t)(at - line))) {
            const char *command = at + 1 + strspn(at + 1, " ");

            if (*at == '$' ? isalnum((unsigned char)*command) || (*command != '\0' && strchr("./~([", *command) != NULL)
                           : is_program(command)) {
                *length = (size_t)(at - line);
                return command;
            }
        }
        if (*at == '"' || *at == '=' || *at == ';') {
            return NULL;
        }
    }
    return NULL;
}

/* Returns true if a line without a prompt is a command nevertheless. */
static bool is_bare_command(const char *lower)
{
    static const char *const begins[] = {
        "perf stat -",       "perf record -",     "perf top -",
        "perf stat ./",      "perf record ./",    "sudo perf ",
        "sudo insmod ",      "adb shell ",        "qemu-system-",
        "sudo qemu-system-", "simpleperf stat -", "simpleperf record -",
        "taskset -",         "docker run ",       "podman run ",
        "sudo docker run ",  "strace -",          "lkvm run",
        "crosvm run",        "virt-install -",    "sysctl -w ",
        "sudo sysctl ",      "insmod ",           "cloud-hypervisor -",
        "firecracker -",     "perf list ",        "chrt -",
        "kubectl exec ",     "exec qemu-system-", "numactl -",
        "echo mem >",        "rtcwake -",         "cat /proc/",
        "cat /sys/",         "ls /sys/",
    };

    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (strncmp(lower, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns where the prompt says that the command is typed. */
static enum linux_where where_is(const char *prompt, size_t length, enum linux_where otherwise)
{
    char word[64];
    size_t n = 0;

    for (; n < length && n + 1 < sizeof word; n++) {
        word[n] = (char)tolower((unsigned char)prompt[n]);
    }
    word[n] = '\0';
    if (strstr(word, "guest") != NULL || strstr(word, "domu") != NULL || linux_has_word(word, "vm") ||
        linux_has_word(word, "vm1") || linux_has_word(word, "inner") || strstr(word, "@lima-") != NULL ||
        strstr(word, "@colima") != NULL) {
        return LINUX_IN_GUEST;
    }
    if (strncmp(word, "host", 4) == 0 || strstr(word, "dom0") != NULL || strstr(word, "hypervisor") != NULL) {
        return LINUX_ON_HOST;
    }
    if (strstr(word, "container") != NULL || strstr(word, "docker") != NULL || linux_has_word(word, "pod")) {
        return LINUX_IN_CONTAINER;
    }
    const char *at = strchr(word, '@');

    if (at != NULL && strspn(at + 1, "0123456789abcdef") == 12 && at[13] == ':') {
        return LINUX_IN_CONTAINER; /* root@3f9c0a1b2d4e:/ */
    }
    return otherwise;
}

/* Notes where a command leads to: into a container, a guest, a telephone, or back. */
static void follow(struct linux_input *in)
{
    static const struct {
        const char *pattern;
        enum linux_where where;
    } ways[] = {
        {"^sudo docker run * -it", LINUX_IN_CONTAINER}, {"^docker run * -it", LINUX_IN_CONTAINER},
        {"^docker run -it", LINUX_IN_CONTAINER},        {"^podman run * -it", LINUX_IN_CONTAINER},
        {"^docker exec", LINUX_IN_CONTAINER},           {"^kubectl exec", LINUX_IN_CONTAINER},
        {"^lxc exec", LINUX_IN_CONTAINER},              {"^podman run -it", LINUX_IN_CONTAINER},
        {"^virsh console", LINUX_IN_GUEST},             {"^xl console", LINUX_IN_GUEST},
        {"^limactl shell", LINUX_IN_GUEST},             {"^colima ssh", LINUX_IN_GUEST},
        {"^multipass shell", LINUX_IN_GUEST},           {"^podman machine ssh", LINUX_IN_GUEST},
        {"^prlctl enter", LINUX_IN_GUEST},              {"^virtctl console", LINUX_IN_GUEST},
        {"^virtctl ssh", LINUX_IN_GUEST},               {"^vagrant ssh", LINUX_IN_GUEST},
        {"^tart ssh", LINUX_IN_GUEST},                  {"^exit", LINUX_ANYWHERE},
    };
    struct linux_match m;

    if (linux_match("^adb shell", in->command, &m)) {
        in->nest = in->command[9] == '\0' ? LINUX_ON_ANDROID : in->nest;
        return;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (linux_match(ways[i].pattern, in->command, &m)) {
            in->nest = ways[i].where;
            return;
        }
    }
}

/* Appends @text in lower case, up to a comment, to in->command, of which @used bytes are taken.  Returns the new
 * length. */
static size_t append(struct linux_input *in, size_t used, const char *text)
{
    for (const char *at = text; *at != '\0' && used + 1 < LINUX_LINE; at++) {
        if (*at == '#' && at > text && (at[-1] == ' ' || at[-1] == '\t') && (at[1] == ' ' || at[1] == '\0')) {
            break;
        }
        in->command[used++] = (char)tolower((unsigned char)*at);
    }
    while (used > 0 && (in->command[used - 1] == ' ' || in->command[used - 1] == '\t')) {
        used--;
    }
    in->command[used] = '\0';
    return used;
}

/* Appends the lines that continue the command behind a backslash.  Later lines are read from in->i on. */
static void append_lines(struct linux_input *in, size_t used)
{
    struct text *t = &in->r->text;

    while (used > 0 && in->command[used - 1] == '\\' && in->i + 1 < t->count) {
        const char *text = t->lines[++in->i].text;

        text_claim(t, in->i, TEXT_LINUX);
        in->command[used - 1] = ' ';
        text += text_blanks(text);
        if (text[0] == '>' && text[1] == ' ') {
            text += 2;
        }
        used = append(in, used, text);
    }
}

/* Notes a line that says where the next commands are typed: "--- in the guest ---", "on the host:". */
void linux_read_place(struct linux_input *in)
{
    static const struct {
        const char *words;
        enum linux_where where;
    } places[] = {
        {"in the guest", LINUX_IN_GUEST},         {"inside the guest", LINUX_IN_GUEST},
        {"inside the vm", LINUX_IN_GUEST},        {"in the vm", LINUX_IN_GUEST},
        {"on the guest", LINUX_IN_GUEST},         {"guest:", LINUX_IN_GUEST},
        {"within the guest", LINUX_IN_GUEST},     {"in a vm", LINUX_IN_GUEST},
        {"on the host", LINUX_ON_HOST},           {"host:", LINUX_ON_HOST},
        {"in the container", LINUX_IN_CONTAINER}, {"inside the container", LINUX_IN_CONTAINER},
    };

    if (strlen(in->lower) > 60) {
        return;
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (linux_find(in, places[i].words) != NULL) {
            in->nest = places[i].where;
            in->where = in->nest;
            if (in->nest == LINUX_IN_GUEST) {
                reading_learn(&in->r->machine.guest, 1, in->number);
                linux_note(in, CLUE_linux_hypervisor, "guest", READING_HYPERVISOR_UNKNOWN, 0);
            }
            return;
        }
    }
}

/* Returns true if a command that lists a PMU's events leaves some of them out, unless it looks for inst_retired. */
static bool lists_part(const char *command)
{
    static const char *const filters[] = {"grep", "head", "tail", "awk", "sed"};
    const char *pipe = strchr(command, '|'), *folder = strstr(command, "/events/");

    if (strstr(command, "inst") != NULL) {
        return false;
    }
    for (size_t i = 0; pipe != NULL && i < sizeof filters / sizeof filters[0]; i++) {
        if (strstr(pipe, filters[i]) != NULL) {
            return true;
        }
    }
    return folder != NULL && isalnum((unsigned char)folder[8]); /* "/events/l2*" */
}

/* Keeps the command that begins at @command without a comment behind it. */
static void keep(struct linux_input *in, const char *command, enum linux_where where)
{
    struct clue *c;

    in->command_line = in->number;
    text_claim(&in->r->text, in->i, TEXT_LINUX);
    append_lines(in, append(in, 0, command));
    in->where = where;
    in->outputs = 0;
    in->interrupts = in->statistics = false;
    in->listing = strstr(in->command, "event_source/devices") != NULL && strncmp(in->command, "cat ", 4) != 0;
    in->events = in->listing && strstr(in->command, "/events") != NULL;
    in->part = in->events && lists_part(in->command);
    in->listing = in->listing && !in->events;
    follow(in);
    if (where == LINUX_IN_CONTAINER) {
        reading_learn(&in->r->machine.container, 1, in->number);
    }
    if (where == LINUX_IN_GUEST) {
        reading_learn(&in->r->machine.guest, 1, in->number);
    }
    linux_read_settings(in, in->command, true);
    c = linux_clue(in, CLUE_linux_command, in->command, (uint64_t)where, 0);
    if (c != NULL) {
        reading_learn(&in->r->machine.linux_os, 1, in->number);
    }
}

bool linux_read_command(struct linux_input *in)
{
    size_t length = 0;
    const char *command = after_prompt(in->line, &length);
    enum linux_where where;

    if (command == NULL && !is_bare_command(in->lower)) {
        return false;
    }
    if (command != NULL && where_is(in->line, length, LINUX_ANYWHERE) == LINUX_ON_HOST) {
        in->nest = LINUX_ANYWHERE;
    }
    where = command == NULL ? in->nest : where_is(in->line, length, in->nest);
    keep(in, command == NULL ? in->line : command, where);
    return true;
}
