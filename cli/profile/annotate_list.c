/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the instructions of a function, and reads source files. */
#define _GNU_SOURCE
#include "annotate.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile_internal.h"

#define LARGEST_FUNCTION 1048576 /* bytes; of larger ones only what was executed is listed */
#define LARGEST_SOURCE 33554432  /* bytes */

/* Adds an instruction.  Returns its index, or SIZE_MAX without memory. */
static size_t add_instruction(struct annotate_listing *l, size_t events, const struct annotate_instruction *instruction)
{
    if (!profile_grow((void **)&l->data, l->count, &l->room, sizeof *l->data) ||
        !profile_grow((void **)&l->counts, l->count, &l->count_room, events * sizeof *l->counts)) {
        return SIZE_MAX;
    }
    l->data[l->count] = *instruction;
    memset(l->counts + l->count * events, 0, events * sizeof *l->counts);
    return l->count++;
}

/* Adds what was executed of the function. */
static bool add_executed(const struct profile *p, struct annotate_listing *l)
{
    const struct recording *r = profile_recording(p);
    struct profile_pairs places = {0};
    bool done = true;

    for (size_t i = 0; done && i < r->code_count; i++) {
        const struct profile_place *place = profile_place(p, i);
        uint32_t *at;

        if (place->function != l->function) {
            continue;
        }
        l->a32 |= r->images[r->threads[r->code[i].thread].image].a32;
        at = profile_pair_at(&places, place->offset, r->code[i].word); /* generated code may change */
        if (at != NULL && *at == PROFILE_NONE) {
            const struct annotate_instruction instruction = {
                place->offset, r->code[i].word, r->code[i].length, place->source, place->line, place->inlined, NULL};
            const size_t index = add_instruction(l, r->event_count, &instruction);

            *at = index < PROFILE_NONE ? (uint32_t)index : PROFILE_NONE;
        }
        done = at != NULL && *at != PROFILE_NONE;
        for (size_t e = 0; done && e < r->event_count; e++) {
            l->counts[*at * r->event_count + e] += r->code_counts[i * r->event_count + e];
            l->sums[e] += r->code_counts[i * r->event_count + e];
        }
    }
    free(places.slots);
    return done;
}

