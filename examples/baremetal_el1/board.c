/* SPDX-License-Identifier: BSD-2-Clause */
/* Drives the UART and the GIC of QEMU's virt for the bare-metal examples. */
#include <stddef.h>

#include "board.h"

static volatile uint32_t *at(uintptr_t address)
{
    return (volatile uint32_t *)address;
}

#define UART_DATA at(0x09000000)
#define UART_CONTROL at(0x09000030)
#define GICD_CTLR at(0x08000000)
#define GICD_ISENABLER0 at(0x08000100)
#define GICC_CTLR at(0x08010000)
#define GICC_PMR at(0x08010004)
#define GICC_IAR at(0x0801000C)
#define GICC_EOIR at(0x08010010)

void print(const char *text)
{
    *UART_CONTROL = 0x101; /* enable the UART and its transmitter */
    while (*text != '\0') {
        *UART_DATA = (uint8_t)*text++;
    }
}

void print_number(uint64_t value)
{
    char digits[21];
    size_t at_digit = sizeof digits - 1;

    digits[at_digit] = '\0';
    do {
        digits[--at_digit] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    print(&digits[at_digit]);
}

void pmu_interrupt_enable(void)
{
    *GICD_ISENABLER0 = 1u << 23; /* PPI 7 is INTID 23 */
    *GICC_PMR = 0xFF;
    *GICC_CTLR = 1;
    *GICD_CTLR = 1;
    __asm__ volatile("msr daifclr, #2" : : : "memory");
}

uint32_t pmu_interrupt_begin(void)
{
    return *GICC_IAR;
}

void pmu_interrupt_end(uint32_t acknowledged)
{
    *GICC_EOIR = acknowledged;
}

/* A freestanding compiler may generate calls of these two. */
void *memset(void *to, int byte, size_t n);
void *memcpy(void *restrict to, const void *restrict from, size_t n);

void *memset(void *to, int byte, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((unsigned char *)to)[i] = (unsigned char)byte;
    }
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
    return to;
}
