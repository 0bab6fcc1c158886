/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the emulator, waits for it, and frees what a run took. */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIGNAL_MS 100 /* between looks at apmu_run_options.signalled while the emulator starts */
#define TIDY_MS 1000  /* between additions of the files of processes that ended, while waiting */

extern char **environ;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t timeval_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static const char *emulator(const struct apmu_run *run)
{
    return run->found.emulator[run->found.kind].path;
}

/*
 * Makes the command line of the emulator: pointers to the strings of @run and @opt, to @spec and to @preload.  Returns
 * NULL if there is no memory.
 */
static char **command(const struct apmu_run *run, const struct apmu_run_options *opt, char *spec, char *preload)
{
    size_t count = 0;
    while (opt->argv[count] != NULL) {
        count++;
    }
    char **argv = calloc(count + 16, sizeof *argv);
    if (argv == NULL) {
        return NULL;
    }
    size_t n = 0;
    const struct apmu_emulator *qemu = &run->found.emulator[run->found.kind];
    argv[n++] = (char *)(uintptr_t)qemu->path;
    if (qemu->sysroot[0] != '\0') {
        argv[n++] = (char *)(uintptr_t) "-L";
        argv[n++] = (char *)(uintptr_t)qemu->sysroot;
    }
    if (run->deterministic) {
        argv[n++] = (char *)(uintptr_t) "-seed";
        argv[n++] = (char *)(uintptr_t)APMU_STILL_SEED;
    }
    if (run->deterministic && run->found.kind == APMU_PROGRAM_AARCH64) {
        argv[n++] = (char *)(uintptr_t) "-R";
        argv[n++] = (char *)(uintptr_t)APMU_STILL_SPACE;
    }
    if (run->found.shim[0] != '\0') {
        argv[n++] = (char *)(uintptr_t) "-E";
        argv[n++] = preload;
    }
    argv[n++] = (char *)(uintptr_t) "-0";
    argv[n++] = opt->argv[0];
    argv[n++] = (char *)(uintptr_t) "-plugin";
    argv[n++] = spec;
    argv[n++] = (char *)(uintptr_t)run->found.program;
    for (size_t i = 1; i < count; i++) {
        argv[n++] = opt->argv[i];
    }
    return argv;
}

/*
 * Copies the environment without QEMU_PLUGIN, which would load a second plugin and be seen by the program.  Returns
 * NULL if there is no memory.
 */
static char **environment(void)
{
    size_t count = 0, n = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **envp = calloc(count + 1, sizeof *envp);
    for (size_t i = 0; envp != NULL && i < count; i++) {
        if (strncmp(environ[i], "QEMU_PLUGIN=", 12) != 0) {
            envp[n++] = environ[i];
        }
    }
    return envp;
}

/*
 * Becomes the emulator, in the child.  The emulator inherits @ready, which the plugin closes once the image is there.
 * If execve fails, its errno is written to @ready.  If the tool is killed, so is the emulator; processes that the
 * program started live on, as with perf stat.
 */
static _Noreturn void become_emulator(const char *qemu, char **argv, char **envp, int ready, pid_t tool)
{
    /* In a pid namespace of its own it has no parent. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() != tool && getppid() != 0) {
        _exit(128 + SIGKILL); /* the tool was killed already */
    }
    if (fcntl(ready, F_SETFD, 0) == 0) {
        execve(qemu, argv, envp);
    }
    int error = errno;
    ssize_t n = write(ready, &error, sizeof error);
    _exit(n == (ssize_t)sizeof error ? 127 : 126);
}

