/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The perf_event back end without a kernel that has a PMU: the reader of the mapped page, on pages that the test makes;
 * PMUs in a folder that the test makes; and refusals.  test/hardware/linux uses a real kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <armpmu/events.h>

#include "../../lib/driver/perf/internal.h"
#include "../lib/tap.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The page.
 */

/* A machine with counters, and with a kernel that changes the page while it is read. */
struct machine {
    struct apmu_perf_page page;
    uint64_t counters[APMU_COUNTERS];
    unsigned last;     /* the counter that was read */
    unsigned reads;
    unsigned changes;  /* for this many reads, the kernel interrupts and moves the event to the next counter */
};

static uint64_t read_counter(void *ctx, unsigned counter)
{
    struct machine *m = ctx;
    const uint64_t value = m->counters[counter];

    m->last = counter;
    m->reads++;
    if (m->changes != 0) {
        m->changes--;
        m->page.lock += 2;
        m->page.offset += (int64_t)value - (int64_t)m->counters[m->page.index];
        m->page.index++;
    }
    return value;
}

static struct machine machine_with(unsigned index, unsigned width, int64_t offset)
{
    return (struct machine){.page = {.lock = 4, .index = index, .offset = offset, .pmc_width = (uint16_t)width,
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
                                     .capabilities = UINT64_C(1) << (63 - APMU_PERF_CAP_RDPMC)}};
#else
                                     .capabilities = UINT64_C(1) << APMU_PERF_CAP_RDPMC}};
#endif
}

static bool page_read(struct machine *m, uint64_t *count)
{
    return apmu_perf_page_read(&m->page, read_counter, m, count);
}

static void a_page_that_forbids_it_is_no_reading(void)
{
    struct machine m = machine_with(1, 32, 0);
    uint64_t count = 99;

    m.page.capabilities = 0;
    MUST(!page_read(&m, &count) && m.reads == 0, "it was read");
}

static void an_index_beyond_the_cycle_counter_is_no_reading(void)
{
    struct machine m = machine_with(APMU_CYCLE + 2, 64, 0);
    uint64_t count;

    MUST(!page_read(&m, &count), "index 33 was read");
}

static void a_width_that_is_none_is_no_reading(void)
{
    for (unsigned width = 0; width <= 128; width += 65 - width % 65) {
        struct machine m = machine_with(1, width, 0);
        uint64_t count;

        MUST(!page_read(&m, &count), "width %u was read", width);
    }
}

/* Checks that the count is that of one moment, even if the event moves from counter to counter while it is read. */
static void a_change_meanwhile_is_read_again(void)
{
    for (unsigned changes = 0; changes < 8; changes++) {
        struct machine m = machine_with(1, 64, 500);
        uint64_t count = 0;

        for (unsigned i = 0; i < APMU_COUNTERS; i++) {
            m.counters[i] = UINT64_C(0x100000000) * i;
        }
        m.changes = changes;
        MUST(page_read(&m, &count), "%u changes", changes);
        MUST_EQ(count, 500, "%u changes", changes);
        MUST_EQ(m.reads, changes + 1, "reads with %u changes", changes);
    }
}

static void a_page_that_never_settles_is_no_reading(void)
{
    struct machine m = machine_with(1, 64, 0);
    uint64_t count = 99;

    m.page.lock = 5;
    MUST(!page_read(&m, &count) && count == 99, "a change under way was read, as %llu", (unsigned long long)count);
}

