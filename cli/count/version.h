/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks a program for its version. */
#ifndef ARMPMU_CLI_VERSION_H
#define ARMPMU_CLI_VERSION_H

#include <stddef.h>

/** Writes into @text the first line that `@path --version` prints, without what is in parentheses; "unknown": none. */
void version_ask(const char *path, char *text, size_t size);

#endif
