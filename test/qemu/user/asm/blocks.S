/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More blocks than there are counters for blocks (APMU_BLOCKS, 262144): the program writes 280000 branches, each to the
 * next instruction and each a block, and a RET into memory, and executes them twice.
 *
 * Instructions: 13 before; 280000 x 3 write the branches, 3 the RET; 1 before the calls; twice 3 around a call and
 * 280001 in it; 3 at the end.
 *
 * expect INST_RETIRED 1400028
 * expect BR_RETIRED 840006
 * expect BR_IMMED_RETIRED 840002
 * expect BR_RETURN_RETIRED 2
 * expect BR_COND_RETIRED 280002
 * expect BR_COND_TAKEN_RETIRED 280000
 * expect BR_SKIP_RETIRED 2
 * expect ST_RETIRED 280001
 * expect LD_RETIRED 0
 * expect EXC_SVC 2
 * expect status 0
 */
#define BLOCKS 280000
    .globl _start
_start:
    mov     x0, #0
    mov     x1, #0x200000           /* 2 MiB */
    mov     x2, #7                  /* PROT_READ, PROT_WRITE, PROT_EXEC */
    mov     x3, #0x22               /* MAP_PRIVATE, MAP_ANONYMOUS */
    mov     x4, #-1
    mov     x5, #0
    mov     x8, #222                /* mmap */
    svc     #0
    mov     x20, x0
    movz    w10, #0x1400, lsl #16   /* B, to the next instruction: 0x14000001 */
    movk    w10, #1
    movz    x11, #(BLOCKS & 0xffff)
    movk    x11, #(BLOCKS >> 16), lsl #16
1:  str     w10, [x0], #4
    subs    x11, x11, #1
    b.ne    1b
    movz    w10, #0x03c0            /* RET: 0xd65f03c0 */
    movk    w10, #0xd65f, lsl #16
    str     w10, [x0]
    mov     x19, #2
2:  blr     x20
    subs    x19, x19, #1
    b.ne    2b
    mov     x0, #0
    mov     x8, #93                 /* exit */
    svc     #0
