/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls and returns, with pointer authentication, and an instruction that is conditional but no branch.
 *
 * Instructions: 7 + 100 x 22 + 3.  Each of the 100 rounds has BL, BLR, BLRAAZ; RET x9 twice, RETAA; BR, BRAAZ; and the
 * conditional branch that ends the loop.
 *
 * expect BL_TAKEN_RETIRED 300
 * expect BL_IMMED_TAKEN_RETIRED 100
 * expect BL_IND_TAKEN_RETIRED 200
 * expect BR_RETURN_RETIRED 300
 * expect BR_IND_RETIRED 700
 * expect BR_INDNR_RETIRED 400
 * expect BRNL_INDNR_TAKEN_RETIRED 200
 * expect BRNL_IND_TAKEN_RETIRED 500
 * expect BR_IMMED_RETIRED 200
 * expect BR_RETIRED 900
 * expect BR_UNCOND_RETIRED 800
 * expect BR_COND_RETIRED 100
 * expect PC_WRITE_RETIRED 899
 * expect BRNL_TAKEN_RETIRED 599
 * expect BRNL_IMMED_TAKEN_RETIRED 99
 * expect BR_IMMED_TAKEN_RETIRED 199
 * expect BR_IMMED_SKIP_RETIRED 1
 * expect INST_RETIRED 2210
 */
    .arch   armv8.3-a
    .globl _start
_start:
    mov     x19, #100
    adr     x20, plain
    adr     x21, with_key
    paciza  x21
    adr     x22, hop
    adr     x23, last
    paciza  x23
1:  bti     c
    bl      plain
    blr     x20
    blraaz  x21
    br      x22
hop:
    bti     j
    cmp     x19, #50
    csel    x0, x1, x2, eq          /* no branch */
    cinc    x0, x0, ne
    braaz   x23
last:
    subs    x19, x19, #1
    b.ne    1b
    mov     x0, #0
    mov     x8, #93
    svc     #0
plain:
    mov     x9, x30
    nop
    ret     x9
with_key:
    paciasp
    add     x10, x10, #1
    nop
    retaa
