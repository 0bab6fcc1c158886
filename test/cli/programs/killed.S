/* SPDX-License-Identifier: BSD-2-Clause */
/* Kills itself with SIGKILL. */
    .globl _start
_start:
    mov     x8, #172                /* getpid */
    svc     #0
    mov     x1, #9
    mov     x8, #129                /* kill */
    svc     #0
