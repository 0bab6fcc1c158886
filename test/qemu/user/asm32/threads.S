/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As asm/threads.S, in A32: four threads besides the first; each goes round a loop 20000 times, in which either a
 * load or a store passes its condition, and ends; so does the first.
 * Instructions: the first thread executes 4 + 4 x 11 before, each other one 2; all five then execute 1 + 20000 x 6 + 3.
 *
 * expect threads 5
 * expect INST_RETIRED 600076
 * expect LD_RETIRED 50000
 * expect ST_RETIRED 50000
 * expect BR_COND_RETIRED 100012
 * expect BR_COND_TAKEN_RETIRED 100002
 * expect BR_SKIP_RETIRED 10
 * expect EXC_SVC 9
 * expect status 0
 */
#define CLONE_FLAGS 0x50f00         /* VM FS FILES SIGHAND THREAD SYSVSEM */
    .syntax unified
    .arch   armv7-a
    .arm
    .globl  _start
_start:
    movw    r8, #:lower16:stacks
    movt    r8, #:upper16:stacks
    movw    r9, #4
    nop
2:  movw    r0, #(CLONE_FLAGS & 0xffff)
    movt    r0, #(CLONE_FLAGS >> 16)
    add     r8, r8, #4096
    mov     r1, r8
    mov     r2, #0
    mov     r7, #120                /* clone */
    svc     #0
    cmp     r0, #0
    beq     work
    subs    r9, r9, #1
    bne     2b
work:
    movw    r10, #20000
1:  tst     r10, #1
    ldreq   r0, [sp, #-8]
    strne   r0, [sp, #-8]
    nop
    subs    r10, r10, #1
    bne     1b
    mov     r0, #0
    mov     r7, #1                  /* exit: of this thread; the last one ends the process */
    svc     #0
    .bss
    .balign 4096
    .skip   4096
stacks:
    .skip   4 * 4096
