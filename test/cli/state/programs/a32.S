/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the cycle counter and event counter 0, which counts INST_RETIRED, and loops, for test_gdb.sh. */
    .globl _start
_start:
    mov r0, #0x41
    mcr p15, 0, r0, c9, c12, 0
    mov r0, #0
    mcr p15, 0, r0, c9, c12, 5
    mov r0, #0x8
    mcr p15, 0, r0, c9, c13, 1
    mov r0, #0x80000001
    mcr p15, 0, r0, c9, c12, 1
1:  b 1b
