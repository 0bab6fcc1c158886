/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 256 calls of a function with a load that misses every time, in 64 lines of 1 MiB apart from each other, and with a
 * store that hits.  What a load waits for it waits for after the function has returned: 300 instructions follow each
 * call, more than a core dispatches behind a load that misses.
 *
 * Instructions: 3, then 256 x (2 + 5 + 300 + 2), then 3.
 *
 * expect INST_RETIRED 79110
 * expect LD_RETIRED 256
 * expect ST_RETIRED 256
 * expect status 0
 */
    .globl _start, fetch
    .type _start, %function
_start:
    adrp    x20, lines
    mov     x19, #256
    adrp    x22, lines
1:  and     x21, x19, #63
    bl      fetch
    .rept   300
    add     x1, x1, #1
    .endr
    subs    x19, x19, #1
    b.ne    1b
    mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0
    .size   _start, . - _start

    .type fetch, %function
fetch:
    add     x2, x20, x21, lsl #20
    add     x3, x22, #8
    ldr     x0, [x2]
    str     x1, [x3]
    ret
    .size   fetch, . - fetch
    .bss
    .balign 65536
lines:
    .skip   64 << 20
