@ Zynq-7000, Cortex-A9, SVC mode, no OS
        .arch   armv7-a
        .global prof_on, prof_off
prof_on:
        mov     r1, #1
        mcr     p15, 0, r1, c9, c12, 5          @ select counter 1
        isb
        mov     r2, #0x01
        mcr     p15, 0, r2, c9, c13, 1          @ instruction cache refill
        ldr     r2, =0x80000002
        mcr     p15, 0, r2, c9, c12, 1          @ CCNT and counter 1
        mov     r2, #7
        mcr     p15, 0, r2, c9, c12, 0
        isb
        bx      lr
prof_off:
        isb
        mrc     p15, 0, r0, c9, c13, 0          @ CCNT
        mrc     p15, 0, r1, c9, c13, 2          @ count of refills (PMSELR stays 1 all the time)
        bx      lr
