/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a page for a browser: page.html, which `make page` builds from the folder page/, with a title and data in it.
 * The data is JSON; page/src/data.js says what the page reads.
 *
 *      to_page.c (a profile or two)  --.
 *      cli/run_page.c (a wave)       ---+-->  page_write()
 *      cli/coverage.c (tests)        --'
 */
#ifndef ARMPMU_CLI_PAGE_H
#define ARMPMU_CLI_PAGE_H

#include <jansson.h>

#include "recording.h"

#define PAGE_FORMAT 1 /* the version of the data, FORMAT of page/src/data.js */

/**
 * Checks that the page is there, so that a long run is not in vain.  Returns false and fills @no if it was not built,
 * or cannot be read.
 */
bool page_is_built(struct recording_refusal *no);

/**
 * Writes the page with @title and @data to the file @path; "-" is stdout.  Returns false and fills @no if the page was
 * not built, there is no memory, or the file cannot be written.
 */
bool page_write(const char *path, const char *title, const json_t *data, struct recording_refusal *no);

#endif
