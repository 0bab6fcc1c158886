/* FreeRTOS on Zynq-7000 (A9), Xilinx. pmu handler called: 0 times */
XScuGic_Connect(&gic, 37, pmu_handler, NULL);
mtcp(XREG_CP15_INTR_ENABLE_SET, 0x80000000);
mtcp(XREG_CP15_COUNT_ENABLE_SET, 0x80000000);
mtcp(XREG_CP15_PERF_CYCLE_COUNTER, 0xFFF00000);
mtcp(XREG_CP15_PERF_MONITOR_CTRL, 1);
