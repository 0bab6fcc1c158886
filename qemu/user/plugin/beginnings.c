/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows where functions begin: in the files that the program maps (functions.c), and where calls were seen to lead.
 *
 * A place is looked up when its block is translated.  The mappings of this process are read when the place lies in
 * none that is known, so once for each file, and kept until the program changes them.
 */
#define _GNU_SOURCE
#include "functions.h"
#include "stack.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---------------------------------------------------------------------------------------------------------------
 * What was noted: a hash table of addresses.
 */

struct place_note {
    uint64_t pc; /* 0: the row is empty */
    unsigned is;
};

static struct place_note *notes;
static uint32_t mask, count;

static struct place_note *row_of(uint64_t pc)
{
    for (uint64_t i = pc * UINT64_C(0x9e3779b97f4a7c15) >> 32;; i++) {
        struct place_note *n = &notes[i & mask];
        if (n->pc == 0 || n->pc == pc) {
            return n;
        }
    }
}

/* Makes room for one more note.  Returns false if there is no memory. */
static bool grow(void)
{
    struct place_note *old = notes;
    const uint32_t rows = old == NULL ? 0 : mask + 1, more = old == NULL ? 4096 : rows * 2;

    if (old != NULL && count < mask / 2) {
        return true;
    }
    struct place_note *made = more > 0 ? calloc(more, sizeof *made) : NULL;
    if (made == NULL) {
        return false;
    }
    notes = made;
    mask = more - 1;
    for (uint32_t i = 0; i < rows; i++) {
        if (old[i].pc != 0) {
            *row_of(old[i].pc) = old[i];
        }
    }
    free(old);
    return true;
}

void beginnings_add(uint64_t pc, unsigned is)
{
    pthread_mutex_lock(&lock);
    if (pc != 0 && grow()) {
        struct place_note *n = row_of(pc);
        count += n->pc == 0;
        n->pc = pc;
        n->is |= is;
    }
    pthread_mutex_unlock(&lock);
}

unsigned beginnings_noted(uint64_t pc)
{
    pthread_mutex_lock(&lock);
    const unsigned is = notes != NULL && row_of(pc)->pc == pc ? row_of(pc)->is : 0;
    pthread_mutex_unlock(&lock);
    return is;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Files.
 */

/* A file that was read.  It is kept, because a library may be mapped again. */
struct known_file {
    struct known_file *next;
    char *path;
    uint64_t *functions; /* sorted offsets; NULL: it has none */
    size_t count;
};

/* A mapping: addresses of this process. */
struct mapping {
    uint64_t start, end, offset;
    const struct known_file *file; /* NULL: it has none */
};

#define MAPPINGS 1024u

static struct known_file *files;
static struct mapping mappings[MAPPINGS];
static unsigned mapping_count, last;

/* Returns the file @path, which is read if it is not known yet; NULL if there is no memory. */
static const struct known_file *file_at(const char *path)
{
    struct known_file *f = files;

    while (f != NULL && strcmp(f->path, path) != 0) {
        f = f->next;
    }
    if (f == NULL) {
        f = calloc(1, sizeof *f);
        if (f == NULL) {
            return NULL;
        }
        f->path = strdup(path);
        if (f->path == NULL) {
            free(f);
            return NULL;
        }
        f->functions = functions_of(path, &f->count);
        f->next = files;
        files = f;
    }
    return f;
}

/* Adds the mapping that has the address @host of this process.  Returns NULL if none has it. */
static const struct mapping *find_mapping(uint64_t host)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t size = 0;
    struct mapping m = {0, 0, 0, NULL};
    int at = 0;

    while (maps != NULL && getline(&line, &size, maps) > 0) {
        at = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &m.start, &m.end, &m.offset, &at) == 3 &&
            at > 0 && host >= m.start && host < m.end) {
            break;
        }
        m.end = 0;
    }
    if (m.end != 0 && line[at] == '/') {
        line[strcspn(line, "\n")] = '\0';
        m.file = file_at(line + at);
    }
    free(line);
    if (maps != NULL) {
        fclose(maps);
    }
    if (m.end == 0) {
        return NULL;
    }
    last = mapping_count < MAPPINGS ? mapping_count++ : 0;
    mappings[last] = m;
    return &mappings[last];
}

/* Returns the mapping that has the address @host of this process, or NULL. */
static const struct mapping *mapping_of(uint64_t host)
{
    if (last < mapping_count && host >= mappings[last].start && host < mappings[last].end) {
        return &mappings[last];
    }
    for (unsigned i = 0; i < mapping_count; i++) {
        if (host >= mappings[i].start && host < mappings[i].end) {
            last = i;
            return &mappings[i];
        }
    }
    return find_mapping(host);
}

/* Returns the greatest of the @n sorted numbers at @in that is not above @offset, or UINT64_MAX. */
static uint64_t last_before(const uint64_t *in, size_t n, uint64_t offset)
{
    size_t low = 0;

    for (size_t high = n; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (in[middle] <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? in[low - 1] : UINT64_MAX;
}

/* Returns how far the code at @host lies behind the beginning of its function, or UINT64_MAX. */
static uint64_t behind_beginning(const void *host)
{
    uint64_t distance = UINT64_MAX;

    if (host == NULL) {
        return distance;
    }
    pthread_mutex_lock(&lock);
    const uint64_t at = (uintptr_t)host;
    const struct mapping *m = mapping_of(at);
    if (m != NULL && m->file != NULL && m->file->functions != NULL) {
        const uint64_t offset = at - m->start + m->offset;
        const uint64_t begin = last_before(m->file->functions, m->file->count, offset);
        distance = begin != UINT64_MAX ? offset - begin : UINT64_MAX;
    }
    pthread_mutex_unlock(&lock);
    return distance;
}

uint64_t beginnings_of(const void *host)
{
    const uint64_t distance = behind_beginning(host);
    return distance != UINT64_MAX ? guest_address((uintptr_t)host) - distance : 0;
}

bool beginnings_has(const void *host)
{
    return behind_beginning(host) == 0;
}

void beginnings_unmap(uint64_t address, uint64_t size)
{
    const uint64_t start = address - guest_address(0), end = start + size;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < mapping_count;) {
        if (mappings[i].start < end && start < mappings[i].end) {
            mappings[i] = mappings[--mapping_count];
        } else {
            i++;
        }
    }
    pthread_mutex_unlock(&lock);
}

static void lock_all(void)
{
    pthread_mutex_lock(&lock);
}

static void unlock_all(void)
{
    pthread_mutex_unlock(&lock);
}

void beginnings_open(void)
{
    pthread_atfork(lock_all, unlock_all, unlock_all);
}
