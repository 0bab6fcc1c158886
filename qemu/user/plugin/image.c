/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the file with the counters of this process, its image, and gives the child of fork another.
 *
 * The states of an image, its head.state, and what leads from one to another:
 *
 *       image_open(): the tool started this emulator, or become() did        child_of_fork(): in a new process
 *                        |                                                         |
 *                        +------> map_new_file(): the file p.PID.N exists <--------+
 *                                 and its head has room; magic is still 0,
 *                                 so the tool passes it over
 *                                           |
 *                                       publish()
 *                                           v
 *          on_exit_group(), at_exit()    +------+   become() in exec.c    +----------+
 *     EXITED <---------------------------| RUNS |------------------------>| REPLACED |--> execve: the emulator again,
 *        |                               |      |<------------------------|          |    and image_open() there makes
 *        v                               |      |   execve failed         +----------+    p.PID.N+1
 *     collect_image() in the tool        |      |
 *     adds it to the run's finished      |      |   note_not_counted()    +----------+
 *     images and removes the file        |      |------------------------>|  NATIVE  |--> execve: a program that is
 *                                        |      |<------------------------|          |    not counted
 *                                        +------+   exec_failed()         +----------+
 *                                           |
 *                                           | SIGKILL, or another signal that ends the process
 *                                           v
 *                                        stays RUNS: when the program has ended, the tool adds all images that are
 *                                        left, and takes those that RUN for killed
 *
 * The image is mapped at one address A as long as the process lives, because translated code has that address in it.
 * fork in the process 1, which makes the process 2:
 *
 *                                             process 1: at A      process 2: at A
 *     on_clone(): image_foresee_fork()        p.1.0                -
 *     fork(), between before_fork() and         p.1.0                p.1.0, which is shared; nothing is executed yet
 *       child_of_fork()
 *     child_of_fork(): map_new_file()         p.1.0                p.1.0; p.2.0 elsewhere
 *     child_of_fork(): mremap() to A          p.1.0                p.2.0
 *     child_of_fork(): publish()              p.1.0                p.2.0, RUNS
 *
 * If no file can be made, memory that nobody reads takes its place (map_uncounted()), and the tool is told.
 *
 * The file is sparse, and a first write to a page of it needs room in the file system; without room the write is
 * SIGBUS.  So room is made before translated code writes: tile by tile, in the rows in use.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE ((size_t)4096)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool tiles[APMU_COUNTER_NUMBERS / APMU_TILE], rows[APMU_ROWS]; /* those that have room */
static __thread unsigned forking_vcpu; /* the vCPU of the thread that forks */

/* ---------------------------------------------------------------------------------------------------------------
 * Room.
 */

/*
 * Writes a zero to each page from @at to @at + @size - 1, which holds zeros.  It uses a system call, which returns an
 * error where there is no room, and gives it this thread's id, because the first thread may have ended.  Returns the
 * first address that has no room, or NULL if all have it.
 */
static char *touch(char *at, size_t size)
{
    static const char zeros[64];
    while (size > 0) {
        struct iovec remote[sizeof zeros], local = {(void *)(uintptr_t)zeros, 0};
        while (size > 0 && local.iov_len < sizeof zeros) {
            size_t part = PAGE - (uintptr_t)at % PAGE;
            part = part < size ? part : size;
            remote[local.iov_len++] = (struct iovec){at, 1};
            at += part;
            size -= part;
        }
        ssize_t n = process_vm_writev(gettid(), &local, 1, remote, local.iov_len, 0);
        if (n < 0 && errno != EFAULT && errno != ENOMEM) {
            return NULL; /* the system call is not available */
        }
        if (n < (ssize_t)local.iov_len) {
            return remote[n < 0 ? 0 : n].iov_base;
        }
    }
    return NULL;
}

bool image_has_room(void *at, size_t size)
{
    bool yes = touch(at, size) == NULL;
    if (!yes) {
        shapes_lost(ENOSPC);
    }
    return yes;
}

/*
 * Makes room for @size bytes at @from.  Private memory replaces pages that have none: the program goes on, and the tool
 * is told.
 */
