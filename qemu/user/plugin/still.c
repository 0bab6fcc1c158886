/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds still what system calls give back, so that two runs of a program do the same: time, random bytes, the name of
 * the kernel, the number of CPUs, what resources are in use.  When such a call ends well, its result in the program's
 * memory is replaced.  Plugins cannot change the value that a call returns.  What differs there, and what else the
 * plugin cannot hold, is noted in the image, and the tool names it.  It knows the calls of AArch64 programs.
 *
 * Time is a number that each look at a clock advances by a microsecond, and each sleep by its length.  It begins at
 * the same moment in each image.  So a loop that waits for a time ends, after the same number of rounds.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <string.h>
#include <sys/stat.h>

#define NS UINT64_C(1000000000)
#define LOOK_NS UINT64_C(1000)     /* what a look at a clock takes */
#define EPOCH_S UINT64_C(946684800) /* when the calendar's clock begins: 2000-01-01 */
#define BOOT_S UINT64_C(100)       /* when all others begin */
#define DESCRIPTORS 1024u

/* The system calls that are held still, as AArch64 Linux numbers them. */
enum {
    NR_EPOLL_PWAIT = 22,
    NR_OPENAT = 56,
    NR_CLOSE = 57,
    NR_GETDENTS64 = 61,
    NR_READ = 63,
    NR_PSELECT6 = 72,
    NR_PPOLL = 73,
    NR_NANOSLEEP = 101,
    NR_SETITIMER = 103,
    NR_TIMER_SETTIME = 110,
    NR_CLOCK_GETTIME = 113,
    NR_CLOCK_NANOSLEEP = 115,
    NR_SCHED_GETAFFINITY = 123,
    NR_TIMES = 153,
    NR_UNAME = 160,
    NR_GETRUSAGE = 165,
    NR_GETCPU = 168,
    NR_GETTIMEOFDAY = 169,
    NR_SYSINFO = 179,
    NR_CLONE = 220,
    NR_GETRANDOM = 278,
    NR_CLONE3 = 435,
};

#define CLOCK_IS_CALENDAR(clock) ((clock) == 0 || (clock) == 5 || (clock) == 11) /* REALTIME, _COARSE, TAI */
#define GUEST_TIMER_ABSTIME 1

/* The system call under way in this thread. */
struct pending {
    uint64_t a1, a2, a3;
    uint64_t sleep_ns; /* how long it may sleep */
    bool until;        /* sleep_ns is the time at which it ends */
    bool random;       /* it opens a file of random bytes */
};

static __thread struct pending pending;
static uint64_t now_ns, seed;
static uint64_t random_files[DESCRIPTORS / 64]; /* a bit for each descriptor */

static void note(uint32_t notes)
{
    __atomic_fetch_or(&plugin.image->head.notes, notes, __ATOMIC_RELAXED);
}

static bool is_random(uint64_t fd)
{
    return fd < DESCRIPTORS && (__atomic_load_n(&random_files[fd / 64], __ATOMIC_RELAXED) >> fd % 64 & 1) != 0;
}

static void set_random(uint64_t fd, bool random)
{
    const uint64_t bit = UINT64_C(1) << fd % 64;

    if (fd >= DESCRIPTORS) {
        return;
    }
    if (random) {
        __atomic_fetch_or(&random_files[fd / 64], bit, __ATOMIC_RELAXED);
    } else {
        __atomic_fetch_and(&random_files[fd / 64], ~bit, __ATOMIC_RELAXED);
    }
}

/* Returns the next of a fixed sequence of numbers that look random (splitmix64). */
static uint64_t next_random(void)
{
    uint64_t z = __atomic_add_fetch(&seed, UINT64_C(0x9e3779b97f4a7c15), __ATOMIC_RELAXED);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Replaces the @size bytes at @addr, which are random, by those of the fixed sequence. */
static void fill_random(uint64_t addr, uint64_t size)
{
    uint64_t words[64];

    while (size > 0) {
        const size_t part = size < sizeof words ? (size_t)size : sizeof words;

        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            words[i] = next_random();
        }
        if (!guest_write(addr, words, part)) {
            return;
        }
        addr += part;
        size -= part;
    }
}

