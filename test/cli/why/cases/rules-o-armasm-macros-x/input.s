; prof_r4.s - armasm, Cortex-R4F (TMS570LS31), System mode. Times a filter of the motor loop.
; IRQs are masked by the caller, one region takes some 900 cycles.

                PRESERVE8
                AREA    prof, CODE, READONLY
                ARM
                EXPORT  prof_open
                EXPORT  prof_filter
                IMPORT  filter_step
                IMPORT  gio_set

PMN_CR          EQU     1 :OR: 2 :OR: 4         ; E, P, C
PMN_DIV         EQU     1 :SHL: 3
WITH_PIN        EQU     1                       ; mark the region on a pin, too
CCNT            EQU     &80000000
SLOT_I          EQU     0
SLOT_D          EQU     1

                MACRO
$lab            pick    $slot
$lab            MOV     r3, #$slot
                MCR     p15, 0, r3, c9, c12, 5
                MEND

                MACRO
                take    $to, $slot
                pick    $slot
                MRC     p15, 0, $to, c9, c13, 2
                MEND

                MACRO
                count   $slot, $event=0x08
                pick    $slot
                MOV     r3, #$event
                MCR     p15, 0, r3, c9, c13, 1
                MEND

prof_open       PROC
                LDR     r2, =(CCNT :OR: (1 :SHL: SLOT_I) :OR: (1 :SHL: SLOT_D))
                MCR     p15, 0, r2, c9, c12, 2
                count   SLOT_I
                count   SLOT_D, 0x03
                MRC     p15, 0, r0, c9, c12, 0
                BIC     r0, r0, #PMN_DIV
                ORR     r0, r0, #PMN_CR
                MCR     p15, 0, r0, c9, c12, 0
                MCR     p15, 0, r2, c9, c12, 3
                MCR     p15, 0, r2, c9, c12, 1
                ISB
                BX      lr
                ENDP

; r0 := samples, r1 := three words of results
prof_filter     FUNCTION
                PUSH    {r4-r8, lr}
                MOV     r8, r1
                MOV     r7, r0
                IF      WITH_PIN = 1
                MOV     r0, #1
                BL      gio_set
                ENDIF
                take    r5, SLOT_I
                take    r6, SLOT_D
                ISB
                MRC     p15, 0, r4, c9, c13, 0
                MOV     r0, r7
loop            SUBS    r7, r7, #1
                BL      filter_step
                BNE     loop
                ISB
                MRC     p15, 0, r0, c9, c13, 0
                SUB     r0, r0, r4
                take    r1, SLOT_I
                SUB     r1, r1, r5
                take    r2, SLOT_D
                SUB     r2, r2, r6
                STM     r8, {r0-r2}
                POP     {r4-r8, pc}
                ENDFUNC
                END
