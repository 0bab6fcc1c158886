/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For test_core.sh, on a machine with a CPU of ARMv7 and a modelled core: loops of A32 and T32 whose accesses and
 * misses follow from the caches' sizes; then the MMU is on, with short descriptors and ASIDs.
 */
#include <stdbool.h>
#include <stdint.h>

enum { LINE = 64, LINES = 4096, PAGES = 16, OFFSET = 2048, SLACK = 32 };
#define PAGE 4096u
#define MIB 0x100000u
#define GUEST 0x60000000u /* small pages; a section has the image */

static uint8_t memory[LINES * LINE] __attribute__((aligned(4096)));
static uint32_t sections[4096] __attribute__((aligned(16384))), pages[256] __attribute__((aligned(1024)));

/* Read and write a System register of coprocessor 15. */
#define READ15(a, b, c, d) ({ uint32_t value_; __asm__ volatile("mrc p15, " #a ", %0, " #b ", " #c ", " #d \
                                                               : "=r"(value_) :: "memory"); value_; })
#define WRITE15(a, b, c, d, value) __asm__ volatile("mcr p15, " #a ", %0, " #b ", " #c ", " #d "\n isb" \
                                                    :: "r"((uint32_t)(value)) : "memory")

/* Events, in the order of the counters. */
static const uint16_t events[] = {0x04, 0x03, 0x34, 0x21, 0x10};
enum { L1D_CACHE, L1D_CACHE_REFILL, DTLB_WALK, BR_RETIRED, BR_MIS_PRED, EVENTS };

/* ---------------------------------------------------------------------------------------------------------------
 * Start, output and end.
 */

__asm__(".pushsection .text.start, \"ax\"\n"
        ".arm\n"
        ".global _start\n"
        "_start:\n"
        "    ldr sp, =stack + 4096\n"
        "    bl main\n"
        ".ltorg\n"
        ".popsection\n");
uint8_t stack[4096] __attribute__((aligned(16)));
int main(void);

static void semihost(uint32_t call, const void *argument)
{
    register uint32_t r0 __asm__("r0") = call;
    register const void *r1 __asm__("r1") = argument;

    __asm__ volatile("svc 0x123456" : "+r"(r0) : "r"(r1) : "memory", "lr");
}

static void print(const char *text)
{
    semihost(4, text);
}

static void print_number(uint32_t value)
{
    char digits[12];
    char *p = &digits[sizeof digits - 1];

    *p = '\0';
    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    print(p);
}

