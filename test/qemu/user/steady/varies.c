/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does work that depends on what differs from run to run.  The argument says on what: time, a time loop, random
 * numbers, a file of random bytes, process ids, the name of a temporary file, addresses, the environment, the number of
 * CPUs.  Without one it depends on all of them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

/* Takes a number of rounds that depends on all bits of @value. */
static void work(uint64_t value)
{
    for (uint64_t i = value * UINT64_C(0x9e3779b97f4a7c15) >> 52; i > 0; i--) {
        sink++;
    }
}

static void on_time(void)
{
    struct timespec t;
    struct timeval v;
    struct rusage used;

    clock_gettime(CLOCK_REALTIME, &t);
    work((uint64_t)t.tv_nsec);
    clock_gettime(CLOCK_MONOTONIC, &t);
    work((uint64_t)t.tv_nsec);
    gettimeofday(&v, NULL);
    work((uint64_t)v.tv_usec);
    getrusage(RUSAGE_SELF, &used);
    work((uint64_t)used.ru_utime.tv_usec + (uint64_t)used.ru_maxrss);
    srand((unsigned)time(NULL));
    work((uint64_t)rand());
}

static void on_loop(void)
{
    struct timespec begin, now, pause = {0, 2000000};

    clock_gettime(CLOCK_MONOTONIC, &begin);
    nanosleep(&pause, NULL);
    do {
        sink++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 4000000);
}

static void on_random(void)
{
    uint64_t value = 0;

    if (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) {
        abort();
    }
    work(value);
}

static void on_file(void)
{
    uint64_t value = 0;
    int fd = open("/dev/urandom", O_RDONLY);

    if (fd < 0 || read(fd, &value, sizeof value) != (ssize_t)sizeof value) {
        abort();
    }
    close(fd);
    work(value);
}

static void on_process(void)
{
    work((uint64_t)getpid());
    work((uint64_t)getppid() + (uint64_t)gettid());
}

static void on_temporary(void)
{
    char name[] = "/tmp/varies.XXXXXX";
    uint64_t value;
    int fd = mkstemp(name);

    if (fd < 0) {
        abort();
    }
    close(fd);
    unlink(name);
    memcpy(&value, name + sizeof name - 7, 6);
    work(value & UINT64_C(0xffffffffffff));
}

static void on_addresses(void)
{
    int local;

    work((uintptr_t)&local);
    work((uintptr_t)&sink);
    work((uintptr_t)malloc(100));
    work((uintptr_t)malloc(1 << 20));
    work((uintptr_t)sbrk(0));
}

static void on_surroundings(void)
{
    extern char **environ;
    struct utsname name;

    for (char **e = environ; *e != NULL; e++) {
        work(strlen(*e));
    }
    uname(&name);
    for (const char *c = name.nodename; *c != '\0'; c++) {
        work((uint64_t)*c);
    }
}

static void on_cpus(void)
{
    cpu_set_t set;

    work(sched_getaffinity(0, sizeof set, &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 0);
    work((uint64_t)sched_getcpu());
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*depend)(void);
    } all[] = {
        {"time", on_time}, {"loop", on_loop}, {"random", on_random}, {"file", on_file}, {"process", on_process},
        {"temporary", on_temporary}, {"addresses", on_addresses}, {"surroundings", on_surroundings},
        {"cpus", on_cpus},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (argc < 2 || strcmp(argv[1], all[i].name) == 0) {
            all[i].depend();
        }
    }
    return 0;
}
