/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * as HOW COMMAND...: runs a command in the guest as somebody whom Linux does not let count freely.
 *
 *   user       as user 1000, without capabilities
 *   container  with a seccomp filter that refuses perf_event_open(), as container runtimes have it
 *   crowd      while this process counts with all event counters of CPU 0, pinned, as a profiler of the system does
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Refuses perf_event_open() from now on, in this process and all that it executes. */
static int refuse_perf(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

/* Opens an event that counts all of CPU 0 on every event counter, for as long as this process lives. */
static int take_counters(unsigned type, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct perf_event_attr attr = {.size = PERF_ATTR_SIZE_VER0, .type = type, .config = 8, .pinned = 1};

        if (syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC) < 0) {
            return 1;
        }
    }
    return 0;
}

/* Runs the command and returns its exit status. */
static int run(char **command)
{
    const pid_t pid = fork();
    int status = 0;

    if (pid == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

int main(int argc, char **argv)
{
    int failed = argc < 3;

    if (!failed && strcmp(argv[1], "user") == 0) {
        failed = setgid(1000) != 0 || setuid(1000) != 0;
    } else if (!failed && strcmp(argv[1], "container") == 0) {
        failed = refuse_perf();
    } else if (!failed && strcmp(argv[1], "crowd") == 0) {
        FILE *file = fopen("/sys/bus/event_source/devices/armv8_pmuv3/type", "r");
        unsigned type = 0;

        failed = file == NULL || fscanf(file, "%u", &type) != 1 || take_counters(type, 6);
    } else {
        failed = 1;
    }
    if (failed) {
        fprintf(stderr, "as: %s\n", strerror(errno));
        return 125;
    }
    return run(argv + 2);
}
