/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts a process whose process ids and environment do not depend on the machine, for a deterministic run.
 *
 *      the tool ----- fork ----> a helper, which enters a new pid namespace and ends
 *         |                         |
 *         |-- child of the tool <---|-- process 1 of the namespace: waits for the tool, and for the last process
 *         `-- child of the tool <---'-- process 2: becomes the emulator
 *
 * Both are made with CLONE_PARENT, so the tool waits for the emulator as for any child.  A user who may not make a pid
 * namespace makes a user namespace first, in which he remains the user who he is.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the helper tells the tool. */
struct apart_news {
    pid_t first, second; /* the processes as the tool knows them; 0: there is none */
    int error;           /* the errno for which there is no namespace; 0: there is one */
};

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

/* Enters a user namespace in which user and group are what they are, and then a pid namespace. */
static bool enter_as_user(void)
{
    const unsigned user = geteuid(), group = getegid();
    char users[64], groups[64];

    snprintf(users, sizeof users, "%u %u 1", user, user);
    snprintf(groups, sizeof groups, "%u %u 1", group, group);
    return unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0 && write_file("/proc/self/setgroups", "deny") &&
           write_file("/proc/self/uid_map", users) && write_file("/proc/self/gid_map", groups);
}

static pid_t make_sibling(void)
{
    return (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL);
}

/*
 * Is process 1: waits until the tool closes the other end of @alive or ends, and then until no process is left.  It
 * holds no other file open, because others wait for the end of pipes.
 */
static _Noreturn void be_first(int alive)
{
    const int limit = (int)sysconf(_SC_OPEN_MAX);
    char byte;

    dup2(alive, 0);
    for (int fd = 1; fd < (limit > 0 && limit < 65536 ? limit : 65536); fd++) {
        close(fd);
    }
    signal(SIGCHLD, SIG_IGN); /* processes that lose their parent are not waited for */
    while (read(0, &byte, 1) < 0 && errno == EINTR) {
    }
    while (kill(-1, 0) == 0 || errno != ESRCH) {
        usleep(50000);
    }
    _exit(0);
}

/* Is the helper: makes both processes.  Returns in process 2 alone. */
static void help(const int alive[2], int news_fd)
{
    struct apart_news news = {0};

    if (unshare(CLONE_NEWPID) != 0 && !enter_as_user()) {
        news.error = errno != 0 ? errno : EPERM;
    } else {
        news.first = make_sibling();
        if (news.first == 0) {
            be_first(alive[0]);
        }
        news.second = news.first < 0 ? -1 : make_sibling();
        if (news.second == 0) {
            return;
        }
        news.error = news.second < 0 ? errno : 0;
    }
    _exit(write(news_fd, &news, sizeof news) == (ssize_t)sizeof news ? 0 : 1);
}

pid_t apart_fork(struct apmu_run *run)
{
    struct apart_news news = {.error = EPIPE};
    int alive[2], pipes[2];
    pid_t helper;

    if (pipe2(alive, O_CLOEXEC) != 0) {
        return -1;
    }
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        close(alive[0]);
        close(alive[1]);
        return -1;
    }
    helper = fork();
    if (helper == 0) {
        help(alive, pipes[1]);
        return 0;
    }
    close(pipes[1]);
    close(alive[0]);
    if (helper > 0) {
        while (read(pipes[0], &news, sizeof news) < 0 && errno == EINTR) {
        }
        while (waitpid(helper, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    close(pipes[0]);
    run->alive = alive[1];
    run->first = news.first > 0 ? news.first : 0;
    run->apart_error = news.error;
    return news.error == 0 ? news.second : fork();
}

void apart_end(struct apmu_run *run)
{
    if (run->alive >= 0) {
        close(run->alive);
        run->alive = -1;
    }
    /* Processes that the program left behind keep process 1; the kernel reaps it with the tool's other children. */
    for (int i = 0; run->first > 0 && i < 100 && waitpid(run->first, NULL, WNOHANG) == 0; i++) {
        usleep(500);
    }
    run->first = 0;
}

/* Returns whether one of the first @count variables of @envp has the name that @variable has. */
static bool is_set(char *const *envp, size_t count, const char *variable)
{
    const size_t length = strcspn(variable, "=");

    for (size_t i = 0; i < count; i++) {
        if (strncmp(envp[i], variable, length) == 0 && envp[i][length] == '=') {
            return true;
        }
    }
    return false;
}

char **apart_environment(const char *const *variables)
{
    static const char *const fixed[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "LC_ALL=C", "TZ=UTC0"};
    const size_t fixed_count = sizeof fixed / sizeof fixed[0];
    size_t count = 0, n = 0;

    while (variables != NULL && variables[count] != NULL) {
        count++;
    }
    char **envp = calloc(count + fixed_count + 1, sizeof *envp);
    for (size_t i = 0; envp != NULL && i < count; i++) {
        if (!is_set(envp, n, variables[i])) {
            envp[n++] = (char *)(uintptr_t)variables[i];
        }
    }
    for (size_t i = 0; envp != NULL && i < fixed_count; i++) {
        if (!is_set(envp, n, fixed[i])) {
            envp[n++] = (char *)(uintptr_t)fixed[i];
        }
    }
    return envp;
}
