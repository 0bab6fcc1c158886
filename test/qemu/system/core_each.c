/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For test_core.sh, on a machine with -cpu max,pmu-core=cortex-a72: a counter that overflows with each event, as
 * "record -c 1" has it.  Each interrupt is at the instruction that made the event, also if that makes its accesses in
 * functions of QEMU's own; what the instruction does is right, and no event is counted twice.  The MMU is off.
 */
#include "image.h"

enum { PAGE = 4096, LINE = 64, LOG = 256, L1D_CACHE_REFILL = 0x03, L1D_CACHE = 0x04 };

static uint8_t memory[64 * PAGE] __attribute__((aligned(4096)));
static uint8_t *fresh = memory; /* pages from there on were not accessed yet */

extern volatile uint64_t each_log[LOG];
extern volatile uint32_t each_count;
extern const char each_vectors[];

/* The functions of core_each.S, and the instruction of each. */
uint64_t plain(const void *p), contiguous(const void *p), contiguous_store(void *p), gather(const void *p);
uint64_t first_fault(const void *p), scatter(void *p), zero(void *p), set(void *p, uint64_t size);
uint64_t copy(void *to, const void *from, uint64_t size);
extern const char each_plain[], each_contiguous[], each_contiguous_store[], each_gather[], each_first_fault[],
    each_scatter[], each_zero[], each_setp[], each_setm[], each_cpyp[], each_cpym[];

static uint8_t *take(unsigned pages)
{
    uint8_t *p = fresh;

    fresh += pages * PAGE;
    return p;
}

/* Has counter 0 overflow with each @event, and counter 1 count L1D_CACHE. */
static void begin(uint16_t event)
{
    each_count = 0;
    IMAGE_WRITE("pmovsclr_el0", ~UINT64_C(0));
    IMAGE_WRITE("pmintenset_el1", 1);
    image_set_counter(0, event, 0xFFFFFFFF);
    image_set_counter(1, L1D_CACHE, 0);
    IMAGE_WRITE("pmcntenset_el0", 3);
}

static void expect(const char *name, const char *what, uint64_t got, uint64_t want)
{
    image_print(got == want ? "ok " : "not ok ");
    image_print(name);
    image_print(what);
    if (got != want) {
        image_print(": got ");
        image_print_number(got);
        image_print(", not ");
        image_print_number(want);
    }
    image_print("\n");
}

/* Returns how many interrupts were at @at. */
static uint64_t logged(const char *at)
{
    const uint32_t count = each_count;
    uint64_t here = 0;

    for (unsigned i = 0; i < count && i < LOG; i++) {
        here += each_log[i] == (uint64_t)(uintptr_t)at;
    }
    return here;
}

/* Passes @name if @samples interrupts were at @at, no other one was, and there were @accesses to L1D. */
static void end(const char *name, const char *at, unsigned samples, unsigned accesses)
{
    expect(name, ", samples", each_count, samples);
    expect(name, ", at the instruction", logged(at), samples);
    expect(name, ", accesses", image_counter(1), accesses);
}

/* Samples refills, then all accesses. */
static void each_element(void)
{
    uint64_t *p = (uint64_t *)(void *)take(1);
    uint8_t *q = take(8);

    p[0] = 1; /* nothing is simulated now */
    p[16] = 2;
    begin(L1D_CACHE_REFILL);
    plain(q);
    end("a load", each_plain, 1, 1);
    begin(L1D_CACHE);
    plain(q);
    end("each load", each_plain, 1, 1);
    begin(L1D_CACHE_REFILL);
    contiguous(q + PAGE + LINE - 8);
    end("contiguous, in two lines", each_contiguous, 2, 16);
    begin(L1D_CACHE);
    contiguous(q);
    end("contiguous, each element", each_contiguous, 16, 16);
    begin(L1D_CACHE_REFILL);
    contiguous_store(q + 4 * PAGE - 3);
    end("contiguous stores, in two pages", each_contiguous_store, 2, 16);
    expect("contiguous stores", ", what they store", q[4 * PAGE - 3] + q[4 * PAGE + 12] + q[4 * PAGE + 13], 2 * 0x5a);
    begin(L1D_CACHE_REFILL);
    expect("gather", ", what it loads", gather(p), 3);
    end("gather", each_gather, 2, 2);
    begin(L1D_CACHE);
    expect("gather, each element", ", what it loads", gather(p), 3);
    end("gather, each element", each_gather, 2, 2);
    p = (uint64_t *)(void *)(q + 6 * PAGE);
    begin(L1D_CACHE_REFILL);
    scatter(p);
    end("scatter", each_scatter, 2, 2);
    expect("scatter", ", what it stores", p[0] * 10 + p[16], 56);
}

static void first_element(void)
{
    uint64_t *p = (uint64_t *)(void *)take(1);

    p[0] = 1;
    p[16] = 2;
    begin(L1D_CACHE_REFILL);
    plain(p + 16); /* the second element hits then */
    begin(L1D_CACHE_REFILL);
    expect("first-fault gather", ", what it loads", first_fault(p), 3);
    end("first-fault gather, its first element", each_first_fault, 1, 2);
}

/* SETP and CPYP do the first page, SETM and CPYM the second one.  What is copied was set and hits. */
static void each_piece(void)
{
    const unsigned block = 4u << (IMAGE_READ("dczid_el0") & 15), lines = PAGE / LINE;
    uint8_t *p = take(4), *q = take(4);
    uint64_t sum = 0;

    begin(L1D_CACHE_REFILL);
    zero(p);
    end("DC ZVA", each_zero, block / LINE, block / LINE);
    p = take(4);
    begin(L1D_CACHE_REFILL);
    set(p + PAGE, 2 * PAGE);
    expect("memory sets", ", samples", each_count, 2 * lines);
    expect("memory sets", ", first page", logged(each_setp), lines);
    expect("memory sets", ", second page", logged(each_setm), lines);
    expect("memory sets", ", accesses", image_counter(1), 2 * lines);
    for (unsigned i = 0; i < 4 * PAGE; i++) {
        sum += p[i];
    }
    expect("memory sets", ", what they store", sum, 2 * PAGE * 0x77);
    p[2 * PAGE + 100] = 1;
    begin(L1D_CACHE_REFILL);
    copy(q, p + PAGE, 2 * PAGE);
    expect("memory copies", ", samples", each_count, 2 * lines);
    expect("memory copies", ", first page", logged(each_cpyp), lines);
    expect("memory copies", ", second page", logged(each_cpym), lines);
    expect("memory copies", ", accesses", image_counter(1), 4 * lines);
    expect("memory copies", ", what they store", q[PAGE + 100] + q[PAGE + 99], 0x78);
}

void main(void)
{
    IMAGE_WRITE("cpacr_el1", UINT64_C(3) << 20 | UINT64_C(3) << 16);
    IMAGE_WRITE("vbar_el1", (uintptr_t)each_vectors);
    image_enable_irq();
    each_element();
    first_element();
    each_piece();
    image_finish(0);
}
