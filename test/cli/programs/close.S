/* SPDX-License-Identifier: BSD-2-Clause */
/* Closes its stdout, then ends with status 0. */
    .globl _start
_start:
    mov     x0, #1
    mov     x8, #57                 /* close */
    svc     #0
    mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0
