/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out what kind of program a file is.  The tool asks before it starts a program; the plugin asks when a program
 * becomes another one by exec.
 */
#ifndef ARMPMU_QEMU_USER_PROGRAM_H
#define ARMPMU_QEMU_USER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define APMU_PATH 4096 /* Linux's limit on a path, in bytes, with its terminating 0 */

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
    const char *machine;          /**< of ELF: "x86-64", "32-bit Arm", ..., "unknown"; of a script: "script"; else "" */
    bool dynamic;                 /**< AARCH64, AARCH32: it has a dynamic loader */
    char interpreter[APMU_PATH];  /**< a dynamic program's loader, or a script's interpreter; else "" */
    char argument[APMU_PATH];     /**< the one argument that a script's first line gives, or "" */
};

/** The number of kinds that an emulator runs: the first ones of enum apmu_program_kind. */
#define APMU_PROGRAM_KINDS 2

/** Looks at the file @path, following links, and fills @program.  An error makes the kind APMU_PROGRAM_UNREADABLE. */
void apmu_program_inspect(const char *path, struct apmu_program *program);

/** Returns true if exec of @path gives privileges that the caller lacks, by setuid, setgid or file capabilities. */
bool apmu_program_gains(const char *path);

#endif
