/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes code that lies in places of several kinds, for test_record.sh.  The first argument says which.
 *
 *   load LIBRARY...   loads each library with dlopen(), calls its function work() 1000 times, and unloads it
 *   race LIBRARY...   does the same in a thread for each library, 20 times, at the same time
 *   names KIND        makes /tmp/perf-PID.map a fifo, a link to a file of names, or a file of 1 GB, for the KIND fifo,
 *                     link or huge
 *   jit               generates functions at one place, each of which it calls 1000 times; maps other memory there and
 *                     does it once more; names the last of them in /tmp/perf-PID.map
 *   swap FILE...      maps each FILE at one place, one after another, and calls the code at its beginning 1000 times
 *   threads N         N threads, named worker-1 to worker-N, each of which calls its function 1000 times its number
 *   wait              executes code for ever
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CALLS 1000
#define PLACE ((void *)UINT64_C(0x700000000))
#define PLACE_SIZE 65536

/* Loads a library, calls its function, and unloads it.  Returns where the function was. */
static void *load_one(const char *path)
{
    void *library = dlopen(path, RTLD_NOW), *at = library != NULL ? dlsym(library, "work") : NULL;
    long (*work)(long) = NULL, sum = 0;

    if (at == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    *(void **)&work = at;
    for (int i = 0; i < CALLS; i++) {
        sum = work(sum);
    }
    dlclose(library);
    return at;
}

static long load(char **libraries)
{
    for (; *libraries != NULL; libraries++) {
        printf("%p\n", load_one(*libraries));
    }
    return 0;
}

static void *load_often(void *path)
{
    for (int i = 0; i < 20; i++) {
        load_one(path);
    }
    return NULL;
}

static long race(char **libraries)
{
    pthread_t threads[16];
    size_t n = 0;

    for (; libraries[n] != NULL && n < 16; n++) {
        if (pthread_create(&threads[n], NULL, load_often, libraries[n]) != 0) {
            perror("pthread_create");
            exit(1);
        }
    }
    while (n-- > 0) {
        pthread_join(threads[n], NULL);
    }
    return 0;
}

static long names(const char *kind)
{
    char path[64], target[80];
    int made;

    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    snprintf(target, sizeof target, "%s.names", path);
    if (strcmp(kind, "fifo") == 0) {
        made = mkfifo(path, 0600);
    } else {
        FILE *file = fopen(strcmp(kind, "link") == 0 ? target : path, "w");
        made = file != NULL && fprintf(file, "1000 8 name\n") > 0 ? 0 : -1;
        if (made == 0 && strcmp(kind, "huge") == 0) {
            made = ftruncate(fileno(file), 1 << 30);
        }
        if (file != NULL) {
            fclose(file);
        }
        if (made == 0 && strcmp(kind, "link") == 0) {
            made = symlink(target, path);
        }
    }
    return made;
}

/* Calls the function at @at, CALLS times. */
static long call(void *at)
{
    long (*function)(long) = NULL, sum = 0;

    *(void **)&function = at;
    for (int i = 0; i < CALLS; i++) {
        sum = function(sum);
    }
    return sum;
}

/* Maps @size bytes of @fd, or memory if that is -1, at PLACE. */
static void *map_place(int fd)
{
    void *at = mmap(PLACE, PLACE_SIZE, PROT_READ | PROT_EXEC | (fd < 0 ? PROT_WRITE : 0),
                    MAP_PRIVATE | MAP_FIXED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    if (at == MAP_FAILED) {
        perror("mmap");
        exit(1);
    }
    return at;
}

/* Generates functions that add 1, 2 and 3 at @at, and calls each. */
static long generate(uint32_t *at)
{
    long sum = 0;

    for (uint32_t n = 1; n <= 3; n++) {
        at[0] = 0x91000000 | n << 10; /* add x0, x0, #n */
        at[1] = 0xd65f03c0;           /* ret */
        __builtin___clear_cache((char *)at, (char *)(at + 2));
        sum += call(at);
    }
    return sum;
}

static long jit(void)
{
    char path[64];
    long sum = generate(map_place(-1));

    sum += generate(map_place(-1));
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE *names = fopen(path, "w");
    if (names != NULL) {
        fprintf(names, "%llx 8 adds three\nno line\n%llx 0 empty\n12", (unsigned long long)(uintptr_t)PLACE,
                (unsigned long long)(uintptr_t)PLACE);
        fclose(names);
    }
    return sum;
}

static long swap(char **files)
{
    long sum = 0;

    for (; *files != NULL; files++) {
        const int fd = open(*files, O_RDONLY);
        sum += call(map_place(fd));
        close(fd);
    }
    return sum;
}

__attribute__((noinline)) static long step(long sum)
{
    __asm__ volatile("add %0, %0, #1" : "+r"(sum));
    return sum;
}

static void *thread(void *argument)
{
    const long number = (long)(intptr_t)argument;
    char name[16];
    long sum = 0;

    snprintf(name, sizeof name, "worker-%ld", number);
    pthread_setname_np(pthread_self(), name);
    for (long i = 0; i < CALLS * number; i++) {
        sum = step(sum);
    }
    return (void *)(intptr_t)sum;
}

static long threads(long n)
{
    pthread_t *made = calloc((size_t)n, sizeof *made);
    long sum = 0;

    for (long i = 0; i < n; i++) {
        if (pthread_create(&made[i], NULL, thread, (void *)(intptr_t)(i + 1)) != 0) {
            perror("pthread_create");
            exit(1);
        }
    }
    for (long i = 0; i < n; i++) {
        void *result;
        pthread_join(made[i], &result);
        sum += (long)(intptr_t)result;
    }
    free(made);
    return sum;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long sum = -1;

    if (strcmp(what, "load") == 0) {
        sum = load(argv + 2);
    } else if (strcmp(what, "race") == 0) {
        sum = race(argv + 2);
    } else if (strcmp(what, "names") == 0 && argc > 2) {
        sum = names(argv[2]);
    } else if (strcmp(what, "jit") == 0) {
        sum = jit();
    } else if (strcmp(what, "swap") == 0) {
        sum = swap(argv + 2);
    } else if (strcmp(what, "threads") == 0 && argc > 2) {
        sum = threads(atol(argv[2]));
    } else if (strcmp(what, "wait") == 0) {
        for (sum = 0; sum >= 0;) {
            sum = step(sum) & 0xffff;
        }
    }
    printf("%ld\n", sum);
    return sum < 0;
}
