/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of QEMU's virt that the bare-metal examples use: its UART, and the PMU's interrupt at its GIC. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void print(const char *text);      /* to the UART */
void print_number(uint64_t value); /* in decimal */

void pmu_interrupt_enable(void);    /* enables PPI 7 at the GIC, and clears PSTATE.I */
uint32_t pmu_interrupt_begin(void); /* acknowledges; returns the argument for pmu_interrupt_end() */
void pmu_interrupt_end(uint32_t acknowledged); /* ends the interrupt at the GIC */

/* The example's handler, called at EL1 for each interrupt.  @pc is the address that was interrupted. */
void on_interrupt(uintptr_t pc);

void call_el0(void (*f)(void)); /* called at EL1: runs @f at EL0, and returns when @f does */

#endif
