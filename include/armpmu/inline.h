/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The linkage of the functions that public headers define.  C and C++ take them from the header.  For all other
 * languages lib/foreign/inline.c compiles them once more with external linkage, under the same names.
 */
#ifndef ARMPMU_INLINE_H
#define ARMPMU_INLINE_H

#ifndef APMU_INLINE
#define APMU_INLINE static inline
#endif

#endif
