/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on calls of perf_event_open() that the kernel refuses. */
#define _GNU_SOURCE
#include <string.h>

#include "linux.h"

enum { IS_EPERM = 1, IS_ENOENT = 2, IS_EACCES = 13, IS_EBUSY = 16, IS_EINVAL = 22 };

/* Returns the clue that shows that a permission is missing, or NULL. */
static const struct clue *find_denial(const struct linux_view *v)
{
    for (const struct clue *c = v->first[CLUE_linux_refused]; c != NULL;
         c = reading_next(v->r, CLUE_linux_refused, c)) {
        if (c->values[0] == IS_EPERM || c->values[0] == IS_EACCES) {
            return c;
        }
    }
    return v->first[CLUE_linux_permission];
}

/* Returns true if the container that the denial @c is from runs with what perf needs. */
static bool is_privileged(const struct linux_view *v, const struct clue *denial)
{
    static const char *const grants[] = {"--privileged",        "seccomp=unconfined",  "cap-add perfmon",
                                         "cap-add=perfmon",     "cap-add sys_admin",   "cap-add=sys_admin",
                                         "cap-add cap_perfmon", "cap-add=cap_perfmon", "privileged: true"};
    const char *text = v->lower;

    for (const struct clue *c = v->first[CLUE_linux_command]; c != NULL && c->line <= denial->line;
         c = reading_next(v->r, CLUE_linux_command, c)) {
        text = strstr(c->words, "docker") != NULL || strstr(c->words, "podman") != NULL ? c->words : text;
    }
    for (size_t i = 0; i < sizeof grants / sizeof grants[0]; i++) {
        if (strstr(text, grants[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns true if a command counts all CPUs, the kernel or other people's tasks. */
static bool counts_everything(const struct linux_view *v, const struct clue *denial)
{
    if (strstr(denial->words, "perf_event_open({") != NULL && strstr(denial->words, ", -1, ") != NULL) {
        const char *arguments = strrchr(denial->words, '}');

        if (arguments != NULL && strncmp(arguments, "}, -1, ", 7) == 0) {
            return true; /* pid -1: every task of a CPU */
        }
    }
    for (const struct clue *c = v->first[CLUE_linux_command]; c != NULL;
         c = reading_next(v->r, CLUE_linux_command, c)) {
        if (strstr(c->words, "perf ") != NULL &&
            (strstr(c->words, " -a") != NULL || strstr(c->words, "--all-cpus") != NULL ||
             strstr(c->words, "perf top") != NULL)) {
            return true;
        }
    }
    return false;
}

/* Returns true if the command before the denial asks for the kernel: -e cycles:k. */
static bool asks_for_kernel(const struct linux_view *v, const struct clue *denial)
{
    const struct clue *last = NULL;

    for (const struct clue *c = v->first[CLUE_linux_command]; c != NULL && c->line <= denial->line;
         c = reading_next(v->r, CLUE_linux_command, c)) {
        last = c;
    }
    return last != NULL && strstr(last->words, ":k") != NULL && strstr(last->words, ":u") == NULL;
}

static bool excludes_kernel(const struct linux_view *v, const struct clue *denial)
{
    if (asks_for_kernel(v, denial)) {
        return false;
    }
    return strstr(denial->words, "exclude_kernel=1") != NULL ||
           (linux_text_has(v, ":u") && strstr(denial->words, "perf_event_open({") == NULL);
}

static void add_container(struct linux_view *v, const struct clue *denial, unsigned weight)
{
    char cure[400];
    const char *extra =
        linux_text_has(v, "kubectl") || linux_text_has(v, "securitycontext")
            ? "in the pod: securityContext: capabilities: add: [PERFMON] and seccompProfile: type: Unconfined"
        : linux_text_has(v, "services:")
            ? "in the service: cap_add: [PERFMON] and security_opt: [seccomp:unconfined]"
        : linux_text_has(v, "podman") ? "podman run --cap-add=perfmon --security-opt seccomp=unconfined ..."
                                      : "docker run --cap-add PERFMON --security-opt seccomp=unconfined ...";

    linux_suspect(
        v, WHY_container_forbids_perf, SUSPECT_LIKELY, weight, denial,
        suspect_text(cure, "the container's seccomp profile refuses perf_event_open(): %s (or --privileged)", extra));
}

static void add_android(struct linux_view *v, const struct clue *denial)
{
    const struct clue *harden = v->last[CLUE_linux_perf_harden];
    const bool on = harden != NULL && harden->values[0] == 1;

    if (harden != NULL && harden->values[0] == 0) {
        linux_suspect(
            v, WHY_perf_paranoid, SUSPECT_LIKELY, 60, denial,
            "adb shell setprop security.perf_harden 0, or as root: echo -1 > /proc/sys/kernel/perf_event_paranoid");
        linux_suspect(v, WHY_selinux_denies_perf, SUSPECT_POSSIBLE, 60, denial, NULL);
        return;
    }
    linux_suspect(v, WHY_android_perf_harden, on ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 85, on ? harden : denial,
                  "adb shell setprop security.perf_harden 0");
    linux_suspect(v, WHY_perf_paranoid, SUSPECT_POSSIBLE, 40, denial, NULL);
}

static void add_level(struct linux_view *v, const struct clue *denial)
{
    static const char lower[] =
        "sysctl -w kernel.perf_event_paranoid=1 (0 or -1 to count CPUs as a whole), or give the program "
        "CAP_PERFMON (setcap cap_perfmon+ep; before 5.8 CAP_SYS_ADMIN), or run it as root";
    static const char user[] =
        "count user space only: exclude_kernel = 1 (and exclude_hv = 1) in the attributes, with perf "
        "-e cycles:u; or sysctl -w kernel.perf_event_paranoid=1";
    const bool everything = counts_everything(v, denial);
    const bool own = strstr(denial->words, "perf_event_open({") != NULL;

    if (v->level >= 3 && v->level < 100) {
        linux_suspect(
            v, WHY_perf_paranoid, SUSPECT_CERTAIN, 85, v->paranoid,
            "levels 3 and 4 refuse every event: sysctl -w kernel.perf_event_paranoid=2 (then :u events) or 1, or "
            "CAP_PERFMON");
    } else if (everything && v->level > 0) {
        linux_suspect(v, WHY_perf_paranoid, v->level == 100 ? SUSPECT_LIKELY : SUSPECT_CERTAIN, 80,
                      v->paranoid != NULL ? v->paranoid : denial,
                      "counting whole CPUs (-a) needs sysctl -w kernel.perf_event_paranoid=0 (or -1), or CAP_PERFMON");
    } else if (v->level == 2 && !excludes_kernel(v, denial)) {
        linux_suspect(v, WHY_exclude_kernel_missing, own ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 80, denial, user);
    } else if (v->level == 100) {
        linux_suspect(v, WHY_perf_paranoid, SUSPECT_LIKELY, 70, denial, lower);
        if (denial->kind == CLUE_linux_refused && denial->values[0] == IS_EACCES && !excludes_kernel(v, denial) &&
            own) {
            linux_suspect(v, WHY_exclude_kernel_missing, SUSPECT_LIKELY, 65, denial, user);
        }
    } else if (v->level <= 2) {
        linux_suspect(v, WHY_container_forbids_perf, SUSPECT_POSSIBLE, 60, denial, NULL);
        linux_suspect(v, WHY_selinux_denies_perf, SUSPECT_POSSIBLE, 50, denial, NULL);
        linux_suspect(v, WHY_perf_paranoid, SUSPECT_POSSIBLE, v->level == 2 ? 70 : 40, denial, lower);
    }
}

/* Returns true if a unit of systemd filters system calls, and does not name perf_event_open(). */
static bool is_filtered(const struct linux_view *v)
{
    const char *at = strstr(v->lower, "systemcallfilter=");
    const char *open = at == NULL ? NULL : strstr(at, "perf_event_open");

    return at != NULL && (open == NULL || memchr(at, '\n', (size_t)(open - at)) != NULL);
}

static void add_denial(struct linux_view *v, const struct clue *denial)
{
    const bool container = v->container || v->first[CLUE_linux_seccomp] != NULL || linux_text_has(v, "docker") ||
                           linux_text_has(v, "podman") || linux_text_has(v, "kubectl") ||
                           linux_text_has(v, "container") || linux_text_has(v, "lxc exec") ||
                           linux_text_has(v, "lxc-attach") || linux_text_has(v, "nspawn") ||
                           linux_text_has(v, "flatpak run") || linux_text_has(v, "snap run");

    if (v->android) {
        add_android(v, denial);
    } else if (is_filtered(v)) {
        linux_suspect(v, WHY_container_forbids_perf, SUSPECT_LIKELY, 86, denial,
                      "the unit's SystemCallFilter= leaves perf_event_open() out: add SystemCallFilter="
                      "perf_event_open, and AmbientCapabilities=CAP_PERFMON where perf_event_paranoid asks for it");
        if (v->level >= 2) {
            linux_suspect(v, WHY_perf_paranoid, SUSPECT_POSSIBLE, 60, denial, NULL);
        }
    } else if (container && !is_privileged(v, denial)) {
        add_container(v, denial, 85);
        if (v->level <= 1) {
            suspect_clear(v->all, WHY_perf_paranoid); /* this level refuses no event of one's own tasks */
        }
        if (v->level >= 2 && v->level < 100) {
            linux_suspect(v, WHY_perf_paranoid, SUSPECT_LIKELY, v->level >= 3 ? 70 : 50, v->paranoid, NULL);
        }
    } else {
        add_level(v, denial);
    }
}

/* Adds a set of a library's events that does not fit. */
static void add_conflict(struct linux_view *v)
{
    static const char *const words[] = {"papi_ecnflct", "hardware resource limits", "papi_ecombo"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (linux_text_has(v, words[i])) {
            linux_suspect(v, WHY_group_larger_than_counters, SUSPECT_LIKELY, 70, NULL,
                          "split the event set: fewer events at once than the PMU has counters, or call "
                          "PAPI_set_multiplex() for the set")
                ->weight = 70;
            return;
        }
    }
}

/* Adds what other errors than a denial say. */
static void add_errors(struct linux_view *v)
{
    unsigned siblings = 0;

    add_conflict(v);

    for (const struct clue *c = v->first[CLUE_linux_opened]; c != NULL; c = reading_next(v->r, CLUE_linux_opened, c)) {
        const char *arguments = strrchr(c->words, '}');

        siblings += arguments != NULL && strstr(arguments, ", -1, -1, ") == NULL;
    }
    for (const struct clue *c = v->first[CLUE_linux_refused]; c != NULL;
         c = reading_next(v->r, CLUE_linux_refused, c)) {
        const char *arguments = strrchr(c->words, '}');
        const bool sibling = arguments != NULL && strstr(arguments, ", -1, -1, ") == NULL;
        const bool raw = strstr(c->words, "type_raw") != NULL || strstr(c->words, "type=0x") != NULL;
        const bool two = v->counts[CLUE_linux_listed_pmu] > 1 || linux_text_has(v, "armv8_pmuv3_1/") ||
                         (v->r->machine.big_little.known && v->r->machine.big_little.value == 1);

        if (c->values[0] == IS_EINVAL && sibling && siblings > 0) {
            linux_suspect(
                v, WHY_group_larger_than_counters, SUSPECT_LIKELY, 70, c,
                "EINVAL for a member: the group has more events than there are counters; open fewer in one group");
        } else if (c->values[0] == IS_EBUSY) {
            linux_suspect(v, WHY_somebody_else_programs_pmu, SUSPECT_LIKELY, 70, c,
                          "EBUSY: stop what holds the PMU (another profiler, the watchdog: nmi_watchdog=0)");
        } else if (c->values[0] == IS_ENOENT && two) {
            linux_suspect(v, raw ? WHY_wrong_pmu_type : WHY_big_little_other_core, SUSPECT_LIKELY, 70, c,
                          "set attr.type to the type of the PMU that has the CPU: cat "
                          "/sys/bus/event_source/devices/PMU/type and PMU/cpus");
        } else if (c->values[0] == IS_ENOENT &&
                   (strstr(c->words, "stalled") != NULL || strstr(c->words, "bus_cycles") != NULL ||
                    strstr(c->words, "ref_cpu") != NULL || strstr(c->words, "hw_cache") != NULL)) {
            linux_suspect(v, WHY_perf_generic_event_unmapped, SUSPECT_LIKELY, 70, c, NULL);
        }
    }
}

/* Adds names of events or PMUs that perf does not know. */
static void add_unknown_names(struct linux_view *v)
{
    const struct clue *c = v->first[CLUE_linux_event_unknown];
    char cure[400], events[200];

    if (c == NULL || suspect_find(v->all, WHY_no_pmu_device) != NULL ||
        suspect_find(v->all, WHY_hypervisor_gives_no_pmu) != NULL) {
        return;
    }
    if (strncmp(c->words, "armv", 4) == 0 && v->apple) {
        linux_suspect(v, WHY_apple_not_pmuv3, SUSPECT_LIKELY, 75, c,
                      "use the PMUs of Apple's cores by their names (ls /sys/bus/event_source/devices: "
                      "apple_firestorm_pmu, apple_icestorm_pmu ...), and their own events");
    } else if (strncmp(c->words, "armv", 4) == 0 && v->first[CLUE_linux_listed_pmu] != NULL) {
        linux_suspect(v, WHY_wrong_pmu_type, SUSPECT_LIKELY, 60, c,
                      "use the name of a PMU that ls /sys/bus/event_source/devices shows");
    } else {
        const char *instead = linux_events_instead(v, c->words, events);

        linux_suspect(v, WHY_perf_generic_event_unmapped, SUSPECT_LIKELY, 55, c,
                      instead == NULL ? "perf knows no event of this name for this core: give its number, -e rNNN; "
                                        "armpmu list --core=NAME has those of the core"
                                      : suspect_text(cure, "perf knows no event of this name for the %s: count its own "
                                                           "by number, perf stat %s",
                                                     v->r->machine.core->name, instead));
        linux_suspect(v, WHY_event_number_unknown, SUSPECT_POSSIBLE, 50, c, NULL);
    }
}

/* Adds a manifest of a container that grants nothing that perf needs, where the words around it tell of a refusal. */
void linux_rules_manifest(struct linux_view *v)
{
    static const char *const signs[] = {"seccompprofile:", "securitycontext:", "security_opt:", "image:"};
    static const char *const grants[] = {"perfmon", "sys_admin", "unconfined", "privileged: true"};
    static const char *const refusals[] = {"not permitted", "permission denied", "eperm", "eacces", "refused",
                                           "not allowed"};
    const bool manifest = linux_text_has(v, "image:") &&
                          (linux_text_has(v, "containers:") || linux_text_has(v, "services:"));
    bool refused = false;

    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        refused |= linux_text_has(v, refusals[i]);
    }
    for (size_t i = 0; i < sizeof grants / sizeof grants[0]; i++) {
        refused &= !linux_text_has(v, grants[i]);
    }
    for (size_t i = 0; manifest && refused && linux_text_has(v, "perf") && i < sizeof signs / sizeof signs[0]; i++) {
        for (size_t line = 0; line < v->r->text.count; line++) {
            if (strcasestr(v->r->text.lines[line].text, signs[i]) != NULL) {
                char words[] = "";
                const struct clue c = {CLUE_linux_command, v->r->text.lines[line].number, 0, {0, 0}, words};

                add_container(v, &c, 85);
                return;
            }
        }
    }
}

void linux_rules_refused(struct linux_view *v)
{
    const struct clue *denial = find_denial(v), *c = v->first[CLUE_linux_selinux];

    if (c != NULL) {
        linux_suspect(
            v, WHY_selinux_denies_perf, SUSPECT_CERTAIN, 90, c,
            v->android ? "allow DOMAIN self:perf_event { open read write kernel cpu }; in the sepolicy, or setenforce "
                         "0 on a debug build to be sure"
                       : "allow it in the policy: allow DOMAIN self:perf_event { open read write kernel cpu }; "
                         "(audit2allow), or setenforce 0 to be sure");
    } else if (denial != NULL && linux_text_has(v, "setenforce 0") && !v->android) {
        linux_suspect(
            v, WHY_selinux_denies_perf, SUSPECT_LIKELY, 86, denial,
            "SELinux refuses it: ausearch -m avc -ts recent shows the rule; allow DOMAIN self:perf_event { open "
            "read cpu kernel }; in the policy (audit2allow)");
    } else if (denial != NULL && v->first[CLUE_linux_mlock] == NULL) {
        add_denial(v, denial);
    } else if (v->android && v->first[CLUE_linux_event_unsupported] != NULL && v->level >= 3 && v->level < 100 &&
               v->first[CLUE_linux_counted] == NULL) {
        add_android(v, v->first[CLUE_linux_event_unsupported]);
    } else if (v->last[CLUE_linux_perf_harden] != NULL && v->last[CLUE_linux_perf_harden]->values[0] == 1 &&
               v->last[CLUE_linux_perf_harden]->values[1] == 0 && v->first[CLUE_linux_counted] == NULL) {
        linux_suspect(v, WHY_android_perf_harden, SUSPECT_CERTAIN, 85, v->last[CLUE_linux_perf_harden],
                      "adb shell setprop security.perf_harden 0");
    }
    if (denial == NULL && !v->android && v->level >= 3 && v->level < 100 && !linux_counts(v) &&
        (linux_text_has(v, "perf_event_open") || linux_text_has(v, "performance counter"))) {
        linux_suspect(v, WHY_perf_paranoid, SUSPECT_LIKELY, 75, v->paranoid,
                      "levels 3 and 4 refuse every event: sysctl -w kernel.perf_event_paranoid=2 (then :u events) or "
                      "1, or CAP_PERFMON");
    }
    if (v->first[CLUE_linux_mlock] != NULL) {
        linux_suspect(v, WHY_perf_paranoid, SUSPECT_LIKELY, 70, v->first[CLUE_linux_mlock],
                      "raise kernel.perf_event_mlock_kb, or give perf record a smaller buffer (-m 16)");
    }
    add_errors(v);
    add_unknown_names(v);
}
