/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a word to stdout.  Ends with status 1 if that fails. */
    .globl _start
_start:
    mov     x0, #1
    adr     x1, word
    mov     x2, #5
    mov     x8, #64                 /* write */
    svc     #0
    cmp     x0, #5
    cset    x0, ne
    mov     x8, #93                 /* exit */
    svc     #0
word:
    .ascii  "said\n"