static void times_go_on_since_the_page_changed(void)
{
    struct apmu_perf_page page = machine_with(1, 64, 0).page;
    uint64_t enabled = 0, running = 0;

    MUST(!apmu_perf_page_times(&page, 0, &enabled, &running), "a page without the capability gave times");
    page.capabilities |= page.capabilities << 1; /* APMU_PERF_CAP_TIME is the next bit */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    page.capabilities |= UINT64_C(1) << (63 - APMU_PERF_CAP_TIME);
#endif
    page.time_enabled = 1000;
    page.time_running = 400;
    page.time_mult = 16u << 10; /* 16 ns for each tick: 62.5 MHz */
    page.time_shift = 10;
    page.time_offset = (uint64_t)-160; /* the page changed at tick 10 */
    MUST(apmu_perf_page_times(&page, 15, &enabled, &running), "no times");
    MUST_EQ(enabled, 1080, "enabled");
    MUST_EQ(running, 480, "running");
    page.index = 0;
    MUST(apmu_perf_page_times(&page, UINT64_C(1) << 45, &enabled, &running), "no times");
    MUST_EQ(enabled, 840 + (UINT64_C(16) << 45), "enabled after years");
    MUST_EQ(running, 400, "running without a counter");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Defects of released readers (defects.h).
 */

typedef bool page_reader(struct machine *m, uint64_t *count);

static void report(const char *name, bool ours, bool caught)
{
    printf("%s %s%s%s\n", ours && caught ? "ok" : "not ok", name, ours ? "" : ": ours fails",
           caught ? "" : ": the defect is not found");
    tap_status |= !ours || !caught;
}

/* Implements the protocol correctly, except for the defects that the flags select. */
static bool read_as(struct machine *m, uint64_t *count, bool stale, bool swapped, bool is_unsigned)
{
    const unsigned index = m->page.index, unused = 64u - m->page.pmc_width;
    unsigned counter = index - 1;
    uint64_t value;

    if (index == 0) {
        *count = (uint64_t)m->page.offset;
        return stale;
    }
    if (swapped && (counter == 12 || counter == 13)) {
        counter = 25 - counter;
    }
    value = read_counter(m, counter) << unused;
    *count = (uint64_t)m->page.offset + (is_unsigned ? value >> unused : (uint64_t)((int64_t)value >> unused));
    return true;
}

static bool sound(struct machine *m, uint64_t *count)
{
    return read_as(m, count, false, false, false);
}

static bool dpdk(struct machine *m, uint64_t *count)
{
    return read_as(m, count, true, false, false);
}

static bool libperf(struct machine *m, uint64_t *count)
{
    return read_as(m, count, false, true, false);
}

static bool old_libperf(struct machine *m, uint64_t *count)
{
    return read_as(m, count, false, false, true);
}

static bool no_counter_is_no_reading(page_reader *read)
{
    struct machine m = machine_with(0, 32, 1234);
    uint64_t count = 99;

    return !read(&m, &count) && m.reads == 0;
}

static bool every_index_is_its_own_counter(page_reader *read)
{
    for (unsigned n = 0; n <= APMU_CYCLE; n++) {
        struct machine m = machine_with(n + 1, 64, 0);
        uint64_t count = 0;

        for (unsigned i = 0; i < APMU_COUNTERS; i++) {
            m.counters[i] = 1000 + i;
        }
        if (!read(&m, &count) || m.last != n || count != 1000 + n) {
            return false;
        }
    }
    return true;
}

static bool the_counter_is_sign_extended(page_reader *read)
{
    static const struct {
        unsigned width;
        uint64_t counter;
        int64_t offset;
        uint64_t count;
    } rows[] = {
        {32, 0x80000005, 0x80000000, 5},          /* as the kernel starts a counter: the period is half of the range */
        {32, 0x00000007, 0x80000000, 0x80000007}, /* past the sign */
        {32, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF},
        {32, UINT64_C(0xDEADBEEF80000005), 0x80000000, 5}, /* bits beyond the width: perf.rst says UNKNOWN */
        {63, UINT64_C(0x4000000000000003), INT64_C(0x4000000000000000), 3},
        {64, UINT64_C(0x8000000000000009), INT64_MIN, 9},
        {64, 11, 0, 11},
        {1, 1, 1, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct machine m = machine_with(3, rows[i].width, rows[i].offset);
        uint64_t count = 0;

        m.counters[2] = rows[i].counter;
        if (!read(&m, &count) || count != rows[i].count) {
            return false;
        }
    }
    return true;
}

typedef uint64_t scaler(uint64_t count, uint64_t enabled, uint64_t running);

static uint64_t unscaled(uint64_t count, uint64_t enabled, uint64_t running)
{
    (void)enabled;
    (void)running;
    return count;
}

static bool shared_time_is_scaled(scaler *scale)
{
    return scale(1000, 4000, 1000) == 4000 && scale(3, 3, 2) == 5 && /* 4.5 */
           scale(UINT64_C(1) << 50, UINT64_C(3) << 40, UINT64_C(1) << 40) == UINT64_C(3) << 50;
}

/* Reports whether our reader and a sound reader pass @check, and the peer fails it. */
static void defect(const char *name, bool (*check)(page_reader *read), page_reader *peer)
{
    report(name, check(page_read) && check(sound), !check(peer));
}

static void defects(void)
{
    const bool ours = shared_time_is_scaled(apmu_perf_scale), caught = !shared_time_is_scaled(unscaled);

    defect("defect 1: DPDK: an event without a counter reads as its stale offset", no_counter_is_no_reading, dpdk);
    defect("defect 5: libperf, PAPI: counters 12 and 13 are swapped", every_index_is_its_own_counter, libperf);
    defect("defect 6: libperf: the counter is not sign-extended", the_counter_is_sign_extended, old_libperf);
    report("defect 10: PMUv3_plugin: the count of a shared counter is not scaled", ours, caught);
    report("defect 11: google/benchmark: the count of a shared counter is not scaled", ours, caught);
}

/* ---------------------------------------------------------------------------------------------------------------
 * PMUs.
 */

static char sys[64]; /* in place of /sys */

static void put(const char *path, const char *text)
{
    char full[512];
    FILE *file;

    snprintf(full, sizeof full, "%s/%s", sys, path);
    if (text == NULL) {
        mkdir(full, 0700);
    } else if ((file = fopen(full, "w")) != NULL) {
        fputs(text, file);
        fclose(file);
    }
}

static void make_devices(void)
{
    static const struct { const char *path, *text; } files[] = {
        {"devices", NULL}, {"devices/system", NULL}, {"devices/system/cpu", NULL}, {"devices/system/cpu/cpu0", NULL},
        {"devices/system/cpu/cpu0/regs", NULL}, {"devices/system/cpu/cpu0/regs/identification", NULL},
        {"devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000412fd050\n"},
        {"bus", NULL}, {"bus/event_source", NULL}, {PERF_DEVICES, NULL},
        {PERF_DEVICES "/software", NULL}, {PERF_DEVICES "/software/type", "1\n"},
        {PERF_DEVICES "/arm_spe_0", NULL}, {PERF_DEVICES "/arm_spe_0/type", "11\n"}, /* Arm's, but no core's PMU */
        {PERF_DEVICES "/armv8_cortex_a72", NULL}, {PERF_DEVICES "/armv8_cortex_a72/type", "9\n"},
        {PERF_DEVICES "/armv8_cortex_a72/cpus", "4-5\n"},
        {PERF_DEVICES "/armv8_cortex_a55", NULL}, {PERF_DEVICES "/armv8_cortex_a55/type", "8\n"},
        {PERF_DEVICES "/armv8_cortex_a55/cpus", "0-3\n"},
        {PERF_DEVICES "/armv8_cortex_a55/events", NULL},
        {PERF_DEVICES "/armv8_cortex_a55/events/inst_retired", "event=0x008\n"},
        {PERF_DEVICES "/armv8_cortex_a55/events/stall_slot", "event=0x03f\n"},
        {PERF_DEVICES "/armv8_cortex_a55/events/l1d_cache_lmiss", "event=0x4000\n"},
        {PERF_DEVICES "/armv8_cortex_a55/events/own", "event=0xc3\n"},
        {PERF_DEVICES "/armv8_broken", NULL}, /* no type */
    };

    snprintf(sys, sizeof sys, "/tmp/armpmu-sys-%d", (int)getpid());
    mkdir(sys, 0700);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        put(files[i].path, files[i].text);
    }
}

static void remove_devices(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", sys);
    MUST(system(command) == 0, "rm");
}

static void every_kind_of_core_is_found(void)
{
    struct apmu_perf_pmu pmus[3];

    MUST_EQ(apmu_perf_pmus_in(sys, pmus, 3), 2, "PMUs");
    MUST(strcmp(pmus[0].name, "armv8_cortex_a55") == 0 && strcmp(pmus[1].name, "armv8_cortex_a72") == 0,
         "%s, %s", pmus[0].name, pmus[1].name);
    MUST(apmu_perf_is_core("armv6_1176") && apmu_perf_is_core("apple_icestorm_pmu") &&
             !apmu_perf_is_core("arm_dsu_0") && !apmu_perf_is_core("software"),
         "the names of cores");
    MUST_EQ(pmus[0].type, 8, "type");
    MUST_EQ(pmus[1].type, 9, "type");
    MUST(strcmp(pmus[0].cpus, "0-3") == 0 && strcmp(pmus[1].cpus, "4-5") == 0, "cpus %s, %s", pmus[0].cpus,
         pmus[1].cpus);
    MUST(pmus[0].listed && !pmus[1].listed, "listed");
    MUST_EQ(pmus[0].pmceid[0], UINT64_C(1) << 8 | UINT64_C(1) << 32, "PMCEID0");
    MUST_EQ(pmus[0].pmceid[1], UINT64_C(1) << 31, "PMCEID1");
    MUST_EQ((unsigned)apmu_perf_event_in(sys, &pmus[0], "own"), 0xC3, "own");
    MUST_EQ(pmus[0].midr, 0x412FD050, "MIDR_EL1");
    MUST_EQ(pmus[1].midr, 0, "MIDR_EL1 that the kernel does not tell");
    MUST_EQ((unsigned)apmu_perf_event_in(sys, &pmus[0], "l1d_ws_mode"), 0xC5, "an event of the Cortex-A55's own");
    MUST(apmu_perf_event_in(sys, &pmus[1], "l1d_ws_mode") == -1, "an event of another core's own");
    MUST(apmu_perf_event_in(sys, &pmus[0], "other") == -1 && apmu_perf_event_in(sys, &pmus[0], "") == -1 &&
         apmu_perf_event_in(sys, &pmus[0], "../type") == -1, "not the name of an event");
    MUST_EQ(apmu_perf_pmus_in(sys, pmus, 1), 2, "PMUs with room for one");
    MUST_EQ(apmu_perf_pmus_in("/nowhere", pmus, 3), 0, "PMUs nowhere");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Refusals.
 */

/*
 * Returns whether apmu_perf_explain() describes @no in one line with object, cause and cure, and with each of the
 * words.  `text` has that line.
 */
static char text[512];

static bool says(struct apmu_perf_refusal no, const char *words)
{
    struct apmu_perf perf = {.refusal = no, .pmu = {.name = "armv8_test"}};
    char copy[256];

    apmu_perf_explain(&perf, text, sizeof text);
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, "|"); word != NULL; word = strtok(NULL, "|")) {
        if (strstr(text, word) == NULL) {
            return false;
        }
    }
    return strchr(text, '\n') == NULL && strstr(text, ": ") != NULL && strstr(text, "; ") != NULL;
}

