/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target, which is a file that defines LLVMFuzzerTestOneInput() and uses FUZZ_MAIN().  In `make check`
 * main() gives the target each file of its corpus whole, cut at every place, and changed at random.  In `make fuzz`,
 * which defines ARMPMU_FUZZ, libFuzzer calls the target.
 */
#ifndef ARMPMU_TEST_FUZZ_H
#define ARMPMU_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Parses an input.  Returns 0.  Calls abort() if what it promises does not hold. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef ARMPMU_FUZZ

#include <dirent.h>
#include <string.h>

/* The bytes of a file that are used, and the changed inputs that each file makes. */
enum { FUZZ_INPUT = 16384, FUZZ_CHANGED = 2000 };

static uint64_t fuzz_random = UINT64_C(88172645463325253);

/* Returns the next random number, by xorshift. */
static inline uint64_t fuzz_next(void)
{
    fuzz_random ^= fuzz_random << 13;
    fuzz_random ^= fuzz_random >> 7;
    fuzz_random ^= fuzz_random << 17;
    return fuzz_random;
}

/* Silences the complaints about thousands of inputs: standard error goes nowhere from the first call on. */
static inline void fuzz_quietly(void)
{
    static FILE *nowhere;

    if (nowhere == NULL) {
        nowhere = freopen("/dev/null", "w", stderr);
    }
}

/*
 * Gives an input whole, cut at every place and changed at random to the target.  Returns the number of calls.  @rounds
 * multiplies the changed inputs.
 */
static inline unsigned long fuzz_one(const uint8_t *data, size_t size, unsigned long rounds)
{
    uint8_t copy[FUZZ_INPUT];
    const unsigned long changed = size > 0 ? FUZZ_CHANGED * rounds : 0;

    for (size_t cut = 0; cut <= size; cut++) {
        LLVMFuzzerTestOneInput(data, cut);
    }
    for (unsigned long i = 0; i < changed; i++) {
        memcpy(copy, data, size);
        for (unsigned k = 0; k <= i % 8; k++) {
            copy[fuzz_next() % size] = fuzz_next() % 2 == 0 ? (uint8_t)fuzz_next() : copy[fuzz_next() % size];
        }
        LLVMFuzzerTestOneInput(copy, i % 4 == 0 ? (size_t)(fuzz_next() % (size + 1)) : size);
    }
    return (unsigned long)size + 1 + changed;
}

/*
 * Gives the files of the corpus in @folder to the target.  Returns the exit status, 1 if there is no file.
 * ARMPMU_ROUNDS=20 makes twenty times as many changed inputs as `make check`; a fraction, which other tests allow,
 * counts as 1.  ARMPMU_SEED, an integer, makes other changes.
 */
static inline int fuzz_corpus(const char *folder)
{
    const char *rounds = getenv("ARMPMU_ROUNDS"), *seed = getenv("ARMPMU_SEED");
    const unsigned long times = rounds != NULL && strchr(rounds, '/') == NULL ? strtoul(rounds, NULL, 10) : 1;
    DIR *dir = opendir(folder);
    unsigned long runs = 0, files = 0;

    /* The sum stays odd, because xorshift never leaves 0. */
    fuzz_random += seed != NULL ? strtoull(seed, NULL, 10) << 1 : 0;
    for (const struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        uint8_t data[FUZZ_INPUT];
        char path[512];
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (file != NULL) {
            const size_t size = fread(data, 1, sizeof data, file);

            fclose(file);
            files++;
            runs += fuzz_one(data, size, times);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    printf(files > 0 ? "ok %s: %lu inputs\n" : "not ok %s: %lu inputs, no corpus\n", folder, runs);
    return files > 0 ? 0 : 1;
}

/*
 * FUZZ_MAIN("test/fuzz/corpus/gdb") defines main(), which takes the corpus from that folder or from its first argument.
 * In a build for libFuzzer, which has a main() of its own, it defines nothing.
 */
#define FUZZ_MAIN(folder) \
    int main(int argc, char **argv) \
    { \
        return fuzz_corpus(argc > 1 ? argv[1] : folder); \
    }

#else

/* Does nothing: -close_fd_mask=2 of tools/fuzz.sh silences the target, and leaves libFuzzer its own reports. */
static inline void fuzz_quietly(void)
{
}

#define FUZZ_MAIN(folder)

#endif
#endif
