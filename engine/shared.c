/* SPDX-License-Identifier: BSD-2-Clause */
/* The private directory with the shared files: in memory where there is such a place. */
#define _GNU_SOURCE
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MEMORY_DIR "/dev/shm"
#define MEMORY_FREE (UINT64_C(64) << 20) /* a program of a thousand processes stays well below */
#define DIR_PREFIX "armpmu-"

static const char *base_dir(void)
{
    struct statfs fs;
    if (statfs(MEMORY_DIR, &fs) == 0 && fs.f_type == TMPFS_MAGIC &&
        (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize >= MEMORY_FREE && access(MEMORY_DIR, W_OK | X_OK) == 0)
        return MEMORY_DIR;
    const char *tmp = getenv("TMPDIR");
    return tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp";
}

static void remove_dir(const char *path)
{
    DIR *d = opendir(path);
    if (d == NULL)
        return;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    rmdir(path);
}

/* A tool that was killed leaves its directory, and the next one removes it. */
static void sweep(const char *base)
{
    DIR *d = opendir(base);
    if (d == NULL)
        return;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        int pid;
        char path[APMU_PATH];
        if (sscanf(e->d_name, DIR_PREFIX "%d-", &pid) != 1 || pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH)
            continue;
        int n = snprintf(path, sizeof path, "%s/%s", base, e->d_name);
        if (n > 0 && (size_t)n < sizeof path)
            remove_dir(path);
    }
    closedir(d);
}

/* Creates the file @name of @size bytes in the run's directory and maps it. */
static void *create(const struct apmu_run *run, const char *name, size_t size)
{
    char path[APMU_PATH];
    int n = snprintf(path, sizeof path, "%s/%s", run->dir, name);
    int fd = n < 0 || (size_t)n >= sizeof path ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return NULL;
    void *map = MAP_FAILED;
    if (ftruncate(fd, (off_t)size) == 0)
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return map == MAP_FAILED ? NULL : map;
}

bool shared_create(struct apmu_run *run, const struct apmu_run_options *opt, struct apmu_refusal *no)
{
    const char *base = base_dir();
    sweep(base);
    snprintf(run->dir, sizeof run->dir, "%s/" DIR_PREFIX "%d-XXXXXX", base, (int)getpid());
    if (mkdtemp(run->dir) == NULL) {
        run->dir[0] = '\0';
        return refuse(no, 3, "%s: no directory can be made there: %s\nname another one in TMPDIR", base, strerror(errno));
    }
    struct apmu_setup *setup = create(run, APMU_SETUP_FILE, sizeof *setup);
    struct apmu_shapes *shapes = create(run, APMU_SHAPES_FILE, sizeof *shapes);
    run->shapes = shapes;
    if (setup == NULL || shapes == NULL)
        return refuse(no, 3, "%s: no file can be made there: %s\nname another directory in TMPDIR", run->dir,
                      strerror(errno));
    shapes->magic = setup->magic = APMU_PROTOCOL_MAGIC;
    shapes->version = setup->version = APMU_PROTOCOL_VERSION;
    shapes->sources = APMU_SOURCE_COUNT;
    setup->outcomes = opt->outcomes;
    setup->el0 = opt->el0_pmu != NULL;
    if (opt->el0_pmu != NULL)
        setup->el0_pmu = *opt->el0_pmu;
    memcpy(setup->plugin, run->found.plugin, sizeof setup->plugin);
    memcpy(setup->shim, run->found.shim, sizeof setup->shim);
    memcpy(setup->target, run->found.target, sizeof setup->target);
    munmap(setup, sizeof *setup);
    return true;
}

void shared_remove(struct apmu_run *run)
{
    if (run->shapes != NULL)
        munmap((void *)(uintptr_t)run->shapes, sizeof *run->shapes);
    if (run->dir[0] != '\0')
        remove_dir(run->dir);
}
