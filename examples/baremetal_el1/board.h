/* SPDX-License-Identifier: BSD-2-Clause */
/* What the bare-metal examples need of QEMU's virt: its UART, and the interrupt of the PMU at its GIC. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void print(const char *text);
void print_number(uint64_t value); /* decimal */

void pmu_interrupt_enable(void);    /* PPI 7 of the GIC, and PSTATE.I */
uint32_t pmu_interrupt_begin(void); /* acknowledges; what to give to the other */
void pmu_interrupt_end(uint32_t acknowledged);

void call_el0(void (*f)(void));

#endif
