        ; armasm, Cortex-A9 MPCore. read_pmn(n): now and then I get the count of the n of the call before
        AREA    |.text|, CODE, READONLY
read_pmn PROC
        MCR     p15, 0, r0, c9, c12, 5
        MRC     p15, 0, r0, c9, c13, 2
        BX      lr
        ENDP
        END
