/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Core files: a core for the core model (<armpmu/core.h>) as a text that a user writes.
 *
 * This header is for tools.  A line is a key and a value, "l1d.size 64K".  The first one is "core NAME": a row of
 * tables/core_models.def, whose values the others change.  "name NAME" names the new core and must be there.  The keys
 * are those of tables/core_keys.def, each at most once; a value is a number, also with K or M or in hexadecimal, or one
 * of the words of its key.  '#' begins a comment.
 *
 * @code
 * #include <stdio.h>
 * #include <string.h>
 * #include <armpmu/core_file.h>
 *
 * int main(void)
 * {
 *     const char *text = "core cortex-a72\nname my-a72   # as on my board\nl2.size 2M\n";
 *     struct apmu_core_file_fault fault;
 *     struct apmu_core_row row;
 *
 *     if (!apmu_core_file_parse(text, strlen(text), &row, &fault)) {
 *         fprintf(stderr, "line %u: %s\n", fault.line, fault.text);
 *         return 1;
 *     }
 *     printf("%s: %u bytes of L2\n", row.name, (unsigned)row.value[APMU_CORE_KEY_L2_SIZE]);
 *     return 0;
 * }
 * @endcode
 *
 * The functions need a hosted C library, allocate nothing and keep nothing.
 */
#ifndef ARMPMU_CORE_FILE_H
#define ARMPMU_CORE_FILE_H

#include <armpmu/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is wrong with a core file. */
struct apmu_core_file_fault {
    unsigned line;  /**< from 1; 0: the file as a whole */
    char text[224]; /**< one sentence that names the key, the cause and the cure */
};

/**
 * Fills *@row from the @length bytes at @text.  Returns false if they are no core file; then *@fault says why, and
 * *@row is unspecified.  A row that it fills passes apmu_core_row_check().
 */
bool apmu_core_file_parse(const char *text, size_t length, struct apmu_core_row *row,
                          struct apmu_core_file_fault *fault);

/**
 * Writes @row as a core file that has every key, based on the row called @base, into the @room bytes at @text, with a 0
 * at the end.  Returns its length without the 0; if that is not below @room, the text was cut.
 */
size_t apmu_core_file_write(const struct apmu_core_row *row, const char *base, char *text, size_t room);

#ifdef __cplusplus
}
#endif
#endif