/* Waits until the plugin closes @fd or the child is gone, and refuses if no image was published. */
static bool wait_ready(struct apmu_run *run, const struct apmu_run_options *opt, int fd, struct apmu_refusal *no)
{
    int error = 0;
    struct pollfd p = {fd, POLLIN, 0};
    while (poll(&p, 1, SIGNAL_MS) <= 0) {
        const int number = opt->signalled != NULL ? *opt->signalled : 0;
        if (number != 0) {
            return host_refuse(no, 128 + number, "%s: %s before the program began\nstart it again", emulator(run),
                               strsignal(number));
        }
    }
    ssize_t n = read(fd, &error, sizeof error);
    if (n > 0) {
        return host_refuse(no, 3, "%s: the emulator cannot be executed: %s\nname another in %s", emulator(run),
                           strerror(error), run->found.variable);
    }
    struct image_totals all = {0};
    const bool a64 = run->found.kind == APMU_PROGRAM_AARCH64;
    if (!totals_collect(run, false, &all)) {
        *no = run->lost;
        return false;
    }
    if (all.processes == 0) {
        return host_refuse(no, 3,
                           "%s: the emulator did not take the plugin %s; its message is above\n"
                           "name an emulator in %s that has plugin interface %s3 to 7: %s"
                           "QEMU 9.1 to 11.1, or the one that make qemu-user builds",
                           emulator(run), run->found.plugin, run->found.variable, a64 ? "1, " : "",
                           a64 ? "Debian 12's qemu-user, QEMU 4.2 to 8.2, " : "");
    }
    return true;
}

/* Starts the emulator in a child, and waits until its image is there. */
static bool start_child(struct apmu_run *run, const struct apmu_run_options *opt, struct apmu_refusal *no)
{
    char spec[4 * APMU_PATH + 64], preload[APMU_PATH + 16];
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) {
        return host_refuse(no, 3, "pipe: %s\n%s", strerror(errno), shared_cure(errno));
    }
    size_t length = apmu_plugin_option(spec, sizeof spec - 32, run->found.plugin, run->dir);
    snprintf(spec + length, sizeof spec - length, ",ready=%d", fds[1]);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", run->found.shim);
    char **argv = command(run, opt, spec, preload);
    char **envp = run->deterministic ? apart_environment(opt->variables) : environment();

    const pid_t tool = getpid();
    run->start_ns = now_ns();
    if (argv != NULL && envp != NULL) {
        run->pid = run->deterministic ? apart_fork(run) : fork();
    } else {
        run->pid = -1;
    }
    if (run->pid == 0) {
        become_emulator(emulator(run), argv, envp, fds[1], tool);
    }
    int error = errno;
    close(fds[1]);
    free(argv);
    free(envp);
    bool ok = run->pid > 0 ? wait_ready(run, opt, fds[0], no)
                           : host_refuse(no, 3, "fork: %s\nend other processes, or raise their limit", strerror(error));
    close(fds[0]);
    return ok;
}

/* Names the root of QEMU_LD_PREFIX, which the environment of a deterministic run lacks.  Returns true. */
static bool keep_prefix(struct apmu_run *run)
{
    const char *prefix = getenv("QEMU_LD_PREFIX");
    for (int kind = 0; run->deterministic && prefix != NULL && kind < APMU_PROGRAM_KINDS; kind++) {
        char *sysroot = run->found.emulator[kind].sysroot;
        if (sysroot[0] == '\0') {
            snprintf(sysroot, APMU_PATH, "%s", prefix);
        }
    }
    return true;
}

struct apmu_run *apmu_run_start(const struct apmu_run_options *opt, struct apmu_refusal *no)
{
    memset(no, 0, sizeof *no);
    if (opt->size != sizeof *opt) {
        host_refuse(no, 2, "struct apmu_run_options: .size is %u\nset it to the structure's size, %zu",
                    (unsigned)opt->size, sizeof *opt);
        return NULL;
    }
    struct apmu_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        host_refuse(no, 3, "out of memory\n");
        return NULL;
    }
    run->pidfd = run->dirfd = run->lock = run->setup_fd = run->shapes_fd = run->code_fd = -1;
    run->outcomes = opt->outcomes;
    run->el0 = opt->el0_pmu != NULL;
    run->deterministic = opt->deterministic;
    run->alive = -1;
    if (opt->record && !record_begin(run)) {
        host_refuse(no, 3, "out of memory\nend other programs");
        apmu_run_free(run);
        return NULL;
    }
    if (!cores_plan(run, opt, no) || !graph_plan(run, opt, no) || !host_find_files(opt, &run->found, no) ||
        !keep_prefix(run) ||
        !shared_create(run, opt, no) || !start_child(run, opt, no)) {
        apmu_run_free(run);
        return NULL;
    }
    run->gains = apmu_program_gains(run->found.program);
    run->pidfd = (int)syscall(SYS_pidfd_open, run->pid, 0);
    return run;
}

