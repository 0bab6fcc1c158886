/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampled calls|threads|code: a program whose samples lie where its loops are.  Built with frame pointers.
 *
 *   calls    main() calls outer(), which calls inner(), which loops
 *   threads  a thread called "one" and one called "two", which does twice as much
 *   code     a loop in memory of no file, with its name in /tmp/perf-PID.map
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS 2000000ul

/* Loops: 2 instructions a round. */
__attribute__((noipa)) static void inner(unsigned long rounds)
{
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
}

__attribute__((noipa)) static void outer(unsigned long rounds)
{
    inner(rounds);
    __asm__ volatile(""); /* no tail call */
}

static void *work(void *name)
{
    pthread_setname_np(pthread_self(), name);
    inner(strcmp(name, "two") == 0 ? 2 * ROUNDS : ROUNDS);
    return NULL;
}

/* Runs two threads, one after the other. */
static void run_threads(void)
{
    static char names[2][4] = {"one", "two"};

    for (int i = 0; i < 2; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, work, names[i]) == 0) {
            pthread_join(thread, NULL);
        }
    }
}

/* Runs code that the program generates. */
static void run_code(void)
{
    static const uint32_t loop[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0}; /* subs x0, x0, #1; b.ne; ret */
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*function)(unsigned long);
    char path[64];

    if (code == MAP_FAILED) {
        return;
    }
    memcpy(code, loop, sizeof loop);
    __builtin___clear_cache(code, (char *)code + sizeof loop);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *file = fopen(path, "w");

    if (file == NULL || mprotect(code, 4096, PROT_READ | PROT_EXEC) != 0) {
        return;
    }
    fprintf(file, "%lx %lx generated_loop\n", (unsigned long)code, (unsigned long)sizeof loop);
    fclose(file);
    memcpy(&function, &code, sizeof function);
    function(ROUNDS);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "calls";

    if (strcmp(what, "threads") == 0) {
        run_threads();
    } else if (strcmp(what, "code") == 0) {
        run_code();
    } else {
        outer(ROUNDS);
    }
    return 0;
}