static void reserve_memory(void *from, size_t size)
{
    char *at = from, *end = at + size;
    for (char *hole; (hole = touch(at, (size_t)(end - at))) != NULL; at = hole + PAGE - (uintptr_t)hole % PAGE) {
        char *page = hole - (uintptr_t)hole % PAGE;
        shapes_lost(ENOSPC);
        if (mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
            return;
        }
        if (page + PAGE >= end) {
            return;
        }
    }
}

/* Makes room for @count rows of @tile, from @row on. */
static void reserve_counters(uint32_t tile, uint32_t row, uint32_t count)
{
    reserve_memory(image_counter(row, tile * APMU_TILE), count * APMU_TILE * sizeof(uint64_t));
}

void image_reserve(uint32_t number)
{
    const uint32_t tile = number / APMU_TILE;
    if (__atomic_load_n(&tiles[tile], __ATOMIC_ACQUIRE)) {
        return;
    }
    pthread_mutex_lock(&lock);
    for (uint32_t row = 0; row < APMU_ROWS && !tiles[tile]; row++) {
        if (rows[row]) {
            reserve_counters(tile, row, 1);
        }
    }
    __atomic_store_n(&tiles[tile], true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

bool image_is_reserved(uint32_t number)
{
    return __atomic_load_n(&tiles[number / APMU_TILE], __ATOMIC_ACQUIRE);
}

/* Makes room in @row for the counters of each tile in use, and takes the row into use. */
static void reserve_row(uint32_t row)
{
    pthread_mutex_lock(&lock);
    for (uint32_t tile = 0; tile < APMU_COUNTER_NUMBERS / APMU_TILE && !rows[row]; tile++) {
        if (tiles[tile]) {
            reserve_counters(tile, row, 1);
        }
    }
    rows[row] = true;
    pthread_mutex_unlock(&lock);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Files.
 */

/* Writes the path of the shared file @name.  Returns false and sets errno if it has none. */
static bool path_of(char path[APMU_PATH], const char *name)
{
    int n = snprintf(path, APMU_PATH, "%s/%s", plugin.dir, name);
    if (plugin.dir[0] != '\0' && n >= 0 && n < APMU_PATH) {
        return true;
    }
    errno = plugin.dir[0] == '\0' ? ENOENT : ENAMETOOLONG;
    return false;
}

int image_open_shared(const char *name, int flags)
{
    char path[APMU_PATH];
    struct stat st;
    int fd = path_of(path, name) ? open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_uid != geteuid() || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Maps the new file @fd and makes room for its head.  Returns NULL and sets errno if it cannot. */
static struct apmu_image *map_file(int fd)
{
    const size_t head = plugin.setup->el0 ? offsetof(struct apmu_image, counter) : sizeof(struct apmu_image_head);
    void *map = MAP_FAILED;

    if (apmu_file_resize(fd, sizeof(struct apmu_image))) {
        map = mmap(NULL, sizeof(struct apmu_image), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (map != MAP_FAILED && touch(map, head) != NULL) {
        munmap(map, sizeof(struct apmu_image));
        map = MAP_FAILED;
        errno = ENOSPC;
    }
    return map == MAP_FAILED ? NULL : map;
}

/* Creates a file for this process and maps it.  Returns NULL and sets errno if it cannot. */
static struct apmu_image *map_new_file(void)
{
    char path[APMU_PATH], name[64];
    unsigned number = 0;
    int fd = -1;
    for (unsigned n = 0; fd < 0; n++) {
        number = n;
        snprintf(name, sizeof name, APMU_PROCESS_PREFIX "%d.%u", (int)getpid(), n);
        if (!path_of(path, name)) {
            return NULL;
        }
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) {
            return NULL;
        }
    }
    struct apmu_image *image = map_file(fd);
    int error = errno;
    if (image == NULL) {
        unlink(path);
    } else {
        image->head.number = number;
    }
    close(fd);
    errno = error;
    return image;
}

/* Maps memory in place of a file, at @at, or anywhere if that is NULL.  Nobody reads it. */
static void *map_uncounted(void *at)
{
    return mmap(at, sizeof(struct apmu_image), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at != NULL ? MAP_FIXED : 0), -1, 0);
}

/* Tells the tool that @image is there. */
static void publish(struct apmu_image *image, enum apmu_image_origin origin)
{
    image->head.version = APMU_PROTOCOL_VERSION;
    image->head.pid = (int32_t)getpid();
    image->head.state = APMU_IMAGE_RUNS;
    image->head.origin = origin;
    label_image(&image->head);
    __atomic_store_n(&image->head.magic, APMU_PROTOCOL_MAGIC, __ATOMIC_RELEASE);
    __atomic_fetch_add(&plugin.shapes->head.images, 1, __ATOMIC_RELEASE);
}

/*
 * Notes in @image, its parent's, that this process cannot make its file.  A child that may not write there, because
 * it is another user or has another root directory, is a remark; any other @error makes the counts incomplete.
 */
static void note_lost_child(struct apmu_image *image, int error)
{
    if (error == EACCES || error == EPERM || error == ENOENT) {
        __atomic_fetch_or(&image->head.notes, APMU_NOTE_LOST_CHILD, __ATOMIC_RELAXED);
    } else {
        shapes_lost(error);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Processes and threads.
 */

void image_foresee_fork(unsigned vcpu)
{
    forking_vcpu = vcpu;
}

unsigned image_forking_vcpu(void)
{
    return forking_vcpu;
}

/* Makes room for the one thread of the child.  Interface 1 adds to row 0 as long as there is one thread. */
static void reserve_child(void)
{
    pthread_mutex_init(&lock, NULL);
    memset(rows, 0, sizeof rows);
    reserve_row(0);
    reserve_row(image_row(forking_vcpu));
}

/* Gives the child of fork a file of its own, before it executes anything: translated code counts there from now on. */
static void child_of_fork(void)
{
    struct apmu_image *image = plugin.image, *mine = map_new_file();
    void *moved;

    if (mine != NULL) {
        mine->head.rows = image->head.rows;
        mine->head.longest_block = image->head.longest_block;
        mine->head.precise = image->head.precise;
        mine->head.threads = 1;
        label_child(&mine->head, &image->head);
        if (plugin.setup->el0) {
            memcpy(mine->pmu, image->pmu, sizeof mine->pmu);
        }
        moved = mremap(mine, sizeof *mine, sizeof *mine, MREMAP_MAYMOVE | MREMAP_FIXED, image);
    } else {
        note_lost_child(image, errno);
        moved = map_uncounted(image);
    }
    if (moved == MAP_FAILED) {
        _exit(127);
    }
    reserve_child();
    el0_fork();
    el0_unlock();
    code_child();
    threads_child();
    count_child();
    if (mine != NULL) {
        publish(image, APMU_ORIGIN_FORK);
    }
    retranslate_child();
}

/* Keeps other threads from what the child must find whole. */
static void before_fork(void)
{
    el0_lock();
    code_lock();
}

/* Goes on in the parent after fork. */
static void parent_of_fork(void)
{
    code_unlock();
    el0_unlock();
    retranslate_forked();
}

bool image_open(enum apmu_image_origin origin)
{
    struct apmu_image *image = map_new_file();
    plugin.image = image;
    if (image == NULL) {
        shapes_lost(errno);
        if (origin == APMU_ORIGIN_START) { /* the program is not started; one that runs already goes on */
            return false;
        }
        plugin.image = map_uncounted(NULL);
    }
    if (plugin.image == MAP_FAILED) {
        return false;
    }
    rows[0] = true;
    plugin.image->head.rows = 1;
    if (image != NULL && origin == APMU_ORIGIN_EXEC && image->head.number > 0) {
        image->head.parent_pid = (int32_t)getpid();
        image->head.parent_number = image->head.number - 1;
    }
    if (image != NULL) {
        publish(image, origin);
    }
    return pthread_atfork(before_fork, parent_of_fork, child_of_fork) == 0;
}

void image_add_row(unsigned vcpu)
{
    const uint32_t row = image_row(vcpu);
    __atomic_fetch_add(&plugin.image->head.threads, 1, __ATOMIC_RELAXED);
    threads_begin(row);
    reserve_row(row);
    if (plugin.image->head.rows < row + 1) {
        plugin.image->head.rows = row + 1;
    }
    el0_begin(vcpu);
}
