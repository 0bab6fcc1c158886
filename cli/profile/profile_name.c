/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and paths, each kept once; names for people; and a hash table of pairs. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "profile_internal.h"

#define LONGEST_MANGLED 16384 /* longer names are left as they are: demangling takes time */
#define LONGEST_NAME 65536

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return hash ^ hash >> 29;
}

/* Makes the hash table twice as large, or makes it. */
static bool rehash(struct profile_names *n)
{
    const size_t count = n->slot_count == 0 ? 64 : 2 * n->slot_count;
    uint32_t *slots = calloc(count, sizeof *slots);

    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < n->count; i++) {
        size_t at = (size_t)hash_of(n->data[i]) & (count - 1);

        while (slots[at] != 0) {
            at = (at + 1) & (count - 1);
        }
        slots[at] = (uint32_t)i + 1;
    }
    free(n->slots);
    n->slots = slots;
    n->slot_count = count;
    return true;
}

uint32_t profile_name_add(struct profile_names *n, const char *text)
{
    size_t at;

    if (2 * (n->count + 1) > n->slot_count && !rehash(n)) {
        return PROFILE_NONE;
    }
    at = (size_t)hash_of(text) & (n->slot_count - 1);
    while (n->slots[at] != 0) {
        if (strcmp(n->data[n->slots[at] - 1], text) == 0) {
            return n->slots[at] - 1;
        }
        at = (at + 1) & (n->slot_count - 1);
    }
    if (n->count >= PROFILE_NONE - 1 || !profile_grow((void **)&n->data, n->count, &n->room, sizeof *n->data) ||
        (n->data[n->count] = strdup(text)) == NULL) {
        return PROFILE_NONE;
    }
    n->slots[at] = (uint32_t)++n->count;
    return (uint32_t)(n->count - 1);
}

void profile_names_free(struct profile_names *n)
{
    for (size_t i = 0; i < n->count; i++) {
        free(n->data[i]);
    }
    free(n->data);
    free(n->slots);
    *n = (struct profile_names){0};
}

char *profile_name_demangle(const char *symbol, bool keep)
{
    const char *version = strchr(symbol, '@'); /* "memcpy@@GLIBC_2.17", but not "memcpy@plt" */
    const bool stub = version != NULL && strcmp(version, "@plt") == 0;
    char *bare = version != NULL && version != symbol ? strndup(symbol, (size_t)(version - symbol)) : strdup(symbol);
    char *name = NULL, *whole;

    if (bare == NULL) {
        return NULL;
    }
    if (!keep && bare[0] == '_' && strlen(bare) < LONGEST_MANGLED) {
        name = rust_demangle(bare, DMGL_PARAMS | DMGL_ANSI);
        if (name == NULL) {
            name = cplus_demangle_v3(bare, DMGL_PARAMS | DMGL_ANSI);
        }
        if (name != NULL && strlen(name) > LONGEST_NAME) {
            free(name);
            name = NULL;
        }
    }
    if (name == NULL) {
        name = bare;
    } else {
        free(bare);
    }
    if (stub) {
        whole = realloc(name, strlen(name) + sizeof "@plt");
        if (whole == NULL) {
            free(name);
            return NULL;
        }
        name = strcat(whole, "@plt");
    }
    return name;
}

char *profile_name_path(const char *path)
{
    char *from = strdup(path), *to = malloc(strlen(path) + 2), *end = to;

    if (from == NULL || to == NULL) {
        free(from);
        free(to);
        return NULL;
    }
    *end = '\0';
    if (from[0] == '/') {
        *end++ = '/';
    }
    char *root = end; /* behind the ".." at the beginning, which stay */

    for (char *rest = from, *part; (part = strsep(&rest, "/")) != NULL;) {
        const bool up = strcmp(part, "..") == 0;

        if (part[0] == '\0' || strcmp(part, ".") == 0 || (up && to[0] == '/' && end == root)) {
            continue;
        }
        if (up && end > root) {
            do {
                end--;
            } while (end > root && end[-1] != '/');
            continue;
        }
        end = stpcpy(end, part);
        *end++ = '/';
        root = up ? end : root;
    }
    if (end > to + 1 && end[-1] == '/') {
        end--;
    }
    *end = '\0';
    free(from);
    return to;
}

static size_t slot_of(const struct profile_pairs *t, uint64_t a, uint64_t b)
{
    uint64_t hash = a * UINT64_C(0x9e3779b97f4a7c15);
    size_t at;

    hash = (hash ^ hash >> 32 ^ b) * UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 32;
    at = (size_t)hash & (t->room - 1);
    while (t->slots[at].used && (t->slots[at].a != a || t->slots[at].b != b)) {
        at = (at + 1) & (t->room - 1);
    }
    return at;
}

uint32_t *profile_pair_at(struct profile_pairs *t, uint64_t a, uint64_t b)
{
    if (2 * (t->count + 1) > t->room) {
        struct profile_pairs more = {NULL, t->count, t->room == 0 ? 64 : 2 * t->room};

        more.slots = calloc(more.room, sizeof *more.slots);
        if (more.slots == NULL) {
            return NULL;
        }
        for (size_t i = 0; i < t->room; i++) {
            if (t->slots[i].used) {
                more.slots[slot_of(&more, t->slots[i].a, t->slots[i].b)] = t->slots[i];
            }
        }
        free(t->slots);
        *t = more;
    }
    struct profile_pair *slot = &t->slots[slot_of(t, a, b)];

    if (!slot->used) {
        *slot = (struct profile_pair){a, b, PROFILE_NONE, true};
        t->count++;
    }
    return &slot->value;
}
