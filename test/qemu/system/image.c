/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of image.h in C; the others are in image_start.S. */
#include "image.h"

void image_print_number(uint64_t value)
{
    char digits[24];
    char *p = &digits[sizeof digits - 1];

    *p = '\0';
    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    image_print(p);
}

#define FILTER_EL2 (UINT64_C(1) << 27) /* NSH: count at EL2 too */

void image_set_counter(unsigned n, uint16_t event, uint64_t value)
{
    IMAGE_WRITE("pmselr_el0", n);
    IMAGE_WRITE("pmxevtyper_el0", event | FILTER_EL2);
    IMAGE_WRITE("pmxevcntr_el0", value);
}

uint64_t image_counter(unsigned n)
{
    IMAGE_WRITE("pmselr_el0", n);
    return IMAGE_READ("pmxevcntr_el0");
}

/* The GICv2 of QEMU's virt. */
#define GICD_CTLR ((volatile uint32_t *)0x08000000)
#define GICD_ISENABLER0 ((volatile uint32_t *)0x08000100)
#define GICC_CTLR ((volatile uint32_t *)0x08010000)
#define GICC_PMR ((volatile uint32_t *)0x08010004)
#define PMUIRQ 23
#define VIRTUAL_TIMER 27

/* Makes the interrupt controller signal @interrupt to the PE. */
static void deliver(unsigned interrupt)
{
    *GICD_CTLR = 1;
    *GICD_ISENABLER0 = UINT32_C(1) << interrupt;
    *GICC_CTLR = 1;
    *GICC_PMR = 0xff;
}

void image_pend_timer(void)
{
    IMAGE_WRITE("cntv_cval_el0", 0);
    IMAGE_WRITE("cntv_ctl_el0", 1);
    deliver(VIRTUAL_TIMER);
}

void image_enable_irq(void)
{
    deliver(PMUIRQ);
    __asm__ volatile("msr daifclr, #3\n isb");
}