/* Fills the @size bytes at @addr with zeros, but for the first, which become the @count bytes at @first. */
static void fill(uint64_t addr, size_t size, const void *first, size_t count)
{
    static const char zeros[256];

    for (size_t done = 0; done < size; done += sizeof zeros) {
        guest_write(addr + done, zeros, size - done < sizeof zeros ? size - done : sizeof zeros);
    }
    guest_write(addr, first, count);
}

static uint64_t look_at_clock(void)
{
    return __atomic_add_fetch(&now_ns, LOOK_NS, __ATOMIC_RELAXED);
}

/* Writes the time, in seconds and units of which a second has NS / @unit_ns, to @addr. */
static void write_time(uint64_t addr, uint64_t begin_s, uint64_t unit_ns)
{
    const uint64_t ns = look_at_clock(), time[2] = {begin_s + ns / NS, ns % NS / unit_ns};

    if (addr != 0) {
        guest_write(addr, time, sizeof time);
    }
}

/* Returns the nanoseconds of the timespec at @addr; 0 if there is none. */
static uint64_t read_time(uint64_t addr)
{
    uint64_t time[2];

    return addr != 0 && guest_read(addr, time, sizeof time) && time[0] < NS ? time[0] * NS + time[1] % NS : 0;
}

static void write_uname(uint64_t addr)
{
    static const char fields[6][65] = {"Linux", "localhost", "6.1.0", "#1 SMP", "aarch64", "(none)"};

    guest_write(addr, fields, sizeof fields);
}

/* Writes a machine with 8 GB of memory, half of it free, and one process: struct sysinfo. */
static void write_sysinfo(uint64_t addr)
{
    const uint64_t words[14] = {[0] = BOOT_S, [4] = UINT64_C(8) << 30, [5] = UINT64_C(4) << 30, [10] = 1, [13] = 1};

    guest_write(addr, words, 112);
}

/* Replaces the number of CPUs, of which a set of @size bytes was written, by one. */
static void write_cpus(uint64_t addr, uint64_t size)
{
    if (size <= 1024 * 1024) {
        fill(addr, (size_t)size, "\1", 1);
    }
}

static void write_cpu(uint64_t cpu, uint64_t node)
{
    const uint32_t zero = 0;

    if (cpu != 0) {
        guest_write(cpu, &zero, sizeof zero);
    }
    if (node != 0) {
        guest_write(node, &zero, sizeof zero);
    }
}

static bool opens_random(uint64_t path)
{
    char text[16];

    return guest_string(path, text, sizeof text) &&
           (strcmp(text, "/dev/urandom") == 0 || strcmp(text, "/dev/random") == 0);
}

