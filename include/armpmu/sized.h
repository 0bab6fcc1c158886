/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structures that grow.
 *
 * A structure whose first member is .size is the caller's, and the caller writes its sizeof there.  Later versions append
 * members, never in the padding at the end, and zero is a legal value of each.  So a program and a library of different
 * versions understand each other:
 *
 *   smaller, of an older program   accepted, down to the size in 0.1: members that it lacks are zero, and nothing behind
 *                                  its end is read
 *   larger, of a newer program     accepted if every byte that the library does not know is zero; otherwise refused, since
 *                                  the program asks for something that the library cannot do
 */
#ifndef ARMPMU_SIZED_H
#define ARMPMU_SIZED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum apmu_sized {
    APMU_SIZED_OK,
    APMU_SIZED_SMALL, /**< smaller than the first version, or no size at all: more than APMU_SIZED_MOST */
    APMU_SIZED_NEWER, /**< larger than what is known, and a byte of the rest is not zero */
};

/** No structure is larger than this: what says so has not set .size. */
#define APMU_SIZED_MOST 4096u

/** Can a library that knows @known bytes of the structure at @given, which began with @first bytes, take it? */
static inline enum apmu_sized apmu_sized_check(const void *given, size_t known, size_t first)
{
    const unsigned char *bytes = (const unsigned char *)given;
    const uint32_t size = *(const uint32_t *)given;

    if (size < first || size > APMU_SIZED_MOST) {
        return APMU_SIZED_SMALL;
    }
    for (size_t i = known; i < size; i++) {
        if (bytes[i] != 0) {
            return APMU_SIZED_NEWER;
        }
    }
    return APMU_SIZED_OK;
}

/** Copies what is known of the structure at @given to @out, of @known bytes: members that it lacks become zero. */
static inline void apmu_sized_take(void *out, size_t known, const void *given)
{
    const unsigned char *from = (const unsigned char *)given;
    unsigned char *to = (unsigned char *)out;
    const uint32_t size = *(const uint32_t *)given;

    for (size_t i = 0; i < known; i++) {
        to[i] = i < size ? from[i] : 0;
    }
    *(uint32_t *)out = (uint32_t)known;
}

#ifdef __cplusplus
}
#endif
#endif
