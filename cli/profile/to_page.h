/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the data of a page from profiles, for `armpmu report --html`. */
#ifndef ARMPMU_CLI_TO_PAGE_H
#define ARMPMU_CLI_TO_PAGE_H

#include <jansson.h>

#include "profile.h"

/**
 * Returns the data of a page for profiles @p, of which there are @count, 1 or 2, made from the files @names; or NULL if
 * there is no memory.  The caller gives it to page_write() and frees it with json_decref().
 */
json_t *to_page(struct profile *const p[], const char *const names[], size_t count);

#endif
