/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares two profiles by names. */
#define _GNU_SOURCE
#include "diff.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile_internal.h"

/* Returns whether @text is a number, which may have dots, or a hash of hexadecimal digits. */
static bool is_number(const char *text, size_t length)
{
    bool digit = false;

    for (size_t i = 0; i < length; i++) {
        digit |= isdigit((unsigned char)text[i]) != 0;
        if (!isxdigit((unsigned char)text[i]) && text[i] != '.') {
            return false;
        }
    }
    return digit;
}

/*
 * Returns the name of a function without what differs from build to build.  Functions without a symbol, which are
 * called by their addresses, are one.  What compilers append to tell copies apart is left out: "f.constprop.0" and
 * "f [clone .isra.3]" are f, and so is "f.llvm.123".  A part that was moved away, "f.cold", is a function of its own.
 */
static char *plain_function(const char *name)
{
    static const char *const parts[] = {".constprop", ".isra", ".part", ".lto_priv", ".llvm", ".localalias"};
    char *plain = strdup(strncmp(name, PROFILE_NAMELESS "0x", 3) == 0 ? "[unknown]" : name);

    for (bool again = plain != NULL; again;) {
        again = false;
        for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !again; i++) {
            const size_t length = strlen(parts[i]);
            char *at = strstr(plain, parts[i]);
            char *start = at;

            if (at == NULL || at == plain) {
                continue;
            }
            char *end = at + length;

            if (*end == '.') {
                const size_t digits = strspn(end + 1, "0123456789abcdefABCDEF");

                end += digits > 0 && is_number(end + 1, digits) ? 1 + digits : 0;
            }
            if (*end != '\0' && *end != '.' && *end != ']' && *end != '@') {
                continue;
            }
            if (*end == ']' && at - plain >= 8 && strncmp(at - 8, " [clone ", 8) == 0) {
                start = at - 8;
                end++;
            }
            memmove(start, end, strlen(end) + 1);
            again = true;
        }
    }
    return plain;
}

/* Returns the last part of a path without a version: "libc-2.36.so" and "libc.so.6" are "libc.so". */
static char *plain_file(const char *path)
{
    char *plain = strdup(view_base(path));
    char *so = plain == NULL ? NULL : strstr(plain, ".so");

    if (so != NULL && (so[3] == '.' || so[3] == '\0')) {
        char *dash = memrchr(plain, '-', (size_t)(so - plain));

        so[3] = '\0';
        if (dash != NULL && dash != plain && is_number(dash + 1, (size_t)(so - dash - 1))) {
            memmove(dash, so, 4);
        }
    }
    return plain;
}

char *diff_name(const char *function, const char *file, const char *program)
{
    char *plain = plain_function(function), *base = plain_file(file), *name = NULL;

    if (plain == NULL || base == NULL ||
        asprintf(&name, "%s\n%s", plain, strcmp(view_base(file), program) == 0 ? "" : base) < 0) {
        name = NULL;
    }
    free(plain);
    free(base);
    return name;
}

static struct diff_row *find_row(struct diff_rows *rows, struct profile_names *names, const char *key)
{
    const uint32_t index = profile_name_add(names, key);

    if (index == PROFILE_NONE) {
        return NULL;
    }
    while (rows->count <= index) {
        if (!profile_grow((void **)&rows->data, rows->count, &rows->room, sizeof *rows->data)) {
            return NULL;
        }
        rows->data[rows->count++] = (struct diff_row){0};
    }
    return &rows->data[index];
}

/*
 * Adds row @n of a profile, the one before (@side 0) or after, with @count.  The file @program may have another name in
 * the other recording.
 */
static bool add_row(struct diff_rows *rows, struct profile_names *names, const struct view_names *n,
                    const char *program, int side, uint64_t count)
{
    char *function = plain_function(n->function), *file = plain_file(n->file), *key = NULL;
    char *name = diff_name(n->function, n->file, program);
    struct diff_row *row = NULL;

    if (function != NULL && file != NULL && name != NULL &&
        asprintf(&key, "%s\n%s\n%" PRIu32, name, n->source, n->line) >= 0) {
        row = find_row(rows, names, key);
        free(key);
    }
    free(name);
    if (row != NULL && row->function == NULL) {
        row->function = function;
        row->file = file;
        row->source = strdup(n->source);
        row->line = n->line;
        function = file = NULL;
    }
    free(function);
    free(file);
    if (row == NULL || row->source == NULL) {
        return false;
    }
    row->counts[side] += count;
    row->there[side] |= count != 0;
    return true;
}

static bool add_profile(struct diff_rows *rows, struct profile_names *names, struct profile *p, uint32_t event,
                        enum profile_key key, const struct view_options *v, int side, uint64_t *sum)
{
    const struct recording *r = profile_recording(p);
    const size_t events = r->event_count;
    const char *program = r->image_count > 0 ? r->images[0].name : "";
    struct profile_table t;
    bool done = profile_table(p, key, event, &t);

    *sum = 0;
    for (size_t i = 0; done && i < t.count; i++) {
        struct view_names n = view_names(p, &t.rows[i], key);

        if (v->function != NULL && !view_matches(n.function, v->function) && !view_matches(n.symbol, v->function)) {
            continue;
        }
        if (key == PROFILE_BY_LINE && n.line != 0) {
            n.function = n.file = ""; /* a line is one, whatever function it is inlined in */
        }
        *sum += t.self[i * events + event];
        done = add_row(rows, names, &n, program, side, t.self[i * events + event]);
    }
    profile_table_free(&t);
    return done;
}

static uint64_t distance(const struct diff_row *row)
{
    return row->counts[0] > row->counts[1] ? row->counts[0] - row->counts[1] : row->counts[1] - row->counts[0];
}

/* Orders rows by how much they changed, then by name. */
static int compare_rows(const void *a, const void *b)
{
    const struct diff_row *x = a, *y = b;
    int by;

    if (distance(x) != distance(y)) {
        return distance(x) > distance(y) ? -1 : 1;
    }
    by = strcmp(x->function, y->function);
    by = by != 0 ? by : strcmp(x->file, y->file);
    by = by != 0 ? by : strcmp(x->source, y->source);
    return by != 0 ? by : x->line < y->line ? -1 : x->line > y->line;
}

static void free_row(struct diff_row *row)
{
    free(row->function);
    free(row->file);
    free(row->source);
}

bool diff_compare(struct profile *const profiles[2], const uint32_t events[2], enum profile_key key,
                  const struct view_options *v, struct diff_rows *rows, uint64_t sums[2])
{
    struct profile_names names = {0};
    size_t kept = 0;
    bool done = true;

    *rows = (struct diff_rows){0};
    for (int side = 0; done && side < 2; side++) {
        done = add_profile(rows, &names, profiles[side], events[side], key, v, side, &sums[side]);
    }
    profile_names_free(&names);
    if (!done) {
        diff_free(rows);
        return false;
    }
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->data[i].counts[0] == rows->data[i].counts[1]) {
            free_row(&rows->data[i]);
        } else {
            rows->data[kept++] = rows->data[i];
        }
    }
    rows->count = kept;
    if (kept > 0) {
        qsort(rows->data, kept, sizeof *rows->data, compare_rows);
    }
    return true;
}

void diff_free(struct diff_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free_row(&rows->data[i]);
    }
    free(rows->data);
    *rows = (struct diff_rows){0};
}
