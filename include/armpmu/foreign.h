/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a binding needs that is no C: the sizes of structures.
 *
 * For authors of bindings to Python, Rust, SystemVerilog ...  The library exports every function of the public headers,
 * also those that a header defines (<armpmu/inline.h>), except the reads and regions of native.h, which are single
 * instructions, and the direct reads of perf.h.  Constants are enumerations.  Sets are the exception: C gives an
 * enumerator the type int, so of a set of 64 bits there is the number of each bit: APMU_FEAT_BIT_x for APMU_FEAT(x),
 * APMU_REASON_x for APMU_WHY(x), APMU_STATE_x for APMU_STATE(x), APMU_reg_field_LSB and _MSB for APMU_MASK(reg, field).
 *
 * A binding checks once, when it is loaded, that it was made for this library:
 *
 * @code
 * #include <stdio.h>
 * #include <string.h>
 * #include <armpmu/foreign.h>
 * #include <armpmu/model.h>
 * #include <armpmu/version.h>
 *
 * int main(void)
 * {
 *     if (strcmp(apmu_version(), APMU_VERSION) != 0 || apmu_sizeof("apmu_pe") != sizeof(struct apmu_pe)) {
 *         fprintf(stderr, "made for %s, and this is %s\n", APMU_VERSION, apmu_version());
 *         return 1;
 *     }
 *     return 0;
 * }
 * @endcode
 *
 * Nothing here keeps state; every function is safe in any context.
 */
#ifndef ARMPMU_FOREIGN_H
#define ARMPMU_FOREIGN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Returns the size in bytes of struct @name ("apmu_pe") as the library was compiled: any structure of the public
 * headers but those of native.h.  Returns 0 if there is no such structure in this library.
 */
size_t apmu_sizeof(const char *name);

#ifdef __cplusplus
}
#endif
#endif
