; Cortex-A9, armcc 4.1, privileged.  The cycle counter stays where it is.
        AREA    |.text|, CODE, READONLY
        EXPORT  ccnt_start
ccnt_start PROC
        MOV     r0, #5
        DCI     0xEE090F1C      ; MCR p15, 0, r0, c9, c12, 0   PMCR: E, C
        MOV     r0, #0x40000000
        DCI     0xEE090F3C      ; MCR p15, 0, r0, c9, c12, 1   PMCNTENSET
        ISB
        BX      lr
        ENDP

        EXPORT  ccnt_read
ccnt_read PROC
        DCI     0xEE190F1D      ; MRC p15, 0, r0, c9, c13, 0   PMCCNTR
        BX      lr
        ENDP
        END
