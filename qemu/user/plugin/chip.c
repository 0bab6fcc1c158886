/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modelled cores of this process, in a file that the tool reads.
 *
 * A thread has the core of its vCPU.  QEMU gives the number of a vCPU that ended to a thread that begins.  So that
 * thread takes over a core with what its caches hold, and the counts go on.  In the child of fork the one thread has
 * core 0 of a new chip, in which nothing is cached.  The file grows by a core when one is needed; its memory is mapped
 * from the beginning, because streams point into it.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../core/trace.h"

#define TRACE_VARIABLE "ARMPMU_CORE_TRACE"
#define NO_CORE UINT32_MAX

struct stream chip_streams[APMU_CHIP_THREADS + 1]; /* the last one has no core */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct apmu_chip *chip; /* NULL: no core is modelled, or there is no room */
static size_t mapped;          /* bytes from there on */
static char file[64];          /* its name in the shared directory */
static uint32_t core_of[APMU_CHIP_THREADS]; /* of each vCPU; NO_CORE: none yet */
static struct stream_shared shared;

static const struct apmu_modelled *wanted(void)
{
    return &plugin.setup->core;
}

uint32_t chip_tells(void)
{
    return plugin.dir[0] != '\0' ? wanted()->tells : 0;
}

/* Returns the bytes of a chip with @cores cores. */
static size_t size_of(unsigned cores)
{
    return apmu_chip_size(&wanted()->row, wanted()->parts, cores);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The trace.
 */

/* Opens a file for the calls, if the user asks for a trace. */
static void open_trace(void)
{
    const char *folder = getenv(TRACE_VARIABLE);
    char path[APMU_PATH + 32];

    shared.trace = NULL;
    for (unsigned n = 0; folder != NULL && folder[0] != '\0' && shared.trace == NULL; n++) {
        snprintf(path, sizeof path, "%.4000s/core.%d.%u", folder, (int)getpid(), n);
        shared.trace = fopen(path, "wbxe");
        if (shared.trace == NULL && errno != EEXIST) {
            fprintf(stderr, "armpmu: %s: %s; name a folder that can be written in " TRACE_VARIABLE "\n", path,
                    strerror(errno));
            break;
        }
    }
    if (shared.trace != NULL) {
        core_trace_begin(shared.trace, &wanted()->row, wanted()->parts);
    }
}

void chip_write_trace(void)
{
    if (shared.trace != NULL) {
        fflush(shared.trace);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The file.
 */

/* Creates and maps the file, whose name is then file.  Returns false and sets errno if it cannot. */
static bool map_file(void)
{
    char path[APMU_PATH + sizeof file];
    int fd = -1;

    for (unsigned n = 0; fd < 0; n++) {
        snprintf(file, sizeof file, APMU_CHIP_PREFIX "%d.%u", (int)getpid(), n);
        snprintf(path, sizeof path, "%s/%s", plugin.dir, file);
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST) {
            return false;
        }
        plugin.image->head.chip = n + 1;
    }
    void *map = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    const int error = errno;

    close(fd);
    errno = error;
    chip = map == MAP_FAILED ? NULL : map;
    return chip != NULL;
}

/*
 * Makes the file as long as @cores cores need, with room for what lies beyond the first @used bytes.  The program may
 * close any descriptor, so the file is opened each time.
 */
static bool lengthen(unsigned cores, size_t used)
{
    const size_t size = size_of(cores);
    const int fd = image_open_shared(file, O_RDWR);
    const bool done = fd >= 0 && apmu_file_resize(fd, size);

    if (!done) {
        shapes_lost(errno);
    }
    if (fd >= 0) {
        close(fd);
    }
    return done && image_has_room((char *)chip + used, size - used); /* it tells the tool if not */
}

/* Makes a chip with one core, which no thread has yet.  If it cannot, tells the tool, and no thread will have one. */
static void make_chip(void)
{
    mapped = size_of(APMU_CHIP_THREADS);
    if (mapped == 0 || !map_file()) {
        shapes_lost(mapped == 0 ? EINVAL : errno);
        return;
    }
    if (!lengthen(1, 0) || apmu_chip_init(chip, size_of(1), &wanted()->row, wanted()->parts, 1) != NULL) {
        munmap(chip, mapped);
        chip = NULL;
    }
}

/* Returns whether cores of the chip share a level that is simulated. */
static bool shares_levels(void)
{
    const struct apmu_modelled *m = wanted();

    return ((m->parts & APMU_CORE_L2) != 0 && m->row.value[APMU_CORE_KEY_L2_SHARED] != 0) ||
           (m->parts & APMU_CORE_LAST) != 0;
}

/* Returns core @n, which is made if it is the next one; NULL if it cannot be made. */
static struct apmu_core *core_at(uint32_t n)
{
    if (n >= chip->cores && (!lengthen(n + 1, size_of(n)) || apmu_chip_grow(chip, size_of(n + 1), n + 1) != NULL)) {
        return NULL;
    }
    if (n >= plugin.image->head.cores) {
        plugin.image->head.cores = n + 1;
        shared.locks = n > 0 && (shares_levels() || shared.trace != NULL);
    }
    return apmu_chip_core(chip, n);
}

/* Returns a core for translated code of threads that have none.  Nobody reads what it counts. */
static struct apmu_core *spare_core(void)
{
    static struct apmu_chip *spare;
    const size_t size = size_of(1);

    if (spare == NULL && size != 0) {
        spare = malloc(size);
        if (spare == NULL || apmu_chip_init(spare, size, &wanted()->row, wanted()->parts, 1) != NULL) {
            fprintf(stderr, "armpmu: there is no memory for the core of a thread: the program cannot go on\n");
            abort();
        }
    }
    return spare == NULL ? NULL : apmu_chip_core(spare, 0);
}

const struct apmu_core *chip_layout(void)
{
    return chip == NULL ? NULL : apmu_chip_core(chip, 0);
}

/* Gives the thread on @vcpu a core, and its stream. */
static void give_core(unsigned vcpu)
{
    struct apmu_core *core = NULL;

    if (chip != NULL && vcpu < APMU_CHIP_THREADS) {
        if (core_of[vcpu] == NO_CORE) {
            core_of[vcpu] = plugin.image->head.cores;
        }
        core = core_of[vcpu] < APMU_CHIP_THREADS ? core_at(core_of[vcpu]) : NULL;
    }
    if (core == NULL) {
        __atomic_fetch_or(&plugin.image->head.notes, APMU_NOTE_NO_CORE, __ATOMIC_RELAXED);
    }
    list_begin(vcpu, core != NULL ? core : spare_core());
    if (vcpu < APMU_CHIP_THREADS) {
        stream_init(&chip_streams[vcpu], core, core_of[vcpu], &shared);
        chip_streams[vcpu].plain = core != NULL && shared.trace == NULL;
        blame_begin(vcpu);
        stream_tell_late(&chip_streams[vcpu]);
        worker_begin(vcpu);
        list_keep_journal(vcpu);
        tell_begin(vcpu);
    }
}

void chip_begin(unsigned vcpu)
{
    if (chip_tells() == 0) {
        return;
    }
    pthread_mutex_lock(&lock);
    give_core(vcpu);
    pthread_mutex_unlock(&lock);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Processes.
 */

/* Makes the chip and the trace of a process that has no thread yet. */
static void begin_process(void)
{
    shared = (struct stream_shared){.branches = (wanted()->tells & APMU_TELL_BRANCHES) != 0};
    for (unsigned i = 0; i < APMU_CHIP_THREADS; i++) {
        core_of[i] = NO_CORE;
    }
    for (unsigned i = 0; i <= APMU_CHIP_THREADS; i++) {
        stream_init(&chip_streams[i], NULL, 0, &shared);
    }
    open_trace();
    make_chip();
}

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    chip_write_trace();
}

static void parent_of_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* Gives the child of fork a chip, before it executes anything. */
static void child_of_fork(void)
{
    pthread_mutex_init(&lock, NULL);
    if (chip != NULL) {
        munmap(chip, mapped);
    }
    chip = NULL;
    worker_forget();
    begin_process();
    give_core(image_forking_vcpu());
}

void chip_open(void)
{
    if (chip_tells() == 0) {
        return;
    }
    begin_process();
    tell_open();
    pthread_atfork(before_fork, parent_of_fork, child_of_fork);
}
