// FreeRTOSConfig.h and timer.c, Nucleo-F303: CPU load of each task is shown as 0 unless I run it in the debugger
#include "stm32f3xx.h"

#define portCONFIGURE_TIMER_FOR_RUN_TIME_STATS()  cpu_load_begin()
#define portGET_RUN_TIME_COUNTER_VALUE()          (DWT->CYCCNT >> 6)

void cpu_load_begin(void)
{
    DWT->CYCCNT = 0;
    DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk;
}
