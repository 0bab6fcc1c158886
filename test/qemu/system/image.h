/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output, exit, counters and interrupts for the images that test_counts.sh, test_run.sh and test/bench/qemu.sh build.
 * They run at the Exception level at which the machine boots (image_start.S, image.c).
 */
#ifndef ARMPMU_TEST_QEMU_IMAGE_H
#define ARMPMU_TEST_QEMU_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Read and write a System register: IMAGE_READ("pmcr_el0") is its value. */
#define IMAGE_READ(name) ({ uint64_t value_; __asm__ volatile("mrs %0, " name : "=r"(value_) :: "memory"); value_; })
#define IMAGE_WRITE(name, value) __asm__ volatile("msr " name ", %0\n isb" ::"r"((uint64_t)(value)) : "memory")

/* The address that the last interrupt returned to, and the overflow flags at that time. */
extern volatile uint64_t image_irq_at, image_irq_flags;

/* Prints a text by semihosting. */
void image_print(const char *text);
/* Prints a decimal number. */
void image_print_number(uint64_t value);
/* Ends the emulator with @status. */
void image_finish(int status);

/* Sets event counter @n to count @event from @value on, at every Exception level.  Does not enable the counter. */
void image_set_counter(unsigned n, uint16_t event, uint64_t value);
/* Returns the value of event counter @n. */
uint64_t image_counter(unsigned n);

/* Enables PMUIRQ in the interrupt controller, and unmasks interrupts of the PE. */
void image_enable_irq(void);

/* Makes the interrupt of the virtual timer pending for ever; it stays masked. */
void image_pend_timer(void);

#endif
