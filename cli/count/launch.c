/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the program, or finds the threads that run already, and waits for their end. */
#define _GNU_SOURCE
#include "launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)
/* The intervals at which launch_wait() looks whether what is counted has ended. */
#define LOOK_MS   100    /* for the threads of --pid and --tid, whose end sends no signal */
#define SIGNAL_MS 100000 /* for anything else, whose end sends one */

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint64_t timeval_ns(struct timeval t)
{
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * 1000;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Threads that run already.
 */

static void add_thread(struct launch *l, pid_t thread)
{
    l->threads = cli_allocate(l->threads, l->thread_count + 1, sizeof *l->threads);
    l->threads[l->thread_count++] = thread;
}

/* Adds every thread of process @pid.  Returns false if there is no such process. */
static bool add_process(struct launch *l, pid_t pid)
{
    char path[64];
    DIR *dir;
    const struct dirent *entry;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    dir = opendir(path);
    if (dir == NULL) {
        return false;
    }
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            add_thread(l, (pid_t)strtol(entry->d_name, NULL, 10));
        }
    }
    closedir(dir);
    return true;
}

/* Adds thread @thread.  Returns false if there is no such thread. */
static bool add_one_thread(struct launch *l, pid_t thread)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d", (int)thread);
    if (access(path, F_OK) != 0) {
        return false;
    }
    add_thread(l, thread);
    return true;
}

/*
 * Calls @add for each id of @list, "12,34"; NULL is an empty list.  @option, "pid" or "tid", and @what, "process" or
 * "thread", are for complaints.  Returns CLI_YES, or the exit status after a complaint.
 */
static int add_ids(struct launch *l, const struct count_job *job, const char *option, const char *what,
                   const char *list, bool (*add)(struct launch *l, pid_t id))
{
    while (list != NULL) {
        char *end;
        const long id = strtol(list, &end, 10);

        if (list[0] < '0' || list[0] > '9' || (*end != '\0' && *end != ',') || id < 1 || id > INT32_MAX) {
            cli_complain(job->verb, "--%s: %s is not a list of ids; give numbers with commas between", option,
                         list);
            return CLI_USAGE;
        }
        if (!add(l, (pid_t)id)) {
            cli_complain(job->verb, "%s %ld: there is none; see ps for those that run", what, id);
            return CLI_CANNOT;
        }
        list = *end == ',' ? end + 1 : NULL;
    }
    return CLI_YES;
}

