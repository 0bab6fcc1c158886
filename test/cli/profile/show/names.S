/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of all kinds: aliases, labels without a size, data in code, an IFUNC, and names that Rust makes. */
    .text

/* FUNCTION(name) begins a global function, and END(name) ends it. */
.macro FUNCTION name
    .globl \name
    .type \name, %function
\name:
.endm
.macro END name
    .size \name, . - \name
.endm

    FUNCTION _start
    bl bare
    nop
    END _start

/* One address with many names: the global one with the fewest underscores, then the shortest. */
    .globl __copy_generic, _copy, copy_long_name, copy
    .type __copy_generic, %function
    .type _copy, %function
    .type copy_long_name, %function
    .type copy, %function
    .type copy_weak, %function
    .type copy_local, %function
    .weak copy_weak
__copy_generic:
_copy:
copy_long_name:
copy:
copy_weak:
copy_local:
    nop
    ret
    .size __copy_generic, . - __copy_generic
    .size _copy, . - _copy
    .size copy_long_name, . - copy_long_name
    .size copy, . - copy
    .size copy_weak, . - copy_weak
    .size copy_local, . - copy_local

/* Labels without a size or a type reach up to the next one. */
bare:
    nop
    nop
next_label:
    ret

/* A label within a function and data among its code do not cut it. */
    FUNCTION outer
    nop
inner_label:
    b 1f
    .word 0x12345678
1:  ret
    END outer

/* Rust: legacy, and version 0. */
    FUNCTION _ZN4core3fmt9Formatter9write_str17h0123456789abcdefE
    nop
    END _ZN4core3fmt9Formatter9write_str17h0123456789abcdefE
    FUNCTION _RNvNtCs1234_7mycrate3foo3bar
    nop
    END _RNvNtCs1234_7mycrate3foo3bar

    .globl chosen
    .type chosen, %gnu_indirect_function
chosen:
    adr x0, bare
    ret
    .size chosen, . - chosen
