/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does what processes do, for test_process.sh.  The first argument says what; the others are its arguments.
 *
 *   exec PROGRAM ARGS...     becomes the program
 *   execv PATH ARGS...       becomes PATH, which is not searched for
 *   fexec PROGRAM ARGS...    becomes it by a descriptor that exec closes (execveat)
 *   memfd PROGRAM ARGS...    becomes it by such a descriptor of a copy, a file without a name
 *   execat DIR NAME ARGS...  becomes NAME in DIR (execveat)
 *   later PROGRAM ARGS...    a child of a child becomes it when this process and the tool have ended
 *   drop PROGRAM ARGS...     becomes it as the user nobody
 *   spawn PROGRAM ARGS...    runs it in a child and waits
 *   env NAME                 prints a variable
 *   args ...                 prints argv[0] and the arguments
 *   exit N                   exits
 *   signal N                 sends itself a signal
 *   threads N ROUNDS         starts N threads of ROUNDS atomic additions each, all at once
 *   churn N                  starts N threads one after another, each by the one before
 *   late N                   maps memory shared, then starts N threads
 *   faults N                 recovers from a fault in a handler, N times, while other threads run
 *   forks N                  makes N children one after another, each of which does a little
 *   late-handlers N          makes N children one after another, each of which handles SIGSEGV while 8 threads make
 *                            system calls
 *   wait                     waits for ever
 *   deaf                     waits a second, without SIGTERM and SIGHUP
 *   after-stdin WHAT ARGS    waits for the end of its input, then does WHAT
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long total;
static long rounds;

/* Adds 1 to total.  In AArch64 this is one STADD, so the number of stores is known whatever the threads do. */
#ifdef __aarch64__
__attribute__((target("+lse"))) static void add_1(void)
{
    __asm__ volatile(".arch armv8.1-a\n stadd %0, [%1]" ::"r"(1L), "r"(&total) : "memory");
}
#else
static void add_1(void)
{
    __atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
}
#endif

static void *add(void *unused)
{
    for (long i = 0; i < rounds; i++) {
        add_1();
    }
    return unused;
}

static int run_threads(int n, long each)
{
    pthread_t threads[256];
    rounds = each;
    for (int i = 0; i < n; i++) {
        if (pthread_create(&threads[i], NULL, add, NULL) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("total %ld\n", total);
    return 0;
}

/* Starts the next thread, and waits for it, until @left threads have run. */
static void *chain(void *left)
{
    pthread_t next;
    rounds = 10;
    add(NULL);
    if ((long)left > 1 && pthread_create(&next, NULL, chain, (void *)((long)left - 1)) == 0) {
        pthread_join(next, NULL);
    }
    return NULL;
}

static sigjmp_buf back;
static volatile int stop;

static void recover(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

static void *busy(void *unused)
{
    while (!stop) {
        getppid();
    }
    return unused;
}

/* Recovers from @n faults while three other threads run. */
static int faults(int n)
{
    pthread_t threads[3];
    volatile int caught = 0;
    for (int i = 0; i < 3; i++) {
        pthread_create(&threads[i], NULL, busy, NULL);
    }
    signal(SIGSEGV, recover);
    for (volatile int i = 0; i < n; i++) {
        if (sigsetjmp(back, 1) == 0) {
            *(volatile int *)8 = 1;
        } else {
            caught++;
        }
    }
    stop = 1;
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("caught %d\n", caught);
    return 0;
}

static int forks(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int status;
        pid_t pid = fork();
        if (pid == 0) {
            _exit(i % 7);
        }
        waitpid(pid, &status, 0);
        sum += WEXITSTATUS(status);
    }
    printf("sum %d\n", sum);
    return 0;
}

/* Does the work of child @n of late_handlers(), which installs its handler at a moment that depends on @n. */
static int late_handler(int n)
{
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) {
        pthread_create(&threads[i], NULL, busy, NULL);
    }
    for (volatile int i = 0; i < n % 50 * 1000; i++) {
        continue;
    }
    signal(SIGSEGV, recover);
    if (n % 2 == 0) {
        _exit(0);
    }
    stop = 1;
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}

static int late_handlers(int n)
{
    int failed = 0, status = 0;
    for (int i = 0; i < n; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            _exit(late_handler(i));
        }
        waitpid(pid, &status, 0);
        failed += status != 0;
    }
    printf("failed %d\n", failed);
    return 0;
}

