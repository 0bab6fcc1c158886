/* SPDX-License-Identifier: BSD-2-Clause */
/* What kind of program a file is.  For the tool, and for the plugin when a program becomes another by exec. */
#ifndef ARMPMU_ENGINE_PROGRAM_H
#define ARMPMU_ENGINE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define APMU_PATH 4096 /* the longest path that Linux takes, with its 0 */

enum apmu_program_kind {
    APMU_PROGRAM_AARCH64,    /**< 64-bit little-endian Arm ELF */
    APMU_PROGRAM_AARCH32,    /**< 32-bit little-endian Arm ELF */
    APMU_PROGRAM_OTHER_ELF,  /**< an ELF program of another machine; see machine */
    APMU_PROGRAM_SCRIPT,     /**< begins with "#!" */
    APMU_PROGRAM_UNKNOWN,    /**< none of these */
    APMU_PROGRAM_DIRECTORY,
    APMU_PROGRAM_UNREADABLE, /**< see error */
};

struct apmu_program {
    enum apmu_program_kind kind;
    int error;                    /**< errno of APMU_PROGRAM_UNREADABLE */
    const char *machine;          /**< "x86-64", "32-bit Arm", ..., "of an unknown machine" */
    bool dynamic;                 /**< AARCH64, AARCH32: it has a program interpreter, the dynamic loader */
    char interpreter[APMU_PATH];   /**< of a dynamic program, or of a script */
    char argument[APMU_PATH];      /**< the one argument that a script's first line gives, or "" */
};

/** Those of the above that an engine runs, which are the first. */
#define APMU_PROGRAM_KINDS 2

/** Looks at the file @path, following links. */
void apmu_program_inspect(const char *path, struct apmu_program *program);

/** Would the kernel give the program @path privileges that its caller has not: setuid, setgid, file capabilities? */
bool apmu_program_gains(const char *path);

#endif
