/* Zynq-7000, Cortex-A9, Vitis standalone. PMU counter 1 shall interrupt every 50k events. The handler is entered again and again,
 * main() makes no progress after the first interrupt. */
static void pmu_handler(void *data)
{
    samples[pos++ & 255] = last_pc;
    mtcp(XREG_CP15_EVENT_CNTR_SEL, 1);
    isb();
    mtcp(XREG_CP15_PERF_MONITOR_COUNT, 0u - 50000u);
}

void pmu_start(void)
{
    XScuGic_Connect(&intc, PMU_IRQ, pmu_handler, NULL);
    XScuGic_Enable(&intc, PMU_IRQ);
    mtcp(XREG_CP15_EVENT_CNTR_SEL, 1);
    isb();
    mtcp(XREG_CP15_EVENT_TYPE_SEL, 0x08);
    mtcp(XREG_CP15_PERF_MONITOR_COUNT, 0u - 50000u);
    mtcp(XREG_CP15_INTR_ENABLE_SET, 2);
    mtcp(XREG_CP15_COUNT_ENABLE_SET, 2);
    mtcp(XREG_CP15_PERF_MONITOR_CTRL, mfcp(XREG_CP15_PERF_MONITOR_CTRL) | 1);
}
