/* SPDX-License-Identifier: BSD-2-Clause */
/* Exception handlers and interrupt masking for AArch32. */
#include "rt.h"

#define IS_MRC_P15(word) (((word)&0x0F100F10u) == 0x0E100F10u)
#define IS_MCR_P15(word) (((word)&0x0F100F10u) == 0x0E000F10u)
#define IS_MRRC_P15(word) (((word)&0x0FF00F00u) == 0x0C500F00u)
#define IS_MCRR_P15(word) (((word)&0x0FF00F00u) == 0x0C400F00u)
#define RT(word) ((word) >> 12 & 15u)
#define RT2(word) ((word) >> 16 & 15u)

void rt_undefined(uint32_t *r);
void rt_unexpected(uint32_t address) __attribute__((noreturn));

volatile bool rt_skip_refused;
volatile unsigned rt_refused;

void rt_unexpected(uint32_t address)
{
    rt_print("not ok unexpected exception, near ");
    rt_hex(address);
    rt_print("\n");
    rt_exit(1);
}

void rt_undefined(uint32_t *r)
{
    const uint32_t word = ((const uint32_t *)(uintptr_t)r[13])[-1];
    const bool loads = IS_MRC_P15(word) || IS_MRRC_P15(word), stores = IS_MCR_P15(word) || IS_MCRR_P15(word);

    if (!rt_skip_refused || (!loads && !stores)) {
        rt_unexpected(r[13] - 4);
    }
    rt_refused++;
    if (loads && RT(word) < 13) {
        r[RT(word)] = 0;
    }
    if (IS_MRRC_P15(word) && RT2(word) < 13) {
        r[RT2(word)] = 0;
    }
}

void rt_interrupts_on(void)
{
    __asm__ volatile("cpsie i" : : : "memory");
}

void rt_interrupts_off(void)
{
    __asm__ volatile("cpsid i" : : : "memory");
}
