/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For test_core.sh, on a machine with two CPUs and a modelled core: the CPUs load the same lines in turn.  Each has
 * levels of its own, and what the row says is shared serves both.  Compile it with -DL2_IS_SHARED=1 for cores that
 * share L2, such as cortex-a72, and 0 for those that share the last level, such as neoverse-n1.  The MMU is off.
 */
#include "image.h"

enum { LINE = 64, LINES = 4096, MOST_OTHER = 48 }; /* 256 KiB: more than L1D, less than L2 */

static uint8_t memory[LINES * LINE] __attribute__((aligned(4096)));
static volatile uint64_t turn; /* the number of the CPU that may go on; 2: the second one stops */

/* Events, in the order of the counters. */
static const uint16_t events[] = {0x04, 0x03, 0x17, 0x37};
enum { L1D_CACHE, L1D_CACHE_REFILL, L2D_CACHE_REFILL, LL_CACHE_MISS_RD, EVENTS };
static uint64_t got[2][EVENTS];

/* Passes @name if @count is @want or little more: the code that counts loads and stores, too. */
static void expect(const char *name, uint64_t count, uint64_t want)
{
    const bool good = count >= want && count < want + MOST_OTHER;

    image_print(good ? "ok " : "not ok ");
    image_print(name);
    if (!good) {
        image_print(": got ");
        image_print_number(count);
    }
    image_print("\n");
}

static void start_counters(void)
{
    for (unsigned n = 0; n < EVENTS; n++) {
        image_set_counter(n, events[n], 0);
    }
    IMAGE_WRITE("pmcntenset_el0", (1u << EVENTS) - 1);
}

/* Loads from all lines, and counts what that does on CPU @cpu. */
static __attribute__((noinline)) void count_loads(unsigned cpu)
{
    const uint8_t *p = memory;

    IMAGE_WRITE("pmcr_el0", 3); /* from 0 on */
    for (unsigned i = 0; i < LINES; i++, p += LINE) {
        __asm__ volatile("ldrb wzr, [%0]" ::"r"(p));
    }
    IMAGE_WRITE("pmcr_el0", 0);
    for (unsigned n = 0; n < EVENTS; n++) {
        got[cpu][n] = image_counter(n);
    }
}

/* The second CPU. */
void second(void)
{
    start_counters();
    for (;;) {
        while (turn == 0) {
            __asm__ volatile("yield");
        }
        if (turn == 2) {
            for (;;) {
                __asm__ volatile("wfi");
            }
        }
        count_loads(1);
        turn = 0;
    }
}

__asm__(".pushsection .text\n"
        "second_start:\n"
        "    ldr x0, =second_stack + 4096\n"
        "    mov sp, x0\n"
        "    b second\n"
        "    .ltorg\n"
        ".popsection\n");
extern const uint32_t second_start[];
uint8_t second_stack[4096] __attribute__((aligned(16)));

/* Has PSCI start the second CPU. */
static void start_second(void)
{
    register uint64_t x0 __asm__("x0") = 0xC4000003; /* CPU_ON */
    register uint64_t x1 __asm__("x1") = 1;
    register uint64_t x2 __asm__("x2") = (uint64_t)(uintptr_t)second_start;
    register uint64_t x3 __asm__("x3") = 0;

    __asm__ volatile("hvc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3) : "memory");
    image_print(x0 == 0 ? "ok the second CPU starts\n" : "not ok the second CPU starts\n");
}

/* Lets the second CPU load. */
static void let_second(void)
{
    turn = 1;
    while (turn == 1) {
        __asm__ volatile("yield");
    }
}

void main(void)
{
    start_second();
    start_counters();
    count_loads(0);
    expect("the first CPU loads", got[0][L1D_CACHE], LINES);
    expect("and refills L1D", got[0][L1D_CACHE_REFILL], LINES);
    expect("and L2", got[0][L2D_CACHE_REFILL], LINES);
    expect("from memory", got[0][LL_CACHE_MISS_RD], LINES);
    let_second();
    expect("the second CPU loads", got[1][L1D_CACHE], LINES);
    expect("and refills an L1D of its own", got[1][L1D_CACHE_REFILL], LINES);
    expect(L2_IS_SHARED ? "from the L2 of both" : "and an L2 of its own", got[1][L2D_CACHE_REFILL],
           L2_IS_SHARED ? 0 : LINES);
    expect("from nothing behind the shared level", got[1][LL_CACHE_MISS_RD], 0);
    count_loads(0);
    expect("the first CPU refills L1D again", got[0][L1D_CACHE_REFILL], LINES);
    expect("from its L2", got[0][L2D_CACHE_REFILL], 0);
    turn = 2;
    image_finish(0);
}
