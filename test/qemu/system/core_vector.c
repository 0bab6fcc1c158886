/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For test_core.sh, on a machine with -cpu max,pmu-core=cortex-a72: accesses that QEMU makes in functions of its own,
 * of SVE, DC ZVA, and memory copies and sets (core_vector.S).  The MMU is off.
 */
#include "image.h"

enum { PAGE = 4096, MANY = 100, SLACK = 24 };

static uint8_t memory[8 * PAGE] __attribute__((aligned(4096)));

/* Events, in the order of the counters. */
static const uint16_t events[] = {0x40, 0x41, 0x03};
enum { LOADS, STORES, L1D_CACHE_REFILL, EVENTS };

void vector_bytes(const void *p, uint64_t times);
void vector_some(const void *p, uint64_t times);
void vector_structures(const void *p, uint64_t times);
void vector_gather(const void *p, uint64_t times, uint64_t apart);
void zero_blocks(void *p, uint64_t times);
void set_memory(void *p, uint64_t times, uint64_t size);
void copy_memory(const void *p, uint64_t times, uint64_t size, void *to);

static void begin(void)
{
    for (unsigned n = 0; n < EVENTS; n++) {
        image_set_counter(n, events[n], 0);
    }
    IMAGE_WRITE("pmcntenset_el0", (1u << EVENTS) - 1);
    IMAGE_WRITE("pmcr_el0", 1);
}

/* Passes @name if the counts are those given, or little more: what the code around an instruction does. */
static void expect(const char *name, uint64_t loads, uint64_t stores, uint64_t refills)
{
    const uint64_t want[EVENTS] = {loads, stores, refills};

    IMAGE_WRITE("pmcr_el0", 0);
    for (unsigned n = 0; n < EVENTS; n++) {
        const uint64_t got = image_counter(n);
        const bool good = got >= want[n] && got < want[n] + SLACK;

        image_print(good ? "ok " : "not ok ");
        image_print(name);
        image_print(n == LOADS ? ", loads" : n == STORES ? ", stores" : ", refills");
        if (!good) {
            image_print(": got ");
            image_print_number(got);
        }
        image_print("\n");
    }
}

void main(void)
{
    const uint64_t block = UINT64_C(4) << (IMAGE_READ("dczid_el0") & 15);

    IMAGE_WRITE("cpacr_el1", UINT64_C(3) << 20 | UINT64_C(3) << 16);
    begin();
    vector_bytes(memory, MANY);
    expect("contiguous", 16 * MANY, 16 * MANY, 1);
    begin();
    vector_bytes(memory + PAGE - 8, MANY);
    expect("contiguous, in two pages", 16 * MANY, 16 * MANY, 2);
    begin();
    vector_some(memory, MANY);
    expect("some elements", 2 * MANY, 0, 0);
    begin();
    vector_structures(memory, MANY);
    expect("structures", 6 * MANY, 0, 0);
    begin();
    vector_gather(memory + PAGE + 1024, MANY, 128);
    expect("gather and scatter", 2 * MANY, 2 * MANY, 2);
    begin();
    zero_blocks(memory + 2 * PAGE, MANY);
    expect("DC ZVA", 0, block / 64 * MANY, block / 64);
    begin();
    set_memory(memory + 2 * PAGE, MANY, PAGE);
    expect("memory sets", 0, 64 * MANY, 64 - block / 64);
    begin();
    set_memory(memory + 3 * PAGE - 100, MANY, 200); /* 36 and 64 bytes, and 64 and 36 in the next page */
    expect("memory sets, in two pages", 0, 4 * MANY, 2);
    begin();
    copy_memory(memory + 4 * PAGE, MANY, PAGE, memory + 5 * PAGE);
    expect("memory copies", 64 * MANY, 64 * MANY, 2 * 64);
    begin();
    copy_memory(memory + 6 * PAGE, MANY, PAGE, memory + 6 * PAGE + 512); /* backwards */
    expect("memory copies that overlap", 64 * MANY, 64 * MANY, 64 + 8);
    image_finish(0);
}
