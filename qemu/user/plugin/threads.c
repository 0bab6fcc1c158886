/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the counts of threads apart that follow each other on one vCPU, in a run that is recorded.
 *
 * QEMU gives the index of a vCPU that ended to the next thread that is made, so a row of counters gets a second thread.
 * Its counters go on.  Before the new thread executes anything, what the row counted since the thread before it began
 * is appended to the file t.PID.N.  If that fails, both threads have the row together.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TILES (APMU_COUNTER_NUMBERS / APMU_TILE)

/* The counters of each row when its present thread began; NULL: 0. */
static uint64_t *begun[APMU_ROWS][TILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool failed; /* nothing can be appended any more */

/* What is appended. */
struct ended_list {
    struct apmu_ended_thread head;
    struct apmu_ended_count *counts;
    size_t room;
};

/* Adds a count to @list.  Returns false if there is no memory. */
static bool add(struct ended_list *list, uint32_t number, uint64_t times)
{
    if (list->head.count == list->room) {
        const size_t room = list->room * 2 + 512;
        struct apmu_ended_count *more = realloc(list->counts, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        list->counts = more;
        list->room = room;
    }
    list->counts[list->head.count++] = (struct apmu_ended_count){.number = number, .times = times};
    return true;
}

/* Adds what @row counted in @tile to @list, and notes where its counters are.  Returns false if there is no memory. */
static bool add_tile(struct ended_list *list, uint32_t row, uint32_t tile)
{
    const uint64_t *now = image_counter(row, tile * APMU_TILE);
    uint64_t **before = &begun[row][tile];
    bool ok = true;

    for (uint32_t i = 0; i < APMU_TILE && ok; i++) {
        const uint64_t times = now[i] - (*before != NULL ? (*before)[i] : 0);
        if (times != 0) {
            ok = add(list, tile * APMU_TILE + i, times);
        }
    }
    if (*before == NULL) {
        *before = malloc(APMU_TILE * sizeof(uint64_t));
    }
    if (*before != NULL) {
        memcpy(*before, now, APMU_TILE * sizeof(uint64_t));
    }
    return ok && *before != NULL;
}

/* Appends @list to the file.  Returns false if that fails; a part of an entry at the end is passed over. */
static bool append(const struct ended_list *list)
{
    const size_t size = list->head.count * sizeof list->counts[0];
    char path[APMU_PATH + 64];
    struct stat st;

    if (plugin.dir[0] == '\0') {
        return false;
    }
    snprintf(path, sizeof path, "%s/" APMU_THREADS_PREFIX "%d.%u", plugin.dir, (int)getpid(),
             (unsigned)plugin.image->head.number);
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    const bool ok = fd >= 0 && fstat(fd, &st) == 0 && (size_t)st.st_size < APMU_THREADS_BYTES &&
                    write(fd, &list->head, sizeof list->head) == (ssize_t)sizeof list->head &&
                    write(fd, list->counts, size) == (ssize_t)size;

    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

void threads_begin(uint32_t row)
{
    struct apmu_image_thread *label = &plugin.image->head.thread[row];
    struct ended_list list = {.head = {.magic = APMU_PROTOCOL_MAGIC, .tid = label->tid, .row = row}};
    bool ok = plugin.code != NULL && row < APMU_ROWS - 1 && label->threads == 1;

    if (!ok) {
        return;
    }
    memcpy(list.head.name, label->name, sizeof list.head.name);
    pthread_mutex_lock(&lock);
    ok = !failed;
    for (uint32_t tile = 0; tile < TILES && ok; tile++) {
        if (image_is_reserved(tile * APMU_TILE)) {
            ok = add_tile(&list, row, tile);
        }
    }
    ok = ok && append(&list);
    failed |= !ok;
    pthread_mutex_unlock(&lock);
    free(list.counts);
    if (ok) {
        *label = (struct apmu_image_thread){.threads = 0};
    }
}

void threads_child(void)
{
    pthread_mutex_init(&lock, NULL);
    failed = false;
    for (uint32_t row = 0; row < APMU_ROWS && plugin.code != NULL; row++) {
        for (uint32_t tile = 0; tile < TILES; tile++) {
            free(begun[row][tile]);
            begun[row][tile] = NULL;
        }
    }
}
