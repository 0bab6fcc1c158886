/* SPDX-License-Identifier: BSD-2-Clause */
/* Output, exit, counters and interrupts for bare-metal images (image_start.S, image.c). */
#ifndef ARMPMU_TEST_QEMU_IMAGE_H
#define ARMPMU_TEST_QEMU_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define READ(name) ({ uint64_t value_; __asm__ volatile("mrs %0, " name : "=r"(value_) :: "memory"); value_; })
#define WRITE(name, value) __asm__ volatile("msr " name ", %0\n isb" ::"r"((uint64_t)(value)) : "memory")

/* The address that the last interrupt returned to, and the overflow flags at that time. */
extern volatile uint64_t irq_at, irq_flags;

/* Prints by semihosting. */
void print(const char *text);
/* Prints a decimal number. */
void print_number(uint64_t value);
/* Ends the emulator with @status. */
void finish(int status);

/* Sets event counter @n to count @event from @value on, at every Exception level. */
void set_counter(unsigned n, uint16_t event, uint64_t value);
/* Returns event counter @n. */
uint64_t counter(unsigned n);

/* Enables PMUIRQ, and interrupts of the PE. */
void enable_irq(void);

/* Makes the interrupt of the virtual timer pending for ever; it stays masked. */
void pend_timer(void);

#endif
