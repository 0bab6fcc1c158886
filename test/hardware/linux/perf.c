/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the perf_event back end on a real kernel, as root in the guest (test_guest.sh).  Time is counted in
 * instructions there, so counts are exact.  "perf missing" expects that there is no PMU.  "perf as-user PROGRAM..."
 * runs PROGRAM as user 1000.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <armpmu/events.h>
#include <armpmu/perf.h>

#include "../../lib/tap.h"

#define USER APMU_FILTER(P)
#define COUNTERS 6u /* the event counters of QEMU's CPUs */
#define DEVICES "/sys/bus/event_source/devices"

static struct apmu_session s;
static struct apmu_perf perf;
static struct apmu_reading out[APMU_COUNTERS];
static char text[512];

/* Executes 2 * @n instructions. */
static __attribute__((noinline)) void loop(uint64_t n)
{
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
}

static void set(const char *sysctl, const char *value)
{
    char path[128];
    int fd;

    snprintf(path, sizeof path, "/proc/sys/kernel/%s", sysctl);
    fd = open(path, O_WRONLY);
    MUST(fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value), "%s", path);
    close(fd);
}

static struct apmu_wish wish(uint16_t event, uint64_t filter)
{
    return (struct apmu_wish){.event = event, .counter = APMU_COUNTER_ANY, .filter = filter};
}

static const struct apmu_perf_options *with(uint32_t flags)
{
    static struct apmu_perf_options options;

    options = (struct apmu_perf_options){.size = sizeof options, .flags = flags};
    return &options;
}

/* Opens @count wishes for INST_RETIRED at EL0. */
static enum apmu_error open_count(size_t count, const struct apmu_perf_options *options)
{
    struct apmu_wish wishes[APMU_COUNTERS];

    for (size_t i = 0; i < count; i++) {
        wishes[i] = wish(APMU_EV_INST_RETIRED, USER);
    }
    const enum apmu_error error = apmu_perf_session_open(&s, &perf, options, wishes, count, NULL);

    apmu_perf_explain(&perf, text, sizeof text);
    return error;
}

static enum apmu_error open_wish(struct apmu_wish w, const struct apmu_perf_options *options)
{
    const enum apmu_error error = apmu_perf_session_open(&s, &perf, options, &w, 1, NULL);

    apmu_perf_explain(&perf, text, sizeof text);
    return error;
}

/* Returns what the first event counts from start to stop, with @n rounds of the loop between. */
static uint64_t region(uint64_t n)
{
    const uint64_t before = apmu_session_read(&s, out) == APMU_OK ? out[0].count : 0;

    MUST(apmu_session_start(&s) == APMU_OK, "start");
    loop(n);
    MUST(apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK, "stop and read");
    MUST(out[0].valid && !out[0].scaled && out[0].enabled == out[0].running && out[0].enabled != 0,
         "valid %d, scaled %d, %llu of %llu ns", out[0].valid, out[0].scaled, (unsigned long long)out[0].running,
         (unsigned long long)out[0].enabled);
    return out[0].count - before;
}

#define OPEN(call) MUST((call) == APMU_OK, "%.200s", text)
/*
 * REFUSED(open_count(7, NULL), APMU_E_PERF_GROUP, "wish 7") checks that the call returns APMU_E_PERF_GROUP and leaves
 * the session closed, and that the explanation has the words "wish 7".
 */
