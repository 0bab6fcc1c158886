/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine in the tool's process: what its files share.
 *
 *   run.c       start, wait, free
 *   find.c      the program, the emulator, the plugin; refusals
 *   shared.c    the private directory with the shared files
 *   totals.c    images to totals and remarks
 */
#ifndef ARMPMU_ENGINE_INTERNAL_H
#define ARMPMU_ENGINE_INTERNAL_H

#include <dirent.h>
#include <sys/types.h>

#include "run.h"
#include "../program.h"
#include "../protocol.h"

/** What the images of a run say, added up. */
struct sum {
    uint64_t counts[APMU_SOURCE_COUNT];
    unsigned processes, threads, execs;
    unsigned killed;        /* images that neither exited nor became another */
    uint32_t longest_block; /* of killed images that were not precise, instructions */
    uint32_t longest_faulted; /* of images with APMU_NOTE_FAULT */
    uint32_t interface; /* of the emulator's plugins */
    uint32_t notes;
    unsigned not_counted;   /* execs */
    char not_counted_path[256], not_counted_why[64];
    bool trapped, trap_refused; /* a killed image ended with a PMU access */
    char trap_control[48];      /* that refused it */
    uint32_t trap_word;
    bool trap_a32;
    uint64_t trap_pc;
};

/** The files that start needs. */
struct found {
    enum apmu_program_kind kind;
    const char *variable; /* of the environment, that names the emulator */
    char program[APMU_PATH], plugin[APMU_PATH], shim[APMU_PATH];
    struct apmu_target target[APMU_PROGRAM_KINDS];
};

struct apmu_run {
    pid_t pid;
    int pidfd;               /* -1 where the kernel has none */
    char dir[APMU_PATH];
    int dirfd, lock;         /* of it; -1 where it is not made */
    DIR *files;              /* the same directory */
    int setup_fd, shapes_fd;
    struct found found;
    uint64_t outcomes;
    bool el0;
    bool gains;              /* the kernel would give the program privileges */
    uint64_t start_ns;
    struct apmu_run_status status;
    struct apmu_shapes *shapes; /* a copy: see shared_refresh() */
    struct sum finished;     /* images that ended, whose files are gone */
    uint32_t images;         /* of them */
    struct apmu_refusal lost; /* why the counts are not whole; status is 0 as long as they are */
};

/* find.c */
bool find_all(const struct apmu_run_options *opt, struct found *f, struct apmu_refusal *no);
/** Fills @no, printf-like: @cause, then after a newline the cure.  Returns false. */
bool refuse(struct apmu_refusal *no, int status, const char *cause_and_cure, ...) __attribute__((format(printf, 3, 4)));

/* shared.c */
bool shared_create(struct apmu_run *run, const struct apmu_run_options *opt, struct apmu_refusal *no);
void shared_remove(struct apmu_run *run);
/** What to do about @error, an errno of making files there. */
const char *shared_cure(int error);
/** Copies the shapes of now.  False, and run->lost says why, where the shared files do not hold the counts any more. */
bool shared_refresh(struct apmu_run *run);
/** All images that were @published are among those @seen?  Else as shared_refresh(). */
bool shared_has_images(struct apmu_run *run, uint32_t published, uint32_t seen);
/** A file there cannot be opened; @error is an errno.  Then run->lost says why. */
void shared_unreadable(struct apmu_run *run, int error);
/** The image @name, open as @fd, has its size?  Else as shared_refresh(). */
bool shared_is_whole(struct apmu_run *run, const char *name, int fd);

/* totals.c */
/**
 * Adds up all images.  What has ended is moved to run->finished; at the @end all have.  False where the files do not hold
 * all counts: run->lost says why.
 */
bool totals_collect(struct apmu_run *run, bool end, struct sum *sum);
void totals_remark(const struct apmu_run *run, const struct sum *sum, char *buf, size_t size);

#endif