static const struct apmu_perf_pmu pmu = {.name = "armv8_test", .cpus = "0"};

static void every_refusal_of_the_kernel_has_a_meaning(void)
{
    static const struct {
        int system_error;
        enum apmu_error error;
        const char *words;
    } rows[] = {
        {ENOSYS, APMU_E_PERF_ABSENT, "perf_event_open: |CONFIG_PERF_EVENTS"},
        {EACCES, APMU_E_PERF_PERMISSION, "event INST_RETIRED (0x0008): "},
        {EPERM, APMU_E_PERF_PERMISSION, "event INST_RETIRED (0x0008): "},
        {ENOENT, APMU_E_PERF_EVENT, "event INST_RETIRED (0x0008): |No such file"},
        {EOPNOTSUPP, APMU_E_PERF_EVENT, "event INST_RETIRED (0x0008): |not supported"},
        {EINVAL, APMU_E_PERF_EVENT, "event INST_RETIRED (0x0008): |Invalid"},
        {ESRCH, APMU_E_PERF_TARGET, "thread 77: |no such thread"},
        {ENODEV, APMU_E_PERF_TARGET, "thread 77: "},
        {ENOSPC, APMU_E_PERF_GROUP, "wish 3|takes 2 of these"},
        {EMFILE, APMU_E_PERF_FILES, "session: no file descriptor|raise the limit"},
        {ENFILE, APMU_E_PERF_FILES, "session: "},
        {EBUSY, APMU_E_PERF_BUSY, "event INST_RETIRED"},
        {EIO, APMU_E_PERF_SYSTEM, "Input/output"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct apmu_perf_refusal no = {.event = APMU_EV_INST_RETIRED, .cpu = -1, .wish = 2, .counters = 2,
                                       .thread = 77};

        no.error = apmu_perf_error(&pmu, rows[i].system_error, true, &no);
        MUST(no.error == rows[i].error, "errno %d: error %d, not %d", rows[i].system_error, (int)no.error,
             (int)rows[i].error);
        MUST(says(no, rows[i].words), "%.200s", text);
    }
}

/* Returns true if this process has CAP_PERFMON or CAP_SYS_ADMIN. */
static bool is_capable(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    unsigned long long set = 0;
    char line[256];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "CapEff: %llx", &set);
    }
    if (file != NULL) {
        fclose(file);
    }
    return (set >> 38 & 1) != 0 || (set >> 21 & 1) != 0;
}

