/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of the runtime that AArch64 and AArch32 share: output, the GIC, and the functions that a compiler may call.
 */
#include "rt.h"

#define UART_DR ((volatile uint32_t *)0x09000000)
#define UART_CR ((volatile uint32_t *)0x09000030)
#define UART_ENABLE 0x101u /* UARTEN, TXE */

static const char *context[2] = {"", ""};
static int status;

void rt_print(const char *text)
{
    *UART_CR = UART_ENABLE;
    while (*text != '\0') {
        *UART_DR = (uint8_t)*text++;
    }
}

void rt_hex(uint64_t value)
{
    char digits[19];
    char *p = &digits[18];

    *p = '\0';
    do {
        *--p = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value != 0);
    *--p = 'x';
    *--p = '0';
    rt_print(p);
}

/* Divides by subtraction: 64-bit division would need a library. */
void rt_decimal(uint64_t value)
{
    uint64_t unit = 1;

    while (unit <= value / 10u) {
        unit *= 10u;
    }
    for (; unit != 0; unit /= 10u) {
        char digit[2] = "0";

        while (value >= unit) {
            value -= unit;
            digit[0]++;
        }
        rt_print(digit);
    }
}

void rt_context(const char *first, const char *second)
{
    context[0] = first;
    context[1] = second;
}

static void verdict(const char *what, const char *name)
{
    rt_print(what);
    rt_print(context[0]);
    rt_print(context[1]);
    rt_print(name);
}

bool rt_true(const char *name, bool ok)
{
    verdict(ok ? "ok " : "not ok ", name);
    rt_print("\n");
    status |= !ok;
    return ok;
}

bool rt_equal(const char *name, uint64_t got, uint64_t want)
{
    if (got == want) {
        return rt_true(name, true);
    }
    verdict("not ok ", name);
    rt_print(": got ");
    rt_hex(got);
    rt_print(", want ");
    rt_hex(want);
    rt_print("\n");
    status = 1;
    return false;
}

bool rt_error(const char *name, enum apmu_error got, enum apmu_error want)
{
    if (got == want) {
        return rt_true(name, true);
    }
    verdict("not ok ", name);
    rt_print(": ");
    rt_print(apmu_error_text(got));
    rt_print("\n");
    status = 1;
    return false;
}

bool rt_deviates(const char *name, uint64_t got, uint64_t want, uint64_t seen, const char *why)
{
    if (got == want || got != seen) {
        return rt_equal(name, got, want);
    }
    verdict("note ", name);
    rt_print(": the architecture says ");
    rt_hex(want);
    rt_print(", seen ");
    rt_hex(seen);
    rt_print(": ");
    rt_print(why);
    rt_print("\n");
    return rt_true(name, true);
}

int rt_status(void)
{
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The GIC: the PMU's interrupt is PPI 7.
 */

#define GICD(offset) ((volatile uint32_t *)(0x08000000 + (offset)))
#define GICC(offset) ((volatile uint32_t *)(0x08010000 + (offset)))
#define GICD_CTLR GICD(0)
#define GICD_IGROUPR0 GICD(0x80)
#define GICD_ISENABLER0 GICD(0x100)
#define GICD_IPRIORITYR5 GICD(0x414)
#define GICC_CTLR GICC(0)
#define GICC_PMR GICC(4)
#define GICC_IAR GICC(0xC)
#define GICC_EOIR GICC(0x10)
#define PMU_INTID 23u
#define INTID_MASK 0x3FFu

void (*volatile rt_on_interrupt)(void);
volatile unsigned rt_interrupts;
volatile uintptr_t rt_interrupted;
unsigned rt_interrupt_level = 1;

/* Puts the interrupt into group 0 for the highest Exception level, otherwise into group 1. */
void rt_gic_enable(unsigned el)
{
    rt_interrupt_level = el;
    *GICD_IGROUPR0 = el == RT_HIGHEST ? 0 : ~0u;
    *GICD_IPRIORITYR5 = 0x80808080u;
    *GICD_ISENABLER0 = 1u << PMU_INTID;
    *GICC_PMR = 0xFF;
    *GICC_CTLR = 3;
    *GICD_CTLR = 3;
}

void rt_handle_interrupt(uintptr_t pc);
void rt_handle_interrupt(uintptr_t pc)
{
    const uint32_t iar = *GICC_IAR;

    if ((iar & INTID_MASK) != PMU_INTID) {
        rt_equal("INTID of an interrupt", iar & INTID_MASK, PMU_INTID);
        rt_exit(1);
    }
    rt_interrupts++;
    rt_interrupted = pc;
    if (rt_on_interrupt != NULL) {
        rt_on_interrupt();
    }
    *GICC_EOIR = iar;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The four functions that the compiler may call.
 */

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    if ((uintptr_t)to <= (uintptr_t)from) {
        return memcpy(to, from, n);
    }
    while (n-- != 0) {
        ((unsigned char *)to)[n] = ((const unsigned char *)from)[n];
    }
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ((unsigned char *)to)[i] = (unsigned char)byte;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}