/* Notes a read of @got bytes if it may give another number of bytes in another run. */
static void after_read(uint64_t fd, uint64_t addr, uint64_t size, uint64_t got)
{
    struct stat st;

    if (is_random(fd)) {
        fill_random(addr, got);
    } else if (got > 0 && got < size && fstat((int)fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) {
        note(APMU_NOTE_LOOSE_PIPE);
    }
}

/* Lets the time pass that the call under way may have slept. */
static void pass_sleep(void)
{
    if (!pending.until) {
        __atomic_add_fetch(&now_ns, pending.sleep_ns, __ATOMIC_RELAXED);
    } else if (pending.sleep_ns > __atomic_load_n(&now_ns, __ATOMIC_RELAXED)) {
        __atomic_store_n(&now_ns, pending.sleep_ns, __ATOMIC_RELAXED);
    }
}

/* Finds out until when clock_nanosleep with @clock and @flags sleeps, or how long. */
static void begin_sleep(uint64_t clock, uint64_t flags, uint64_t addr)
{
    const uint64_t begin_ns = (CLOCK_IS_CALENDAR(clock) ? EPOCH_S : BOOT_S) * NS, time = read_time(addr);

    pending.until = (flags & GUEST_TIMER_ABSTIME) != 0;
    pending.sleep_ns = !pending.until ? time : time > begin_ns ? time - begin_ns : 0;
}

static bool holds(void)
{
    return plugin.setup->deterministic && plugin.kind == APMU_PROGRAM_AARCH64;
}

void still_enter(int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5)
{
    if (!holds()) {
        return;
    }
    pending = (struct pending){.a1 = a1, .a2 = a2, .a3 = a3};
    switch (num) {
    case NR_OPENAT: pending.random = opens_random(a2); break;
    case NR_NANOSLEEP: pending.sleep_ns = read_time(a1); break;
    case NR_CLOCK_NANOSLEEP: begin_sleep(a1, a2, a3); break;
    case NR_PPOLL: pending.sleep_ns = read_time(a3); break;
    case NR_PSELECT6: pending.sleep_ns = read_time(a5); break;
    case NR_EPOLL_PWAIT: pending.sleep_ns = (int32_t)a4 > 0 ? (uint64_t)(int32_t)a4 * (NS / 1000) : 0; break;
    case NR_GETDENTS64: note(APMU_NOTE_LOOSE_FOLDER); break;
    case NR_TIMES: note(APMU_NOTE_LOOSE_TIMES); break;
    case NR_SETITIMER:
    case NR_TIMER_SETTIME: note(APMU_NOTE_LOOSE_TIMER); break;
    default: break;
    }
}

/* Replaces what a call gave back that ended well, with @ret. */
static void replace(int64_t num, const struct pending *p, uint64_t ret)
{
    const uint64_t used[2] = {0, look_at_clock() / 1000};

    switch (num) {
    case NR_CLOCK_GETTIME: write_time(p->a2, CLOCK_IS_CALENDAR(p->a1) ? EPOCH_S : BOOT_S, 1); break;
    case NR_GETTIMEOFDAY: write_time(p->a1, EPOCH_S, 1000); break;
    case NR_GETRANDOM: fill_random(p->a1, ret); break;
    case NR_READ: after_read(p->a1, p->a2, p->a3, ret); break;
    case NR_OPENAT: set_random(ret, p->random); break;
    case NR_CLOSE: set_random(p->a1, false); break;
    case NR_UNAME: write_uname(p->a1); break;
    case NR_SYSINFO: write_sysinfo(p->a1); break;
    case NR_SCHED_GETAFFINITY: write_cpus(p->a3, ret); break;
    case NR_GETCPU: write_cpu(p->a1, p->a2); break;
    case NR_GETRUSAGE: fill(p->a2, 144, used, sizeof used); break;
    case NR_TIMES: fill(p->a1, p->a1 != 0 ? 32 : 0, used, p->a1 != 0 ? 8 : 0); break;
    case NR_NANOSLEEP:
    case NR_CLOCK_NANOSLEEP: pass_sleep(); break;
    case NR_PPOLL:
    case NR_PSELECT6:
    case NR_EPOLL_PWAIT:
        if (ret == 0) {
            pass_sleep();
        }
        break;
    case NR_CLONE:
    case NR_CLONE3:
        if (ret == 0) { /* the child of fork: its random numbers are others than its parent's */
            next_random();
            __atomic_store_n(&seed, next_random(), __ATOMIC_RELAXED);
        }
        break;
    default: break;
    }
}

void still_leave(int64_t num, int64_t ret)
{
    if (holds() && ret >= 0) {
        replace(num, &pending, (uint64_t)ret);
    }
}

void still_watch(uint32_t word)
{
    /* MRS of CNTPCT_EL0, CNTVCT_EL0, CNTPCTSS_EL0 and CNTVCTSS_EL0. */
    const uint32_t system = word & 0xffffffe0;

    if (holds() && (system == 0xd53be020 || system == 0xd53be040 || system == 0xd53be0a0 || system == 0xd53be0c0)) {
        note(APMU_NOTE_LOOSE_COUNTER);
    }
}
