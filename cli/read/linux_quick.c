/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes over the lines of a large text in which the readers of Linux' texts find nothing.  A line is worth a look if
 * it has three characters in a row of a string that one of the readers looks for, a prompt, or a count.
 */
#include <ctype.h>
#include <string.h>

#include "linux.h"

/* What the readers look for, in lower case; for several strings what they have in common. */
static const char *const strings[] = {
#define LINE(id, pattern) pattern,
#define NOTE(id, pattern) pattern,
#include "linux_lines.def"
#define HOST(pattern, hypervisor) pattern,
#include "linux_hosts.def"
    /* linux.c */
    "kernel: ", "pmcr", "pmcnten", "pmcc", "pmev", "pmxev", "pmovs", "pmint", "pmuser", "pmselr", "pmceid", "mdcr_",
    "midr", "dfr0", "currentel", "hcr_el2", "pmnc", "cnten",
    /* linux_machine.c */
    "booting ", "boot cpu:", "booted ", "processor [", "cpu implementer", "cpu part", "armv", "armhf", "apple", "pmu",
    "model name", "enabled with ", "aarch64", "linux", "architecture:", "vendor_id", "vendor id", "x86_64", "riscv",
    "ppc64", "s390x", "loongarch", "intel", "authenticamd", "amd64", "t2a-", "c4a-", "n4a-", "standard", "kc1.", "kc2.",
    "ecs.", "dpsv", "dpdsv", "dplsv", "epsv", "large", ".metal", ".medium", ".small", ".micro", ".nano", "machine",
    "hardware", "model\t", "vhe mode", "virtualization", "hyp mode",
    /* linux_files.c */
    "perf", "nmi_watchdog", "cap_user_rdpmc", "software", "tracepoint", "breakpoint", "kprobe", "uprobe", "/cpus",
    "config_", "_allowed_list", "affinity list", "code: ", "cpu", "core",
    /* linux_guest.c, linux_perf.c and linux_shell.c */
    "qemu", "virsh", "<domain", "<feature", "firecracker", "cloud-hyp", "kvm", "crosvm", "vm run", "seconds time",
    "total test", "counter-value", "running",
    "read(", "samples", "captured and", "guest", " vm", "host", "container", "insmod ",
    "adb ", "taskset", "docker", "podman", "strace", "virt-", "sysctl", "chrt ", "kubectl", "numactl", "echo ",
    "rtcwake", "cat /", "ls /",
};

/* Returns how rare the character is in a text, from 0 on. */
static unsigned rarity(char c)
{
    static const char usual[] = " etaoinsrhldcumfpgwybvkxjqz";
    const char *at = strchr(usual, c);

    return at == NULL ? sizeof usual : (unsigned)(at - usual);
}

static unsigned hash_three(unsigned a, unsigned b, unsigned c)
{
    return (a * 961 + b * 31 + c) % LINUX_THREES;
}

/* Returns true if a text that matches a pattern has the character @c as it is. */
static bool is_plain(char c)
{
    return c != '\0' && strchr("#@*^", c) == NULL;
}

/* Adds the three characters of @string that are the rarest.  A blank of a pattern may be a tab in the text. */
static void add_string(struct linux_quick *q, const char *string)
{
    unsigned best = 0, most = 0;

    for (const char *at = string; at[0] != '\0' && at[1] != '\0' && at[2] != '\0'; at++) {
        const unsigned rare = 1 + rarity(at[0]) + rarity(at[1]) + rarity(at[2]);

        if (is_plain(at[0]) && is_plain(at[1]) && is_plain(at[2]) && at[1] != ' ' && rare > most) {
            most = rare;
            best = hash_three((unsigned char)at[0], (unsigned char)at[1], (unsigned char)at[2]);
        }
    }
    q->all = q->all || most == 0; /* a string too short to tell: every line is worth a look */
    q->threes[best / 64] |= most != 0 ? UINT64_C(1) << best % 64 : 0;
}

void linux_quick_prepare(struct linux_quick *q)
{
    for (unsigned c = 0; c < 256; c++) {
        q->folded[c] = c == '\t' ? ' ' : (uint8_t)tolower((int)c);
    }
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        add_string(q, strings[i]);
    }
    q->prepared = true;
}

bool linux_quick_look(const struct linux_quick *q, const char *text, size_t length)
{
    const size_t end = length < 2 * LINUX_LINE ? length : 2 * LINUX_LINE;
    unsigned a = ' ', b = ' ';

    for (size_t i = 0; i < end; i++) {
        const unsigned c = q->folded[(unsigned char)text[i]], three = hash_three(a, b, c);

        if ((q->threes[three / 64] >> three % 64 & 1) != 0) {
            return true;
        }
        if ((c == ' ' || c == ',' || c == ';' || c == '|' || c == '@') &&
            ((b >= '0' && b <= '9') || b == '>' || b == '$' || b == '#' || b == '%')) {
            return true; /* a count, or a prompt */
        }
        a = b;
        b = c;
    }
    return q->all;
}
