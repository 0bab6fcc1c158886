/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coverage in a file, to which each run adds its own.  A line is HITS, the rule and the name of a row, with tabs
 * between them; a line that begins with # is none.  Files of one configuration can be joined by cat.
 */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* What a file has, and the lines that were read of it. */
struct merged {
    uint64_t hits[TB_COVER_ROWS];
    bool seen[TB_COVER_ROWS];
    unsigned long line, runs;
};

/* Returns the row called @name that the configuration can reach, or -1. */
static int row_of(struct apmu_tb *tb, const char *name)
{
    for (int i = 0; i < TB_COVER_ROWS; i++) {
        if (apmu_tb_cover_possible(tb, i) != 0 && strcmp(apmu_tb_cover_name(tb, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Adds a line of the file.  Returns whether it is one of this configuration. */
static bool take_line(struct apmu_tb *tb, struct merged *m, char *line)
{
    char *end;

    m->line++;
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == '#' || line[0] == '\0') {
        m->runs += strncmp(line, "# runs ", 7) == 0 ? strtoul(line + 7, NULL, 10) : 0;
        return true;
    }
    const unsigned long long hits = strtoull(line, &end, 10);
    const char *name = end != line && *end == '\t' ? strchr(end + 1, '\t') : NULL;
    const int row = name == NULL ? -1 : row_of(tb, name + 1);
    if (row < 0) {
        return false;
    }
    m->hits[row] += hits;
    m->seen[row] = true;
    return true;
}

/* Reads the file.  Returns "" or what is wrong with it. */
static const char *take_lines(struct apmu_tb *tb, struct merged *m, FILE *file, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    bool good = true;

    while (good && getline(&line, &room, file) > 0) {
        good = take_line(tb, m, line);
    }
    free(line);
    if (!good) {
        return tb_file_fault(tb, path, "line %lu is no row of this configuration: give each configuration its own file",
                             m->line);
    }
    if (ferror(file) != 0) {
        return tb_file_fault(tb, path, "%s", strerror(errno));
    }
    for (int i = 0; i < TB_COVER_ROWS; i++) {
        if (m->line != 0 && apmu_tb_cover_possible(tb, i) != 0 && !m->seen[i]) {
            char name[80];

            snprintf(name, sizeof name, "%s", apmu_tb_cover_name(tb, i));
            return tb_file_fault(tb, path, "it lacks the row \"%s\": give each configuration its own file", name);
        }
    }
    return "";
}

/* Writes the coverage of the handle in place of what the file has. */
static bool give_lines(struct apmu_tb *tb, const struct merged *m, FILE *file)
{
    bool good = fseek(file, 0, SEEK_SET) == 0 &&
                fprintf(file, "# coverage of armpmu's test bench: hits, rule, row\n# runs %lu\n", m->runs + 1) > 0;

    for (int i = 0; i < TB_COVER_ROWS; i++) {
        if (apmu_tb_cover_possible(tb, i) != 0) {
            good &= fprintf(file, "%llu\t%s\t%s\n", (tb_number)tb->hits[i], apmu_tb_cover_rule(tb, i),
                            apmu_tb_cover_name(tb, i)) > 0;
        }
    }
    return good && fflush(file) == 0 && ftruncate(fileno(file), ftell(file)) == 0;
}

const char *apmu_tb_cover_merge(struct apmu_tb *tb, const char *path)
{
    struct merged *m = calloc(1, sizeof *m);
    const int descriptor = open(path, O_RDWR | O_CREAT, 0666);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r+");
    const char *wrong = "";

    /* The lock is for runs that end at the same time; closing the file releases it. */
    if (m == NULL || file == NULL || lockf(descriptor, F_LOCK, 0) != 0) {
        wrong = tb_file_fault(tb, path, "%s", strerror(errno));
    } else {
        wrong = take_lines(tb, m, file, path);
    }
    for (unsigned i = 0; wrong[0] == '\0' && i < TB_COVER_ROWS; i++) {
        tb->hits[i] += m->hits[i];
    }
    if (wrong[0] == '\0' && !give_lines(tb, m, file)) {
        wrong = tb_file_fault(tb, path, "%s", strerror(errno));
    }
    if (file != NULL) {
        fclose(file);
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    free(m);
    return wrong;
}
