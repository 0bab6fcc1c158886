/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads from an ELF file where its functions begin. */
#ifndef ARMPMU_QEMU_USER_PLUGIN_FUNCTIONS_H
#define ARMPMU_QEMU_USER_PLUGIN_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

/**
 * Returns the places in the ELF file @path at which functions begin, sorted offsets in the file, and their number in
 * @count.  The caller frees them.  Returns NULL if there are none, or the file cannot be read.
 */
uint64_t *functions_of(const char *path, size_t *count);

#endif
