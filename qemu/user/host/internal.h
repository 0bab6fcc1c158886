/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations shared by the files that run a program under the emulator, in the tool's process.
 *
 *   run.c       starts the emulator, waits for it, frees what it took
 *   find.c      finds the program, the emulator and the plugin, or refuses
 *   shared.c    the private directory with the shared files
 *   cores.c     the files with modelled cores
 *   apart.c     the processes of a deterministic run, and their environment
 *   graph.c     the files with call graphs
 *   totals.c    adds up the images to totals, and makes remarks
 *   record.c    keeps the counts by instruction, if the run is recorded
 */
#ifndef ARMPMU_QEMU_USER_HOST_INTERNAL_H
#define ARMPMU_QEMU_USER_HOST_INTERNAL_H

#include <dirent.h>
#include <sys/types.h>

#include "run.h"
#include "../program.h"
#include "../code.h"
#include "../protocol.h"

/** The sums over images of a run. */
struct image_totals {
    uint64_t counts[APMU_SOURCE_COUNT];
    uint64_t core[APMU_RUN_CORE_EVENTS]; /* of the events of the modelled core */
    unsigned processes, threads, execs;
    unsigned killed;          /* images that neither exited nor became another */
    uint32_t longest_block;   /* of killed images that were not precise, in instructions */
    uint32_t longest_faulted; /* of images with APMU_NOTE_FAULT, in instructions */
    uint32_t interface;       /* the version of the emulator's plugin interface */
    uint32_t notes;           /* set of enum apmu_note */
    unsigned not_counted;     /* execs of programs that are not counted */
    char not_counted_path[256], not_counted_why[64];
    bool trapped;             /* a killed image ended with a PMU access */
    bool trap_refused;        /* the PMU refused that access */
    char trap_control[48];    /* the control that decided so */
    uint32_t trap_word;
    bool trap_a32;
    uint64_t trap_pc;
};

/** The files that a start needs. */
struct run_files {
    enum apmu_program_kind kind;
    const char *variable; /* the environment variable that names the emulator of this kind */
    char program[APMU_PATH], plugin[APMU_PATH], shim[APMU_PATH];
    struct apmu_emulator emulator[APMU_PROGRAM_KINDS];
};

struct apmu_run {
    pid_t pid;
    int pidfd;                  /* -1 if the kernel has none */
    char dir[APMU_PATH];        /* the shared directory */
    int dirfd, lock;            /* the directory and its lock file; -1 before they are made */
    DIR *files;                 /* the same directory, for reading its names */
    int setup_fd, shapes_fd, code_fd; /* -1 before they are made; code_fd also if the run is not recorded */
    struct run_files found;
    uint64_t outcomes;
    struct apmu_modelled core;
    uint16_t core_events[APMU_RUN_CORE_EVENTS];
    size_t core_event_count;
    struct apmu_graphed graphed;
    struct apmu_run_graph *graphs; /* of images; those that ended come first */
    size_t graph_count, graphs_ended, graph_room;
    bool el0;
    bool deterministic;
    int alive;                  /* as long as it is open, process 1 of the run's pid namespace waits; -1: it is not */
    pid_t first;                /* that process; 0: there is none */
    int apart_error;            /* the errno for which there is no such namespace; 0: there is one */
    bool gains;                 /* the kernel would give the program privileges */
    uint64_t start_ns;
    struct apmu_run_status status;
    struct apmu_shapes *shapes; /* a copy of the file: see shared_refresh() */
    struct image_totals finished; /* of images that ended; their files are gone */
    uint32_t images;            /* the number of images in finished */
    struct run_recorder *recorder; /* NULL: the run is not recorded */
    struct apmu_refusal lost;   /* why the counts are not whole; its status is 0 as long as they are */
};

/* find.c */
/** Finds the files that @opt needs and fills @f.  Returns false and fills @no if one is missing or unsuitable. */
bool host_find_files(const struct apmu_run_options *opt, struct run_files *f, struct apmu_refusal *no);
/** Fills @no, printf-like: the cause, then after a newline the cure, which may be empty.  Returns false. */
bool host_refuse(struct apmu_refusal *no, int status, const char *cause_and_cure, ...)
    __attribute__((format(printf, 3, 4)));