/* Passes @name if @got is @want, or up to @more more: what the code around a loop does. */
static void expect(const char *name, uint32_t got, uint32_t want, uint32_t more)
{
    const bool good = got >= want && got - want <= more;

    print(good ? "ok " : "not ok ");
    print(name);
    if (!good) {
        print(": got ");
        print_number(got);
    }
    print("\n");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counters.
 */

static void begin(void)
{
    for (uint32_t n = 0; n < EVENTS; n++) {
        WRITE15(0, c9, c12, 5, n);         /* PMSELR */
        WRITE15(0, c9, c13, 1, events[n]); /* PMXEVTYPER */
    }
    WRITE15(0, c9, c12, 1, (1u << EVENTS) - 1); /* PMCNTENSET */
    WRITE15(0, c9, c12, 0, 3);                  /* PMCR.{E, P} */
}

static void end(void)
{
    WRITE15(0, c9, c12, 0, 0);
}

static uint32_t got(uint32_t n)
{
    WRITE15(0, c9, c12, 5, n);
    return READ15(0, c9, c13, 2); /* PMXEVCNTR */
}

/* ---------------------------------------------------------------------------------------------------------------
 * Loops.
 */

static __attribute__((noinline)) void load_a32(const uint8_t *p, uint32_t count, uint32_t step)
{
    __asm__ volatile("1: ldrb r3, [%0], %2\n"
                     "   subs %1, %1, #1\n"
                     "   bne 1b" : "+r"(p), "+r"(count) : "r"(step) : "r3", "cc", "memory");
}

/* A load of four registers is one access. */
static __attribute__((noinline)) void load_multiple(const uint8_t *p, uint32_t count)
{
    __asm__ volatile("1: ldm %0, {r3, r4, r5, r6}\n"
                     "   add %0, %0, #64\n"
                     "   subs %1, %1, #1\n"
                     "   bne 1b" : "+r"(p), "+r"(count) :: "r3", "r4", "r5", "r6", "cc", "memory");
}

/* A conditional store, taken every other time, in an IT block. */
static __attribute__((noinline, target("thumb"))) void store_t32(uint8_t *p, uint32_t count)
{
    __asm__ volatile("1: tst %1, #1\n"
                     "   it eq\n"
                     "   strbeq %1, [%0]\n"
                     "   add %0, %0, #64\n"
                     "   subs %1, %1, #1\n"
                     "   bne 1b" : "+r"(p), "+r"(count) :: "cc", "memory");
}

static void count_loops(void)
{
    begin();
    load_a32(memory, LINES, LINE);
    end();
    expect("A32: a load each", got(L1D_CACHE), LINES, SLACK);
    expect("A32: a line each", got(L1D_CACHE_REFILL), LINES, SLACK);
    expect("A32: a branch each", got(BR_RETIRED), LINES, SLACK);
    expect("A32: that is predicted", got(BR_MIS_PRED), 0, SLACK);
    begin();
    load_multiple(memory, LINES);
    end();
    expect("A32: LDM is an access", got(L1D_CACHE), LINES, SLACK);
    begin();
    store_t32(memory, LINES);
    end();
    expect("T32: every other store", got(L1D_CACHE), LINES / 2, SLACK);
    expect("T32: misses", got(L1D_CACHE_REFILL), LINES / 2, SLACK);
    expect("T32: a branch each", got(BR_RETIRED), LINES, SLACK);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The MMU.
 */

static void turn_on_mmu(void)
{
    for (uint32_t i = 0; i < 4096; i++) {
        sections[i] = 0;
    }
    for (uint32_t i = 0x400; i < 0x420; i++) {
        sections[i] = i * MIB | 0xC0E; /* any access, write-back */
    }
    sections[GUEST / MIB] = (uint32_t)(uintptr_t)pages | 1;
    for (uint32_t i = 0; i < PAGES; i++) {
        pages[i] = ((uint32_t)(uintptr_t)memory + i * PAGE) | 0x83E; /* a small page, not global */
    }
    WRITE15(0, c2, c0, 2, 0); /* TTBCR: short descriptors */
    WRITE15(0, c2, c0, 0, (uint32_t)(uintptr_t)sections);
    WRITE15(0, c3, c0, 0, 1); /* DACR: client of domain 0 */
    WRITE15(0, c13, c0, 1, 7); /* CONTEXTIDR: the ASID */
    WRITE15(0, c8, c7, 0, 0); /* TLBIALL */
    WRITE15(0, c1, c0, 0, READ15(0, c1, c0, 0) | 1);
}

/* Loads from each page, and returns how many walks that takes.  One more may be that of the stack. */
static uint32_t walks(void)
{
    begin();
    load_a32((const uint8_t *)(uintptr_t)GUEST + OFFSET, PAGES, PAGE);
    end();
    return got(DTLB_WALK);
}

static void count_walks(void)
{
    expect("MMU: a walk each", walks(), PAGES, 1);
    expect("MMU: then the TLB has them", walks(), 0, 1);
    WRITE15(0, c13, c0, 1, 8);
    expect("MMU: another ASID walks for itself", walks(), PAGES, 1);
    WRITE15(0, c13, c0, 1, 7);
    expect("MMU: the first ASID is still there", walks(), 0, 1);
    WRITE15(0, c8, c7, 1, (GUEST + PAGE) | 7); /* TLBIMVA */
    expect("MMU: a page is invalidated", walks(), 1, 1);
    WRITE15(0, c8, c7, 2, 8); /* TLBIASID */
    expect("MMU: another ASID is invalidated", walks(), 0, 1);
    WRITE15(0, c8, c7, 2, 7);
    expect("MMU: an ASID is invalidated", walks(), PAGES, 1);
    WRITE15(0, c8, c7, 3, GUEST); /* TLBIMVAA */
    expect("MMU: a page is invalidated for all ASIDs", walks(), 1, 1);
}

int main(void)
{
    static const uint32_t stop[] = {0x20026, 0};

    count_loops();
    turn_on_mmu();
    count_walks();
    semihost(0x20, stop);
    return 0;
}
