/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system call by which the shim, which runs in the emulated program, talks to the plugin in the emulator.
 *
 * Both include this header, so it includes nothing but <stdint.h>.  Linux has no system call of this number; the plugin
 * sees the call before the emulator refuses it.  x0 is an enum apmu_call, and x1 to x3 are the arguments listed there.
 */
#ifndef ARMPMU_QEMU_USER_CALL_H
#define ARMPMU_QEMU_USER_CALL_H

#include <stdint.h>

#define APMU_SYSCALL 0x504d55 /* "PMU" */

enum apmu_call {
    /** x1, x2: the first byte of the shim's code and the byte after its last one.  That code is not counted. */
    APMU_CALL_SHIM = 1,
    /** x1: the instruction; x2: the value that it writes; x3: the address of a struct apmu_call_answer. */
    APMU_CALL_ACCESS = 2,
};

/** The answer that the plugin writes into the program's memory for APMU_CALL_ACCESS. */
struct apmu_call_answer {
    uint64_t value;   /**< what the access reads */
    uint64_t allowed; /**< 1: the access is done; 0: it raises SIGILL */
};

#endif