static void permission_names_the_value_and_the_one_it_needs(void)
{
    const bool any = is_capable();
    struct apmu_perf_refusal no = {.error = APMU_E_PERF_PERMISSION, .event = 8, .cpu = -1, .paranoid = 3, .needed = 2};

    MUST(says(no, "kernel.perf_event_paranoid is 3|an application|at most 2|CAP_SYS_ADMIN"), "%.200s", text);
    no.needed = 0;
    MUST(says(no, "at most 0|or to 2 and give the process CAP_PERFMON"), "%.200s", text);
    no.perfmon = true, no.needed = 2;
    MUST(says(no, "is 3, and above 2|CAP_SYS_ADMIN|perf_event_paranoid=2"), "%.200s", text);
    no.perfmon = false;
    no.paranoid = 2, no.needed = 1;
    MUST(says(no, "is 2|the kernel|at most 1|filter by P"), "%.200s", text);
    no.cpu = 3, no.needed = 0;
    MUST(says(no, "everything on a CPU|at most 0"), "%.200s", text);
    no = (struct apmu_perf_refusal){.error = APMU_E_PERF_PERMISSION, .cpu = -1, .paranoid = 1, .needed = 2,
                                    .thread = 5};
    MUST(says(no, "thread 5 is another's|CAP_SYS_PTRACE"), "%.200s", text);
    no.thread = 0;
    MUST(says(no, "seccomp|security module"), "%.200s", text);
    no.paranoid = 4, no.needed = INT32_MAX;
    MUST(says(no, "has the capability|seccomp|security module"), "%.200s", text);
    no.cpu = -1;
    MUST(apmu_perf_error(&pmu, EACCES, true, &no) == APMU_E_PERF_PERMISSION && no.needed == (any ? INT32_MAX : 2),
         "user only: %d", no.needed);
    MUST(apmu_perf_error(&pmu, EACCES, false, &no) == APMU_E_PERF_PERMISSION && no.needed == (any ? INT32_MAX : 1),
         "kernel: %d", no.needed);
    no.cpu = 0;
    MUST(apmu_perf_error(&pmu, EACCES, true, &no) == APMU_E_PERF_PERMISSION && no.needed == (any ? INT32_MAX : 0),
         "CPU: %d", no.needed);
}