/* Returns whether any of the threads still runs. */
static bool any_runs(const struct launch *l)
{
    for (size_t i = 0; i < l->thread_count; i++) {
        if (kill(l->threads[i], 0) == 0 || errno == EPERM) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The program.
 */

/*
 * Waits, in the child, until a byte can be read from the pipe @may_go, and then executes the program.  If that fails,
 * writes errno to the pipe @failed.
 */
static _Noreturn void become_program(const struct launch *l, char *const *argv, int may_go, int failed)
{
    char c;
    int error;

    sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
    if (read(may_go, &c, 1) != 1) {
        _exit(CLI_CANNOT); /* launch_end() came first */
    }
    execvp(argv[0], argv);
    error = errno;
    _exit(write(failed, &error, sizeof error) == (ssize_t)sizeof error ? 127 : 126);
}

/* Makes the child, which becomes the program when launch_go() writes to its pipe. */
static int make_child(struct launch *l, const struct count_job *job)
{
    int go[2], failed[2];

    if (pipe2(go, O_CLOEXEC) != 0) {
        cli_complain(job->verb, "pipe: %s; close files, or raise the limit of open files", strerror(errno));
        return CLI_CANNOT;
    }
    if (pipe2(failed, O_CLOEXEC) != 0) {
        cli_complain(job->verb, "pipe: %s; close files, or raise the limit of open files", strerror(errno));
        close(go[0]);
        close(go[1]);
        return CLI_CANNOT;
    }
    l->pid = fork();
    if (l->pid == 0) {
        close(go[1]);
        close(failed[0]);
        become_program(l, job->argv, go[0], failed[1]);
    }
    close(go[0]);
    close(failed[1]);
    l->go = go[1];
    l->failed = failed[0];
    if (l->pid < 0) {
        l->pid = 0;
        cli_complain(job->verb, "fork: %s; end other processes, or raise their limit", strerror(errno));
        return CLI_CANNOT;
    }
    return CLI_YES;
}

int launch_prepare(struct launch *l, const struct count_job *job)
{
    int status = CLI_YES;

    *l = (struct launch){.go = -1, .failed = -1, .status = {.method = "", .remarks = ""}};
    sigemptyset(&l->waited);
    if (!job->lasting) {
        sigaddset(&l->waited, SIGCHLD);
    }
    if (!job->lasting && job->argv[0] == NULL) { /* without a program these signals end counting */
        sigaddset(&l->waited, SIGINT);
        sigaddset(&l->waited, SIGTERM);
        sigaddset(&l->waited, SIGHUP);
    }
    l->watch_threads = job->argv[0] == NULL && (job->pids != NULL || job->tids != NULL);
    sigprocmask(SIG_BLOCK, &l->waited, &l->old_mask);
    if (job->pids != NULL) {
        status = add_ids(l, job, "pid", "process", job->pids, add_process);
    }
    if (status == CLI_YES && job->tids != NULL) {
        status = add_ids(l, job, "tid", "thread", job->tids, add_one_thread);
    }
    return status == CLI_YES && job->argv[0] != NULL ? make_child(l, job) : status;
}

int launch_go(struct launch *l, const struct count_job *job)
{
    int error = 0;
    ssize_t n;

    l->start_ns = now_ns();
    if (l->pid == 0) {
        return CLI_YES;
    }
    if (write(l->go, "", 1) != 1) {
        cli_complain(job->verb, "%s: its process is gone; try again", job->argv[0]);
        return CLI_CANNOT;
    }
    do {
        n = read(l->failed, &error, sizeof error);
    } while (n < 0 && errno == EINTR);
    if (n <= 0) { /* exec closed the pipe */
        return CLI_YES;
    }
    waitpid(l->pid, NULL, 0);
    l->status.ended = true;
    if (error == ENOENT || error == ENOTDIR) {
        cli_complain(job->verb, "%s: no such program%s; check the name, or give its path", job->argv[0],
                     strchr(job->argv[0], '/') == NULL ? " in PATH" : "");
        return 127;
    }
    cli_complain(job->verb, "%s: cannot be executed: %s; name a program of this machine, and make it executable",
                 job->argv[0], strerror(error));
    return 126;
}

/* Notes that what is counted has ended.  @used is the processor time of the program, or NULL. */
static void end_with(struct launch *l, int wait_status, const struct rusage *used)
{
    l->status.ended = true;
    l->status.wait_status = wait_status;
    l->status.elapsed_ns = now_ns() - l->start_ns;
    if (used != NULL) {
        l->status.user_ns = timeval_ns(used->ru_utime);
        l->status.system_ns = timeval_ns(used->ru_stime);
    }
}

/* Looks whether what is counted has ended, and notes it. */
static void look(struct launch *l)
{
    struct rusage used = {0};
    int status = 0;
    const pid_t ended = l->pid == 0 ? 0 : wait4(l->pid, &status, WNOHANG, &used);

    if (ended != 0 && !(ended < 0 && errno == EINTR)) { /* wait4() fails if SIGCHLD was ignored on entry: ended too */
        end_with(l, status, &used);
    } else if (l->interrupted || (l->watch_threads && !any_runs(l))) {
        end_with(l, 0, NULL);
    }
}

void launch_wait(struct launch *l, int timeout_ms, struct count_status *status)
{
    const uint64_t until = now_ns() + (uint64_t)(timeout_ms < 0 ? 0 : timeout_ms) * NS_PER_MS;

    while (!l->status.ended) {
        uint64_t now, left = (l->watch_threads ? LOOK_MS : SIGNAL_MS) * NS_PER_MS;
        int signal_number;

        look(l);
        now = now_ns();
        if (l->status.ended || (timeout_ms >= 0 && now >= until)) {
            break;
        }
        if (timeout_ms >= 0 && until - now < left) {
            left = until - now;
        }
        signal_number = sigtimedwait(&l->waited, NULL, &(struct timespec){.tv_sec = (time_t)(left / NS_PER_S),
                                                                          .tv_nsec = (long)(left % NS_PER_S)});
        l->interrupted |= signal_number > 0 && signal_number != SIGCHLD;
    }
    if (!l->status.ended) {
        l->status.elapsed_ns = now_ns() - l->start_ns;
    }
    *status = l->status;
}

void launch_end(struct launch *l)
{
    if (l->go >= 0) {
        close(l->go);
        close(l->failed);
    }
    if (l->pid != 0 && !l->status.ended) {
        kill(l->pid, SIGKILL);
        waitpid(l->pid, NULL, 0);
    }
    free(l->threads);
    sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
}
