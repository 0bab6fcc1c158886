/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Four threads besides the first; each of the five faults 1000 times in the middle of a loop, in a block that also
 * begins at the loop's label.  The handler steps over the load.
 *
 * Instructions: the first thread executes 18 + 4 x 12 + 1 before, each other one 1.  All five execute 2, 1000 rounds of
 * 4 and the load, which faults, and 3; for each fault 4 in the handler and 2 in the trampoline.  The first thread ends
 * before the others.
 *
 * expect threads 5
 * expect INST_RETIRED 50096
 * expect LD_RETIRED 5000
 * expect ST_RETIRED 5003
 * expect EXC_SVC 5010
 * expect status 0
 */
#define CLONE_FLAGS 0x50f00         /* VM FS FILES SIGHAND THREAD SYSVSEM */
    .globl _start
_start:
    adr     x0, handler
    adrp    x20, action
    add     x20, x20, :lo12:action
    str     x0, [x20]
    movz    x0, #0x0400, lsl #16    /* SA_RESTORER */
    add     x0, x0, #4              /* SA_SIGINFO */
    str     x0, [x20, #8]
    adr     x0, restorer
    stp     x0, xzr, [x20, #16]
    mov     x0, #11                 /* SIGSEGV */
    mov     x1, x20
    mov     x2, #0
    mov     x3, #8
    mov     x8, #134                /* rt_sigaction */
    svc     #0
    mov     x19, #4
    adrp    x21, stacks
    add     x21, x21, :lo12:stacks
2:  movz    x0, #(CLONE_FLAGS & 0xffff)
    movk    x0, #(CLONE_FLAGS >> 16), lsl #16
    add     x21, x21, #16, lsl #12
    mov     x1, x21
    mov     x2, #0
    mov     x3, #0
    mov     x4, #0
    mov     x8, #220                /* clone */
    svc     #0
    cbz     x0, work
    subs    x19, x19, #1
    b.ne    2b
    nop
work:
    mov     x10, #1000
    mov     x1, #0
1:  nop
    ldr     x2, [x1]                /* faults */
    nop
    subs    x10, x10, #1
    b.ne    1b
    mov     x0, #0
    mov     x8, #93                 /* exit: of this thread; the last one ends the process */
    svc     #0
handler:                            /* x2 is the context, with the pc at 440 */
    ldr     x3, [x2, #440]
    add     x3, x3, #4
    str     x3, [x2, #440]
    ret
restorer:
    mov     x8, #139                /* rt_sigreturn */
    svc     #0
    .bss
    .balign 4096
action:
    .skip   4096
stacks:
    .skip   4 * 65536
