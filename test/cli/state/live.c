/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests --live on folders with the files that Linux has in /proc and /sys on an Arm machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../cli/state/live.h"
#include "../../lib/tap.h"

static struct state s;
static char root[64];

/* Writes the file @path of the machine, and makes its folders. */
static void write_file(const char *path, const char *text)
{
    char full[512];
    FILE *out;

    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = strchr(full + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        MUST(mkdir(full, 0700) == 0 || errno == EEXIST, "%.200s", full);
        *slash = '/';
    }
    out = fopen(full, "w");
    MUST(out != NULL, "%.200s cannot be made", full);
    if (out != NULL) {
        fprintf(out, "%s\n", text);
        fclose(out);
    }
}

/* Removes the last machine, and makes one without files. */
static void make_host(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", root);
    if (root[0] != '\0') {
        MUST(system(command) == 0, "%s", command);
    }
    snprintf(root, sizeof root, "/tmp/armpmu-live-XXXXXX");
    MUST(mkdtemp(root) != NULL, "no folder");
    state_init(&s, "this machine");
}

/* Returns what --live prints. */
static const char *printed(void)
{
    static char text[4096];
    FILE *out = fmemopen(text, sizeof text, "w");

    state_print_host(out, &s);
    fclose(out);
    return text;
}

static void one_kind_of_core(void)
{
    make_host();
    write_file("proc/sys/kernel/perf_event_paranoid", "2");
    write_file("proc/sys/kernel/perf_user_access", "0");
    write_file("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd083");
    write_file("sys/devices/system/cpu/cpu1/regs/identification/midr_el1", "0x00000000410fd083");
    write_file("sys/bus/event_source/devices/armv8_cortex_a72/cpus", "0-1");
    write_file("sys/bus/event_source/devices/armv8_cortex_a72/caps/slots", "0x5");
    write_file("sys/bus/event_source/devices/software/type", "1");
    write_file("sys/bus/event_source/devices/arm_spe_0/type", "9");
    state_take_host(&s, root);
    state_finish(&s);
    MUST(s.core != NULL && strcmp(s.core->name, "Cortex-A72") == 0, "the core");
    MUST_EQ(s.host.cpu_count, 2, "CPUs");
    MUST_EQ(s.host.pmu_count, 1, "PMUs");
    MUST(strcmp(s.host.pmus[0].cpus, "0-1") == 0, "%s", s.host.pmus[0].cpus);
    MUST_EQ(APMU_GET(PMMIR_EL1, SLOTS, state_cell(&s, APMU_REG_PMMIR_EL1, 0)->value), 5, "slots");
    MUST(strstr(printed(), "perf_event_paranoid 2: programs may count themselves at EL0") != NULL, "%.200s", printed());
    MUST(strstr(printed(), "perf_user_access 0: EL0 may not read counters") != NULL, "%.200s", printed());
    MUST(strstr(printed(), "Cores differ") == NULL, "%.200s", printed());
}

static void big_and_little(void)
{
    make_host();
    write_file("proc/sys/kernel/perf_event_paranoid", "-1");
    for (unsigned cpu = 0; cpu < 6; cpu++) {
        char path[80];

        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", cpu);
        write_file(path, cpu < 4 ? "0x00000000410fd034" : "0x00000000410fd082");
    }
    write_file("sys/bus/event_source/devices/armv8_cortex_a72/cpus", "4-5");
    write_file("sys/bus/event_source/devices/armv8_cortex_a53/cpus", "0-3");
    state_take_host(&s, root);
    state_finish(&s);
    MUST(s.core == NULL, "with two types of core, neither is chosen");
    MUST_EQ(state_cell(&s, APMU_REG_MIDR_EL1, 0)->known, 0, "MIDR_EL1");
    MUST_EQ(s.host.core_count, 2, "cores");
    MUST(strcmp(s.host.cores[0].cpus, "0,1,2,3") == 0 && strcmp(s.host.cores[1].cpus, "4,5") == 0, "%s",
         s.host.cores[1].cpus);
    MUST(strcmp(s.host.pmus[0].name, "armv8_cortex_a53") == 0, "%s", s.host.pmus[0].name);
    MUST(strstr(printed(), "CPUs 4,5: Cortex-A72") != NULL, "%.200s", printed());
    MUST(strstr(printed(), "Cores differ") != NULL, "%.200s", printed());
    MUST(strstr(printed(), "perf_user_access: not there") != NULL, "%.200s", printed());
}

/* The list of CPUs has room for some of the numbers.  It ends with "..." and never with a part of a number. */
static void more_cpus_than_the_list_has_room_for(void)
{
    const char *end;

    make_host();
    for (unsigned cpu = 0; cpu < 200; cpu++) {
        char path[80];

        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", cpu);
        write_file(path, "0x00000000410fd0c1");
    }
    state_take_host(&s, root);
    MUST_EQ(s.host.cpu_count, 200, "CPUs");
    MUST(strncmp(s.host.cores[0].cpus, "0,1,2,3,4,5,6,7,8,9,10,11,12,", 29) == 0, "%s", s.host.cores[0].cpus);
    end = strstr(s.host.cores[0].cpus, ",42,43,...");
    MUST(end != NULL && strlen(end) == strlen(",42,43,..."), "%s", s.host.cores[0].cpus);
}

static void a_host_that_says_nothing(void)
{
    make_host();
    state_take_host(&s, root);
    MUST_EQ(s.facts, 0, "facts");
    MUST_EQ((unsigned)s.host.paranoid, (unsigned)STATE_UNREADABLE, "paranoid");
    MUST(strstr(printed(), "PMU: none in") != NULL, "%.200s", printed());
    make_host();
    write_file("proc/sys/kernel/perf_event_paranoid", "many");
    write_file("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "zz");
    state_take_host(&s, root);
    MUST_EQ(s.host.core_count, 0, "cores");
    MUST_EQ((unsigned)s.host.paranoid, (unsigned)STATE_UNREADABLE, "paranoid");
}

int main(void)
{
    RUN(one_kind_of_core);
    RUN(big_and_little);
    RUN(more_cpus_than_the_list_has_room_for);
    RUN(a_host_that_says_nothing);
    tap_bad = false;
    make_host(); /* removes the last machine that has files */
    return rmdir(root) == 0 ? tap_status : 1;
}
