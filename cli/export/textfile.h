/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes counts to a file for the textfile collector of node_exporter. */
#ifndef ARMPMU_CLI_EXPORT_TEXTFILE_H
#define ARMPMU_CLI_EXPORT_TEXTFILE_H

#include "../cli.h"

/**
 * Replaces the file at @path by @length bytes of @text, so that a reader sees the old file or the new one.  Returns
 * CLI_YES, or CLI_CANNOT after a complaint.
 */
int textfile_write(const struct cli_verb *verb, const char *path, const char *text, size_t length);

#endif
