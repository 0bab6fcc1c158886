/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes that samples are taken of: which program each executes, and what is mapped where.  Programs and maps
 * get a row in the recording when a sample belongs to them.
 */
#ifndef ARMPMU_CLI_SAMPLE_PROCESSES_H
#define ARMPMU_CLI_SAMPLE_PROCESSES_H

#include "profile_internal.h"
#include "recording.h"

/** Code that is mapped in a process. */
struct sample_place {
    uint64_t start, end, offset;
    uint32_t path; /**< its number in sample_processes.paths */
    uint32_t map;  /**< its row; RECORDING_NONE: none yet */
};

/** A program that a process executes. */
struct sample_program {
    int32_t pid;
    uint32_t parent;   /**< the program that forked or executed it; RECORDING_NONE: not known */
    bool forked;
    uint64_t start_ns; /**< since the beginning of the recording */
    char *name;
    char *command;     /**< NULL: not known */
    uint32_t image;    /**< its row; RECORDING_NONE: none yet */
};

struct sample_process {
    int32_t pid;
    uint32_t program;
    struct sample_place *places; /**< by their addresses; none overlap */
    size_t place_count, place_room;
};

struct sample_processes {
    struct recording *r;
    struct sample_program *programs;
    size_t program_count, program_room;
    struct sample_process *processes;
    size_t process_count, process_room;
    char **paths;                  /**< of files; each has one row at most */
    uint32_t *files;               /**< the rows of the paths; RECORDING_NONE: none yet */
    size_t path_count, path_room;
    struct profile_pairs by_pid;   /**< (pid, 0) to the process */
    struct profile_pairs by_place; /**< (image and path, start) to the map that was added last */
};

/** Ends armpmu unless a row or the slot of a table is @there: there is no memory. */
void sample_need(bool there);

/** Makes @ps empty; rows go to @r. */
void sample_processes_begin(struct sample_processes *ps, struct recording *r);

void sample_processes_free(struct sample_processes *ps);

/** Process @pid executes another program from @time_ns on.  @command may be NULL. */
void sample_process_execute(struct sample_processes *ps, int32_t pid, const char *name, const char *command,
                            uint64_t time_ns);

/** Process @parent forks @pid. */
void sample_process_fork(struct sample_processes *ps, int32_t parent, int32_t pid, uint64_t time_ns);

/** Process @pid maps code of the file @path.  What was there is gone. */
void sample_process_map(struct sample_processes *ps, int32_t pid, const struct sample_place *place, const char *path);

/** Returns the row of the program that process @pid executes. */
uint32_t sample_process_image(struct sample_processes *ps, int32_t pid);

/** Returns the row of the map with @address in process @pid, or of the kernel's; RECORDING_NONE: there is none. */
uint32_t sample_process_place(struct sample_processes *ps, int32_t pid, uint64_t address, bool kernel);

#endif
