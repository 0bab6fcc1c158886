/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file with the counters of this process. */
#define _GNU_SOURCE
#include "plugin.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Creates a file for this process and maps it at @at, or anywhere if that is NULL. */
static struct apmu_image *map_new_file(void *at)
{
    char path[APMU_PATH];
    int fd = -1;
    for (unsigned n = 0; fd < 0; n++) {
        int len = snprintf(path, sizeof path, "%s/%s%d.%u", plugin.dir, APMU_PROCESS_PREFIX, (int)getpid(), n);
        if (len < 0 || (size_t)len >= sizeof path)
            return NULL;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && access(path, F_OK) != 0)
            return NULL;
    }
    void *map = MAP_FAILED;
    if (ftruncate(fd, sizeof(struct apmu_image)) == 0)
        map = mmap(at, sizeof(struct apmu_image), PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);
    close(fd);
    return map == MAP_FAILED ? NULL : map;
}

static void publish(struct apmu_image *image, enum apmu_image_origin origin)
{
    image->head.version = APMU_PROTOCOL_VERSION;
    image->head.pid = (int32_t)getpid();
    image->head.state = APMU_IMAGE_RUNS;
    image->head.origin = origin;
    __atomic_store_n(&image->head.magic, APMU_PROTOCOL_MAGIC, __ATOMIC_RELEASE);
}

/* In the child of fork, before it executes anything: the translated code counts in a file of its own from here on. */
static void child_of_fork(void)
{
    struct apmu_image *image = plugin.image;
    static struct apmu pmu[APMU_ROWS];
    uint32_t rows = image->head.rows, longest = image->head.longest_block, precise = image->head.precise;

    if (plugin.setup->el0)
        memcpy(pmu, image->pmu, sizeof pmu);
    if (map_new_file(image) == NULL) {
        __atomic_fetch_or(&image->head.notes, APMU_NOTE_LOST_CHILD, __ATOMIC_RELAXED);
        if (mmap(image, sizeof *image, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
            MAP_FAILED)
            _exit(127);
    }
    if (plugin.setup->el0)
        memcpy(image->pmu, pmu, sizeof pmu);
    image->head.rows = rows;
    image->head.longest_block = longest;
    image->head.precise = precise;
    image->head.threads = 1;
    el0_fork();
    el0_unlock();
    count_child();
    publish(image, APMU_ORIGIN_FORK);
    retranslate_child();
}

static void parent_of_fork(void)
{
    el0_unlock();
    retranslate_forked();
}

bool image_open(const char *dir, enum apmu_image_origin origin)
{
    snprintf(plugin.dir, sizeof plugin.dir, "%s", dir);
    plugin.image = map_new_file(NULL);
    if (plugin.image == NULL)
        return false;
    plugin.image->head.rows = 1;
    publish(plugin.image, origin);
    return pthread_atfork(el0_lock, parent_of_fork, child_of_fork) == 0;
}

void image_add_row(unsigned vcpu)
{
    uint32_t rows = vcpu < APMU_ROWS ? vcpu + 1 : APMU_ROWS;
    __atomic_fetch_add(&plugin.image->head.threads, 1, __ATOMIC_RELAXED);
    if (plugin.image->head.rows < rows)
        plugin.image->head.rows = rows;
    el0_begin(vcpu);
}
