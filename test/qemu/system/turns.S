/* SPDX-License-Identifier: BSD-2-Clause */
/* uint64_t turns(uint64_t n): returns what PMEVCNTR0_EL0 counts in @n turns: 2n instructions and one of the reads. */
    .text
    .global turns
turns:
    isb
    mrs x1, pmevcntr0_el0
1:  subs x0, x0, #1
    b.ne 1b
    mrs x2, pmevcntr0_el0
    sub x0, x2, x1
    ret

    .section .note.GNU-stack, "", %progbits
