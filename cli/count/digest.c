/* SPDX-License-Identifier: BSD-2-Clause */
/* Digests of files. */
#define _GNU_SOURCE
#include "digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FNV_PRIME UINT64_C(0x100000001b3)

uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ at[i]) * FNV_PRIME;
    }
    return digest;
}

static bool digest_file(const char *path, uint64_t *digest)
{
    static const size_t part = 65536;
    char *buffer = malloc(part);
    struct stat st;
    /* A pipe would wait for its writer. */
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    bool ok = buffer != NULL && file != NULL;

    *digest = DIGEST_START;
    for (size_t n = 1; ok && n > 0;) {
        n = fread(buffer, 1, part, file);
        *digest = digest_bytes(*digest, buffer, n);
    }
    ok = ok && !ferror(file);
    if (file != NULL) {
        fclose(file);
    }
    free(buffer);
    return ok;
}

bool digest_program(const char *name, uint64_t *digest)
{
    const char *folders = getenv("PATH");
    bool found = false;

    if (strchr(name, '/') != NULL) {
        return digest_file(name, digest);
    }
    for (const char *d = folders != NULL ? folders : "/usr/bin:/bin"; !found && *d != '\0'; d += *d == ':') {
        const size_t length = strcspn(d, ":");
        char *path = NULL;

        if (asprintf(&path, "%.*s/%s", length > 0 ? (int)length : 1, length > 0 ? d : ".", name) < 0) {
            return false;
        }
        found = access(path, X_OK) == 0 && digest_file(path, digest);
        free(path);
        d += length;
    }
    return found;
}
