/* SPDX-License-Identifier: BSD-2-Clause */
/* What the bare-metal images share: output, exit, counters (image_start.S, image.c). */
#ifndef ARMPMU_TEST_QEMU_IMAGE_H
#define ARMPMU_TEST_QEMU_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#define READ(name) ({ uint64_t value_; __asm__ volatile("mrs %0, " name : "=r"(value_) :: "memory"); value_; })
#define WRITE(name, value) __asm__ volatile("msr " name ", %0\n isb" ::"r"((uint64_t)(value)) : "memory")

/* The address that the last interrupt returned to, and the overflow flags at that time. */
extern volatile uint64_t irq_at, irq_flags;

void print(const char *text);
void print_number(uint64_t value);
void finish(int status);

/* Event counter @n counts @event from @value on, at every Exception level. */
void set_counter(unsigned n, uint16_t event, uint64_t value);
uint64_t counter(unsigned n);

/* Lets PMUIRQ in. */
void enable_irq(void);

/* Makes the interrupt of the virtual timer pending for ever, which nobody lets in. */
void pend_timer(void);

#endif
