/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that make the data of a page share: to_page.c, to_page_code.c. */
#ifndef ARMPMU_CLI_TO_PAGE_MAKER_H
#define ARMPMU_CLI_TO_PAGE_MAKER_H

#include "view.h"

#define PAGE_NONE UINT32_MAX

/** The data of a recording while it is made. */
struct page_maker {
    struct profile *p;
    const struct recording *r;
    struct profile_table by_function;
    uint32_t *function; /**< by the profile's number: the page's, or PAGE_NONE */
    uint32_t *source;   /**< the same for sources */
    uint32_t source_count;
    json_t *left_out;
};

/** Appends @n to @array. */
void to_page_append(json_t *array, uint64_t n);
/** Returns an array of as many empty arrays as there are events. */
json_t *to_page_columns(const struct page_maker *m);
/** Appends the counts of a row to to_page_columns(). */
void to_page_append_counts(const struct page_maker *m, json_t *array, const uint64_t *counts);
/** Adds a sentence to what the page lacks. */
void to_page_leave_out(struct page_maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* to_page_code.c */
/** Adds the members code and sources to @data. */
void to_page_add_code(struct page_maker *m, json_t *data);

#endif