/* Adds what was not executed, if the file is there.  Where instructions of A32 begin, only execution tells. */
static bool add_others(const struct profile *p, struct annotate_listing *l)
{
    const struct recording *r = profile_recording(p);
    const struct profile_function *f = profile_function(p, l->function);
    const size_t executed = l->count;
    size_t size = f->end - f->start <= LARGEST_FUNCTION ? (size_t)(f->end - f->start) : 0;
    struct profile_pairs known = {0};
    uint8_t *bytes = size == 0 || l->a32 || f->file == PROFILE_NONE ? NULL : malloc(size);
    bool done = true;

    size = bytes == NULL ? 0 : profile_bytes(p, f->file, f->start, bytes, size);
    for (size_t i = 0; done && size > 0 && i < executed; i++) {
        uint32_t *at = profile_pair_at(&known, l->data[i].address, 0);

        done = at != NULL;
        if (done) {
            *at = 0;
        }
    }
    for (size_t i = 0; done && i + 4 <= size; i += 4) {
        const uint32_t *at = profile_pair_at(&known, f->start + i, 0);
        const struct annotate_instruction instruction = {
            f->start + i, (uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 |
            (uint32_t)bytes[i + 3] << 24, 4, PROFILE_NONE, 0, PROFILE_NONE, NULL};

        done = at != NULL && (*at == 0 || add_instruction(l, r->event_count, &instruction) != SIZE_MAX);
    }
    free(known.slots);
    free(bytes);
    return done;
}

/* Sorts the instructions by address: heap sort, with the counts. */
static int compare_addresses(const void *a, const void *b, void *context)
{
    const struct annotate_listing *l = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (l->data[x].address != l->data[y].address) {
        return l->data[x].address < l->data[y].address ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

static bool sort(struct annotate_listing *l, size_t events)
{
    uint32_t *order = calloc(l->count + 1, sizeof *order);
    struct annotate_instruction *data = calloc(l->count + 1, sizeof *data);
    uint64_t *counts = calloc((l->count + 1) * events, sizeof *counts);
    const bool done = order != NULL && data != NULL && counts != NULL;

    for (size_t i = 0; done && i < l->count; i++) {
        order[i] = (uint32_t)i;
    }
    if (done) {
        qsort_r(order, l->count, sizeof *order, compare_addresses, l);
    }
    for (size_t i = 0; done && i < l->count; i++) {
        data[i] = l->data[order[i]];
        memcpy(counts + i * events, l->counts + order[i] * events, events * sizeof *counts);
    }
    free(order);
    if (!done) {
        free(data);
        free(counts);
        return false;
    }
    free(l->data);
    free(l->counts);
    l->data = data;
    l->counts = counts;
    return true;
}

bool annotate_list(const struct profile *p, uint32_t function, struct annotate_listing *l)
{
    const size_t events = profile_recording(p)->event_count;

    *l = (struct annotate_listing){.function = function};
    l->sums = calloc(events, sizeof *l->sums);
    return l->sums != NULL && add_executed(p, l) && add_others(p, l) && sort(l, events);
}

void annotate_free(struct annotate_listing *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->data[i].text);
    }
    free(l->data);
    free(l->counts);
    free(l->sums);
    *l = (struct annotate_listing){0};
}

/* ---- source files ---- */

struct source_file {
    bool tried;
    char *text;   /* with a NUL in place of each newline */
    char **lines;
    size_t count;
};

struct annotate_sources {
    const struct profile *p;
    const char *const *prefixes;
    struct source_file *files;
};

struct annotate_sources *annotate_sources_new(const struct profile *p, const char *const *prefixes)
{
    struct annotate_sources *s = calloc(1, sizeof *s);

    if (s != NULL) {
        s->p = p;
        s->prefixes = prefixes;
        s->files = calloc(profile_source_count(p) + 1, sizeof *s->files);
        if (s->files == NULL) {
            free(s);
            return NULL;
        }
    }
    return s;
}

void annotate_sources_free(struct annotate_sources *s)
{
    for (size_t i = 0; s != NULL && i < profile_source_count(s->p); i++) {
        free(s->files[i].text);
        free(s->files[i].lines);
    }
    if (s != NULL) {
        free(s->files);
    }
    free(s);
}

/* Returns the whole of the regular file @path, with a NUL behind it, or NULL. */
static char *read_text(const char *path, size_t *size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat there;
    char *text = NULL;

    *size = 0;
    if (fd == -1) {
        return NULL;
    }
    if (fstat(fd, &there) == 0 && S_ISREG(there.st_mode) && there.st_size <= LARGEST_SOURCE) {
        text = malloc((size_t)there.st_size + 1);
    }
    while (text != NULL && *size < (size_t)there.st_size) {
        const ssize_t got = read(fd, text + *size, (size_t)there.st_size - *size);

        if (got <= 0) {
            break;
        }
        *size += (size_t)got;
    }
    if (text != NULL) {
        text[*size] = '\0';
    }
    close(fd);
    return text;
}

/* Returns the text of a source file by its path, or by where the prefixes put it. */
static char *find_text(const struct annotate_sources *s, const char *path, size_t *size)
{
    char *text = NULL;

    for (const char *const *prefix = s->prefixes; text == NULL && prefix != NULL && *prefix != NULL; prefix++) {
        const size_t from = strcspn(*prefix, "=");
        char *moved;

        if ((*prefix)[from] == '=' && strncmp(path, *prefix, from) == 0 &&
            asprintf(&moved, "%s%s%s", *prefix + from + 1, path[from] == '/' || path[from] == '\0' ||
                     (from > 0 && path[from - 1] == '/') ? "" : "/", path + from) >= 0) {
            text = read_text(moved, size);
            free(moved);
        }
    }
    return text != NULL ? text : read_text(path, size);
}

static void read_source(struct annotate_sources *s, uint32_t source)
{
    struct source_file *f = &s->files[source];
    size_t size, lines = 1;

    f->tried = true;
    f->text = find_text(s, profile_source(s->p, source), &size);
    for (size_t i = 0; f->text != NULL && i < size; i++) {
        lines += f->text[i] == '\n';
    }
    f->lines = f->text == NULL ? NULL : calloc(lines, sizeof *f->lines);
    for (char *rest = f->text; f->lines != NULL && rest != NULL && f->count < lines;) {
        f->lines[f->count++] = strsep(&rest, "\n");
    }
    if (f->count > 0 && f->lines[f->count - 1][0] == '\0') {
        f->count--; /* the newline that ends the text begins no line */
    }
}

const char *annotate_source_line(struct annotate_sources *s, uint32_t source, uint32_t line)
{
    if (source == PROFILE_NONE) {
        return NULL;
    }
    if (!s->files[source].tried) {
        read_source(s, source);
    }
    return line == 0 || line > s->files[source].count ? NULL : s->files[source].lines[line - 1];
}
