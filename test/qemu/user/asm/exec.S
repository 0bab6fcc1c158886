/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that becomes itself by exec until it has four arguments.  It executes 15 + 3(n + 1) instructions with n
 * arguments, and 6 with four.
 *
 * expect processes 1
 * expect execs 3
 * expect INST_RETIRED 78
 * expect EXC_SVC 4
 * expect LD_RETIRED 4
 * expect status 9
 */
    .globl _start
_start:
    ldr     x0, [sp]                /* argc */
    cmp     x0, #4
    b.eq    done
    add     x10, sp, #8             /* argv; a copy with one more behind argv[0] */
    adrp    x11, vector
    add     x11, x11, :lo12:vector
    adr     x12, self
    mov     x13, x0
1:  str     x12, [x11], #8
    subs    x13, x13, #1
    b.pl    1b
    str     xzr, [x11]
    adr     x0, self
    adrp    x1, vector
    add     x1, x1, :lo12:vector
    mov     x2, #0
    mov     x8, #221                /* execve */
    svc     #0
    mov     x0, #1
    mov     x8, #93
    svc     #0
done:
    mov     x0, #9
    mov     x8, #93
    svc     #0
self:
    .asciz  "/proc/self/exe"
    .bss
    .balign 8
vector:
    .skip   64