/* Waits at most @ms milliseconds for the child to end, or for ever if @ms is negative.  Returns false if it has not. */
static bool wait_child(struct apmu_run *run, int ms)
{
    uint64_t deadline = now_ns() + (uint64_t)(ms < 0 ? 0 : ms) * 1000000u;
    for (;;) {
        struct rusage used;
        int status;
        pid_t pid = wait4(run->pid, &status, WNOHANG, &used);
        if (pid == run->pid || (pid < 0 && errno != EINTR)) {
            run->status.ended = true;
            run->status.elapsed_ns = now_ns() - run->start_ns;
            run->status.wait_status = pid == run->pid ? status : 0;
            if (pid == run->pid) {
                run->status.user_ns = timeval_ns(used.ru_utime);
                run->status.system_ns = timeval_ns(used.ru_stime);
            }
            return true;
        }
        uint64_t now = now_ns();
        if (ms >= 0 && now >= deadline) {
            return false;
        }
        uint64_t left = ms < 0 ? TIDY_MS : (deadline - now + 999999) / 1000000;
        struct pollfd p = {run->pidfd, POLLIN, 0};
        /* A signal to the caller ends poll(), and the loop goes on.  Without a pidfd the child is polled. */
        poll(&p, run->pidfd >= 0 ? 1 : 0, run->pidfd >= 0 ? (int)(left < TIDY_MS ? left : TIDY_MS) : left < 2 ? 1 : 2);
        if (ms < 0 || left > TIDY_MS) {
            struct image_totals ignored = {0};
            totals_collect(run, false, &ignored);
        }
    }
}

void apmu_run_wait(struct apmu_run *run, int timeout_ms, struct apmu_run_status *st)
{
    if (!run->status.ended) {
        wait_child(run, timeout_ms);
    }
    struct image_totals all = {0};
    totals_collect(run, run->status.ended, &all);
    *st = run->status;
    if (!st->ended) {
        st->elapsed_ns = now_ns() - run->start_ns;
    }
    st->processes = all.processes;
    st->threads = all.threads;
    st->execs = all.execs;
    st->plugin_interface = all.interface;
    st->emulator = emulator(run);
    totals_remark(run, &all, st->remarks, sizeof st->remarks);
}

bool apmu_run_totals(struct apmu_run *run, uint64_t totals[APMU_SOURCE_COUNT], uint64_t *core,
                     struct apmu_refusal *no)
{
    struct image_totals all = {0};
    if (!totals_collect(run, run->status.ended, &all)) {
        *no = run->lost;
        return false;
    }
    if (run->status.ended && WIFEXITED(run->status.wait_status) && all.counts[APMU_SOURCE_INST_RETIRED] == 0) {
        return host_refuse(no, 3,
                           "%s: the emulator ended before the program's first instruction; its message is above\n"
                           "mend what it says, or name another emulator in %s",
                           emulator(run), run->found.variable);
    }
    for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
        bool wanted = apmu_source_info[s].cost != APMU_COST_OUTCOME || (run->outcomes >> s & 1);
        totals[s] = wanted ? all.counts[s] : 0;
    }
    for (size_t i = 0; i < run->core_event_count && core != NULL; i++) {
        core[i] = all.core[i];
    }
    return true;
}

int apmu_run_pid(const struct apmu_run *run)
{
    return (int)run->pid;
}

void apmu_run_free(struct apmu_run *run)
{
    if (run == NULL) {
        return;
    }
    if (run->pid > 0 && !run->status.ended) {
        kill(run->pid, SIGKILL);
        waitpid(run->pid, NULL, 0);
    }
    if (run->pidfd >= 0) {
        close(run->pidfd);
    }
    apart_end(run);
    shared_remove(run);
    record_end(run);
    graph_free(run);
    free(run);
}