/* Becomes the program @argv in a grandchild, after this process and the tool have ended. */
static int later(char **argv)
{
    const pid_t parent = getpid();
    if (fork() != 0) {
        _exit(0);
    }
    while (getppid() == parent) {
        usleep(10000);
    }
    usleep(500000); /* for the tool to end */
    if (fork() != 0) {
        _exit(0);
    }
    execv(argv[0], argv);
    perror(argv[0]);
    return 77;
}

static int exec_at(int dir, const char *path, char **argv, int flags)
{
    extern char **environ;
    syscall(SYS_execveat, dir, path, argv, environ, flags);
    perror(argv[0]);
    return 77;
}

/* Returns the descriptor of a copy of @path in memory, or -1. */
static int memory_copy(const char *path)
{
    char buf[4096];
    int from = open(path, O_RDONLY), to = (int)syscall(SYS_memfd_create, "program", 1 /* MFD_CLOEXEC */);
    for (ssize_t n; (n = read(from, buf, sizeof buf)) > 0;) {
        if (write(to, buf, (size_t)n) != n) {
            return -1;
        }
    }
    close(from);
    return to;
}

static int spawn(char **argv)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

/* Does @what if that is to become or start another program.  Returns -1 if it is not. */
static int run_program(const char *what, char **argv)
{
    if (strcmp(what, "exec") == 0) {
        execvp(argv[0], argv);
        perror(argv[0]);
        return 77;
    }
    if (strcmp(what, "drop") == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
        return 76;
    }
    if (strcmp(what, "execv") == 0 || strcmp(what, "drop") == 0) {
        execv(argv[0], argv);
        perror(argv[0]);
        return 77;
    }
    if (strcmp(what, "later") == 0) {
        return later(argv);
    }
    if (strcmp(what, "fexec") == 0) {
        return exec_at(open(argv[0], O_RDONLY | O_CLOEXEC), "", argv, AT_EMPTY_PATH);
    }
    if (strcmp(what, "memfd") == 0) {
        return exec_at(memory_copy(argv[0]), "", argv, AT_EMPTY_PATH);
    }
    if (strcmp(what, "execat") == 0) {
        return exec_at(open(argv[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC), argv[1], argv + 1, 0);
    }
    return strcmp(what, "spawn") == 0 ? spawn(argv) : -1;
}

/* Does @what if that takes a number, @n.  Returns -1 if it does not. */
static int run_number(const char *what, int n, char **argv)
{
    if (strcmp(what, "exit") == 0) {
        return n;
    }
    if (strcmp(what, "signal") == 0) {
        return raise(n);
    }
    if (strcmp(what, "threads") == 0) {
        return run_threads(n, atol(argv[1]));
    }
    if (strcmp(what, "churn") == 0) {
        chain((void *)(long)n);
        printf("total %ld\n", total);
        return 0;
    }
    if (strcmp(what, "late") == 0) {
        int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        for (volatile int i = 0; i < 1000; i++) {
            shared[i % 100] += i;
        }
        return run_threads(n, 20000);
    }
    if (strcmp(what, "faults") == 0) {
        return faults(n);
    }
    if (strcmp(what, "forks") == 0) {
        return forks(n);
    }
    return strcmp(what, "late-handlers") == 0 ? late_handlers(n) : -1;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "after-stdin") == 0) {
        while (getchar() != EOF) {
            continue;
        }
        argv++;
        argc--;
    }
    const char *what = argc > 1 ? argv[1] : "";
    int status = argc > 2 ? run_program(what, argv + 2) : -1;

    if (status < 0 && argc > 2) {
        status = run_number(what, atoi(argv[2]), argv + 2);
    }
    if (status >= 0) {
        return status;
    }
    if (strcmp(what, "env") == 0) {
        return puts(getenv(argv[2]) ? getenv(argv[2]) : "(none)") < 0;
    }
    if (strcmp(what, "args") == 0) {
        for (int i = 0; i < argc; i++) {
            printf("[%s]", argv[i]);
        }
        puts("");
        return 0;
    }
    if (strcmp(what, "deaf") == 0) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        sleep(1);
        return 0;
    }
    if (strcmp(what, "wait") == 0) {
        for (;;) {
            pause();
        }
    }
    return 2;
}
