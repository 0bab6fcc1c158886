/* SPDX-License-Identifier: BSD-2-Clause */
/* A number that tells one content from another (FNV-1a, 64 bits): no protection against one who wants them equal. */
#ifndef ARMPMU_CLI_DIGEST_H
#define ARMPMU_CLI_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_START UINT64_C(0xcbf29ce484222325) /* the digest of nothing */

/** Returns the digest of what @digest is of, followed by @size bytes. */
uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t size);

/** Gives the digest of the file of the program @name, looked for in PATH if it has no '/'.  False: there is none. */
bool digest_program(const char *name, uint64_t *digest);

#endif
