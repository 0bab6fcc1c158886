/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two processes.  Instructions: 7 up to the fork, then 1 + 6 + 3 in the parent and 1 + 1 + 1000 x 2 + 3 in the child.
 *
 * expect processes 2
 * expect threads 2
 * expect INST_RETIRED 2022
 * expect EXC_SVC 4
 * expect BR_COND_RETIRED 1002
 * expect BR_COND_TAKEN_RETIRED 1000
 * expect BR_SKIP_RETIRED 2
 * expect status 0
 */
    .globl _start
_start:
    mov     x0, #17                 /* SIGCHLD */
    mov     x1, #0
    mov     x2, #0
    mov     x3, #0
    mov     x4, #0
    mov     x8, #220                /* clone: fork */
    svc     #0
    cbz     x0, child
    mov     x0, #-1
    mov     x1, #0
    mov     x2, #0
    mov     x3, #0
    mov     x8, #260                /* wait4 */
    svc     #0
    mov     x0, #0
    mov     x8, #93
    svc     #0
child:
    mov     x19, #1000
1:  subs    x19, x19, #1
    b.ne    1b
    mov     x0, #3
    mov     x8, #93
    svc     #0
