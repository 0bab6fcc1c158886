/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the plugin's reader of ELF files, which looks for the beginnings of functions: they are sorted. */
#define _GNU_SOURCE
#include "../../qemu/user/plugin/functions.c"

#include <stdio.h>
#include <sys/mman.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int fd = memfd_create("functions", MFD_CLOEXEC);
    char path[64];
    size_t count = 0;

    if (fd < 0) {
        return 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, data, size) == (ssize_t)size) {
        uint64_t *found = functions_of(path, &count);
        for (size_t i = 1; i < count; i++) {
            if (found[i - 1] > found[i]) {
                abort();
            }
        }
        free(found);
    }
    close(fd);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/functions")
