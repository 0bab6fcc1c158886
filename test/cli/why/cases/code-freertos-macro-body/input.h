/* nRF52840, FreeRTOSConfig.h: the run time statistics are all 0 unless the J-Link is connected */
#define portCONFIGURE_TIMER_FOR_RUN_TIME_STATS() do { DWT->CYCCNT = 0; DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk; } while (0)
#define portGET_RUN_TIME_COUNTER_VALUE() (DWT->CYCCNT)
