/* FreeRTOS on RZ/A2M (Cortex-A9). Task prof samples counter 1 by PMSELR, and vApplicationTickHook does the same for counter 0
 * (idle statistics). Once in a few thousand samples the task gets the other one's value. */
uint32_t pmn_read(uint32_t n)
{
    uint32_t v;
    __asm volatile("mcr p15, 0, %0, c9, c12, 5" :: "r"(n));
    __asm volatile("isb");
    __asm volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(v));
    return v;
}

void vApplicationTickHook(void) { idle_stat += pmn_read(0); }

void prof_task(void *p)
{
    for (;;) {
        sample(pmn_read(1));
        vTaskDelay(1);
    }
}