static bool has_cpu(const char *cpus, unsigned cpu)
{
    struct apmu_perf_pmu pmu = {.listed = false};

    snprintf(pmu.cpus, sizeof pmu.cpus, "%s", cpus);
    return apmu_perf_has_cpu(&pmu, cpu);
}

static void a_cpu_of_another_kind_is_named(void)
{
    struct apmu_perf_refusal no = {.event = APMU_EV_INST_RETIRED, .cpu = 4};
    struct apmu_perf perf = {.pmu = {.name = "armv8_test", .cpus = "0-3"}};

    MUST(has_cpu("", 9) && has_cpu("0-3", 3) && has_cpu("0-1,5,7-8", 5) && has_cpu("0-1,5,7-8", 8), "a CPU of a list");
    MUST(!has_cpu("0-3", 4) && !has_cpu("0-1,5,7-8", 6) && !has_cpu("3", 0), "a CPU that is not");
    no.error = apmu_perf_error(&perf.pmu, ENOENT, true, &no);
    perf.refusal = no;
    apmu_perf_explain(&perf, text, sizeof text);
    MUST(no.error == APMU_E_PERF_TARGET && strstr(text, "CPU 4: ") != NULL && strstr(text, "armv8_test, 0-3") != NULL,
         "%.200s", text);
    no.cpu = 2;
    MUST(apmu_perf_error(&perf.pmu, ENOENT, true, &no) == APMU_E_PERF_EVENT, "its own CPU");
}

