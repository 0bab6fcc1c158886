/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks a program for its version. */
#define _GNU_SOURCE
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts `@path --version` with its output in the pipe @fds.  Returns its process id, or 0. */
static pid_t start(const char *path, const int fds[2])
{
    char *const argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t) "--version", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;

    if (posix_spawn_file_actions_init(&actions) != 0) {
        return 0;
    }
    if (posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO) != 0 ||
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) != 0 ||
        posix_spawn(&pid, path, &actions, NULL, argv, environ) != 0) {
        pid = 0;
    }
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

/* Reads @fd to its end, and keeps what fits. */
static void read_all(int fd, char *text, size_t size)
{
    size_t used = 0;
    char rest[512];
    ssize_t n;

    do {
        n = used + 1 < size ? read(fd, text + used, size - used - 1) : read(fd, rest, sizeof rest);
        if (n > 0 && used + 1 < size) {
            used += (size_t)n;
        }
    } while (n > 0 || (n < 0 && errno == EINTR));
    text[used] = '\0';
}

void version_ask(const char *path, char *text, size_t size)
{
    char line[512] = "";
    int fds[2];
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) == 0) {
        pid = start(path, fds);
        close(fds[1]);
        if (pid > 0) {
            read_all(fds[0], line, sizeof line);
            while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
            }
        }
        close(fds[0]);
    }
    line[strcspn(line, "\n(")] = '\0';
    for (size_t end = strlen(line); end > 0 && line[end - 1] == ' '; end--) {
        line[end - 1] = '\0';
    }
    snprintf(text, size, "%s", line[0] != '\0' ? line : "unknown");
}