/* shared.c */
/** Makes the shared directory with setup and shapes.  Returns false and fills @no if it cannot. */
bool shared_create(struct apmu_run *run, const struct apmu_run_options *opt, struct apmu_refusal *no);
/** Removes the directory and its files. */
void shared_remove(struct apmu_run *run);
/** Returns the cure for @error, an errno of making files there. */
const char *shared_cure(int error);
/** Copies the present shapes to run->shapes.  Returns false, and fills run->lost, if counts were lost. */
bool shared_refresh(struct apmu_run *run);
/** Compares the number of images @published with those @seen.  Returns false, and fills run->lost, if one is gone. */
bool shared_has_images(struct apmu_run *run, uint32_t published, uint32_t seen);
/** Fills run->lost if the errno @error of opening an image says more than that its file is gone. */
void shared_unreadable(struct apmu_run *run, int error);
/** Returns true if the image @name, open as @fd, has its size.  Else returns false and fills run->lost. */
bool shared_is_whole(struct apmu_run *run, const char *name, int fd);

/** Fills run->lost: @how says what happened to the shared file @what.  Returns false. */
bool shared_lose(struct apmu_run *run, const char *what, const char *how);

/* cores.c */
/** Decides what the core that @opt asks for has to be told.  Returns false and fills @no if it cannot be modelled. */
bool cores_plan(struct apmu_run *run, const struct apmu_run_options *opt, struct apmu_refusal *no);
/** Adds what the cores of the image with @head counted to @counts.  Fills run->lost if their file is not whole. */
void cores_add(struct apmu_run *run, const struct apmu_image_head *head, uint64_t *counts);
/** Removes the file with the cores of the image with @head, which has ended. */
void cores_remove(struct apmu_run *run, const struct apmu_image_head *head);

/* record.c */
struct record_image;
/** Makes the recorder of a run.  Returns false if there is no memory. */
bool record_begin(struct apmu_run *run);
/** Frees the recorder, if there is one. */
void record_end(struct apmu_run *run);
/** Returns true if the counts of an image are to be kept that now @ended, or that runs. */
bool record_wants(const struct apmu_run *run, bool ended);
/** Adds the image with @head, whose counts follow by record_count().  Returns NULL if there is no memory. */
struct record_image *record_image(struct apmu_run *run, const struct apmu_image_head *head, bool ended);
/**
 * Adds the threads of @image that ended before another one took their row, from their file, and removes that if @ended.
 */
void record_threads(struct apmu_run *run, struct record_image *image, bool ended);
/** Notes that the counter @number of @row of @image has @times. */
void record_count(struct apmu_run *run, struct record_image *image, uint32_t row, uint32_t number, uint64_t times);

/* apart.c */
/**
 * Forks, with the child as process 2 of a pid namespace of its own.  Where there can be none it forks as usual, and
 * run->apart_error says why.  The caller ends it with apart_end().
 */
pid_t apart_fork(struct apmu_run *run);
/** Lets the pid namespace end with its last process. */
void apart_end(struct apmu_run *run);
/** Returns a fixed environment with @variables, which may be NULL; the caller frees the array.  NULL: no memory. */
char **apart_environment(const char *const *variables);
/* graph.c */
/** Notes what call graph @opt asks for.  Returns false and fills @no if there is none of that. */
bool graph_plan(struct apmu_run *run, const struct apmu_run_options *opt, struct apmu_refusal *no);
/** Forgets the call graphs of images that had not ended. */
void graph_drop(struct apmu_run *run);
/** Adds the call graph of the image with @head to run->graphs.  Fills run->lost if it is not whole. */
void graph_collect(struct apmu_run *run, const struct apmu_image_head *head, bool ended);
/** Removes the file with the call graph of the image with @head. */
void graph_remove(struct apmu_run *run, const struct apmu_image_head *head);
/** Frees run->graphs. */
void graph_free(struct apmu_run *run);

/* totals.c */
/**
 * Adds up all images to @totals.  Images that ended move to run->finished; if @end is set, all images ended.  Returns
 * false, and fills run->lost, if the files do not hold all counts.
 */
bool totals_collect(struct apmu_run *run, bool end, struct image_totals *totals);
/** Writes the remarks on @totals into @buf: lines with '\n' between them, cut to @size bytes. */
void totals_remark(const struct apmu_run *run, const struct image_totals *totals, char *buf, size_t size);

#endif
