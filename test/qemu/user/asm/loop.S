/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counted loop: 1 + 1000 x 2 + 3 instructions; the branch is taken 999 times.
 *
 * expect INST_RETIRED 2004
 * expect CPU_CYCLES 2004
 * expect BR_RETIRED 1000
 * expect BR_IMMED_RETIRED 1000
 * expect BR_COND_RETIRED 1000
 * expect BR_COND_TAKEN_RETIRED 999
 * expect BR_SKIP_RETIRED 1
 * expect PC_WRITE_RETIRED 999
 * expect DP_RETIRED 1003
 * expect EXC_SVC 1
 * expect EXC_TAKEN 1
 * expect LD_RETIRED 0
 * expect ST_RETIRED 0
 * expect status 7
 */
    .globl _start
_start:
    mov     x19, #1000
1:  subs    x19, x19, #1
    b.ne    1b
    mov     x0, #7
    mov     x8, #93             /* exit */
    svc     #0
