/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For test_core.sh, on a machine with -cpu max,pmu-core=cortex-a72: counts of loops whose misses follow from the
 * caches' sizes, and interrupts of misses, each at the instruction that missed.  The MMU is off.
 */
#include "image.h"

enum { LINE = 64, LINES = 8192, SMALL = 64, TRIES = 200 }; /* 512 KiB, and 4 KiB */

static uint8_t memory[LINES * LINE] __attribute__((aligned(4096)));

/* Events, in the order of the counters. */
static const uint16_t events[] = {0x04, 0x03, 0x05, 0x10, 0x12, 0x17};
enum { L1D_CACHE, L1D_CACHE_REFILL, L1D_TLB_REFILL, BR_MIS_PRED, BR_PRED, L2D_CACHE_REFILL, EVENTS };

static void expect(const char *name, bool good, uint64_t got)
{
    image_print(good ? "ok " : "not ok ");
    image_print(name);
    if (!good) {
        image_print(": got ");
        image_print_number(got);
    }
    image_print("\n");
}

/* Loads from @lines lines. */
static __attribute__((noinline)) void load_lines(unsigned lines)
{
    const uint8_t *p = memory;

    for (unsigned i = 0; i < lines; i++, p += LINE) {
        __asm__ volatile("ldrb wzr, [%0]" ::"r"(p));
    }
}

static void begin(void)
{
    for (unsigned n = 0; n < EVENTS; n++) {
        image_set_counter(n, events[n], 0);
    }
    IMAGE_WRITE("pmcntenset_el0", (1u << EVENTS) - 1);
    IMAGE_WRITE("pmcr_el0", 1);
}

static uint64_t got(unsigned n)
{
    return image_counter(n);
}

static void count_loops(void)
{
    load_lines(SMALL);
    begin();
    load_lines(SMALL);
    load_lines(SMALL);
    IMAGE_WRITE("pmcr_el0", 0);
    expect("loads of cached lines", got(L1D_CACHE) >= 2 * SMALL && got(L1D_CACHE) < 2 * SMALL + 16, got(L1D_CACHE));
    expect("they refill once", got(L1D_CACHE_REFILL) >= SMALL && got(L1D_CACHE_REFILL) < SMALL + 16,
           got(L1D_CACHE_REFILL)); /* the core saw nothing before it was asked */
    begin();
    load_lines(LINES);
    load_lines(LINES);
    IMAGE_WRITE("pmcr_el0", 0);
    expect("512 KiB do not fit L1D",
           got(L1D_CACHE_REFILL) >= 2 * LINES - 2 * SMALL && got(L1D_CACHE_REFILL) < 2 * LINES + 64,
           got(L1D_CACHE_REFILL));
    expect("but they fit L2", got(L2D_CACHE_REFILL) >= LINES - SMALL && got(L2D_CACHE_REFILL) < LINES + 128,
           got(L2D_CACHE_REFILL));
    expect("a page is a refill of the TLB", got(L1D_TLB_REFILL) >= 2 * LINES / 64 - 2 &&
           got(L1D_TLB_REFILL) < 2 * LINES / 64 + 16, got(L1D_TLB_REFILL));
    expect("loops are branches", got(BR_PRED) >= 2 * LINES - 64 && got(BR_PRED) < 2 * LINES + 64, got(BR_PRED));
    expect("that are predicted", got(BR_MIS_PRED) < 64, got(BR_MIS_PRED));
}

extern const uint32_t core_miss[];

/* Loads from a line in another set of pages each time; the load is at core_miss. */
static __attribute__((noinline)) void miss(const uint8_t *p)
{
    __asm__ volatile(".globl core_miss\n nop\n nop\ncore_miss: ldrb wzr, [%0]\n nop\n nop" ::"r"(p) : "memory");
}

static void interrupt_at_misses(void)
{
    uint64_t wrong = 0, none = 0;

    IMAGE_WRITE("pmcntenclr_el0", 0xFFFFFFFF);
    image_enable_irq();
    for (unsigned i = 0; i < TRIES; i++) {
        image_irq_at = 0;
        IMAGE_WRITE("pmovsclr_el0", ~UINT64_C(0));
        IMAGE_WRITE("pmintenset_el1", 1);
        image_set_counter(0, 0x03, 0xFFFFFFFF);
        IMAGE_WRITE("pmcntenset_el0", 1);
        IMAGE_WRITE("pmcr_el0", 1);
        miss(memory + (uint64_t)(i * 37 % 128) * 4096 + i / 128 * 64 + 2048);
        IMAGE_WRITE("pmcr_el0", 0);
        none += image_irq_at == 0;
        wrong += image_irq_at != 0 && image_irq_at != (uint64_t)(uintptr_t)core_miss;
    }
    expect("each miss interrupts", none == 0, none);
    expect("at the instruction that missed", wrong == 0, wrong);
}

void main(void)
{
    count_loops();
    interrupt_at_misses();
    image_finish(0);
}
