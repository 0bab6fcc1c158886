/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes, sweeps and reads the private directory with the shared files.  It is in memory (/dev/shm) if there is room and
 * ARMPMU_TMPDIR names no other place.  On a disk, programs with hundreds of processes take several times as long.
 *
 * A tool that was killed leaves its directory, and the next tool removes it.  The base may be a folder that everybody
 * writes to, so nothing in it is followed or trusted.  A directory is removed only if its name, owner and mode are
 * those of ours and no tool holds the lock of its file LOCK_FILE; and only files with our names are removed from it.  A
 * pid in the name would not tell whether its tool still runs, because pid namespaces share such folders.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MEMORY_DIR "/dev/shm"
#define MEMORY_FREE (UINT64_C(64) << 20) /* room for some 200 processes of Python that run at the same time */
#define DIR_PREFIX "armpmu-run."
#define DIR_RANDOM "XXXXXX"
#define LOCK_FILE "lock"
#define TRIES 100 /* attempts to make a directory while other tools sweep */

/* Returns the value of the variable @name, or NULL if it is not set or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Returns the folder in which the directory is made: ARMPMU_TMPDIR, or else memory, or else TMPDIR or /tmp. */
static const char *base_dir(void)
{
    const char *chosen = variable("ARMPMU_TMPDIR"), *tmp = variable("TMPDIR");
    struct statfs fs;
    if (chosen != NULL) {
        return chosen;
    }
    if (statfs(MEMORY_DIR, &fs) == 0 && fs.f_type == TMPFS_MAGIC &&
        (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize >= MEMORY_FREE && access(MEMORY_DIR, W_OK | X_OK) == 0) {
        return MEMORY_DIR;
    }
    return tmp != NULL ? tmp : "/tmp";
}

const char *shared_cure(int error)
{
    switch (error) {
    case EMFILE:
    case ENFILE:
        return "raise the limit of open files, ulimit -n";
    case EFBIG:
        return "raise the limit of the size of files, ulimit -f";
    case ENOMEM:
        return "raise the limit of memory, ulimit -v, or end other programs";
    case ENOSPC:
    case EDQUOT:
        return "make room there, or name another directory in ARMPMU_TMPDIR";
    default:
        return "name another directory in ARMPMU_TMPDIR";
    }
}

/* As shared_cure(), for an error in the directory @dir. */
static const char *cure_in(const char *dir, int error)
{
    if (error == ENOSPC && strncmp(dir, MEMORY_DIR "/", sizeof MEMORY_DIR) == 0) {
        return "make " MEMORY_DIR " larger, mount -o remount,size=1G " MEMORY_DIR ", or in a container --shm-size=1g; "
               "or name another directory in ARMPMU_TMPDIR";
    }
    return shared_cure(error);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Removing.
 */

static bool is_our_file(const char *name)
{
    return strcmp(name, APMU_SETUP_FILE) == 0 || strcmp(name, APMU_SHAPES_FILE) == 0 ||
           strcmp(name, APMU_CODE_FILE) == 0 ||
           strncmp(name, APMU_PROCESS_PREFIX, strlen(APMU_PROCESS_PREFIX)) == 0 ||
           strncmp(name, APMU_CHIP_PREFIX, strlen(APMU_CHIP_PREFIX)) == 0 ||
           strncmp(name, APMU_GRAPH_PREFIX, strlen(APMU_GRAPH_PREFIX)) == 0 ||
           strncmp(name, APMU_THREADS_PREFIX, strlen(APMU_THREADS_PREFIX)) == 0;
}

/* Removes the files in @d that are ours.  The lock file goes last, because its lock is held here. */
static void remove_files(DIR *d)
{
    rewinddir(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (is_our_file(e->d_name)) {
            unlinkat(dirfd(d), e->d_name, 0);
        }
    }
    unlinkat(dirfd(d), LOCK_FILE, 0);
}

/* Removes the directory @name of @base, if it is one of ours and no tool is at work in it. */
static void sweep_dir(int base, const char *name)
{
    struct stat st;
    int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (d == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 07777) == 0700) {
        int lock = openat(fd, LOCK_FILE, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        bool unused = lock < 0 && errno == ENOENT; /* a tool that is just making it then makes another */
        if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) {
            unused = true;
            remove_files(d);
        }
        if (unused) {
            unlinkat(base, name, AT_REMOVEDIR);
        }
        if (lock >= 0) {
            close(lock);
        }
    }
    closedir(d);
}

static bool is_our_name(const char *name)
{
    return strncmp(name, DIR_PREFIX, strlen(DIR_PREFIX)) == 0 && strlen(name) == strlen(DIR_PREFIX DIR_RANDOM);
}

/* Removes what killed tools left in @base. */
static void sweep(const char *base)
{
    DIR *d = opendir(base);
    if (d == NULL) {
        return;
    }
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (is_our_name(e->d_name)) {
            sweep_dir(dirfd(d), e->d_name);
        }
    }
    closedir(d);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Making.
 */

/*
 * Opens the directory run->dir, which was just made, and takes its lock.  Returns 1 if that is done, 0 if another tool
 * removed the directory before that, -1 with errno for an error.
 */
static int take_dir(struct apmu_run *run)
{
    struct stat st;
    run->dirfd = open(run->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (run->dirfd < 0) {
        return errno == ENOENT ? 0 : -1;
    }
    run->files = fdopendir(run->dirfd);
    if (run->files == NULL) {
        return -1;
    }
    run->lock = openat(run->dirfd, LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (run->lock < 0) {
        return errno == ENOENT ? 0 : -1;
    }
    if (flock(run->lock, LOCK_EX) != 0 || fstat(run->lock, &st) != 0) {
        return -1;
    }
    return st.st_nlink > 0;
}

/* Closes the directory and its lock.  Keeps errno. */
static void release_dir(struct apmu_run *run)
{
    int error = errno;
    if (run->lock >= 0) {
        close(run->lock);
    }
    if (run->files != NULL) {
        closedir(run->files);
    } else if (run->dirfd >= 0) {
        close(run->dirfd);
    }
    run->lock = run->dirfd = -1;
    run->files = NULL;
    errno = error;
}

/* Makes a directory in @base, and takes its lock. */
static bool make_dir(struct apmu_run *run, const char *base, struct apmu_refusal *no)
{
    char path[APMU_PATH];
    int taken = 0;

    /* The path is absolute, because the program may change its current directory. */
    if (realpath(base, path) == NULL) {
        return host_refuse(no, 3, "%s: no directory can be made there: %s\n%s", base, strerror(errno),
                           shared_cure(errno));
    }
    for (int i = 0; i < TRIES && taken == 0; i++) {
        release_dir(run);
        int n = snprintf(run->dir, sizeof run->dir, "%s/" DIR_PREFIX DIR_RANDOM, strcmp(path, "/") == 0 ? "" : path);
        errno = ENAMETOOLONG;
        if (n < 0 || (size_t)n >= sizeof run->dir || mkdtemp(run->dir) == NULL) {
            taken = -1;
        } else {
            taken = take_dir(run);
        }
    }
    if (taken > 0) {
        return true;
    }
    int error = taken == 0 ? EBUSY : errno;
    if (taken < 0) {
        rmdir(run->dir);
    }
    run->dir[0] = '\0';
    return host_refuse(no, 3, "%s: no directory can be made there: %s\n%s", path, strerror(error), shared_cure(error));
}

/*
 * Creates the file @name of @size bytes in the run's directory, with room for the first @used bytes.  Returns its
 * descriptor, or -1 with errno.
 */
static int create_file(const struct apmu_run *run, const char *name, size_t size, size_t used)
{
    int fd = openat(run->dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return -1;
    }
    int error = apmu_file_resize(fd, size) ? 0 : errno;
    if (error == 0) {
        error = posix_fallocate(fd, 0, (off_t)used);
    }
    if (error == 0) {
        return fd;
    }
    close(fd);
    errno = error;
    return -1;
}

/* Makes the file setup.  Returns false and sets errno if it cannot. */
static bool write_setup(struct apmu_run *run, const struct apmu_run_options *opt)
{
    struct apmu_setup *setup = calloc(1, sizeof *setup);
    run->setup_fd = setup == NULL ? -1 : create_file(run, APMU_SETUP_FILE, sizeof *setup, sizeof *setup);
    if (run->setup_fd < 0) {
        free(setup);
        return false;
    }
    setup->magic = APMU_PROTOCOL_MAGIC;
    setup->version = APMU_PROTOCOL_VERSION;
    setup->outcomes = opt->outcomes;
    setup->record = opt->record;
    setup->deterministic = opt->deterministic;
    setup->el0 = opt->el0_pmu != NULL;
    setup->core = run->core;
    setup->graph = run->graphed;
    if (opt->el0_pmu != NULL) {
        setup->el0_pmu = *opt->el0_pmu;
    }
    memcpy(setup->plugin, run->found.plugin, sizeof setup->plugin);
    memcpy(setup->shim, run->found.shim, sizeof setup->shim);
    memcpy(setup->emulator, run->found.emulator, sizeof setup->emulator);
    bool ok = pwrite(run->setup_fd, setup, sizeof *setup, 0) == (ssize_t)sizeof *setup;
    free(setup);
    return ok;
}

/* Makes the file shapes, and memory for a copy of it.  Returns false and sets errno if it cannot. */
static bool make_shapes(struct apmu_run *run)
{
    const struct apmu_shapes_head head = {.magic = APMU_PROTOCOL_MAGIC, .version = APMU_PROTOCOL_VERSION,
                                          .sources = APMU_SOURCE_COUNT};
    run->shapes_fd = create_file(run, APMU_SHAPES_FILE, sizeof *run->shapes, offsetof(struct apmu_shapes, vector));
    if (run->shapes_fd < 0 || pwrite(run->shapes_fd, &head, sizeof head, 0) != (ssize_t)sizeof head) {
        return false;
    }
    void *copy =
        mmap(NULL, sizeof *run->shapes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    run->shapes = copy == MAP_FAILED ? NULL : copy;
    return run->shapes != NULL;
}

/* Makes the file code, and memory for a copy of it.  Returns false and sets errno if it cannot. */
static bool make_code(struct apmu_run *run)
{
    const struct apmu_code_head head = {.magic = APMU_PROTOCOL_MAGIC, .version = APMU_PROTOCOL_VERSION};
    run->code_fd = create_file(run, APMU_CODE_FILE, sizeof(struct apmu_code), sizeof head);
    return run->code_fd >= 0 && pwrite(run->code_fd, &head, sizeof head, 0) == (ssize_t)sizeof head;
}

bool shared_create(struct apmu_run *run, const struct apmu_run_options *opt, struct apmu_refusal *no)
{
    const char *base = base_dir();
    sweep(base);
    if (!make_dir(run, base, no)) {
        return false;
    }
    if (!write_setup(run, opt) || !make_shapes(run) || (opt->record && !make_code(run))) {
        int error = errno;
        return host_refuse(no, 3, "%s: its files cannot be made: %s\n%s", run->dir, strerror(error),
                           cure_in(run->dir, error));
    }
    return true;
}

void shared_remove(struct apmu_run *run)
{
    if (run->shapes != NULL) {
        munmap(run->shapes, sizeof *run->shapes);
    }
    if (run->shapes_fd >= 0) {
        close(run->shapes_fd);
    }
    if (run->code_fd >= 0) {
        close(run->code_fd);
    }
    if (run->setup_fd >= 0) {
        close(run->setup_fd);
    }
    if (run->files != NULL) {
        remove_files(run->files);
    }
    if (run->dir[0] != '\0') {
        rmdir(run->dir);
    }
    release_dir(run);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Reading.
 */

bool shared_lose(struct apmu_run *run, const char *what, const char *how)
{
    if (run->lost.status == 0) {
        host_refuse(&run->lost, 3,
                    "%s/%s: %s while the program ran, so its counts are lost\n"
                    "run it again, and let no other program touch that directory",
                    run->dir, what, how);
    }
    return false;
}

/* Returns true if @name is still the file open as @fd, with its @size; else fills run->lost. */
static bool is_intact(struct apmu_run *run, const char *name, int fd, size_t size)
{
    struct stat now, made;
    if (fstat(fd, &made) != 0 || fstatat(run->dirfd, name, &now, AT_SYMLINK_NOFOLLOW) != 0) {
        return shared_lose(run, name, "was removed");
    }
    if (now.st_ino != made.st_ino || now.st_dev != made.st_dev) {
        return shared_lose(run, name, "was replaced");
    }
    return (size_t)made.st_size == size || shared_lose(run, name, "was truncated");
}

/* Reads the vectors of @count shapes from @first on.  A mapping would end the tool if somebody truncates the file. */
static bool read_vectors(struct apmu_run *run, uint32_t first, uint32_t count)
{
    const size_t size = count * sizeof run->shapes->vector[0];
    const size_t at = offsetof(struct apmu_shapes, vector) + first * sizeof run->shapes->vector[0];
    return pread(run->shapes_fd, run->shapes->vector[first], size, (off_t)at) == (ssize_t)size;
}

static bool read_blocks(struct apmu_run *run, uint32_t count)
{
    const size_t size = count * sizeof run->shapes->block[0];
    return pread(run->shapes_fd, run->shapes->block, size, offsetof(struct apmu_shapes, block)) == (ssize_t)size;
}

bool shared_refresh(struct apmu_run *run)
{
    struct apmu_shapes_head *head = &run->shapes->head;
    const uint32_t singles = APMU_SHAPES - APMU_BLOCK_SHAPES;
    struct stat here, there;

    if (run->lost.status != 0) {
        return false;
    }
    if (fstat(run->dirfd, &here) != 0 || stat(run->dir, &there) != 0 || here.st_ino != there.st_ino ||
        here.st_dev != there.st_dev) {
        return shared_lose(run, "", "was removed");
    }
    if (!is_intact(run, APMU_SETUP_FILE, run->setup_fd, sizeof(struct apmu_setup)) ||
        !is_intact(run, APMU_SHAPES_FILE, run->shapes_fd, sizeof(struct apmu_shapes))) {
        return false;
    }
    bool ok = pread(run->shapes_fd, head, sizeof *head, 0) == (ssize_t)sizeof *head;
    if (head->blocks > APMU_BLOCK_SHAPES) { /* these numbers may include ids that were refused */
        head->blocks = APMU_BLOCK_SHAPES;
    }
    if (head->insns > singles) {
        head->insns = singles;
    }
    if (head->counters > APMU_BLOCKS) {
        head->counters = APMU_BLOCKS;
    }
    if (!ok || head->magic != APMU_PROTOCOL_MAGIC || !read_vectors(run, 0, head->blocks) ||
        !read_vectors(run, APMU_BLOCK_SHAPES, head->insns) || !read_blocks(run, head->counters)) {
        return shared_lose(run, APMU_SHAPES_FILE, "was truncated");
    }
    if (head->lost != 0) {
        return host_refuse(&run->lost, 3, "%s: a file of counts could not be made, or could not grow: %s\n%s", run->dir,
                           strerror((int)head->lost), cure_in(run->dir, (int)head->lost));
    }
    return true;
}

bool shared_has_images(struct apmu_run *run, uint32_t published, uint32_t seen)
{
    return seen >= published || shared_lose(run, APMU_PROCESS_PREFIX "*", "was removed or truncated");
}

void shared_unreadable(struct apmu_run *run, int error)
{
    if (error != ENOENT && run->lost.status == 0) { /* shared_has_images() finds out that a file is gone */
        host_refuse(&run->lost, 3, "%s: its files cannot be read: %s\n%s", run->dir, strerror(error),
                    shared_cure(error));
    }
}

bool shared_is_whole(struct apmu_run *run, const char *name, int fd)
{
    struct stat st;
    return (fstat(fd, &st) == 0 && st.st_size == (off_t)sizeof(struct apmu_image)) ||
           shared_lose(run, name, "was truncated");
}
