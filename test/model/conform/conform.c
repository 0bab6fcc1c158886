/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * conform FILE...: replays vector files.  Exit status 0: no mismatch; 1: a mismatch; 2: a file is unreadable or
 * unknown.
 */

#include "conform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 10, LINE = 4096 };

struct vector_file {
    const char *path, *name;
    char *column[MAX_COLUMNS];
    unsigned columns;
    unsigned long rows, skipped, mismatches;
    bool unreadable; /* a row was not understood; the rest of the file is not read */
};

static const struct check *const groups[] = {count_checks, increment_checks, signal_checks, mask_checks,
                                            access_checks};

static void refuse(struct vector_row *row, const char *column, const char *why)
{
    if (!row->file->unreadable) {
        fprintf(stderr, "conform: %s:%lu: column %s: %s\n", row->file->path, row->line, column, why);
    }
    row->file->unreadable = true;
}

const char *text(struct vector_row *row, const char *column)
{
    for (unsigned i = 0; i < row->file->columns; i++) {
        if (strcmp(row->file->column[i], column) == 0) {
            return row->field[i];
        }
    }
    refuse(row, column, "no such column");
    return "0";
}

static uint64_t number(struct vector_row *row, const char *column, int base)
{
    const char *s = text(row, column);
    char *end;

    errno = 0;
    const unsigned long long value = strtoull(s, &end, base);
    if (*s == '\0' || *s == '-' || *s == '+' || *s == ' ' || *end != '\0' || errno != 0) {
        refuse(row, column, base == 16 ? "not a hexadecimal number" : "not a decimal number");
    }
    return value;
}

uint64_t hex(struct vector_row *row, const char *column)
{
    return number(row, column, 16);
}

unsigned dec(struct vector_row *row, const char *column)
{
    const uint64_t value = number(row, column, 10);

    if (value > UINT32_MAX) {
        refuse(row, column, "out of range");
    }
    return (unsigned)value;
}

static void compare(struct vector_row *row, const char *column, uint64_t want, uint64_t got)
{
    struct vector_file *f = row->file;

    if (want == got || f->unreadable) {
        return;
    }
    if (!row->mismatch) {
        row->mismatch = true;
        f->mismatches++;
        if (f->mismatches <= SHOWN) {
            printf("%s:%lu: %s\n", f->name, row->line, row->text);
        }
    }
    if (f->mismatches <= SHOWN) {
        printf("    %s: vector %llx, model %llx (hexadecimal)\n", column, (unsigned long long)want,
               (unsigned long long)got);
    }
}

void expect(struct vector_row *row, const char *column, uint64_t got)
{
    compare(row, column, hex(row, column), got);
}

void expect_dec(struct vector_row *row, const char *column, uint64_t got)
{
    compare(row, column, number(row, column, 10), got);
}

/* Reads a line and removes its line end.  Returns false at the end of the file. */
static bool read_line(FILE *in, char *line)
{
    if (fgets(line, LINE, in) == NULL) {
        return false;
    }
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

static unsigned split(char *line, char **part)
{
    unsigned n = 0;

    for (char *s = line; n < MAX_COLUMNS; s++) {
        part[n++] = s;
        s += strcspn(s, ",");
        if (*s == '\0') {
            break;
        }
        *s = '\0';
    }
    return n;
}

static const struct check *check_for(const char *header)
{
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        for (const struct check *c = groups[g]; c->header != NULL; c++) {
            if (strcmp(c->header, header) == 0) {
                return c;
            }
        }
    }
    return NULL;
}

static void replay(struct vector_file *f, const struct check *check, FILE *in)
{
    static char line[LINE], whole[LINE];
    struct vector_row row = {.file = f, .line = 1, .text = whole};

    while (!f->unreadable && read_line(in, line)) {
        memcpy(whole, line, sizeof whole);
        row.line++;
        row.mismatch = false;
        const unsigned fields = split(line, row.field);
        if (fields != f->columns) {
            refuse(&row, f->column[fields < f->columns ? fields : f->columns - 1], "wrong number of fields in the row");
            return;
        }
        f->rows++;
        if (check->run(&row) == SKIPPED) {
            f->skipped++;
        }
    }
}

static int run(const char *path)
{
    static char header[LINE], names[LINE];
    const char *slash = strrchr(path, '/');
    struct vector_file f = {.path = path, .name = slash != NULL ? slash + 1 : path};
    FILE *in = fopen(path, "r");

    if (in == NULL || !read_line(in, header)) {
        fprintf(stderr, "conform: %s: cannot read: %s\n", path, in == NULL ? strerror(errno) : "no header line");
        if (in != NULL) {
            fclose(in);
        }
        return 2;
    }
    const struct check *check = check_for(header);
    if (check == NULL) {
        fprintf(stderr, "conform: %s: no check has this header line: %.200s\n", path, header);
        fclose(in);
        return 2;
    }
    memcpy(names, header, sizeof names);
    f.columns = split(names, f.column);
    replay(&f, check, in);
    if (ferror(in) != 0) {
        fprintf(stderr, "conform: %s: cannot read to its end\n", path);
        f.unreadable = true;
    }
    fclose(in);
    if (f.unreadable) {
        return 2;
    }
    printf("%s: %lu rows, %lu checked, %lu mismatches, %lu skipped\n", f.name, f.rows, f.rows - f.skipped,
           f.mismatches, f.skipped);
    return f.mismatches != 0;
}

int main(int argc, char **argv)
{
    int status = 0;

    if (argc < 2) {
        fputs("usage: conform FILE...\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        const int s = run(argv[i]);
        status = s > status ? s : status;
    }
    return status;
}