#define REFUSED(call, error, words) \
    do { \
        const enum apmu_error error_ = (call); \
        MUST(error_ == (error) && s.state == APMU_SESSION_CLOSED, "error %d", (int)error_); \
        MUST(strstr(text, words) != NULL, "\"%.150s\" without \"%s\"", text, words); \
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------
 * Counts.
 */

static void a_known_loop_is_counted_exactly(void)
{
    OPEN(open_count(1, NULL));
    MUST(!perf.direct && strstr(perf.indirect, "kernel.perf_user_access is 0") != NULL, "direct: %s", perf.indirect);
    const uint64_t empty = region(1);

    MUST_EQ(region(1000001) - empty, 2000000, "a million rounds more");
    MUST_EQ(region(1), empty, "the same again");
    MUST(empty < 100, "start and stop count %llu of the program's instructions", (unsigned long long)empty);
    MUST(apmu_session_reset(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK, "reset");
    MUST_EQ(out[0].count, 0, "count after reset");
    MUST_EQ(out[0].enabled, 0, "time after reset");
    MUST_EQ(region(501) - empty, 1000, "after reset");
    MUST(apmu_session_close(&s) == APMU_OK, "close");
}

static void a_group_counts_at_the_same_times(void)
{
    struct apmu_wish wishes[COUNTERS + 1];

    for (unsigned i = 0; i <= COUNTERS; i++) {
        wishes[i] = wish(i == COUNTERS ? APMU_EV_CPU_CYCLES : APMU_EV_INST_RETIRED, USER);
    }
    MUST(apmu_perf_session_open(&s, &perf, NULL, wishes, COUNTERS + 1, NULL) == APMU_OK, "open");
    region(12345);
    for (unsigned i = 1; i <= COUNTERS; i++) {
        MUST_EQ(out[i].count, out[0].count, "event %u", i); /* a cycle is an instruction here */
    }
    MUST_EQ(perf.groups, 1, "groups");
    apmu_session_close(&s);
}

/* Checks that 0x0108 is not counted as INST_RETIRED, as PMUv3_plugin does, which keeps event numbers in 8 bits. */
static void event_numbers_have_sixteen_bits(void)
{
    static const uint16_t numbers[] = {0x108, 0x4008, 0x8008};

    for (unsigned i = 0; i < 3; i++) {
        struct apmu_wish w = wish(numbers[i], USER);

        w.unlisted = true;
        OPEN(open_wish(w, NULL));
        region(1000);
        MUST_EQ(out[0].count, 0, "event 0x%04X", numbers[i]);
        apmu_session_close(&s);
    }
}

static void a_group_that_does_not_fit_is_refused(void)
{
    char words[64];

    snprintf(words, sizeof words, "it is wish %u, and the kernel takes %u of these at once", COUNTERS + 1, COUNTERS);
    REFUSED(open_count(COUNTERS + 1, NULL), APMU_E_PERF_GROUP, words);
    MUST_EQ(perf.refusal.wish, COUNTERS, "wish");
}

static void what_shares_counters_is_scaled(void)
{
    const uint64_t rounds = 60000000;

    OPEN(open_count(COUNTERS + 3, with(APMU_PERF_MULTIPLEX)));
    MUST_EQ(perf.groups, 2, "groups");
    MUST(!perf.direct, "it reads directly");
    MUST(apmu_session_start(&s) == APMU_OK, "start");
    loop(rounds);
    MUST(apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK, "stop and read");
    for (unsigned i = 0; i < COUNTERS + 3; i++) {
        const double error = (double)out[i].count / (double)(2 * rounds) - 1;

        MUST(out[i].valid && out[i].scaled && out[i].running < out[i].enabled && out[i].running > out[i].enabled / 4,
             "event %u: %llu of %llu ns", i, (unsigned long long)out[i].running, (unsigned long long)out[i].enabled);
        MUST(error < 0.03 && error > -0.03, "event %u: off by %f", i, error);
        MUST(out[i].raw < out[i].count, "event %u: raw %llu", i, (unsigned long long)out[i].raw);
    }
    apmu_session_close(&s);
}

static void what_multiplexing_allows_but_does_not_need_is_exact(void)
{
    OPEN(open_count(COUNTERS, with(APMU_PERF_MULTIPLEX)));
    MUST_EQ(perf.groups, 1, "groups");
    const uint64_t empty = region(1);

    MUST_EQ(region(30001) - empty, 60000, "30000 rounds");
    apmu_session_close(&s);
}

static void a_session_that_loses_its_counters_says_so(void)
{
    struct apmu_session first;
    static struct apmu_perf first_perf;
    struct apmu_wish wishes[COUNTERS];

    for (unsigned i = 0; i < COUNTERS; i++) {
        wishes[i] = wish(APMU_EV_INST_RETIRED, USER);
    }
    MUST(apmu_perf_session_open(&first, &first_perf, NULL, wishes, COUNTERS, NULL) == APMU_OK, "open");
    MUST(apmu_session_start(&first) == APMU_OK, "start");
    OPEN(open_count(2, NULL));
    MUST(apmu_session_start(&s) == APMU_OK, "start the second");
    MUST(apmu_session_read(&s, out) == APMU_E_PERF_LOST && !out[0].valid, "the second counts: %llu",
         (unsigned long long)out[0].count);
    apmu_session_close(&s);
    apmu_session_close(&first);
}

static void levels_are_filtered(void)
{
    OPEN(open_wish(wish(APMU_EV_INST_RETIRED, APMU_FILTER(U)), NULL));
    const uint64_t kernel = region(1000000);

    apmu_session_close(&s);
    MUST(kernel < 100000 && kernel > 100, "the kernel alone: %llu", (unsigned long long)kernel);
    OPEN(open_wish(wish(APMU_EV_INST_RETIRED, 0), NULL));
    const uint64_t both = region(1000000);

    apmu_session_close(&s);
    MUST(both > 2000200 && both < 2100000, "both: %llu", (unsigned long long)both);
    REFUSED(open_wish(wish(APMU_EV_INST_RETIRED, APMU_FILTER(M)), NULL), APMU_E_PERF_FILTER, "no such filter as M");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Direct reads.
 */

static uint64_t direct_region(uint64_t n)
{
    uint64_t before[APMU_COUNTERS], after[APMU_COUNTERS];
    const bool first = apmu_perf_read_direct(&perf, before);

    loop(n);
    const bool second = apmu_perf_read_direct(&perf, after);

    MUST(first && second, "not direct");
    return after[0] - before[0];
}

static void the_counters_are_read_directly(void)
{
    uint64_t counts[APMU_COUNTERS], empty;

    set("perf_user_access", "1");
    OPEN(open_count(4, NULL));
    MUST(perf.direct && perf.indirect[0] == '\0', "not direct: %s", perf.indirect);
    MUST(!apmu_perf_read_direct(&perf, counts), "a reading while it stands still");
    const uint64_t calls = region(1000); /* by read(2), because it is stopped */
    MUST(calls > 2000 && calls < 2200, "by calls: %llu", (unsigned long long)calls);

    MUST(apmu_session_start(&s) == APMU_OK, "start");
    empty = direct_region(1);
    MUST_EQ(direct_region(1000001) - empty, 2000000, "a million rounds more");
    MUST_EQ(direct_region(1), empty, "the same again");
    MUST(empty < 4 * 50, "a reading of 4 counters takes %llu instructions", (unsigned long long)empty);

    /* Both ways see the same counts, except for what is executed between them. */
    MUST(apmu_session_read(&s, out) == APMU_OK && apmu_perf_read_direct(&perf, counts), "read");
    for (unsigned i = 0; i < 4; i++) {
        MUST(counts[i] > out[i].count && counts[i] - out[i].count < 2000, "event %u: %llu, then %llu", i,
             (unsigned long long)out[i].count, (unsigned long long)counts[i]);
    }
    MUST(out[0].enabled == out[0].running && out[0].enabled > 0 && !out[0].scaled, "times of a direct reading");
    MUST(apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK, "stop and read");
    MUST(out[0].count >= counts[0] && out[0].count - counts[0] < 2000, "stopped: %llu after %llu",
         (unsigned long long)out[0].count, (unsigned long long)counts[0]);
    apmu_session_close(&s);
}

static void a_direct_session_needs_no_system_call(void)
{
    OPEN(open_wish(wish(APMU_EV_INST_RETIRED, APMU_FILTER(U)), NULL)); /* the kernel's instructions */
    MUST(perf.direct && apmu_session_start(&s) == APMU_OK, "start");
    const uint64_t empty = direct_region(1);

    apmu_session_close(&s);
    MUST_EQ(empty, 0, "instructions of the kernel between two direct reads");
}

static void direct_counts_survive_other_counters(void)
{
    struct apmu_session other;
    static struct apmu_perf other_perf;
    const struct apmu_wish w = wish(APMU_EV_INST_RETIRED, USER);
    uint64_t before[APMU_COUNTERS], after[APMU_COUNTERS], index;

    /* The first session has counter 0.  When it closes and others open, the kernel may move the second session. */
    MUST(apmu_perf_session_open(&other, &other_perf, NULL, &w, 1, NULL) == APMU_OK, "open");
    OPEN(open_count(1, NULL));
    MUST(apmu_session_start(&other) == APMU_OK && apmu_session_start(&s) == APMU_OK, "start");
    MUST(apmu_perf_read_direct(&perf, before), "read");
    index = perf.events[0].page->index;
    apmu_session_close(&other);
    usleep(1000); /* another turn on the CPU: the kernel assigns the counters again */
    loop(1000);
    MUST(apmu_perf_read_direct(&perf, after), "read");
    MUST(after[0] - before[0] > 2000 && after[0] - before[0] < 4000, "%llu, index %llu then %u",
         (unsigned long long)(after[0] - before[0]), (unsigned long long)index, perf.events[0].page->index);
    MUST(perf.events[0].page->index != index, "it stayed on counter %llu", (unsigned long long)index - 1);
    apmu_session_close(&s);
}

static void *other_thread(void *arg)
{
    uint64_t counts[APMU_COUNTERS];
    bool *ok = arg;

    loop(100000);
    *ok = !apmu_perf_read_direct(&perf, counts) && apmu_session_read(&s, out) == APMU_OK;
    return NULL;
}

/* Checks that a thread which is not measured reads by system calls, because its PE's counters are not the session's. */
static void another_thread_reads_by_calls(void)
{
    pthread_t thread;
    bool ok = false;

    OPEN(open_count(1, NULL));
    MUST(apmu_session_start(&s) == APMU_OK, "start");
    MUST(pthread_create(&thread, NULL, other_thread, &ok) == 0 && pthread_join(thread, NULL) == 0 && ok, "thread");
    MUST(out[0].valid && out[0].count > 100 && out[0].count < 20000, "it saw %llu", (unsigned long long)out[0].count);
    apmu_session_close(&s);
}

static void sixty_four_bits_are_direct_where_the_pmu_has_them(const char *cpu)
{
    struct apmu_wish wide = wish(APMU_EV_INST_RETIRED, USER);

    wide.wide = true;
    OPEN(open_wish(wide, NULL));
    const uint64_t empty = region(1);

    MUST_EQ(region(5001) - empty, 10000, "5000 rounds");
    if (strcmp(cpu, "cortex-a57") == 0) {
        MUST(!perf.direct && strstr(perf.indirect, "64 bits") != NULL, "a pair was read directly");
    } else {
        MUST(perf.direct, "not direct: %s", perf.indirect);
        MUST(apmu_session_start(&s) == APMU_OK, "start");
        MUST_EQ(perf.events[0].page->pmc_width, 64, "width");
    }
    apmu_session_close(&s);
}

static const char *cpu_name;
static void sixty_four_bits(void)
{
    sixty_four_bits_are_direct_where_the_pmu_has_them(cpu_name);
}

static void what_is_not_the_threads_own_is_not_direct(void)
{
    OPEN(open_count(1, with(APMU_PERF_INHERIT)));
    MUST(!perf.direct && strstr(perf.indirect, "inherits") != NULL, "inherit: %s", perf.indirect);
    MUST(apmu_session_start(&s) == APMU_OK, "start");
    const pid_t child = fork();

    if (child == 0) {
        loop(1000000);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    MUST(apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK, "read");
    MUST(out[0].count > 2000000 && out[0].count < 2100000, "with the child %llu", (unsigned long long)out[0].count);
    MUST(apmu_session_reset(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK && out[0].count == 0, "reset");
    apmu_session_close(&s);
    OPEN(open_count(1, with(APMU_PERF_NO_DIRECT)));
    MUST(!perf.direct && strstr(perf.indirect, "options") != NULL, "no direct: %s", perf.indirect);
    apmu_session_close(&s);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Other threads and CPUs.
 */

static void another_process_and_a_cpu_are_counted(void)
{
    struct apmu_perf_options options = {.size = sizeof options};
    int go[2];
    char c = 0;

    MUST(pipe(go) == 0, "pipe");
    const pid_t child = fork();

    if (child == 0) {
        const bool told = read(go[0], &c, 1) == 1;

        loop(500000);
        _exit(!told);
    }
    options.thread = child;
    OPEN(open_count(1, &options));
    MUST(!perf.direct, "direct");
    MUST(apmu_session_start(&s) == APMU_OK && write(go[1], &c, 1) == 1, "start");
    waitpid(child, NULL, 0);
    MUST(apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK, "read");
    MUST(out[0].count > 1000000 && out[0].count < 1001000, "the child: %llu", (unsigned long long)out[0].count);
    apmu_session_close(&s);
    REFUSED(open_count(1, &options), APMU_E_PERF_TARGET, "no such thread");
    close(go[0]), close(go[1]);

    options = (struct apmu_perf_options){.size = sizeof options, .flags = APMU_PERF_CPU};
    OPEN(open_count(1, &options));
    MUST(apmu_session_start(&s) == APMU_OK, "start");
    const pid_t busy = fork();

    if (busy == 0) {
        loop(500000);
        _exit(0);
    }
    waitpid(busy, NULL, 0);
    MUST(apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK, "read");
    MUST(out[0].count > 1000000 && out[0].count < 1100000, "the CPU: %llu", (unsigned long long)out[0].count);
    apmu_session_close(&s);
    options.cpu = 7;
    REFUSED(open_count(1, &options), APMU_E_PERF_TARGET, "CPU 7: ");
    options.cpu = 100000;
    REFUSED(open_count(1, &options), APMU_E_PERF_TARGET, "CPU 100000: ");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Refusals.
 */

static void an_unsupported_event_is_refused(void)
{
    REFUSED(open_wish(wish(APMU_EV_L1D_CACHE, USER), NULL), APMU_E_NO_EVENT,
            "event L1D_CACHE (0x0004): the kernel does "
            "not list it among the events of armv8_");
    struct apmu_wish anyway = wish(APMU_EV_L1D_CACHE, USER);

    anyway.unlisted = true; /* the kernel accepts it and it counts nothing, so the driver must ask first */
    OPEN(open_wish(anyway, NULL));
    region(1000);
    MUST_EQ(out[0].count, 0, "L1D_CACHE");
    apmu_session_close(&s);
    REFUSED(open_wish(wish(APMU_EV_SW_INCR, USER), NULL), APMU_E_NO_EVENT, "event SW_INCR");
}

static bool become_user(void)
{
    return setgid(1000) == 0 && setuid(1000) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0; /* /proc is the user's again */
}

/* Opens a session as user 1000 in a child process.  The child prints a failure as MUST() does, and exits. */
static void refused_as_user(const char *paranoid, uint64_t filter, uint32_t flags, const char *words)
{
    int status = 1;

    set("perf_event_paranoid", paranoid);
    const pid_t child = fork();

    if (child == 0) {
        if (!become_user()) {
            _exit(2);
        }
        const enum apmu_error error = open_wish(wish(APMU_EV_INST_RETIRED, filter), with(flags));

        if (words == NULL ? error != APMU_OK : error != APMU_E_PERF_PERMISSION || strstr(text, words) == NULL) {
            printf("# paranoid %s: error %d: %s\n", paranoid, (int)error, text);
            fflush(stdout);
            _exit(1);
        }
        _exit(0);
    }
    waitpid(child, &status, 0);
    set("perf_event_paranoid", "3");
    MUST(status == 0, "paranoid %s, filter 0x%llx: see above", paranoid, (unsigned long long)filter);
}

static void perf_event_paranoid_is_named(void)
{
    refused_as_user("3", USER, 0, "is 3, and to count an application it may be at most 2");
    refused_as_user("2", USER, 0, NULL);
    refused_as_user("2", 0, 0, "is 2, and to count the kernel it may be at most 1");
    refused_as_user("1", 0, 0, NULL);
    refused_as_user("1", USER, APMU_PERF_CPU, "is 1, and to count everything on a CPU it may be at most 0");
    refused_as_user("0", USER, APMU_PERF_CPU, NULL);
}

static void no_descriptor_is_left(void)
{
    struct rlimit old, low;

    getrlimit(RLIMIT_NOFILE, &old);
    low = old;
    low.rlim_cur = 5;
    setrlimit(RLIMIT_NOFILE, &low);
    REFUSED(open_count(COUNTERS, NULL), APMU_E_PERF_FILES, "no file descriptor is left");
    setrlimit(RLIMIT_NOFILE, &old);
    OPEN(open_count(COUNTERS, NULL)); /* what was open has been closed */
    apmu_session_close(&s);
    low.rlim_cur = 3;
    setrlimit(RLIMIT_NOFILE, &low);
    REFUSED(open_count(1, NULL), APMU_E_PERF_FILES, "no file descriptor is left");
    setrlimit(RLIMIT_NOFILE, &old);
}

static void put(const char *path, const char *content)
{
    const int fd = open(path, O_WRONLY | O_CREAT, 0644);

    MUST(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content), "%s", path);
    close(fd);
}

/* Makes sysfs show two kinds of cores, whose devices both lead to the one PMU.  Checks that one must be named. */
static void one_of_two_kinds_of_cores_must_be_named(void)
{
    struct apmu_perf_pmu real, pmus[2];
    struct apmu_perf_options options = {.size = sizeof options, .pmu = &pmus[1]};
    char type[16];

    MUST_EQ(apmu_perf_pmus(&real, 1), 1, "PMUs");
    MUST(mount("none", DEVICES, "tmpfs", 0, NULL) == 0, "mount");
    snprintf(type, sizeof type, "%u\n", real.type);
    mkdir(DEVICES "/armv8_cortex_a53", 0755), put(DEVICES "/armv8_cortex_a53/type", type);
    mkdir(DEVICES "/armv8_cortex_a72", 0755), put(DEVICES "/armv8_cortex_a72/type", type);
    MUST_EQ(apmu_perf_pmus(pmus, 2), 2, "PMUs");
    REFUSED(open_count(1, NULL), APMU_E_PERF_PMUS, "a PMU of its own: armv8_cortex_a53, armv8_cortex_a72; name one");
    OPEN(open_count(1, &options));
    MUST(strcmp(perf.pmu.name, "armv8_cortex_a72") == 0, "%s", perf.pmu.name);
    region(1);
    apmu_session_close(&s);
    umount(DEVICES);
}

static void a_missing_pmu_is_named(void)
{
    struct apmu_perf_pmu pmu;

    MUST_EQ(apmu_perf_pmus(&pmu, 1), 0, "PMUs");
    REFUSED(open_count(1, NULL), APMU_E_PERF_PMU, "PMU: the kernel has no PMU of an Arm core; ");
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "as-user") == 0 && become_user()) {
        execvp(argv[2], argv + 2);
        return 127;
    }
    setvbuf(stdout, NULL, _IONBF, 0);
    cpu_name = argc > 1 ? argv[1] : "";
    if (strcmp(cpu_name, "missing") == 0) {
        RUN(a_missing_pmu_is_named);
        return tap_status;
    }
    RUN(a_known_loop_is_counted_exactly);
    RUN(a_group_counts_at_the_same_times);
    RUN(event_numbers_have_sixteen_bits);
    RUN(a_group_that_does_not_fit_is_refused);
    RUN(what_shares_counters_is_scaled);
    RUN(what_multiplexing_allows_but_does_not_need_is_exact);
    RUN(a_session_that_loses_its_counters_says_so);
    RUN(levels_are_filtered);
    RUN(the_counters_are_read_directly);
    RUN(a_direct_session_needs_no_system_call);
    RUN(direct_counts_survive_other_counters);
    RUN(another_thread_reads_by_calls);
    RUN(sixty_four_bits);
    RUN(what_is_not_the_threads_own_is_not_direct);
    RUN(another_process_and_a_cpu_are_counted);
    RUN(an_unsupported_event_is_refused);
    RUN(perf_event_paranoid_is_named);
    RUN(no_descriptor_is_left);
    RUN(one_of_two_kinds_of_cores_must_be_named);
    return tap_status;
}
