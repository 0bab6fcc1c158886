/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds cgroups by patterns. */
#define _GNU_SOURCE
#include "cgroups.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host.h"

/* Returns @pattern without the folder @root and without slashes before it. */
static const char *relative(const char *pattern, const char *root)
{
    const size_t length = strlen(root);

    if (strncmp(pattern, root, length) == 0 && (pattern[length] == '/' || pattern[length] == '\0')) {
        pattern += length;
    }
    return pattern + strspn(pattern, "/");
}

int cgroups_check(const struct cli_verb *verb, const char *pattern)
{
    const char *root = host_cgroup_root();

    if (root == NULL) {
        cli_complain(verb, "--cgroup: %s: no cgroups are in /sys/fs/cgroup; mount them: "
                           "mount -t cgroup2 none /sys/fs/cgroup", pattern);
        return CLI_CANNOT;
    }
    for (const char *at = relative(pattern, root); *at != '\0'; at += strspn(at, "/")) {
        const size_t length = strcspn(at, "/");

        if (length == 2 && at[0] == '.' && at[1] == '.') {
            cli_complain(verb, "--cgroup: %s: it has .. in it; give the path from the root of all cgroups", pattern);
            return CLI_USAGE;
        }
        at += length;
    }
    return CLI_YES;
}

/* Adds the cgroup whose folder is @path to @found, unless it is there.  @root_length: of the root's folder. */
static void add(struct cgroups *found, const char *path, size_t root_length)
{
    struct cgroup *c;
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return;
    }
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].id == st.st_ino) {
            return;
        }
    }
    found->items = cli_allocate(found->items, found->count + 1, sizeof *found->items);
    c = &found->items[found->count++];
    c->path = strcpy(cli_allocate(NULL, strlen(path) + 1, 1), path);
    for (size_t n = strlen(path); n > root_length + 1 && path[n - 1] == '/'; n--) {
        c->path[n - 1] = '\0';
    }
    c->name = c->path + root_length;
    c->id = st.st_ino;
}

struct cgroups cgroups_find(const char *const *patterns, size_t count)
{
    const char *root = host_cgroup_root();
    struct cgroups found = {0};

    for (size_t i = 0; i < count && root != NULL; i++) {
        char *pattern = cli_allocate(NULL, strlen(root) + strlen(patterns[i]) + 2, 1);
        glob_t matches;

        strcpy(stpcpy(stpcpy(pattern, root), "/"), relative(patterns[i], root));
        if (glob(pattern, GLOB_ONLYDIR, NULL, &matches) == 0) {
            for (size_t k = 0; k < matches.gl_pathc; k++) {
                add(&found, matches.gl_pathv[k], strlen(root));
            }
            globfree(&matches);
        }
        free(pattern);
    }
    return found;
}

void cgroups_free(struct cgroups *found)
{
    for (size_t i = 0; i < found->count; i++) {
        free(found->items[i].path);
    }
    free(found->items);
    *found = (struct cgroups){0};
}