static void a_wish_that_perf_cannot_express_is_refused(void)
{
    const struct apmu_wish good = {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY};
    struct apmu_perf_pmu listing = {.listed = true, .pmceid = {UINT64_C(1) << APMU_EV_INST_RETIRED, 0}};
    struct apmu_perf_refusal no = {.cpu = -1};
    struct apmu_wish wish = good;

    wish.filter = APMU_FILTER(P) | APMU_FILTER(NSH);
    MUST(apmu_perf_check_wish(&listing, &wish, &no) == APMU_OK, "P and NSH");
    wish.filter |= APMU_FILTER(M) | APMU_FILTER(RLK);
    no.error = apmu_perf_check_wish(&listing, &wish, &no);
    MUST(no.error == APMU_E_PERF_FILTER && says(no, "event INST_RETIRED|M, RLK|by P, U and NSH"), "%.200s", text);
    wish = good, wish.counter = 3;
    no.error = apmu_perf_check_wish(&listing, &wish, &no);
    MUST(no.error == APMU_E_PERF_COUNTER && says(no, "any counter"), "%.200s", text);
    wish = good, wish.period = 9;
    no.error = apmu_perf_check_wish(&listing, &wish, &no);
    MUST(no.error == APMU_E_PERF_SAMPLING && says(no, "period 0"), "%.200s", text);
    wish = good, wish.threshold = APMU_PUT(PMEVTYPER_EL0, TH, 2);
    no.error = apmu_perf_check_wish(&listing, &wish, &no);
    MUST(no.error == APMU_E_THRESHOLD && says(no, "threshold"), "%.200s", text);
    wish = good, wish.event = APMU_EV_CHAIN;
    no.error = apmu_perf_check_wish(&listing, &wish, &no);
    MUST(no.error == APMU_E_CHAIN && says(no, "event CHAIN"), "%.200s", text);
    wish = good, wish.event = APMU_EV_L1D_CACHE;
    no.error = apmu_perf_check_wish(&listing, &wish, &no);
    MUST(no.error == APMU_E_NO_EVENT && says(no, "event L1D_CACHE (0x0004)|armv8_test|events|unlisted"), "%.200s",
         text);
    wish.unlisted = true;
    MUST(apmu_perf_check_wish(&listing, &wish, &no) == APMU_OK, "unlisted");
    wish.unlisted = false, listing.listed = false;
    MUST(apmu_perf_check_wish(&listing, &wish, &no) == APMU_OK, "a kernel that lists no events");
    wish = good, wish.event = 0x1234;
    MUST(apmu_perf_check_wish(&listing, &wish, &no) == APMU_OK, "an event of the core's own");
}

/* A session over a PMU that no machine has fails on every machine. */
static void no_session_without_a_pmu(void)
{
    const struct apmu_wish wish = {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY};
    const struct apmu_perf_pmu nobodys = {.name = "armv8_test", .type = 0x7FFFFFFF};
    const struct apmu_perf_options options = {.size = sizeof options, .pmu = &nobodys};
    struct apmu_session s;
    struct apmu_perf perf;
    struct apmu_reading out[1];
    size_t refused = 77;
    const enum apmu_error error = apmu_perf_session_open(&s, &perf, &options, &wish, 1, &refused);

    MUST(error != APMU_OK && perf.refusal.error == error, "error %d", (int)error);
    MUST(says(perf.refusal, ": "), "%.200s", text);
    MUST(apmu_session_start(&s) == APMU_E_STATE && apmu_session_read(&s, out) == APMU_E_STATE &&
         apmu_session_close(&s) == APMU_OK, "the session is not closed");
    MUST(apmu_perf_session_open(&s, &perf, &options, &wish, 0, &refused) == APMU_E_NO_COUNTER && refused == 0,
         "no wishes");
    MUST(apmu_perf_session_open(&s, &perf, &options, &wish, APMU_COUNTERS + 1, &refused) == APMU_E_NO_COUNTER,
         "more wishes than counters");
}

int main(void)
{
    make_devices();
    RUN(a_page_that_forbids_it_is_no_reading);
    RUN(an_index_beyond_the_cycle_counter_is_no_reading);
    RUN(a_width_that_is_none_is_no_reading);
    RUN(a_change_meanwhile_is_read_again);
    RUN(a_page_that_never_settles_is_no_reading);
    RUN(times_go_on_since_the_page_changed);
    defects();
    RUN(every_kind_of_core_is_found);
    RUN(every_refusal_of_the_kernel_has_a_meaning);
    RUN(permission_names_the_value_and_the_one_it_needs);
    RUN(a_cpu_of_another_kind_is_named);
    RUN(a_wish_that_perf_cannot_express_is_refused);
    RUN(no_session_without_a_pmu);
    RUN(remove_devices);
    return tap_status;
}
