; armasm, Cortex-R5: cycles
        EXPORT  cyc_init
cyc_init PROC
        MRC     p15, 0, r0, c9, c12, 0
        ORR     r0, r0, #5
        MCR     p15, 0, r0, c9, c12, 0
        MOV     r0, #0x80000000
        MCR     p15, 0, r0, c9, c12, 1
        ISB
        BX      lr
        ENDP
cyc_read PROC
        ISB
        MRC     p15, 0, r0, c9, c13, 0
        BX      lr
        ENDP
