/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes "ready" to stdout, then waits for a signal. */
    .globl _start
_start:
    mov     x0, #1
    adr     x1, word
    mov     x2, #6
    mov     x8, #64                 /* write */
    svc     #0
again:
    mov     x0, #0
    mov     x1, #0
    mov     x2, #0
    mov     x3, #0
    mov     x8, #73                 /* ppoll, without end */
    svc     #0
    b       again
word:
    .ascii  "ready\n"
