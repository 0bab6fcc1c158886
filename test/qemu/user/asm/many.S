/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many branches, a part of them random: a shift register of 16 bits goes through all its 65535 states, of which 32768
 * have bit 0 set.  The parent goes around twice, before and after its fork, and the child once.
 * With an argument the parent goes around for minutes.
 *
 * Instructions of a time around: 4 + 65535 x 9 + 32768 + 15 x 2 at system calls + 1.  Beside these: 15 in the parent up
 * to the second time around, 10 behind it, 2 and 4 in the child.
 * Conditional branches of a time around: 3 x 65535, taken 32767 + (65535 - 15) + 65534 times.  Beside these: one that
 * the parent skips, and one that it skips and the child takes.
 *
 * expect processes 2
 * expect INST_RETIRED 1867885
 * expect EXC_SVC 49
 * expect BR_RETURN_RETIRED 196608
 * expect BR_COND_RETIRED 589818
 * expect BR_COND_TAKEN_RETIRED 491464
 * expect status 0
 */
    .globl _start
_start:
    ldr     x24, [sp]               /* argc */
    sub     x24, x24, #1
    lsl     x24, x24, #20
0:  bl      rounds
    sub     x24, x24, #1
    tbz     x24, #63, 0b
    mov     x0, #17                 /* SIGCHLD */
    mov     x1, #0
    mov     x2, #0
    mov     x3, #0
    mov     x4, #0
    mov     x8, #220                /* clone: fork */
    svc     #0
    mov     x23, x0
    bl      rounds
    cbz     x23, 1f
    mov     x0, #-1
    mov     x1, #0
    mov     x2, #0
    mov     x3, #0
    mov     x8, #260                /* wait4 */
    svc     #0
1:  mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0

rounds:
    mov     x22, x30
    mov     w19, #65535
    mov     w20, #1
    mov     w21, #0xb400
1:  and     w1, w20, #1
    lsr     w20, w20, #1
    cbz     w1, 2f
    eor     w20, w20, w21
2:  bl      nothing
    tst     w19, #0xfff
    b.ne    3f
    mov     x8, #172                /* getpid */
    svc     #0
3:  subs    w19, w19, #1
    b.ne    1b
    ret     x22
nothing:
    ret
