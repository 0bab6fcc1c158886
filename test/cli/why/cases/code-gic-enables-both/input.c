/* Zynq, bare metal, CPU1.  The overflow flag is set, but my PmuIsr is never entered. */
#define IRQ_PMU 38U
#define IRQ_UART 82U

void irq_setup(XScuGic *ic)
{
    XScuGic_Connect(ic, IRQ_UART, (Xil_InterruptHandler)UartIsr, &uart);
    XScuGic_Enable(ic, IRQ_UART);
    XScuGic_Connect(ic, IRQ_PMU, (Xil_InterruptHandler)PmuIsr, NULL);
    XScuGic_Enable(ic, IRQ_PMU);
    mtcp(XREG_CP15_PERF_CYCLE_COUNTER, 0xFFFFF000);
    mtcp(XREG_CP15_INTR_ENABLE_SET, 0x1);
    mtcp(XREG_CP15_COUNT_ENABLE_SET, 0x80000000);
    mtcp(XREG_CP15_PERF_MONITOR_CTRL, 1);
    isb();
    Xil_ExceptionEnable();
}
