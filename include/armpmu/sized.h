/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structures that grow, and the conventions of this library's functions.
 *
 * A structure whose first member is .size belongs to the caller, who writes its sizeof there.  Later versions append
 * members, never in the padding at the end, and zero is a legal value of each.  So a program and a library of different
 * versions work together:
 *
 *   smaller, of an older program   accepted, down to the size in 0.1: members that it lacks count as zero, and
 *                                  nothing behind its end is read
 *   larger, of a newer program     accepted if every byte that the library does not know is zero; otherwise refused,
 *                                  since the program asks for something that the library cannot do
 *
 * One rule for results and errors holds in all public headers.  The object comes first, then the inputs, then the
 * pointers that results are written to; the length of an array follows the array.  A function that can fail in several
 * ways returns enum apmu_error, with APMU_OK for success.  One that checks data returns NULL, or a constant sentence
 * that names the member, the cause and the cure.  One that looks something up returns a pointer to constant data, or
 * NULL; or a number, or -1; or a bool, with the results in what its pointers point to.  After a failure the results are
 * unspecified, unless the comment of the function says more.
 *
 * A library checks and takes such a structure like this:
 *
 * @code
 * #include <armpmu/sized.h>
 *
 * struct options { uint32_t size, level; };
 *
 * int main(void)
 * {
 *     const struct options given = {.size = sizeof given, .level = 3};
 *     struct options known;
 *
 *     if (apmu_sized_check(&given, sizeof known, sizeof known) != APMU_SIZED_OK) {
 *         return 1;
 *     }
 *     apmu_sized_take(&known, sizeof known, &given);
 *     return known.level == 3 ? 0 : 1;
 * }
 * @endcode
 */
#ifndef ARMPMU_SIZED_H
#define ARMPMU_SIZED_H

#include <stddef.h>
#include <stdint.h>

#include <armpmu/inline.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Results of apmu_sized_check(). */
enum apmu_sized {
    APMU_SIZED_OK,
    APMU_SIZED_SMALL, /**< smaller than the first version, or not a size: above APMU_SIZED_MOST */
    APMU_SIZED_NEWER, /**< larger than what is known, and a byte of the rest is not zero */
};

/** No structure is larger than this.  If .size is larger, it was not set. */
#define APMU_SIZED_MOST 4096u

/** Checks the structure at @given for a library that knows @known bytes of it; its first version had @first bytes. */
APMU_INLINE enum apmu_sized apmu_sized_check(const void *given, size_t known, size_t first)
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

/** Copies the structure at @given to the @known bytes at @out.  Members that @given lacks become zero. */
APMU_INLINE void apmu_sized_take(void *out, size_t known, const void *given)
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
