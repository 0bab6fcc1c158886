/* FreeRTOS on RM57 (Cortex-R5F, 300 MHz): run-time stats from the cycle counter. One second shows up as 4.7 million. */
#define portCONFIGURE_TIMER_FOR_RUN_TIME_STATS() vStartCycles()
#define portGET_RUN_TIME_COUNTER_VALUE()         ulCycles()

void vStartCycles( void )
{
    uint32_t ulPMCR;
    __asm volatile ( "MRC p15, 0, %0, c9, c12, 0" : "=r" ( ulPMCR ) );
    ulPMCR |= 0x0F;     /* enable, reset all */
    __asm volatile ( "MCR p15, 0, %0, c9, c12, 0" : : "r" ( ulPMCR ) );
    __asm volatile ( "MCR p15, 0, %0, c9, c12, 1" : : "r" ( 0x80000000UL ) );
    __asm volatile ( "ISB" );
}

uint32_t ulCycles( void )
{
    uint32_t ulCount;
    __asm volatile ( "MRC p15, 0, %0, c9, c13, 0" : "=r" ( ulCount ) );
    return ulCount;
}
