/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A branch that is taken every other time, the first time too, in a loop of 1000 rounds, and a call and return in each.
 * Instructions: 1, then 1000 x 6 and 500 more where the branch is skipped, then 3.
 *
 * expect INST_RETIRED 6504
 * expect BR_RETIRED 4000
 * expect BR_COND_TAKEN_RETIRED 1499
 * expect BR_SKIP_RETIRED 501
 * expect BR_RETURN_RETIRED 1000
 * expect status 0
 */
    .globl _start
_start:
    mov     x19, #1000
1:  tbz     x19, #0, 2f             /* taken for even numbers */
    nop
2:  bl      3f
    subs    x19, x19, #1
    b.ne    1b
    mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0
3:  nop
    ret
