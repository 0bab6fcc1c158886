/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a unit and of its PE in a file: what apmu_save() writes, then a line for each state of the PE. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/saved.h>

#include "internal.h"

enum { STATE_MOST = 16384 }; /* bytes of a file that can be one */

const char *tb_file_fault(struct apmu_tb *tb, const char *path, const char *format, ...)
{
    const int used = snprintf(tb->text, sizeof tb->text, "%.600s: ", path);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(tb->text + used, sizeof tb->text - (size_t)used, format, arguments);
    va_end(arguments);
    return tb->text;
}

const char *apmu_tb_state_save(struct apmu_tb *tb, const char *path)
{
    uint8_t bytes[APMU_SAVED_SIZE];
    FILE *file = fopen(path, "wb");

    if (file == NULL) {
        return tb_file_fault(tb, path, "%s", strerror(errno));
    }
    bool good = fwrite(bytes, 1, apmu_save(&tb->p, bytes, sizeof bytes), file) == sizeof bytes;
    for (int row = 0; row < TB_PE_COUNT; row++) {
        good &= fprintf(file, "%s 0x%llX\n", apmu_tb_pe_name(row), (tb_number)apmu_tb_pe_get(tb, row)) > 0;
    }
    if (fclose(file) != 0 || !good) {
        return tb_file_fault(tb, path, "%s", strerror(errno));
    }
    return "";
}

/* Reads "NAME VALUE" into *@pe.  Returns whether there is such a state, and the value fits it. */
static bool take_state(struct apmu_pe *pe, char *line)
{
    char *gap = strchr(line, ' '), *end = line;

    if (gap == NULL) {
        return false;
    }
    *gap = '\0';
    const unsigned long long value = strtoull(gap + 1, &end, 0);
    const int row = apmu_tb_pe_find(line);
    const int width = row < 0 ? 64 : apmu_tb_pe_width(row);
    *gap = ' ';
    if (end == gap + 1 || *end != '\0' || (width < 64 && value >> width != 0)) {
        return false;
    }
    if (row >= 0) {
        tb_state_set(pe, (enum tb_state)row, value);
    }
    return row >= 0 || value == 0; /* a newer version may have more */
}

/* Returns whether both units have the same configuration: with one configuration, only states differ. */
static bool same_configuration(const struct apmu *a, const struct apmu *b)
{
    uint8_t of_a[APMU_SAVED_SIZE], of_b[APMU_SAVED_SIZE];
    struct apmu mixed = *a;

    mixed.cfg = b->cfg;
    (void)apmu_save(a, of_a, sizeof of_a);
    (void)apmu_save(&mixed, of_b, sizeof of_b);
    return memcmp(of_a, of_b, sizeof of_a) == 0;
}

/* Takes the state from the @count bytes of the file, behind which there is a zero.  Returns "" or what is wrong. */
static const char *take_file(struct apmu_tb *tb, const char *path, uint8_t *bytes, size_t count)
{
    struct apmu_pe pe = {.el = 0};
    struct apmu p;
    const char *wrong = apmu_load(&p, bytes, count);

    if (wrong != NULL) {
        return tb_file_fault(tb, path, "%s", wrong);
    }
    if (!same_configuration(&p, &tb->p)) {
        return tb_file_fault(tb, path, "it is the state of a unit with another configuration: create one like it");
    }
    const size_t size = bytes[8] | (size_t)bytes[9] << 8; /* <armpmu/saved.h>: apmu_load() found no more bytes */
    for (char *line = strtok((char *)bytes + size, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (!take_state(&pe, line)) {
            return tb_file_fault(tb, path, "\"%.60s\": it is no state of a PE, or its value does not fit", line);
        }
    }
    tb->p = p;
    tb->pe = pe;
    tb->overflowed = 0;
    tb_cause_forget(tb);
    tb_phase_open(tb);
    return "";
}

const char *apmu_tb_state_load(struct apmu_tb *tb, const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(STATE_MOST + 1);
    const char *wrong;

    if (file == NULL || bytes == NULL) {
        wrong = tb_file_fault(tb, path, "%s", strerror(errno));
    } else {
        const size_t count = fread(bytes, 1, STATE_MOST, file);

        bytes[count] = '\0';
        wrong = ferror(file) != 0      ? tb_file_fault(tb, path, "%s", strerror(errno))
                : count == STATE_MOST  ? tb_file_fault(tb, path, "it is too large for a state")
                                       : take_file(tb, path, bytes, count);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(bytes);
    return wrong;
}
