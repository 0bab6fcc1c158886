@ i.MX6, Cortex-A9, SVC mode
prof_on:
        mov     r1, #2
        mcr     p15, 0, r1, c9, c13, 1          @ PMSELR = 2
        isb
        mov     r2, #0x03
        mcr     p15, 0, r2, c9, c13, 1          @ PMXEVTYPER
        mov     r2, #4
        mcr     p15, 0, r2, c9, c12, 1          @ counter 2
        mov     r2, #7
        mcr     p15, 0, r2, c9, c12, 0
        isb
        bx      lr
